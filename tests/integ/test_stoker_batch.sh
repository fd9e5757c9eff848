#!/usr/bin/env bash
# sbatch and srun are a static program of their own, which does what `stoker` does under these names. test-user
. stoker.sh
cluster_start
me=$(id -un)

case_ "which program has which name"
is "sbatch" "$(readlink "$B/bin/sbatch")" stoker-batch
is "srun" "$(readlink "$B/bin/srun")" stoker-batch
is "squeue" "$(readlink "$B/bin/squeue")" stoker
ln -s "$B/bin/stoker-batch" other
says "another name is stoker's" 0 "$(stoker --version)" "" ./other --version

case_ "users"
submit --uid="$me" -o /dev/null --wrap true
submit --uid="$(id -u)" -o /dev/null --wrap true
says "no such user" 255 "" "sbatch: error: Invalid --uid specification" sbatch --uid=no-such-user --wrap true
must sbatch --uid="$me" -o /dev/null <<<'#!/bin/sh'

case_ "a login environment"
must env --chdir=/ HOME=/somewhere USER=another MINE=1 STOKER_HOME="$STOKER_HOME" \
    sbatch -W --export=NONE -o "$WORK/login" --wrap 'echo $HOME $USER ${MINE-none}'
is "it" "$(<login)" "$(getent passwd "$me" | cut -d: -f6) $me none"

case_ "without HOME"
run env -u HOME sbatch -o /dev/null --wrap true
is "its status" $rc 0

case_ "what both programs say is the same"
for name in sbatch srun; do
    for words in --help --usage --version --no-such-option "--time=x true"; do
        run "$name" $words
        batch="$rc $out $err"
        run bash -c "exec -a $name stoker $words"
        is "$name $words" "$batch" "$rc $out $err"
    done
done

# Half of what a start costs are pages that the dynamic linker writes to, and those of other commands.
if ! grep -qE '__(asan|tsan)_init' "$B/bin/stoker-batch"; then
    case_ "what the start of an sbatch costs"
    dynamic=$("$B/tests/tools/faults" "$B/bin/stoker" sbatch -H -Q -o /dev/null --wrap true) || fail "it does not run"
    static=$("$B/tests/tools/faults" "$B/bin/stoker-batch" sbatch -H -Q -o /dev/null --wrap true) || fail "it does not run"
    printf 'page faults of an sbatch: %d, in stoker %d\n' "$static" "$dynamic"
    at_most "page faults of 10 sbatch" $((static * 10)) $((dynamic * 6))

    case_ "what the start of an srun costs"
    must sbatch -Q -W -o "$WORK/faults" --wrap "$B/tests/tools/faults $B/bin/stoker srun true; $B/tests/tools/faults $B/bin/stoker-batch srun true"
    { read -r dynamic && read -r static; } <faults || fail "it does not run" "$(<faults)"
    printf 'page faults of an srun: %d, in stoker %d\n' "$static" "$dynamic"
    at_most "page faults of 10 srun" $((static * 10)) $((dynamic * 7))
fi
cluster_stop
