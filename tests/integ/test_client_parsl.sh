#!/usr/bin/env bash
# Parsl: the provider loop over squeue, and over sacct where there is accounting.
. stoker.sh
cluster_start

cat >parsl.sh <<'S'
#!/bin/bash

#SBATCH --job-name=parsl.slurm.block-0
#SBATCH --output=parsl.slurm.out
#SBATCH --error=parsl.slurm.err
#SBATCH --nodes=1
#SBATCH --time=10
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=2
#SBATCH --mem=1g
#SBATCH --exclusive
export JOBNAME="parsl.slurm.block-0"
CMD() { echo started; exec sleep 1000; }
CMD
S
must sbatch parsl.sh
job=
while read -r line; do [[ $line == "Submitted batch job "* ]] && job=${line##* }; done <<<"$out"
like "the id" "$job" '[0-9]+'
like "pending or running at once" "$(squeue --noheader --format='%i %t' --job "$job")" "$job (PD|R)"
wait_state "$job" RUNNING
is "squeue" "$(squeue --noheader --format='%i %t' --job "$job,")" "$job R"
is "sacct" "$(sacct -X --noheader --format=jobid,state --job "$job" | xargs)" "$job RUNNING"
is "sacct says it works" "$(sacct -X >/dev/null 2>&1; echo $?)" 0
must scancel "$job"
wait_state "$job" CANCELLED
is "squeue knows it no more" "$(squeue --noheader --format='%i %t' --job "$job")" ""
like "sacct" "$(sacct -X --noheader --format=jobid,state --job "$job" | xargs)" "$job CANCELLED\+?"
