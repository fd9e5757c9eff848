# shellcheck shell=bash
# stoker.sh - what tests of the whole program share: a cluster of their own, waiting for conditions, assertions.
#
#   . stoker.sh                      at the top; tests/run has it in PATH and gives TMPDIR, HOME and STOKER_HOME
#   cluster_start                    a controller with one local node n1: 8 CPUs, 16 GB, 4 GPUs, believed and not checked.
#                                    Other figures: CPUS= MEMORY= GPUS= NODES= KILL_WAIT= EXTRA= (more lines of the
#                                    configuration) PARTITIONS= (the list's content), or write $STOKER_HOME/stoker.cfg first
#   run CMD...                       sets out, err, rc
#   is WHAT GOT WANT, has, hasnt, like, says ...     end the test with what differs
#   wait_for SECONDS CMD...          until CMD succeeds; the test fails at the deadline
#
# A test never sleeps for a result: wait_for looks again, every 20 ms at first. What was started goes with the test's end.
#
# A machine that stalls is not a fault: SECONDS are those of a good one, and wait_for, wait_state and wait_end have a minute at least.
# Where the time is what is tested, until_ keeps to the letter. CMD may be a function of the test: names of locals here must not
# hide the test's own, hence their first words.

set -u
PATIENCE=60
export STOKER_SILENT_MS=60000 # srun and salloc say sooner that they wait: not where their words are compared
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
WORK=$TMPDIR/work
mkdir -p "$WORK" "$STOKER_HOME"
cd "$WORK" || exit 1

# --- words of failure ---

case_name=
# What the next lines are about: named where one of them fails.
case_() {
    case_name=$*
    echo "-- $* (at $SECONDS s)"
}

fail() {
    echo "FAIL${case_name:+ [$case_name]} at ${BASH_SOURCE[-1]##*/}:${BASH_LINENO[-2]-?}: $1"
    shift
    [ $# -eq 0 ] || printf '%s\n' "$@"
    exit 1
}

quoted() { printf '%s\n' "$2" | sed "s/^/  $1 |/"; }

# is WHAT GOT WANT
is() { [ "$2" == "$3" ] || fail "$1 differs" "$(quoted 'got ' "$2")" "$(quoted 'want' "$3")"; }
# has WHAT TEXT PART: PART stands somewhere in it
has() { [[ $2 == *"$3"* ]] || fail "$1 lacks \"$3\"" "$(quoted 'got ' "$2")"; }
hasnt() { [[ $2 != *"$3"* ]] || fail "$1 must not have \"$3\"" "$(quoted 'got ' "$2")"; }
# like WHAT TEXT REGEX: the extended regular expression fits all of it
like() { [[ $2 =~ ^($3)$ ]] || fail "$1 is not like $3" "$(quoted 'got ' "$2")"; }
# at_most WHAT GOT LIMIT, at_least: numbers
at_most() { [ "$2" -le "$3" ] || fail "$1 is $2, more than $3"; }
at_least() { [ "$2" -ge "$3" ] || fail "$1 is $2, less than $3"; }

# run CMD...: its standard output, standard error and status in out, err and rc.
run() {
    out=$("$@" 2>"$TMPDIR/run.err")
    rc=$?
    err=$(<"$TMPDIR/run.err")
}

# says WHAT RC OUT ERR CMD...: exactly that. An OUT or ERR of "~" is not looked at.
says() {
    local says_what=$1 says_rc=$2 says_out=$3 says_err=$4
    shift 4
    run "$@"
    [ "$says_out" = "~" ] || is "$says_what: standard output" "$out" "$says_out"
    [ "$says_err" = "~" ] || is "$says_what: standard error" "$err" "$says_err"
    [ "$rc" -eq "$says_rc" ] || fail "$says_what: status $rc, not $says_rc" "$(quoted out "$out")" "$(quoted err "$err")"
}

# must CMD...: it succeeds; its output is in out.
must() {
    run "$@"
    [ $rc -eq 0 ] || fail "status $rc of: $*" "$(quoted out "$out")" "$(quoted err "$err")"
}

# Whether this build filters system calls: one with a sanitizer does not (backend/confine).
has_filters() {
    case $(uname -m) in x86_64 | aarch64) ! grep -qE '__(asan|tsan)_init' "$B/bin/stoker-agent" ;; *) false ;; esac
}

