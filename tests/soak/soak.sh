#!/usr/bin/env bash
# Everything at once, for as long as one likes: four nodes, random jobs, random commands about them, and kill -9 of controller,
# agents and supervisors at random. make soak, SOAK_SECONDS (900) of it; STOKER_TEST_SEED plays the same choices again (what they
# meet is another thing each time).
#
# What must hold is read from what the jobs themselves wrote and hold: each keeps a lock for itself and one for each of its
# cards, which only the end of its last process gives back. In the last third the controller is not killed: its memory and its
# descriptors must not grow. In the end: every acknowledged job is known and has ended, none has run twice, no card has been two
# jobs', no process is left, and a restart finds what was there.
# test-timeout: 90000
# test-alone
. stoker.sh
SECONDS_ALL=${SOAK_SECONDS:-900}
RANDOM=${STOKER_TEST_SEED:-$$}
echo "STOKER_TEST_SEED=${STOKER_TEST_SEED:-$$}"
RSS_MORE_KIB=8192 # a queue of some hundred jobs comes and goes
FDS_MORE=6
mkdir locks out
export WORK

# $1: nodes  $2: partitions with jobs of a higher tier: yes or no
config() {
    local n list="" high=""
    for n in $1; do
        list+="${list:+, }{ name = \"$n\"; transport = \"local\"; cpus = 6; memory = \"8G\"; gpus = 2; gpu_type = \"a100\"; detect = false; }"
    done
    [ "$2" = no ] || high=", { name = \"high\"; nodes = \"${1// /,}\"; priority_tier = 10; }"
    cat >"$STOKER_HOME/stoker.cfg" <<CFG
cluster = "soak";
nodes = ( $list );
partitions = ( { name = "main"; nodes = "${1// /,}"; default = true; preempt_mode = "requeue"; grace_time = "1s"; }$high );
qos = ( { name = "normal"; }, { name = "urgent"; priority = 100; preempt = ["normal"]; } );
limits = ( { scope = "user"; name = "*"; soft = { gpus = 3; }; hard = { running_jobs = 200; }; } );
kill_wait = "1s"; min_job_age = "20s"; node_timeout = "15s";
CFG
}

cat >job.sh <<'E'
#!/bin/bash
# job.sh HOW TENTHS CODE
wrong() { echo "$1" >>"$WORK/wrong"; }
claim() { # FILE TEXT: held by every process that comes of this one
    exec {fd}>>"$WORK/locks/$1"
    flock -n "$fd" || wrong "$2 (job $SLURM_JOB_ID, start ${SLURM_RESTART_COUNT:-0}, on $SLURMD_NODENAME)"
}
doze() { local i; for ((i = 0; i < $1; i++)); do read -r -t 0.1 <> <(:); done; }
claim "job.$SLURM_JOB_ID" "a job that runs twice"
for g in ${CUDA_VISIBLE_DEVICES//,/ }; do claim "gpu.$SLURMD_NODENAME.$g" "card $g is two jobs'"; done
echo "S $SLURM_JOB_ID ${SLURM_RESTART_COUNT:-0} $$" >>"$WORK/ledger"
case $1 in
stubborn) trap '' TERM USR1 ;;
polite) trap 'exit 3' TERM ;;
escape) setsid bash -c 'trap "" TERM; sleep 900' & ;;
steps) for i in 1 2 3; do srun -Q -n 1 -N 1 bash -c 'read -r -t 0.2 <> <(:)' & done; wait ;;
wide) srun -Q bash -c 'read -r -t 0.3 <> <(:)' ;;
prints) for i in {1..2000}; do echo "$i ......................................................................"; done ;;
esac
doze "$2"
echo "E $SLURM_JOB_ID ${SLURM_RESTART_COUNT:-0} $3" >>"$WORK/ledger"
exit "$3"
E
chmod +x job.sh
cat >steps.job <<'E'
name = "declared"; time = "10:00";
steps = ( { name = "a"; tasks = 3; cpus = 1; command = "read -r -t 0.2 <> <(:)"; },
          { name = "b"; tasks = 2; cpus = 1; gpus = 1; command = "read -r -t 0.3 <> <(:)"; } );
E

pick() { printf -v "$1" '%s' "${@:$((RANDOM % ($# - 1) + 2)):1}"; } # pick VARIABLE WORD...
until_ms=0
over() { [ "$(now_ms)" -ge "$until_ms" ]; }

# A command may be refused, or find no controller; it may not die of a signal.
try() {
    timeout 60 "$@" >/dev/null 2>&1
    local rc=$?
    [ $rc -lt 124 ] || [ $rc -eq 127 ] || echo "status $rc of: $*" >>wrong
}

