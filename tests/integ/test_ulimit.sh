#!/usr/bin/env bash
# Resource limits of the process that submits are those of its job's processes: options, configuration, requeue.
# test-user test-fast
. stoker.sh
hard=$(ulimit -Hn)
NODES='n[1-2]' CPUS=4 cluster_start

show='ulimit -Sn; ulimit -Ss; ulimit -Sc; ulimit -St'
cat >show.sh <<X
#!/bin/bash
$show
X
chmod +x show.sh
line() { tr '\n' ' '; }
as_here=$(bash -c "$show" | line) # what the daemons were started with
ulimit -Hc unlimited 2>/dev/null && core=100 || core=0
ulimit -Sc $core
limits() { ulimit -Sn 177; ulimit -Ss 4096; ulimit -St 4000; }
mine=$(limits; bash -c "$show" | line)
like "the test's own limits" "$mine" "177 4096 $core 4000 "

case_ "srun, on every node"
is "srun" "$(limits; srun ./show.sh | line)" "$mine"
is "on two nodes" "$(limits; srun -N2 -n2 ./show.sh | sort | uniq -c | awk '{ print $1 }' | sort -u)" 2
is "with a file and a label" "$(limits; srun -n1 -l -o label.out ./show.sh; sed 's/^0: //' label.out | line)" "$mine"

case_ "--propagate"
is "NONE: as the node has them" "$(limits; srun --propagate=NONE ./show.sh | line)" "$as_here"
is "one of them" "$(limits; srun --propagate=stack ./show.sh | line)" "$(awk '{ $2 = 4096; print $0 " " }' <<<"$as_here")"
is "ALL" "$(limits; srun --propagate=ALL ./show.sh | line)" "$mine"
is "without a word" "$(limits; srun --propagate ./show.sh | line)" "$mine"
is "SLURM_PROPAGATE" "$(limits; SLURM_PROPAGATE=NONE srun ./show.sh | line)" "$as_here"
says "no such limit" 1 "" $'srun: error: Bad rlimit name: FOO\nsrun: error: --propagate=NOFILE,FOO is not valid.' srun --propagate=NOFILE,FOO true

case_ "sbatch: the script, and steps in it"
(limits; sbatch -Q -W -o batch.out --wrap "./show.sh; srun ./show.sh; ulimit -Sn 155; srun ./show.sh")
is "all three" "$(line <batch.out)" "$mine$mine${mine/177/155}"
(limits; SBATCH_PROPAGATE=NONE sbatch -Q -W -o batch.out --wrap ./show.sh)
is "SBATCH_PROPAGATE" "$(line <batch.out)" "$as_here"
(limits; sbatch -Q -W -o 'array-%a.out' -a 1-2 --wrap ./show.sh)
is "an array" "$(cat array-1.out array-2.out | line)" "$mine$mine"
is "salloc" "$(limits; salloc -Q srun ./show.sh | line)" "$mine"

case_ "a requeued job keeps them"
job=$(limits; sbatch --parsable -o again.out --wrap "./show.sh; touch up; [ \$SLURM_RESTART_COUNT ] || sleep 1000")
wait_for 20 is_file up
must scontrol requeue "$job"
wait_end "$job" 60
is "both runs" "$(grep -v slurmstepd again.out | line)" "$mine$mine"

case_ "the hard limit of the node is the highest"
if [ "$(id -u)" = 0 ] && ulimit -Hn $((hard + 100)) 2>/dev/null; then
    ulimit -Sn $((hard + 100))
    is "clamped in silence" "$(srun bash -c 'ulimit -Sn' 2>&1)" "$hard"
    run srun --propagate=NOFILE bash -c 'ulimit -Sn'
    is "clamped" "$out" "$hard"
    like "told where it was asked for" "$err" "slurmstepd: error: Can't propagate RLIMIT_NOFILE of $((hard + 100)) from submit host: .*"
fi

case_ "the configuration"
conf=$(scontrol show config)
has "all by default" "$conf" "PropagateResourceLimits = ALL"
has "no exception by default" "$conf" "PropagateResourceLimitsExcept = (null)"
with() { # LINE: of the configuration
    sed -i '/^propagate/d' "$STOKER_HOME/stoker.cfg"
    echo "$1" >>"$STOKER_HOME/stoker.cfg"
    must scontrol reconfigure
}
limits_of_job() { (limits; srun ./show.sh | line); }
with 'propagate_resource_limits = "STACK, CPU";'
is "two of them" "$(limits_of_job)" "$(awk '{ $2 = 4096; $4 = 4000; print $0 " " }' <<<"$as_here")"
is "--propagate comes first" "$(limits; srun --propagate ./show.sh | line)" "$mine"
has "shown" "$(scontrol show config)" "PropagateResourceLimits = STACK,CPU"
with 'propagate_resource_limits_except = [ "NOFILE" ];'
is "all but one" "$(limits_of_job)" "$(awk -v n="${as_here%% *}" '{ $1 = n; print $0 " " }' <<<"$mine")"
has "shown" "$(scontrol show config)" "PropagateResourceLimitsExcept = NOFILE"
with 'propagate_resource_limits = "NONE";'
is "none" "$(limits_of_job)" "$as_here"
sed -i '/^propagate/d' "$STOKER_HOME/stoker.cfg"
echo 'propagate_resource_limits = [ "FILES" ];' >>"$STOKER_HOME/stoker.cfg"
run stoker config check
has "a word that is none" "$err$out" '"FILES" is not a resource limit'
