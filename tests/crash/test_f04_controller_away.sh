#!/usr/bin/env bash
# F04: tasks end while the controller is away, killed or stopped. Their true ends and times come in later, once.
. stoker.sh
cluster_start_clocked
script until.sh <<'E'
echo $$ >pid-$1
exec 9<> <(:); while [ ! -e go-$1 ]; do read -rt 0.02 -u 9; done
date +%s >end-$1
[ "$2" = kill ] && kill -SEGV $$
exit $2
E

epoch_of() { date -d "$(job_field "$1" EndTime)" +%s; }
for how in killed stopped; do
    case_ "the controller is $how"
    for k in 0 7 kill; do
        submit -o /dev/null until.sh $how-$k $k
        eval "id_$k=$job"
        wait_for 10 has_lines pid-$how-$k 1
    done
    submit -o /dev/null until.sh $how-runs 0
    runs=$job
    wait_for 10 has_lines pid-$how-runs 1
    if [ $how = killed ]; then controller_kill9; else must stoker down; fi
    for k in 0 7 kill; do touch go-$how-$k; done
    for k in 0 7 kill; do wait_for 10 is_dead "$(cat pid-$how-$k)"; done
    # Until the supervisors have seen it, and written it down
    for k in 0 7 kill; do id=id_$k && wait_for 10 is_file "$STOKER_HOME/state/agent/n1/tasks/${!id}.-1.0.1/end"; done
    # Later than the ends by more than the second that times are shown in
    later() { [ "$(date +%s)" -gt $(($(cat end-$how-kill) + 1)) ]; }
    wait_for 10 later
    restarted=$(date +%s)
    clocked_up
    for k in 0 7 kill; do
        id=id_$k
        wait_end ${!id}
        case $k in 0) want="COMPLETED 0:0" ;; 7) want="FAILED 7:0" ;; kill) want="FAILED 0:11" ;; esac
        is "end of $k" "$state $(job_field ${!id} ExitCode)" "$want"
        ended=$(epoch_of ${!id})
        [ "$ended" -lt "$restarted" ] || fail "its end is dated $ended, after the restart at $restarted"
        at_least "the end is dated" "$ended" $(($(cat end-$how-$k) - 1))
        is "its one attempt" "$(job_field ${!id} Restarts)" 0
    done
    is "the one that runs" "$(job_state $runs)" RUNNING
    is_alive "$(cat pid-$how-runs)" || fail "it was ended"
    touch go-$how-runs
    wait_end $runs
    is "its end" "$state" COMPLETED
done

case_ "killed once more at once: nothing is told twice"
before=$(squeue -h -t all -o '%i %T' | sort)
controller_kill9
clocked_up
wait_for 10 nodes_up
is "the ends" "$(squeue -h -t all -o '%i %T' | sort)" "$before"

# The node keeps a time limit of its own for when no controller is there, half a minute later than the job's: the limit that counts
# is the newest, and none counts while the job is suspended.
case_ "limits that were changed, while no controller is there"
for k in raised lowered paused kept; do
    script $k <<S
echo \$\$ >pid-$k
exec 9<> <(:); until [ -e go-$k ]; do read -rt 0.05 -u 9; done
exit 0
S
done
submit -t 2 -o /dev/null raised
raised=$job
must scontrol update "JobId=$raised" TimeLimit=30
submit -t 2 -o /dev/null paused
paused=$job
wait_for 10 has_lines pid-paused 1
must scontrol suspend "$paused"
submit -t 30 -o /dev/null lowered
lowered=$job
wait_for 10 has_lines pid-lowered 1
must scontrol update "JobId=$lowered" TimeLimit=2
submit -t 2 -o /dev/null kept # later than the others: when it has ended they would have
kept=$job
for k in raised kept; do wait_for 10 has_lines pid-$k 1; done
controller_kill9
sleep_on 155
for k in kept lowered; do wait_for 120 is_dead "$(cat pid-$k)"; done
for k in raised paused; do is_alive "$(cat pid-$k)" || fail "the job whose limit was $k was ended"; done
clocked_up
wait_for 10 nodes_up
is "raised" "$(job_state "$raised")" RUNNING
is "suspended" "$(job_state "$paused")" SUSPENDED
for k in kept lowered; do
    wait_end "${!k}"
    is "$k" "$state" TIMEOUT
done
must scontrol resume "$paused"
for k in raised paused; do
    touch go-$k
    wait_end "${!k}"
    is "$k" "$state" COMPLETED
done
cluster_stop
