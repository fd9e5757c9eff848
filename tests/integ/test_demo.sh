#!/usr/bin/env bash
# test-timeout: 180
# stoker --demo: a made-up cluster behind the real protocol, which leaves nothing behind.
. stoker.sh
export TZ=UTC
unset STOKER_SOCKET
own_home=$STOKER_HOME
NOON=2026-11-21T14:20:00

is_gone() { [ ! -e "$1" ]; }

case_ "a command"
must stoker --demo --at=$NOON squeue
first=$out
has squeue "$out" "alice"
has squeue "$out" "pretrain"
has "an array" "$out" "sweep"

case_ "its users"
must stoker --demo --size=small --at=$NOON squeue --me -h -o %u
is "mine" "$(sort -u <<<"$out")" alice
must stoker --demo --size=small --at=$NOON --admin squeue --me -h
is "the administrator's" "$out" ""
run stoker --demo --size=small --at=$NOON squeue -u nosuchuser
has "unknown" "$err" "Invalid user: nosuchuser"

case_ "a terminal says that the demo starts, a file does not"
must env script -qec "LANG=C.UTF-8 stoker --demo --size=small --at=$NOON squeue --me -h" /dev/null
has "on a terminal" "$out" "A made-up cluster is starting ..."
must stoker --demo --size=small --at=$NOON squeue --me -h
is "in a file" "$err" ""

case_ "the same seed and time, the same cluster"
must stoker --demo --at=$NOON squeue
is "squeue again" "$out" "$first"
must stoker --demo --size=small --at=$NOON squeue
first=$out
must stoker --demo --size=small --at=$NOON --seed=7 squeue
[ "$out" != "$first" ] || fail "another seed gives the same jobs"

case_ "it leaves nothing behind"
must stoker --demo --size=small config path
home=${out%/stoker.cfg}
like "its folder" "$home" '.*/stoker-demo\.[A-Za-z0-9]+'
wait_for 10 is_gone "$home"

case_ "one that goes on"
stoker --demo --serve --seed=3 >serve.out &
server=$!
serves() { [ -s serve.out ] && STOKER_HOME=$(sed -n 's/^STOKER_HOME=//p' serve.out) && [ -S "$STOKER_HOME/run/controller.sock" ]; }
wait_for 60 serves
export STOKER_HOME
must squeue -h -o %u
has "jobs" "$out" "alice"
has "jobs" "$out" "bo"
must squeue -u bo,chen -h -o %u
is "those of others" "$(sort -u <<<"$out" | tr '\n' ' ')" "bo chen "
must squeue -h -u bo -t R -o %A
run stoker output "$(head -1 <<<"$out")"
has "what another user may read" "$err" "only the job's owner and administrators may read its output"
must sbatch --parsable -p gpu --gpus=1 --job-name=mine --hold --wrap="touch $WORK/was-run"
job=$out
must squeue -h -j "$job" -o '%T %u %r'
is "a job of the viewer's" "$out" "PENDING alice JobHeldUser"
must scontrol release "$job"
must stoker cancel "$job"
state() { [ "$(squeue -h -t all -j "$job" -o %T)" = "$1" ]; }
wait_for 20 state CANCELLED
must sbatch --parsable --job-name=quick --wrap="touch $WORK/was-run"
job=$out
runs() { state RUNNING || state COMPLETED; }
wait_for 30 runs
prints() { stoker output "$job" 2>/dev/null | grep -q "nothing is run"; }
wait_for 30 prints
[ ! -e "$WORK/was-run" ] || fail "the demo has run a command"
other=$(squeue -h -o '%u %A' | sed -n 's/^bo //p' | head -1)
run stoker cancel "$other"
is "another user's job" $rc 4
run stoker node drain gpu01 --reason=x
is "an administrator's command" $rc 4
must sinfo -h -N -o '%N %T'
has "a drained node" "$out" "gpu03 dra"
has "a node that is away" "$out" "gpu04 down"
must stoker window
has "a window" "$out" "kernel-update"
at_least "jobs of the past" "$(sacct -a -X -n -S now-1day | wc -l)" 100
must stoker users
must stoker why "$(squeue -h -t PD -o %A | head -1)"
kill $server
wait $server
is "its status" $? 0
is_gone "$STOKER_HOME" || fail "the folder is left"

case_ "the screen is killed"
export STOKER_HOME=$own_home
terminal.py size:30x100 expect:live touch:shown await:never -- stoker --demo --size=small >screen.txt 2>&1 &
terminal=$!
wait_for 60 test -e shown
screen=$(pgrep -P $terminal)
cluster=$(pgrep -P "$screen")
home=$(tr '\0' '\n' <"/proc/$screen/environ" | sed -n 's/^STOKER_HOME=//p')
[ -d "$home/state" ] || fail "the screen has no cluster of its own" "$home"
kill -9 "$screen"
wait_for 10 is_gone "$home"
wait_for 10 is_gone "/proc/$cluster"
touch never
wait $terminal 2>/dev/null

case_ "what was killed itself is removed by the next one"
stoker --demo --serve --size=small >killed.out &
server=$!
wait_for 60 test -s killed.out
home=$(sed -n 's/^STOKER_HOME=//p' killed.out)
wait_for 60 test -e "$home/lock"
kill -9 $server
wait $server 2>/dev/null
touch -d '1 minute ago' "$home"
must stoker --demo --size=small squeue
wait_for 10 is_gone "$home"

case_ "mistakes"
run stoker --demo --size=huge
is "its status" $rc 2
has "its text" "$err" "--size needs small, lab or cluster, not 'huge'"
run stoker --demo --help
is "help's status" $rc 0
has help "$out" "made-up cluster"

case_ "the user's own cluster is not touched"
is "own folder" "$(ls -A "$own_home")" ""
