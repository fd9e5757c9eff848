#!/usr/bin/env bash
# Every fuzz target with its corpus (tests/fuzz/corpus/NAME: first inputs, and those that once were found), and then with a few thousand
# inputs made from it: the first layer of crashes. make fuzz goes on from there, with libFuzzer. test-timeout: 300
set -u
cd "$(dirname "$0")/../.." || exit 1
n=0
for src in tests/fuzz/fuzz_*.c; do
    name=$(basename "$src" .c)
    corpus=(tests/fuzz/corpus/"${name#fuzz_}"/*)
    [ -e "${corpus[0]}" ] || { echo "$name has no corpus"; exit 1; }
    "$B/tests/fuzz/$name" "${corpus[@]}" || { echo "$name: its corpus"; exit 1; }
    "$B/tests/fuzz/$name" -n 2000 || exit 1
    n=$((n + 1))
done
for corpus in tests/fuzz/corpus/*; do
    [ -e "tests/fuzz/fuzz_${corpus##*/}.c" ] || { echo "$corpus belongs to no target"; exit 1; }
done
[ $n -gt 0 ]
