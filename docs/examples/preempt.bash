#!/bin/bash
# Told to end (preemption, time limit, scancel), it lets its training save itself; started again, the training goes on.
#SBATCH --ntasks=1
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=preempt-%j.out

exit_script() {
    echo "Preemption signal, saving myself"
    trap - SIGTERM # clear the trap
    kill -TERM "$training" 2>/dev/null
    wait "$training"
    exit 143
}
trap exit_script SIGTERM

# In the background, so that the shell can take the signal while it waits.
python3 train.py --epochs="${EPOCHS:-20}" --seconds="${SECONDS_LONG:-20}" --checkpoint="preempt-$SLURM_JOB_ID.json" &
training=$!
wait "$training"
