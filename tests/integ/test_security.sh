#!/usr/bin/env bash
# Who may do what. As root: two ordinary users on one controller; the second tries every request on the first one's job. As an
# ordinary user: what can be seen without a second one.
# test-user
. stoker.sh
command -v python3 >/dev/null || skip "no python3"

case_ "files and directories are the owner's alone"
cluster_start
for f in state state/stoker.db log; do
    is "mode of $f" "$(stat -c %a "$STOKER_HOME/$f" | sed 's/^.*\(..\)$/\1/')" 00
done
[ "$(id -u)" -eq 0 ] || is "mode of the socket" "$(stat -c %a "$STOKER_HOME/run/controller.sock")" 600
is "no core dumps" "$(awk '/Max core file size/ {print $5}' "/proc/$(controller_pid)/limits")" 0

case_ "a job sees nothing of the controller's: no descriptors, no environment, its umask"
cat >inside.py <<'E'
import os
print("fds", sorted(int(f) for f in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{f}") and int(f) > 2))
print("umask", oct(os.umask(0)))
print("secret", os.environ.get("SECRET_OF_UP"))
print("leader", os.getsid(0) != os.getpid() or os.getsid(0) == os.getpid())
E
(umask 027; must sbatch --parsable -o inside.out --wrap 'exec python3 inside.py'; echo "$out" >id)
wait_end "$(cat id)"
text=$(cat inside.out)
has "descriptors" "$text" "fds []"
has "umask" "$text" "umask 0o27"
has "nothing of the controller's environment" "$text" "secret None"
is "mode of its output file" "$(stat -c %a inside.out)" 640

case_ "text from outside is escaped wherever it is printed"
must sbatch --parsable -o /dev/null --comment 'c' -J plain --wrap 'kill -9 $$' # a name with controls is refused: see test_bad_input
job=$out
wait_end "$job"
printf 'x\e[31mred\n' >text.txt
must sbatch --parsable -o esc.out --wrap 'cat text.txt'
wait_end "$out"
is "stoker output in a pipe gives the bytes" "$(stoker output "$out")" $'x\e[31mred'
srun -J multi printf '%s' $'a\nb\e[2J' >/dev/null || fail "srun with such arguments"
for c in "squeue -t all -o %all" "squeue -t all -O command:200" "scontrol show job" "stoker jobs" "scontrol -o show steps"; do
    hasnt "escape in: $c" "$($c 2>&1)" $'\e'
done
cluster_stop

if [ "$(id -u)" -ne 0 ] || ! command -v setpriv >/dev/null; then
    echo "not root: the part with a second user is left out"
    exit 0
fi
first=$(getent passwd nobody | cut -d: -f3)
second=$(getent passwd daemon | cut -d: -f3)
{ [ -n "$first" ] && [ -n "$second" ]; } || skip "no users nobody and daemon"

# as UID CMD...
as() {
    local uid=$1
    shift
    setpriv --reuid="$uid" --regid="$uid" --clear-groups -- "$@"
}

case_ "another user's directory is refused"
mkdir "$WORK/theirs" "$WORK/theirs/state"
chown -R "$first" "$WORK/theirs"
run env STOKER_HOME="$WORK/theirs" stokerd --foreground
[ $rc -ne 0 ] || fail "it started"
has "its text" "$err" "belongs to uid $first, not to this user: refused"

case_ "two users on a controller of root's"
chmod 755 "$TMPDIR" "$STOKER_HOME" "$WORK"
mkdir -m 755 u1 u2
chown "$first" u1
chown "$second" u2
cluster_config
must stoker up
wait_for 15 nodes_up
cd u1 || exit
cat >job.sh <<'E'
#!/bin/sh
id -u; id -g; id -G
echo secret-of-the-script >/dev/null
until [ -e go ]; do sleep 0.02; done
E
chmod 755 job.sh
run as "$first" sh -c 'umask 077; exec sbatch --parsable -J theirs -o out.txt job.sh'
job=$out
is "submitted" "$rc $err" "0 "
wait_state "$job" RUNNING
wait_for 10 has_lines out.txt 3
is "it runs as its user, with that group alone" "$(tr '\n' ' ' <out.txt)" "$first $first $first "
is "its file is the user's" "$(stat -c %u out.txt)" "$first"
run as "$first" sbatch --parsable -H job.sh
held=$out
is "submitted" "$rc" 0

cd ../u2 || exit
untouched() {
    is "after $1: the running job" "$(job_state "$job")" RUNNING
    is "after $1: the held job" "$(job_state "$held") $(job_reason "$held")" "PENDING JobHeldUser"
}
refused() {
    local what=$1
    shift
    run as "$second" "$@"
    [ $rc -ne 0 ] || fail "$what: done" "$out"
    untouched "$what"
}
# scancel says nothing of jobs that end or are not there, but of those that one may not touch
run as "$second" scancel "$job"
has "scancel" "$err" "Access/permission denied"
untouched scancel
run as "$second" scancel -s USR1 "$job"
has "scancel -s" "$err" "Access/permission denied"
untouched "scancel -s"
refused "stoker cancel" stoker cancel "$job"
is "its status" $rc 4
refused "hold" scontrol hold "$held"
refused "release" scontrol release "$held"
refused "requeue" scontrol requeue "$job"
refused "update" scontrol update JobId="$held" JobName=mine
refused "a step in it" srun --jobid="$job" id
refused "its script" scontrol write batch_script "$job" -
hasnt "its script" "$out" secret
refused "its output" stoker output "$job"
refused "draining a node" stoker node drain n1 --reason=mine
refused "the shutdown" stoker down
refused "a reload" scontrol reconfigure
is "its name" "$(squeue -h -j "$held" -o %j)" job.sh
run as "$second" squeue -h -o %i
is "the queue may be seen" "$(sort -n <<<"$out" | tr '\n' ' ')" "$job $held "

case_ "what a user ran is not shown after the job has gone either"
echo 'min_job_age = "1s";' >>"$STOKER_HOME/stoker.cfg"
must scontrol reconfigure
running=$job
echo 'echo secret' | script gone.sh
submit -o /dev/null gone.sh
rm gone.sh
has_left() { ! stoker jobs -a --json | grep -q "\"job_id\":$1,"; }
wait_for 20 has_left "$job"
has "its owner" "$(scontrol write batch_script "$job" -)" secret
run as "$second" scontrol write batch_script "$job" -
[ "$rc" -ne 0 ] || fail "another user is given it" "$out"
hasnt "another user" "$out" secret
job=$running

case_ "files are opened as the user"
printf 'mine\n' >"$WORK/roots-file"
chmod 600 "$WORK/roots-file"
cd ../u1 || exit
run as "$first" sbatch --parsable -o "$WORK/roots-file" --wrap 'echo overwritten'
wait_end "$out"
is "root's file" "$state $(cat "$WORK/roots-file")" "FAILED mine"
as "$first" ln -s "$WORK/roots-file" link
run as "$first" sbatch --parsable -o link --wrap 'echo overwritten'
wait_end "$out"
is "through a symbolic link" "$state $(cat "$WORK/roots-file")" "FAILED mine"
run as "$first" sbatch --parsable -o "$PWD/../u2/planted" --wrap 'echo planted'
wait_end "$out"
is "in another's directory" "$state $(ls ../u2)" "FAILED "
run as "$first" sbatch --parsable -i "$WORK/roots-file" -o in.txt --wrap cat
wait_end "$out"
is "reading root's file" "$state" FAILED
mkdir -m 700 "$WORK/closed"
run as "$first" sbatch --parsable -D "$WORK/closed" -o /dev/null --wrap pwd
wait_end "$out"
is "a working directory of another user" "$state" FAILED

case_ "an id that another user has used"
touch go
wait_end "$job"
is "the first user's job ended well after all that" "$state" COMPLETED
as "$first" scancel "$held"
is "and the user may cancel it" "$(job_state "$held")" CANCELLED
cd "$WORK" || exit
cluster_stop
