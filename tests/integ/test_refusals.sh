#!/usr/bin/env bash
# A node that starts no jobs of a user, here by the policy of its owner: the jobs go elsewhere, and the node says why.
. stoker.sh
CPUS=4 NODES='n[1-2]' cluster_config
policy=$STOKER_HOME/state/agent/n2/policy
mkdir -p "${policy%/*}"
refuse() { echo 'workdirs = /no/where' >"$policy" && chmod 600 "$policy"; }
allow() { rm "$policy" && kill -HUP "$(agent_pid n2)"; }
refuse
cluster_start
me=$(id -un)
why="this node's policy allows no work in"
nodes_say() { [[ $(stoker nodes) == *"starts no jobs of $me: $why"* ]]; }
script where <<'S'
echo "$SLURMD_NODENAME" >>ran
S

case_ "an array over both nodes"
submit --array=0-9 -c 2 -o /dev/null where
none_left() { [ -z "$(squeue -h -r -t PD,R,CG -o %i)" ]; }
wait_for 30 none_left
is "its elements ran" "$(sort ran | uniq -c | tr -s ' ')" " 10 n1"
is "their states" "$(squeue -h -r -t all -o %T | sort -u)" COMPLETED
nodes_say || fail "nothing is said of n2" "$(stoker nodes)"
has "the log" "$(cat "$STOKER_HOME/log/stokerd.log")" "node=n2 starts no jobs of $me for now: $why"

case_ "tasks of a step job"
cat >tasks.job <<'J'
name = "tasks";
steps = ( { tasks = 6; cpus = 2; command = "echo $SLURMD_NODENAME >>ran-tasks"; } );
J
must stoker down
must stoker up
wait_for 15 nodes_up
must scontrol update NodeName=n2 State=RESUME
must stoker submit tasks.job
wait_for 30 none_left
is "they ran" "$(sort ran-tasks | uniq -c | tr -s ' ')" " 6 n1"
nodes_say || fail "nothing is said of n2" "$(stoker nodes)"

case_ "a job for that node alone waits, and says why; over a restart of the controller too"
submit -w n2 -o /dev/null where
alone=$job
is_waiting() { [[ "$(job_state "$alone") $(job_reason "$alone")" == "PENDING ReqNodeNotAvail"* ]]; }
wait_for 20 is_waiting
controller_kill9
must stoker up
wait_for 15 nodes_up
wait_for 20 is_waiting
run stoker why "$alone"
has "why" "$out" "n2: $why"

case_ "an administrator resumes the node"
allow
must scontrol update NodeName=n2 State=RESUME
wait_end "$alone"
is "its end" "$state $(tail -n 1 ran)" "COMPLETED n2"
! nodes_say || fail "it is still said of n2"

case_ "it is tried again after a while"
must stoker down
STOKER_AVOID_MS=1000 stoker up || fail "up"
wait_for 15 nodes_up
refuse
kill -HUP "$(agent_pid n2)"
submit -w n2 -o /dev/null where
alone=$job
wait_for 20 grep -q 'no longer avoided' "$STOKER_HOME/log/stokerd.log"
allow
wait_end "$alone"
is "its end" "$state $(tail -n 1 ran)" "COMPLETED n2"

case_ "what is the job's fault still fails it"
submit -D /no/such/directory -o /dev/null where
wait_end "$job"
is "its end" "$state $(job_reason "$job")" "FAILED JobLaunchFailure"
! nodes_say || fail "a node is blamed for it"
cluster_stop
