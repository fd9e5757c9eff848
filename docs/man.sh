#!/usr/bin/env bash
# Writes docs/man/*.[17] and docs/man/stoker.bash from the programs' own tables, with the programs in PATH: docs/man.sh
set -eu
cd "$(dirname "$0")/.."
mkdir -p docs/man
stoker manual --list | while read -r page; do
    text=$(stoker manual "$page")
    section=$(sed -n 's/^\.TH [^ ]* \([1-8]\) .*/\1/p' <<<"$text")
    printf "%s\n" "$text" >"docs/man/$page.$section"
done
text=$(stoker manual --bash)
printf "%s\n" "$text" >docs/man/stoker.bash
for f in docs/man/*.[1-8]; do
    page=${f##*/}
    stoker manual "${page%.*}" >/dev/null || rm -- "$f"
done
