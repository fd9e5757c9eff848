#!/usr/bin/env bash
# Job scripts as the handbooks of clusters print them: each is taken as it stands and runs to its end.
. stoker.sh
NODES='n[1-2]' CPUS=16 MEMORY=64G GPUS=4 PARTITIONS='{ name = "small"; nodes = "n[1-2]"; default = true; }, { name = "gpu"; nodes = "n[1-2]"; },
    { name = "batch"; nodes = "n[1-2]"; }, { name = "long"; nodes = "n1"; max_time = "14-0"; }' \
    EXTRA="accounts = ( { name = \"project_2001234\"; users = ( { name = \"$(id -un)\"; } ); } ); qos = ( { name = \"normal\"; } );" cluster_start
mkdir -p bin
for program in module python my_multithread_exe my_mpi_program nvidia-smi; do
    printf '#!/bin/bash\necho "%s $*"\n' "$program" >"bin/$program"
    chmod +x "bin/$program"
done
export PATH=$WORK/bin:$PATH
echo "PATH=$PATH" >"$HOME/.bash_profile" # login shells begin with a PATH of their own
script=0
has_ended() { [ -z "$(squeue -h -j "$job" -o %i)" ]; }
# page WHAT: a script on standard input; it ends well, and its output has WHAT
page() {
    script=$((script + 1))
    cat >"page$script.sh"
    submit "page$script.sh"
    wait_for 20 has_ended
    is "the end of page $script" "$(squeue -h -t all -o %T -j "$job" | sort -u)" COMPLETED
    has "the output of page $script" "$(cat ./*"$job"*.out ./*"$job"*.txt 2>/dev/null)" "$1"
}

case_ "threads on one node"
page "my_multithread_exe 8" <<'S'
#!/bin/bash
#SBATCH --job-name=myTest
#SBATCH --account=project_2001234
#SBATCH --time=02:00:00
#SBATCH --mem-per-cpu=2G
#SBATCH --partition=small
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=8
##SBATCH --mail-type=BEGIN #uncomment to enable mail

# set the number of threads based on --cpus-per-task
export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK
srun my_multithread_exe $OMP_NUM_THREADS
S

case_ "MPI over nodes, hints and layout"
page "my_mpi_program" <<'S'
#!/bin/bash -l
#SBATCH -J MPI_job
#SBATCH -N 2
#SBATCH --ntasks-per-node=4
#SBATCH --ntasks-per-socket 2
#SBATCH -c 2
#SBATCH --hint=nomultithread
#SBATCH --time=0-01:00:00
#SBATCH -p batch
#SBATCH --qos=normal
#SBATCH -m block:cyclic
#SBATCH --exclusive
print_error_and_exit() { echo "***ERROR*** $*"; exit 1; }
module purge || print_error_and_exit "No 'module' command"
export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK
srun -n $SLURM_NTASKS my_mpi_program
S

case_ "GPUs"
page "nvidia-smi" <<'S'
#!/bin/bash
#SBATCH --job-name=ml
#SBATCH --account=project_2001234
#SBATCH --partition=gpu
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=10
#SBATCH --mem=16G
#SBATCH --time=1:00:00
#SBATCH --gres=gpu:1
#SBATCH --output=ml_%j.txt
[ "$(tr ',' '\n' <<<"$CUDA_VISIBLE_DEVICES" | wc -l)" = 1 ] || exit 1
srun nvidia-smi
S
page "two: 2" <<'S'
#!/bin/bash
#SBATCH --nodes=1
#SBATCH --gpus-per-node=2
#SBATCH --gpus-per-task=1 --ntasks=2
#SBATCH --mem-per-gpu=4G
#SBATCH -t 10
echo "two: $(srun bash -c 'echo $CUDA_VISIBLE_DEVICES' | sort -u | wc -l)"
S

case_ "arrays"
page "element 2 of 4" <<'S'
#!/bin/bash
#SBATCH --job-name=array
#SBATCH --output=array_%A_%a_%j.out
#SBATCH --error=array_%A_%a_%j.err
#SBATCH --time=00:05:00
#SBATCH --mem-per-cpu=100
#SBATCH --array=2,4,6,8%2
echo "element $SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_TASK_COUNT"
S

