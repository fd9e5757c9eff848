#!/usr/bin/env bash
# F46: an older copy of the state is put back, or all of it is gone. A task that began after the copy was taken is not killed: its node
# is drained, and an administrator looks. A state that is gone is not taken for an empty one. On this machine, and on nodes over SSH.
. stoker.sh
. sshd.sh
script until.sh <<'E2'
echo $$ >>"pid-$1"
while [ ! -e "go-$1" ]; do read -r -t 0.02 <> <(:); done
exit 0
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
    has "why" "$(sinfo -h -R -o %E)" "runs tasks that this controller does not know"
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
gone() { # a node's name
    case_ "all of the state is gone: refused, not begun anew"
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
