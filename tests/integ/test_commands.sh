#!/usr/bin/env bash
# The Slurm names, word for word: what scripts and clients match in their output, and their exit codes.
# test-fast
. stoker.sh
script ok.sh <<<'echo ran'
script fail.sh <<<'exit 5'
script wait.sh <<<'exec 9<> <(:); while [ ! -e go ]; do read -rt 0.05 -u 9; done; exit 0'

AWAY="Unable to contact slurm controller (connect failure)"
HOST=$(hostname)

case_ "no controller at all"
cluster_config
says squeue 1 "" "slurm_load_jobs error: $AWAY" squeue
says sinfo 1 "" "slurm_load_partitions: $AWAY" sinfo
run scancel 1
[ $rc -ne 0 ] || fail "scancel succeeds with no controller"
has "scancel" "$err" "scancel: error: Kill job error on job id 1: $AWAY"
run scontrol ping
[ $rc -ne 0 ] || fail "scontrol ping succeeds with no controller"
has "ping" "$out" "is DOWN"
run scontrol show job 1
is "scontrol's status" $rc 1
has "scontrol" "$err" "slurm_load_jobs error: $AWAY"

cluster_start

case_ versions
for c in sbatch srun salloc squeue scancel sinfo scontrol; do
    says "$c --version" 0 "slurm 23.02.7" "" $c --version
    says "$c -V" 0 "slurm 23.02.7" "" $c -V
done

case_ "sbatch: the line, the number, the cluster"
says sbatch 0 "Submitted batch job 1" "" sbatch ok.sh
says "sbatch --parsable" 0 2 "" sbatch --parsable ok.sh
says "sbatch --parsable -M" 0 "3;test" "" sbatch --parsable -M test ok.sh
says "sbatch -M" 0 "Submitted batch job 4 on cluster test" "" sbatch -M test ok.sh
says "sbatch -Q" 0 "" "" sbatch -Q ok.sh
run sbatch <ok.sh
is "a script on standard input" "$rc $out $err" "0 Submitted batch job 6 "
says "--wrap" 0 "Submitted batch job 7" "" sbatch --wrap "echo wrapped"
says "options in short, long, grouped and cut form" 0 "Submitted batch job 8" "" \
    sbatch -n1 -c 1 --job short --time=1:0:0 --mem 10m --comment="a b" ok.sh one two
for j in 1 2 3 4 5 6 7 8; do wait_end $j && is "state of $j" "$state" COMPLETED; done
is "names: script, stdin, wrap, -J" "$(squeue -t all -h -o '%i=%j' | sort -n | tr '\n' ' ')" \
    "1=ok.sh 2=ok.sh 3=ok.sh 4=ok.sh 5=ok.sh 6=sbatch 7=wrap 8=short "
is "output" "$(cat slurm-7.out)" wrapped

case_ "sbatch -W: waits, and its status is the job's"
says "-W of a good job" 0 "Submitted batch job 9" "" sbatch -W ok.sh
says "-W of a bad job" 5 "Submitted batch job 10" "" sbatch -W fail.sh
is "ExitCode" "$(job_field 10 ExitCode) $(job_field 10 JobState) $(job_field 10 Reason)" "5:0 FAILED NonZeroExitCode"
says "-W of a killed job" 1 "Submitted batch job 11" "" sbatch -W --wrap 'kill -9 $$'
is "ExitCode of a killed script" "$(job_field 11 ExitCode) $(job_field 11 JobState)" "0:9 FAILED"

case_ "sbatch: what is wrong"
says "unknown option" 255 "" "~" sbatch --no-such-option ok.sh
has "its text" "$err" "no-such-option"
says "unknown partition" 1 "" "~" sbatch -p nowhere ok.sh
is "last line" "$(tail -n 1 <<<"$err")" "sbatch: error: Batch job submission failed: Invalid partition name specified"
says "more than there is" 1 "" "~" sbatch -c 900 ok.sh
is "last line" "$(tail -n 1 <<<"$err")" \
    "sbatch: error: Batch job submission failed: Requested node configuration is not available"
