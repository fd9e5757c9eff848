#!/usr/bin/env bash
# Every command tells what it is: help, usage, version, and a hint for a slip of the finger. No controller runs.
. stoker.sh

case_ "stoker itself"
says "version" 0 "stoker $(sed -n "s/^VERSION := //p" "$ROOT/Makefile")" "" stoker --version
must stoker --help
mapfile -t own < <(sed -n '/^  [a-z]/p' <<<"$out" | awk '{print $1}')
at_least "commands" ${#own[@]} 10
run stoker sumbit
is "status" $rc 2
has "the nearest name" "$err" "stoker: no command 'sumbit'; did you mean 'submit'?"
run stoker qwertyuiop
is "status" $rc 2
is "one line before the way to the list" "$(wc -l <<<"$err")" 2
is "no near name" "$(head -n 1 <<<"$err")" "stoker: no command 'qwertyuiop'"

case_ "words that a command takes none of"
for name in up down doctor init users plan; do
    says "$name" 2 "" "stoker $name: error: unexpected 'gpu01'" stoker $name gpu01
done
[ ! -e "$STOKER_HOME/stoker.cfg" ] || fail "init wrote all the same"

case_ "options of the screens"
run stoker --no-such-option
is "status" $rc 2
has "they are its own" "$err" "unrecognized option '--no-such-option'"

case_ "each command"
for name in "${own[@]}"; do
    if [ -e "$(dirname "$(command -v stoker)")/$name" ]; then cmd=("$name"); else cmd=(stoker "$name"); fi
    case_ "${cmd[*]}"
    must "${cmd[@]}" --help
    has "help" "$out" "Usage: ${cmd[*]} "
    has "help" "$out" "--version"
    is "help goes to standard output alone" "$err" ""
    at_most "width" "$(awk '{ if (length > n) n = length } END { print n + 0 }' <<<"$out")" 108
    must "${cmd[@]}" --usage
    has "usage" "$out" "Usage: ${cmd[*]} "
    must "${cmd[@]}" --version
    [ "${cmd[0]}" = stoker ] && is "version" "$out" "stoker $(sed -n "s/^VERSION := //p" "$ROOT/Makefile")" || is "version" "$out" "slurm 23.02.7"
    run "${cmd[@]}" --no-such-option
    has "unknown option" "$err" "${cmd[*]}: unrecognized option '--no-such-option'"
    has "unknown option" "$err" "Try \"${cmd[*]} --help\" for more information"
    [ "$rc" -ne 0 ] || fail "an unknown option is a success"
done
