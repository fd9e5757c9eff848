#!/bin/bash
# One job for each seed, two at a time.
#SBATCH --array=1-4%2
#SBATCH --output=array-%A_%a.out
#SBATCH --time=5

python3 train.py --seed="$SLURM_ARRAY_TASK_ID" --seconds=1 --epochs=3
