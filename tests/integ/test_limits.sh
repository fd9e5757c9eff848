#!/usr/bin/env bash
# Limits are kept: time (CONT and TERM, then KILL), memory (with what was used), GPUs and CPUs never given twice.
. stoker.sh
command -v python3 >/dev/null || skip "no python3"

KILL_WAIT=3s PARTITIONS='{ name = "main"; nodes = "n1"; default = true; }, { name = "short"; nodes = "n1"; default_time = "4s"; max_time = "2:00:00"; },
    { name = "longer"; nodes = "n1"; default_time = "11s"; max_time = "1:00"; }' cluster_start_clocked

cat >clock.py <<'E'
# Notes signals with the time since the machine's start, as now_ms has it: NAME MILLISECONDS. "deaf" ignores TERM, "stop" stops itself first.
import os, signal, sys, time
ended = False
def note(name):
    with open(sys.argv[1], "a") as f:
        f.write(f"{name} {time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000000}\n")
def on(sig, _):
    note(signal.Signals(sig).name)
    global ended
    ended = ended or (sig == signal.SIGTERM and "deaf" not in sys.argv)
for s in (signal.SIGCONT, signal.SIGTERM, signal.SIGUSR1):
    signal.signal(s, on)
note("begin")
if "stop" in sys.argv:
    os.kill(os.getpid(), signal.SIGSTOP)
end = time.monotonic() + 250
while time.monotonic() < end and not ended:
    time.sleep(0.02)
    if "deaf" in sys.argv:
        note("alive")
E
ms_of() { sed -n "s/^$2 //p" "$1" | head -n 1; }

# All of them run side by side: what takes time here is the limit itself.
case_ "submitted"
t0=$(now_ms) # whatever begins does so later
submit -p short -o limit.out --wrap 'exec python3 clock.py kind'
kind=$job
submit -p short -o deaf.out --wrap "trap '' TERM; python3 clock.py deaf deaf"
deaf=$job
submit -p short -o stop.out --wrap 'exec python3 clock.py stop stop'
stop=$job
submit -p longer -o /dev/null --signal=B:USR1@7 --wrap 'exec python3 clock.py early'
early=$job
submit -p short -t 2:00:00 -o /dev/null --signal=B:USR1@1800 --wrap 'exec python3 clock.py sooner'
sooner=$job
submit -t unlimited -o /dev/null --signal=USR1@1800 --wrap 'srun python3 clock.py given & wait'
given=$job
submit -p short -o step.out --wrap 'srun python3 clock.py step'
step=$job
submit -o own.out --wrap 'srun -t 0:01 sh -c "echo begun; exec sleep 200"; echo srun $?'
own=$job
submit -p short -o group.out --wrap 'setsid python3 clock.py group & wait'
group=$job

case_ "time: CONT and TERM at the limit, and the line in the output"
wait_end $kind
is state "$state" TIMEOUT
at_least "TERM came after" $(($(ms_of kind SIGTERM) - t0)) 3900
at_most "TERM came after" $(($(ms_of kind SIGTERM) - t0)) 30000
is "signals" "$(cut -d' ' -f1 kind | sort | tr '\n' ' ')" "SIGCONT SIGTERM begin "
like "its output" "$(grep slurmstepd limit.out)" \
    "slurmstepd: error: \*\*\* JOB $kind ON n1 CANCELLED AT [0-9T:-]+ DUE TO TIME LIMIT \*\*\*"
is "reason" "$(job_reason $kind)" TimeLimit

case_ "time: KILL after kill_wait for one that ignores TERM"
wait_end $deaf
is state "$state" TIMEOUT
is "how it ended" "$(job_field $deaf ExitCode)" 0:9
at_least "ms from before its beginning to its end, its limit and kill_wait" $(($(now_ms) - t0)) 6900
last=$(sed -n 's/^alive //p' deaf | tail -n 1)
at_most "it lived on after TERM for" $((last - $(ms_of deaf SIGTERM))) 20000

case_ "time: a stopped process is continued, a step's task and another session get it too"
for w in stop step group; do
    wait_end ${!w}
    is "state of $w" "$state" TIMEOUT
    has "signals of $w" "$(cut -d' ' -f1 $w | tr '\n' ' ')" "SIGTERM"
done
has "the step's words" "$(cat step.out)" "STEP $step.0 ON n1 CANCELLED AT"
is "of a job over its limit the job alone is TIMEOUT, as with Slurm" "$(sacct -nP -j $step -o State | tr '\n' ' ')" \
    "TIMEOUT CANCELLED COMPLETED CANCELLED "

case_ "--signal=B:USR1@7 comes seven seconds before the end"
wait_end $early
# CONT goes before each signal, and either may be noted first.
is "signals" "$(cut -d' ' -f1 early | grep -v SIGCONT | head -n 2 | tr '\n' ' ')" "begin SIGUSR1 "
at_least "USR1 came after" $(($(ms_of early SIGUSR1) - t0)) 3900
at_least "between USR1 and TERM" $(($(ms_of early SIGTERM) - $(ms_of early SIGUSR1))) 2000

case_ "--signal goes with a limit that is changed later"
for w in sooner given; do
    is "signals of $w so far" "$(cut -d' ' -f1 $w)" begin
    scontrol update JobId=${!w} TimeLimit=30:00 # half an hour before its end is now
    wait_for 20 grep -q SIGUSR1 $w
