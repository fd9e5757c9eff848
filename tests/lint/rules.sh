#!/usr/bin/env bash
# The table at the end of docs/SCHEDULER.md: each section of rules has a row, and the tests that it names exist.
cd "$(dirname "$0")/../.." || exit 1
doc=docs/SCHEDULER.md
title='## Which test holds which rule'
# Sections of figures, which hold no rule.
figures='Cost|What it costs|Why it is not more|What it says about .*|The simulator|Priority and fair share'
bad=0 file=''
table=$(sed -n "/^$title/,\$p" $doc | grep '^| ')
while read -r heading; do
    heading=$(sed 's/^#* //; s/[:(`].*//; s/ and *$//; s/ *$//' <<<"$heading")
    grep -qxE "$figures" <<<"$heading" && continue
    grep -qF "| $heading |" <<<"$table" || { echo "$doc: no row names a test for section \"$heading\"" && bad=1; }
done < <(sed "/^$title/,\$d" $doc | grep '^##')
while read -r name; do
    case $name in
    *.c | *.sh)
        file=$name
        [ -e "$file" ] || file=tests/unit/sched/$name
        [ -e "$file" ] || { echo "$doc names $name, which does not exist" && bad=1; }
        ;;
    *) grep -qE "\b$name\(" "$file" || { echo "$doc: $file has no $name" && bad=1; } ;;
    esac
done < <(tail -n +2 <<<"$table" | grep -o '`[^`]*`' | tr -d '`' | grep -v '^--')
exit $bad
