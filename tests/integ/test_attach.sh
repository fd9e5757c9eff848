#!/usr/bin/env bash
# Sessions on terminals, on this machine and over SSH: keys, window, signals, status; the terminal goes, the session stays, and
# `stoker attach` comes back to it; one writes at a time.
. stoker.sh
. sshd.sh
command -v python3 >/dev/null || skip "no python3"
sshd_start 1
mkdir -p "$STOKER_HOME"
cat >"$STOKER_HOME/stoker.cfg" <<CFG
cluster = "test";
nodes = ( $(ssh_node 1), { name = "here"; transport = "local"; cpus = 4; memory = "8G"; gpus = 0; detect = false; } );
partitions = ( { name = "main"; nodes = "n1,here"; default = true; } );
kill_wait = "1s";
CFG
must stoker up
wait_for 30 nodes_up
# At a terminal; its text is in out, the command's status in rc.
play() {
    run terminal.py "$@"
    [ $rc -ne 99 ] || fail "it went otherwise at the terminal: $err" "$out"
}
no_job() { [ -z "$(squeue -h)" ]; }
# What is played in the sessions: it says its size when that changes, and what it is told. No shell: bash 5.2 in `read -t` never hears
# of SIGWINCH again once a second one has come while its trap for the first one ran.
cat >inside.py <<'P'
import os, select, signal, sys, termios
signals, wake = os.pipe()
os.set_blocking(wake, False)
signal.set_wakeup_fd(wake)
for s in (signal.SIGWINCH, signal.SIGINT):
    signal.signal(s, lambda *_: None)
def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
def size():
    columns, lines = os.get_terminal_size(0)
    return f"{lines} {columns}"
if all(map(os.isatty, (0, 1, 2))):
    say(f"begin on {os.environ['SLURMD_NODENAME']}: {size()} three")
while True:
    ready = select.select([0, signals], [], [])[0]
    for s in os.read(signals, 64) if signals in ready else b"":
        say("size " + size() if s == signal.SIGWINCH else "interrupted")
    word = os.read(0, 4096).decode().strip() if 0 in ready else None
    if word == "leave":
        t = termios.tcgetattr(0)
        t[3] &= ~termios.ECHO
        termios.tcsetattr(0, termios.TCSADRAIN, t)
        say("bye")
        sys.exit(7)
    elif word == "much":
        for i in range(600000):
            sys.stdout.write(f"{i + 1}\n")
        say("end of much")
    elif word is not None:
        say(f"heard ({word})")
