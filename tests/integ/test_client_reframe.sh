#!/usr/bin/env bash
# ReFrame: both back ends of its Slurm scheduler, and its look at the nodes.
. stoker.sh
cluster_start

cat >rfm_job.sh <<'S'
#!/bin/bash
#SBATCH --job-name="rfm_Test"
#SBATCH --ntasks=2
#SBATCH --ntasks-per-node=2
#SBATCH --output=rfm_job.out
#SBATCH --error=rfm_job.err
#SBATCH --time=0:10:0
#SBATCH --partition=main
srun bash -c 'echo $SLURM_PROCID; exit 7'
S
must sbatch rfm_job.sh
[[ $out =~ Submitted\ batch\ job\ ([0-9]+) ]] || fail "no id in \"$out\""
job=${BASH_REMATCH[1]}
like "squeue" "$(squeue -h -j "$job" -o '%%i|%%T|%%N|%%r' -t all | tail -n 1)" '%i\|%T\|%N\|%r'
like "squeue's row" "$(squeue -h -j "$job" -o '%i|%T|%N|%r')" "($job\|[A-Z]+\|[a-z0-9]*\|[A-Za-z]+)?"
wait_end "$job"
row=$(sacct -S "$(date -d "1 hour ago" +%F)" -P -j "$job" -o jobid,state,exitcode,end,nodelist | grep -E "^$job\|")
[[ $row =~ ^([0-9]+)\|([A-Z_]+)(.*)\|([0-9]+):([0-9]+)\|([^|]+)\|(.*)$ ]] || fail "ReFrame cannot read \"$row\""
is "state" "${BASH_REMATCH[2]}" FAILED
is "exit code" "${BASH_REMATCH[4]}" 7
is "nodes" "${BASH_REMATCH[7]}" n1
[[ $(sbatch --version) =~ slurm\ ([0-9]+)\.([0-9]+)\.([0-9]+) ]] || fail "no version"
node=$(scontrol -a show -o nodes)
for key in NodeName=n1 Partitions=main State=IDLE AvailableFeatures= ActiveFeatures=; do has "a node" "$node" "$key"; done
has "partitions" "$(scontrol -a show -o partitions)" "PartitionName=main"
says "no reservation" 1 "Reservation r not found" "" scontrol -a show res r
must scancel "$job"
