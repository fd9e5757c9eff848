# shellcheck shell=bash
# sshd.sh - nodes over SSH on this machine: an sshd for each, on loopback addresses of this test's own.
#
#   . stoker.sh; . sshd.sh
#   sshd_start N [FIRST]     n1 ... nN (from FIRST on): each with its own host key, port 2222 at its own 127.x.y.z, the login
#                            being the user who runs the test. Their caches and agents lie under $TMPDIR/nodes
#   ssh_config N             writes stoker.cfg with n1 ... nN; ssh_node I prints one entry. CPUS MEMORY GPUS EXTRA as in stoker.sh
#   ssh_cluster N            all of it, with the controller, and waits until the nodes are up
#   sshd_pid I, sshd_stop I, sshd_cut I (ends the sessions, not the server), bridge_cut I, ssh_address I
#   line_start I             after sshd_start, before ssh_config: a cable of its own for nI (tests/tools/slowline.c)
#   line_is I COMMAND        "delay 150", "jitter 50", "rate 100000", "stall", "go", "cut"
#
# Skips the test where there is no sshd.

SSHD=$(PATH=$PATH:/usr/sbin:/sbin command -v sshd) || skip "no sshd here"
SSH_PORT=2222
NODES_DIR=$TMPDIR/nodes
KEYS=$STOKER_HOME/state/ssh
mkdir -p "$NODES_DIR" "$KEYS"
chmod 700 "$STOKER_HOME/state" "$KEYS"
[ "$(id -u)" -ne 0 ] || mkdir -p /run/sshd

ssh_address() { echo "127.$((1 + ($$ >> 8 & 0x7f))).$(($$ & 0xff)).$1"; }

# Sets the host key of node $1 and tells the controller's known_hosts of it.
ssh_hostkey() {
    local d=$NODES_DIR/n$1
    mkdir -p "$d"
    [ -e "$d/hostkey" ] || ssh-keygen -q -t ed25519 -N '' -C "n$1" -f "$d/hostkey"
    echo "[$(ssh_address "$1")]:$SSH_PORT $(cut -d' ' -f1,2 "$d/hostkey.pub")" >>"$KEYS/known_hosts"
}

# Where its logins are at home: not with the user who runs the test, whose shell's start-up files may take long, or wait for one another.
# A test that makes nodes/nI/home gives that node a home of its own.
node_home() { if [ -d "$NODES_DIR/n$1/home" ]; then echo "$NODES_DIR/n$1/home"; else echo "$HOME"; fi; }

sshd_config() {
    local d=$NODES_DIR/n$1
    cat >"$d/sshd_config" <<CFG
Port $SSH_PORT
ListenAddress $(ssh_address "$1")
HostKey $d/hostkey
PidFile $d/pid
AuthorizedKeysFile $NODES_DIR/authorized_keys
StrictModes no
UsePAM no
UseDNS no
PermitRootLogin yes
PasswordAuthentication no
KbdInteractiveAuthentication no
MaxStartups 200
MaxSessions 50
LogLevel ERROR
SetEnv XDG_CACHE_HOME=$NODES_DIR/cache XDG_STATE_HOME=$d/state HOME=$(node_home "$1")
CFG
}

# A server (not a cable, whose numbers are above 100) says who it is a little after it listens.
is_listening() { { [ "$1" -gt 100 ] || [ -s "$NODES_DIR/n$1/pid" ]; } && (exec 3<>"/dev/tcp/$(ssh_address "$1")/$SSH_PORT") 2>/dev/null; }

sshd_run() {
    rm -f "$NODES_DIR/n$1/pid"
    "$SSHD" -f "$NODES_DIR/n$1/sshd_config" -E "$NODES_DIR/n$1/sshd.log" || fail "sshd $1 does not start" "$(cat "$NODES_DIR/n$1/sshd.log")"
    wait_for 10 is_file "$NODES_DIR/n$1/pid" # who stops it at once must know it
}

# The same for a server that was away: its node is called at once. Pauses between calls have grown meanwhile, up to half a minute.
sshd_back() {
    sshd_run "$1"
    must scontrol reconfigure
}

sshd_start() {
    local i
    [ -e "$KEYS/id_ed25519" ] || ssh-keygen -q -t ed25519 -N '' -C test -f "$KEYS/id_ed25519"
    cp "$KEYS/id_ed25519.pub" "$NODES_DIR/authorized_keys"
    chmod 711 "$TMPDIR" "$NODES_DIR" 2>/dev/null
    for ((i = ${2:-1}; i <= $1; i++)); do
        ssh_hostkey "$i"
        sshd_config "$i"
        sshd_run "$i"
    done
    for ((i = ${2:-1}; i <= $1; i++)); do wait_for 10 is_listening "$i"; done
}

