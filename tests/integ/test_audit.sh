#!/usr/bin/env bash
# The audit log: who asked for what, and what came of it.
. stoker.sh
command -v python3 >/dev/null || skip "needs python3"

cat >"$TMPDIR/syslog.py" <<'E2'
import os, socket, sys
path, out = sys.argv[1:]
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(path)
while True:
    text = s.recv(65536)
    with open(out, "ab") as f:
        f.write(text + b"\n")
E2
python3 "$TMPDIR/syslog.py" "$TMPDIR/log.sock" "$TMPDIR/syslog.txt" &
receiver=$!
trap 'kill $receiver' EXIT
export STOKER_SYSLOG=$TMPDIR/log.sock
wait_for 10 is_file "$TMPDIR/log.sock"

lines() { stoker audit --json "$@" | python3 -c 'import json, sys
for l in json.load(sys.stdin)["lines"]:
    print(l["request"], ",".join(str(j["job"]) for j in l["jobs"]) or "-", l["object"] or "-", l["result"], sep="|")'; }
EXTRA='audit_syslog = true;' cluster_start

case_ "each request has a line, with its result"
submit -H -J "a name" --wrap true
must scontrol update JobId="$job" TimeLimit=7
run scancel 4000
must scancel "$job"
run sbatch -p nowhere --wrap true
must scontrol update NodeName=n1 State=DRAIN Reason="new fan"
must scontrol update NodeName=n1 State=RESUME
must scontrol reconfigure
is "the lines" "$(lines | tail -n +2)" "submit|$job|a name|done
update|$job|TimeLimit=7|done
cancel|4000|-|refused
cancel|$job|-|done
submit|-|wrap|refused
drain|-|n1: new fan|done
undrain|-|n1|done
reload|-|-|done"
is "the first" "$(lines | head -n 1 | cut -d '|' -f 1,2,4)" "start|-|done"

case_ "an array is one line, however many jobs it has"
must sbatch --parsable -H --array=0-99 -J many --wrap true
array=$out
must scancel "${array}_[5-7]"
is "its lines" "$(lines --job="$array")" "submit|$array|many|done
cancel|$array,$array,$array|-|done"

case_ "filters"
is "one request" "$(lines --request=drain,undrain | cut -d '|' -f 1)" $'drain\nundrain'
is "refused ones" "$(lines --refused | wc -l)" 2
is "another user" "$(lines --user=no-such-user)" ""
is "of this user" "$(lines --user="$(id -un)" | wc -l)" "$(lines | wc -l)"
is "from a node" "$(lines --node=n1)" ""
is "from here" "$(lines --node=local | wc -l)" "$(lines | wc -l)"
is "before all" "$(lines --since=2020-01-01 --until=2020-01-02)" ""
is "since then" "$(lines --since=2020-01-01 | wc -l)" "$(lines | wc -l)"
run stoker audit --request=nonsense
is "a request that is not there" $rc 2
must stoker audit
has "as a table" "$out" "TimeLimit=7"

case_ "syslog has the lines"
has_line() { grep -qF "$1" "$TMPDIR/syslog.txt"; }
wait_for 10 has_line "audit request=cancel user=$(id -un) uid=$(id -u) from=local jobs=${array}_5,${array}_6,${array}_7 count=3 result=done"
like "its head" "$(head -n 1 "$TMPDIR/syslog.txt")" '<85>[A-Z][a-z]+ +[0-9]+ [0-9:]+ stokerd\[[0-9]+\]: audit request=start .*'
has_line 'object="a name"' || fail "the object is missing"

case_ "the lines stay when the jobs have left, and over a restart"
submit --wrap true
wait_end "$job"
before=$(lines | wc -l)
must stoker down
must stoker up
is "all lines" "$(lines | head -n "$before" | wc -l)" "$before"
has "stop and start" "$(lines | tail -n 3)" "stop|-|-|done"

case_ "refused requests of a user: 30 a minute have a line, the others are counted"
for ((i = 0; i < 40; i++)); do scancel $((5000 + i)) 2>/dev/null; done
at_most "refused lines" "$(lines --refused --since=now-1minute | wc -l)" 32

case_ "no change without its line, and no line without its change: the controller dies around a commit"
# A submission that is still under way when the client is ended may come between the two counts.
n_lines() { lines | grep -c '^submit|.*|lost|done'; }
n_lost() { squeue -h -t all -n lost -o %A | wc -l; }
lines_are_jobs() { [ "$(n_lines)" -eq "$(n_lost)" ]; }
for point in before_commit:1 after_commit:2 after_commit:3 after_commit:4 after_reply:3; do
    must stoker down
    STOKER_CRASH=$point stoker up >/dev/null 2>&1
    pid=$(controller_pid)
    timeout 60 sbatch --parsable -H -J lost --wrap true >/dev/null 2>&1 &
    client=$!
    gone_or_done() { is_dead "$pid" || is_dead $client; }
    wait_for 15 gone_or_done
    kill $client 2>/dev/null
    wait $client
    must stoker up
    wait_for 5 lines_are_jobs
done
cluster_stop