done
scancel $sooner $given

case_ "a step over its own limit: a minute is the least that there is"
wait_for 20 grep -q begun own.out
is "so far" "$(job_state $own)" RUNNING
sleep_on 60
wait_end $own 90
is "the step is" "$(sacct -nP -j $own.0 -o State) $(grep -c '^srun ' own.out)" "TIMEOUT 1"

case_ "memory: ended when over it, with the peak; the output says so"
cat >eat.py <<'E'
import sys, time
block = bytearray(int(sys.argv[1]) << 20)
for i in range(0, len(block), 4096):
    block[i] = 1
print("ate", sys.argv[1], flush=True)
end = time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    time.sleep(0.02)
E
submit --mem=100M -o oom.out --wrap 'python3 eat.py 300 30'
oom=$job
submit --mem=100M -o child.out --wrap 'python3 eat.py 60 30 & python3 eat.py 60 30 & wait'
child=$job
submit --mem=400M -o fits.out --wrap 'python3 eat.py 200 0.6'
fits=$job
peak_of() {
    stoker show --json "$1" | python3 -c 'import json, sys
print(max(t["peak_rss_kib"] for s in json.load(sys.stdin)["steps"] for t in s["tasks"]) // 1024)'
}
wait_end $oom
is state "$state" OUT_OF_MEMORY
is "reason" "$(job_reason $oom)" OutOfMemory
codes() { # everywhere the same
    sacct -n -X -P -j "$1" -o ExitCode
    sacct -n -P -j "$1.batch" -o ExitCode
    job_field "$1" ExitCode
    squeue -h -t all -j "$1" -O exit_code:10 | tr -d ' '
    squeue -t all -j "$1" --json | python3 -c 'import json, sys; c = json.load(sys.stdin)["jobs"][0]["exit_code"]; print(c if isinstance(c, dict) else "%d:%d" % (c >> 8, c & 127))'
}
like "exit codes" "$(codes $oom | tr '\n' ' ')" "0:125 0:125 0:125 (0:)?125 0:125 "
like "its output" "$(cat oom.out)" ".*(oom_kill|Exceeded job memory limit).*"
at_least "its peak (MiB)" "$(peak_of $oom)" 100
wait_end $child
is "two processes together" "$state" OUT_OF_MEMORY
wait_end $fits
is "one that fits" "$state" COMPLETED
at_least "its peak (MiB)" "$(peak_of $fits)" 200
at_most "its peak (MiB)" "$(peak_of $fits)" 300

case_ "GPUs: 40 jobs of one to three GPUs, never one GPU to two of them"
cat >gpu.sh <<'E'
#!/bin/bash
echo "+ $SLURM_JOB_ID $CUDA_VISIBLE_DEVICES $(date +%s%N)" >>gpus
exec 9<> <(:); until [ -e all-four ]; do read -rt 0.05 -u 9; done
read -t 0.0$((RANDOM % 9 + 1)) _ <> <(:)
echo "- $SLURM_JOB_ID $CUDA_VISIBLE_DEVICES $(date +%s%N)" >>gpus
E
ids=
for i in {1..40}; do
    submit -o /dev/null --gpus=$(((i + 1) % 3 + 1)) gpu.sh # three and one, and so on
    ids=$ids,$job
done
wait_for 20 has_lines gpus 2
touch all-four
no_job_left() { [ -z "$(squeue -h)" ]; }
wait_for 40 no_job_left
must python3 - gpus <<'E'
import sys
rows = sorted((l.split() for l in open(sys.argv[1])), key=lambda r: int(r[3]))
busy, n, most = {}, 0, 0
for sign, job, gpus, _ in rows:
    for g in gpus.split(","):
        if sign == "+":
            assert g in "0123" and g not in busy, f"GPU {g}: jobs {busy.get(g)} and {job}"
            busy[g] = job
            n += 1
        else:
            assert busy.pop(g) == job
    most = max(most, len(busy))
print(len(rows), most)
E
is "begins and ends, all four in use" "$out" "80 4"
is "a job without GPUs sees none" "$(submit -o none.out --wrap 'echo "[$CUDA_VISIBLE_DEVICES]"'; wait_end "$job"; cat none.out)" "[]"

cluster_stop

if [ "$(nproc)" -ge 2 ] && command -v taskset >/dev/null; then
    case_ "CPUs: two jobs of one CPU each are bound to different ones"
    cat >"$STOKER_HOME/stoker.cfg" <<'E'
nodes = ( { name = "n1"; transport = "local"; cpus = 2; memory = "2G"; gpus = 0; } );
E
    must stoker up
    wait_for 15 nodes_up
    if stoker nodes --json | grep -q "not bound"; then
        echo "this node does not bind"
    else
        for i in 1 2; do
            submit -o bound-$i.out --wrap 'taskset -cp $$; until [ -e bound-go ]; do sleep 0.02; done'
        done
        wait_for 10 has_lines bound-1.out 1
        wait_for 10 has_lines bound-2.out 1
        is "one CPU each, not the same" "$(sed 's/.*: //' bound-[12].out | sort -u | grep -c '^[0-9]*$')" 2
        touch bound-go
    fi
    cluster_stop
fi
