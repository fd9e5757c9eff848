#!/usr/bin/env bash
# What both systems are asked. A section prints "== name", then each command with its status, output and errors. Each begins with an
# empty queue. What only one of them can do stands in a section of its own, named in docs/SLURM-DIFFERENCES.md.
set -u
any=   # set: numbers of this section's jobs are masked wherever they stand
M=none # numbers of jobs, as an expression: masked where a number of a job is meant
section() {
    local ids
    ids=$(squeue -h -o %F | sort -u)
    [ -z "$ids" ] || scancel $ids
    until [ -z "$(squeue -h -o %i)" ]; do read -r -t 0.05 -u $nap_fd _; done
    M=none
    any=
    n=0
    [ "${only:-  }" = "  " ] || [[ $only == *" $1 "* ]] || return 1
    echo "== $1"
}
# run CMD...: all that it says
run() {
    local out rc
    out=$(timeout 20 "$@" 2>.stderr)
    rc=$?
    n=$((n + 1))
    {
        printf '$ %s (%d)\n' "$1" $n
        [ -z "$out" ] || printf '%s\n' "$out"
        sed 's/^/! /' .stderr
    } | sed -E "s/(JobId=|[Jj]ob |StepId=|allocation |afterok:)($M)\\b/\\1ID/g; s/\\b($M)_/ID_/g; ${any:+s/(^|[^:(0-9A-Za-z])($M)\\b/\\1ID/g}"
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
section options && {
    run squeue -ahN none
    run squeue --nonsense
    run squeue -Z
    run squeue --stat=R -h
    run squeue -t
    run squeue -h -o
    run squeue --noheader=3
    run sinfo --nonsense
    run sinfo -t nonsense -h
    run scancel
    run scancel nonsense
    run scancel 12_x
    run scancel -s NONSENSE 999
    run scancel -t nonsense
    run scancel 999.0
    run scancel -v 999
    run scancel -u no-such-user
}
section scontrol-words && {
    for w in 'hold' release requeue suspend resume update 'update Nonsense=1' show requeuehold notify 'notify 999 hello' pidinfo 'pidinfo 1' \
        wait_job 'wait_job 999' top 'listpids 999' listpids setdebug schedloglevel fsdampeningfactor write create delete 'delete jobid=999' \
        'show federation' 'show topology' 'show bbstat' 'show burstbuffer' 'show licenses' 'show reservation' 'completing' \
        'show job 1 2' 'ping x' 'show job nonsense' 'show partition main x' 'hold jobname=none' 'release jobname=none' \
        'update NodeName=none State=drain Reason=x' 'update NodeName=none State=nonsense' 'update NodeName=none' \
        'update NodeName=none State=down' 'update PartitionName=none State=UP' 'update ReservationName=none Duration=10' \
        'update StepId=999.0 TimeLimit=1' 'update StepId=x TimeLimit=1' 'delete ReservationName=none' 'delete partition=none' \
        'create reservation StartTime=now Duration=10 Nodes=ALL Users=nosuchuser' 'create reservation StartTime=now Duration=10' \
        'create reservation StartTime=now Nodes=ALL Users=root' 'create reservation StartTime=now Duration=10 Nodes=ALL Nonsense=1' \
        'reboot nosuch' 'show hostlistsorted n3,n1,n2' 'show hostlist n3,n1,n2' 'requeue x' 'suspend x'; do
        run bash -c "echo '-- $w'; scontrol $w"
    done
}
section submit-words && {
    for o in --nonsense -Z -n -nx -n0 -cx --mem=x --signal=x --signal=USR1@x -t-1 -t1:2:3:4 --nice=99999999999 --mail-type=x --open-mode=x \
        --hint=x --exclusive=x --tmp=x --mincpus=x --ntasks-per-node=x --ntasks-per-core=x --kill-on-invalid-dep=x --distribution=x \
        --get-user-env=x --wait-all-nodes=x --profile=x --cpu-freq=x --core-spec=x -Bx --switches=x --acctg-freq=x --delay-boot=x \
        --propagate=x --hold=x --uid=nosuch --mem-per-gpu=x --gpu-bind=x --gpu-freq=x --mem-bind=x --time-min=x -N2-1 -Nx; do
        run sbatch -H $o true.sh
    done
    for o in -nx -tx --mem=x --nonsense --signal=x -Nx --open-mode=x --hint=x --array=1 -cx --exclusive=x -Wx --kill-on-bad-exit=x --threads=x; do
        run srun $o true
    done
    for o in -nx -tx --mem=x --nonsense --signal=x -Nx --hint=x --array=1; do run salloc $o true; done
    run bash -c 'printf "#!/bin/bash\r\n" >s.sh; sbatch s.sh'
    run bash -c 'printf " #!/bin/bash\n" >s.sh; sbatch s.sh'
    run bash -c 'printf "#!/bin/bash\n\0\n" >s.sh; sbatch s.sh'
    run sbatch -H --wrap=true true.sh
}
section headers && {
    t() { cat >s.sh; echo "-- $1"; run bash -c "sbatch -H ${2-} s.sh | tr -d 0-9"; run squeue -h -o '%j|%C|%l|%k|%D'; scancel $(squeue -h -o %A); }
    t late < <(printf '#!/bin/bash\n\n# c\ntrue\n#SBATCH -J late\n')
    t blank < <(printf '#!/bin/bash\n\n\n   \n#SBATCH -J blank\n')
    t indent < <(printf '#!/bin/bash\n #SBATCH -J indent\n')
    t nospace < <(printf '#!/bin/bash\n#SBATCH-J nospace\n')
    t tab < <(printf '#!/bin/bash\n#SBATCH\t-J\ttab\n')
    t lower < <(printf '#!/bin/bash\n#sbatch -J lower\n')
    t twice < <(printf '#!/bin/bash\n#SBATCH -J one\n#SBATCH -J two\n')
    t comment < <(printf '#!/bin/bash\n#SBATCH -J a#b # c d\n')
    t quotes < <(printf "#!/bin/bash\n#SBATCH --comment='a \"b\" c' -J \"x y\"\n")
    t midquote < <(printf '#!/bin/bash\n#SBATCH --comment=a"b c"d\n')
    t python < <(printf '#!/usr/bin/env python3\n#SBATCH -J py\nprint(1)\n')
    t cmdline '-J cl -n 3' < <(printf '#!/bin/bash\n#SBATCH -J hd -n 2\n')
    t nonewline < <(printf '#!/bin/bash\n#SBATCH -J nonl')
    t sources '--ntasks=2' < <(printf '#!/bin/bash\n#SBATCH --ntasks=3 --time=1:0:0\n')
}
queue_of_three() {
    any=1
    file sleep.sh <<'S'
echo hi
exec sleep 100
S
    submit -J run -n 2 -c 2 -t 1-2:3:4 --comment 'c c' sleep.sh
    wait_state "$id" RUNNING
    submit -J wait -n 4 -t 10 --nice=5 sleep.sh
    submit -H -J arr -a 1-20%3 sleep.sh
    local i
    for ((i = 0; i < 100; i++)); do [ "$(squeue -h -n wait -o %r)" = Resources ] && break; read -r -t 0.05 -u $nap_fd _; done
}
# The start that its backfill expects is known after its next pass, half a minute later.
section squeue-expected && {
    queue_of_three
    for ((i = 0; i < 1200; i++)); do [ "$(squeue -h -n wait -o %S)" != N/A ] && break; read -r -t 0.05 -u $nap_fd _; done
    run squeue -S j -o '%j %S'
    run squeue -h -n wait -O starttime
    run sh -c 'scontrol show job "$(squeue -h -n wait -o %A)" | grep -E "^ +StartTime="'
    run squeue -h -n wait -o '%e %L %M %l'
    run squeue --start -h -n wait
}
section squeue-letters && {
    queue_of_three
    for c in A b B c C d D E f F g G h H i I j J k K l L N n O o P r R t T u U v w W x X y z; do run squeue -S j -o "%$c"; done
    run squeue -S j
    run squeue -S j -l -h
    run squeue -S j -r -h -o '%i %K %F'
    run squeue -S j -o '%05j|%.5j|%t'
    run squeue -S j -h -o '\t%j\n'
    run squeue -h -S i -o %j
    run squeue -h -S j,i -o %j
    run squeue -h -S -j -o %j
    run squeue -s -h -o '%i %j %u %N %P'
    run squeue -s
    run squeue -s -o '%A %j %b'
    run squeue -O nonsense -h
    run squeue -O 'jobid,name:>,state' -S j -h
    run squeue -n run,arr -S j -h -o %j
    run squeue -n nonsense -h -o %j
    run squeue -A x -h -o %j
    run squeue -q x -h -o %j
    run squeue -R x -h -o %j
    run squeue -L x -h -o %j
    run squeue -t pd,r -S j -h -o %j
    run squeue -p main,x -S j -h -o %j
    run squeue -j x -h
    run squeue -j 999,x -h
    run squeue -u "$(id -un)" -S j -h -o %j
    run squeue -u "$(id -u)" -S j -h -o %j
    run squeue --me -S j -h -o %j
    run squeue -h -S nonsense -o %j
    run squeue -w none -h -o %j
}
section squeue-names && {
    queue_of_three
    for f in arrayjobid arraytaskid batchflag batchhost boardspernode burstbuffer clusterfeature comment contiguous cores corespec cpus-per-task \
        cpus-per-tres deadline delayboot dependency feature groupid groupname hetjobid jobarrayid jobid licenses maxcpus mcslabel \
        mem-per-tres mincpus mintmpdisk name network nice nodelist ntperboard ntpercore ntpernode ntpersocket numcpus numnodes numtasks \
        origin originraw oversubscribe partition profile reason reasonlist reboot reqnodes reqswitch requeue reservation \
        restartcnt schednodes sct siblingsactive siblingsviable sockets sperboard state statecompact threads timelimit timeused tres-bind tres-freq \
        tres-per-job tres-per-node tres-per-socket tres-per-task userid username wait4switch wckey; do
        run squeue -S j -O "$f:30"
    done
    run bash -c "scontrol show job $(squeue -h -n run -o %A) | grep -vE 'Time=|AllocNode|TRES|UserId|Priority|MinMemory|^ *\$|Power|Mem'"
    run bash -c "scontrol show job $(squeue -h -n wait -o %A) | grep -vE 'Time=|AllocNode|TRES|UserId|Priority|MinMemory|^ *\$|Power|Mem'"
}
section squeue-newer && {
    queue_of_three
    run squeue -S j -o '%a'
    run squeue -S j -O account:30
    run squeue -S j -o '%q'
    run squeue -S j -O qos:30
    run squeue -S j -o '%m'
    run squeue -S j -O 'accrue:30'
    run squeue -S j -O exit_code:20,derivedec:20
    run squeue -S j -O lastschedeval:20,maxnodes:20,cpufreq:20,nodes:20,tres:60
    run squeue -t PENDING,x -h -o %j
    run squeue -h -i 0
    run squeue operand
}
section sinfo-forms && {
    run sinfo
    run sinfo -s
    run bash -c "sinfo -N | tr -s ' '"
    run bash -c "sinfo -N -l | tail -n +2 | sed 's/ *[0-9]* *[0-9]* *1 *(null) none//; s/ *MEMORY.*//' | tr -s ' '"
    run sinfo -R
    run sinfo -R -l -h
    for c in A a C D E F f G g h I L l N n P R r S s T t U u X Y Z z p B H; do run sinfo -o "%$c"; done
    run sinfo -e -h -o '%n %t'
    run sinfo -r -h -o '%n %t'
    run sinfo -t idle -h
    run sinfo -T
    run sinfo -o '%10P|%.10P'
    run sinfo -o '%y %x'
    run sinfo operand
    run sinfo -O 'partition:5,nodes:.3,statelong:|'
    for f in available cores cpus cpusstate defaulttime gres gresused groups maxcpuspernode nodeai nodeaiot nodelist nodes oversubscribe partition \
        partitionname preemptmode priorityjobfactor prioritytier reason root size socketcorethread sockets statecompact statelong statecomplete threads \
        time timestamp user weight; do
        run sinfo -O "$f:30"
    done
    run sinfo -S P -h -o %P
}
section sinfo-newer && {
    run sinfo -l -h
    run sinfo -o '%#P|'
    run sinfo -p none
    run sinfo -n none
    run sinfo -i x
    run sinfo -O comment,extra,port,userlong
    run sinfo -o '%o|%O|%V|%v|%i|%w'
}
section windows && {
    kept() { for ((i = 0; i < 400; i++)); do [ "$(sinfo -h -o %t)" = "$1" ] && return; read -r -t 0.05 -u $nap_fd _; done; }
    run scontrol create reservation ReservationName=m1 StartTime=now Duration=10 Nodes=ALL Users="$(id -un)" Flags=maint,ignore_jobs
    kept maint
    run sinfo
    run sinfo -h -o '%t %T %D'
    for st in maint resv idle; do run sinfo -h -t $st -o '%t'; done
    run bash -c 'scontrol show node | grep -oE "State=[^ ]*"'
    run sinfo -h -O statelong,statecomplete,statecompact
    run scontrol delete ReservationName=m1
    kept idle
    run scontrol create reservation ReservationName=r1 StartTime=now Duration=10 Nodes=ALL Users="$(id -un)"
    kept resv
    run sinfo -h -o '%t %T %D'
    for st in maint resv idle; do run sinfo -h -t $st -o '%t'; done
    run bash -c 'scontrol show node | grep -oE "State=[^ ]*"'
    submit --reservation=r1 --wrap 'sleep 30'
    wait_state "$id" RUNNING
    run sinfo -h -o '%t %T %D'
    run bash -c 'scontrol show node | grep -oE "State=[^ ]*"'
    run squeue -h -R r1 -o %t
    scancel "$id"
    wait_state "$id" CANCELLED
    run scontrol delete ReservationName=r1
    kept idle
}
in_job() {
    { echo '#!/bin/bash'; cat; } >ij.sh
    submit "$@" -o ij.out ij.sh
    wait_state "$id" "$ENDED"
    echo "-- $*"
    sed -E "s/\\b$id\\b/ID/g" ij.out
}
section steps && {
    in_job -n 2 <<<'srun hostname | wc -l'
    in_job -n 2 <<<'srun -n 1 -l echo a; srun -n 2 -l echo b | sort'
    in_job -n 4 <<<'srun -n 1 -c 2 bash -c "echo \$SLURM_CPUS_PER_TASK \$SLURM_CPUS_ON_NODE \$SLURM_STEP_ID"; srun -n 1 bash -c "echo \$SLURM_CPUS_ON_NODE"'
    in_job -n 2 -c 2 <<<'srun bash -c "echo \$SLURM_CPUS_PER_TASK \$SLURM_NTASKS \$SLURM_STEP_ID" | sort'
    in_job -a 7 <<<'echo $SLURM_ARRAY_TASK_ID $SLURM_ARRAY_TASK_COUNT $SLURM_ARRAY_TASK_MIN $SLURM_ARRAY_TASK_MAX $SLURM_ARRAY_TASK_STEP'
    in_job -n 3 --ntasks-per-node=3 <<<'echo $SLURM_NTASKS $SLURM_NTASKS_PER_NODE $SLURM_TASKS_PER_NODE $SLURM_NPROCS'
    in_job -N 1 <<<'echo n=$SLURM_NTASKS t=$SLURM_TASKS_PER_NODE c=$SLURM_CPUS_PER_TASK nn=$SLURM_NNODES'
    in_job --exclusive <<<'echo $SLURM_CPUS_ON_NODE $SLURM_JOB_CPUS_PER_NODE $SLURM_TASKS_PER_NODE'
    in_job --export=NONE <<<'echo "${HOME:+home} ${X-unset} $SLURM_EXPORT_ENV"'
    X=7 in_job --export=X <<<'echo $X $SLURM_EXPORT_ENV'
    X=7 in_job --export=ALL,Z=3 <<<'echo $X $Z $SLURM_EXPORT_ENV'
    in_job <<<'exit 300'
    in_job <<<'srun -n 1 bash -c "exit 9"; srun -n 1 true'
    run bash -c "scontrol show job $id | grep -oE '(ExitCode|JobState)=[^ ]*'"
    in_job <<<'srun --jobid=$SLURM_JOB_ID -n1 echo j'
    in_job <<<'echo a; echo b >&2'
    in_job -D / <<<'pwd; echo $SLURM_SUBMIT_DIR | sed s#.*/##'
}
section files && {
    printf '#!/bin/bash\nfor a; do echo "[$a]"; done\n' >args.sh
    submit -o args.out args.sh 'a b' '$x' "q'q" -n 5
    wait_state "$id" "$ENDED"
    cat args.out
    submit -o 'pat.%j.%A.%a.%N.%n.%t.%u.%x.%s.%J.%4j.%%' -J nm --wrap true
    wait_state "$id" "$ENDED"
    ls pat.* | sed -E "s/\b0*$id\b/ID/g"
    submit -o 'back\\%j.out' --wrap 'echo x'
    wait_state "$id" "$ENDED"
    ls | grep back
    submit -o e.out -e e.err --wrap 'echo o; echo e >&2'
    wait_state "$id" "$ENDED"
    cat e.out e.err
    for t in 1 2; do submit -o tr.out --wrap "echo $t"; wait_state "$id" "$ENDED"; done
    submit -o tr.out --open-mode=append --wrap 'echo 3'
    wait_state "$id" "$ENDED"
    cat tr.out
    submit -i e.out -o in.out --wrap cat
    wait_state "$id" "$ENDED"
    cat in.out
    run bash -c 'srun -n 2 --output=o.%t.%n.%x.%% bash -c "echo \$SLURM_PROCID"; ls o.*'
    run bash -c 'srun -n 2 --output=q%3t bash -c "echo \$SLURM_PROCID"; ls q*'
    run bash -c 'srun -n 2 --output=1 bash -c "echo \$SLURM_PROCID"'
    run bash -c 'srun -n 2 --output=none echo x'
    run bash -c 'echo in | srun -n 2 -l --input=1 cat'
    run bash -c 'echo in | srun -n 2 -l --input=all cat | sort'
    run bash -c 'echo in >f; srun -n 2 -l --input=f cat | sort'
}
section files-made && {
    submit -o 'nodir/a/b.out' --wrap 'echo x'
    wait_state "$id" "$ENDED"
    run squeue -h -t all -j "$id" -o '%T %r'
}
section messages && {
    file n.sh <<'S'
echo ready
for ((i = 0; i < 300; i++)); do sleep 0.1; done
S
    submit -o n.out n.sh
    wait_state "$id" RUNNING
    until grep -qs ready n.out; do read -r -t 0.05 -u $nap_fd _; done
    run scontrol notify "$id" 'hello there' you
    for ((i = 0; i < 100; i++)); do
        grep -q hello n.out && break
        read -r -t 0.05 -u $nap_fd _
    done
    run cat n.out
    run bash -c "scontrol listpids $id | awk 'NR < 3 { print (NR > 1 ? \"PID ID\" : \$1 FS \$2), \$3, \$4, \$5 }'"
    run bash -c "scontrol wait_job $id"
    submit -H true.sh
    run scontrol wait_job "$id"
}
section accounting-words && {
    for o in '-i x' '-I x-3' '-k x' '-j x' '-s nonsense' '-g nosuchgroup' '-u no-such-user'; do run sacct $o; done
    run sstat
    run sstat -e
    run sprio -j x
    run bash -c 'sshare | head -1'
    run bash -c 'sdiag | head -2 | sed "s/ at .*//"'
}
section files-workdir && {
    submit -D /nonexistent -o "$PWD/nd.out" --wrap pwd
    wait_state "$id" "$ENDED"
    cat nd.out
}
section submit-explained && {
    for o in --array=x --array=1:2 --array=1-99999999 --dependency=x --dependency=afterok --gres=x --gpus=x --licenses=x --begin=x --deadline=x \
        --constraint=x -pnone -wnone --time=99999999999999999999; do
        run sbatch -H $o true.sh
    done
    for e in SBATCH_TIMELIMIT=x SBATCH_MEM_PER_NODE=x SBATCH_SIGNAL=x SBATCH_EXCLUSIVE=x; do run env $e sbatch -H true.sh; done
    run bash -c 'printf "#!/bin/bash\n#SBATCH --nonsense\n" >s.sh; sbatch s.sh'
    run bash -c 'printf "#!/bin/bash\n#SBATCH -t nonsense\n" >s.sh; sbatch s.sh'
    run bash -c 'printf "#!/bin/bash\n#SBATCH -J x word\n" >s.sh; sbatch s.sh'
    run bash -c 'printf "#!/bin/bash\n#SBATCH -J \"x\n" >s.sh; sbatch s.sh'
    run srun --mpi=x true
    run srun --mpi=pmix true
    run srun --mpi=list
    run srun --jobid=999 true
    run srun -N 5 -I true
    run srun --test-only -n 99 true
}
section submit-stricter && {
    run sbatch -H --array=1-3%x true.sh
    run sbatch -H --array=, true.sh
    run sbatch -H --nice=x true.sh
    run sbatch -H -N0 true.sh
    run sbatch -H --priority=x true.sh
    run sbatch -H --qos=x true.sh
    run sbatch -H --bb=x true.sh
}
section headers-others && {
    t() { cat >s.sh; echo "-- $1"; run bash -c "sbatch -H ${2-} s.sh | tr -d 0-9"; run squeue -h -o '%j|%l|%k'; scancel $(squeue -h -o %A); }
    t pbs < <(printf '#!/bin/bash\n#PBS -N pbsname\n#PBS -l walltime=00:10:00\n')
    t bsub < <(printf '#!/bin/bash\n#BSUB -J bsubname\n')
    t backslash < <(printf '#!/bin/bash\n#SBATCH --comment=a\\ b\n')
    t empty < <(printf '#!/bin/bash\n#SBATCH --comment=\n')
}
section end >/dev/null
exit 0
