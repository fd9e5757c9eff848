#!/usr/bin/env bash
# What both systems are asked. A section prints "== name", then each command with its status, output and errors. Each begins with an
# empty queue. What only one of them can do stands in a section of its own, named in docs/SLURM-DIFFERENCES.md.
set -u
M=none # numbers of jobs, as an expression: masked where a number of a job is meant
section() {
    local ids
    ids=$(squeue -h -o %F | sort -u)
    [ -z "$ids" ] || scancel $ids
    until [ -z "$(squeue -h -o %i)" ]; do read -r -t 0.05 -u $nap_fd _; done
    M=none
    n=0
    [ "${only:-  }" = "  " ] || [[ $only == *" $1 "* ]] || return 1
    echo "== $1"
}
# run CMD...: all that it says
run() {
    local out rc
    out=$("$@" 2>.stderr)
    rc=$?
    n=$((n + 1))
    {
        printf '$ %s (%d)\n' "$1" $n
        [ -z "$out" ] || printf '%s\n' "$out"
        sed 's/^/! /' .stderr
    } | sed -E "s/(JobId=|[Jj]ob |StepId=|allocation |afterok:)($M)\\b/\\1ID/g; s/\\b($M)_/ID_/g"
    [ $rc -eq 0 ] || echo "status $rc"
}
# submit ARGS...: sbatch; the number is in $id, and masked
submit() {
    id=$(sbatch --parsable "$@")
    M="$M|$id"
}
state_is() { [[ " $2 " == *" $(squeue -h -t all -o %T -j "$1" 2>/dev/null) "* ]]; }
exec {nap_fd}<> <(:)
wait_state() {
    local i
    for ((i = 0; i < 200; i++)); do
        state_is "$1" "$2" && return
        read -r -t 0.05 -u $nap_fd _
    done
    echo "job ID is $(squeue -h -t all -o '%T %r' -j "$1"), not $2"
}
ENDED="COMPLETED FAILED CANCELLED TIMEOUT"
file() { { echo '#!/bin/bash'; cat; } >"$1"; chmod +x "$1"; }
file true.sh <<<'true'

