#!/usr/bin/env bash
# Requests that are small and ask for much: refused with a sentence or ended with one, by a controller that goes on.
. stoker.sh
cluster_start
pid=$(controller_pid)
same() { is "the controller is the same" "$(controller_pid)" "$pid" && is "and answers" "$(squeue -h -o %T 2>&1)" ""; }
no_job() { [ -z "$(squeue -h)" ]; }

case_ "more processes than a node starts"
run timeout 100 srun -O -n 30000 true
[ $rc -ne 0 ] || fail "30000 tasks on one node were taken"
hasnt "srun is told, not left waiting" "$rc" 124
wait_for 10 no_job
same
run timeout 100 salloc -O -n 1 srun -O -n 4097 true
has "one more than the most" "$err" "no more than 4096 on each"
wait_for 10 no_job

case_ "what the ranks share is theirs all the same"
must srun -O -n 12 bash -c 'echo $SLURM_PROCID $SLURM_LOCALID $SLURM_GTIDS $SLURMD_NODENAME $SLURM_NODEID'
is "environments" "$(sort -n <<<"$out")" "$(for i in {0..11}; do echo "$i $i 0,1,2,3,4,5,6,7,8,9,10,11 n1 0"; done)"

case_ "a launch that no message holds"
run timeout 100 srun -O -n 3000 -o "$WORK/$(printf 'x%.0s' {1..3900})" true
[ $rc -ne 0 ] || fail "12 MB of output names were taken"
has "the reason" "$err" "are over 8 MiB in all"
wait_for 10 no_job
same
cluster_stop
