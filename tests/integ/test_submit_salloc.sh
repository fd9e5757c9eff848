#!/usr/bin/env bash
# salloc: an allocation for a command, its words, its environment, and how it ends.
# test-user test-fast
. stoker.sh
CPUS=2 cluster_start

case_ "a command in it"
run salloc -n2 bash -c 'echo $SLURM_JOB_ID $SLURM_NTASKS $SLURM_JOB_NODELIST $SLURM_CPUS_ON_NODE; srun -l echo step; exit 3'
is "status" $rc 3
read -r job rest <<<"$out"
is "environment" "$rest" "2 n1 2"
is "steps" "$(tail -n +2 <<<"$out" | sort)" $'0: step\n1: step'
is "words" "$err" "salloc: Granted job allocation $job
salloc: Relinquishing job allocation $job"
wait_state "$job" FAILED
is "the job has the command's code" "$(job_field "$job" ExitCode)" 3:0

case_ "a command that a signal ends, one that is not there"
run salloc bash -c 'kill -9 $$'
is "signal" $rc 137
run salloc there_is_no_such_program
is "no command" $rc 1
has "no command" "$err" 'salloc: error: _fork_command: Unable to find command "there_is_no_such_program"'

case_ "GPUs are pinned"
run salloc --gres=gpu:2 bash -c 'echo $CUDA_VISIBLE_DEVICES'
is "list" "$out" 0,1

case_ "without a shell it stays"
run salloc --no-shell -n1
is "status" $rc 0
like "words" "$err" 'salloc: Granted job allocation [0-9]+'
job=${err##* }
wait_state "$job" RUNNING
says "a step in it" 0 here "" srun --jobid="$job" -n1 echo here
must scancel "$job"
wait_state "$job" CANCELLED

case_ "it waits in the queue, and says so"
submit -o /dev/null -n2 --wrap 'exec sleep 1000'
wait_state "$job" RUNNING
STOKER_SILENT_MS=1 salloc -n1 true 2>wait.err &
pid=$!
wait_for 10 grep -qs queued wait.err
must scancel "$job"
wait $pid || fail "status $?"
n=$(sed -n 's/.*Granted job allocation //p' wait.err)
is "words" "$(cat wait.err)" "salloc: Pending job allocation $n
salloc: job $n queued and waiting for resources
salloc: job $n has been allocated resources
salloc: Granted job allocation $n
salloc: Relinquishing job allocation $n"

case_ "--immediate does not wait"
submit -o /dev/null -n2 --wrap 'exec sleep 1000'
wait_state "$job" RUNNING
run salloc -I1 -n1 true
is "status" $rc 1
is "words" "$err" "salloc: error: Job submit/allocate failed: Requested nodes are busy"
must scancel "$job"
wait_end "$job"
no_job() { [ -z "$(squeue -h)" ]; }
wait_for 10 no_job

case_ "its end from outside ends the command"
salloc -n1 sleep 1000 2>gone.err &
pid=$!
wait_for 10 grep -qs Granted gone.err
job=$(sed -n 's/.*Granted job allocation //p' gone.err)
must scancel "$job"
wait $pid
is "status" $? 129
has "words" "$(cat gone.err)" "salloc: Job allocation $job has been revoked."
