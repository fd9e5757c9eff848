#!/usr/bin/env bash
# A user names a file of root as the output of a job; root looks at the output of that job.
. stoker.sh
{ [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; } || skip "needs root, for a second user"
getent passwd nobody >/dev/null || skip "no user nobody here"

as() {
    local u=$1
    shift
    setpriv --reuid="$u" --regid="$(id -g "$u")" --init-groups -- "$@"
}
chmod 755 "$TMPDIR" "$STOKER_HOME" "$WORK"
mkdir -m 777 work
echo TOP-SECRET >secret.txt
chmod 600 secret.txt
secret=$PWD/secret.txt
cluster_start
chmod 755 "$STOKER_HOME"
cd work || exit

case_ "a file that root alone may read"
run as nobody sbatch --parsable -o "$secret" --wrap 'echo hello'
job=$out
wait_end "$job"
is "the job cannot write there" "$state" FAILED
for option in "" -f -n5; do
    # shellcheck disable=SC2086
    run stoker output $option "$job"
    hasnt "stoker output $option" "$out$err" TOP-SECRET
    [ $rc -ne 0 ] || fail "stoker output $option succeeded"
    has "why" "$err" "Permission denied"
done

case_ "a link that the user puts in the place of the output"
run as nobody sbatch --parsable -o "$PWD/link.out" --wrap 'echo hello'
job=$out
wait_end "$job"
is "the state" "$state" COMPLETED
must stoker output "$job"
is "root reads what the user may read" "$out" hello
as nobody ln -sf "$secret" link.out
run stoker output "$job"
hasnt "through the link" "$out$err" TOP-SECRET
[ $rc -ne 0 ] || fail "root followed the link"

case_ "a FIFO is not opened"
as nobody rm link.out
as nobody mkfifo link.out
run timeout 20 stoker output "$job"
is "its status" $rc 1
has "why" "$err" "is not a plain file"

case_ "the user reads the output as ever"
as nobody rm link.out
as nobody sh -c 'echo again >link.out'
run as nobody stoker output "$job"
is "the output" "$rc $out" "0 again"
