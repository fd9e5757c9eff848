#!/usr/bin/env bash
# What can be seen of a file from outside: its length, waits of whole seconds in tests, paths of the machine it was written on, and
# whether it belongs here at all.
#
# A file of the product has at most 600 lines, a test at most 850; a folder of the product has at most 25 .c files. A test waits for a condition, never for a time. Exemptions:
# tests/lint/exempt ("size PATH reason", "sleep PATH reason").
set -u
cd "$(dirname "$0")/../.." || exit 1
bad=0
say() { echo "$*" && bad=1; }
exempt() { grep -qE "^$1 $2( |\$)" tests/lint/exempt; }

while read -r lines path; do
    case $path in tests/*) most=850 ;; *) most=600 ;; esac
    [ "$lines" -le $most ] || exempt size "$path" || say "$path: $lines lines, more than $most"
done < <(find src ui backend tests '(' -name '*.[ch]' -o -path 'tests/*' -name '*.sh' ')' -print0 | xargs -0 wc -l | grep -v ' total$')
while read -r _ path _; do
    lines=$(wc -l <"$path") || { say "tests/lint/exempt: there is no $path"; continue; }
    case $path in tests/*) most=850 ;; *) most=600 ;; esac
    [ "$lines" -gt $most ] || say "tests/lint/exempt: $path has $lines lines and needs no exemption"
done < <(grep '^size ' tests/lint/exempt)

while read -r files folder; do
    [ "$files" -le 25 ] || say "$folder: $files .c files, more than 25"
done < <(find src ui backend -name '*.c' -printf '%h\n' | sort | uniq -c)

# Jobs that last are given a thousand seconds and are ended.
waits='(^|[^a-z_-])sleep [1-9][0-9]?(\.[0-9]+)?([^0-9]|$)|[^a-z_.](usleep|nanosleep|sleep)\('
for sample in '    sleep 1' 'x; sleep 2.5; y' '    usleep(1000);'; do
    grep -qE "$waits" <<<"$sample" || { echo "the checker itself is wrong: passes $sample"; exit 1; }
done
while IFS= read -r path; do
    exempt sleep "$path" || say "$path: $(grep -nE "$waits" "$path" | head -n 1 | cut -c1-100): wait for a condition"
done < <(grep -rlE "$waits" --include='test_*' tests/integ tests/crash tests/pty tests/screen tests/unit tests/sim tests/prop)

here='(/work/(w|main|shared)/|\.\./shared/|/home/[a-z]+/(stoker|main))'
while IFS= read -r line; do say "$line: a path of one machine"; done < \
    <(grep -rnE "$here" Makefile README.md CONTRIBUTING.md CHANGELOG.md .ci src ui backend tests docs themes |
        grep -v '^tests/lint/files.sh:' | cut -c1-120)

# What a test has left behind, or a program that was tried by hand. An archive has no list of files.
top='^(Makefile|(README|CONTRIBUTING|CHANGELOG|SECURITY)\.md|LICENSE|\.(ci|clang-format|editorconfig|gitignore|shellcheckrc|gitattributes)|backend|docs|src|tests|themes|ui)(/|$)'
while IFS= read -r -d '' path; do
    [[ $path =~ $top ]] || say "$(printf %q "$path"): does not belong to the top level"
done < <(git ls-files -z 2>/dev/null)
exit $bad
