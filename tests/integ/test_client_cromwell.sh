#!/usr/bin/env bash
# Cromwell: sbatch --wrap with everything on the line, check-alive by squeue, kill by scancel.
. stoker.sh
cluster_start

must sbatch -J cromwell_0a1b2c3d_task -D "$WORK" -o "$WORK/stdout" -e "$WORK/stderr" -t 10 -p main -c 1 --mem-per-cpu 500 \
    --wrap "/bin/bash $WORK/script"
[[ $out =~ Submitted\ batch\ job\ ([0-9]+).* ]] || fail "no id in \"$out\""
job=${BASH_REMATCH[1]}
run squeue -j "$job"
is "alive or just over" "$rc" 0
wait_end "$job"
has "the script was not there" "$(cat stderr)" "No such file or directory"
run squeue -j 99999
is "dead" "$rc" 1
must sbatch -J x -D "$WORK" --wrap "sleep 1000"
must scancel "${out##* }"
