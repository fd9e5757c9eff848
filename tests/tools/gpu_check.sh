#!/usr/bin/env bash
# gpu_check.sh - what only a machine with NVIDIA cards can show: detection, pinning, two jobs, strangers, figures. A report on standard
# output, one line for each thing (ok, FAIL, note), in a few minutes. Ends with 0, 1 where something failed, 77 where there is no card.
#
#     tests/tools/gpu_check.sh                    builds in a directory of its own, then checks
#     tests/tools/gpu_check.sh --programs DIR     checks with programs that were built elsewhere
#     tests/tools/gpu_check.sh --pack DIR         builds such programs: they need the C library alone (2.34 or later)
#
# It starts a cluster of its own in a temporary directory and ends it. Cards that others are using are left alone: the check says so and
# ends with 77. As root it closes cards too (close_gpus).
set -u
ROOT=$(cd "$(dirname "$0")/../.." && pwd)
NAMES="sbatch srun squeue scancel sinfo scontrol"
TIME_MAX=420 # seconds for everything but the build

usage() { sed -n '2,11s/^# \{0,1\}//p' "$0"; exit 2; }
say() { printf '%-5s %s\n' "$1" "$2"; }

# --- programs ---

build() { # DIR: complete programs in DIR
    local b=$1.build sqlite
    sqlite=$(gcc -print-file-name=libsqlite3.a)
    [ -e "$sqlite" ] && sqlite="$sqlite -lm" || sqlite=-lsqlite3
    make -s -C "$ROOT" -j"$(nproc)" B="$b" DEV=0 SQLITE="$sqlite" "$b"/bin/{stoker,stokerd,stoker-agent,stoker-shim,stoker-pmi} "$b/tests/tools/gpu_user" >"$1.log" 2>&1 ||
        { tail -n 20 "$1.log"; rm -rf "$b" "$1.log"; echo "gpu_check: it cannot be built here: give --programs DIR"; return 1; }
    mkdir -p "$1"
    for p in stoker stokerd stoker-agent stoker-shim stoker-pmi; do strip -o "$1/$p" "$b/bin/$p" || return 1; done
    strip -o "$1/gpu_user" "$b/tests/tools/gpu_user" || return 1
    for p in $NAMES; do ln -sfn stoker "$1/$p"; done
    rm -r "$b" "$1.log"
}

programs=
case ${1-} in
"") ;;
--programs) [ $# -eq 2 ] && programs=$(realpath "$2") || usage ;;
--pack) [ $# -eq 2 ] || usage; build "$(realpath -m "$2")" && du -sh "$2"; exit ;;
*) usage ;;
esac

# --- is there anything to check ---

smi() { nvidia-smi --query-gpu="$1" --format=csv,noheader,nounits; }
[ -e /dev/nvidiactl ] || [ -d /proc/driver/nvidia ] || { echo "no NVIDIA card here"; exit 77; }
command -v nvidia-smi >/dev/null || { echo "no nvidia-smi here to compare with"; exit 77; }
smi uuid >/dev/null || { echo "nvidia-smi fails: $(smi uuid 2>&1 | head -n 1)"; exit 77; }
users=$(nvidia-smi --query-compute-apps=pid --format=csv,noheader | grep -c '[0-9]')
[ "$users" -eq 0 ] || { echo "$users processes use the cards: they are left alone"; exit 77; }

T=$(mktemp -d /tmp/gpu-check.XXXXXX)
chmod 755 "$T"
if [ -z "$programs" ]; then
    t=$SECONDS
    programs=$T/programs
    build "$programs" || { rm -rf "$T"; exit 1; }
    say note "built in $((SECONDS - t)) s"
fi
for p in stoker stokerd stoker-agent stoker-shim stoker-pmi gpu_user; do
    [ -x "$programs/$p" ] || { echo "gpu_check: $programs has no $p"; rm -rf "$T"; exit 1; }
