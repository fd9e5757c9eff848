#!/usr/bin/env bash
# F27, F26, F25, F14: the node's clock is a day ahead, or behind; the node sleeps for an hour. How long something ran is measured, when it was
# is the controller's word; a limit that went by in the sleep is kept when the node wakes, and nothing else happens.
. stoker.sh
command -v python3 >/dev/null || skip "no python3"
clock=$B/tests/lib/libfakeclock.so
export FAKE_CLOCK=$TMPDIR/clock
set_clock() { echo "$1 $2" >"$FAKE_CLOCK.new" && mv "$FAKE_CLOCK.new" "$FAKE_CLOCK"; } # WALL SLEPT
set_clock 86400 0
# The agent and the supervisors get the wrong clock, the controller does not. (The supervisor is a static program: so the agent's
# own part takes its place.)
mkdir "$TMPDIR/bin" "$TMPDIR/real"
bin=$(dirname "$(command -v stoker)")
cp -a "$bin"/* "$TMPDIR/bin/"
cp "$bin/stoker-agent" "$TMPDIR/real/"
for what in "bin/stoker-agent:" "real/stoker-shim: shim"; do
    rm -f "$TMPDIR/${what%%:*}"
    printf '#!/bin/sh\nexec env LD_PRELOAD=%s FAKE_CLOCK=%s %s%s "$@"\n' "$clock" "$FAKE_CLOCK" "$TMPDIR/real/stoker-agent" "${what#*:}" >"$TMPDIR/${what%%:*}"
    chmod +x "$TMPDIR/${what%%:*}"
done
export PATH=$TMPDIR/bin:$PATH
hash -r
# Command lines name the program behind the script.
agent_pid() { pgrep -f -- "stoker-agent --node n1 --dir $STOKER_HOME/" | head -n 1; }
no_agents() { ! pgrep -f -- "stoker-agent --node [^ ]* --dir $STOKER_HOME/" >/dev/null; }
export STOKER_BEAT_MS=300
cluster_start
like "the clock of the agent's log" "$(cut -dT -f1 "$STOKER_HOME/log/agent-n1.log" | head -n 1)" "$(date -d '+1 day' +%F)|$(date -d '+1 day 1 minute ago' +%F)"

script waits <<'S'
date +%s >"clock.$1"
exec 9<> <(:); until [ -e "go-$1" ]; do read -rt 0.02 -u 9; done
exit "${2:-0}"
S
# Seconds between a time of the job's and the controller's now.
off() { local t; t=$(job_field "$1" "$2"); echo $(($(date +%s) - $(date -d "$t" +%s))); }
near() { # WHAT SECONDS
    at_most "$1: seconds ago" "$2" 3000
    at_least "$1: seconds ago" "$2" -2
}
for day in 86400 -86400; do
    case_ "the node's clock is $day s off"
    set_clock $day 0
    submit -t 5 -o "out$day" waits "day$day" 3
    wait_for 20 has_lines "clock.day$day" 1
    submit -o "steps$day" --wrap "srun true; until [ -e go-day$day ]; do sleep 0.05; done; exit 0"
    steps=$job
    is_state "$((steps - 1))" RUNNING || fail "its limit of five minutes is over: $(job_state $((steps - 1)))"
    near "start" "$(off $((steps - 1)) StartTime)"
    touch "go-day$day"
    for j in $((steps - 1)) $steps; do
        wait_end "$j"
        near "start of $j" "$(off "$j" StartTime)"
        near "end of $j" "$(off "$j" EndTime)"
        like "how long $j ran" "$(job_field "$j" RunTime)" "00:0[0-9]:[0-9]{2}"
    done
    is "its end" "$(job_field $((steps - 1)) ExitCode)" "3:0"
    stoker show --json "$steps" >shown
    must python3 -c '
import json, sys, time
seen = []
def walk(x, path):
    if isinstance(x, list):
        for v in x:
            walk(v, path)
    elif isinstance(x, dict):
        for k, v in x.items():
            walk(v, path + "." + k)
    elif path.endswith((".start", ".end", ".start_time", ".end_time")) and x:
        assert -5 < time.time() - x < 3000, (path, x, time.time())
        print(path)
walk(json.load(open("shown")), "")'
    has "times that were looked at" "$out" ".steps.tasks.end"
done
set_clock 0 0
hour=0
sleep_for() { hour=$((hour + $1)) && set_clock 0 $((hour * 3600)); } # HOURS: this clock never goes back

case_ "the node sleeps for an hour: what has a limit of its own or of its job is over, the rest goes on"
submit -o free.out waits free 4
free=$job
submit -n 1 -o limited.out --wrap 'srun -t 10 ./waits step; echo "the step ended with $?"; until [ -e go-limited ]; do sleep 0.05; done; exit 0'
limited=$job
wait_for 20 has_lines clock.free 1
until_ 60 has_lines clock.step 1 || fail "no step" "$(cat limited.out)"
sleep_for 1
wait_for 20 has_lines limited.out 2
has "the step" "$(cat limited.out)" "DUE TO TIME LIMIT"
has "the script saw it" "$(cat limited.out)" "the step ended with"
is "both jobs" "$(job_state "$free") $(job_state "$limited")" "RUNNING RUNNING"
wait_for 20 nodes_up
touch go-free go-limited
wait_end "$free"
is "its end" "$(job_field "$free" ExitCode)" 4:0
wait_end "$limited"
is "its end" "$state" COMPLETED

case_ "the same while the controller is away: the job's limit is kept by its node"
submit -t 30 -o alone.out waits alone
alone=$job
submit -o free2.out waits free2 5
free2=$job
wait_for 20 has_lines clock.alone 1
wait_for 20 has_lines clock.free2 1
controller_kill9
sleep_for 1
ended() { ls "$STOKER_HOME/state/agent/n1/tasks/$alone.-1.0.1/end" >/dev/null 2>&1; }
wait_for 60 ended # the agent may know later than the supervisor that no controller is there: the supervisor asks again after half a minute
must stoker up
wait_for 15 nodes_up
wait_end "$alone"
is "its end" "$state" TIMEOUT
is "the other" "$(job_state "$free2")" RUNNING
touch go-free2
wait_end "$free2"
is "its end" "$(job_field "$free2" ExitCode)" 5:0

case_ "a job with a lease, which was over in the sleep: ended before it is started again"
script leased <<'S'
for p in $(cat leased.pids 2>/dev/null); do [ ! -d "/proc/$p" ] || echo "$p" >>two_at_once; done
echo $$ >>leased.pids
exec 9<> <(:); until [ -e go-leased ]; do read -rt 0.02 -u 9; done
exit 0
S
submit --lost-node=lease --requeue -o /dev/null leased
wait_for 20 has_lines leased.pids 1
agent=$(agent_pid)
kill -STOP "$agent" # a sleeping machine answers no heartbeats
unheard() { sinfo -h -N -o %T | grep -q '\*$\|^unk\|^down'; }
wait_for 20 unheard
sleep_for 1
kill -CONT "$agent"
wait_for 20 is_dead "$(head -n 1 leased.pids)"
wait_for 40 has_lines leased.pids 2
touch go-leased
wait_end "$job"
is "its end" "$state" COMPLETED
is_gone two_at_once || fail "it ran twice at a time: $(cat two_at_once)"
cluster_stop
