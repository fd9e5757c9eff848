#!/usr/bin/env bash
# docs/TESTING.md names tests that are there, and each test of tests/crash.
cd "$(dirname "$0")/../.." || exit 1
bad=0
for name in $(grep -o '`[a-z]*/\{0,1\}test_[a-z0-9_]*\.\(c\|sh\)' docs/TESTING.md | tr -d '`' | sort -u); do
    compgen -G "tests/*/${name##*/}" >/dev/null || compgen -G "tests/unit/*/${name##*/}" >/dev/null ||
        { echo "docs/TESTING.md: there is no test $name" && bad=1; }
done
for f in tests/crash/test_*; do
    grep -q "${f##*/}" docs/TESTING.md || { echo "docs/TESTING.md does not name $f" && bad=1; }
done
exit $bad