submitter() { # SEED: a client that submits
    local how cpus gpus tenths code id args
    RANDOM=$1
    until over; do
        pick how plain plain plain stubborn polite escape steps wide prints
        pick cpus 1 1 1 2 3
        pick gpus 0 0 1 2
        pick tenths 1 3 10 30 60
        pick code 0 0 0 5
        args=(-Q --parsable -o "out/%j" -c "$cpus" --requeue)
        [ "$gpus" = 0 ] || args+=(--gpus="$gpus")
        [ "$how" != wide ] || args+=(-N 2 --gpus=0)
        case $((RANDOM % 14)) in
        0) args+=(-p high) ;;
        1) args+=(--array=0-$((RANDOM % 6))%2) ;;
        2) args+=(-H) ;;
        3) args+=(-t 0:0:$((RANDOM % 4 + 1))) ;;
        4) args+=(--begin=now+$((RANDOM % 5))) ;;
        5) [ ! -s acked ] || args+=(--dependency="afterany:$(tail -n 1 acked)") ;;
        6) args+=(--qos=urgent) ;;
        7) args+=(--exclusive) ;;
        8) args+=(--no-requeue) ;;
        esac
        if [ $((RANDOM % 12)) = 0 ]; then
            id=$(timeout 60 stoker submit steps.job 2>/dev/null) && echo "$id" >>acked
        else
            id=$(timeout 60 sbatch "${args[@]}" job.sh "$how" "$tenths" "$code" 2>/dev/null) && echo "$id" >>acked
        fi
        until_ 5 not_too_many
    done
}
queued=0
not_too_many() { over || [ "$(squeue -h 2>/dev/null | wc -l)" -lt 150 ]; }

asker() { # a client that only queries
    RANDOM=$1
    until over; do
        pick what "squeue -a -t all" "squeue --json" "squeue --start" "sinfo -N -l" "sacct -X" "sprio" "sdiag" "sshare -a" \
            "stoker why $(tail -n 1 acked 2>/dev/null)" "scontrol show job" "stoker plan" "stoker gpus" \
            "stoker output $(tail -n 1 acked 2>/dev/null)"
        # shellcheck disable=SC2086
        try $what
        nap; nap; nap
    done
}

any_job() {
    local ids
    mapfile -t ids < <(squeue -h -a -t all -o %i 2>/dev/null)
    [ ${#ids[@]} -gt 0 ] && job=${ids[RANDOM % ${#ids[@]}]}
}
any_node() { pick node n1 n2 n3 n4; }

about_a_job() {
    any_job || return
    case $((RANDOM % 12)) in
    0 | 1) try scancel "$job" ;;
    2) try scontrol requeue "$job" ;;
    3) try scontrol requeuehold "$job" ;;
    4) try scontrol hold "$job" ;;
    5) try scontrol release "$job" ;;
    6) try scontrol suspend "$job" ;;
    7 | 8) try scontrol resume "$job" ;;
    9) try scontrol update "job=$job" "TimeLimit=0:0:$((RANDOM % 20 + 1))" ;;
    10) try scancel -s USR1 "$job" ;;
    11) # all at once
        try scontrol requeue "$job" &
        try scancel "$job" &
        try scontrol resume "$job" &
        wait $! ;;
    esac
}

about_a_node() {
    any_node
    case $((RANDOM % 5)) in
    0) try scontrol update "nodename=$node" state=drain reason=soak ;;
    1 | 2) try scontrol update "nodename=$node" state=resume ;;
    3) config "n1 n2 n3" no && try scontrol reconfigure ;; # a node and a partition that are in use go
    4) config "n1 n2 n3 n4" yes && try scontrol reconfigure ;;
    esac
}

kill_one() { # of the numbers
    [ $# -eq 0 ] || kill -KILL "${@:$((RANDOM % $# + 1)):1}" 2>/dev/null
}

kill_something() {
    any_node
    local pids
    case $1 in
    controller)
        controller_kill9
        must stoker up ;;
    agent) kill_one $(agent_pid "$node") ;;
    shim)
        pids=$(shim_pids)
        # shellcheck disable=SC2086
        kill_one $pids ;;
    both)
        kill_one $(agent_pid "$node")
        controller_kill9
        must stoker up ;;
    shim_and_agent)
        pids=$(shim_pids)
        # shellcheck disable=SC2086
        kill_one $pids
        kill_one $(agent_pid "$node") ;;
    esac
}

