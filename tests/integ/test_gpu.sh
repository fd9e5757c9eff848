#!/usr/bin/env bash
# GPUs of a node by a management library of the tests' own (tests/lib/fakenvml.c): found, pinned, avoided where another user
# uses them or where they are lost, and back again. No real card is needed.
# test-user test-fast
. stoker.sh

export STOKER_NVML=$B/tests/lib/libfakenvml.so FAKE_NVML=$TMPDIR/cards STOKER_GPU_LOOK_MS=100

# In another order than that of the bus: what is first there is GPU 0.
four() {
    cat <<CARDS
card 0:af:0.0 GPU-dddd 3 0 10 81920 NVIDIA A100-SXM4-80GB
card 0:3b:0.0 GPU-aaaa 0 ${BUSY:-0} 10 81920 NVIDIA A100-SXM4-80GB
card 0:3c:0.0 GPU-bbbb 1 0 10 81920 NVIDIA A100-SXM4-80GB
card 0:5e:0.0 GPU-cccc 2 0 10 81920 NVIDIA A100-SXM4-80GB
CARDS
}
# The file as a whole at once: a sample never sees half of it. More lines as arguments.
cards() {
    { four; [ $# -eq 0 ] || printf '%s\n' "$@"; } >"$FAKE_NVML.new"
    mv "$FAKE_NVML.new" "$FAKE_NVML"
}

cat >"$STOKER_HOME/stoker.cfg" <<CFG
cluster = "test";
nodes = ( { name = "n1"; transport = "local"; cpus = 8; memory = "16G"; } );
kill_wait = "1s";
CFG
cards
must stoker up
wait_for 15 nodes_up

gpu_field() { stoker gpus --json | tr '{' '\n' | sed -n "s/.*\"index\":$1,.*\"$2\":\"\([^\"]*\)\".*/\1/p"; }
gpu_is() { [ "$(gpu_field "$1" state)" = "$2" ]; }
note_has() { [[ $(gpu_field "$1" note) == *"$2"* ]]; }
script hold <<'S'
echo "$CUDA_VISIBLE_DEVICES|$CUDA_DEVICE_ORDER|$SLURM_JOB_GPUS|${ROCR_VISIBLE_DEVICES-unset}|${HIP_VISIBLE_DEVICES-unset}|${ZE_AFFINITY_MASK-unset}" >"seen.$SLURM_JOB_ID"
until [ -e "end.$SLURM_JOB_ID" ]; do sleep 0.05; done
S
hold() { # GPUS: submits, waits for its environment: in $seen
    submit --gres=gpu:"$1" hold
    wait_for 20 has_lines "seen.$job" 1
    seen=$(<"seen.$job")
}
release() { touch "end.$1" && wait_end "$1"; }

case_ detection
found() { [ "$(sinfo -h -N -o %G)" = gpu:a100:4 ]; } # the node does not wait for long for the first look
wait_for 20 found
has "what finds them" "$(stoker show node n1 2>/dev/null || scontrol show node n1; stoker nodes --json)" "gpus: NVML"

case_ pinning
hold 1
first=$job
is "the first card" "$seen" "0|PCI_BUS_ID|0|0|0|0"
hold 2
second=$job
is "two others" "$seen" "1,2|PCI_BUS_ID|1,2|1,2|0,1|1,2"
submit --wrap 'echo "[${CUDA_VISIBLE_DEVICES-unset}][${ROCR_VISIBLE_DEVICES-unset}][${SLURM_JOB_GPUS-unset}]" >none'
wait_end "$job"
is "a job without any" "$(<none)" "[][][unset]"
release "$first"
release "$second"

case_ a process of another user
sleep 1000 &
stranger=$!
cards "compute 1 $stranger"
wait_for 10 gpu_is 0 foreign
wait_for 10 note_has 0 "process $stranger of $(id -un) (sleep), not of the queue"
hold 1
is "the next card" "$seen" "1|PCI_BUS_ID|1|1|0|1"
first=$job
hold 2
is "the last ones" "$seen" "2,3|PCI_BUS_ID|2,3|2,3|0,1|2,3"
release "$job"
submit --gres=gpu:4 hold
wide=$job
waits_for_foreign() { stoker why "$wide" --json | grep -q FOREIGN_GPU; }
release "$first"
wait_for 10 waits_for_foreign
like "why it waits" "$(stoker why "$wide" | tr '\n' ' ')" ".*GPUs that are lost or used by others \(n1\); on n1: GPU 0: used by process $stranger.*"
kill "$stranger"
wait "$stranger" 2>/dev/null
wait_for 20 has_lines "seen.$wide" 1
is "all of them, as it is gone" "$(<"seen.$wide")" "0,1,2,3|PCI_BUS_ID|0,1,2,3|0,1,2,3|0,1,2,3|0,1,2,3"
release "$wide"

case_ a process of a job on its own card, and on another
script busy <<'S'
echo $$ >pid
exec sleep 1000
S
cards
submit --gres=gpu:1 busy
wait_for 20 has_lines pid 1
BUSY=88 cards "compute 1 $(<pid)" "compute 2 $(<pid)"
wait_for 10 gpu_is 1 foreign
has "whose" "$(gpu_field 1 note)" "used by job $job, which does not hold it"
is "its own" "$(gpu_field 0 state)" used
is "of its own nothing is said" "$(gpu_field 0 note)" ""
has "what a job for the whole node cannot have" "$(sdiag)" "Free GPUs:      3, on nodes that are partly in use: 3"
must stoker gpus --use --json
has "figures" "$out" '"index":0,"type":"a100","state":"used","job":"'"$job"'","user":"'"$(id -un)"'","name":"busy","note":"","busy_percent":88,"mem_used_mib":10,"mem_mib":81920,"foreign":0'
has "figures" "$out" '"busy_percent":0,"mem_used_mib":10,"mem_mib":81920,"foreign":1'
# How long a card has done nothing is the agent's to say: it looks whether anybody watches or not.
idle_seconds() { stoker gpus --use --json | tr '{' '\n' | sed -n "s/.*\"index\":$1,.*\"idle_seconds\":\([0-9]*\).*/\1/p"; }
idles_for() { [ "$(idle_seconds "$1")" -ge "$2" ]; }
is "one that works is not idle" "$(idle_seconds 0)" 0
wait_for 20 idles_for 3 2
BUSY=0 cards "compute 1 $(<pid)" "compute 2 $(<pid)"
wait_for 20 idles_for 0 1
is "one that has just stopped is idle for less" "$(($(idle_seconds 0) < $(idle_seconds 3)))" 1
BUSY=88 cards "compute 1 $(<pid)" "compute 2 $(<pid)"
works() { [ "$(idle_seconds 0)" -eq 0 ]; }
wait_for 20 works
must stoker gpus --use
like "figures in a table" "$(sed -n 2p <<<"$out")" "n1 +0 +a100 +88% +10M/80G +used +$(id -un)/busy  job $job *"
must scancel "$job"
wait_end "$job"
wait_for 10 gpu_is 1 free
cards

case_ what the cards of a job did, at its end
BUSY=88 cards
busy_is() { stoker gpus --use --json | grep -q "\"busy_percent\":$1,"; }
wait_for 20 busy_is 88
hold 2
before=$(idle_seconds 3)
wait_for 20 idles_for 3 $((before + 2)) # it has been looked at meanwhile
release "$job"
must stoker show --json "$job"
has "the mean of both, and one that did nothing" "$out" '"gpu_percent":44,"gpu_peak_mib":20,"gpus_unused":1,"gpu_measured_s":'
like "in a table" "$(stoker show "$job" | tr '\n' ' ')" ".* GPU +WHAT .* 44% .*"
like "as Slurm has it" "$(sacct -nPj "$job" -o TRESUsageInAve | grep .)" "cpu=[0-9:]+,gres/gpumem=20M,gres/gpuutil=44,mem=[0-9]+K"
submit --wrap true
wait_end "$job"
must stoker show --json "$job"
hasnt "of a job without cards nothing is said" "$out" gpu_percent
hasnt "of a job without cards nothing is said" "$(stoker show "$job")" "GPU"
cards

case_ a lost card
hold 1 # on GPU 0, which it keeps
first=$job
cards "lost 3" # GPU-cccc, number 2
wait_for 10 gpu_is 2 lost
is "the node" "$(sinfo -h -N -o %T)" mixed
note_has 2 "lost (0000:5e:00.0)" || fail "note of a lost card: $(gpu_field 2 note)"
hold 2
# CUDA counts what is left: numbers would mean other cards now.
is "around it, by names" "$seen" "GPU-bbbb,GPU-dddd|PCI_BUS_ID|1,3|1,3|0,1|1,3"
is "who runs goes on" "$(job_state "$first")" RUNNING
release "$job"

case_ over a restart of the agent
agent=$(agent_pid)
kill -KILL "$agent" && wait_for 5 is_dead "$agent"
# Fallen off the bus for good: the new agent has never seen it.
four | grep -v cccc >"$FAKE_NVML.new" && mv "$FAKE_NVML.new" "$FAKE_NVML"
new_agent() { [ -n "$(agent_pid)" ] && [ "$(agent_pid)" != "$agent" ] && nodes_up; }
wait_for 20 new_agent
wait_for 10 gpu_is 2 lost
is "the job before it" "$(job_state "$first")" RUNNING
hold 2
is "numbers stay" "$seen" "GPU-bbbb,GPU-dddd|PCI_BUS_ID|1,3|1,3|0,1|1,3"
release "$job"
release "$first"

case_ a card comes back
cards
wait_for 10 gpu_is 2 free
hold 4
is "all of them" "$seen" "0,1,2,3|PCI_BUS_ID|0,1,2,3|0,1,2,3|0,1,2,3|0,1,2,3"
release "$job"

case_ a driver that fails, one that hangs
cards "fail 18"
wait_for 10 gpu_is 0 lost
has "why" "$(gpu_field 3 note)" "its driver fails: NVML: Driver/library version mismatch"
is "the node is up" "$(sinfo -h -N -o %T)" idle
submit --wrap 'echo ran >cpu'
wait_end "$job"
is "a job without GPUs" "$(<cpu)" ran
cards
wait_for 10 gpu_is 0 free
cards hang
watcher() { pgrep -f '^stoker-gpuwatch' | while read -r p; do [ "$(ps -o ppid= -p "$p" | tr -d ' ')" = "$(agent_pid)" ] && echo "$p"; done; }
hung() { [[ $(cat /proc/"$(watcher)"/wchan 2>/dev/null) != *pipe* ]] && grep -q '^State:.[ST]' /proc/"$(watcher)"/status; }
wait_for 10 hung
submit --wrap 'echo ran >cpu2'
wait_end "$job"
is "the agent is held up by nothing" "$(<cpu2)" ran
cards
old=$(watcher)
kill -KILL "$old"
new_watcher() { [ -n "$(watcher)" ] && [ "$(watcher)" != "$old" ]; }
wait_for 10 new_watcher
hold 4
is "another one is asked" "$seen" "0,1,2,3|PCI_BUS_ID|0,1,2,3|0,1,2,3|0,1,2,3|0,1,2,3"
release "$job"

cluster_stop

if [ ! -e /dev/nvidiactl ] && [ ! -d /proc/driver/nvidia ]; then
    case_ the check for real cards skips where there is none
    says "gpu_check" 77 "no NVIDIA card here" "" "$ROOT/tests/tools/gpu_check.sh" --programs "$B/bin"
fi

case_ nvidia-smi, where the library cannot be loaded
mkdir bin
script bin/nvidia-smi <<'S'
case $1 in
--query-gpu=*) echo "00000000:3C:00.0, GPU-bbbb, 5, 10, 81920, NVIDIA A100"
    echo "00000000:3B:00.0, GPU-aaaa, 97, 40000, 81920, NVIDIA A100" ;;
--query-compute-apps=*) echo "00000000:3B:00.0, 77" ;;
esac
S
is "a sample" "$(printf l | STOKER_NVML=/nonexistent/libnvidia-ml.so.1 PATH=$WORK/bin:$PATH stoker-agent --gpu-watch)" "way nvidia-smi
card 0000:3b:00.0 4294967295 97 40000 81920 0 GPU-aaaa NVIDIA A100
card 0000:3c:00.0 4294967295 5 10 81920 0 GPU-bbbb NVIDIA A100
proc 0 77
."
has "neither of them" "$(printf l | STOKER_NVML=/nonexistent/libnvidia-ml.so.1 PATH=$B/bin:/nonexistent "$B/bin/stoker-agent" --gpu-watch)" "; no nvidia-smi"

