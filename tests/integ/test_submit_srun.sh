#!/usr/bin/env bash
# srun in and outside of jobs: steps, output, input, codes, signals, waiting.
# test-user test-fast
. stoker.sh
KILL_WAIT=30s cluster_start # so long a task has for what it does at TERM

# in_job OPTIONS... : runs standard input as a batch script, its output is in out
in_job() {
    { echo '#!/bin/bash'; cat; } >in_job.sh
    run sbatch -W -o in_job.out "$@" in_job.sh
    out=$(cat in_job.out)
}

case_ "outside of a job"
says "output" 0 hi "" srun echo hi
says "arguments byte for byte" 0 '<a b><$HOME><>' "" srun printf '<%s>' 'a b' '$HOME' ''
run srun -n3 -l bash -c 'echo $SLURM_PROCID of $SLURM_NTASKS'
is "labels" "$(sort <<<"$out")" $'0: 0 of 3\n1: 1 of 3\n2: 2 of 3'
run bash -c 'srun -n2 bash -c "exit \$((SLURM_PROCID + 4))"'
is "the highest code" $rc 5
has "who ended how" "$err" "srun: error: n1: task 0: Exited with exit code 4"
has "who ended how" "$err" "srun: error: n1: task 1: Exited with exit code 5"
run srun bash -c 'kill -9 $$'
is "a signal" $rc 137
is "a signal" "$err" "srun: error: n1: task 0: Killed"
run srun there_is_no_such_program
is "no program" $rc 2
has "no program" "$err" "there_is_no_such_program: No such file or directory"
says "no command" 1 "" "srun: fatal: No command given to execute." srun
run srun -p nowhere true
is "no partition" "${err##*$'\n'}" "srun: error: Unable to allocate resources: Invalid partition name specified"
run srun -n 1000 true
is "too many" "${err##*$'\n'}" "srun: error: Unable to allocate resources: Requested node configuration is not available"
no_job() { [ -z "$(squeue -h)" ]; }
wait_for 10 no_job

case_ "standard input"
printf 'one\ntwo\n' >in.txt
says "to the task" 0 $'one\ntwo' "" srun cat <in.txt
run srun -n2 -l cat <in.txt
is "to all of them" "$(sort <<<"$out")" $'0: one\n0: two\n1: one\n1: two'
head -c 1000000 /dev/urandom | base64 >big
srun cat <big >big.copy || fail "status $?"
cmp big big.copy || fail "a megabyte came back differently"
says "none" 0 "" "" srun --input=none cat <in.txt
run srun -n3 -l --input=1 cat <in.txt
is "to one of three" "$out" $'1: one\n1: two'
run srun -n2 --input=2 cat <in.txt
has "to one that is not there" "$err" "Invalid task id, --input=2, the step has 2 tasks"
says "a file" 0 $'one\ntwo' "" srun -i in.txt cat </dev/null
run bash -c 'yes | srun head -n 1'
is "a task that stops reading" "$out" y
run bash -c 'srun yes | head -n 1'
is "a reader that goes away ends what writes for it" "$out" y

case_ "in a job: the job's figures are the step's"
in_job -n4 --gres=gpu:4 <<'X'
srun bash -c 'echo $SLURM_STEP_ID $SLURM_NTASKS' | sort | uniq -c
srun -n1 --gres=gpu:1 bash -c 'echo "$SLURM_STEP_ID gpu $CUDA_VISIBLE_DEVICES"'
srun -n2 --gpus-per-task=1 bash -c 'echo "own gpu $CUDA_VISIBLE_DEVICES"' | sort
X
is "output" "$(sed 's/^ *//' <<<"$out")" $'4 0 4\n1 gpu 0\nown gpu 0\nown gpu 1'

case_ "-E keeps the caller's counts"
in_job -n4 <<'X'
srun -n2 bash -c 'echo without $SLURM_NTASKS $SLURM_STEP_NUM_TASKS' | sort -u
SLURM_JOB_NUM_NODES=7 srun -E -N1 -n2 bash -c 'echo with $SLURM_NTASKS $SLURM_JOB_NUM_NODES $SLURM_STEP_NUM_TASKS' | sort -u
X
is "output" "$out" $'without 2 2\nwith 4 7 2'

case_ "steps side by side, each with a GPU of its own, files by step"
in_job --nodes=1-1 --ntasks-per-node=4 --gres=gpu:4 <<'X'
mkdir up
for i in 1 2 3 4; do # each ends when all four are up: one after the other would wait for ever
    srun --gres=gpu:1 -n1 --mem=100M -l --output=side-%s.out --exclusive \
        bash -c 'echo $CUDA_VISIBLE_DEVICES; touch up/$SLURM_STEP_ID; exec 9<> <(:); until [ -e up/0 -a -e up/1 -a -e up/2 -a -e up/3 ]; do read -rt 0.05 -u 9; done' &
