#!/usr/bin/env bash
# The libraries marked "pure" in src/LAYERS do no I/O and read no clock: what they call must be in purity.allow, in a pure library,
# or in one of `helpers`, less the parts of these that reach outside.
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
NM=${NM:-nm}
helpers='base lang values record'
denied='^(wall_parse|wall_format_iso)$'

defined() { "$NM" --defined-only "$@" 2>/dev/null | awk 'NF == 3 { print $3 }'; }
undefined() { "$NM" -u "$1" 2>/dev/null | awk '$1 == "U" { print $2 }' | sort -u; }

# One pattern for all: a line of the file is a name, * stands for anything.
libc=$(sed 's/#.*//; s/[[:space:]]//g; /^$/d; s/\*/.*/g' tests/lint/purity.allow | paste -sd '|')

# $1: library, $2...: all pure libraries
check() {
    local lib=$1 own
    shift
    [ -n "$(defined "$lib")" ] || { echo "$lib has nothing in it"; return 1; }
    own=$({ defined "$lib" "$@"; for h in $helpers; do defined "$B/lib/lib$h.a"; done; } | grep -vE "$denied" | sort -u)
    undefined "$lib" | grep -vxFf <(echo "$own") | grep -vxE "$libc" | sed "s|^|$lib calls |"
}

# The pattern itself: a clock and a file must be refused by it, a copy must not.
for s in time clock_gettime gettimeofday rand random open read write printf fopen getenv getpid malloc_info socket; do
    ! grep -qxE "$libc" <<<"$s" || { echo "purity.allow lets $s pass"; exit 1; }
done
grep -qxE "$libc" <<<memcpy || { echo "purity.allow does not know memcpy"; exit 1; }

pure=()
for name in $(awk '!/^#/ && $4 == "pure" { print $1 }' src/LAYERS); do pure+=("$B/lib/lib$name.a"); done
[ "${#pure[@]}" -ge 2 ] || { echo "src/LAYERS marks no library as pure"; exit 1; }
wrong=$(for lib in "${pure[@]}"; do check "$lib" "${pure[@]}"; done)
[ -z "$wrong" ] || { echo "$wrong"; exit 1; }