# Device files without a driver behind them: who may open one is told that there is no such device.
closed() { # WHAT: the cluster runs; are cards of others closed by this kind of groups?
    case_ "cards of others are closed: $1"
    wait_for 15 nodes_up
    note=$(stoker nodes --json | grep -o '"gpus: [^"]*closed[^"]*"')
    case $note in
    "\"gpus: those of others are closed to a job (cgroup $1)\"")
        echo "they are closed here"
        script try <<'S'
echo "$CUDA_VISIBLE_DEVICES"
for i in 0 1; do cat dev$i 2>&1 | sed 's/.*: //'; done
cat /proc/self/cgroup >groups
S
        submit --gres=gpu:1 -o tried try
        wait_end "$job"
        is "its own card, and another" "$(<tried)" "GPU-aaaa
No such device or address
Operation not permitted"
        submit -o tried0 try
        wait_end "$job"
        is "a job without any" "$(<tried0)" "
Operation not permitted
Operation not permitted"
        group=$(grep -o "stoker-[0-9a-f]\{8\}-$job\>" groups | head -n 1) # other tests' jobs have the same numbers
        [ -n "$group" ] || fail "no group of its own" "$(<groups)"
        groups_gone() { ! find /sys/fs/cgroup -name "$group" 2>/dev/null | grep -q .; }
        wait_for 10 groups_gone
        ;;
    # A kernel or a container that does not let root do it says why; a program that it rejects is a mistake of ours.
    *"cannot be closed to jobs (Invalid argument"*) fail "a mistake of ours" "$note" ;;
    *"gpus: cannot be closed to jobs ("*) echo "not here: $note" ;;
    *"(cgroup v"*) echo "other groups are used here: $note" ;;
    *) fail "it does not say whether they are closed: $note" ;;
    esac
    cluster_stop
}
if [ "$(id -u)" -eq 0 ] && mknod "$WORK/dev0" c 195 0 2>/dev/null && mknod "$WORK/dev1" c 195 1; then
    echo 'close_gpus = yes' >"$STOKER_HOME/state/agent/n1/policy"
    chmod 600 "$STOKER_HOME/state/agent/n1/policy"
    must stoker up
    closed v2
    v2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
    if [ -n "$v2" ] && unshare -m umount "$v2" 2>/dev/null; then # beside v1 hierarchies alone it can be taken away
        must unshare -m sh -c "umount '$v2' && exec stoker up"
        closed v1
    fi
fi
