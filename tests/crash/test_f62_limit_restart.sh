#!/usr/bin/env bash
# A job that is queued again at its time limit: it gets its signal, goes on where it was, and ends after the last restart that it may
# have. The controller is killed while the job runs, and while the job is being ended.
. stoker.sh
KILL_WAIT=2s cluster_start
part() { # its keys; a limit of the command line is whole minutes
    sed -i "s/name = \"main\";.*default = true;/name = \"main\"; default = true; $1/" "$STOKER_HOME/stoker.cfg"
    must scontrol reconfigure
}
part 'default_time = "3s";'
script work.sh <<'E'
#!/bin/bash
echo "+ ${SLURM_RESTART_COUNT:-0} $(cat saved 2>/dev/null)" >>ledger
trap 'echo "save ${SLURM_RESTART_COUNT:-0}" >saved' USR1
trap 'echo "term ${SLURM_RESTART_COUNT:-0}" >>ledger' TERM
[ ! -e quick ] || exit 0
exec 9<> <(:); while :; do read -rt 0.02 -u 9; done
E
: >ledger
begun() { [ "$(grep -c '^+' ledger 2>/dev/null)" -eq "$1" ]; }
told() { [ "$(grep -c '^term' ledger 2>/dev/null)" -eq "$1" ]; }
crash() {
    kill -9 "$(controller_pid)"
    must stoker up
}

case_ "the signal, the limit, and the bound"
submit --restart-at-limit=B:USR1@2,2 work.sh
wait_for 20 begun 1
crash
wait_for 20 told 1
crash
wait_for 30 begun 2
is "Restarts" "$(job_field $job Restarts)" 1
is "what it may" "$(job_field $job RestartAtLimit)" 2
wait_for 30 begun 3
wait_end $job
is "its end" "$state" TIMEOUT
is "each run has what the one before saved" "$(grep '^+' ledger | tr '\n' ';')" "+ 0 ;+ 1 save 0;+ 2 save 1;"
is "each run in the accounts" "$(sacct -n -P -D -X -j $job -o state | tr '\n' ' ')" "TIMEOUT TIMEOUT TIMEOUT "
rm -f saved; : >ledger

case_ "a job that ends by itself is over"
touch quick
submit --restart-at-limit=3 work.sh
wait_end $job
is "its end" "$state $(job_field $job Restarts)" "COMPLETED 0"
rm -f quick saved; : >ledger

case_ "cancelled between the limit and its end, it does not come back"
submit --restart-at-limit=3 work.sh
wait_for 20 told 1
must scancel $job
wait_end $job
is "its end" "$state $(job_field $job Restarts)" "CANCELLED 0"
rm -f saved; : >ledger

case_ "changed while it runs"
submit --restart-at-limit=3 work.sh
wait_for 20 begun 1
must scontrol update JobId=$job RestartAtLimit=1
is "what it may now" "$(job_field $job RestartAtLimit)" 1
says "too often" 1 "" "~" scontrol update JobId=$job RestartAtLimit=1001
has "why" "$err" "1000"
wait_end $job
is "its end" "$state $(job_field $job Restarts)" "TIMEOUT 1"
rm -f saved; : >ledger
submit --restart-at-limit=3 work.sh
must scontrol update JobId=$job RestartAtLimit=
is "as its partition says" "$(job_field $job RestartAtLimit)" ""
wait_end $job
is "its end" "$state $(job_field $job Restarts)" "TIMEOUT 0"
rm -f saved; : >ledger

case_ "a step job"
cat >two.job <<'JOB'
restart_at_limit = 1;
steps = ( { name = "short"; command = "echo short >>ledger"; },
          { name = "long"; command = "echo long >>ledger; sleep 100"; } );
JOB
must stoker submit two.job
job=$out
wait_end $job
is "its end" "$state $(job_field $job Restarts)" "TIMEOUT 1"
is "what ran" "$(tr '\n' ';' <ledger)" "short;long;short;long;"
: >ledger

case_ "as the partition says, for jobs that ask for a signal"
part 'limit_restarts = 1;'
has "shown" "$(scontrol show partition)" "LimitRestarts=1"
submit --signal=B:USR1@1 work.sh
wait_for 30 begun 2
wait_end $job
is "its end" "$state $(job_field $job Restarts)" "TIMEOUT 1"
rm -f saved; : >ledger
submit work.sh
wait_end $job
is "without a signal" "$state $(job_field $job Restarts)" "TIMEOUT 0"
submit --signal=B:USR1@1 --no-requeue work.sh
wait_end $job
is "with --no-requeue" "$state $(job_field $job Restarts)" "TIMEOUT 0"
cluster_stop
