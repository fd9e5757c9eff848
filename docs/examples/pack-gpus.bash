#!/bin/bash
# A node with four GPUs for one job; four steps side by side, each with a GPU of its own.
#SBATCH --nodes=1-1
#SBATCH --ntasks-per-node=4
#SBATCH --output=pack-gpus.out
#SBATCH --gres=gpu:4
#SBATCH --cpus-per-task=1
#SBATCH --mem=800M

for seed in 1 2 3 4; do
    srun --gres=gpu:1 -n1 --mem=200M -l --output=%j-step-%s.out --exclusive \
        python3 train.py --seed="$seed" --seconds=1 --epochs=3 &
done
wait
