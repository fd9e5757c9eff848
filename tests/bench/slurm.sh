# slurm.sh - a private Slurm on this machine, to measure against: sourced, never run.
#
# The packages of the distribution are fetched with apt and unpacked under $B/bench: nothing is installed, no daemon of the system
# is started, and no root is needed. One node, everything on loopback, own munge key and socket, nothing outside the directory given.
#
# SLURM_SUITE=trixie: the Slurm of that release of Debian instead, with the C library that it was built for.
#
#   slurm_fetch            0: it is there; else one line on standard output says why not
#   slurm_ports            sets port: the first of 250 that are this shell's and its daemons'
#   slurm_configure DIR VARIANT CPUS     VARIANT: shipped | tuned
#   slurm_start DIR        run it in a box: daemons go into the background; returns when the node is idle
#   slurm_env DIR          prints the assignments that lead commands to it

slurm_suite=${SLURM_SUITE:-}
slurm_root=$B/bench/slurm-root${slurm_suite:+-$slurm_suite}
slurm_programs=$slurm_root/programs # its commands and daemons
slurm_lib=$(gcc -print-multiarch 2>/dev/null || echo x86_64-linux-gnu)
slurm_libs=$slurm_root/usr/lib/$slurm_lib/slurm-wlm:$slurm_root/usr/lib/$slurm_lib:$slurm_root/lib/$slurm_lib

# apt-get with lists and a status of its own: of the suite alone, with nothing installed.
slurm_apt() {
    local apt=$B/bench/apt-$slurm_suite
    apt-get -qq -o Dir::State="$apt" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache" -o Dir::Etc::sourcelist="$apt/sources" \
        -o Dir::Etc::sourceparts=/dev/null -o Acquire::Languages=none -o APT::Sandbox::User= "$@"
}

