# slurm.sh - a private Slurm on this machine, to measure against: sourced, never run.
#
# The packages of the distribution are fetched with apt and unpacked under $B/bench: nothing is installed, no daemon of the system
# is started, and no root is needed. One node, everything on loopback, own munge key and socket, nothing outside the directory given.
#
#   slurm_fetch            0: it is there; else one line on standard output says why not
#   slurm_configure DIR VARIANT CPUS     VARIANT: shipped | tuned
#   slurm_start DIR        run it in a box: daemons go into the background; returns when the node is idle
#   slurm_env DIR          prints the assignments that lead commands to it

slurm_root=$B/bench/slurm-root
slurm_lib=$(gcc -print-multiarch 2>/dev/null || echo x86_64-linux-gnu)

slurm_fetch() {
    local debs=$B/bench/debs names
    [ ! -x "$slurm_root/usr/sbin/slurmctld-wlm" ] || return 0
    command -v apt-get >/dev/null && command -v dpkg >/dev/null || { echo "no apt-get here"; return 1; }
    names=$(apt-get -s --no-install-recommends install slurm-wlm munge 2>/dev/null | awk '/^Inst/ {print $2}')
    [[ $names == *slurmctld* ]] || { echo "apt knows no package slurm-wlm, or it is installed already (run apt-get update?)"; return 1; }
    rm -rf "$debs" "$slurm_root"
    mkdir -p "$debs" "$slurm_root"
    # shellcheck disable=SC2086
    (cd "$debs" && apt-get -qq -o APT::Sandbox::User= download $names) >/dev/null 2>&1 || { echo "its packages cannot be fetched"; return 1; }
    for deb in "$debs"/*.deb; do
        dpkg -x "$deb" "$slurm_root" || { echo "its packages cannot be unpacked"; return 1; }
    done
}

slurm_version() { LD_LIBRARY_PATH=$slurm_root/usr/lib/$slurm_lib:$slurm_root/usr/lib/$slurm_lib/slurm-wlm "$slurm_root/usr/sbin/slurmctld-wlm" -V; }

# Three free ports below the range that the kernel hands out by itself, chosen again for each Slurm.
slurm_configure() {
    local dir=$1 variant=$2 cpus=$3 host port=$((21000 + ($$ + RANDOM) % 9000))
    host=$(hostname -s)
    mkdir -p "$dir/state" "$dir/spool" "$dir/log" "$dir/munge"
    chmod 700 "$dir/munge"
    (umask 077 && head -c 1024 /dev/urandom >"$dir/munge/key")
    {
        echo "ClusterName=bench
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
CredType=cred/munge
PluginDir=$slurm_root/usr/lib/$slurm_lib/slurm-wlm
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/log/slurmctld
SlurmdLogFile=$dir/log/slurmd
ProctrackType=proctrack/linuxproc
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
TaskPlugin=task/none
MailProg=/bin/true
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cpus State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP"
        # Slurm's guide for high throughput, no pause between passes, which suits a single node, and an epilog: without one this
        # release hears of the end of a job in a way that lets it look for the next one only once a second.
        [ "$variant" = shipped ] || echo "SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1,default_queue_depth=1000,max_rpc_cnt=150
Epilog=/bin/true
SlurmctldDebug=error
SlurmdDebug=error
MinJobAge=2
PriorityType=priority/basic
TreeWidth=65533
MaxJobCount=250000
MaxArraySize=100001"
    } >"$dir/slurm.conf"
}

slurm_env() {
    echo "SLURM_CONF=$1/slurm.conf"
    echo "LD_LIBRARY_PATH=$slurm_root/usr/lib/$slurm_lib:$slurm_root/usr/lib/$slurm_lib/slurm-wlm"
    echo "PATH=$slurm_root/usr/bin:/usr/local/bin:/usr/bin:/bin"
}

slurm_start() {
    local dir=$1 deadline=$((SECONDS + 30))
    local -x SLURM_CONF LD_LIBRARY_PATH PATH
    while read -r line; do
        export "${line?}"
    done < <(slurm_env "$dir")
    "$slurm_root/usr/sbin/munged" --key-file="$dir/munge/key" --socket="$dir/munge/socket" --pid-file="$dir/munge/pid" \
        --log-file="$dir/munge/log" --seed-file="$dir/munge/seed" --num-threads=2 --force >"$dir/log/munged.out" 2>&1 || return 1
    "$slurm_root/usr/sbin/slurmctld-wlm" -c -f "$SLURM_CONF" >"$dir/log/slurmctld.out" 2>&1 || return 1
    "$slurm_root/usr/sbin/slurmd-wlm" -f "$SLURM_CONF" -d "$slurm_root/usr/sbin/slurmstepd-wlm" >"$dir/log/slurmd.out" 2>&1 || return 1
    until [ "$(sinfo -h -o %t 2>/dev/null)" = idle ]; do
        [ $SECONDS -lt $deadline ] || return 1
        sleep 0.1
    done
}
