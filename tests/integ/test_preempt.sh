#!/usr/bin/env bash
# Preemption: CONT and TERM at once to the whole tree, KILL after the grace time; requeued with the same id, or cancelled; by partition,
# by QOS, and of what was borrowed; and nothing is lost when the controller dies in the middle of it.
# test-user test-fast
. stoker.sh
command -v python3 >/dev/null || skip "no python3"

CPUS=4 PARTITIONS='
  { name = "main"; nodes = "n1"; default = true; priority_tier = 2; grace_time = "6s"; },
  { name = "low"; nodes = "n1"; priority_tier = 1; preempt_mode = "requeue"; grace_time = "6s"; },
  { name = "scrap"; nodes = "n1"; priority_tier = 0; preempt_mode = "cancel"; grace_time = "10m"; },
  { name = "patient"; nodes = "n1"; priority_tier = 0; preempt_mode = "requeue"; grace_time = "10m"; }' \
EXTRA='qos = ( { name = "rush"; preempt = [ "slow" ]; }, { name = "slow"; preempt_mode = "requeue"; grace_time = "6s"; }, { name = "loan"; } );
limits = ( { scope = "qos"; name = "loan"; soft = { cpus = 1; }; } );' cluster_start

# Runs until it is told to go; notes what it gets.
cat >work.py <<'E'
import os, signal, sys, time
name, deaf, ended = sys.argv[1], "deaf" in sys.argv, False
def note(word):
    with open(name + ".log", "a") as f:
        f.write(f"{word} {int(time.monotonic() * 1000)}\n")
def on(sig, _):
    global ended
    note(signal.Signals(sig).name)
    ended = ended or (sig == signal.SIGTERM and not deaf)
for s in (signal.SIGCONT, signal.SIGTERM):
    signal.signal(s, on)
note("begin")
end = time.monotonic() + 250
while time.monotonic() < end and not ended and not os.path.exists("go"):
    time.sleep(0.02)
    if deaf:
        note("alive")
E
words() { cut -d' ' -f1 "$1.log" | grep -v alive | sort | tr '\n' ' '; }
ms_of() { sed -n "s/^$2 //p" "$1.log" | head -n 1; }
got() { [ "$(words "$1")" == "SIGCONT SIGTERM begin " ]; } # it notes that a little later
has_words() { [ "$(grep -c "^$2" "$1.log")" -ge "$3" ]; }
begun() { [ -e "$1.log" ] && [ "$(grep -c '^begin' "$1.log")" -ge "${2:-1}" ]; }
ends() { touch go && wait_end "$1" && rm go; }

case_ "the documents' script: it is warned and saves itself, is queued again, and goes on in the same output"
script save.bash <<'E'
#SBATCH --ntasks=1 -c 4 -p low -o save.out
exit_script() {
    echo "Preemption signal, saving myself"
    trap - SIGTERM # clear the trap
    # Optional: sends SIGTERM to child/sub processes
    kill -- -$$
}

trap exit_script SIGTERM

# The main script part
echo "run ${SLURM_RESTART_COUNT:-0} of $SLURM_JOB_ID"
setsid sh -c 'echo $$ >far.pid; exec python3 work.py far' &
python3 work.py save
E
submit save.bash
save=$job
wait_for 15 begun save
wait_for 15 begun far
submit -c 4 -o /dev/null --wrap 'exec python3 work.py owner'
owner=$job
wait_for 15 begun owner
is "the owner runs, the other waits" "$(job_state $owner) $(job_state $save)" "RUNNING PENDING"
wait_for 5 got save                 # the script's child
wait_for 5 is_dead "$(cat far.pid)" # one in another session goes with the script
has "the trap ran" "$(cat save.out)" "Preemption signal, saving myself"
has "its output says why" "$(cat save.out)" "JOB $save ON n1 CANCELLED AT "
has "its output says why" "$(cat save.out)" " DUE TO PREEMPTION ***"
is "Restarts, Reason" "$(job_field $save Restarts) $(job_reason $save)" "1 Resources"
must stoker show $save
has "who preempted it, by which rule" "$out" "preempted  job $owner in partition main (tier 2) comes before partition low (tier 1)"
must stoker show --json $save
has "the same as JSON" "$out" "\"preempted_by\":$owner,\"preempted_why\":\"job $owner in partition main (tier 2) comes before"
must stoker why $save
has "it waits for the other" "$out" "needs 4 CPUs in low; 1 node: 1 too few free CPUs (n1); job $owner runs without a time limit"
touch go
wait_end $owner
wait_for 15 begun save 2
wait_end $save
rm go
is "it ran again" "$state $(sed -n 's/^\(run .\).*/\1/p' save.out | tr '\n' ' ')" "COMPLETED run 0 run 1 "
is "one record of it" "$(sacct -nX -j $save -o JobID,State | tr -s ' ')" "$save COMPLETED "
is "and one of each run" "$(sacct -DnXP -j $save -o JobID,State | tr '\n' ' ')" "$save|PREEMPTED $save|COMPLETED "