skip() {
    echo "$*"
    exit 77
}

# --- waiting ---

# read_clock VARIABLE: milliseconds since the machine started, without a process.
read_clock() {
    local clock_up
    read -r clock_up _ </proc/uptime
    printf -v "$1" %d $((10#${clock_up/./} * 10))
}
now_ms() {
    local now_is
    read_clock now_is
    echo $now_is
}

exec {nap_fd}<> <(:) # never ready: reading it with a timeout waits without a process
nap() { read -r -t "${1:-0.02}" -u "$nap_fd" _ || true; }

# until_ SECONDS CMD...: false at the deadline. It looks every 20 ms, and after a second every 50.
until_() {
    local until_began until_now until_deadline
    read_clock until_began
    until_deadline=$((until_began + $1 * 1000))
    shift
    until "$@"; do
        read_clock until_now
        [ "$until_now" -lt $until_deadline ] || return 1
        if [ $until_now -lt $((until_began + 1000)) ]; then nap; else nap 0.05; fi
    done
}

patience() { echo $(($1 > PATIENCE ? $1 : PATIENCE)); }
wait_for() { until_ "$(patience "$1")" "${@:2}" || fail "not so within $(patience "$1") s: ${*:2}" "$(squeue -a -t all 2>&1 | head -n 30)"; }

# --- jobs ---

job_state() { squeue -h -t all -o %T -j "$1" 2>/dev/null; }
job_reason() { squeue -h -t all -o %r -j "$1" 2>/dev/null; }
# job_field JOB KEY: a value of scontrol show job
job_field() { scontrol -o show job "$1" | tr ' ' '\n' | sed -n "s/^$2=//p" | head -n 1; }
is_state() { [[ " $2 " == *" $(job_state "$1") "* ]]; }
# wait_state JOB "STATE..." [SECONDS]: one of those
wait_state() { until_ "$(patience "${3:-20}")" is_state "$1" "$2" ||
    fail "job $1 is $(job_state "$1") ($(job_reason "$1")), not $2" "$(scontrol show job "$1" 2>&1)"; }
# wait_end JOB [SECONDS]: any final state; it is in $state
wait_end() {
    wait_state "$1" "COMPLETED FAILED CANCELLED TIMEOUT NODE_FAIL OUT_OF_MEMORY PREEMPTED DEADLINE BOOT_FAIL" "${2:-20}"
    state=$(job_state "$1")
}
# submit ARGS...: sbatch; its number is in $job
submit() {
    must sbatch --parsable "$@"
    job=$out
    like "the id" "$job" '[0-9]+'
}
# script NAME: makes an executable batch script of its standard input, #!/bin/bash in front
script() {
    { echo '#!/bin/bash'; cat; } >"$1"
    chmod +x "$1"
}
is_file() { [ -e "$1" ]; }
# Its writer creates it first, then writes.
is_filled() { [ -s "$1" ]; }
is_gone() { [ ! -e "$1" ]; }
# has_lines FILE N: at least
has_lines() { [ -e "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]; }

# --- processes ---

# A process whose first thread has ended lives as long as the others: it has its files and locks until the last one has gone.
is_alive() {
    local key value state= threads=0
    [ -n "${1:-}" ] || return 1
    while read -r key value; do
        case $key in
        State:) state=${value%% *} ;;
        Threads:) threads=$value ;;
        esac
    done 2>/dev/null <"/proc/$1/status"
    case $state in
    "") return 1 ;;
    Z | X) [ "$threads" -gt 1 ] ;;
    esac
}
is_dead() { ! is_alive "$1"; }
controller_pid() { cat "$STOKER_HOME/state/stokerd.lock" 2>/dev/null; }
# Of this test's cluster: the agent of node $1, and the shims. Their command lines name directories of it.
# The oldest: a copy of it that is about to become another program has its command line too.
agent_pid() { "$B/tests/tools/procs" -o -- "^stoker-agent --node ${1:-n1} --dir $STOKER_HOME/"; }
shim_pids() { "$B/tests/tools/procs" -- "stoker-(shim|agent shim) .*$STOKER_HOME/state/agent/"; }
pmi_pids() { "$B/tests/tools/procs" -- "stoker-pmi [0-9]+ .*$STOKER_HOME/state/agent/"; }
no_shims() { [ -z "$(shim_pids)" ]; }
no_agents() { ! "$B/tests/tools/procs" -- "^stoker-agent --node [^ ]* --dir $STOKER_HOME/" >/dev/null; }

