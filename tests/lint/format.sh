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

# Each file as "FILE", or as "FILE --lines=FIRST:LAST ..." with the lines that are in no macro of several lines, if it has one. A
# file with nothing else is left out.
ranges_of() {
    printf '%s\0' "$@" | xargs -0 -r awk '
        function close_range(last) { if (first) ranges = ranges sprintf(" --lines=%d:%d", first, last); first = 0 }
        function close_file() { close_range(lines); if (ranges) print file (has_macro ? ranges : "") }
        FNR == 1 && file { close_file() }
        FNR == 1 { file = FILENAME; first = before = has_macro = 0; ranges = "" }
        { lines = FNR; macro = before || (/^[[:space:]]*#/ && /\\$/) }
        macro { has_macro = 1; close_range(FNR - 1) }
        !macro && !first { first = FNR }
        { before = macro && /\\$/ }
        END { if (file) close_file() }'
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

mapfile -t ranges < <(ranges_of "${files[@]}")
plain=()
wrong=$(
    for entry in "${ranges[@]}"; do
        read -r f lines <<<"$entry"
        if [ -z "$lines" ]; then
            plain+=("$f")
            continue
        fi
        read -ra lines <<<"$lines"
        if [ -n "$fix" ]; then
            "$tool" "${lines[@]}" -i "$f"
        else
            "$tool" "${lines[@]}" "$f" | cmp -s - "$f" || echo "$f"
        fi
    done
    # Many to a process: its start takes longer than a file.
    if [ ${#plain[@]} -eq 0 ]; then
        :
    elif [ -n "$fix" ]; then
        printf '%s\0' "${plain[@]}" | xargs -0 -n 64 "$tool" -i
    else
        printf '%s\0' "${plain[@]}" | xargs -0 -n 64 "$tool" --dry-run 2>&1 | sed -n 's/:[0-9]*:[0-9]*: warning: .*//p'
    fi | sort -u
)
[ -z "$wrong" ] || { echo "$wrong"; echo "$(wc -l <<<"$wrong") files are laid out otherwise: make format"; exit 1; }
[ -z "$all" ] || [ ! -d "${right%/*}" ] || touch -r "$started" "$right"
