#!/usr/bin/env bash
# F29: an agent that comes back to more tasks than it has descriptors for. A task needs none of them to live: none may be ended for
# it, and each can still be ended.
# test-user
. stoker.sh
N=45
ulimit -n 66 # for the controller and the agents that it starts; one that has just been killed has 16 of them left
CPUS=64 cluster_start
script waits <<'S'
echo $$ >>pids
until [ -e never ]; do read -r -t 5 <> <(:); done
S
submit --array=1-$N -n 1 -o /dev/null waits
wait_for 20 has_lines pids $N
all_run() { [ "$(squeue -h -t R -r | wc -l)" -eq $N ]; }
wait_for 20 all_run

case_ "the agent is killed and comes back"
old=$(agent_pid)
kill -KILL "$old"
other_agent() { [ -n "$(agent_pid)" ] && [ "$(agent_pid)" != "$old" ] && nodes_up; }
wait_for 20 other_agent
must srun true # it serves
is "running" "$(squeue -h -t R -r | wc -l)" $N
while read -r pid; do is_alive "$pid" || fail "process $pid was ended"; done <pids
hasnt "the agent's log" "$(cat "$STOKER_HOME/log/agent-n1.log")" "its supervisor was lost"

case_ "a supervisor that dies then is missed"
victim=$(shim_pids | head -n 1)
kill -KILL "$victim"
one_less() { [ "$(squeue -h -t R -r | wc -l)" -eq $((N - 1)) ]; }
wait_for 20 one_less

case_ "each of them can be ended"
must scancel "$job"
none_left() { [ -z "$(squeue -h -r)" ]; }
wait_for 60 none_left
while read -r pid; do is_dead "$pid" || fail "process $pid lives on"; done <pids
cluster_stop
