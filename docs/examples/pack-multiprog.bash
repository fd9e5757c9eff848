#!/bin/bash
# One step, different arguments for each task: silly.conf says which.
#SBATCH --ntasks=4
#SBATCH --gres=gpu:1
#SBATCH --output=pack-multiprog.out

srun -l --multi-prog silly.conf
