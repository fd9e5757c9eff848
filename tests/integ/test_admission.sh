#!/usr/bin/env bash
# What is refused at submission and at a change, and what a waiting job keeps over a reload: GPU counts, lists of partitions and
# nodes, elements that an array never had, times that rule one another out.
# test-user
. stoker.sh
me=$(id -un)
config() { # DEFAULT PARTITION_NAME: which partition is the default, what the second is called
    cat >"$STOKER_HOME/stoker.cfg" <<CFG
cluster = "test";
nodes = ( { name = "n[1-2]"; transport = "local"; cpus = 8; memory = "16G"; gpus = 4; detect = false; } );
partitions = ( { name = "main"; default = $([ "$1" = main ] && echo true || echo false); },
               { name = "$2"; default = $([ "$1" = main ] && echo false || echo true); },
               { name = "short"; max_time = "10:00"; },
               { name = "lean"; default_memory_per_cpu = "100M"; default_memory_per_gpu = "3G"; },
               { name = "even"; default_memory_per_node = "700M"; }, { name = "tight"; }, { name = "spare"; batch_only = true; } );
limits = ( { scope = "partition"; name = "tight"; hard = { submitted_jobs = 2; array_size = 3; }; } );
min_job_age = "1h";
kill_wait = "1s";
CFG
}
config main other
cluster_start
script wait.sh <<'S'
until [ -e "$1" ]; do sleep 0.05; done
S
is_reason() { [ "$(job_reason "$1")" = "$2" ]; }
# refused TEXT ARGS...: sbatch does not take it, for that reason
refused() {
    run sbatch "${@:2}" --wrap true
    [ $rc -ne 0 ] || fail "accepted: ${*:2}"
    has "${*:2}" "$err" "$1"
    is "${*:2}: output" "$out" ""
}

case_ "a partition for batch jobs alone"
for command in "srun -p spare true" "salloc -p spare true"; do
    # shellcheck disable=SC2086
    run timeout 20 $command
    [ "$rc" -ne 0 ] || fail "$command was accepted"
    has "$command" "$err" "partition spare takes batch jobs only: submit with sbatch"
done
submit -p spare -o spare.out --wrap 'srun echo a step of $SLURM_JOB_PARTITION'
wait_end "$job"
is "a batch job and its step" "$state $(<spare.out)" "COMPLETED a step of spare"
is "of two partitions the other takes it" "$(srun -p spare,main bash -c 'echo $SLURM_JOB_PARTITION')" main
has "scontrol" "$(scontrol show partition spare)" "BatchOnly=YES"

case_ "a partition's memory for jobs that name none"
while read -r want args; do
    # shellcheck disable=SC2086
    submit $args -H --wrap true
    has "$args" "$(scontrol -o show job "$job" | tr ' ' '\n' | grep -E '^(ReqTRES|MinMem)')" "$want"
done <<'ROWS'
MinMemoryCPU=100M -p lean -c3
mem=300M -p lean -c3
mem=6G -p lean --gres=gpu:2
mem=500M -p lean -c3 --mem=500M
mem=500M -p lean --mem-per-cpu=500M
MinMemoryNode=700M -p even -N2
mem=1400M -p even -N2
MinMemoryCPU=100M -p main,lean
MinMemoryNode=0 -p main
ROWS
scancel -u "$me"
is "the job's limit" "$(srun -p lean bash -c 'echo $SLURM_MEM_PER_CPU')" 100
has "scontrol" "$(scontrol -o show partition lean)" "JobDefaults=DefMemPerGPU=3072 DefMemPerCPU=100 "
has "scontrol" "$(scontrol -o show partition even)" "DefMemPerNode=700 "
has "scontrol" "$(scontrol -o show partition main)" "DefMemPerNode=UNLIMITED"

case_ "more nodes by name than by number"
refused "Node count specification invalid" -N1 -w "n[1-2]"
has "both numbers" "$err" "nodelist names 2 nodes, --nodes allows 1"
submit -H -N2 -w "n[1-2]" wait.sh never
says "a change" 1 "" "~" scontrol update JobId=$job NumNodes=1
has "in the words of Slurm" "$err" "Node count specification invalid"
must scancel $job

case_ "scontrol takes the keys that advice names"
submit -H -c4 --gpus-per-node=2 -N1 wait.sh never
says "CPUs of a task" 0 "" "" scontrol update JobId=$job CpusPerTask=2
says "GPUs of a node" 0 "" "" scontrol update JobId=$job GpusPerNode=1
is "they are kept" "$(squeue -h -j $job -o '%C %b')" "2 gres:gpu:1"
must scancel $job
submit -H --gpus=2 wait.sh never
says "GPUs" 0 "" "" scontrol update JobId=$job Gpus=1
says "a key that is none" 1 "" "~" scontrol update JobId=$job Gpu=1
has "its words" "$err" "Update of this parameter is not supported: Gpu=1"
must scancel $job

case_ "GPU counts that do not agree"
gres="Invalid generic resource (gres) specification"
for args in "-N2 --gpus=8 --gpus-per-node=2" "--gpus=6 --gpus-per-node=4" "-n4 --gpus-per-task=1 --gpus=2" "--gpus=1 -N2" \
    "--gres=gpu:2 --gpus=4 -N1" "--gpus=4 --gpus-per-task=2 -n1" "--gpus-per-node=4 --gpus-per-task=2 --ntasks-per-node=1"; do
    # shellcheck disable=SC2086
    refused "$gres" $args
