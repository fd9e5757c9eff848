#!/usr/bin/env bash
# Ended jobs and changes of nodes over a Slurm, whose commands are stood in for. test-user
. stoker.sh

stoker() { env -u STOKER_HOME "$B/bin/stoker" "$@"; }
export XDG_RUNTIME_DIR=$WORK/run XDG_STATE_HOME=$WORK/state STOKER_SLURM_IDLE_MS=300
fake=$WORK/slurm calls=$WORK/calls
mkdir -p "$fake" "$XDG_RUNTIME_DIR"
chmod 700 "$XDG_RUNTIME_DIR"
fixtures=$ROOT/tests/slurm/fixtures/22.05.8
: >"$calls"

cat >"$fake/command" <<FAKE
#!/bin/bash
name=\${0##*/}
printf '%s %s\n' "\$name" "\$*" >>"$calls"
case "\$name \$*" in
squeue*) ;;
"scontrol "*"State=DRAIN"*) echo "slurm_update error: Invalid user id" >&2; exit 1 ;;
*"show node") cat "$fixtures/node" ;;
*"show partition") cat "$fixtures/partition" ;;
*config) sed "s/^SlurmUser .*/SlurmUser               = me(\$(<"$WORK/operator"))/" "$fixtures/config" ;;
sacctmgr*) echo None ;;
esac
FAKE
# One job of $1 days ago with a name that holds a newline, the separator's beginning and a forged row; one of 40 days ago.
cat >"$fake/sacct" <<FAKE
#!/usr/bin/env python3
import os, sys, time
open("$calls", "a").write("sacct " + " ".join(sys.argv[1:]).replace("\n", " ") + "\n")
if os.path.exists("$WORK/disabled"):
    sys.exit("Slurm accounting storage is disabled")
word = next(a for a in sys.argv if a.startswith("--delimiter="))[len("--delimiter="):]
fields = next(a for a in sys.argv if a.startswith("--format="))[len("--format="):].split(",")
now = int(time.time())
def row(id, name, end, **more):
    r = {"JobIDRaw": id, "JobID": id, "UID": os.getuid(), "User": "ann", "State": "FAILED", "ExitCode": "3:0", "Submit": end - 100,
         "Start": end - 60, "End": end, "TimelimitRaw": 60, "NNodes": 1, "NCPUS": 2, "NodeList": "n1", "JobName": name,
         "AllocTRES": "cpu=2,mem=100M,gres/gpu=1", "Partition": "main", **more}
    return end, "".join(str(r.get(f, "")) + word for f in fields) + "\n"
rows = [row(501, "new\n777\x1f778\x1fforged", now - 3600), row(502, "old", now - 40 * 86400), row(503, "runs", now - 60, State="RUNNING"),
        row(505, "element", now - 7200, JobID="504_7", State="CANCELLED by 0")]
def at(option):
    return time.mktime(time.strptime(sys.argv[sys.argv.index(option) + 1], "%Y-%m-%dT%H:%M:%S")) if option in sys.argv else None
since, until = at("-S"), at("-E")
sys.stdout.write("".join(text for end, text in rows if since is None or since <= end <= until + 1))
FAKE
chmod +x "$fake"/*
for name in squeue scontrol scancel sacctmgr; do ln -s command "$fake/$name"; done
export PATH=$PATH:$fake USER=ann
id -u >"$WORK/operator"

case_ "a job that has left squeue"
must stoker show 501
has "the job" "$out" "forged"
has "the job" "$out" "n1"
hasnt "the jobs" "$out" $'\n777'
must stoker show 502
has "the job" "$out" "old"
must stoker show 504_7
has "the job" "$out" "element"
run stoker show 503
[ $rc -ne 0 ] || fail "a job that runs stood in the history"
run stoker show 777
[ $rc -ne 0 ] || fail "a forged row became a job"

case_ "changes of nodes are Slurm's, and so are its words"
run stoker node drain n1 --reason "fan is loud"
[ $rc -ne 0 ] || fail "a refusal was not told"
has "the text" "$out$err" "Invalid user id"
has "the calls" "$(cat "$calls")" "scontrol update NodeName=n1 State=DRAIN Reason=fan is loud"
must stoker node resume n1
has "the calls" "$(cat "$calls")" "scontrol update NodeName=n1 State=RESUME"
