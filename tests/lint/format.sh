#!/usr/bin/env bash
# Layout by .clang-format, which is written for version 14: others lay out the same code in other ways. Macros of several lines are
# left as they are: clang-format does not see the tables that they are. test-timeout: 900
#
#   tests/lint/format.sh [FILE...]         says which files differ
#   tests/lint/format.sh --fix [FILE...]   lays them out (make format); without names those that are not committed,
#                                           or all where everything is
set -u
cd "$(dirname "$0")/../.." || exit 1

for tool in clang-format-14 clang-format ''; do
    [ -n "$tool" ] || { echo "no clang-format 14"; exit 77; }
    ! "$tool" --version 2>/dev/null | grep -q 'version 14\.' || break
done

# The lines of a file that are in no macro of several lines, as --lines options.
lines_of() {
    awk '
        function close_range() { if (first) printf "--lines=%d:%d ", first, NR - 1; first = 0 }
        { macro = before || (/^[[:space:]]*#/ && /\\$/) }
        macro { close_range() }
        !macro && !first { first = NR }
        { before = macro && /\\$/ }
        END { NR++; close_range() }' "$1"
}

fix=
if [ "${1:-}" = --fix ]; then
    fix=1
    shift
fi
if [ -n "$fix" ] && [ $# -eq 0 ] && git rev-parse --git-dir >/dev/null 2>&1; then
    mapfile -t changed < <({ git diff --name-only --diff-filter=d HEAD; git ls-files -o --exclude-standard; } | grep '\.[ch]$' | sort -u)
    set -- "${changed[@]}"
fi
# Only what has changed since all of it was right: checking everything takes half a minute.
right=${B:-build}/tests/format.right
since=()
[ ! "$right" -nt .clang-format ] || [ -n "$fix" ] || since=(-newer "$right")
started=$(mktemp)
trap 'rm -f "$started"' EXIT
all=
[ $# -gt 0 ] || { all=1 && mapfile -t files < <(find src ui backend tests -name '*.[ch]' "${since[@]}" | sort); }
[ $# -eq 0 ] || files=("$@")

wrong=0
for f in "${files[@]}"; do
    read -ra lines < <(lines_of "$f")
    [ ${#lines[@]} -gt 0 ] || continue
    if [ -n "$fix" ]; then
        "$tool" "${lines[@]}" -i "$f"
    elif ! "$tool" "${lines[@]}" "$f" | cmp -s - "$f"; then
        echo "$f"
        wrong=$((wrong + 1))
    fi
done
[ $wrong -eq 0 ] || { echo "$wrong files are laid out otherwise: make format"; exit 1; }
[ -z "$all" ] || [ ! -d "${right%/*}" ] || touch -r "$started" "$right"
