#!/usr/bin/env bash
# Each program lies at an address that cannot be guessed, has a stack without code, and has no table of functions that can be written:
# position independent, GNU_STACK not executable, RELRO, BIND_NOW, no relocation of its text.
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
bad=0
say() { echo "$*" && bad=1; }
n=0
for f in "$B"/bin/*; do
    { [ -f "$f" ] && [ ! -L "$f" ]; } || continue
    n=$((n + 1))
    readelf -hW "$f" | grep -q 'Type: *DYN' || say "$f: not position independent"
    readelf -lW "$f" | grep -q 'GNU_STACK.* RW ' || say "$f: its stack may hold code"
    readelf -lW "$f" | grep -q GNU_RELRO || say "$f: no RELRO"
    readelf -dW "$f" | grep -q 'FLAGS_1.*NOW' || say "$f: no BIND_NOW"
    ! readelf -dW "$f" | grep -q TEXTREL || say "$f: relocations of its text"
done
[ $n -ge 2 ] || say "$B/bin has no programs"
exit $bad
