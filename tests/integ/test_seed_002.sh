#!/usr/bin/env bash
# The handbook's packing examples on a node with 24 cores, 4 GPUs and 128 GB, and its script that saves itself at SIGTERM.
. stoker.sh

CPUS=24 GPUS=4 MEMORY=128G KILL_WAIT=30s cluster_config
command -v python3 >/dev/null || skip "no python3"
mkdir bin
printf '#!/bin/sh\nexec python3 "$@"\n' >bin/python
chmod +x bin/python
export PATH=$WORK/bin:$PATH
cpus_here=$(nproc --all)

# Says what it is and has, then waits for the file go.
cat >show <<'E'
import os, sys, time
e = os.environ.get
bound = ",".join(map(str, sorted(os.sched_getaffinity(0))))
print("args", *sys.argv[1:], "rank", e("SLURM_PROCID"), "local", e("SLURM_LOCALID"), "of", e("SLURM_NTASKS"),
      "step", e("SLURM_STEP_ID"), "gpu", e("CUDA_VISIBLE_DEVICES"), "cpt", e("SLURM_CPUS_PER_TASK"),
      "bound", bound, "t0", time.monotonic(), flush=True)
end = time.monotonic() + 250
while not os.path.exists("go") and time.monotonic() < end:
    time.sleep(0.02)
E

gpus_of() { sed -n 's/.* gpu \([0-9,]*\) .*/\1/p' "$@"; }
bound_of() { sed -n 's/.* bound \([0-9,]*\) .*/\1/p' "$@"; }

cluster_start

case_ "two processes share one GPU, four CPUs each, a file for each"
script share.bash <<'E'
#SBATCH --ntasks-per-node=2
#SBATCH --output=myjob_output_wrapper.out
#SBATCH --ntasks=2
#SBATCH --gres=gpu:1
#SBATCH --cpus-per-task=4
#SBATCH --mem=18G
echo wrapper
srun -l --output=myjob_output_%t.out python show script args
E
submit share.bash
wait_for 15 has_lines myjob_output_0.out 1
wait_for 15 has_lines myjob_output_1.out 1
is "allocation" "$(job_field $job NumCPUs) $(job_field $job TresPerNode) $(job_field $job MinMemoryNode)" "8 gres:gpu:1 18G"
touch go
wait_end $job
is state "$state" COMPLETED
is "the wrapper's file" "$(cat myjob_output_wrapper.out)" wrapper
for t in 0 1; do
    like "file of task $t" "$(cat myjob_output_$t.out)" \
        "$t: args script args rank $t local $t of 2 step 0 gpu [0-3] cpt 4 bound .*"
done
is "one GPU for both" "$(gpus_of myjob_output_?.out | sort -u | wc -l)" 1
if [ "$cpus_here" -ge 24 ]; then
    is "CPUs of both together" "$(bound_of myjob_output_?.out | tr ',' '\n' | sort -u | wc -l)" 8
fi

case_ "--multi-prog: a program for each task, and %t in a range"
rm -f go
touch go
printf '0  python show firstarg\n1  python show secondarg\n' >silly.conf
printf '0-1  python show %%t\n' >range.conf
script prog.bash <<'E'
#SBATCH -n 2 -o prog.out
srun -l --multi-prog silly.conf
srun -l --multi-prog range.conf
E
submit prog.bash
wait_end $job
is state "$state" COMPLETED
is "programs by task" "$(sort prog.out | cut -d' ' -f1-3,10,11)" "0: args 0 step 1
0: args firstarg step 0
1: args 1 step 1
1: args secondarg step 0"

case_ "four steps side by side, one GPU, six CPUs and 30G each: %j-step-%s.out"
rm -f go
script four.bash <<'E'
#SBATCH --nodes=1-1
#SBATCH --ntasks-per-node=4
#SBATCH --output=myjob_output_wrapper.out
#SBATCH --gres=gpu:4
#SBATCH --cpus-per-task=6
srun --gres=gpu:1 -n1 --mem=30G -l --output=%j-step-%s.out --exclusive python show args1 &
srun --gres=gpu:1 -n1 --mem=30G -l --output=%j-step-%s.out --exclusive python show args2 &
srun --gres=gpu:1 -n1 --mem=30G -l --output=%j-step-%s.out --exclusive python show args3 &
srun --gres=gpu:1 -n1 --mem=30G -l --output=%j-step-%s.out --exclusive python show args4 &
wait
E
submit four.bash
for s in 0 1 2 3; do wait_for 20 has_lines $job-step-$s.out 1; done
is "distinct GPUs" "$(gpus_of $job-step-?.out | sort | tr '\n' ' ')" "0 1 2 3 "
is "arguments" "$(cut -d' ' -f3 $job-step-?.out | sort | tr '\n' ' ')" "args1 args2 args3 args4 "
is "CPUs a task" "$(grep -c ' cpt 6 ' $job-step-0.out)" 1
if [ "$cpus_here" -ge 24 ]; then
    is "24 CPUs, none twice" "$(bound_of $job-step-?.out | tr ',' '\n' | sort | uniq -c | grep -c ' 1 ')" 24
