#!/usr/bin/env bash
# scontrol suspend and resume: the whole tree stops, the job keeps what it holds, and its time stands still.
# test-user
. stoker.sh
cluster_start
cat >ticks.sh <<'S'
#!/bin/bash
(while :; do echo tick; read -t 0.02 -u 9; done) 9<> <(:) >ticks &
srun -J inner bash -c 'exec 9<> <(:); while :; do echo tock; read -t 0.02 -u 9; done' >tocks
S
submit -n 1 ticks.sh
wait_for 10 has_lines ticks 3
wait_for 10 has_lines tocks 3
lines() { cat ticks tocks | wc -l; }
stopped() { # all processes of the job
    local pid
    for pid in $(pgrep -f 'bash -c exec 9|slurm_script'); do
        grep -qsz "^STOKER_JOB_ID=$job$" "/proc/$pid/environ" && grep -qsz "^SLURM_SUBMIT_DIR=$WORK$" "/proc/$pid/environ" ||
            continue # of this test's cluster: another one beside it has jobs of the same numbers
        grep -q '^State:	T' "/proc/$pid/status" || return 1
    done
}

case_ "suspend"
must scontrol suspend "$job"
is "its state" "$(squeue -h -j "$job" -o '%t %T')" "S SUSPENDED"
wait_for 5 stopped
grows() { [ "$(lines)" -gt "$before" ]; }
# What was under way comes to its files still; then nothing comes for a second.
is_quiet() {
    before=$(lines)
    ! until_ 1 grows
}
wait_for 20 is_quiet
elapsed=$(squeue -h -j "$job" -o %M)
is "its CPUs stay with it" "$(sinfo -h -o %C)" "1/7/0/8"
says "twice" 1 "" "Job is not running for job $job" scontrol suspend "$job"

case_ "across a restart of the controller"
controller_kill9
must stoker up
wait_for 10 nodes_up
is "its state" "$(job_state "$job")" "SUSPENDED"
is "its time stands still" "$(squeue -h -j "$job" -o %M)" "$elapsed"
is_quiet || fail "it goes on after a restart"

case_ "signals do not run what is stopped"
for how in "-f -s CONT" "-f -s USR1" "-b -s CONT" "-s CONT"; do
    # shellcheck disable=SC2086
    says "scancel $how" 1 "" "scancel: error: Kill job error on job id $job: Job is not running" scancel $how "$job"
done
says "of a step" 1 "" "scancel: error: Kill job error on job step id $job.0: Job is not running" scancel -s CONT "$job.0"
is_quiet || fail "it goes on after a signal"

case_ "resume"
must scontrol resume "$job"
is "its state" "$(job_state "$job")" "RUNNING"
wait_for 10 grows
says "twice" 1 "" "Job is not running for job $job" scontrol resume "$job"

case_ "cancelled while it is stopped"
must scontrol suspend "$job"
wait_for 5 stopped
must scancel "$job"
wait_state "$job" CANCELLED

case_ "what cannot be suspended"
submit --hold ticks.sh
says "a waiting job" 1 "" "Job is pending execution for job $job" scontrol suspend "$job"
says "no job" 1 "" "Invalid job id specified for job 999" scontrol suspend 999
must scancel "$job"