# From where this machine has its own packages.
slurm_apt_begin() {
    local apt=$B/bench/apt-$slurm_suite from
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
    : >"$apt/status"
    from=$(apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' | awk '$1 == "Debian" {print $2; exit}')
    [ -n "$from" ] || return 1
    echo "deb $from $slurm_suite main" >"$apt/sources"
    slurm_apt update
}

# The programs find the loader and the libraries that came with them, and no other.
slurm_patch() {
    local patchelf=$B/bench/patchelf/usr/bin/patchelf loader f
    if [ ! -x "$patchelf" ]; then
        mkdir -p "$B/bench/patchelf"
        (cd "$B/bench/patchelf" && apt-get -qq -o APT::Sandbox::User= download patchelf && dpkg -x patchelf_*.deb .) || return 1
    fi
    loader=$(find "$slurm_root"/usr/lib/"$slurm_lib" "$slurm_root"/lib/"$slurm_lib" -name 'ld-linux*.so.*' 2>/dev/null | head -n 1)
    for f in "$slurm_root"/usr/lib/"$slurm_lib"/slurm-wlm/*.so "$slurm_root"/usr/bin/s* "$slurm_root"/usr/sbin/{slurm*,munged}; do
        if [ ! -L "$f" ] && [ "$(head -c 4 "$f" | tail -c 3)" = ELF ]; then
            case $f in
            *.so) "$patchelf" --force-rpath --set-rpath "$slurm_libs" "$f" ;;
            *) "$patchelf" --set-interpreter "$loader" --force-rpath --set-rpath "$slurm_libs" "$f" ;;
            esac || return 1
        fi
    done
}

slurm_fetch() {
    local debs=$B/bench/debs${slurm_suite:+-$slurm_suite} names apt=(apt-get -qq -o APT::Sandbox::User=) deb name f
    [ ! -x "$slurm_programs/sstat" ] || return 0
    command -v apt-get >/dev/null && command -v dpkg >/dev/null || { echo "no apt-get here"; return 1; }
    if [ -n "$slurm_suite" ]; then
        apt=(slurm_apt)
        slurm_apt_begin >/dev/null 2>&1 || { echo "apt cannot read the lists of $slurm_suite"; return 1; }
    fi
    names=$("${apt[@]}" -s --no-install-recommends install slurm-wlm munge slurmdbd 2>/dev/null | awk '/^Inst/ {print $2}')
    [[ $names == *slurmctld* ]] || { echo "apt knows no package slurm-wlm, or it is installed already (run apt-get update?)"; return 1; }
    rm -rf "$debs" "$slurm_root"
    mkdir -p "$debs" "$slurm_root"
    # shellcheck disable=SC2086
    (cd "$debs" && "${apt[@]}" download $names) >/dev/null 2>&1 || { echo "its packages cannot be fetched"; return 1; }
    for deb in "$debs"/*.deb; do
        dpkg -x "$deb" "$slurm_root" || { echo "its packages cannot be unpacked"; return 1; }
    done
    [ -z "$slurm_suite" ] || slurm_patch || { echo "its programs cannot be led to their libraries"; return 1; }
    mkdir "$slurm_programs"
    # Daemons ask their own name what they are: slurmctld-wlm takes itself for a client, and its plugins crash or refuse.
    for name in slurmctld slurmd slurmstepd slurmdbd munged; do
        for f in "$slurm_root/usr/sbin/$name" "$slurm_root/usr/sbin/$name-wlm"; do
            [ ! -e "$f" ] || ln -sf "$f" "$slurm_programs/$name"
        done
    done
    for name in sacct sacctmgr salloc sattach sbatch sbcast scancel scontrol sdiag sinfo sprio squeue sreport srun sshare sstat; do
        ln -s "$slurm_root/usr/bin/$name" "$slurm_programs/$name"
    done
}

slurm_version() { LD_LIBRARY_PATH=$(slurm_library_path) "$slurm_programs/slurmctld" -V; }

# Programs of another suite know where their libraries are, and those of this machine must not find them.
slurm_library_path() { [ -n "$slurm_suite" ] || echo "${slurm_libs%:*}"; }

# Sets port to the first of 250 free ports, below the range that the kernel hands out by itself. They are this user's until this shell and the
# daemons that it starts have ended: a lock that they inherit is held. Ports that another user's processes have are seen as such.
slurm_ports() {
    local locks=/tmp/stoker-ports-$UID fd first tries
    (umask 077 && mkdir -p "$locks") && [ -O "$locks" ] || return 1
    for ((tries = 0, first = RANDOM % 36; tries < 36; tries++)); do
        port=$((21000 + (first + tries) % 36 * 250))
        exec {fd}>>"$locks/$port"
        if flock -n "$fd" && ! awk 'FNR > 1 { split($2, a, ":"); print a[2] }' /proc/net/tcp /proc/net/tcp6 2>/dev/null |
            while read -r p; do echo $((16#$p)); done | awk -v from="$port" '$1 >= from && $1 < from + 250 { n++ } END { exit !n }'; then
            return 0
        fi
        exec {fd}>&-
    done
    return 1
}

slurm_configure() {
    local dir=$1 variant=$2 cpus=$3 host port
    slurm_ports || return 1
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
    echo "LD_LIBRARY_PATH=$(slurm_library_path)"
    echo "PATH=$slurm_programs:/usr/local/bin:/usr/bin:/bin"
}

slurm_start() {
    local dir=$1 deadline=$((SECONDS + 30))
    local -x SLURM_CONF LD_LIBRARY_PATH PATH
    while read -r line; do
        export "${line?}"
    done < <(slurm_env "$dir")
    "$slurm_programs/munged" --key-file="$dir/munge/key" --socket="$dir/munge/socket" --pid-file="$dir/munge/pid" \
        --log-file="$dir/munge/log" --seed-file="$dir/munge/seed" --num-threads=2 --force >"$dir/log/munged.out" 2>&1 || return 1
    "$slurm_programs/slurmctld" -c -f "$SLURM_CONF" >"$dir/log/slurmctld.out" 2>&1 || return 1
    "$slurm_programs/slurmd" -f "$SLURM_CONF" -d "$slurm_programs/slurmstepd" >"$dir/log/slurmd.out" 2>&1 || return 1
    until [ "$(sinfo -h -o %t 2>/dev/null)" = idle ]; do
        [ $SECONDS -lt $deadline ] || return 1
        sleep 0.1
    done
}
