#!/usr/bin/env bash
# F34, F18: output on a file server that falls silent, played by a file system of the test's own: who writes there waits in the kernel
# and hears no signal. Other tasks and the agent notice nothing; kills are delivered; the node is drained, and all comes right by itself
# when the server answers again.
# test-user
. stoker.sh
[ "$(id -u)" -eq 0 ] || skip "only root mounts file systems"
[ -e /dev/fuse ] || skip "no FUSE here"
mkdir "$TMPDIR/server"
"$B/tests/tools/hangfs" "$TMPDIR/server" "$TMPDIR/silent" >"$TMPDIR/hangfs.out" 2>&1 &
hangfs=$!
trap 'rc=$?; rm -f "$TMPDIR/silent"; kill $hangfs 2>/dev/null; wait $hangfs; (exit $rc); on_exit' EXIT
is_mounted() { grep -q ready "$TMPDIR/hangfs.out" || is_dead $hangfs; }
wait_for 10 is_mounted
is_alive $hangfs || { trap on_exit EXIT; skip "it cannot be mounted: $(cat "$TMPDIR/hangfs.out")"; }

export STOKER_STUCK_MS=300
CPUS=8 cluster_start
script writes <<'S'
echo $$ >>pids
echo $$ >writer
exec 9<> <(:); until [ -e go ]; do read -rt 0.02 -u 9; done
echo "a line for the server"
echo "after it" >>passed
S
script labelled <<'S'
srun -l -n 2 --output="$1" bash -c 'echo $$ >>pids; exec 9<> <(:); until [ -e go ]; do read -rt 0.02 -u 9; done; echo line'
S
waits_for_server() { grep -q 'request_wait_answer\|fuse' "/proc/$1/wchan"; } # no signal has come yet: the state says "sleeping"
is_deaf() { grep -q '^State:.D' "/proc/$1/status"; }
works_fast() { # five steps and a job beside it
    t0=$(now_ms)
    for i in 1 2 3 4 5; do must timeout 60 srun true; done
    submit -o beside.out --wrap 'echo done'
    wait_end "$job"
    at_most "six tasks beside it, ms" $(($(now_ms) - t0)) 60000
}

submit -o "$TMPDIR/server/plain" writes
plain=$job
submit -n 2 -o labelled.out labelled "$TMPDIR/server/labelled"
labelled=$job
until_ 60 has_lines pids 3 || fail "they do not begin" "$(cat labelled.out)"
touch "$TMPDIR/silent" go

case_ "the writer waits, no other task does"
writer=$(<writer)
wait_for 10 waits_for_server "$writer"
[ ! -e passed ] || fail "the server answered: nothing was tested"
works_fast
is "both run" "$(job_state "$plain") $(job_state "$labelled")" "RUNNING RUNNING"

case_ "the agent is killed: the next one finds them without waiting for them"
agent=$(agent_pid)
kill -KILL "$agent" && wait_for 5 is_dead "$agent"
new_agent() { [ -n "$(agent_pid)" ] && [ "$(agent_pid)" != "$agent" ] && nodes_up; }
wait_for 20 new_agent
works_fast

case_ "cancelled: the kill is delivered, the node drained, what it holds is kept"
must scancel "$plain"
is_drained() { sinfo -h -N -o %T | grep -q drain; }
wait_for 20 is_drained
has "why" "$(sinfo -h -R -o '%E %u')" "unkillable: processes of job $plain will not die"
is "the job" "$(job_state "$plain")" COMPLETING
until_ 60 is_deaf "$writer" || fail "no SIGKILL has reached it" "$(grep '^State\|Pnd' "/proc/$writer/status")"

case_ "the server answers again"
rm "$TMPDIR/silent"
wait_end "$plain"
is "the cancelled one" "$state" CANCELLED
wait_end "$labelled"
is "the other" "$state" COMPLETED
is_back() { [ "$(sinfo -h -N -o %T)" = idle ]; }
wait_for 20 is_back
cluster_stop
