#!/usr/bin/env bash
# stoker over a Slurm, whose commands are stood in for by what a real one has answered (tests/slurm/fixtures). test-user
. stoker.sh

stoker() { env -u STOKER_HOME "$B/bin/stoker" "$@"; }
export XDG_RUNTIME_DIR=$WORK/run STOKER_SLURM_IDLE_MS=300
fake=$WORK/slurm calls=$WORK/calls
mkdir -p "$fake" "$XDG_RUNTIME_DIR"
chmod 700 "$XDG_RUNTIME_DIR"
fixtures=$ROOT/tests/slurm/fixtures/22.05.8

# Stands in for one of Slurm's commands: notes how it was called, prints what was recorded.
cat >"$fake/command" <<FAKE
#!/bin/bash
name=\${0##*/}
echo "\$name \$*" >>"$calls"
env | grep -E '^(SLURM|SQUEUE|LC_ALL|LANG)' | sort >"$WORK/env"
[ ! -e "$WORK/broken" ] || { echo "\$name: error: Unable to contact slurm controller (connect failure)" >&2; exit 1; }
case "\$name \$*" in
squeue*)
    ids=
    for a; do
        [[ \$a != JobID:* ]] || format=\$a
        [ "\$before" != -j ] || ids=\$a
        before=\$a
    done
    word=\${format#JobID:} word=\${word%%,ArrayJobID*}
    python3 - "\$word" "\$ids" <<'PY'
import os, sys
word, ids = open("$fixtures/word", "rb").read(), sys.argv[2].encode().split(b",")
end = word + b"\n"
rows = open("$fixtures/squeue", "rb").read().split(end)[:-1]
young = "$WORK/young" # the id of a job that has been submitted after the list was read
if ids != [b""]:
    if os.path.exists(young):
        cells = next(r for r in rows if r.startswith(b"13" + word)).split(word)
        cells[0] = cells[1] = open(young, "rb").read().strip()
        rows.append(word.join([*cells[:-1], b"just submitted"]))
    rows = [r for r in rows if r.split(word)[0] in ids]
    if not rows:
        sys.exit("slurm_load_jobs error: Invalid job id specified")
sys.stdout.buffer.write(b"".join(r + end for r in rows).replace(word, sys.argv[1].encode()))
PY
    ;;
*node) cat "$fixtures/node" ;;
*partition) cat "$fixtures/partition" ;;
*config) cat "$fixtures/config" ;;
*reservation) echo "No reservations in the system" ;;
"scontrol --oneliner show job 13") echo "JobId=13 JobName=behind OverSubscribe=NO ReqNodeList=(null) ExcNodeList=(null)" ;;
"scancel "*13*) echo "scancel: error: Kill job error on job id 13: Access/permission denied" >&2; exit 1 ;;
esac
FAKE
chmod +x "$fake/command"
for name in squeue scontrol scancel sbatch; do ln -s command "$fake/$name"; done
server_is_gone() { ! pgrep -u "$(id -u)" -f "^stoker-slurm $XDG_RUNTIME_DIR" >/dev/null; }

case_ "Stoker's own squeue is no Slurm"
run stoker jobs
[ $rc -ne 0 ] || fail "stoker jobs found a Slurm"
has "the text" "$err" "no controller runs here"
[ ! -e "$XDG_RUNTIME_DIR/stoker-slurm" ] || fail "a server was started"

