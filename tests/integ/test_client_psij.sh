#!/usr/bin/env bash
# PSI/J: sbatch of a rendered script, one squeue for all jobs, the exit code from a file of its own.
. stoker.sh
cluster_start

cat >psij.job <<'S'
#!/bin/bash
#SBATCH --job-name=psij
#SBATCH --exclusive
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=2
#SBATCH --cpus-per-task=1
#SBATCH --time=00:10:00
#SBATCH -e /dev/null
#SBATCH -o /dev/null
#SBATCH --export=NONE
PSIJ_NODEFILE=nodefile
scontrol show hostnames >$PSIJ_NODEFILE
export SLURM_EXPORT_ENV=ALL
srun -n 2 bash -c 'exit 3'
echo $? >psij.ec
S
must sbatch psij.job
[[ $out =~ ([0-9]+) ]] || fail "no id in \"$out\""
job=${BASH_REMATCH[1]}
must squeue -O 'JobArrayID,StateCompact,Reason' -t all --me
has "the header" "$(head -n 1 <<<"$out")" "JOBID               ST                  REASON"
like "its row" "$(grep -E "^$job " <<<"$out")" "$job +(PD|R|CG|CD) +[A-Za-z]+ *"
wait_for 20 has_lines psij.ec 1
is "the exit code" "$(cat psij.ec)" 3
is "the nodes" "$(cat nodefile)" n1
wait_end "$job"
must scancel -Q "$job"