look() {
    is_alive "$(controller_pid)" || fail "the controller is gone by itself"
    [ ! -e wrong ] || fail "what must not be" "$(cat wrong)"
}

chaos() { # SECONDS KILL...
    local end=$(($(now_ms) + $1 * 1000)) what
    shift
    while [ "$(now_ms)" -lt $end ]; do
        look
        case $((RANDOM % 20)) in
        0) about_a_node ;;
        1 | 2) pick what "$@"; kill_something "$what" ;;
        *) about_a_job ;;
        esac
        nap
    done
}

figures() { # of the controller, into rss and fds
    rss=$(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$1/status")
    fds=$(find "/proc/$1/fd" -mindepth 1 2>/dev/null | wc -l)
}

# --- the run ---

config "n1 n2 n3 n4" yes
cluster_start
until_ms=$(($(now_ms) + SECONDS_ALL * 1000))
for i in 1 2; do submitter $RANDOM & done
asker $RANDOM &

case_ "everything is killed"
chaos $((SECONDS_ALL * 2 / 3)) controller controller agent agent shim shim both shim_and_agent

case_ "the controller is left alone"
life=$(controller_pid)
chaos $((SECONDS_ALL / 9)) agent shim
figures "$life"
rss_0=$rss fds_0=$fds
chaos $((SECONDS_ALL * 2 / 9)) agent shim
figures "$life"
is "the controller's life" "$(controller_pid)" "$life"
echo "controller: $rss_0 KiB and $fds_0 descriptors before, $rss KiB and $fds after"
at_most "its memory" "$rss" $((rss_0 + RSS_MORE_KIB))
at_most "its descriptors" "$fds" $((fds_0 + FDS_MORE))

case_ "it comes to an end"
until_ms=0
for pid in $(jobs -p); do wait "$pid"; done
config "n1 n2 n3 n4" yes
must scontrol reconfigure
for n in n1 n2 n3 n4; do try scontrol update "nodename=$n" state=resume; done
wait_for 60 nodes_up
settled() {
    local id state
    while read -r id state; do
        case $state in
        SUSPENDED) try scontrol resume "$id" ;;
        PENDING) try scontrol release "$id" ;;
        esac
    done < <(squeue -h -o '%i %T')
    [ -z "$(squeue -h)" ]
}
until_ 300 settled || fail "jobs are left" "$(squeue -a)"
wait_for 20 no_shims
look

case_ "a restart finds what was there"
submit -H --array=1-4 -o /dev/null job.sh plain 1 0
must scancel "${job}_3"
submit --begin=now+1hour -o /dev/null job.sh plain 1 0
submit -o /dev/null job.sh plain 6000 0
wait_state "$job" RUNNING
must scontrol suspend "$job"
rows() { squeue -h -a -t all -r -S i -o '%i|%A|%T|%j|%u|%N|%S|%l|%C|%q|%P|%V|%b|%M' "$@"; }
before=$(rows -t PENDING,SUSPENDED)
controller_kill9
must stoker up
wait_for 20 nodes_up
is "the queue" "$(rows -t PENDING,SUSPENDED)" "$before"
must scancel -u "$(id -un)"
wait_for 30 settled

case_ "every acknowledged job is known, and has ended"
sacct -X -n -P -a -S 2000-01-01 -o JobIDRaw,JobID,State >known || fail "sacct failed"
sort -u acked >want
{ cut -d'|' -f1 known; cut -d'|' -f2 known | sed 's/_.*//'; } | sort -u >have
is "lost jobs" "$(comm -23 want have)" ""
is "jobs that have not ended" "$(grep -E '\|(PENDING|RUNNING|SUSPENDED|COMPLETING)' known)" ""
is "starts that were two" "$(grep '^S' ledger | cut -d' ' -f1-3 | sort | uniq -d)" ""
is "jobs that ended well and never said so" "$(
    # the last start of a completed batch job has written its end, with code 0
    awk -F'[| ]' 'FNR == NR { if ($1 == "E" && $4 == 0) ok[$2] = 1; if ($1 == "S") began[$2] = 1; next }
        $3 == "COMPLETED" && began[$1] && !ok[$1] { print $1 }' ledger known)" ""
is "what the controller could not fold" "$(grep -hE 'does not fit|contradicts|Sanitizer|runtime error' "$STOKER_HOME"/log/*)" ""
echo "$(wc -l <want) submissions, $(wc -l <known) jobs, $(grep -c '^S' ledger) starts"
at_least "jobs that have run" "$(grep -c '^E' ledger)" $((SECONDS_ALL / 10))
cluster_stop
