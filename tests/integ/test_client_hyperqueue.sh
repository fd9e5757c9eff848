#!/usr/bin/env bash
# HyperQueue: an allocation by its automatic allocator, followed by scontrol.
. stoker.sh
cluster_start

cat >hq-submit.sh <<'S'
#!/bin/bash
#SBATCH --nodes=1
#SBATCH --job-name=hq-alloc-1
#SBATCH --output=stdout
#SBATCH --error=stderr
#SBATCH --time=01:00:00
RUST_LOG=info sleep 1000
S
must sbatch hq-submit.sh
job=${out##* }
like "the id" "$job" '[0-9]+'
wait_state "$job" RUNNING
must scontrol show job "$job"
declare -A map=()
for word in $out; do [[ $word == *=* ]] && map[${word%%=*}]=${word#*=}; done
is "JobState" "${map[JobState]}" RUNNING
for key in SubmitTime StartTime EndTime; do like "$key" "${map[$key]}" '[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}'; done
must scancel "$job"
wait_state "$job" CANCELLED
