#!/usr/bin/env bash
# future.batchtools and clusters of shell scripts: job chains, exit codes of -W, environment in and out.
. stoker.sh
cluster_start

echo 'echo $SLURM_JOB_ID >>order; exit ${1:-0}' | script step.sh
first=$(sbatch --parsable step.sh)
second=$(sbatch --parsable --dependency=afterok:"$first" step.sh)
third=$(sbatch --parsable -d afterany:"$second" step.sh)
wait_end "$third"
is "in their order" "$(cat order)" "$first
$second
$third"
run sbatch -W step.sh 5
is "the script's code" "$rc" 5
like "and the answer" "$out" 'Submitted batch job [0-9]+'
run sbatch -W -a 0-2 --wrap 'exit $SLURM_ARRAY_TASK_ID'
is "the highest of an array" "$rc" 2
never=$(sbatch --parsable --dependency=afternotok:"$first" --kill-on-invalid-dep=yes step.sh 2>&1)
like "an id or Slurm's text" "$never" '[0-9]+|sbatch: error: Batch job submission failed: Job dependency problem'
says "a job that never was" 1 "" "~" sbatch --dependency=afterok:99999 step.sh
has "its text" "$err" "Job dependency problem"
is "NAME=value alone" "$(srun --export=A=1 bash -c 'echo $A$HOME' | head -c 1)" 1