export PATH=$PATH:$fake # behind Stoker's own
case_ "the queue, without any configuration"
export SQUEUE_FORMAT=broken SLURM_CLUSTERS=elsewhere
must stoker jobs -a
has "the list" "$out" "two nodes"
has "the list" "$out" "next in line, needs 1 CPU (0 free)"
hasnt "the list" "$out" $'\n999999'
is "rows" "$(grep -cE '^[0-9]' <<<"$out")" "$(python3 -c "
w = open('$fixtures/word', 'rb').read()
print((open('$fixtures/squeue', 'rb').read().count(w) // 38) - 2)")"
is "the environment of Slurm's commands" "$(cat "$WORK/env")" $'LC_ALL=C\nSLURM_BITSTR_LEN=0\nSLURM_TIME_FORMAT=%s\nSQUEUE_ARRAY_UNIQUE=1'

case_ "nodes"
must stoker nodes
has "the list" "$out" "not built yet"

case_ "one job"
must stoker show 2
has "the job" "$out" "two nodes"
has "the job" "$out" "n[5-6]"
says "a job that is not there" 3 "~" "~" stoker show 4711
must stoker why 13
has "the causes" "$out" "1 job"
has "the causes" "$out" "on 4 whole nodes in main"
has "the causes" "$out" "Slurm says Priority"
: >"$calls"
must stoker why 13
hasnt "an answer that is young is not asked for again" "$(cat "$calls")" "show job 13"

case_ "a job that is younger than the list is asked for by its id"
asked() { grep -c 'squeue .*-j ' "$calls"; }
: >"$calls"
must stoker jobs -a
hasnt "the list" "$out" "just submitted"
echo 4712 >"$WORK/young"
must stoker show 4712
has "the job" "$out" "just submitted"
is "questions for it" "$(asked)" 1
echo 4713 >"$WORK/young"
must stoker why 4713
has "the causes" "$out" "Slurm says Priority"
is "questions for both" "$(asked)" 2
says "a job that is not there, again" 3 "~" "~" stoker show 4711
is "and for one that is not there" "$(asked)" 3
must stoker show 13
is "none for a job of the list" "$(asked)" 3
must stoker slurm status
has "the status" "$out" "squeue --jobs, on demand"

case_ "actions run Slurm's commands, and refusals are in Slurm's words"
: >"$calls"
must stoker cancel 12
has "the calls" "$(cat "$calls")" "scancel 12"
run stoker cancel 13
[ $rc -ne 0 ] || fail "a refusal is not told"
has "the text" "$out$err" "Access/permission denied"
must stoker hold 10
has "the calls" "$(cat "$calls")" "scontrol uhold 10"
must stoker release 7
has "the calls" "$(cat "$calls")" "scontrol release 7"
must stoker update 10 TimeLimit=30
has "the calls" "$(cat "$calls")" "scontrol update JobId=10 TimeLimit=30"

case_ "what it has cost"
must stoker slurm status
has "the status" "$out" "cluster bench"
has "the status" "$out" "squeue"
run stoker audit
[ $rc -ne 0 ] || fail "it was answered"
has "the text" "$err" "not built for Slurm yet"
[ ! -e "$HOME/.local/state/stoker/stoker.db" ] || fail "a cluster of Stoker's own was started beside the Slurm"

case_ "the socket is the user's alone"
is "its directory" "$(stat -c %a "$XDG_RUNTIME_DIR/stoker-slurm")" 700
is "one server" "$(pgrep -c -u "$(id -u)" -f "^stoker-slurm $XDG_RUNTIME_DIR")" 1

case_ "nothing is left when the last client has gone"
wait_for 20 server_is_gone
is "sockets" "$(find "$XDG_RUNTIME_DIR" -type s)" ""

case_ "a Slurm that does not answer is said so, in its words"
touch "$WORK/broken"
run stoker jobs
[ $rc -ne 0 ] || fail "an empty queue was shown"
has "the text" "$out$err" "Unable to contact slurm controller"
rm "$WORK/broken"
wait_for 20 server_is_gone
must stoker show 13
touch "$WORK/broken"
run stoker show 4711
[ $rc -ne 0 ] || fail "a job is shown"
has "nor is a job said not to be there" "$out$err" "Unable to contact slurm controller"
rm "$WORK/broken"
wait_for 20 server_is_gone

case_ "a directory that others can get into is refused"
chmod 755 "$XDG_RUNTIME_DIR/stoker-slurm"
run stoker jobs
[ $rc -ne 0 ] || fail "it was used"
has "the text" "$err" "is not a directory of yours alone"
