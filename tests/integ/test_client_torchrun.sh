#!/usr/bin/env bash
# torchrun and Ray: the head node from the list of hosts, one srun on each node.
. stoker.sh
NODES='n[1-2]' CPUS=4 cluster_start

cat >ray.sh <<'S'
#!/bin/bash
#SBATCH --nodes=2
#SBATCH --tasks-per-node=1
#SBATCH --cpus-per-task=2
#SBATCH -o ray.out
nodes=$(scontrol show hostnames "$SLURM_JOB_NODELIST")
nodes_array=($nodes)
head_node=${nodes_array[0]}
head_node_ip=$(srun --nodes=1 --ntasks=1 -w "$head_node" hostname)
echo "head $head_node of $SLURM_JOB_NUM_NODES: $SLURM_CPUS_PER_TASK CPUs"
[ -n "$head_node_ip" ] || echo "no address"
srun --nodes=1 --ntasks=1 -w "$head_node" bash -c 'echo head on $SLURMD_NODENAME; exec 9<> <(:); read -t 1 -u 9 || true' &
worker_num=$((SLURM_JOB_NUM_NODES - 1))
for ((i = 1; i <= worker_num; i++)); do
    srun --nodes=1 --ntasks=1 -w "${nodes_array[$i]}" bash -c 'echo worker on $SLURMD_NODENAME' &
done
wait
srun bash -c 'echo torch $SLURM_NODEID $SLURM_PROCID'
S
submit ray.sh
wait_end "$job"
is "its end" "$state" COMPLETED
is "what was where" "$(sort ray.out)" "head n1 of 2: 2 CPUs
head on n1
torch 0 0
torch 1 1
worker on n2"
