#!/usr/bin/env bash
# Submissions to a Slurm while stoker-slurm is killed: none is made twice, none is forgotten. sbatch and squeue are stood in
# for; the real ones are in tests/slurm. test-user
. stoker.sh

stoker() { env -u STOKER_HOME "$B/bin/stoker" "$@"; }
export XDG_RUNTIME_DIR=$WORK/run XDG_STATE_HOME=$WORK/state STOKER_SLURM_IDLE_MS=300 STOKER_SLURM_SETTLE_MS=400
fake=$WORK/slurm queue=$WORK/queue
mkdir -p "$fake" "$queue" "$XDG_RUNTIME_DIR"
chmod 700 "$XDG_RUNTIME_DIR"
fixtures=$ROOT/tests/slurm/fixtures/22.05.8
echo 100 >"$WORK/next"
: >"$WORK/how"

# Takes a job into the queue: a file named by its id, with its comment and its script's path. $WORK/how says what goes wrong:
# the server is killed before, between, behind; sbatch itself ends before or between; or there is no answer from slurmctld.
cat >"$fake/sbatch" <<FAKE
#!/bin/bash
how=\$(<"$WORK/how") comment= script=
printf '%s\n' "\$@" >"$WORK/argv"
for a; do case \$a in --comment=*) comment=\${a#*=} ;; esac; done
for a; do [ ! -f "\$a" ] || { script=\$a; break; }; done
[[ " \$* " != *" --test-only "* ]] || { cat >"$WORK/stdin"; echo "sbatch: Job 7 to start at 2026-01-01T00:00:00 using 4 processors on nodes n[1-2] in partition main" >&2; exit 0; }
[[ " \$* " != *" --partition=none "* ]] || { echo "sbatch: error: Batch job submission failed: Invalid partition name specified" >&2; exit 1; }
[[ \$how != *server-before* ]] || kill -9 \$PPID
[[ \$how != *sbatch-before* ]] || { : >"$WORK/how"; exit 1; }
exec 9>"$WORK/lock"
flock 9
id=\$(<"$WORK/next")
echo \$((id + 1)) >"$WORK/next"
printf '%s\0%s' "\$comment" "\$script" >"$queue/\$id"
cp "\$script" "$WORK/script"
[[ \$how != *server-between* ]] || kill -9 \$PPID
[[ \$how != *sbatch-between* ]] || { : >"$WORK/how"; exit 1; }
[[ \$how != *timeout* ]] || { : >"$WORK/how"; echo "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation" >&2; exit 1; }
echo "a line of the site's wrapper"
echo \$id
[[ \$how != *server-behind* ]] || kill -9 \$PPID
: >"$WORK/how"
exit 0
FAKE
cat >"$fake/squeue" <<FAKE
#!/usr/bin/env python3
import os, sys
form = next(a for a in sys.argv if a.startswith("JobID:"))
names = form.split(",")
word = names[0][len("JobID:"):]
columns = [n[:n.index(":")] for n in names]
out = ""
for id in sorted(os.listdir("$queue")):
    comment, script = open("$queue/" + id).read().split("\0")
    row = {"JobID": id, "ArrayJobID": id, "ArrayTaskID": "N/A", "State": "PENDING", "UserID": str(os.getuid()), "UserName": "ann",
           "Comment": comment, "Command": script, "Name": "n" + id, "NumCPUs": "1", "NumNodes": "1", "NumTasks": "1"}
    out += "".join(row.get(c, "") + word for c in columns) + "\n"
sys.stdout.write(out)
FAKE
cat >"$fake/scontrol" <<FAKE
#!/bin/bash
case "\$*" in
*node) cat "$fixtures/node" ;;
*partition) cat "$fixtures/partition" ;;
*config) cat "$fixtures/config" ;;
esac
FAKE
chmod +x "$fake"/*
ln -s scontrol "$fake/scancel"
export PATH=$PATH:$fake
server_is_gone() { ! pgrep -u "$(id -u)" -f "^stoker-slurm $XDG_RUNTIME_DIR" >/dev/null; }
printf '#!/bin/sh\n#SBATCH --time=10 --hint=nomultithread\necho hello\n' >"$WORK/job.sh"

case_ "a script goes to sbatch as it is, and only what it does not say itself becomes an option"
must stoker submit --account=lab -a 0-3%2 "$WORK/job.sh" one "two words"
is "the id" "$out" 100
is "the words" "$(grep -vE '^--(comment|job-name)=' "$WORK/argv")" "--parsable
--account=lab
--array=0-3%2
$WORK/job.sh
one
two words"
is "its own name" "$(grep -c '^--job-name=job.sh$' "$WORK/argv")" 1
is "the script" "$(cat "$WORK/script")" "$(cat "$WORK/job.sh")"
like "its mark" "$(grep '^--comment' "$WORK/argv")" "--comment=stoker:[0-9a-f]{32}"
must stoker submit --comment "my own" --hold --wrap 'echo x'
has "a comment of the user's" "$(cat "$WORK/argv")" "--comment=my own"
has "the words" "$(cat "$WORK/argv")" "--hold"
has "a script without a file" "$(cat "$WORK/argv")" "$XDG_STATE_HOME/stoker/slurm/"
must stoker show 101
hasnt "the job" "$out" "$XDG_STATE_HOME"
must stoker show 100
hasnt "the job" "$out" "stoker:"

case_ "refusals are in Slurm's words"
says "a partition that is not there" 4 "~" "~" stoker submit -p none "$WORK/job.sh"
has "the text" "$err" "Invalid partition name specified"
hasnt "the text" "$err" "sbatch: error"

case_ "a test queues nothing"
must stoker submit --test-only "$WORK/job.sh"
has "when it would start" "$out" "on nodes n[1-2] in partition main"
is "the script" "$(cat "$WORK/stdin")" "$(cat "$WORK/job.sh")"
is "jobs" "$(ls "$queue" | wc -l)" 2

case_ "200 submissions while the server or sbatch ends at any point"
hows=(server-before server-between server-behind "server-before sbatch-between" "server-between sbatch-between" server-before
    server-between server-behind timeout "server-before sbatch-before" server-between "sbatch-between" server-before server-behind
    "server-between timeout" server-between server-before server-behind server-between server-behind)
before=$(<"$WORK/next")
for ((i = 0; i < ${KILLS:-200}; i++)); do
    how=${hows[i % ${#hows[@]}]}
    next=$(<"$WORK/next")
    echo "$how" >"$WORK/how"
    run stoker submit "$WORK/job.sh"
    [ $rc -eq 0 ] || fail "submission $i ($how) was not answered with a job" "$(quoted err "$err")"
    is "the job of submission $i ($how)" "$out" "$next"
    is "jobs after submission $i ($how)" "$(<"$WORK/next")" $((next + 1))
done
is "jobs" $(($(<"$WORK/next") - before)) "${KILLS:-200}"

case_ "an answer that no client waits for any more is not forgotten"
echo "server-before" >"$WORK/how"
next=$(<"$WORK/next")
stoker submit "$WORK/job.sh" >"$WORK/late" 2>&1 &
client=$!
until_taken() { [ "$(<"$WORK/next")" -gt "$next" ]; }
wait_for 20 until_taken
kill -9 $client 2>/dev/null
wait $client 2>/dev/null
is "jobs" "$(<"$WORK/next")" $((next + 1))
must stoker jobs -a
has "the list" "$out" "$next"
wait_for 20 server_is_gone
is "sockets" "$(find "$XDG_RUNTIME_DIR" -type s)" ""
