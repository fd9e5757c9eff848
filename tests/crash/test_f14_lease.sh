#!/usr/bin/env bash
# F14, F13: what becomes of jobs whose node is out of reach: --lost-node. With a lease the node ends them itself before they are queued
# again: a cut connection, a frozen bridge, a frozen agent, a controller that is away. Never two at once: the jobs' own ledgers say so.
. stoker.sh
. sshd.sh
CPUS=8
# Short, so that the test is. A disk that keeps an agent waiting for longer ends a lease, too: then there is one try more, and what is
# told of it is what counts (was_told), never how many tries there are.
KILL_WAIT=3s
EXTRA='node_timeout = "3s"; lease_time = "6s";'
export STOKER_BEAT_MS=200
sshd_start 2
ssh_config 2
must stoker up
wait_for 30 nodes_up

# Writes the time since the machine's start, again and again: NAME.N for its Nth try. Ends with the file go.
script beat.sh <<'S'
trap 'echo TERM >>"$1.terms"' TERM
n=${STOKER_RESTART_COUNT:-0}
echo $$ >>"$1.pid"
exec 9<> <(:)
while [ ! -e go ]; do
    read -r up _ </proc/uptime
    echo "$up $STOKER_NODE_NAME${SLURMD_NODENAME}" >>"$1.$n"
    read -rt 0.02 -u 9
