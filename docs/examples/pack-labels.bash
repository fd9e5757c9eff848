#!/bin/bash
# Two processes share one GPU: the same program, told apart by their task number.
#SBATCH --ntasks-per-node=2
#SBATCH --output=pack-labels.out
#SBATCH --ntasks=2
#SBATCH --gres=gpu:1
#SBATCH --cpus-per-task=1
#SBATCH --mem=200M

srun -l --output=pack-labels_%t.out python3 train.py --seconds=1 --epochs=3