fi
is "steps in squeue" "$(squeue -h -s -j $job -o %i | sort | tr '\n' ' ' | grep -o "$job\.[0-9]" | wc -l)" 4
touch go
wait_end $job
is state "$state" COMPLETED

case_ "a fifth step waits for the first to end"
rm -f go
script five.bash <<'E'
#SBATCH -N1-1 --ntasks-per-node=4 --gres=gpu:4 --cpus-per-task=6 -o five.out
for i in 1 2 3 4 5; do
    srun --gres=gpu:1 -n1 --mem=4G --output=five-%s.out --exclusive python show args$i &
done
wait
E
submit --mem=100G five.bash
for s in 0 1 2 3; do wait_for 20 has_lines five-$s.out 1; done
wait_for 10 grep -q "srun: Job $job step creation temporarily disabled, retrying (Requested nodes are busy)" five.out
[ ! -e five-4.out ] || fail "the fifth step ran beside the other four"
touch go
wait_end $job
is state "$state" COMPLETED
like "the fifth ran" "$(cat five-4.out)" 'args args[1-5] rank 0 .* gpu [0-3] .*'
first_end=$(sed -n 's/.* t0 //p' five-[0123].out | sort -n | tail -n 1)
at_least "its start after the others'" "$(printf '%.0f' "$(sed -n 's/.* t0 \([0-9.]*\)/\1/p' five-4.out)e3")" \
    "$(printf '%.0f' "${first_end}e3")"

case_ "two tasks on each of four GPUs: %j-step-%s-task-%t.out"
printf '0-1 python show %%t\n' >silly.conf
rm -f go
script eight.bash <<'E'
#SBATCH --nodes=1-1
#SBATCH --ntasks-per-node=8
#SBATCH --output=myjob_output_wrapper.out
#SBATCH --gres=gpu:4
#SBATCH --cpus-per-task=3
srun --gres=gpu:1 -n2 --mem=30G -l --output=%j-step-%s-task-%t.out --exclusive --multi-prog silly.conf &
srun --gres=gpu:1 -n2 --mem=30G -l --output=%j-step-%s-task-%t.out --exclusive --multi-prog silly.conf &
srun --gres=gpu:1 -n2 --mem=30G -l --output=%j-step-%s-task-%t.out --exclusive --multi-prog silly.conf &
srun --gres=gpu:1 -n2 --mem=30G -l --output=%j-step-%s-task-%t.out --exclusive --multi-prog silly.conf &
wait
E
submit --mem=0 eight.bash
for s in 0 1 2 3; do for t in 0 1; do wait_for 20 has_lines $job-step-$s-task-$t.out 1; done; done
is "two tasks a GPU" "$(gpus_of $job-step-?-task-?.out | sort | uniq -c | tr -s ' ' | tr '\n' ';')" " 2 0; 2 1; 2 2; 2 3;"
for s in 0 1 2 3; do
    is "GPU of step $s" "$(gpus_of $job-step-$s-task-?.out | sort -u | wc -l)" 1
    like "label" "$(cat $job-step-$s-task-1.out)" '1: args 1 .*'
done
if [ "$cpus_here" -ge 24 ]; then
    is "24 CPUs, none twice" "$(bound_of $job-step-?-task-?.out | tr ',' '\n' | sort | uniq -c | grep -c ' 1 ')" 24
fi
touch go
wait_end $job
is state "$state" COMPLETED

case_ "a script that traps SIGTERM saves itself when it is ended; its tasks get TERM too"
cat >my_script <<'E'
import os, signal, sys, time
def save(*_):
    open("saved", "w").write("state\n")
    sys.exit(0)
signal.signal(signal.SIGTERM, save)
open("started", "w").write("")
end = time.monotonic() + 250
while time.monotonic() < end:
    time.sleep(0.05)
E
script save.bash <<'E'
#SBATCH --ntasks=1
#SBATCH -o save.out
exit_script() {
    echo "Preemption signal, saving myself"
    trap - SIGTERM # clear the trap
    # Optional: sends SIGTERM to child/sub processes
    kill -- -$$
}

trap exit_script SIGTERM

# The main script part
python3 my_script
E
submit save.bash
wait_for 15 is_file started
says "scancel" 0 "" "" scancel $job
wait_end $job
is state "$state" CANCELLED
is "the task saved its state" "$(cat saved)" state
has "the script's trap ran" "$(cat save.out)" "Preemption signal, saving myself"

cluster_stop
