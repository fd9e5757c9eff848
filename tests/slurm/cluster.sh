# shellcheck shell=bash
# cluster.sh - a private Slurm of several nodes on this machine: sourced, never run.
#
#   slurm_fetch                  of tests/bench/slurm.sh: Debian's packages, unpacked below $B/bench, not installed
#   slurm_cluster DIR N          configuration in DIR: n1 ... nN, the last two with a feature, and 20 nodes that are down;
#                                partitions main, fast, big. No GPUs, and no database: no accounts, no limits
#   slurm_accounts DIR     behind slurm_cluster: accounts, limits and history of jobs are kept by a slurmdbd and a MariaDB of its
#                          own, which it starts; the account vision, and in it the users given. 1: there is no MariaDB to be had
#   slurm_cluster_start DIR N    munged, slurmctld and N times slurmd -N, on loopback; returns when the nodes are idle
#   slurm_cluster_stop DIR       ends them
#
# shellcheck source=tests/bench/slurm.sh
. "$(dirname "${BASH_SOURCE[0]}")/../bench/slurm.sh"

slurm_cluster() {
    local dir=$1 n=$2 i port host feature
    host=$(hostname -s)
    slurm_configure "$dir" tuned 8 || return 1
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

slurm_munge() {
    local dir=$1 line
    while read -r line; do export "${line?}"; done < <(slurm_env "$dir")
    [ ! -S "$dir/munge/socket" ] || return 0
    "$slurm_programs/munged" --key-file="$dir/munge/key" --socket="$dir/munge/socket" --pid-file="$dir/munge/pid" \
        --log-file="$dir/munge/log" --seed-file="$dir/munge/seed" --num-threads=2 --force >"$dir/log/munged.out" 2>&1
}

# MariaDB of this machine, unpacked beside the Slurm where it is not installed.
slurm_mariadb_fetch() {
    local root=$B/bench/mariadb names deb
    [ ! -x "$root/usr/sbin/mariadbd" ] && ! [ -x /usr/sbin/mariadbd ] || return 0
    names=$(apt-get -qq -s --no-install-recommends install mariadb-server-core 2>/dev/null | awk '/^Inst/ {print $2}')
    [[ $names == *mariadb-server-core* ]] || return 1
    mkdir -p "$root/debs"
    # shellcheck disable=SC2086
    (cd "$root/debs" && apt-get -qq -o APT::Sandbox::User= download $names) >/dev/null 2>&1 || return 1
    for deb in "$root/debs"/*.deb; do dpkg -x "$deb" "$root" || return 1; done
}

slurm_mariadb() {
    local dir=$1 root=$B/bench/mariadb i
    [ -x "$root/usr/sbin/mariadbd" ] || root=
    mkdir -p "$dir/db/data"
    local -x LD_LIBRARY_PATH=${root:+$root/usr/lib/$slurm_lib}
    local run=("$root/usr/sbin/mariadbd" --no-defaults --skip-networking --lc-messages-dir="$root/usr/share/mysql"
        --datadir="$dir/db/data" --user="$(id -un)")
    # Its own tables are needed for Slurm's procedures.
    { printf 'CREATE DATABASE mysql;\nUSE mysql;\n' && cat "$root/usr/share/mysql/mysql_system_tables.sql"; } |
        "${run[@]}" --bootstrap >"$dir/log/mariadb" 2>&1 || return 1
    # No rights are checked: the socket lies in a directory of our own.
    setsid "${run[@]}" --skip-grant-tables --skip-log-bin --socket="$dir/db/socket" --pid-file="$dir/db/pid" \
        >>"$dir/log/mariadb" 2>&1 &
    for ((i = 0; i < 300; i++)); do
        [ ! -S "$dir/db/socket" ] || return 0
        sleep 0.1
    done
    return 1
}

slurm_accounts() {
    local dir=$1 port i user
    shift
    slurm_mariadb_fetch || return 1
    chmod 711 "$dir/munge" # other users reach the socket
    port=$(($(sed -n 's/^SlurmctldPort=//p' "$dir/slurm.conf") + 200))
    echo "AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=$port
AccountingStoragePass=$dir/munge/socket
AccountingStorageEnforce=associations,limits,qos
AccountingStorageTRES=gres/gpu
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
PriorityWeightFairshare=10000
PriorityWeightAge=1000" >>"$dir/slurm.conf"
    (umask 077 && echo "AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort=$port
SlurmUser=$(id -un)
PidFile=$dir/slurmdbd.pid
LogFile=$dir/log/slurmdbd
PluginDir=$slurm_root/usr/lib/$slurm_lib/slurm-wlm
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=slurm
StorageLoc=slurm_acct_db" >"$dir/slurmdbd.conf")
    slurm_munge "$dir" && slurm_mariadb "$dir" || return 1
    MYSQL_UNIX_PORT=$dir/db/socket "$slurm_programs/slurmdbd" >"$dir/log/slurmdbd.out" 2>&1 || return 1
    for ((i = 0; i < 300; i++)); do
        ! sacctmgr -n list cluster >/dev/null 2>&1 || break
        sleep 0.1
    done
    {
        sacctmgr -i add cluster bench
        sacctmgr -i add account vision
        for user; do sacctmgr -i add user "$user" account=vision defaultaccount=vision; done
    } >"$dir/log/sacctmgr" 2>&1
}

slurm_cluster_start() {
    local dir=$1 n=$2 i deadline=$((SECONDS + 60))
    slurm_munge "$dir" || return 1
    "$slurm_programs/slurmctld" -c -f "$SLURM_CONF" >"$dir/log/slurmctld.out" 2>&1 || return 1
    for ((i = 1; i <= n; i++)); do
        mkdir -p "$dir/spool/n$i"
        "$slurm_programs/slurmd" -N "n$i" -f "$SLURM_CONF" -d "$slurm_programs/slurmstepd" >"$dir/log/slurmd.out" 2>&1 || return 1
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
    for f in "$dir"/slurmd-*.pid "$dir/slurmctld.pid" "$dir/slurmdbd.pid" "$dir/munge/pid" "$dir/db/pid"; do
        [ ! -s "$f" ] || kill -TERM "$(cat "$f")" 2>/dev/null
    done
    # shellcheck disable=SC2046 # several ids
    kill -KILL $(slurm_cluster_stepds "$dir") 2>/dev/null
    return 0
}