says "no such file" 1 "" "~" sbatch missing.sh
like "its text" "$err" 'sbatch: error: Unable to open file missing.sh.*'
printf 'echo no interpreter\n' >plain.sh
says "no #!" 1 "" "~" sbatch plain.sh
has "its text" "$err" "This does not look like a batch script"
says "bad time" 255 "" "~" sbatch -t soon ok.sh
has "its text" "$err" "Invalid --time specification"
is "nothing of that was queued" "$(squeue -h -t all | wc -l)" 11

case_ "squeue: formats, states, filters"
submit -J waits -t 2:00:00 wait.sh
w=$job
wait_state $w RUNNING
submit -H -J held -c 2 ok.sh
h=$job
is "default header" "$(squeue | head -n 1)" \
    "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)"
is "default row" "$(squeue -h -j $h)" \
    "                $h      main     held $(printf '%8.8s' "$(id -un)") PD       0:00      1 (JobHeldUser)"
is "-o" "$(squeue -h -o '%i|%t|%T|%j|%P|%D|%C|%N|%R|%l|%b|%E|%a' -j $w)" "$w|R|RUNNING|waits|main|1|1|n1|n1|2:00:00|N/A|(null)|$(id -gn)"
is "-o widths" "$(squeue -h -o '[%.6i][%6i][%3j]' -j $w)" "[$(printf %6s $w)][$(printf %-6s $w)][wai]"
is "-O" "$(squeue -h -O 'jobid:5,state:8,name:|' -j $w)" "$(printf '%-5s%-8s%s|' $w RUNNING waits)"
is "-O default width" "$(squeue -h -O 'jobid,name' -j $w)" "$(printf '%-20s%-20s' $w waits)"
is "-t" "$(squeue -h -t PD -o %i) $(squeue -h -t running -o %i) $(squeue -h --states=R,PD -o %i | wc -l)" "$h $w 2"
is "-u" "$(squeue -h -u "$(id -un)" | wc -l) $(squeue -h --me | wc -l)" "2 2"
is "-n" "$(squeue -h -n held -o %i)" $h
is "-p" "$(squeue -h -p main | wc -l)" 2
says "an id that never was" 1 "" "slurm_load_jobs error: Invalid job id specified" squeue -h -j 99999
says "several ids" 0 "$w" "" squeue -h -o %i -j 99999,$w
says "a finished job" 0 "" "" squeue -h -j 1
says "a finished job with -t all" 0 "1 CD" "" squeue -h -t all -o "%i %t" -j 1
says "unknown user" 0 "~" "squeue: error: Invalid user: nobody-here" squeue -h -u nobody-here
says "bad state" 1 "~" "~" squeue -t sideways
has "its text" "$err" "Invalid job state specified: sideways"

case_ "scontrol: show, hold, release, update, requeue, ping, hostnames"
says "unknown job" 1 "~" "slurm_load_jobs error: Invalid job id specified" scontrol show job 99999
must scontrol show job $w
is "first line" "$(head -n 1 <<<"$out")" "JobId=$w JobName=waits"
is "one line with -o" "$(scontrol -o show job $w | wc -l)" 1
is "keys clients read" "$(for k in JobState Reason ExitCode TimeLimit NodeList WorkDir Command Partition StdOut; do
    job_field $w $k; done | tr '\n' ' ')" \
    "RUNNING None 0:0 02:00:00 n1 $WORK $WORK/wait.sh main $WORK/slurm-$w.out "
