#!/usr/bin/env bash
# Writes the manual pages and the completions for the shell below DIR, from the programs' own tables, with the programs in PATH:
# docs/man.sh DIR, as `make` calls it for build/share.
set -eu
export LC_ALL=C # manual pages are English
dir=$1
rm -rf "$dir/man" "$dir/bash-completion"
mkdir -p "$dir/man/man1" "$dir/man/man7" "$dir/bash-completion/completions"
for page in $(stoker manual --list); do
    text=$(stoker manual "$page")
    section=$(sed -n 's/^\.TH [^ ]* \([17]\) .*/\1/p' <<<"$text")
    printf '%s\n' "$text" >"$dir/man/man$section/$page.$section"
done
text=$(stoker manual --bash)
printf '%s\n' "$text" >"$dir/bash-completion/completions/stoker"
