#!/usr/bin/env bash
# F21: the controller's disk is full. Nothing is acknowledged that is not on disk; it turns read-only and says why; tasks run on; when
# space returns it goes on by itself, and knows the ends that came meanwhile.
# test-user
. stoker.sh
cluster_config

script big.sh <<'E'
exit 0
E
head -c 150000 /dev/zero | tr '\0' '#' >>big.sh
script until.sh <<'E'
echo $$ >$1
exec 9<> <(:); while [ ! -e go-$1 ]; do read -rt 0.02 -u 9; done
exit 3
E

read_only() { grep -q "cannot write the state: .*; read-only until it can be written" "$STOKER_HOME/log/stokerd.log"; }
taken() {
    run sbatch --parsable -H "$@"
    [ $rc -eq 0 ] && echo "$out" >>acked
}
# Submits held jobs with big scripts until one is refused, then small ones, until there is no room for anything: the controller looks
# every second whether there is. The acknowledged ones are in the file acked.
fill_by_submitting() {
    local i=0
    while taken big.sh; do [ $((i++)) -lt 300 ] || fail "300 jobs of 150 kB were taken with the disk full"; done
    while until_ 4 taken --wrap true; do [ $((i++)) -lt 600 ] || fail "there is always room for another"; done
}

# $1: what takes the space away, $2: what gives it back
disk_full() {
    rm -f acked go-* first second
    cluster_start
    pid=$(controller_pid)
    submit -o /dev/null until.sh first
    first=$job
    submit -o /dev/null until.sh second
    second=$job
    wait_for 10 has_lines first 1
    wait_for 10 has_lines second 1
    $1
    fill_by_submitting
    is "its output" "$out" ""
    like "its words" "$err" '.*(read-only|nothing was done|cannot be written).*'
    is "the last line" "$(tail -n 1 <<<"$err")" "sbatch: error: Batch job submission failed: Unable to write to the state save location"
    wait_for 5 read_only
    run scancel $second
    [ $rc -ne 0 ] || fail "a cancel was acknowledged"
    is "the queue can be seen" "$(squeue -h -t R -o %i | sort -n | tr '\n' ' ')" "$first $second "
    run stoker up
    has "stoker up tells" "$out" "it accepts nothing now"
    is_alive "$(cat first)" || fail "a task was ended"
    touch go-first
    wait_for 10 is_dead "$(cat first)"
    $2
    can_submit() { sbatch --parsable -H --wrap true >>acked 2>/dev/null; }
    wait_for 15 can_submit
    is "the same process" "$(controller_pid)" "$pid"
    wait_end $first
    is "the end that came meanwhile" "$state $(job_field $first ExitCode)" "FAILED 3:0"
    is "the other runs" "$(job_state $second)" RUNNING
    touch go-second
    wait_end $second
    is "its end" "$state $(job_field $second ExitCode)" "FAILED 3:0"
    is "what was acknowledged is there, and nothing else" "$(squeue -h -o %i | sort -n)" "$(sort -n acked)"
    controller_kill9
    must stoker up
    wait_for 15 nodes_up
    is "after a restart too" "$(squeue -h -o %i | sort -n)" "$(sort -n acked)"
    cluster_stop
}

limit_files() {
    local wal
    wal=$(stat -c %s "$STOKER_HOME/state/stoker.db-wal")
    prlimit --pid "$(controller_pid)" --fsize=$((wal + 400000)):
}
unlimit_files() { prlimit --pid "$(controller_pid)" --fsize=unlimited:; }
take_space() { dd if=/dev/zero of="$STOKER_HOME/state/ballast" bs=64k status=none 2>/dev/null || true; }
give_space() { rm "$STOKER_HOME/state/ballast"; }

if [ "${1:-}" = mounted ]; then
    case_ "a file system of six megabytes"
    STOKER_HOME=$TMPDIR/mounted
    mkdir -p "$STOKER_HOME/state"
    mount -t tmpfs -o size=6m,mode=700 tmpfs "$STOKER_HOME/state"
    mkdir "$STOKER_HOME/state/agent" # the node's directory is another disk
    mount -t tmpfs -o size=64m,mode=700 tmpfs "$STOKER_HOME/state/agent"
    cluster_config
    disk_full take_space give_space
    exit 0
fi

case_ "no file may grow (RLIMIT_FSIZE)"
command -v prlimit >/dev/null || skip "no prlimit"
disk_full limit_files unlimit_files

if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null; then
    unshare -m "$0" mounted || fail "on a file system of its own: see above"
else
    echo "no mount of our own is permitted: the part with a small file system is left out"
fi
