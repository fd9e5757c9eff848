#!/usr/bin/env bash
# F17: a task that floods its node: processes without end, memory by many hands. Its bounds hold, the others go on, it can be ended. A
# job that has lost its node again and again is held: it may be what kills the nodes.
. stoker.sh
command -v python3 >/dev/null || skip "no python3"
cluster_config
mkdir -p "$STOKER_HOME/state/agent/n1"
echo 'max_processes = 150' >"$STOKER_HOME/state/agent/n1/policy"
chmod 700 "$STOKER_HOME/state" "$STOKER_HOME/state/agent/n1"
chmod 600 "$STOKER_HOME/state/agent/n1/policy"
cluster_start

# Every process makes others until it is told that there are no more, or until there are LIMIT of them; none ends by itself.
cat >bomb.py <<'E2'
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
tokens, fill = os.pipe()
os.write(fill, b"+" * int(sys.argv[1]))
os.set_blocking(tokens, False)
while True:
    try:
        os.read(tokens, 1)
        if os.fork() == 0:
            os.setsid()
    except BlockingIOError: # no token, or no process
        os.close(os.open("full", os.O_CREAT, 0o644))
        time.sleep(0.05)
E2
script bomb <<'S'
exec python3 bomb.py 1000
S
# Of this test's cluster: another one beside it has jobs of the same numbers.
of_job() { grep -lsz "^SLURM_JOB_ID=$1\$" /proc/[0-9]*/environ 2>/dev/null | xargs -r grep -lsz "^SLURM_SUBMIT_DIR=$WORK\$" | wc -l; }
none_of_job() { [ "$(of_job "$1")" -eq 0 ]; }
if stoker nodes --json | grep -q "processes of a task are not bounded"; then
    [ "$(id -u)" -ne 0 ] || echo "no pids controller for root here: $(stoker nodes --json | grep -o '"processes of[^"]*"')"
    sed -i 's/ 1000/ 400/' bomb # it bounds itself
    bound=401
else
    bound=150
fi

case_ "processes: $bound at most"
submit -o /dev/null bomb
bomb=$job
wait_for 20 is_file full
has_grown() { [ "$(of_job "$bomb")" -ge $((bound - 20)) ]; } # others that have a token are on their way
wait_for 20 has_grown
at_most "processes of it" "$(of_job "$bomb")" $bound
must timeout 60 srun true
submit -o other.out --wrap 'for i in 1 2 3 4 5; do (echo $i); done'
wait_end "$job"
is "another job" "$state $(tr '\n' ' ' <other.out)" "COMPLETED 1 2 3 4 5 "
must scancel "$bomb"
wait_end "$bomb" 30
is "its end" "$state" CANCELLED
none_of_job "$bomb" || fail "$(of_job "$bomb") processes of it live"
is "the node" "$(sinfo -h -N -o '%T %C')" "idle 0/8/0/8"

case_ "memory: many that are small"
cat >many.py <<'E2'
import os, time
for i in range(12):
    if os.fork() == 0:
        os.setsid()
        block = bytearray(12 << 20)
        for k in range(0, len(block), 4096):
            block[k] = 1
        time.sleep(250)
time.sleep(250)
E2
submit --mem=64M -o /dev/null --wrap 'python3 many.py'
wait_end "$job"
is "its end" "$state" OUT_OF_MEMORY
none_of_job "$job" || fail "$(of_job "$job") processes of it live"

case_ "a job that loses its node again and again"
must stoker down
wait_for 10 no_agents
export STOKER_BEAT_MS=250
EXTRA='node_timeout = "2s"; lost_node = "requeue";' cluster_config
must stoker up
wait_for 15 nodes_up
script dies <<'S'
echo "$SLURM_RESTART_COUNT" >>tries
exec 9<> <(:); until [ -e never ]; do read -rt 0.05 -u 9; done
S
submit --requeue -o /dev/null dies
for i in 1 2 3 4 5; do
    wait_for 20 has_lines tries "$i"
    agent=$(agent_pid)
    kill -STOP "$agent"
    wait_state "$job" PENDING 20
    kill -CONT "$agent"
    wait_for 20 nodes_up
done
is "it is held" "$(job_reason "$job")" JobHoldMaxRequeue
is "tries" "$(wc -l <tries)" 5
none_of_job "$job" || wait_for 10 none_of_job "$job"
must srun true
has "why" "$(stoker why "$job")" "held after its node was lost 5 times"
must scontrol release "$job"
wait_for 20 has_lines tries 6
must scancel "$job"
cluster_stop
