#!/usr/bin/env bash
# What the documents and the comments name is there: paths from the root, links, and files by their name alone.
# A name in capitals stands for any (ui/view/NAME.c), so does a star.
set -u
cd "$(dirname "$0")/../.." || exit 1
failed=0
say() { echo "$1: there is no $2" && failed=1; }

declare -A names
while IFS= read -r name; do names[$name]=1; done < <(find . \( -name .git -o -path ./build \) -prune -o -type f -printf '%f\n')
is_name() { [ -n "${names[${1##*/}]-}" ]; }
is_there() { compgen -G "$1" >/dev/null || compgen -G "$1.*" >/dev/null; } # without its ending: a program, a pair
is_pattern() { case $1 in *[*?%]* | *NAME* | *LAYER* | *KIND* | *WHAT* | *NNNN*) true ;; *) false ;; esac }

for doc in *.md docs/*.md docs/decisions/*.md; do
    dir=$(dirname "$doc")
    while IFS= read -r path; do
        is_pattern "$path" || is_there "$path" || is_there "$dir/$path" || say "$doc" "$path"
    done < <(grep -oE '`(src|ui|backend|tests|docs|themes|decisions|\.ci)/[A-Za-z0-9_.*%/-]+' "$doc" | tr -d '`' | sed 's|[.:]$||')
    while IFS= read -r name; do
        is_pattern "$name" || is_name "$name" || say "$doc" "$name"
    done < <(grep -oE '`[A-Za-z0-9_./-]+\.[ch]`' "$doc" | tr -d '`')
    while IFS= read -r link; do
        [ -e "$dir/$link" ] || say "$doc" "$link, which it links to"
    done < <(grep -oE '\]\([^)#]+' "$doc" | sed 's|^](||' | grep -v '^[a-z]*:')
done

while IFS=: read -r file name; do
    is_name "$name" || say "$file" "$name, which a comment names"
done < <(find src ui backend -name '*.[ch]' -print0 | xargs -0 grep -oE '^ \*.*|/\*.*' | awk '{
    file = substr($0, 1, index($0, ":")); line = substr($0, index($0, ":") + 1)
    while (match(line, /[a-z_0-9\/]+\.[ch]([^A-Za-z0-9_(]|$)/)) {
        if (RSTART == 1 || substr(line, RSTART - 1, 1) !~ /[A-Za-z0-9<.]/) {
            name = substr(line, RSTART, RLENGTH); sub(/[^a-z0-9]$/, "", name); print file name
        }
        line = substr(line, RSTART + RLENGTH)
    }
}')
exit $failed
