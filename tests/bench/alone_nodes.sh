#!/usr/bin/env bash
# alone_nodes.sh - nodes over SSH, all of them on this machine: an sshd and an agent for each share its CPUs with everything else.
#
#     MANY=64 SOME=16 TASKS=1000 LAUNCHES=500 tests/bench/run nodes
. stoker.sh
. sshd.sh
many=${MANY:-64} some=${SOME:-16} tasks=${TASKS:-1000}
say() { printf '%-58s %10s %s\n' "$1" "$2" "$3"; }
all_up() { [ "$(sinfo -h -N -o %T 2>/dev/null | grep -cxE 'idle|mixed|allocated')" -eq "$1" ]; }
# Looks ten times a second: who looks oftener takes the time that is measured.
wait_up() {
    local end=$(($(now_ms) + 120000))
    until all_up "$1"; do
        [ "$(now_ms)" -lt $end ] || fail "not all of $1 nodes are up"
        read -r -t 0.1 -u "$nap_fd" _
    done
}
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
cpu_ms() { awk '{ print ($14 + $15) * 10 }' "/proc/$1/stat"; }
rss_kib() { awk '/^VmRSS/ { print $2 }' "/proc/$1/status"; }
us() { echo "${EPOCHREALTIME/[.,]/}"; }

ssh_true() { ssh -F none -o BatchMode=yes -o UserKnownHostsFile="$KEYS/known_hosts" -i "$KEYS/id_ed25519" -p $SSH_PORT "$@" true; }
export -f ssh_true
export KEYS SSH_PORT

# --- many nodes ---
sshd_start "$many"
CPUS=4 ssh_config "$many"
for ((i = 1; i <= many; i++)); do ssh_address "$i"; done >addresses
t=$(now_ms)
xargs -P "$many" -I{} bash -c 'ssh_true {}' <addresses
floor=$(($(now_ms) - t))
say "for comparison: $many times \`ssh NODE true\`, all at once" "$floor" ms
t=$(now_ms)
xargs -P "$many" -I{} bash -c 'ssh_true {} -o KexAlgorithms=curve25519-sha256' <addresses
floor=$(($(now_ms) - t))
say "the same with the key exchange that link uses" "$floor" ms
t=$(now_ms)
must stoker up
wait_up "$many"
first=$(($(now_ms) - t))
say "$many nodes: first contact, programs put there, agents started" "$first" ms
say "of that last" "$((first * 100 / floor))" %
rss=$(rss_kib "$(link_pid)")
say "link's memory for $many nodes, a node" "$((rss / many))" KiB
c=$(cpu_ms "$(link_pid)") t=$(now_ms)
until [ $(($(now_ms) - t)) -ge 5000 ]; do nap; done
say "link's CPU time in 5 s, all idle" "$(($(cpu_ms "$(link_pid)") - c))" ms
must stoker down
t=$(now_ms)
must stoker up
wait_up "$many"
again=$(($(now_ms) - t))
say "$many nodes: connected again after a restart" "$again" ms
say "of that last" "$((again * 100 / floor))" %
old=$(link_pid)
t=$(now_ms)
kill -KILL "$old"
other() { [ -n "$(link_pid)" ] && [ "$(link_pid)" != "$old" ]; }
wait_for 10 other
wait_up "$many"
say "$many nodes: connected again after link was killed" "$(($(now_ms) - t))" ms
cluster_stop

# --- the launch alone: no controller, nothing around it ---
mkdir "$TMPDIR/launch"
"$B/tests/bench/bench_launch" "$(ssh_address 1)" $SSH_PORT "$(id -un)" "$KEYS/id_ed25519" "$KEYS/known_hosts" "$TMPDIR/launch" \
    "${LAUNCHES:-500}" || fail "bench_launch"

# --- some nodes, work on them ---
CPUS=4 ssh_config "$some"
must stoker up
wait_up "$some"
srun -w n1 true
for i in $(seq 40); do
    a=$(us)
    srun -w n1 true
    echo $((($(us) - a) / 10))
done | median | { read -r v; say "srun true on a node: allocated, launched, ended, told" "$((v / 100)).$(printf %02d $((v % 100)))" ms; }
in_allocation() { # what to measure, as microseconds: from the command line of srun to ...
    salloc -w n1 bash -c "for i in \$(seq 40); do a=\${EPOCHREALTIME/[.,]/}; $1; echo \$(((b - a) / 10)); done" 2>/dev/null |
        median | { read -r v; say "$2" "$((v / 100)).$(printf %02d $((v % 100)))" ms; }
}
in_allocation 'b=$(srun date +%s%6N)' "srun in an allocation: until the task runs and reads its clock"
in_allocation 'srun true; b=${EPOCHREALTIME/[.,]/}' "srun true in an allocation: until its end is told"
for i in $(seq 20); do
    a=$(us)
    ssh_true "$(ssh_address 1)"
    echo $((($(us) - a) / 10))
done | median | { read -r v; say "for comparison: \`ssh NODE true\`" "$((v / 100)).$(printf %02d $((v % 100)))" ms; }

empty() { [ -z "$(squeue -h)" ]; }
array() { # ms from its submission to its last end
    local t
    t=$(now_ms)
    must sbatch -Q -a "1-$tasks" -o /dev/null --wrap=true
    wait_for 200 empty
    echo $(($(now_ms) - t))
}
ours=$(array)
say "$tasks jobs of one task over $some nodes" "$((tasks * 1000 / ours))" jobs/s
n=64
t=$(now_ms)
for i in $(seq $n); do echo "$(ssh_address $((i % some + 1)))"; done | xargs -P 4 -I{} bash -c 'ssh_true {}'
theirs=$(($(now_ms) - t))
say "for comparison: $n times \`ssh NODE true\`, 4 at a time" "$((n * 1000 / theirs))" jobs/s
say "ratio" "$((tasks * theirs / (n * ours)))" times

t=$(now_ms)
srun -w n2 head -c 400000000 /dev/zero >out.bin
say "output of srun streamed back" "$((400000 / ($(now_ms) - t)))" MB/s
is "bytes" "$(stat -c %s out.bin)" 400000000
srun -w n2 head -c 2000000000 /dev/zero >out.bin &
for i in $(seq 40); do
    a=$(us)
    srun -w n1 true
    echo $((($(us) - a) / 10))
done | median | { read -r v; say "srun true meanwhile" "$((v / 100)).$(printf %02d $((v % 100)))" ms; }
scancel -u "$(id -un)"
wait
cluster_stop

# --- the same array without SSH ---
rm -r "$STOKER_HOME"
mkdir -m 700 "$STOKER_HOME"
CPUS=$((4 * some)) GPUS=0 cluster_start
array >/dev/null
alone=$(array)
say "$tasks jobs of one task on a local node of as many CPUs" "$((tasks * 1000 / alone))" jobs/s
say "over $some nodes through SSH, of that" "$((alone * 100 / ours))" %
cluster_stop