section versions && for c in sbatch srun squeue scancel sinfo scontrol; do run bash -c "$c --version | cut -d' ' -f1"; done
section empty && {
    run squeue
    run squeue -h
    run squeue -o '%i|%P'
    run squeue -O jobid,state
    run scontrol show job
    run scontrol show steps
    run sinfo -h -o '%t %D %R'
    run sinfo -o '%9P %.5a %.10l %.6D %.6t %N'
    run sinfo -N -h -o '%N %T'
    run squeue -p none -h
    run scancel 999
}
section unknown && {
    run squeue -j 999
    run squeue -j 998,999 -h
    run scontrol show job 999
    run scontrol update JobId=999 TimeLimit=5
    run scontrol release 999
    run scontrol show partition none
    run scontrol show node none
}
section unknown-words && {
    run squeue -t nonsense
    run squeue -u no-such-user -h
    run scontrol show hostnames
    run scontrol show hostnames 'n[1'
    run scontrol requeue 999
    run scontrol hold 999
}
section keywords && {
    run scontrol nonsense
    run scontrol show nonsense
}
section hosts && {
    run scontrol show hostnames 'n[1-3,07-09],x'
    run scontrol show hostlist n1,n2,n3,x
    run scontrol show hostnames 'a[1-2]b[3-4]'
}
section refused && {
    run sbatch no-such-file.sh
    run bash -c 'printf "no interpreter\n" | sbatch'
    run bash -c 'printf "" | sbatch'
}
section refused-earlier && {
    run sbatch -H -n 99999 true.sh
    run sbatch -H --dependency=afterok:99999 true.sh
}
section refused-words && {
    run sbatch --array=5-1 true.sh
    run sbatch -p none true.sh
    run sbatch -w none true.sh
    run sbatch --time=nonsense true.sh
    run sbatch --mem=nonsense true.sh
    run srun
    run salloc -p none true
}
section held && {
    run bash -c 'sbatch -H -J "a b" -t 90 --comment "x y" -c 2 -o out.%j -e err.%j true.sh | tr -d 0-9'
    id=$(squeue -h -o %A) M=$id
    run squeue -h -o '%P|%j|%t|%T|%M|%D|%R|%r|%l|%L|%C|%m|%c|%N|%B|%S|%e|%K|%E|%b|%k|%v|%w|%h|%O|%z|%X|%n|%x|%f|%y'
    run squeue -h -o '%.9P %.8j %.2t %.10M %.6D %R'
    run squeue -h -O 'name,state,statecompact,timelimit,numcpus,numnodes,reason,partition,minmemory,comment'
    run squeue -h -O 'name:5,state:.12,timelimit:0|,reason:|'
    run bash -c "scontrol -o show job $id | tr ' ' '\n' | grep -E '^(JobId|JobName|Priority|JobState|Reason|Dependency|Requeue|Restarts|BatchFlag|ExitCode|RunTime|TimeLimit|TimeMin|StartTime|EndTime|Deadline|Partition|ReqNodeList|ExcNodeList|NodeList|CPUs/Task|MinCPUsNode|Features|OverSubscribe|Contiguous|Licenses|Network|Comment)='"
    run scontrol update JobId="$id" TimeLimit=30 JobName=new Comment=z
    run squeue -h -o '%l %j %k'
    run scontrol update JobId="$id" Nonsense=1
    run scontrol update JobId="$id" TimeLimit=nonsense
    run scontrol release "$id"
    wait_state "$id" "$ENDED"
    run squeue -h -t all -j "$id" -o '%t %r %R'
}
section suspend && {
    submit -H true.sh
    run scontrol suspend "$id"
}
section arrays && {
    submit -H -a 1-9:2%4 true.sh
    run squeue -h -o '%F_%K|%t|%r' -j "$id"
    run bash -c "squeue -h -r -j $id -o %K | tr '\n' ' '"
    run squeue -h -j "${id}_3" -o %K
    run scancel "${id}_[1-3]"
    run squeue -h -j "$id" -o %K
    run scontrol update JobId="$id" ArrayTaskThrottle=2
    run squeue -h -j "$id" -o %K
    run scancel "$id"
    run squeue -h -j "$id"
}
section arrays-unknown && {
    submit -H -a 1-3 true.sh
    run squeue -h -j "${id}_4" -o %K
}
section environment && {
    file env.sh <<'S'
#SBATCH -J "two words" -n 2 --time=5
#SBATCH --cpus-per-task=2   # a comment
##SBATCH -J other
env | grep -E '^SLURM_(JOB_NAME|NTASKS|NPROCS|CPUS_PER_TASK|TASKS_PER_NODE|JOB_CPUS_PER_NODE|CPUS_ON_NODE|NNODES|JOB_NUM_NODES|NODEID|PROCID|LOCALID|GTIDS|JOB_PARTITION|ARRAY_.*)=' | sort
srun bash -c 'env | grep -E "^SLURM_(NTASKS|STEP_NUM_TASKS|STEP_NUM_NODES|STEP_ID|STEPID|STEP_TASKS_PER_NODE|PROCID|LOCALID|NODEID|GTIDS|CPUS_PER_TASK|NPROCS)=" | sort >env.$SLURM_PROCID'
cat env.0 env.1
S
    submit -o env.out env.sh
    wait_state "$id" "$ENDED"
    run cat env.out
    submit -a 2-6:2 -o env.%a.out --wrap "env | grep -E ^SLURM_ARRAY_TASK | sort"
    wait_state "${id}_6" "$ENDED"
    wait_state "${id}_4" "$ENDED"
    run cat env.4.out
}
ends() {
    submit -o code.out --wrap "$1"
    wait_state "$id" "$ENDED"
    run squeue -h -t all -j "$id" -o '%T %r'
    run bash -c "scontrol -o show job $id | tr ' ' '\n' | grep -E '^(JobState|ExitCode|Reason)='"
}
section codes && {
    for c in 'exit 0' 'exit 7' 'srun bash -c "exit 3"; exit 1' 'no-such-program'; do ends "$c"; done
    run sbatch -Q -W --wrap 'exit 5'
    submit -o /dev/null/x true.sh
    wait_state "$id" "$ENDED"
}
section codes-signals && for c in 'kill -9 $$' 'kill -15 $$'; do ends "$c"; done
section srun && {
    run bash -c "srun -n 2 -l bash -c 'echo \$SLURM_PROCID; exit \$SLURM_PROCID' | sort; echo \${PIPESTATUS[0]}"
    run bash -c 'srun no-such-program 2>&1 | sort; echo ${PIPESTATUS[0]}'
    run srun -n 3 bash -c 'exit $((SLURM_PROCID + 3))'
    run bash -c 'echo hello | srun -n 2 cat'
    run bash -c 'echo hello | srun -n 2 --input=none cat'
    printf '0 echo zero %%t %%o\n1-2 echo more %%t %%o\n' >multi.conf
    run bash -c 'srun -n 3 -l --multi-prog multi.conf | sort'
    run bash -c 'srun -n 2 --output=step.%t.out bash -c "echo \$SLURM_PROCID"; cat step.0.out step.1.out'
}
section srun-words && {
    run srun bash -c 'kill -9 $$'
    printf '0 echo zero\n' >multi.conf
    run srun -n 3 --multi-prog multi.conf
    run srun --mpi=nonsense true
    run bash -c 'srun -n 2 -K bash -c "[ \$SLURM_PROCID = 0 ] && exit 1; sleep 30"; echo $?'
}
section salloc && {
    run bash -c "salloc -n 2 bash -c 'echo \$SLURM_NTASKS; srun bash -c \"echo step\"' 2>err; echo \$?; sed 's/[0-9][0-9]*/ID/' err"
    run bash -c "salloc bash -c 'exit 4' 2>err; echo \$?; sed 's/[0-9][0-9]*/ID/' err"
}
section signals && {
    file trap.sh <<'S'
trap 'echo usr1' USR1
trap 'echo term; exit 9' TERM
echo ready
for ((i = 0; i < 300; i++)); do sleep 0.1; done
S
    submit -o trap.out trap.sh
    wait_state "$id" RUNNING
    until grep -qs ready trap.out; do read -r -t 0.05 -u $nap_fd _; done
    run scancel -b -s USR1 "$id"
    until grep -qs usr1 trap.out; do read -r -t 0.05 -u $nap_fd _; done
    run scancel "$id"
    wait_state "$id" "$ENDED"
    run grep -E '^(ready|usr1|term)$' trap.out
    run squeue -h -t all -j "$id" -o '%T'
}
section dependencies && {
    submit -H true.sh
    first=$id
    submit -d afterok:"$first" true.sh
    run squeue -h -j "$id" -o '%T %r %E'
    run scancel "$first"
    wait_state "$first" CANCELLED
    for ((i = 0; i < 100; i++)); do
        [ "$(squeue -h -j "$id" -o %r)" = Dependency ] || break
        read -r -t 0.05 -u $nap_fd _
    done
    run squeue -h -j "$id" -o '%T %r'
}
section show && {
    run bash -c 'scontrol -o show partition main | tr " " "\n" | grep -E "^(PartitionName|AllowGroups|AllowAccounts|AllowQos|Default|DefaultTime|Hidden|MaxNodes|MaxTime|MinNodes|PriorityJobFactor|PriorityTier|State|TotalCPUs|TotalNodes|OverSubscribe|PreemptMode)="'
    run bash -c 'scontrol -o show node | tr " " "\n" | grep -E "^(CPUAlloc|CPUTot|Partitions|State|ThreadsPerCore|Owner|MCS_label)="'
    run bash -c 'scontrol show config | grep -E "^(KillWait|MaxArraySize|ClusterName) "'
    run bash -c 'scontrol ping | sed "s/ at .* is/ at X is/"'
}
section end >/dev/null
exit 0