done
for p in $NAMES; do [ -e "$programs/$p" ] || ln -sfn stoker "$programs/$p"; done
for v in $(compgen -e); do case $v in STOKER_* | SLURM_* | SBATCH_* | CUDA_VISIBLE_DEVICES | CUDA_DEVICE_ORDER) unset "$v" ;; esac; done
export STOKER_HOME=$T/home PATH=$programs:$PATH LC_ALL=C
mkdir -p "$STOKER_HOME" "$T/work"
cd "$T/work" || exit 1
failed=0 stranger=
finish() {
    trap - EXIT
    [ -z "$stranger" ] || kill "$stranger" 2>/dev/null
    timeout 30 stoker down --kill-jobs >/dev/null 2>&1
    if [ $failed -ne 0 ]; then tail -n 15 "$STOKER_HOME"/log/*.log; fi
    cd / && rm -rf "$T"
    [ $failed -eq 0 ] && echo "all is well" || echo "$failed failed"
    exit $((failed > 0))
}
trap finish EXIT
trap 'say FAIL "ended by a signal"; failed=$((failed + 1)); exit 1' INT TERM
deadline=$((SECONDS + TIME_MAX))

fail() { say FAIL "$1"; failed=$((failed + 1)); }
is() { [ "$2" = "$3" ] && say ok "$1: $2" || fail "$1: \"$2\", not \"$3\""; }
holds() { # WHAT CONDITION...
    local what=$1
    shift
    if "$@"; then say ok "$what"; else fail "$what"; fi
}
until_() { # SECONDS COMMAND...
    local end=$((SECONDS + $1))
    shift
    [ $end -lt $deadline ] || end=$deadline
    until "$@"; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.1
    done
}
ms() { local up; read -r up _ </proc/uptime; echo $((10#${up/./} * 10)); }

# --- the cluster ---

cat >"$STOKER_HOME/stoker.cfg" <<CFG
cluster = "gpucheck";
nodes = ( { name = "n1"; transport = "local"; } );
kill_wait = "2s";
CFG
gpu_field() { stoker gpus --use --json | tr '{' '\n' | sed -n "s/.*\"index\":$1,.*\"$2\":\"\{0,1\}\([^\",}]*\).*/\1/p"; }
gpu_is() { [ "$(gpu_field "$1" state)" = "$2" ]; }
job_state() { squeue -h -t all -o %T -j "$1" 2>/dev/null; }
job_is() { [ "$(job_state "$1")" = "$2" ]; }
is_over() { [ -z "$(squeue -h -j "$1" 2>/dev/null)" ]; }
node_up() { sinfo -h -o %T 2>/dev/null | grep -qxE 'idle|mixed|allocated'; }
has_text() { [ -s "$1" ]; }
submit() { job=$(sbatch --parsable "$@") || fail "sbatch $*"; }
# What a job sees: GPUS [ARGS]; in $seen, lines as gpu_user writes them, with the environment in front.
look() {
    local gpus=$1
    shift
    rm -f seen
    submit -o seen.out ${gpus:+--gres=gpu:$gpus} --wrap "echo \"env \$CUDA_VISIBLE_DEVICES \$CUDA_DEVICE_ORDER\" >seen.part; gpu_user $* >>seen.part 2>&1; mv seen.part seen"
    until_ 60 has_text seen || fail "a job that looks at its cards does not end: $(job_state "$job") $(cat seen.out 2>/dev/null)"
    until_ 20 is_over "$job"
    seen=$(cat seen 2>/dev/null)
}
seen_uuids() { sed -n 's/^card \([^ ]*\) .*/\1/p' <<<"$1" | tr '\n' ' '; }

say note "$(uname -sr), driver $(smi driver_version | head -n 1), $(id -un)"
mapfile -t uuid < <(smi pci.bus_id,uuid | sort | cut -d' ' -f2) # in PCI order
cards=${#uuid[@]}
say note "$cards card(s): $(smi name | sort | uniq -c | tr -s ' ' | tr '\n' ' ')persistence $(smi persistence_mode | sort -u | tr '\n' ' ')MIG $(smi mig.mode.current | sort -u | tr '\n' ' ')"

t=$(ms)
stoker up || { fail "the cluster does not start"; exit 1; }
until_ 60 node_up || { fail "the node does not come up: $(sinfo)"; exit 1; }
say note "up after $(($(ms) - t)) ms, the first look at the cards with it"

# --- detection ---

notes=$(stoker nodes --json | grep -o '"notes":\[[^]]*\]')
is "cards found" "$(stoker gpus --json | grep -o '"index":[0-9]*' | sort -u | wc -l)" "$cards"
is "what finds them" "$(grep -o 'gpus: NVML' <<<"$notes")" "gpus: NVML"
say note "the node says: $notes"
say note "their type: $(sinfo -h -o %G)"
one_look() { printf l | "$@" stoker-agent --gpu-watch; }
t=$(ms)
one_look env >look.nvml
say note "a sample of a new process: $(($(ms) - t)) ms"
card_lines() { awk '$1 == "card" { printf "%s %s %s\n", $2, $8, $6 }' "$1"; }
is "bus, UUID and memory as nvidia-smi has them" "$(awk '$1 == "card" { print $2, $8 }' look.nvml)" \
    "$(smi pci.bus_id,uuid | sort | sed 's/^0000//; s/,//' | awk '{ print tolower($1), $2 }')"
one_look env STOKER_NVML=/nonexistent/libnvidia-ml.so.1 >look.smi
is "the second way" "$(head -n 1 look.smi)" "way nvidia-smi"
is "both ways see the same" "$(awk '$1 == "card" { print $2, $8 }' look.smi)" "$(awk '$1 == "card" { print $2, $8 }' look.nvml)"
holds "device numbers are those of the files" test -c "/dev/nvidia$(awk '$1 == "card" { print $3; exit }' look.nvml)"

# --- pinning ---

first_card() {
    look 1
    is "a job with one card, its environment" "$(sed -n 's/^env //p' <<<"$seen")" "0 PCI_BUS_ID"
    is "CUDA shows it" "$(grep '^cards' <<<"$seen")" "cards 1"
    is "by UUID the first in PCI order" "$(seen_uuids "$seen")" "${uuid[0]} "
}
first_card
look ""
is "a job without any sees" "$(grep '^cards' <<<"$seen")" "cards 0"
look "$cards"
is "a job with all of them" "$(seen_uuids "$seen")" "${uuid[*]} "

# --- two jobs ---

script_hold() {
    cat >hold.sh <<'S'
#!/bin/bash
gpu_user 0 >"holds.$SLURM_JOB_ID.part" 2>&1
mv "holds.$SLURM_JOB_ID.part" "holds.$SLURM_JOB_ID"
until [ -e "end.$SLURM_JOB_ID" ]; do sleep 0.1; done
S
}
script_hold
submit -o /dev/null --gres=gpu:1 hold.sh
one=$job
submit -o /dev/null --gres=gpu:1 hold.sh
two=$job
until_ 60 has_text "holds.$one" || fail "the first job does not start: $(squeue)"
if [ "$cards" -gt 1 ]; then
    until_ 60 has_text "holds.$two" || fail "the second job does not start: $(squeue)"
    is "the first of two jobs sees" "$(seen_uuids "$(cat "holds.$one")")" "${uuid[0]} "
    is "the second" "$(seen_uuids "$(cat "holds.$two")")" "${uuid[1]} "
else
    is "there is one card: the second job" "$(job_state "$two") $(squeue -h -o %r -j "$two")" "PENDING Resources"
    touch "end.$one"
    until_ 60 has_text "holds.$two" || fail "the second job does not start after the first: $(squeue)"
    is "then it has the card" "$(seen_uuids "$(cat "holds.$two")")" "${uuid[0]} "
fi
touch "end.$one" "end.$two"
until_ 20 is_over "$one"
until_ 20 is_over "$two"

# --- figures ---

submit -o busy.out --gres=gpu:1 --wrap 'exec gpu_user 25 2048'
busy=$job
has_begun() { grep -q busy busy.out 2>/dev/null; }
until_ 60 has_begun || fail "the load does not begin: $(cat busy.out)"
is_busy() { [ "$(gpu_field 0 busy_percent)" -ge 50 ] 2>/dev/null; }
t=$(ms)
holds "a loaded card is seen as busy" until_ 15 is_busy
say note "after $(($(ms) - t)) ms"
theirs=$(nvidia-smi -i "${uuid[0]}" --query-gpu=utilization.gpu,memory.used,memory.total --format=csv,noheader,nounits | tr -d ,)
ours="$(gpu_field 0 busy_percent) $(gpu_field 0 mem_used_mib) $(gpu_field 0 mem_mib)"
near() { # ours theirs, busy% used total
    local d=$(($1 - $4)) m=$(($2 - $5))
    [ "${d#-}" -le 30 ] && [ "${m#-}" -le 512 ] && [ "$3" -eq "$6" ]
}
# shellcheck disable=SC2086
holds "busy %, MiB used, MiB: ours $ours, nvidia-smi $theirs" near $ours $theirs
is "its own job is not foreign" "$(gpu_field 0 foreign)" 0
scancel "$busy"
until_ 20 is_over "$busy"

# --- strangers ---

if grep -q "cannot be told from jobs" <<<"$notes"; then
    say note "processes of others cannot be told here (a container): not checked"
else
    gpu_user 60 512 >stranger.out 2>&1 &
    stranger=$!
    until_ 30 grep -q busy stranger.out || fail "the stranger does not begin: $(cat stranger.out)"
    t=$(ms)
    holds "a process of another user is seen" until_ 20 gpu_is 0 foreign
    say note "after $(($(ms) - t)) ms: $(stoker gpus --json | grep -o '"note":"[^"]*not of the queue"' | head -n 1)"
    submit -o avoid.out --gres=gpu:1 --wrap 'gpu_user'
    if [ "$cards" -gt 1 ]; then
        until_ 30 is_over "$job"
        is "a job gets another card" "$(seen_uuids "$(cat avoid.out)")" "${uuid[1]} "
    else
        says_why() { stoker why "$job" --json | grep -q FOREIGN_GPU; }
        holds "a job waits for it" until_ 10 says_why
    fi
    kill "$stranger"
    wait "$stranger" 2>/dev/null
    stranger=
    t=$(ms)
    holds "free again" until_ 30 gpu_is 0 free
    say note "after $(($(ms) - t)) ms"
    holds "the job has run" until_ 30 is_over "$job"
fi

# --- cost ---

agent=$(pgrep -f -- "^stoker-agent --node n1 --dir $STOKER_HOME/" | head -n 1)
watcher=$(pgrep -P "${agent:-0}" -f gpuwatch)
ticks() { awk '{ print $14 + $15 }' "/proc/$1/stat"; }
if [ -n "$watcher" ]; then
    c0=$(ticks "$watcher")
    sleep 10
    say note "looking costs $((($(ticks "$watcher") - c0) * 1000 / $(getconf CLK_TCK))) ms of CPU time in 10 s, $(awk '/VmRSS/ { print int($2 / 1024) }' "/proc/$watcher/status") MiB"
else
    fail "no process looks at the GPUs"
fi

# --- closed cards; what keeps memory ---

say note "$(grep -o 'memory: [^"]*' <<<"$notes")"
cat >eat.sh <<'S'
#!/bin/bash
x=0123456789abcdef
while :; do x=$x$x; done
S
submit --mem=64M -o eat.out eat.sh
until_ 30 is_over "$job"
is "a job over its memory" "$(job_state "$job")" OUT_OF_MEMORY
if [ "$(id -u)" -eq 0 ]; then
    timeout 30 stoker down --kill-jobs >/dev/null
    no_agent() { ! pgrep -f -- "^stoker-agent --node n1 --dir $STOKER_HOME/" >/dev/null; }
    until_ 20 no_agent
    echo 'close_gpus = yes' >"$STOKER_HOME/state/agent/n1/policy"
    chmod 600 "$STOKER_HOME/state/agent/n1/policy"
    stoker up && until_ 60 node_up
    note=$(stoker nodes --json | grep -o 'gpus: [^"]*closed[^"]*')
    say note "$note"
    if [[ $note == *"closed to a job"* ]]; then
        minor=$(awk '$1 == "card" { print $3; exit }' look.nvml)
        look 1
        is "with closed cards a job gets its UUID" "$(sed -n 's/^env //p' <<<"$seen")" "${uuid[0]} PCI_BUS_ID"
        is "and CUDA takes it" "$(seen_uuids "$seen")" "${uuid[0]} "
        submit -o closed.out --wrap "unset CUDA_VISIBLE_DEVICES; gpu_user; cat /dev/nvidia$minor"
        until_ 30 is_over "$job"
        holds "a job without cards cannot open one, whatever its environment" grep -q "Operation not permitted" closed.out
        holds "CUDA shows it none" grep -qE "^cards 0|CUDA error|no " closed.out
        say note "it says: $(tr '\n' ';' <closed.out)"
    fi
else
    say note "not root: cards are not closed here"
fi
