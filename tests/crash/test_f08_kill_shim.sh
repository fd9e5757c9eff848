#!/usr/bin/env bash
# F08: the supervisor of a task is killed. The end was not observed: it is unknown, never success, and its processes are gone first.
# test-user
. stoker.sh
command -v python3 >/dev/null || skip "no python3"
cluster_start
end_kind() {
    stoker show --json "$1" | python3 -c 'import json, sys
print(*[t["end_kind"] for s in json.load(sys.stdin)["steps"] for t in s["tasks"]])'
}
cat >family.sh <<'E'
#!/bin/bash
(setsid bash -c 'echo $BASHPID >>pids; trap "" TERM HUP; while :; do sleep 0.1; done' &)
bash -c 'echo $BASHPID >>pids; while :; do sleep 0.1; done' &
echo $$ >>pids
wait
E
chmod +x family.sh

for agent_too in no yes; do
    case_ "killed; the agent too: $agent_too"
    rm -f pids
    submit -o /dev/null family.sh
    wait_for 10 has_lines pids 3
    shim=$(shim_pids)
    like "one shim" "$shim" '[0-9]+'
    agent=$(agent_pid)
    kill -KILL "$shim"
    [ $agent_too = no ] || kill -KILL "$agent"
    wait_end $job 30
    is "not a success, not the code of anything" "$state" FAILED
    is "the kind of its end" "$(end_kind $job)" "unknown: the end was not seen"
    for pid in $(cat pids); do is_dead "$pid" || fail "process $pid of it lives, and its GPUs and CPUs are free"; done
    wait_for 10 nodes_up
    is "nothing is held" "$(sinfo -h -o %C)" 0/8/0/8
done

case_ "of one step: the job goes on and sees the failure"
rm -f pids
script steps.sh <<'E'
srun ./family.sh
echo "srun ended with $?"
E
submit -o steps.out steps.sh
wait_for 10 has_lines pids 3
step_shim=$(pgrep -f -- "stoker-(shim|agent shim) .*$STOKER_HOME/state/agent/.*$job\.0\." | head -n 1)
[ -n "$step_shim" ] || step_shim=$(ps -o ppid= -p "$(tail -n 1 pids)" | tr -d ' ')
kill -KILL "$step_shim"
wait_end $job
has "what the script saw" "$(cat steps.out)" "srun ended with"
hasnt "no success" "$(cat steps.out)" "srun ended with 0"

case_ "the process whose copies the supervisors are is killed: running tasks go on, the next job starts"
fork_server() { pgrep -P "$(agent_pid)" -f -- "--serve"; }
submit -o /dev/null --wrap 'touch begun; until [ -e end ]; do sleep 0.05; done'
running=$job
wait_for 20 is_file begun
one_server() { [[ $(fork_server) =~ ^[0-9]+$ ]]; }
wait_for 20 one_server
kill -KILL "$(fork_server)"
submit -o second.out --wrap 'echo second'
wait_end $job
is "the next one" "$state $(cat second.out)" "COMPLETED second"
is "the first" "$(job_state "$running")" RUNNING

case_ "a supervisor that was ended by a signal may have been attacked: the next ones are copies of another process, at other addresses"
submit -o /dev/null --wrap 'touch begun2; exec sleep 1000'
wait_for 20 is_file begun2
server=$(fork_server)
base() { awk '/stoker-(shim|agent)/ { sub("-.*", "", $1); print $1; exit }' "/proc/$1/maps"; }
first=$(base "$server")
kill -KILL "$(shim_pids | xargs -n 1 ps -o pid=,args= -p | awk -v dir="/$job.-1." 'index($0, dir) { print $1 }')"
wait_end "$job"
submit -o other.out --wrap 'echo other'
wait_end "$job"
is "the next one" "$state $(cat other.out)" "COMPLETED other"
wait_for 20 one_server
[ "$(fork_server)" != "$server" ] || fail "it is the same process"
[ "$(id -u)" -ne 0 ] || [ "$(base "$(fork_server)")" != "$first" ] || fail "it is at the same address, $first"
is "the first" "$(job_state "$running")" RUNNING

case_ "it is stopped: the job that it should have started waits, and starts when the node is resumed"
wait_for 20 one_server
is_alone() { [ "$(shim_pids | wc -l)" -eq 1 ]; } # no supervisor waits for its next task
wait_for 20 is_alone
kill -STOP "$(fork_server)"
submit -o third.out --wrap 'echo third'
refused=$job
is_put_back() { [ "$(job_state "$refused") $(job_reason "$refused")" = "PENDING ReqNodeNotAvail" ]; }
wait_for 30 is_put_back
has "the note of the node" "$(stoker nodes)" "starts no jobs: resource: cannot start the supervisor"
must scontrol update NodeName=n1 State=RESUME
wait_end $refused
is "its end" "$state $(cat third.out)" "COMPLETED third"
touch end
wait_end "$running"
is "the first" "$state" COMPLETED
cluster_stop