says "what becomes of it when its node is lost" 0 "" "" scontrol update JobId=$h LostNode=lease
is "it is kept" "$(job_field $h LostNode)" lease
says "back to what the cluster does" 0 "" "" scontrol update JobId=$h LostNode=
is "it is gone" "$(job_field $h LostNode)" ""
says "a word that is none" 1 "" "~" scontrol update JobId=$h LostNode=perhaps
says "of one that runs" 0 "" "" scontrol update JobId=$w LostNode=requeue
is "it is kept" "$(job_field $w LostNode)" requeue
says "a lease is for what has not begun" 1 "" "~" scontrol update JobId=$w LostNode=lease
is "nothing changed" "$(job_field $w LostNode)" requeue
says "hold" 0 "" "" scontrol hold $h
says release 0 "" "" scontrol release $h
wait_end $h
is "after its release" "$state" COMPLETED
says update 0 "" "" scontrol update JobId=$w TimeLimit=3:00:00
is "new limit" "$(job_field $w TimeLimit)" 03:00:00
says "update of an unknown job" 1 "" "~" scontrol update JobId=99999 TimeLimit=1
has "its text" "$err" "Invalid job id specified"
says "hold of an unknown job" 1 "" "~" scontrol hold 99999
has "its text" "$err" "Invalid job id specified for job 99999"
must scontrol ping
is ping "$out" "Slurmctld(primary) at $HOST is UP"
says hostnames 0 $'n1\nn2\nx07\nx08' "" scontrol show hostnames 'n[1-2],x[07-08]'
says "no host list" 1 "" "~" env -u SLURM_NODELIST scontrol show hostnames
has "its text" "$err" "host list is empty"
must scontrol show config
like "MinJobAge" "$(grep MinJobAge <<<"$out")" 'MinJobAge += 300 sec'
like "ClusterName" "$(grep ClusterName <<<"$out")" 'ClusterName += test'
must scontrol show partition main
has "partition" "$out" "PartitionName=main"
must scontrol show node n1
has "node" "$out" "NodeName=n1"
has "its GPUs" "$out" "Gres=gpu:4"

case_ sinfo
is "header" "$(sinfo | head -n 1)" "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST"
is "row" "$(sinfo -h)" "main*        up   infinite      1    mix n1"
is "-o" "$(sinfo -h -o '%P|%R|%C|%F|%D|%N|%T|%c|%G')" "main*|main|1/7/0/8|1/0/0/1|1|n1|mixed|8|gpu:4"
is "-N" "$(sinfo -h -N -o '%N %t')" "n1 mix"

case_ scancel
says "a finished job" 0 "" "" scancel 1
says "an unknown job" 0 "" "" scancel 99999
says "with -v" 0 "~" "~" scancel -v 99999
has "its text" "$err" "scancel: error: Kill job error on job id 99999"
says "a running one" 0 "" "" scancel $w
wait_end $w
is "its state" "$state" CANCELLED
has "what its output says" "$(cat slurm-$w.out)" "slurmstepd: error: *** JOB $w ON n1 CANCELLED AT "
submit -H -J named ok.sh
says "by name" 0 "" "" scancel -n named
is "a waiting job goes at once" "$(job_state $job)" CANCELLED
submit -H ok.sh
says "by state" 0 "" "" scancel -t PD --me
is "a waiting job goes at once" "$(job_state $job)" CANCELLED

case_ "scancel --signal: steps, the batch shell, everything"
cat >step.sh <<'E'
trap 'echo step got USR1 >>signals' USR1
echo ready >>signals
exec 9<> <(:); while [ ! -e go ]; do read -rt 0.05 -u 9; done
exit 0
E
script signals.sh <<'E'
trap 'echo shell got USR1 >>signals' USR1
srun bash step.sh &
while kill -0 $! 2>/dev/null; do wait $!; done
E
submit signals.sh
wait_for 15 grep -qs ready signals
says "to the steps" 0 "" "" scancel -s USR1 $job
wait_for 10 grep -q "step got USR1" signals
is "the shell did not get it" "$(grep -c shell signals)" 0
says "to the batch shell" 0 "" "" scancel -b --signal=10 $job
wait_for 10 grep -q "shell got USR1" signals
is "the step did not get that one" "$(grep -c 'step got' signals)" 1
touch go
wait_end $job
rm go
script alone.sh <<'E'
trap 'echo shell got USR1 >>alone' USR1
srun true
bash -c 'trap "echo child got USR1 >>alone" USR1; echo ready >>alone; exec 9<> <(:); while [ ! -e go ]; do read -rt 0.05 -u 9; done' &
while kill -0 $! 2>/dev/null; do wait $!; done
E
submit alone.sh
wait_for 15 grep -qs ready alone
says "no step runs: nothing of it gets one" 0 "" "" scancel -s USR1 $job
says "to the shell and its children" 0 "" "" scancel -b -f -s USR1 $job
wait_for 10 grep -q "shell got USR1" alone
wait_for 10 grep -q "child got USR1" alone
is "of the first one nothing came" "$(grep -c got alone)" 2
must stoker cancel -s USR1 $job
is "Stoker's own command reaches the script then" "$out" "signalled 1 job"
wait_for 10 eval '[ "$(grep -c got alone)" -ge 3 ]'
says "KILL ends the job, whatever runs of it" 0 "" "" scancel -s KILL $job
wait_end $job
is "its state" "$state" CANCELLED
submit -H ok.sh
says "KILL ends one that waits" 0 "" "" scancel -s 9 $job
is "its state" "$(job_state $job)" CANCELLED
says "of one that has ended nothing is asked" 1 "" \
    "scancel: error: Kill job error on job id $job: Job/step already completing or completed" scancel -i $job </dev/null

