#!/usr/bin/env bash
# Jobs with a terminal: srun outside of a job, srun --pty, salloc; what happens when the terminal or the controller goes.
# test-user
. stoker.sh
command -v python3 >/dev/null || skip "no python3"
cluster_start
no_job() { [ -z "$(squeue -h)" ]; }

case_ "srun outside of a job: allocates, runs, releases"
says "its output and status" 0 $'0: hi 0\n1: hi 1' "~" sh -c 'srun -n2 -l bash -c "echo hi \$SLURM_PROCID" | sort'
says "a code" 7 "" "~" srun bash -c 'exit 7'
says "a signal" 137 "" "~" srun bash -c 'kill -9 $$'
says "arguments byte for byte" 0 $'[a b] [*] [$HOME] [] [x\ny]' "~" srun printf '[%s] [%s] [%s] [%s] [%s]\n' 'a b' '*' '$HOME' '' $'x\ny'
says "standard input" 0 "from stdin" "~" sh -c 'echo from stdin | srun cat'
run sh -c 'head -c 3000000 /dev/zero | tr "\0" "x" | srun sh -c "wc -c"'
is "three megabytes of it" "$((out))" 3000000
run sh -c 'srun head -c 3000000 /dev/zero | wc -c'
is "three megabytes back" "$((out))" 3000000
wait_for 10 no_job

case_ "srun --pty: a terminal of its own"
cat >term.py <<'E'
# Runs its arguments on a terminal, types what comes after "--", prints what they say.
import os, pty, select, sys, time
i = sys.argv.index("--")
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:i])
text, keys, end = b"", [k.encode().decode("unicode_escape").encode() for k in sys.argv[i + 1:]], time.monotonic() + 120
while time.monotonic() < end:
    r, _, _ = select.select([fd], [], [], 0.1)
    if r:
        try:
            data = os.read(fd, 65536)
        except OSError:
            break
        if not data:
            break
        text += data
        # each key waits for its prompt
        while keys and text.rstrip(b" ").endswith(b"READY>"):
            os.write(fd, keys.pop(0))
            text += b"|"
_, st = os.waitpid(pid, 0)
sys.stdout.buffer.write(text.replace(b"\r", b""))
sys.exit(os.waitstatus_to_exitcode(st))
E
cat >term.sh <<'E'
test -t 0 && test -t 1 && echo "on a terminal"
printf 'READY> '; read -r x; echo "got $x"
trap 'echo interrupted; exit 5' INT
printf 'READY> '; while :; do read -r -t 1; done
E
run timeout 150 python3 term.py srun --pty bash term.sh -- 'hello\n' '\x03'
has "a terminal" "$out" "on a terminal"
has "what was typed" "$out" "got hello"
has "Ctrl-C reaches the program" "$out" "interrupted"
is "its status" $rc 5
wait_for 10 no_job

case_ "what is said on a terminal does nothing to it"
run timeout 150 python3 term.py srun --multi-prog $'x\e[2Jy' --
has "the words" "$out" 'x\x1B[2Jy'
hasnt "the words" "$out" $'\e'
wait_for 10 no_job

case_ "a signal to srun ends the job"
srun bash -c 'echo $$ >inner; exec 9<> <(:); while :; do read -rt 0.05 -u 9; done' &
srun_pid=$!
wait_for 10 has_lines inner 1
kill -TERM $srun_pid
wait_for 10 is_dead $srun_pid
wait_for 10 is_dead "$(cat inner)"
wait_for 10 no_job

case_ "the controller is killed and comes back: srun goes on"
srun bash -c 'echo begin; exec 9<> <(:); while [ ! -e go ]; do read -rt 0.05 -u 9; done; echo end' >through.out 2>through.err &
srun_pid=$!
wait_for 10 has_lines through.out 1
controller_kill9
must stoker up
wait_for 10 nodes_up
touch go
wait_for 20 is_dead $srun_pid
wait $srun_pid
is "status" $? 0
is "all of its output, once" "$(cat through.out)" $'begin\nend'
wait_for 10 no_job

case_ "waiting in the queue, then ended by a signal: nothing is left"
submit --exclusive --wrap 'until [ -e free ]; do sleep 0.02; done'
wait_state $job RUNNING
STOKER_SILENT_MS=1 srun -c 8 true 2>queued.err &
srun_pid=$!
wait_for 10 grep -q "queued and waiting for resources" queued.err
kill -TERM $srun_pid
wait_for 10 is_dead $srun_pid
nothing_waits() { [ -z "$(squeue -h -t PD)" ]; }
wait_for 10 nothing_waits
touch free
wait_end $job

cluster_stop
