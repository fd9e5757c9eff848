#!/usr/bin/env bash
# Julia: workers by srun with the input for all, and its variables.
. stoker.sh
cluster_start

cat >julia.sh <<'S'
#!/bin/bash
#SBATCH --ntasks=3
#SBATCH -o julia.out
mkdir -p logs
srun -J julia-1 -n "$SLURM_NTASKS" -D "$PWD" -o "logs/job-%4t.out" bash -c 'read -r cookie; echo "julia_worker:$SLURM_PROCID#$cookie"' <<<cookie123
cat logs/job-0000.out logs/job-0001.out logs/job-0002.out
S
submit julia.sh
wait_end "$job"
is "each has the cookie" "$(cat julia.out)" "julia_worker:0#cookie123
julia_worker:1#cookie123
julia_worker:2#cookie123"
echo 'echo "[${SLURM_NTASKS-unset}] [${SLURM_NTASKS_PER_NODE-unset}]"' | script bare.sh
submit -o bare.out bare.sh
wait_end "$job"
is "unset without a request" "$(cat bare.out)" "[unset] [unset]"