done
case_ "GPU counts that agree are what is allocated"
gpus_of() { scontrol -o show job -d "$1" | tr ' ' '\n' | sed -n 's/^AllocTRES=.*gres\/gpu=\([0-9]*\).*/\1/p'; }
while read -r nodes gpus tasks args; do
    # shellcheck disable=SC2086
    submit $args --wrap "echo \${SLURM_NTASKS-} >tasks"
    wait_state "$job" COMPLETED
    is "GPUs of $args" "$(gpus_of "$job")" "$gpus"
    is "nodes of $args" "$(job_field "$job" NumNodes)" "$nodes"
    is "tasks of $args" "$(<tasks)" "${tasks#-}"
done <<'ROWS'
2 4 1 -n1 --gpus=4 --gpus-per-node=2
2 8 - --gpus=8 --gpus-per-node=4
2 4 - -N2 --gpus=4 --gpus-per-node=2
1 4 2 --gpus=4 --gpus-per-task=2
2 8 4 -N2 --gpus-per-node=4 --gpus-per-task=2
2 4 4 -n4 --gpus-per-node=2 --gpus-per-task=1
2 3 - -N2 --gpus=3
1 4 - --gres=gpu:4
ROWS
case_ "and so it is where they are changed"
submit -H --gpus=4 --gpus-per-node=2 --wrap true
run scontrol update jobid="$job" NumNodes=1
is "too many nodes do not agree" $rc 1
has "its words" "$err" "$gres"
must scontrol update jobid="$job" NumNodes=2
must scancel "$job"

case_ "each node and partition once"
submit -H -w n1,n1 -x n2,n2 --wrap true
is "the list of nodes" "$(job_field "$job" ReqNodeList)" n1
must scontrol update jobid="$job" ReqNodeList=n1,n[1-2],n2 ExcNodeList=
is "a changed list of nodes" "$(job_field "$job" ReqNodeList)" "n[1-2]"
must scancel "$job"
submit -w n1,n1 --wrap true
wait_state "$job" COMPLETED
submit -H -p main,tight,main --wrap true
is "the list of partitions" "$(squeue -h -o %P -j "$job")" main,tight
must scancel "$job"

case_ "begin times and deadlines"
refused "Incompatible begin and deadline time specification" --begin=now+2hours --deadline=now+1hour
refused "Requested time limit is invalid" --begin=now+50minutes --deadline=now+1hour -t 30
submit --begin=now+20minutes --deadline=now+1hour -t 30 --wrap true
must scancel "$job"

case_ "the least time against what a partition allows"
refused "Requested time limit is invalid" -p short -t 1:00:00
refused "Requested time limit is invalid" -p short -t 1:00:00 --time-min=20
submit -p short -t 1:00:00 --time-min=5 wait.sh go
wait_state "$job" RUNNING
is "its limit" "$(squeue -h -o %l -j "$job")" 10:00
touch go
wait_end "$job"
rm go

case_ "elements that an array never had"
submit -H --array=1,5,100 --wrap true
array=$job
for k in 0 2 50 101; do refused "Job dependency problem" -d "afterok:${array}_$k"; done
submit -d "afterany:${array}_5" --wrap true
wait_for 10 is_reason "$job" Dependency
must scancel "$array" "$job"

case_ "the queue of a partition that is not the first"
submit -H -p main,tight --wrap true
first=$job
submit -H -p tight --wrap true
second=$job
refused "Job violates accounting policy" -H -p main,tight
refused "Job violates accounting policy" -H -p tight
submit -H -p main --wrap true
third=$job
run scontrol update jobid="$third" Partition=main,tight
is "moving there" $rc 1
has "its words" "$err" "Job violates accounting policy"
must scontrol update jobid="$first" Partition=main
must scontrol update jobid="$third" Partition=main,tight
must scancel "$first" "$second" "$third"
refused "Job violates accounting policy" -p main,tight --array=1-4

case_ "scratch space that no node has"
tmp=$(($(stat -f -c '%b * %S' /tmp) >> 20))
like "what the node has" "$(scontrol -o show node n1)" ".* TmpDisk=$tmp .*"
is "and sinfo" "$(sinfo -h -n n1 -o %d)" "$tmp"
refused "Requested node configuration is not available" --tmp=$((tmp + 1))
has "why" "$err" "too small a /tmp"
must srun --tmp=$tmp true
submit -N2 --exclusive wait.sh go
refused "Requested node configuration is not available" --tmp=9999999
wait_state "$job" RUNNING
touch go
wait_end "$job"
rm go

case_ "a reload with another default partition"
submit -N2 --exclusive wait.sh go
busy=$job
wait_state "$busy" RUNNING
submit --wrap true
plain=$job
is "named when it was submitted" "$(job_field "$plain" Partition)" main
submit -p other --deadline=now+1hour -t 5 --wrap true
dated=$job
config other other
must scontrol reconfigure
touch go
wait_end "$plain"
is "where it ran" "$(job_field "$plain" Partition)" main
rm go

case_ "a reload that lacks a partition"
submit -N2 --exclusive wait.sh go
wait_state "$job" RUNNING
submit -p other --deadline=now+1hour -t 5 --wrap true
dated=$job
config main othre
must scontrol reconfigure
wait_for 10 is_reason "$dated" PartitionConfig
is "it waits on" "$(job_state "$dated")" PENDING
config main other
must scontrol reconfigure
touch go
wait_state "$dated" COMPLETED

case_ "a reservation one of whose nodes has left"
must scontrol create reservation ReservationName=r1 StartTime=now+1hours Duration=60 Nodes=n1,n2 Users="$me"
sed -i 's/n\[1-2\]/n1/' "$STOKER_HOME/stoker.cfg"
must scontrol reconfigure
must scontrol update ReservationName=r1 Duration=120
has "extended" "$(scontrol show reservation r1)" "Duration=02:00:00"
run scontrol update ReservationName=r1 Nodes=n1,n3
is "a node that never was" $rc 1
