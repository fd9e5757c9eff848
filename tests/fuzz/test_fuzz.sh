#!/usr/bin/env bash
# Every fuzz target for a few thousand inputs: that they all still build and run, and the first layer of crashes. make fuzz goes on
# from there. test-timeout: 300
set -u
cd "$(dirname "$0")/../.." || exit 1
n=0
for src in tests/fuzz/fuzz_*.c; do
    "$B/${src%.c}" -n 3000 || exit 1
    n=$((n + 1))
done
[ $n -gt 0 ]
