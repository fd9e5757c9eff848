#!/usr/bin/env bash
# The languages of the screens: every text of the sources is translated, with the same arguments and within the width of its place;
# the screens speak a language whose locale is not installed; and neither commands nor jobs notice.
. stoker.sh
command -v msgfmt >/dev/null && command -v xgettext >/dev/null || skip "no gettext"

case_ "every text is translated"
"$ROOT/src/po/extract" >all.pot 2>warnings || fail "the texts cannot be extracted" "$(<warnings)"
hasnt "extract" "$(<warnings)" "without plural"
for po in "$ROOT"/src/po/*.po; do
    run msgcmp "$po" all.pot
    [ $rc -eq 0 ] || fail "${po##*/} lacks texts; make po takes them in" "$err"
    run msgfmt --check-format --check-domain -o /dev/null "$po"
    is "msgfmt on ${po##*/}" "$rc $err" "0 "
    is "guessed texts in ${po##*/}" "$(msgattrib --only-fuzzy "$po")" ""
done

case_ "templates name what their cause has, headings and labels fit"
run python3 - "$ROOT" <<'P'
import glob, re, sys

root = sys.argv[1]


def unquote(lines):
    return "".join(re.findall(r'"(.*)"$', line)[0] for line in lines).encode().decode("unicode_escape").encode("latin1").decode()


def texts(path):
    for block in open(path, encoding="utf-8").read().split("\n\n"):
        lines = [l for l in block.split("\n") if l and not l.startswith("#")]
        parts, key = {}, None
        for line in lines:
            m = re.match(r"(msg\w+(?:\[\d\])?) (\".*\")$", line)
            if m:
                key, line = m.group(1), m.group(2)
                parts[key] = []
            parts[key].append(line)
        if unquote(parts.get("msgid", [])):
            yield {k: unquote(v) for k, v in parts.items()}


def names(s):
    return sorted(re.findall(r"\{(\w+)", s))


wrong = []
for path in sorted(glob.glob(root + "/src/po/*.po")):
    words = {}
    for t in texts(path):
        words.setdefault(t["msgid"], t.get("msgstr", t.get("msgstr[0]")))
        for k, v in t.items():
            if k.startswith("msgstr") and re.search(r"\{\w+[:?}]", t["msgid"]):
                if not set(names(v)) <= set(names(t["msgid"])) or v.count("[") != v.count("]"):
                    wrong.append(f"{path}: {t['msgid']} / {v}")
    for source in glob.glob(root + "/ui/*/*.c"):
        text = open(source, encoding="utf-8").read()
        columns = [(m.group(1), dict(re.findall(r"\.(min|fit) = (\d+)", m.group(2))))
                   for m in re.finditer(r'\.title = N_\("([^"]+)"\),(.*?)\.get =', text, re.S)]
        columns += [(m.group(1), {"min": m.group(2)}) for m in re.finditer(r'MORE\("\w+", N_\("([^"]+)"\), (\d+)', text)]
        for title, width in columns:
            room = max(len(title), *(int(w) for w in width.values())) if width else len(title)
            if len(words.get(title, "")) > room:
                wrong.append(f"{path}: the heading {words[title]} has more than {room} cells ({source})")
        label = re.search(r"#define LABEL +(\d+)", text)
        for word in re.findall(r'_pair\((?:[^()"]*,)? *tr\("([^"]+)"\), LABEL', text) if label else []:
            if len(words.get(word, "")) > int(label.group(1)) - 1:
                wrong.append(f"{path}: the label {words[word]} has more than {int(label.group(1)) - 1} cells ({source})")
print("\n".join(wrong))
P
is "faults" "$out$err" ""

case_ "a language whose locale is not installed"
unset LC_ALL LC_MESSAGES LANGUAGE
for row in "pl_PL Pomoc pomoc" "pt_BR Ajuda ajuda" "fr_FR Aide aide"; do
    read -r locale title word <<<"$row"
    run env LANG="$locale.UTF-8" TERM=xterm-256color terminal.py size:24x80 "expect: $word " type:? "expect:$title" type:q type:q \
        -- stoker --demo --at 14:20 --size small
    has "$locale" "$out" "$title"
done
run env LANG=pl_PL.UTF-8 LC_ALL=C.UTF-8 TERM=xterm-256color terminal.py size:24x80 "expect: help " type:q -- stoker --demo --at 14:20 --size small
has "LC_ALL goes before LANG" "$out" " help "

case_ "the commands of stoker speak the language, those of Slurm do not"
for row in "pl_PL Użycie Opcje węzła zadania" "pt_BR Uso Opções nó job" "fr_FR Utilisation Options nœud job"; do
    read -r locale usage options node job <<<"$row"
    export LANG=$locale.UTF-8
    for command in stoker "stoker jobs" "stoker node" "stoker doctor" "stoker submit" "stoker --demo"; do
        has "$command --help in $locale" "$($command --help 2>&1)" "$usage"
    done
    has "options in $locale" "$(stoker window --help)" "$options"
    has "an error in $locale" "$(stoker jobs --state=odd 2>&1)" "$job"
    hasnt "Slurm's help in $locale" "$(squeue --help)" "$usage"
    hasnt "the manual in $locale" "$(stoker manual stoker-node)" "$node"
done
unset LANG

case_ "Slurm's commands, JSON and jobs do not notice"
cluster_start
job=$(LANG=pl_PL.UTF-8 sbatch --parsable --hold --wrap 'env')
for command in "squeue" "squeue --json" "squeue --start" "sinfo" "scontrol show job $job" "stoker squeue" "sbatch --time=soon x" \
    "stoker jobs --json" "stoker why --json $job" "stoker show --json $job" "stoker nodes --json" "stoker users --json" \
    "stoker node tasks --json" "stoker gpus --json" "stoker window list --json"; do
    LC_ALL=C.UTF-8 $command >english 2>&1
    LANG=pl_PL.UTF-8 $command >polish 2>&1
    is "$command" "$(sed 's/"last_update": [0-9]*//' polish)" "$(sed 's/"last_update": [0-9]*//' english)"
done
is "JSON of doctor" "$(LANG=pl_PL.UTF-8 stoker doctor --json | grep -o '"name":"[^"]*"' | sort -u)" \
    "$(LC_ALL=C.UTF-8 stoker doctor --json | grep -o '"name":"[^"]*"' | sort -u)"
LANG=pl_PL.UTF-8 stoker release "$job" >/dev/null
wait_for 20 test -s "slurm-$job.out"
wait_for 20 grep -q '^LANG=' "slurm-$job.out"
has "the user's own language" "$(cat "slurm-$job.out")" "LANG=pl_PL.UTF-8"
hasnt "what the command sets for itself" "$(cat "slurm-$job.out")" "LANGUAGE="
job=$(LANG=pl_PL.UTF-8 stoker submit -- env)
wait_for 20 grep -q '^LANG=' "slurm-$job.out"
hasnt "of stoker submit" "$(cat "slurm-$job.out")" "LANGUAGE="