# --- the cluster ---

cluster_config() {
    local nodes=${NODES:-n1} partitions
    partitions="{ name = \"main\"; nodes = \"$nodes\"; default = true; }"
    cat >"$STOKER_HOME/stoker.cfg" <<CFG
cluster = "test";
nodes = ( { name = "$nodes"; transport = "local"; cpus = ${CPUS:-8}; memory = "${MEMORY:-16G}"; gpus = ${GPUS:-4}; detect = false; } );
partitions = ( ${PARTITIONS:-$partitions} );
kill_wait = "${KILL_WAIT:-1s}";
${EXTRA:-}
CFG
}

nodes_up() {
    local states
    states=$(sinfo -h -N -o %T 2>/dev/null) || return 1
    [ -n "$states" ] && ! grep -qvE '^((idle|mixed|allocated|drained|draining)[$]?|maint|reserved)$' <<<"${states,,}"
}

cluster_start() {
    [ -e "$STOKER_HOME/stoker.cfg" ] || cluster_config
    must stoker up
    wait_for 15 nodes_up
}

# A cluster whose controller, agents and shims have a clock of the test: sleep_on SECONDS moves it forward, as after a sleep of the
# machine. What waits for half a minute then ends at once. clocked_up starts the controller again.
cluster_start_clocked() {
    clock_make
    [ -e "$STOKER_HOME/stoker.cfg" ] || cluster_config
    clocked_up
    wait_for 15 nodes_up
}
# The shim's environment is empty and it is static: a copy of the programs has one with that clock, which looks for the file "clock"
# in the directories above it.
clock_make() {
    local program
    export FAKE_CLOCK=$TMPDIR/clock
    st_slept=0
    sleep_on 0
    mkdir "$TMPDIR/clocked"
    for program in stoker stokerd stoker-agent stoker-link stoker-pmi; do cp "$B/bin/$program" "$TMPDIR/clocked/"; done
    cp "$B/tests/clocked/stoker-shim" "$TMPDIR/clocked/"
}
clocked_up() { LD_PRELOAD=$B/tests/lib/libfakeclock.so must "$TMPDIR/clocked/stoker" up; }
sleep_on() {
    st_slept=$((st_slept + $1))
    echo "0 $st_slept" >"$FAKE_CLOCK.new" && mv "$FAKE_CLOCK.new" "$FAKE_CLOCK"
}

controller_kill9() {
    local killed
    killed=$(controller_pid)
    kill -KILL "$killed" && wait_for 5 is_dead "$killed"
}

# Ends the jobs, the controller and the agents. Part of the test: what cannot be stopped in order is a failure.
cluster_stop() {
    must stoker down --kill-jobs
    wait_for 10 no_agents
    wait_for 10 no_shims
}

# At the test's end, however it ended: nothing stays behind. tests/run fails a test that leaves a process.
on_exit() {
    local rc=$? pid
    trap - EXIT
    if [ $rc -ne 0 ] && [ $rc -ne 77 ]; then
        pkill -KILL -P $$ # what the test has left in the background
        for f in "$STOKER_HOME"/log/*; do
            [ ! -s "$f" ] || { echo "== ${f##*/}"; tail -n 25 "$f"; }
        done
    fi
    if [ -n "$(controller_pid)" ] && is_alive "$(controller_pid)"; then
        timeout 60 stoker down --kill-jobs >/dev/null 2>&1
        [ $rc -ne 0 ] || until_ 60 no_agents
    fi
    if [ $rc -ne 0 ]; then
        for pid in $(pgrep -f -- "$STOKER_HOME/"); do [ "$pid" = $$ ] || kill -KILL "$pid" 2>/dev/null; done
    fi
    exit $rc
}
trap on_exit EXIT