done
exit 0
S
first_of() { head -n 1 "$1" | cut -d' ' -f1 | tr -d .; }
last_of() { tail -n 1 "$1" | cut -d' ' -f1 | tr -d .; }
# A try that stood still, as this whole machine may, and its supervisor with it, and was ended as soon as it went on: FILE FIRST, the
# time at which the next one began. Between two of its notes lies more than half a second, and few come after it.
stood_still() {
    awk -v first="$2" '{ at = $1 * 100; if (NR > 1 && at - before > 50) woke = at; before = at }
        END { exit !(woke && before - woke < 100 && before - first < 100) }' "$1"
}
# The tries of NAME follow one another, perhaps within a hundredth of a second, which is as exact as these times are.
apart() {
    local n=0
    while [ -s "$1.$((n + 1))" ]; do
        [ "$(last_of "$1.$n")" -le "$(first_of "$1.$((n + 1))")" ] || stood_still "$1.$n" "$(first_of "$1.$((n + 1))")" ||
            fail "tries $n and $((n + 1)) of $1 ran at once" "$(last_of "$1.$n") $(first_of "$1.$((n + 1))")"
        n=$((n + 1))
    done
}
# NAME JOB N: it was queued again at least N times, and its try was told to end each time.
was_told() {
    local restarts
    restarts=$(job_field "$2" Restarts)
    at_least "restarts of $1" "$restarts" "$3"
    at_least "times that $1 was told" "$(grep -c TERM "$1.terms")" "$restarts"
}
node_is() { [[ $(sinfo -h -n "$1" -o %T) == "$2" ]]; }
says_state() { scontrol show node "$1" | grep -q "State=$2"; }
in_nodes() { stoker nodes | grep -q "^ *$1 .*$2"; }
# NAME NODE ARGS...: in $job, once it writes. It may run elsewhere the next time.
start_on() {
    local name=$1 other=n$((3 - ${2#n}))
    shift 2
    must stoker node drain $other --reason=test
    submit --requeue -o "$name.out" "$@" beat.sh "$name"
    wait_for 20 has_lines "$name.0" 1
    must stoker node resume $other
}

case_ "words that are none"
run sbatch --lost-node=perhaps --wrap true
[ "$rc" -ne 0 ] || fail "it was taken"
has "which" "$err" "lost-node"

case_ "a connection cut: hold, requeue, cancel, lease, each as asked"
start_on hold n1 --lost-node=hold
hold=$job
start_on requeue n1 --lost-node=requeue
requeue=$job
start_on cancel n1 --lost-node=cancel
cancel=$job
start_on lease n1 --lost-node=lease
lease=$job
has "it is seen" "$(scontrol show job "$lease")" "LostNode=lease"
wait_for 10 has_lines lease.0 60 # longer than a heartbeat
sshd_stop 1
bridge_cut 1
wait_for 20 says_state n1 "DOWN"
wait_for 20 in_nodes n1 lost
wait_state "$cancel" CANCELLED
wait_for 20 has_lines requeue.1 1
wait_for 20 has_lines lease.1 1
apart lease
has "where it was told" "$(<lease.out)" "no controller was heard"
is "held" "$(job_state "$hold") $(is_alive "$(<hold.pid)" && echo alive)" "RUNNING alive"
is "requeued at once: its old try goes on there meanwhile" "$(job_state "$requeue") $(is_alive "$(head -n 1 requeue.pid)" && echo alive)" "RUNNING alive"
apart lease
sshd_back 1
wait_for 40 says_state n1 MIXED
wait_for 20 is_dead "$(head -n 1 requeue.pid)"
is "held as it was" "$(job_field "$hold" Restarts)" 0
was_told lease "$lease" 1
touch go
for j in "$hold" "$requeue" "$lease"; do wait_end "$j"; is "end of $j" "$state" COMPLETED; done
apart lease
rm go

case_ "shorter than the lease: nothing happens; a link that flaps renews it"
sed -i 's/lease_time = "6s"/lease_time = "60s"/' "$STOKER_HOME/stoker.cfg" # on a slow machine a login takes long
must scontrol reconfigure
start_on short n1 --lost-node=lease
for _ in 1 2 3; do
    sshd_cut 1
    wait_for 20 node_is n1 'mixed'
done
is "no restart" "$(job_field "$job" Restarts)" 0
is_gone short.1 || fail "a second try"
touch go
wait_end "$job"
rm go
sed -i 's/lease_time = "60s"/lease_time = "6s"/' "$STOKER_HOME/stoker.cfg"
must scontrol reconfigure

case_ "a bridge, then an agent that is frozen: the supervisor ends the task all the same"
start_on frozen n1 --lost-node=lease
bridge=$(pgrep -f -- "--bridge --node n1 --dir $NODES_DIR/n1/" | head -n 1)
sshd_stop 1 # else it is called again at once
kill -STOP "$bridge"
wait_for 30 has_lines frozen.1 1
apart frozen
kill -KILL "$bridge"
sshd_back 1
wait_for 40 node_is n1 idle
wait_for 20 has_lines frozen.1 50
agent=$(ssh_agent_pid 2)
kill -STOP "$agent"
wait_for 20 has_lines frozen.2 1
kill -CONT "$agent"
was_told frozen "$job" 2
apart frozen
touch go
wait_end "$job"
is "its end" "$state" COMPLETED
apart frozen
rm go

case_ "the controller is away for longer: the task ends, and runs again when it is back"
start_on away n2 --lost-node=lease
controller_kill9
wait_for 20 has_lines away.terms 1
must stoker up
wait_for 40 has_lines away.1 1
apart away
was_told away "$job" 1
touch go
wait_end "$job"
is "its end" "$state" COMPLETED
cluster_stop

case_ "the shortest lease there is, half of it between TERM and KILL: heartbeats renew it in time"
rm go
export STOKER_BEAT_MS=2000 # twelve seconds of lease, TERM after six without a renewal
KILL_WAIT=1m EXTRA='node_timeout = "1s"; lease_time = "1s"; lost_node = "lease";' ssh_config 1
must stoker up
wait_for 30 nodes_up
outlives() { [ -e "$1.terms" ] || [ $(($(last_of "$1.0") - $(first_of "$1.0"))) -gt 850 ]; } # hundredths of a second
# A machine that stalls ends it, too: not three times in a row.
for least in least1 least2 least3; do
    submit -o $least.out -w n1 beat.sh $least
    wait_for 20 has_lines $least.0 1
    wait_for 20 outlives $least
    [ -e $least.terms ] || break
    must scancel "$job"
    wait_end "$job"
done
is_gone $least.terms || fail "it was ended, each time"
touch go
wait_end "$job"
is "its end" "$state $(job_field "$job" Restarts)" "COMPLETED 0"
cluster_stop
