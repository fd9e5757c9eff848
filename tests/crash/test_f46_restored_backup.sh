#!/usr/bin/env bash
# F46: an older copy of the state is put back, or all of it is gone. A task that began after the copy was taken is not killed: its node
# is drained, and an administrator looks: it is listed, can be ended, and what it holds is given to no job. A state that is gone is not taken for an empty one. On this machine, and on nodes over SSH.
. stoker.sh
. sshd.sh
script until.sh <<'E2'
echo $$ >>"pid-$1"
exec 9<> <(:); while [ ! -e "go-$1" ]; do read -rt 0.02 -u 9; done
exit 0
E2
script with_step.sh <<'E2'
srun -n 1 -c 6 --gpus=3 -o /dev/null sleep 1000 &
exec ./until.sh "$1"
E2
drained() { sinfo -h -N -o %T | grep -q drain; }
all_drained() { ! sinfo -h -N -o %T | grep -qv drain; }
restored() { # NODES
    case_ "an older copy, $1 node(s)"
    submit -H -N "$1" --ntasks-per-node=1 -o /dev/null until.sh late
    late=$job
    submit -o /dev/null until.sh before
    before=$job
    wait_for 10 has_lines pid-before 1
    must stoker down
    wait_for 10 is_gone "$STOKER_HOME/run/controller.sock"
    cp "$STOKER_HOME/state/stoker.db" backup.db
    must stoker up
    wait_for 20 nodes_up
    must scontrol release "$late"
    wait_for 10 has_lines pid-late 1
    pid=$(cat pid-late)
    controller_kill9
    rm -f "$STOKER_HOME"/state/stoker.db*
    cp backup.db "$STOKER_HOME/state/stoker.db"
    must stoker up
    wait_for 20 drained
    has "why" "$(sinfo -h -R -o %E)" "runs 1 task that this controller does not know: stoker node tasks "
    is "as it was" "$(job_state "$late")" PENDING
    is "what the copy knows of goes on" "$(job_state "$before")" RUNNING
    must scontrol release "$late"
    is_alive "$pid" || fail "the task was ended"
    is "not started where it runs" "$(job_state "$late") $(wc -l <pid-late)" "PENDING 1"
    touch go-before
    wait_end "$before"
    is "its end" "$state" COMPLETED
    touch go-late
    wait_for 10 is_dead "$pid"
    must scancel "$late"
    for n in $(sinfo -h -N -o %N); do must scontrol update NodeName="$n" State=RESUME; done
    wait_for 20 nodes_up
    rm -f go-* pid-*
}
# The nodes have obeyed later controllers than the copy knows of, and have run jobs with the ids that it would give next.
much_older() {
    case_ "a copy that is several starts and jobs old"
    must stoker down
    wait_for 10 is_gone "$STOKER_HOME/run/controller.sock"
    cp "$STOKER_HOME/state/stoker.db" backup.db
    for n in 1 2; do
        must stoker up
        wait_for 20 nodes_up
        submit --wrap true
        wait_end "$job"
        is "a job since then" "$state" COMPLETED
        must stoker down
        wait_for 10 is_gone "$STOKER_HOME/run/controller.sock"
    done
    since=$job
    rm -f "$STOKER_HOME"/state/stoker.db*
    cp backup.db "$STOKER_HOME/state/stoker.db"
    must stoker up
    wait_for 20 nodes_up
    submit --wrap true
    at_least "an id that no node knows" "$job" $((since + 1))
    wait_end "$job"
    is "a new job" "$state" COMPLETED
}
tasks_of() { stoker node tasks --json n1; }
n_unknown() { tasks_of | jq '.nodes[0].unknown'; }
knows_all() { [ "$(n_unknown)" = 0 ]; }
holds_cpus() { [ -n "$(field false cpu_ids)" ]; }
step_runs() { [ -n "$(squeue -h -s -j "$1" -o %i)" ]; }
step_is_over() { [ "$(n_unknown)" = 1 ]; }
field() { tasks_of | jq -r ".nodes[0].tasks[] | select(.known == $1 and (.task | endswith(\".batch.0\"))) | .$2"; }
# 8 CPUs, 4 GPUs, 16 GB: the task that the copy does not know has 6 CPUs, 3 GPUs and 10 GB of them.
resources() {
    case_ "what a task holds that began after the copy was taken"
    must stoker down
    wait_for 10 is_gone "$STOKER_HOME/run/controller.sock"
    cp "$STOKER_HOME/state/stoker.db" backup.db
    must stoker up
    wait_for 20 nodes_up
    submit -c 6 --gpus=3 --mem=10G -o /dev/null with_step.sh big
    unknown=$job
    wait_for 10 has_lines pid-big 1
    wait_for 20 step_runs "$unknown"
    pid=$(cat pid-big)
    controller_kill9
    kill -KILL "$(agent_pid)" # the next one hears of it from its supervisor
    rm -f "$STOKER_HOME"/state/stoker.db*
    cp backup.db "$STOKER_HOME/state/stoker.db"
    must stoker up
    wait_for 20 drained
    wait_for 20 holds_cpus
    is "listed" "$(field false task) $(field false user) $(field false cpu_ids) $(field false gpu_ids) $(field false mem_mib)" \
        "$unknown.batch.0 $(id -un) 0-5 0-2 10240"
    is "the batch script and the step in it" "$(n_unknown)" 2
    has "for people" "$(stoker node tasks n1)" "unknown to this controller"


    case_ "after a resume, and a restart: none of it is given"
    must stoker node resume n1
    submit -c 2 --gpus=1 --mem=5G -o /dev/null until.sh beside
    beside=$job
    wait_for 10 has_lines pid-beside 1
    is "its CPUs and its GPU" "$(field true cpu_ids) $(field true gpu_ids)" "6-7 3"
    submit -c 1 -o /dev/null until.sh cpu
    cpu=$job
    touch go-beside
    wait_end "$beside"
    wait_for 10 has_lines pid-cpu 1
    submit -c 1 --gpus=2 -o /dev/null until.sh gpu
    gpu=$job
    submit -c 1 --mem=7G -o /dev/null until.sh memory
    memory=$job
    must stoker down
    wait_for 10 is_gone "$STOKER_HOME/run/controller.sock"
    kill -KILL "$(agent_pid)" # the next one hears of it from its supervisor
    must stoker up
    wait_for 20 nodes_up
    hasnt "seen already: not drained again" "$(sinfo -h -N -o %T)" drain
    submit -c 1 --gpus=1 --mem=100M -o /dev/null until.sh fits
    fits=$job
    wait_for 10 has_lines pid-fits 1
    is "the others wait" "$(job_state "$gpu") $(job_state "$memory") $(n_unknown)" "PENDING PENDING 2"
    is "it holds what it held" "$(field false user) $(field false cpu_ids) $(field false gpu_ids)" "$(id -un) 0-5 0-2"

    case_ "ending one"
    says "of a job that is known" 4 "" "stoker node: error: job $cpu is known here: use stoker cancel $cpu" stoker node tasks n1 --end="$cpu"
    says "of no such task" 2 "" "stoker node: error: n1 runs no such task of a job $unknown that this controller does not know" \
        stoker node tasks n1 --end="$unknown.7"
    says "an argument that is not a task" 2 "" "~" stoker node tasks n1 --end=nonsense
    says "not with another verb" 2 "" "~" stoker node note n1 text --end="$unknown"
    is_alive "$pid" || fail "it was ended"
    says "its step alone" 0 "1 task is being ended on n1" "" stoker node tasks n1 --end="$unknown.0"
    wait_for 20 step_is_over
    is_alive "$pid" || fail "all of it was ended"
    says "it" 0 "1 task is being ended on n1" "" stoker node tasks n1 --end="$unknown.batch.0"
    wait_for 20 is_dead "$pid"
    wait_for 20 knows_all
    wait_for 10 has_lines pid-gpu 1
    touch go-gpu go-cpu go-fits
    wait_for 10 has_lines pid-memory 1
    touch go-memory
    wait_end "$memory"
    controller_kill9
    must stoker up
    wait_for 20 nodes_up
    is "the node has forgotten it" "$(n_unknown)" 0
    rm -f go-* pid-*
}
gone() { # a node's name
    case_ "all of the state is gone: refused, not begun again"
    submit -o /dev/null -w "$1" until.sh other
    wait_for 10 has_lines pid-other 1
    pid=$(cat pid-other)
    controller_kill9
    mkdir old
    mv "$STOKER_HOME"/state/stoker.db* old/
    run timeout 60 stokerd --foreground
    is "status" $rc 1
    has "why" "$err" "is gone: there is no $STOKER_HOME/state/stoker.db. Put a copy of it back"
    is_gone "$STOKER_HOME/state/stoker.db" || fail "an empty state was made"
    is_alive "$pid" || fail "the task was ended"
    mv old/* "$STOKER_HOME/state/"
    must stoker up
    wait_for 30 nodes_up
    is "with it again all is as it was" "$(job_state "$job") $(is_alive "$pid" && echo lives)" "RUNNING lives"
    touch go-other
    wait_end "$job"
    is "its end" "$state" COMPLETED
    rm -rf old go-* pid-*
}

cluster_start
restored 1
resources
much_older
gone n1
cluster_stop
rm -f "$STOKER_HOME"/state/stoker.db* "$STOKER_HOME/state/lineage" "$STOKER_HOME/stoker.cfg"
rm -rf "$STOKER_HOME/state/agent"

case_ "over SSH"
export STOKER_BEAT_MS=200
ssh_cluster 2
restored 2
gone n2
cluster_stop
