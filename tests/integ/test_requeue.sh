#!/usr/bin/env bash
# Requeue: the same id, the same script from the top, attempts that only grow, and never two runs at once.
. stoker.sh
cluster_start
script run.sh <<'E'
echo "+ $SLURM_JOB_ID ${SLURM_RESTART_COUNT:-0} $$" >>ledger
trap 'echo "- $$" >>ledger; exit 1' TERM
while [ ! -e go ]; do read -t 0.05 <> <(:); done
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
rm go ledger

case_ "from inside the job"
script self.sh <<'E'
echo "+ ${SLURM_RESTART_COUNT:-0}" >>ledger
[ "${SLURM_RESTART_COUNT:-0}" = 0 ] || exit 0
scontrol requeue $SLURM_JOB_ID
while :; do read -t 0.05 <> <(:); done
E
submit self.sh
wait_end $job
is "two runs" "$state $(tr '\n' ';' <ledger)" "COMPLETED + 0;+ 1;"
rm ledger

case_ "one that ignores TERM is killed first"
script stubborn.sh <<'E'
trap '' TERM
echo "+ $$" >>ledger
[ "${SLURM_RESTART_COUNT:-0}" = 0 ] || exit 0
while :; do read -t 0.05 <> <(:); done
E
submit stubborn.sh
wait_for 10 begun 1
says requeue 0 "" "" scontrol requeue $job
wait_end $job
is "two runs" "$state $(grep -c '^+' ledger)" "COMPLETED 2"
wait_for 5 is_dead "$(sed -n 's/^+ //p;q' ledger)"
rm ledger

case_ "requeuehold: back, and held"
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

case_ "cancel wins over requeue"
rm go ledger
submit stubborn.sh
wait_for 10 begun 1
says requeue 0 "" "" scontrol requeue $job
says cancel 0 "" "" scancel $job
wait_end $job
is "no second run" "$state $(grep -c '^+' ledger)" "CANCELLED 1"

cluster_stop
