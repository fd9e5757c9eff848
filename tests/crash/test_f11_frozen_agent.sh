#!/usr/bin/env bash
# F11, F13, F44: the agent freezes and comes back. Its silence is noticed by missed heartbeats; its jobs are held as they are, new ones
# wait; a cancel is taken meanwhile, is final, and reaches what it is meant for when the node answers again.
# test-user
. stoker.sh
command -v python3 >/dev/null || skip "no python3"
export STOKER_BEAT_MS=1000 # noticed after four seconds: a submission takes less
cluster_start
script until.sh <<'E'
echo $$ >$1
exec 9<> <(:); while [ ! -e go-$1 ]; do read -rt 0.05 -u 9; done
echo "$1" >>finished
exit 0
E
for w in stays goes; do
    submit -o /dev/null until.sh $w
    eval "$w=$job"
    wait_for 10 has_lines $w 1
done
agent=$(agent_pid)
responds_not() { sinfo -h -o %t | grep -q '\*$\|^unk\|^down'; }

case_ "launching: sent to a node that does not answer yet, and cancelled"
# On a slow machine its silence may be noticed sooner than the job is sent.
sent_or_noticed() { is_state "$job" RUNNING || responds_not; }
for try in 1 2 3 4 5; do
    kill -STOP "$agent"
    submit -o /dev/null until.sh launching
    wait_for 20 sent_or_noticed
    ! is_state "$job" RUNNING || break
    [ "$try" -lt 5 ] || fail "five times the silence was noticed before anything was sent"
    must scancel "$job"
    kill -CONT "$agent"
    wait_for 20 nodes_up
done
launching=$job
says scancel 0 "" "" scancel $launching
says "a running one" 0 "" "" scancel $goes
is "shown as ending" "$(squeue -h -o %t -j $goes)" CG

case_ "silence is noticed"
wait_for 40 responds_not
submit -o /dev/null until.sh late
late=$job
is "a new job waits" "$(job_state $late)" PENDING
is_alive "$(cat stays)" || fail "a task was ended"
is "what runs is held as it is" "$(job_state $stays)" RUNNING

case_ "it answers again"
kill -CONT "$agent"
wait_for 20 nodes_up
wait_end $goes
is "cancelled while it was away" "$state" CANCELLED
wait_end $launching
is "cancelled while launching" "$state" CANCELLED
is_dead "$(cat goes)" || fail "the cancelled task lives"
[ ! -e launching ] || is_dead "$(cat launching)" || fail "the cancelled launch lives"
wait_state $late RUNNING
touch go-stays go-late
for j in $stays $late; do wait_end $j && is "state of $j" "$state" COMPLETED; done
is "who has finished" "$(sort finished | tr '\n' ' ')" "late stays "
is "nothing is held" "$(sinfo -h -o %C)" 0/8/0/8

case_ "stoker down --kill-jobs while a node is out of reach: it ends, and the job with it later"
rm -f go-stays stays
submit -o /dev/null until.sh stays
stays=$job
wait_for 10 has_lines stays 1
kill -STOP "$agent"
wait_for 40 responds_not
run timeout 100 stoker down --kill-jobs
is "its status" "$rc" 0
left="1 of its jobs has not ended: it ends when the node and the controller are there again"
has "what it says" "$out" "$left"
is_alive "$(cat stays)" || fail "the task of a node out of reach was ended"
kill -CONT "$agent"
must stoker up
wait_end $stays
is "it was cancelled" "$state" CANCELLED

case_ "the same where that is not known yet when it is asked for"
rm -f go-stays stays
submit -o /dev/null until.sh stays
stays=$job
wait_for 10 has_lines stays 1
agent=$(agent_pid)
kill -STOP "$agent"
run timeout 100 stoker down --kill-jobs
has "what it says" "$rc $out" "0 the controller has stopped; $left"
kill -CONT "$agent"
must stoker up
wait_end $stays
is "it was cancelled" "$state" CANCELLED
cluster_stop