done
wait
X
is "status" $rc 0
is "GPUs" "$(cat side-?.out | sort | tr '\n' ' ')" "0: 0 0: 1 0: 2 0: 3 "

case_ "a step that has to wait says so and goes on"
in_job -n2 <<'X'
mkfifo hold
srun -n2 bash -c 'if [ $SLURM_PROCID = 0 ]; then echo up >first.up; read -r _ <hold; fi' &
exec 9<> <(:); until [ -s first.up ]; do read -rt 0.05 -u 9; done
(srun -n2 hostname >/dev/null) 2>second.err &
exec 9<> <(:); until grep -q retrying second.err; do read -rt 0.05 -u 9; done
srun --overlap -n1 echo overlaps
srun -n1 --immediate true; echo "immediate $?"
echo go >hold
wait
X
is "status" $rc 0
is "the second" "$(sed "s/job *[0-9]*/job N/I; s/StepId=[0-9]*/StepId=N/" second.err)" \
    $'srun: job N step creation temporarily disabled, retrying (Requested nodes are busy)\nsrun: Step created for StepId=N.1'
has "--overlap never waits" "$out" overlaps
has "--immediate gives up" "$out" "Requested nodes are busy"
has "--immediate gives up" "$out" "immediate 1"

case_ "too much for the job"
in_job -n2 <<'X'
srun -n3 true; echo "status $?"
X
like "text" "$(grep 'Unable' <<<"$out")" 'srun: error: Unable to create step for job [0-9]+: More processors requested than permitted'
has "status" "$out" "status 1"

case_ "one fails: -K ends the others"
in_job -n2 <<'X'
srun -K bash -c '[ $SLURM_PROCID = 1 ] || exit 3; exec sleep 1000'; echo "status $?"
X
like "status" "$out" ".*status (143|137)"

case_ "one task's output alone"
is "--output=1" "$(srun -n 3 --output=1 bash -c 'echo out $SLURM_PROCID; echo err $SLURM_PROCID >&2' 2>&1 | sort | tr '\n' ' ')" "err 1 out 1 "
is "--error=0" "$(srun -n 2 --error=0 bash -c 'echo out $SLURM_PROCID; echo err $SLURM_PROCID >&2' 2>&1 | sort | tr '\n' ' ')" "err 0 out 0 out 1 "
[ ! -e 1 ] || fail "a file is called 1"

case_ "--multi-prog"
printf '# ranks\n0-1 echo prog %%t\n* echo rest %%t:%%o\n' >mp.conf
in_job -n4 <<'X'
srun -l --multi-prog mp.conf | sort
srun -n2 -l --output=mp-%s-%t.out --multi-prog mp.conf
srun -n1 --multi-prog echo a program
srun -n1 --multi-prog neither; echo "status $?"
X
has "each its own" "$out" $'0: prog 0\n1: prog 1\n2: rest 2:0\n3: rest 3:1'
is "a file for each task" "$(cat mp-1-0.out mp-1-1.out)" $'0: prog 0\n1: prog 1'
has "a program in the file's place" "$out" $'srun: warning: --multi-prog: echo is a program, no configuration file; every task runs it\na program'
has "neither" "$out" $'srun: error: Could not open multi_prog config file neither\nstatus 1'

case_ "into a job from outside"
submit -o /dev/null -n2 --wrap 'exec sleep 1000'
wait_state "$job" RUNNING
says "--jobid" 0 joined "" srun --jobid="$job" -n1 echo joined
must scancel "$job"
wait_end "$job"
run srun --jobid="$job" true
is "ended" "$err" "srun: error: Unable to confirm allocation for job $job: Job/step already completing or completed"
run srun --jobid=99999 true
is "none" "$err" "srun: error: Unable to confirm allocation for job 99999: Invalid job id specified
srun: Check SLURM_JOB_ID environment variable. Expired or invalid job 99999"

case_ "signals go to the tasks"
cat >trap.sh <<'X'
#!/bin/bash
trap 'echo usr1' USR1
trap 'echo term; exit 9' TERM
echo ready
exec 9<> <(:); while :; do read -rt 0.05 -u 9; done
X
chmod +x trap.sh
srun ./trap.sh >trap.out 2>trap.err &
pid=$!
wait_for 10 grep -qs ready trap.out
kill -USR1 $pid
wait_for 10 grep -qs usr1 trap.out
kill -TERM $pid
wait $pid
is "status" $? 9
is "what the task saw" "$(cat trap.out)" $'ready\nusr1\nterm'
has "srun's words" "$(cat trap.err)" "srun: forcing job termination"
wait_for 10 no_job
