#!/usr/bin/env bash
# Each term of docs/GLOSSARY.md can be found: what the column "in the code" names is a path, or a word in the sources.
cd "$(dirname "$0")/../.." || exit 1
bad=0 rows=0
while IFS='|' read -r _ term _ _ code _; do
    rows=$((rows + 1))
    for name in $(grep -o '`[^`]*`' <<<"$code" | tr -d '`'); do
        [ -e "$name" ] || grep -rqE "\b$name" --include='*.[ch]' src ui backend ||
            { echo "docs/GLOSSARY.md: \"${term## }\" names $name, which is not in the sources" && bad=1; }
    done
done < <(grep '^| [a-z]' docs/GLOSSARY.md | grep -v '^| term')
[ $rows -ge 40 ] || { echo "docs/GLOSSARY.md has $rows terms"; bad=1; }
exit $bad