case_ "srun: exit codes, labels, words of failure"
script codes.sh <<'E'
srun -n2 bash -c 'exit $((4 + SLURM_PROCID))'
echo "max $?"
srun bash -c 'kill -9 $$'
echo "killed $?"
srun ./no-such-program
echo "missing $?"
srun -n 50 true
echo "too many $?"
srun -l -n2 bash -c 'echo rank $SLURM_PROCID' | sort
srun -n1 bash -c 'echo "$@"' - "a b" "*" '$HOME'
echo stdin | srun -n1 cat
srun -n2 -K bash -c '[ $SLURM_PROCID = 0 ] && exit 1; sleep 300'
echo "bad exit $?"
E
submit -n2 -o codes.out codes.sh
wait_end $job 40
text=$(grep -v '^s' codes.out)
is "what the script saw" "$text" "max 5
killed 137
missing 2
too many 1
0: rank 0
1: rank 1
a b * \$HOME
$(grep '^bad exit' codes.out)"
like "-K" "$(grep '^bad exit' codes.out)" 'bad exit (143|137)'
has "standard input" "$(cat codes.out)" stdin
has "too many" "$(cat codes.out)" "srun: error: Unable to create step for job $job: More processors requested than permitted"
has "codes" "$(cat codes.out)" "srun: error: n1: task 1: Exited with exit code 5"

case_ "srun: a line of standard error is not cut by one of standard output"
script mixed.sh <<'E'
export STOKER_HOLD_MS=60000 # however long this machine stands still between two parts of a line
srun bash -c 'for i in {1..60}; do printf err >&2; printf out; read -t 0.003 _ <> <(:); printf "or\n" >&2; printf "put\n"; done'
E
submit -o mixed.out mixed.sh
wait_end $job
is "whole lines" "$(sort mixed.out | uniq -c | tr -s ' ')" $' 60 error\n 60 output'

case_ "the job's environment"
script env.sh <<'E'
echo "$SLURM_JOB_ID $SLURM_JOBID $SLURM_JOB_NAME $SLURM_JOB_NODELIST $SLURM_NNODES $SLURM_JOB_NUM_NODES $SLURM_CPUS_ON_NODE $SLURMD_NODENAME $SLURM_CLUSTER_NAME $SLURM_JOB_PARTITION $SLURM_SUBMIT_DIR $STOKER_JOB_ID"
echo "n:${SLURM_NTASKS-unset} step:${SLURM_STEP_ID-unset} gpus:[$CUDA_VISIBLE_DEVICES] restart:${SLURM_RESTART_COUNT-unset} cpt:${SLURM_CPUS_PER_TASK-unset}"
echo "$PWD $MARK"
srun bash -c 'echo "$SLURM_STEP_ID $SLURM_PROCID $SLURM_NTASKS $SLURM_STEP_NUM_TASKS"'
E
MARK=yes must sbatch --parsable -J envs -o env.out env.sh
wait_end "$out"
is "environment" "$(cat env.out)" "$out $out envs n1 1 1 1 n1 test main $WORK $out
n:unset step:unset gpus:[] restart:unset cpt:unset
$WORK yes
0 0 1 1"
MARK=yes must sbatch --parsable --export=NONE -n3 -c2 -o env2.out env.sh
wait_end "$out"
is "--export=NONE, -n, -c" "$(sed -n 2,3p env2.out)" "n:3 step:unset gpus:[] restart:unset cpt:2
$WORK "

case_ "output files: patterns, parents made, one file or two"
submit -J pat -o 'deep/er/%x-%j-%u.out' -e 'deep/%4j.err' --wrap 'echo o; echo e >&2'
wait_end $job
is "-o" "$(cat deep/er/pat-$job-"$(id -un)".out)" o
is "-e with a width" "$(cat deep/"$(printf %04d $job)".err)" e

cluster_stop
