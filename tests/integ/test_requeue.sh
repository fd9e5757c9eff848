#!/usr/bin/env bash
# Requeue: the same id, the same script from the top, attempts that only grow, and never two runs at once.
# test-user test-fast
. stoker.sh
KILL_WAIT=30s cluster_start # so long a script has for what it does at TERM
kill_wait() {
    sed -i "s/^kill_wait = .*/kill_wait = \"$1\";/" "$STOKER_HOME/stoker.cfg"
    must scontrol reconfigure
}
script run.sh <<'E'
echo "+ $SLURM_JOB_ID ${SLURM_RESTART_COUNT:-0} $$" >>ledger
trap 'echo "- $$" >>ledger; exit 1' TERM
exec 9<> <(:); while [ ! -e go ]; do read -rt 0.05 -u 9; done
echo "- $$" >>ledger
exit 0
E

begun() { [ "$(grep -c '^+' ledger 2>/dev/null)" -eq "$1" ]; }

case_ "a running job goes back, its processes first"
submit run.sh
wait_for 10 begun 1
says requeue 0 "" "" scontrol requeue $job
wait_for 20 begun 2
is "the ledger: the end of the first before the second" "$(cut -d' ' -f1 ledger | tr -d '\n')" "+-+"
is "restart count in its environment" "$(grep '^+' ledger | cut -d' ' -f2,3 | tr '\n' ';')" "$job 0;$job 1;"
is "Restarts" "$(job_field $job Restarts)" 1
has "its output says why" "$(cat slurm-$job.out)" "DUE TO JOB REQUEUE ***"
touch go
wait_end $job
is state "$state" COMPLETED

case_ "accounting keeps every run"
states() { sacct -n -P -o state "$@" | tr '\n' ' '; }
is "its last run" "$(states -j $job -X)" "COMPLETED "
is "all of them" "$(sacct -n -P -D -j $job -o jobid,state,exitcode,restarts | tr '\n' ' ')" \
    "$job|REQUEUED|1:0|0 $job.batch|CANCELLED|1:0| $job.extern|COMPLETED|0:0| $(
    )$job|COMPLETED|0:0|1 $job.batch|COMPLETED|0:0| $job.extern|COMPLETED|0:0| "
mapfile -t at < <(SLURM_TIME_FORMAT=%s sacct -n -P -X -D -j $job -o submit,start,end,nodelist | tr '|' ' ')
is "each on its node" "${at[0]##* } ${at[1]##* } ${#at[@]}" "n1 n1 2"
read -r s1 b1 e1 _ <<<"${at[0]}"
read -r s2 b2 e2 _ <<<"${at[1]}"
[ "$s1" -le "$b1" ] && [ "$b1" -le "$e1" ] && [ "$e1" -le "$s2" ] && [ "$s2" -le "$b2" ] && [ "$b2" -le "$e2" ] ||
    fail "times in disorder: ${at[*]}"
is "by their states" "$(states -X -D -S now-1hour -s RQ);$(states -X -S now-1hour -s REQUEUED);$(states -X -D -S now-1hour -s CD)" \
    "REQUEUED ;REQUEUED ;COMPLETED "
is "nothing was cancelled" "$(states -X -D -S now-1hour -s CA)" ""
is "as JSON" "$(sacct --json -D -j $job | python3 -c '
import json, sys
print(*[j["job_state"] for j in json.load(sys.stdin)["jobs"]])')" "REQUEUED COMPLETED"
rm go ledger

case_ "from inside the job"
script self.sh <<'E'
echo "+ ${SLURM_RESTART_COUNT:-0}" >>ledger
[ "${SLURM_RESTART_COUNT:-0}" = 0 ] || exit 0
scontrol requeue $SLURM_JOB_ID
exec 9<> <(:); while :; do read -rt 0.05 -u 9; done
E
submit self.sh
wait_end $job
is "two runs" "$state $(tr '\n' ';' <ledger)" "COMPLETED + 0;+ 1;"
rm ledger

case_ "one that ignores TERM is killed first"
kill_wait 1s
script stubborn.sh <<'E'
trap '' TERM
echo "+ $$" >>ledger
[ "${SLURM_RESTART_COUNT:-0}" = 0 ] || exit 0
exec 9<> <(:); while :; do read -rt 0.05 -u 9; done
E
submit stubborn.sh
wait_for 10 begun 1
says requeue 0 "" "" scontrol requeue $job
wait_end $job
is "two runs" "$state $(grep -c '^+' ledger)" "COMPLETED 2"
wait_for 5 is_dead "$(sed -n 's/^+ //p;q' ledger)"
rm ledger

case_ "requeuehold: back, and held"
kill_wait 30s
submit run.sh
wait_for 10 begun 1
says requeuehold 0 "" "" scontrol requeuehold $job
wait_state $job PENDING
is "reason" "$(job_reason $job)" JobHeldUser
touch go
says release 0 "" "" scontrol release $job
wait_end $job
is "ran again" "$state $(job_field $job Restarts)" "COMPLETED 1"
rm go ledger

case_ "--no-requeue, jobs that wait, jobs that ended"
submit --no-requeue run.sh
wait_for 10 begun 1
run scontrol requeue $job
[ $rc -ne 0 ] || fail "a --no-requeue job was requeued"
touch go
wait_end $job
is "undisturbed" "$state $(job_field $job Restarts)" "COMPLETED 0"
submit -H --wrap true
run scontrol requeue $job
is "a waiting job stays where it is" "$(job_state $job)" PENDING
scancel $job

case_ "a script that fails because its job is ended does not end it by itself"
rm go ledger
script fails.sh <<'E'
echo "+ ${SLURM_RESTART_COUNT:-0} $$" >>ledger
[ "${SLURM_RESTART_COUNT:-0}" = 0 ] || exit 0
exec 9<> <(:); until [ -e fail ]; do read -rt 0.02 -u 9; done
exit 143
E
for what in "scontrol requeue" scancel; do
    submit fails.sh
    wait_for 20 begun 1
    agent=$(agent_pid)
    kill -STOP "$agent" # the word of it does not reach the script's supervisor
    says "$what" 0 "" "" $what $job
    touch fail
    wait_for 20 is_dead "$(sed 's/.* //;q' ledger)"
    kill -CONT "$agent"
    wait_end $job
    case $what in
    scancel) is "cancelled, and once" "$state $(grep -c '^+' ledger)" "CANCELLED 1" ;;
    *) is "two runs" "$state $(grep -c '^+' ledger)" "COMPLETED 2" ;;
    esac
    rm fail ledger
done

case_ "cancel wins over requeue"
kill_wait 1s
submit stubborn.sh
wait_for 10 begun 1
says requeue 0 "" "" scontrol requeue $job
says cancel 0 "" "" scancel $job
wait_end $job
is "no second run" "$state $(grep -c '^+' ledger)" "CANCELLED 1"

cluster_stop
