#!/usr/bin/env bash
# Toil: its batch system by sacct, by scontrol, and exit codes as code:signal.
. stoker.sh
cluster_start

must sbatch -J toil_job_1_task --mem=500 --cpus-per-task=1 --time=0:10 -o "$WORK/toil_workflow.%j.out.log" -e "$WORK/toil_workflow.%j.err.log" \
    --signal=B:INT@30 --export=ALL --wrap="exec bash -c 'exit 9'"
[[ $out =~ Submitted\ batch\ job\ ([0-9]+) ]] || fail "no id in \"$out\""
job=${BASH_REMATCH[1]}
line() { sacct -n -j "$job,99999" --format JobIDRaw,State,ExitCode -P -S 1970-01-01 | grep -E "^$job\|"; }
is_over() { [ "$(line)" = "$job|FAILED|9:0" ]; }
wait_for 20 is_over
is "by scontrol" "$(scontrol show job "$job" | tr ' ' '\n' | grep -E '^(JobState|ExitCode|Reason)=' | xargs)" "JobState=FAILED Reason=NonZeroExitCode ExitCode=9:0"
must sbatch -J toil --wrap="kill -9 \$\$"
job=${out##* }
wait_end "$job"
is "killed by a signal" "$(line)" "$job|FAILED|0:9"
must sbatch -J toil --wrap="sleep 1000"
must scancel "${out##* }"
has "partitions" "$(sinfo -a -o '%P %G %l %p %c %m')" "main*"
