#!/usr/bin/env bash
# The tutorial's job: job.bash with one GPU, a `module` that is not there, srun python train.py, output in slurm-<id>.out.
. stoker.sh

mkdir bin
printf '#!/bin/sh\nexec python3 "$@"\n' >bin/python
chmod +x bin/python
export PATH=$WORK/bin:$PATH
command -v python3 >/dev/null || skip "no python3"
unset -f module

cat >job.bash <<'E'
#!/bin/bash

#SBATCH --gres=gpu:1

module load python/3.10

srun python train.py
E

cat >train.py <<'E'
import os, sys, time
print("gpus", os.environ["CUDA_VISIBLE_DEVICES"], os.environ["CUDA_DEVICE_ORDER"], flush=True)
end = time.monotonic() + 250
while not os.path.exists("go") and time.monotonic() < end:
    time.sleep(0.02)
w = 0.0
for epoch in range(1, 4):
    for _ in range(1000):
        w += 0.001 * (1.0 - w)
    print(f"epoch {epoch} loss {(1 - w) ** 2:.4f}", flush=True)
print("oops", file=sys.stderr)
E

cluster_start

case_ "as in the tutorial"
says "sbatch" 0 "Submitted batch job 1" "" sbatch job.bash
wait_state 1 RUNNING
is "squeue" "$(squeue -h -o '%i %j %t %D %R')" "1 job.bash R 1 n1"
wait_for 10 has_lines slurm-1.out 2
touch go
wait_end 1
is state "$state" COMPLETED
text=$(cat slurm-1.out)
has "the output" "$text" "module: command not found"
like "the GPU line" "$(grep gpus slurm-1.out)" 'gpus [0-3] PCI_BUS_ID'
is "training" "$(grep -c '^epoch [123] loss 0\.' slurm-1.out)" 3
has "standard error in the same file" "$text" oops
is "the queue afterwards" "$(squeue -h)" ""

case_ "five at once on four GPUs: each has its own, the fifth waits"
rm go
for i in 2 3 4 5 6; do must sbatch job.bash; done
for i in 2 3 4 5; do wait_for 10 has_lines slurm-$i.out 2; done
wait_state 6 PENDING
waits_for_gpu() { [ "$(squeue -h -o '%t %R' -j 6)" = "PD (Resources)" ]; }
wait_for 10 waits_for_gpu
is "no output before it runs" "$(ls slurm-6.out 2>&1)" "ls: cannot access 'slurm-6.out': No such file or directory"
is "distinct GPUs" "$(cat slurm-[2345].out | sed -n 's/^gpus \([0-9]*\) .*/\1/p' | sort | tr '\n' ' ')" "0 1 2 3 "
touch go
for i in 2 3 4 5 6; do
    wait_end $i
    is "state of $i" "$state" COMPLETED
done
is "the fifth trained too" "$(grep -c '^epoch' slurm-6.out)" 3

case_ "a training that fails fails the job, with its code"
echo 'import sys; sys.exit(3)' >train.py
must sbatch job.bash
wait_end 7
is state "$state" FAILED
is "exit code" "$(job_field 7 ExitCode)" 3:0
has "srun says so" "$(cat slurm-7.out)" "srun: error: n1: task 0: Exited with exit code 3"

cluster_stop