sshd_pid() { cat "$NODES_DIR/n$1/pid" 2>/dev/null; }
# The server alone: sessions go on.
sshd_stop() {
    local pid
    pid=$(sshd_pid "$1")
    [ -z "$pid" ] || { kill "$pid" && wait_for 5 is_dead "$pid"; }
}
# What the server has started: the sessions, and below them the bridges. Agents have left this tree.
ssh_sessions() { "$B/tests/tools/procs" -P "$(sshd_pid "$1")" .; }
sshd_cut() {
    local p
    for p in $(ssh_sessions "$1"); do
        for c in $("$B/tests/tools/procs" -P "$p" .); do kill -KILL "$c" 2>/dev/null; done
        kill -KILL "$p" 2>/dev/null
    done
}
# Whatever server its session belongs to.
bridge_cut() { pkill -KILL -f -- "--bridge --node n$1 --dir $NODES_DIR/n$1/"; }
link_pid() { "$B/tests/tools/procs" -P "$(controller_pid)" '^([^ ]*/)?stoker-link '; }
ssh_agent_pid() { "$B/tests/tools/procs" -o -- "^stoker-agent --node n$1 --dir $NODES_DIR/n$1/"; }

# Between controller and server; it ends with the test.
line_start() {
    local i=$1 at
    at=$(ssh_address $((i + 100)))
    mkfifo "$NODES_DIR/n$i/line"
    "$B/tests/tools/slowline" "$at" "$(ssh_address "$i")" $SSH_PORT "$NODES_DIR/n$i/line" &
    echo $! >"$NODES_DIR/n$i/line.pid"
    echo "[$at]:$SSH_PORT $(cut -d' ' -f1,2 "$NODES_DIR/n$i/hostkey.pub")" >>"$KEYS/known_hosts"
    wait_for 10 is_listening $((i + 100))
}
line_is() { echo "$2" >"$NODES_DIR/n$1/line"; }

ssh_node() {
    local at=$1
    [ ! -e "$NODES_DIR/n$1/line" ] || at=$(($1 + 100))
    echo "{ name = \"n$1\"; address = \"$(ssh_address "$at")\"; port = $SSH_PORT; cpus = ${CPUS:-4}; memory = \"${MEMORY:-8G}\"; gpus = ${GPUS:-2}; detect = false; }"
}

ssh_config() {
    local i list=
    for ((i = 1; i <= $1; i++)); do list+="${list:+, }$(ssh_node "$i")"; done
    cat >"$STOKER_HOME/stoker.cfg" <<CFG
cluster = "test";
nodes = ( $list );
kill_wait = "${KILL_WAIT:-1s}";
${EXTRA:-}
CFG
}

ssh_cluster() {
    sshd_start "$1"
    ssh_config "$1"
    must stoker up
    wait_for 30 nodes_up
}

# An agent that did not hear the last word goes by itself after five seconds.
cluster_stop() {
    must stoker down --kill-jobs
    wait_for 15 no_agents
    wait_for 15 no_ssh_agents
    wait_for 10 no_shims
}
no_ssh_agents() { ! "$B/tests/tools/procs" -- "^stoker-agent --node [^ ]* --dir $NODES_DIR/" >/dev/null; }

# Before what stoker.sh does at the end: agents are told over the connections, then servers and sessions go.
ssh_on_exit() {
    local rc=$? i pid
    trap - EXIT
    if [ -n "$(controller_pid)" ] && is_alive "$(controller_pid)"; then
        timeout 60 stoker down --kill-jobs >/dev/null 2>&1
        [ $rc -ne 0 ] || until_ 60 no_ssh_agents
    fi
    for i in "$NODES_DIR"/n*; do
        pid=$(cat "$i/pid" 2>/dev/null)
        [ $rc -eq 0 ] || [ $rc -eq 77 ] || tail -n 25 "$i/sshd.log" "$i"/state/stoker/agents/*/*/agent.log 2>/dev/null
        [ -z "$pid" ] || { pkill -P "$pid" && kill "$pid"; kill "$pid"; } 2>/dev/null
        [ ! -e "$i/line.pid" ] || kill "$(<"$i/line.pid")" 2>/dev/null
    done
    [ $rc -eq 0 ] || pkill -KILL -f -- "^stoker-[a-z]* .*$NODES_DIR/"
    (exit $rc)
    on_exit
}
trap ssh_on_exit EXIT