case_ "checkpoints by a signal, a scratch directory"
page "saved" <<'S'
#!/bin/bash
#SBATCH --signal=B:TERM@300
#SBATCH --requeue --open-mode=append
#SBATCH --time=00:10:00 --tmp=1G
#SBATCH --mail-type=END,FAIL,TIME_LIMIT_80
#SBATCH --mail-user=somebody@example.org
#SBATCH --comment="a long run" --nice=100 --wckey=key
SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/job.XXXXXX")
trap 'rm -rf "$SCRATCH"' EXIT
cp "$0" "$SCRATCH/" && echo saved
S

case_ "several steps side by side"
page "all four" <<'S'
#!/bin/bash
#SBATCH --nodes=1-1
#SBATCH --ntasks=4
#SBATCH --cpus-per-task=2
#SBATCH --mem=8G
for i in 1 2 3 4; do
    srun --exclusive -n 1 --mem=1G bash -c "echo part $i" >part.$i &
done
wait
[ "$(cat part.*)" = $'part 1\npart 2\npart 3\npart 4' ] && echo all four
S

case_ "a script on standard input of srun, steps by xargs, lists of hosts, a directory of its own"
page "all of it" <<'S'
#!/bin/bash
#SBATCH --job-name="of many parts" # a comment
#SBATCH -N 2 --ntasks-per-node=2

set -euo pipefail
export TMPDIR=${TMPDIR:-/tmp}/parts.$SLURM_JOB_ID
mkdir -p "$TMPDIR"
trap 'rm -rf "$TMPDIR"' EXIT
[ "$(scontrol show hostnames | wc -l)" = "$SLURM_JOB_NUM_NODES" ]
srun -N2 -n2 bash <<'EOF' >"$TMPDIR/here"
echo "here on $SLURMD_NODENAME"
EOF
[ "$(sort "$TMPDIR/here")" = $'here on n1\nhere on n2' ]
seq 4 | xargs -P 4 -I{} srun -N1 -n1 -c1 --exact --mem=100M bash -c 'echo arg {}' >"$TMPDIR/args"
[ "$(sort "$TMPDIR/args" | tr '\n' ,)" = "arg 1,arg 2,arg 3,arg 4," ]
srun --multi-prog <(printf '0 echo zero\n1-3 echo rest %%t\n') | sort | tr '\n' ,
echo " $((SLURM_NTASKS * 2)) $SLURM_JOB_NAME: all of it"
S

case_ "it queues itself again before its time is over"
page "run 1, from here on" <<'S'
#!/bin/bash
#SBATCH -t 10 --signal=B:USR1@298 --requeue --open-mode=append
again() { scontrol requeue "$SLURM_JOB_ID"; }
trap again USR1
scontrol update JobId="$SLURM_JOB_ID" TimeLimit=5 # now that it hears it
[ "${SLURM_RESTART_COUNT:-0}" = 0 ] || { echo "run $SLURM_RESTART_COUNT, from here on"; exit 0; }
sleep 1000 &
wait
wait
S

case_ "chains"
mkfifo go_on
first=$(sbatch --parsable -o /dev/null --wrap "echo first >>chain; read -r _ <go_on; exit 0")
second=$(sbatch --parsable -d "afterok:$first" -o /dev/null --wrap "echo second >>chain; exit 1")
third=$(sbatch --parsable -d "afterok:$second" --kill-on-invalid-dep=yes -o /dev/null --wrap "echo never >>chain")
last=$(sbatch --parsable -d "afternotok:$second,afterany:$first" -o /dev/null --wrap "echo last >>chain")
is "they wait" "$(squeue -h -o %r -j "$second,$third,$last" | sort -u)" Dependency
echo >go_on
wait_end "$last"
wait_end "$third"
is "what ran" "$(tr '\n' ' ' <chain)" "first second last "
is "what could not" "$state" CANCELLED