P
for node in here n1; do
    case_ "$node: keys, the window's size, ^C, the exit status"
    play "expect:begin on $node: 30 100 three" 'type:one\r' 'expect:heard (one)' size:40x120 'expect:size 40 120' \
        'type:\x03' 'expect:interrupted' 'type:leave\r' -- srun -w $node --pty python3 inside.py
    is "status" "$rc" 7
    wait_for 10 no_job
    play -- srun -w $node --pty bash -c 'kill -9 $$'
    is "a signal" "$rc" 137
    says "no terminal here: input and its end" 0 "~" "~" sh -c "printf 'echo x\$((20+3))y\n' | srun -w $node --pty bash"
    has "it ran" "$out" x23y
    wait_for 10 no_job

    case_ "$node: the laptop is closed: the session stays, and is come back to"
    play "expect:begin on $node" 'type:first\r' 'expect:heard (first)' hangup -- srun -w $node --pty python3 inside.py
    job=$(squeue -h -o %i)
    like "it is there" "$job" '[0-9]+'
    play 'expect:heard (first)' 'type:second\r' 'expect:heard (second)' hangup -- stoker attach "$job"
    is "state" "$(job_state "$job")" RUNNING
    play 'expect:heard (second)' 'type:\r~.' 'expect:left StepId' -- stoker attach "$job"
    is "status of leaving" "$rc" 0
    play 'type:\r~.' 'expect:left StepId' -- stoker attach "$job" # before the client is told that it may write: no client is attached then
    play 'expect:heard (second)' 'type:\r~.' 'expect:left StepId' -- stoker attach "$job"
    is "status of coming when one has just left" "$rc" 0

    case_ "$node: one writes at a time; who takes over is named"
    terminal.py 'expect:heard (second)' 'type:third\r' 'expect:heard (third)' touch:first.ready 'expect:has taken StepId' \
        touch:first.told -- stoker attach "$job" >first.out 2>&1 &
    first=$!
    until_ 100 is_file first.ready || fail "the first does not come to it" "$(tail -n 30 first.out)"
    play -- stoker attach "$job"
    is "status of the second" "$rc" 1
    has "who is there" "$out" "--take takes it over"
    play 'expect:heard (third)' 'type:fourth\r' 'expect:heard (fourth)' await:first.told 'type:\r~.' \
        -- stoker attach --take "$job"
    is "status of the third" "$rc" 0
    wait $first
    is "status of the first" $? 0
    rm first.ready first.told

    case_ "$node: controller and agent are killed meanwhile"
    rm -f kept.ready up.ready
    terminal.py 'expect:heard (fourth)' 'type:fifth\r' 'expect:heard (fifth)' touch:kept.ready await:up.ready \
        size:41x121 'expect:size 41 121' 'type:sixth\r' \
        'expect:heard (sixth)' 'type:much\r' 'expect:end of much' 'type:leave\r' -- sh -c "
            stoker attach $job; echo \$? >kept.status" >kept.out 2>&1 &
    kept=$!
    until_ 100 is_file kept.ready || fail "it does not come to it" "$(tail -n 30 kept.out)"
    controller_kill9
    kill -KILL $(if [ $node = here ]; then agent_pid here; else ssh_agent_pid 1; fi)
    [ $node = here ] || sshd_cut 1
    must stoker up
    wait_for 30 nodes_up
    touch up.ready
    wait_for 150 is_dead $kept
    [ -e kept.status ] || fail "it went otherwise at the terminal" "$(head -c 2000 kept.out)" ... "$(tail -n 20 kept.out)"
    is "the session's status" "$(cat kept.status)" 7
    is "much of it, whole" "$(grep -cx '[0-9][0-9]*' kept.out)" 600000
    wait_for 20 no_job
    is "how the job ended" "$(job_state "$job") $(job_field "$job" ExitCode)" "FAILED 7:0"
done

case_ "a session's output without a client is bounded, and its end is kept"
play 'expect:begin' 'type:much\r' 'expect:1000' hangup -- srun -w n1 --pty python3 inside.py
job=$(squeue -h -o %i)
spool=$(echo "$NODES_DIR"/n1/state/stoker/agents/*/n1/tasks/"$job".0.0.*/0.pty)
all_written() { [ "$(stat -c %s "$spool")" -gt 4600000 ]; }
wait_for 40 all_written
at_most "KiB on disk" "$(du -k "$spool" | cut -f1)" 2200
play 'expect:end of much' 'type:leave\r' 'expect:Exited with exit code 7\r\n' -- stoker attach "$job"
is "status" "$rc" 7
wait_for 20 no_job

case_ "an srun without a terminal is looked at from beside"
srun -w n1 -l -n2 bash -c 'echo "rank $SLURM_PROCID"; exec 9<> <(:); until [ -e go ]; do read -rt 0.05 -u 9; done; exit 3' >/dev/null 2>&1 &
running() { [ -n "$(squeue -h -t R -o %i)" ]; }
wait_for 20 running
job=$(squeue -h -o %i)
stoker attach "$job" >beside.out 2>beside.err &
beside=$!
wait_for 20 has_lines beside.out 2
touch go
wait_for 20 is_dead $beside
wait $beside
is "status" $? 3
is "its lines" "$(sort beside.out)" $'0: rank 0\n1: rank 1'
wait_for 20 no_job
submit --wrap 'until [ -e never ]; do sleep 0.05; done'
wait_state "$job" RUNNING
says "nothing to attach to" 1 "" "~" stoker attach "$job"
has "what else" "$err" "srun --jobid=$job"
scancel "$job"
says "no such job" 3 "" "~" stoker attach 999999
cluster_stop
