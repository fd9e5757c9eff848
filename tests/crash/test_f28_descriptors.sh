#!/usr/bin/env bash
# F28: more clients than the controller has descriptors for. It does not spin, its nodes and its disk keep theirs, and it goes on.
. stoker.sh
command -v python3 >/dev/null || skip "no python3"
command -v prlimit >/dev/null || skip "no prlimit"
cluster_start
pid=$(controller_pid)
prlimit --pid "$pid" --nofile=128:
submit -o /dev/null --wrap 'until [ -e go ]; do sleep 0.02; done; exit 6'
wait_state $job RUNNING

cat >many.py <<'E'
import os, socket, sys, time
socks = []
for _ in range(400):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(5)
    try:
        s.connect(sys.argv[1])
    except OSError:
        continue
    socks.append(s)
open("connected", "w").write(f"{len(socks)}\n")
end = time.monotonic() + 250
while not os.path.exists("enough") and time.monotonic() < end:
    time.sleep(0.02)
E
python3 many.py "$STOKER_HOME/run/controller.sock" &
many=$!
wait_for 20 has_lines connected 1
at_least "connections tried" "$(cat connected)" 200
refused() { grep -q "connection refused" "$STOKER_HOME/log/stokerd.log"; }
wait_for 10 refused
ticks() { awk '{print $14 + $15}' "/proc/$pid/stat"; }
t0=$(ticks)
begin=$(now_ms)
second_over() { [ "$(now_ms)" -ge $((begin + 1000)) ]; }
wait_for 20 second_over
ticks=$(($(ticks) - t0))
at_most "CPU ticks in a second of waiting" $((ticks * 1000 / ($(now_ms) - begin))) 30
touch go
touch enough
wait_for 20 is_dead $many
can_ask() { squeue -h >/dev/null 2>&1; }
wait_for 15 can_ask
is "the same process" "$(controller_pid)" "$pid"
wait_end $job
is "the end that came meanwhile" "$state $(job_field $job ExitCode)" "FAILED 6:0"
is "its node was never lost" "$(grep -c 'lost its connection' "$STOKER_HOME/log/stokerd.log")" 0
cluster_stop
