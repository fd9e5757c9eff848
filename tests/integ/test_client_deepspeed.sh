#!/usr/bin/env bash
# DeepSpeed, Accelerate and GNU parallel: launchers that read the allocation: hosts from scontrol, one process on each node, ranks from srun.
. stoker.sh
NODES='n[1-2]' CPUS=4 cluster_start

cat >train.sh <<'S'
#!/bin/bash
#SBATCH --job-name=ds
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=4
#SBATCH --time=10
#SBATCH --output=%x-%j.out

export MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)
export MASTER_PORT=$(expr 10000 + $(echo -n $SLURM_JOBID | tail -c 4))
scontrol show hostnames $SLURM_NODELIST | while read -r host; do echo "$host slots=$SLURM_CPUS_PER_TASK"; done >hostfile
head_node=$(scontrol show hostname $SLURM_JOB_NODELIST | head -n 1)
srun --jobid $SLURM_JOBID bash -c 'echo "--machine_rank $SLURM_PROCID --num_machines $SLURM_NNODES --main_process_ip $MASTER_ADDR"' | sort
echo "port $((MASTER_PORT > 10000)) head $head_node"
srun -N1 -n1 -w "$head_node" hostname >/dev/null && echo "head works"
# GNU parallel: one step for each line, as many at once as fit
for i in 1 2 3 4; do srun --exclusive -N1 -n1 -c1 bash -c "echo item $i >>items" & done
wait
S
must sbatch train.sh
[[ $out =~ ([0-9]+) ]]
job=${BASH_REMATCH[1]}
wait_end "$job"
is "hosts" "$(tr '\n' ' ' <hostfile)" "n1 slots=4 n2 slots=4 "
is "ranks" "$(cat "ds-$job.out")" "--machine_rank 0 --num_machines 2 --main_process_ip n1
--machine_rank 1 --num_machines 2 --main_process_ip n1
port 1 head n1
head works"
is "items" "$(sort items | tr '\n' ' ')" "item 1 item 2 item 3 item 4 "