case_ "a job that asks for a signal before its end gets that in place of TERM, and nothing else does"
script ckpt.sh <<'E'
#SBATCH -c 4 -p low -o ckpt.out --signal=B:USR1@60
trap 'kill -CONT $child; until grep -q SIGCONT child.log; do :; done; echo saved $(grep -c SIGTERM child.log); exit 0' USR1
echo "run ${SLURM_RESTART_COUNT:-0}"
python3 work.py child &
child=$!
wait
E
submit ckpt.sh
ckpt=$job
wait_for 15 begun child
submit -c 4 -o /dev/null --wrap 'exec python3 work.py after'
after=$job
wait_for 15 begun after
is "the script had its signal, its child no TERM yet" "$(grep -v slurmstepd ckpt.out | tr '\n' ' ')" "run 0 saved 0 "
is "queued again" "$(job_state $ckpt) $(job_field $ckpt Restarts)" "PENDING 1"
scancel $ckpt
ends $after

case_ "the same for its steps: the shell goes on until they have ended"
script stepck.sh <<'E'
#SBATCH -c 4 -p low -o stepck.out --signal=USR1@60
srun python3 -c 'import signal, sys, time
def on(*_):
    print("step saved", flush=True)
    sys.exit(0)
signal.signal(signal.SIGUSR1, on)
open("step.begun", "w").close()
time.sleep(250)'
echo "the step ended with $?"
E
submit stepck.sh
stepck=$job
wait_for 15 test -e step.begun
submit -c 4 -o /dev/null --wrap 'exec python3 work.py later'
later=$job
wait_for 15 begun later
has "the step saved its work" "$(cat stepck.out)" "step saved"
has "the script saw it end" "$(cat stepck.out)" "the step ended with 0"
is "queued again" "$(job_state $stepck) $(job_field $stepck Restarts)" "PENDING 1"
scancel $stepck
ends $later

case_ "one that does not go is killed after the grace time, and not before"
submit -c 4 -p low -o deaf.out --wrap "trap '' TERM; python3 work.py deaf deaf"
deaf=$job
wait_for 15 begun deaf
t0=$(now_ms)
submit -c 4 -o /dev/null --wrap 'exec python3 work.py second'
second=$job
wait_for 15 begun second
at_least "ms until the other could begin" $(($(now_ms) - t0)) 5900
last=$(sed -n 's/^alive //p' deaf.log | tail -n 1)
at_most "it lived on after TERM for" $((last - $(ms_of deaf SIGTERM))) 20000
is "queued again" "$(job_state $deaf) $(job_field $deaf Restarts)" "PENDING 1"
scancel $deaf
ends $second

case_ "preempt_mode = cancel: it ends as PREEMPTED; only as many go as must, the youngest first"
submit -c 2 -p scrap -o /dev/null --wrap 'exec python3 work.py old'
old=$job
wait_for 15 begun old
submit -c 2 -p scrap -o /dev/null --wrap 'exec python3 work.py young'
young=$job
wait_for 15 begun young
submit -c 2 -p low -o /dev/null --wrap 'exec python3 work.py third'
third=$job
wait_end $young
is "the younger one" "$state" PREEMPTED
wait_state $third RUNNING
is "the older one goes on" "$(job_state $old) $(words old)" "RUNNING begin "
is "in the accounts" "$(sacct -nX -j $young -o State%20,ExitCode | tr -s ' ')" " PREEMPTED 0:0 "
touch go
wait_end $old
wait_end $third
rm go

case_ "a job that could not start even then preempts no job"
submit -c 2 -p scrap -o /dev/null --wrap 'exec python3 work.py safe'
safe=$job
submit -c 2 -o /dev/null --wrap 'exec python3 work.py own'
own=$job
wait_for 15 begun safe
wait_for 15 begun own
submit -c 4 -o /dev/null --wrap true
large=$job
wait_state $large PENDING
must stoker why $large
has "it waits for its like" "$out" "needs 4 CPUs in main"
is "the small one was not asked" "$(job_state $safe) $(words safe)" "RUNNING begin "
touch go
wait_end $large
# Once the other of its partition has ended it may take the small one's place.
like "it ran when it could" "$state $(job_state $safe)" "COMPLETED (COMPLETED|PREEMPTED|COMPLETING)"
rm go

