#!/usr/bin/env bash
# F05, F46: a second controller on the same state is refused; one on an older copy of it is refused by the nodes, and harms nothing.
. stoker.sh
cluster_start
submit -o /dev/null --wrap 'echo $$ >pid; until [ -e go ]; do sleep 0.02; done'
wait_for 10 has_lines pid 1

case_ "the same state"
run stokerd --foreground
is "its status" $rc 3
has "its text" "$err" "another controller runs here (pid $(controller_pid))"

case_ "the same database behind another lock"
rm "$STOKER_HOME/state/stokerd.lock"
run timeout 60 stokerd --foreground
[ $rc -ne 0 ] && [ $rc -ne 124 ] || fail "two controllers on one database" "$err"
has "its text" "$err" "another controller"
is "the first one answers" "$(job_state $job)" RUNNING

copied() { # STARTS TEXT: of the original since the copy was made
    must stoker down
    cp -r "$STOKER_HOME/state/stoker.db"* "$STOKER_HOME/state/lineage" .
    for _ in $(seq "$1"); do
        must stoker up
        wait_for 10 nodes_up
        must stoker down
    done
    mkdir kept
    mv "$STOKER_HOME"/state/{stoker.db*,lineage,mark} kept/ # on another machine there is no mark
    mv stoker.db* lineage "$STOKER_HOME/state/"
    must stoker up
    wait_for 10 grep -q "its agent refuses: $2" "$STOKER_HOME/log/stokerd.log"
    is_alive "$(cat pid)" || fail "the task was ended by the other controller"
    nodes_up && fail "the node obeys it"
    has "the node's word" "$(stoker nodes)" "is over: this node obeys"
    must stoker down
    rm "$STOKER_HOME"/state/{stoker.db*,lineage,mark}
    mv kept/* "$STOKER_HOME/state/"
    rmdir kept
    must stoker up
    wait_for 10 nodes_up
}
case_ "a copy of all of the state, made before: an older epoch"
copied 2 "epoch [0-9]* is over: this node obeys [0-9]*$"
case_ "a copy that has been started as often as the original: the same epoch"
copied 1 "epoch [0-9]* is over: this node obeys [0-9]* of another controller with the same state"

case_ "the right state again"
is "the job" "$(job_state $job)" RUNNING
touch go
wait_end $job
is "its end" "$state" COMPLETED
cluster_stop
