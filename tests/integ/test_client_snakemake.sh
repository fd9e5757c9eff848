#!/usr/bin/env bash
# Snakemake: its slurm executor, with the check of the account; and the older status script of its profiles.
. stoker.sh
cluster_start

me=$(id -un) run_id=6c5c0d5e-1f3b-4f7c-9d1e-0f6f2d3b4a5c
must sacctmgr -n -s list user "$me" format=account%256
accounts=$(xargs <<<"${out,,}")
[ -n "$accounts" ] || fail "snakemake finds no account of $me"
must sbatch --parsable --job-name "$run_id" --output "$WORK/.snakemake/slurm_logs/rule_a/%j.log" --export=ALL --comment rule_a \
    -p main -t 10 --mem 500 --ntasks=1 --cpus-per-task=1 -D "$WORK" --wrap="echo hello from \$SLURM_JOB_ID"
job=${out%%;*}
like "the id" "$job" '[0-9]+'
status() { sacct -X --parsable2 --clusters all --noheader --format=JobIdRaw,State --starttime "$(date -d '2 days ago' +%Y-%m-%dT%H:00)" --endtime now --name "$run_id"; }
like "seen at once" "$(status)" "$job\|(PENDING|RUNNING|COMPLETED)"
is_done() { [ "$(status)" = "$job|COMPLETED" ]; }
wait_for 20 is_done
is "the log in directories that were not there" "$(cat ".snakemake/slurm_logs/rule_a/$job.log")" "hello from $job"
must sbatch --parsable --job-name "$run_id" --wrap="sleep 1000"
must scancel "$out" --clusters=all
case_ "the status script of profiles"
like "sacct -b" "$(sacct -P -b -j "$job" -n | head -n 1)" "$job\|COMPLETED\|0:0"
like "scontrol" "$(scontrol -o show job "$job" | tr ' ' '\n' | grep '^JobState=')" 'JobState=COMPLETED'
is "partitions" "$(sinfo -h -o %P)" "main*"
