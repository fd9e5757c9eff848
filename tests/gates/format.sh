#!/usr/bin/env bash
# Layout by .clang-format, which is written for version 14: others lay out the same code in other ways.
set -u
cd "$(dirname "$0")/../.." || exit 1
tool=
for c in clang-format-14 clang-format; do
    if "$c" --version 2>/dev/null | grep -q 'version 14\.'; then
        tool=$c
        break
    fi
done
[ -n "$tool" ] || { echo "no clang-format 14"; exit 77; }

# One line a file: what exactly is wrong, clang-format -i says best.
wrong=$(find src ui backend tests -name '*.[ch]' -print0 | xargs -0 -r "$tool" --dry-run -Werror 2>&1 |
    sed -n 's/^\([^: ]*\):[0-9]*:[0-9]*: error.*/\1/p' | sort | uniq -c)
[ -z "$wrong" ] || { echo "$wrong"; echo "places to lay out anew: $tool -i FILE"; exit 1; }
