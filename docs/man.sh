#!/usr/bin/env bash
# Writes docs/man/*.1 and docs/man/stoker.bash from the commands' own tables, with the programs in PATH: docs/man.sh
set -eu
cd "$(dirname "$0")/.."
mkdir -p docs/man
stoker manual --list | while read -r page; do
    stoker manual "$page" >"docs/man/$page.1"
done
text=$(stoker manual --bash)
printf "%s\n" "$text" >docs/man/stoker.bash
for f in docs/man/*.1; do
    stoker manual "$(basename "$f" .1)" >/dev/null || rm -- "$f"
done
