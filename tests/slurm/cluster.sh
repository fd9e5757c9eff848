# shellcheck shell=bash
# cluster.sh - a private Slurm of several nodes on this machine: sourced, never run.
#
#   slurm_fetch                  of tests/bench/slurm.sh: Debian's packages, unpacked below $B/bench, not installed
#   slurm_cluster DIR N          configuration in DIR: n1 ... nN, the last two with a feature, and 20 nodes that are down;
#                                partitions main, fast, big. No GPUs, and no database: no accounts, no limits
#   slurm_cluster_start DIR N    munged, slurmctld and N times slurmd -N, on loopback; returns when the nodes are idle
#   slurm_cluster_stop DIR       ends them
#
# shellcheck source=tests/bench/slurm.sh
. "$(dirname "${BASH_SOURCE[0]}")/../bench/slurm.sh"

slurm_cluster() {
    local dir=$1 n=$2 i port host feature
    host=$(hostname -s)
    slurm_configure "$dir" tuned 8
    port=$(sed -n 's/^SlurmctldPort=//p' "$dir/slurm.conf")
    sed -i -E '/^(NodeName|PartitionName|SlurmdSpoolDir|SlurmdPidFile|SlurmdLogFile|SelectTypeParameters|MinJobAge|SlurmdPort|PriorityType)=/d' \
        "$dir/slurm.conf"
    {
        echo "SlurmdSpoolDir=$dir/spool/%n
SlurmdPidFile=$dir/slurmd-%n.pid
SlurmdLogFile=$dir/log/slurmd-%n
SelectTypeParameters=CR_CPU
MinJobAge=300
SlurmdTimeout=0
PriorityType=priority/multifactor
PriorityWeightJobSize=1000"
        for ((i = 1; i <= n; i++)); do
            feature=
            [ "$i" -le $((n - 2)) ] || feature='Feature=fast'
            echo "NodeName=n$i NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + i)) CPUs=8 RealMemory=32000 $feature State=UNKNOWN"
        done
        echo "NodeName=big[1-20] NodeHostname=nohost NodeAddr=127.0.0.1 Port=$((port + n + 1)) CPUs=128 RealMemory=1000000 State=DOWN Reason=\"not built yet\"
PartitionName=main Nodes=n[1-$((n - 2))] Default=YES MaxTime=2-00:00:00 DefaultTime=1:00:00 State=UP
PartitionName=fast Nodes=n[$((n - 1))-$n] MaxTime=1-00:00:00 State=UP
PartitionName=big Nodes=big[1-20] MaxTime=INFINITE State=UP"
    } >>"$dir/slurm.conf"
}

slurm_cluster_start() {
    local dir=$1 n=$2 i deadline=$((SECONDS + 60)) line
    while read -r line; do export "${line?}"; done < <(slurm_env "$dir")
    "$slurm_root/usr/sbin/munged" --key-file="$dir/munge/key" --socket="$dir/munge/socket" --pid-file="$dir/munge/pid" \
        --log-file="$dir/munge/log" --seed-file="$dir/munge/seed" --num-threads=2 --force >"$dir/log/munged.out" 2>&1 || return 1
    "$slurm_root/usr/sbin/slurmctld-wlm" -c -f "$SLURM_CONF" >"$dir/log/slurmctld.out" 2>&1 || return 1
    for ((i = 1; i <= n; i++)); do
        mkdir -p "$dir/spool/n$i"
        "$slurm_root/usr/sbin/slurmd-wlm" -N "n$i" -f "$SLURM_CONF" -d "$slurm_root/usr/sbin/slurmstepd-wlm" >"$dir/log/slurmd.out" 2>&1 || return 1
    done
    until [ "$(sinfo -h -t idle -o %D -p main,fast 2>/dev/null | awk '{ n += $1 } END { print n + 0 }')" = "$n" ]; do
        [ $SECONDS -lt $deadline ] || return 1
        sleep 0.2
    done
}

# The supervisors of steps: they wait for a controller that has ended, and would do so for hours.
slurm_cluster_stepds() {
    local p
    for p in $(pgrep -x 'slurmstepd.*'); do
        [[ $(readlink "/proc/$p/cwd") != "$1"/* ]] || echo "$p"
    done
}

slurm_cluster_stop() {
    local dir=$1 f
    for f in "$dir"/slurmd-*.pid "$dir/slurmctld.pid" "$dir/munge/pid"; do
        [ ! -s "$f" ] || kill -TERM "$(cat "$f")" 2>/dev/null
    done
    # shellcheck disable=SC2046 # several ids
    kill -KILL $(slurm_cluster_stepds "$dir") 2>/dev/null
    return 0
}