case_ "by QOS, within a partition"
submit -c 4 --qos slow -o /dev/null --wrap 'exec python3 work.py slow'
slow=$job
wait_for 15 begun slow
submit -c 1 -o /dev/null --wrap true
plain=$job
submit -c 4 --qos rush -o /dev/null --wrap 'exec python3 work.py rush'
rush=$job
wait_for 15 begun rush
is "one of no such QOS waits" "$(job_state $plain) $(job_state $slow)" "PENDING PENDING"
wait_for 5 got slow
must stoker show $slow
has "by which rule" "$out" "preempted  job $rush has QOS rush, which may preempt QOS slow"
touch go
for j in $rush $plain $slow; do
    wait_end $j
    is "then all run" "$state" COMPLETED
done
rm go

case_ "what was borrowed goes back"
submit -c 3 --qos loan -o /dev/null --wrap 'exec python3 work.py loan'
loan=$job
wait_for 15 begun loan
must stoker show $loan
has "it is marked" "$out" "borrowed   over a soft limit: it has to go when another job needs what it holds"
has "in the plan" "$(stoker plan)" borrowed
submit -c 4 -o /dev/null --wrap 'exec python3 work.py within'
within=$job
wait_for 15 begun within
is "back in the queue" "$(job_state $loan)" PENDING
wait_for 5 got loan
must stoker show $loan
has "by which rule" "$out" "preempted  job $within is within its limits and needs what this job had borrowed"
touch go
wait_end $within
wait_end $loan
is "it ends well" "$state" COMPLETED
rm go

case_ "who cancels, or asks for it in another way, does not wait for the grace time; nor does it come back then"
submit -c 4 -p patient -o /dev/null --wrap 'exec python3 work.py kept deaf'
kept=$job
wait_for 15 begun kept
submit -c 4 -o /dev/null --wrap 'exec python3 work.py next'
next=$job
wait_for 15 grep -q SIGTERM kept.log
is "its grace time: it runs still, as with Slurm" "$(job_state $kept) $(squeue -h -t R -j $kept -o %t)" "RUNNING R"
is "nor is its node completing" "$(squeue -h -t CG)$(scontrol completing) $(sinfo -h -o %t)" " alloc"
says "requeue while it ends" 1 "" "~" scontrol requeue $kept
must scancel $kept
wait_for 30 begun next
is "it does not come back" "$(job_state $kept) $(job_field $kept Restarts)" "CANCELLED 0"
touch go
wait_end $next
rm go

case_ "a job in its grace time is signalled, cancelled and killed like one that runs; the state is CANCELLED"
script deaf.sh <<'E'
trap : TERM
srun python3 work.py inner deaf &
python3 work.py outer deaf
E
for how in "" "-s KILL"; do
    rm -f inner.log outer.log owner2.log
    submit -n 4 -p scrap -o /dev/null deaf.sh
    kept=$job
    wait_for 15 begun inner
    wait_for 15 begun outer
    submit -c 4 -o /dev/null --wrap 'exec python3 work.py owner2'
    next=$job
    wait_for 15 grep -q SIGTERM inner.log
    wait_for 15 grep -q SIGTERM outer.log
    is "it runs on" "$(job_state $kept)" RUNNING
    must scancel -s CONT $kept
    wait_for 15 has_words inner SIGCONT 2
    t0=$(now_ms)
    # shellcheck disable=SC2086
    must scancel $how $kept
    wait_end $kept
    is "after scancel $how" "$state $(job_field $kept Restarts)" "CANCELLED 0"
    is "in the accounts" "$(sacct -nXP -j $kept -o State)" "CANCELLED by $(id -u)"
    [ -n "$how" ] || at_least "CONT, TERM, then kill_wait: ms until the end" $(($(now_ms) - t0)) 900
    [ -n "$how" ] || wait_for 5 has_words outer SIGTERM 2
    [ -z "$how" ] || is "KILL comes at once" "$(grep -c SIGTERM outer.log)" 1
    touch go
    wait_end $next
    rm go
done

case_ "the controller dies in the middle of a grace time"
submit -c 4 -p low -o again.out --wrap 'python3 work.py again deaf'
again=$job
wait_for 15 begun again
submit -c 4 -o /dev/null --wrap 'exec python3 work.py last'
last=$job
wait_for 15 grep -q SIGTERM again.log
controller_kill9
must stoker up
wait_for 15 begun last
is "queued again once" "$(job_state $again) $(job_field $again Restarts)" "PENDING 1"
touch go
wait_end $last
is "the other" "$state" COMPLETED
wait_end $again
is "its second run" "$state $(grep -c '^begin' again.log)" "COMPLETED 2"
must stoker show $again
has "the story is there" "$out" "preempted  job $last in partition main (tier 2) comes before partition low (tier 1)"
cluster_stop
