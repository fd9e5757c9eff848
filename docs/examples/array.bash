#!/bin/bash
# One job for each seed, two at a time.
#SBATCH --array=1-4%2
#SBATCH --output=array-%A_%a.out
#SBATCH --time=5

python3 train.py --epochs=3 --seconds=1 --seed="$SLURM_ARRAY_TASK_ID"
