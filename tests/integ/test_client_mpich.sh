#!/usr/bin/env bash
# MPICH: hydra finds the nodes and starts its proxies by srun.
. stoker.sh
NODES='n[1-2]' CPUS=4 cluster_start

cat >hydra.sh <<'S'
#!/bin/bash
#SBATCH -N 2
#SBATCH -n 4
#SBATCH -o hydra.out
echo "$SLURM_JOB_NODELIST $SLURM_TASKS_PER_NODE"
srun --nodelist n1,n2 -N 2 -n 2 --input none bash -c 'read -r line && echo "input: $line"; echo "proxy $SLURM_PROCID" "$@"' \
    hydra_pmi_proxy --control-port host:35000 --proxy-id -1 <<<"not for them"
S
submit hydra.sh
wait_end "$job"
is "proxies" "$(sort hydra.out)" "n[1-2] 2(x2)
proxy 0 --control-port host:35000 --proxy-id -1
proxy 1 --control-port host:35000 --proxy-id -1"
