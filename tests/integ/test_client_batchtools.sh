#!/usr/bin/env bash
# batchtools: its cluster functions for Slurm, and the texts that make it try again.
. stoker.sh
EXTRA="limits = ( { scope = \"user\"; name = \"*\"; hard = { submitted_jobs = 4; }; } );" cluster_start

me=$(id -un)
cat >job.sh <<'S'
#!/bin/bash
#SBATCH --job-name=job1a2b3c
#SBATCH --output=job.log
#SBATCH --error=job.log
#SBATCH --time=10
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=500
exec sleep 1000
S
must sbatch job.sh
id=$(sed -E 's/[^0-9]//g' <<<"$out")
wait_state "$id" RUNNING
is "running" "$(squeue -h -o %i -u "$me" -t R,S,CG -r)" "$id"
is "queued" "$(squeue -h -o %i -u "$me" -t PD -r)" ""
must sbatch -a 1-3 --hold job.sh
array=${out##* }
is "queued, each element" "$(squeue -h -o %i -u "$me" -t PD -r | tr '\n' ' ')" "${array}_1 ${array}_2 ${array}_3 "
must scancel "$id"
must scancel "$array"
case_ "a limit of jobs"
for _ in 1 2 3 4; do must sbatch --hold job.sh; done
run sbatch --hold job.sh
is "refused" "$rc" 1
has "the text that it waits on" "$err" "Job violates accounting policy (job submit limit, user's size and/or time limits)"
must scancel --me
