#!/usr/bin/env bash
# Tasks of step jobs over several nodes: one process group, one output, one end, whatever dies meanwhile.
# test-user
. stoker.sh
PATH=$B/tests/tools:$PATH
NODES='n[1-3]' CPUS=4 GPUS=4 cluster_start

# steps NAME <steps: writes NAME.job
steps() { { echo "steps = ("; cat; echo ");"; } >"$1.job"; }
go() {
    run stoker submit "$@"
    job=${out##* }
}

case_ "what the processes are told"
steps world <<'J'
{ tasks = 2; nodes = 2; ranks = 2; gpus = 2; output = "world-%t.out";
  command = "echo $STOKER_TASK_ID $SLURM_PROCID $SLURM_LOCALID $SLURM_NODEID $SLURM_NTASKS $SLURM_NNODES $SLURM_TASKS_PER_NODE $CUDA_VISIBLE_DEVICES $SLURM_JOB_NODELIST $SLURMD_NODENAME"; }
J
go world.job
wait_end "$job" 30
is "state" "$(job_state "$job")" COMPLETED
for t in 0 1; do
    is "ranks of task $t" "$(sort world-$t.out | cut -d ' ' -f 1-7)" \
        "$t 0 0 0 4 2 2(x2)
$t 1 1 0 4 2 2(x2)
$t 2 0 1 4 2 2(x2)
$t 3 1 1 4 2 2(x2)"
    like "GPUs of each node for task $t" "$(cut -d ' ' -f 8 world-$t.out | tr '\n' ' ')" '([0-3],[0-3] ){4}'
    is "nodes of task $t" "$(cut -d ' ' -f 10 world-$t.out | sort | uniq -c | awk '{ print $1 }' | tr '\n' ' ')" "2 2 "
    is "one list of nodes for task $t" "$(cut -d ' ' -f 9 world-$t.out | sort -u | wc -l)" 1
done

case_ "MPI over the nodes of a task, each task by itself"
steps mpi <<'J'
{ tasks = 2; nodes = 2; ranks = 2; mpi = "pmi2"; output = "mpi-%t.out"; command = "exec pmi_client 2 5"; }
J
go mpi.job
wait_end "$job" 30
is "each" "$(cat mpi-0.out mpi-1.out)" "4 ranks, 5 fences, mapping (vector,(0,2,2)): ok
4 ranks, 5 fences, mapping (vector,(0,2,2)): ok"

case_ "a task starts when all of its nodes are free"
steps hold <<'J'
{ command = "until [ -e free ]; do sleep 0.1; done"; cpus = 4; }
J
steps all <<'J'
{ nodes = 3; cpus = 4; command = "echo $SLURM_PROCID"; output = "all.out"; }
J
go hold.job
holder=$job
wait_state "$holder" RUNNING
go all.job
has "why" "$(stoker why "$job")" "3 nodes"
is "waits whole" "$(job_state "$job")" PENDING
touch free
wait_end "$job" 30
is "then runs" "$(sort all.out | tr '\n' ' ')" "0 1 2 "
run stoker submit --test-only all.job
is "--test-only" "$rc" 0
steps four <<'J'
{ nodes = 4; command = "true"; }
J
run stoker submit four.job
is "more nodes than there are" "$rc" 4

case_ "one end: the worst exit code of all nodes, once all of them are through"
steps worst <<'J'
{ nodes = 2; command = "until [ -e second ]; do sleep 0.1; done"; on_failure = "continue"; },
{ nodes = 2; command = "[ $SLURM_NODEID = 0 ] || exit 7; echo first >first; until [ -e second ]; do sleep 0.1; done; echo through >through"; }
J
touch second
go worst.job
wait_end "$job" 30
is "state" "$(sacct -n -X -P -o state,exitcode -j "$job")" "FAILED|7:0"
is "the other node was not cut short" "$(cat through)" "through"
has "both nodes are listed" "$(stoker show "$job" --json | tr -d ' \n')" '"node_index":1'

case_ "cancel, requeue and a time limit are of the whole"
steps long <<'J'
{ nodes = 2; time = "1h"; output = "long.out"; command = "echo begun $SLURM_NODEID; until [ -e end ]; do sleep 0.1; done"; }
J
rm -f end
go long.job
wait_for 20 has_lines long.out 2
must scontrol requeue "$job"
wait_for 40 has_lines long.out 4
must scancel "$job"
wait_end "$job" 40
is "state" "$(job_state "$job")" CANCELLED

case_ "controller and agents are killed in the middle"
rm -f long.out end
go long.job
wait_for 20 has_lines long.out 2
controller_kill9
must stoker up
wait_for 15 nodes_up
agent=$(agent_pid n2)
kill -KILL "$agent"
new_agent() { [ -n "$(agent_pid n2)" ] && [ "$(agent_pid n2)" != "$agent" ]; }
wait_for 20 new_agent
wait_for 15 nodes_up
is "still runs" "$(job_state "$job")" RUNNING
touch end
wait_end "$job" 40
is "once on each node" "$(sort long.out | tr '\n' ' ') $(job_state "$job")" "begun 0 begun 1  COMPLETED"

# over NAME RULE: two nodes, which note their begins in NAME.begun and a TERM in NAME.ended, until there is a file "end"
over() {
    steps "$1" <<J
{ nodes = 2; output = "/dev/null";
  command = "trap 'echo \$SLURM_NODEID >>$1.ended; exit 1' TERM; echo \$SLURM_NODEID >>$1.begun; until [ -e end ]; do sleep 0.1; done"; }
J
    echo "lost_node = \"$2\";" >>"$1.job"
    go -w 'n[1-2]' "$1.job"
}
in_order() { sort "$1" | tr '\n' ' '; }
n2_is_up() { [[ $(sinfo -h -n n2 -o %T) =~ ^(idle|mixed|allocated)$ ]]; }

case_ "a node is lost: its part ends by the job's rule, and the other part with it"
rm -f end
must stoker down
export STOKER_BEAT_MS=250
NODES='n[1-3]' CPUS=8 EXTRA='node_timeout = "3s"; lease_time = "5s";' cluster_config
must stoker up
wait_for 15 nodes_up
for rule in requeue cancel hold lease; do
    over $rule $rule
    declare "$rule=$job"
    wait_for 20 has_lines $rule.begun 2
done
agent=$(agent_pid n2)
kill -STOP "$agent"
wait_state "$requeue" PENDING
wait_end "$cancel"
is "cancel" "$state" CANCELLED
wait_state "$lease" PENDING
is "elsewhere the part was ended" "$(cat requeue.ended) $(cat cancel.ended)" "0 0"
is "the lease ends it on both nodes" "$(in_order lease.ended)" "0 1 "
is "hold" "$(job_state "$hold")" RUNNING
kill -CONT "$agent"
wait_for 20 n2_is_up
wait_for 20 has_lines requeue.ended 2
wait_for 20 has_lines requeue.begun 4
wait_for 20 has_lines lease.begun 4
touch end
for rule in requeue lease hold; do
    wait_end "${!rule}"
    is "$rule, in the end" "$state" COMPLETED
done
is "begun" "$(in_order requeue.begun)$(in_order lease.begun)$(in_order hold.begun)" "0 0 1 1 0 0 1 1 0 1 "
[ ! -e hold.ended ] || fail "the job that was to be held was ended"

case_ "a node refuses its part: the task waits again, and starts whole once the node is well"
rm -f end
# has_read NODE TIMES: its agent has read its policy again
has_read() { [ "$(grep -c 'policy read again' "$STOKER_HOME/log/agent-$1.log")" -ge "$2" ]; }
reread() {
    local read
    read=$(grep -c 'policy read again' "$STOKER_HOME/log/agent-$1.log")
    kill -HUP "$(agent_pid "$1")"
    wait_for 20 has_read "$1" $((read + 1))
}
refuse() {
    local policy=$STOKER_HOME/state/agent/$1/policy
    echo 'workdirs = /no/where' >"$policy"
    chmod 600 "$policy"
    reread "$1"
}
allow() {
    rm "$STOKER_HOME/state/agent/$1/policy"
    reread "$1"
    must scontrol update "NodeName=$1" State=RESUME
}
refuse n2
over refused hold
refused=$job
waits() { [[ $(stoker why "$refused") == *"1 of its tasks wait: n2: this node's policy allows no work in"* ]]; }
wait_for 20 waits
hasnt "the other part has ended" "$(cat refused.begun)" 1
like "nothing is allocated to it" "$(stoker show "$refused" | grep ' on 2 nodes')" '^  requested +2 CPUs on 2 nodes$'
steps elsewhere <<'J'
{ nodes = 2; command = "echo $SLURMD_NODENAME"; output = "elsewhere.out"; }
J
go elsewhere.job
wait_end "$job"
is "a task that may go elsewhere" "$state $(in_order elsewhere.out)" "COMPLETED n1 n3 "
allow n2
wait_for 20 grep -q 1 refused.begun
touch end
wait_end "$refused"
is "state" "$state" COMPLETED
is "once on the node that refused" "$(grep -c 1 refused.begun)" 1

case_ "all nodes of a task refuse, and the controller is killed meanwhile"
refuse n1
refuse n2
over both hold
both=$job
waits() { [[ $(stoker why "$both") == *"1 of its tasks wait: "*"this node's policy allows no work in"* ]]; }
wait_for 20 waits
controller_kill9
must stoker up
wait_for 15 nodes_up
wait_for 20 waits
allow n1
allow n2
wait_end "$both"
is "state" "$state" COMPLETED
is "once on the node that was well last" "$(grep -c 1 both.begun)" 1
cluster_stop
