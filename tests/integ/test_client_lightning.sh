#!/usr/bin/env bash
# Lightning: its environment under Slurm, and the requeue from the signal handler.
. stoker.sh
cluster_start

cat >train.sh <<'S'
#!/bin/bash
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=2
#SBATCH --signal=SIGUSR1@90
#SBATCH --open-mode=append
#SBATCH -o train.out
srun bash -c '
    : ${SLURM_NTASKS:?} ${SLURM_PROCID:?} ${SLURM_LOCALID:?} ${SLURM_NODEID:?} ${SLURM_JOB_ID:?} ${SLURM_NODELIST:?}
    [ "$SLURM_JOB_NAME" != bash ] && [ "$SLURM_JOB_NAME" != interactive ] || exit 1
    [ "$SLURM_NTASKS_PER_NODE" = 2 ] || exit 1
    [ -z "$SLURM_RESTART_COUNT" ] || exit 0
    trap "[ $SLURM_PROCID != 0 ] || scontrol requeue $SLURM_JOB_ID; exit 0" USR1
    echo "rank $SLURM_PROCID local $SLURM_LOCALID node $SLURM_NODEID of $SLURM_NTASKS"
    exec 9<> <(:); while :; do read -t 0.05 -u 9; done'
S
submit train.sh
wait_for 20 has_lines train.out 2
is "ranks" "$(sort train.out)" "rank 0 local 0 node 0 of 2
rank 1 local 1 node 0 of 2"
must scancel -s USR1 "$job"
restarted() { [ "$(job_field "$job" Restarts)" = 1 ]; }
until_ 60 restarted || fail "the handler has not requeued the job" "$(cat train.out; scontrol show job "$job"; stoker audit)"
like "it waits for a while" "$(squeue -h -t all -j "$job" -o '%t %r')" '(PD BeginTime|PD None|PD Cleaning|R None|CG None|CD None)'
must scancel "$job"
