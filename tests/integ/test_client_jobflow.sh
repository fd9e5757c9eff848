#!/usr/bin/env bash
# jobflow-remote, by QToolKit: its header, squeue with columns between separators, scontrol in one line, scancel -v.
. stoker.sh
cluster_start

me=$(id -un)
cat >submit.sh <<S
#!/bin/bash

#SBATCH --partition=main
#SBATCH --job-name=flow_job
#SBATCH --nodes=1
#SBATCH --ntasks=2
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=500
#SBATCH --time=0-1:30:0
#SBATCH --output=$WORK/queue.out
#SBATCH --error=$WORK/queue.err
#SBATCH --hint=nomultithread
#SBATCH --propagate=ALL

until [ -e go ]; do sleep 0.1; done
S
must sbatch submit.sh
[[ $out =~ ^(.*:[[:space:]]*)?([Gg]ranted\ job\ allocation|[Ss]ubmitted\ batch\ job)[[:space:]]+([0-9]+) ]] || fail "no id in \"$out\""
job=${BASH_REMATCH[3]}
wait_state "$job" RUNNING

case_ "the list"
fields='%i<><> %t<><> %r<><> %j<><> %u<><> %P<><> %l<><> %D<><> %C<><> %M<><> %m'
run env SLURM_TIME_FORMAT=standard squeue --noheader -o "$fields" --jobs="$job,$job"
is "one row" "$(wc -l <<<"$out")" 1
like "eleven columns" "$out" "$job<><> R<><> None<><> flow_job<><> $me<><> main<><> 1:30:00<><> 1<><> 2<><> [0-9:]+<><> 500M"
run squeue --noheader -o "$fields" -u "$me"
has "by user" "$out" "$job<><> R"

case_ "one job"
run env SLURM_TIME_FORMAT=standard scontrol show job -o "$job"
for word in $out; do [[ $word == *=* ]] || fail "a word without a value: $word" "$out"; done
for key in JobState=RUNNING MinMemoryCPU=500M NumNodes=1 NumCPUs=2 CPUs/Task=1 TimeLimit=01:30:00 JobName=flow_job JobId="$job" Partition=main; do
    [[ " $out " == *" $key "* ]] || fail "$key is missing" "$out"
done

case_ "the end"
run scancel -v "$job"
is "exit" $rc 0
[[ $err =~ (.*:[[:space:]]*)?(Terminating\ job)[[:space:]]+([0-9]+) ]] && is "named" "${BASH_REMATCH[3]}" "$job"
wait_end "$job"
run scancel -v 999
is "unknown: no failure" $rc 0
has "said" "$err" "scancel: error: Kill job error on job id 999: Invalid job id specified"
run scancel -v
is "none named" $rc 1
has "said" "$err" "scancel: error: No job identification provided"
