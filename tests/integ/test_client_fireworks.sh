#!/usr/bin/env bash
# FireWorks: the script of its template, the last word of sbatch's line, and the number of lines that name the user.
. stoker.sh
cluster_start

me=$(id -un)
cat >FW_submit.script <<'S'
#!/bin/bash -l

#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --time=00:10:00
#SBATCH --partition=main
#SBATCH --job-name=FW_job
#SBATCH --output=FW_job-%j.out
#SBATCH --error=FW_job-%j.error

until [ -e go ]; do sleep 0.1; done
echo launched

# CommonAdapter (SLURM) completed writing Template
S
must sbatch FW_submit.script
[[ $out == "Submitted batch job"* ]] || fail "\"$out\""
job=${out##* }
wait_state "$job" RUNNING
must sbatch FW_submit.script
other=${out##* }

# One word, quotes and blank included, as it is handed over without a shell.
must squeue '-o "%u"' -u "$me"
is "jobs" "$(grep -c "$me" <<<"$out")" 2
is "the quotes are printed" "$(head -1 <<<"$out")" ' "USER"'
must scancel "$other"
wait_end "$other"
touch go
wait_end "$job"
is "its output" "$(cat "FW_job-$job.out")" launched
must squeue '-o "%u"' -u "$me"
is "none left" "$(grep -c "$me" <<<"$out")" 0
