#!/usr/bin/env bash
# Galaxy: the cli runner and the slurm runner that asks why a job is gone.
. stoker.sh
cluster_start

echo 'sleep 1000' | script tool.sh
must sbatch -o galaxy.o -e galaxy.e -J g1_tool tool.sh
[[ $out =~ job\ ([0-9]+) ]] || fail "no id in \"$out\""
job=${BASH_REMATCH[1]}
wait_state "$job" RUNNING
is "all jobs" "$(squeue -a -o '%A %t' | grep "^$job ")" "$job R"
is "one job" "$(squeue -a -o '%A %t' -j "$job")" "JOBID ST
$job R"
field() { scontrol -o show job "$1" | tr ' ' '\n' | sed -n "s/^$2=//p"; }
is "state" "$(field "$job" JobState)" RUNNING
must scancel "$job"
wait_state "$job" CANCELLED
is "state" "$(field "$job" JobState)" CANCELLED
run scontrol -o show job 99999
is "unknown" "$rc:$err" "1:slurm_load_jobs error: Invalid job id specified"
is "sacct" "$(sacct -n -o state%-32 -j "$job" | head -n 1 | xargs)" "CANCELLED by $(id -u)"
