#!/usr/bin/env bash
# F19: processes that fork twice, begin a session, change their group, close everything, clear their environment. They are their
# job's nonetheless: gone before it has ended, and before what it held is given to another.
# test-user
. stoker.sh
command -v python3 >/dev/null || skip "no python3"
cluster_start
cat >escape.py <<'E'
import os, signal, sys, time
def daemon(clear):
    if os.fork():
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    os.setpgid(0, 0)
    for s in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGUSR1):
        signal.signal(s, signal.SIG_IGN)
    fd = os.open("pids", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.write(fd, f"{os.getpid()}\n".encode())
    os.chdir("/")
    os.closerange(0, 1024)
    if clear:
        os.execve("/bin/sh", ["[kworker]", "-c", "while :; do sleep 0.1; done"], {})
    end = time.monotonic() + 250
    while time.monotonic() < end:
        time.sleep(0.05)
    os._exit(0)
for i in range(int(sys.argv[1])):
    daemon(i % 2)
end = time.monotonic() + 100
while time.monotonic() < end and (not os.path.exists("pids") or open("pids").read().count("\n") < int(sys.argv[1])):
    time.sleep(0.01)
E

case_ "the script ends, its daemons stay behind"
submit -o /dev/null --gpus=4 --wrap 'python3 escape.py 5; exit 3'
first=$job
wait_for 20 has_lines pids 5
# The next one needs all the GPUs: when it runs, no process of the first may live.
submit -o next.out --gpus=4 --wrap 'for p in $(cat pids); do [ ! -d /proc/$p ] || grep -q "^State:.Z" /proc/$p/status || echo "$p lives"; done'
wait_end $first 30
is "its end" "$state $(job_field $first ExitCode)" "FAILED 3:0"
for p in $(cat pids); do is_dead "$p" || fail "daemon $p outlived the job"; done
wait_end $job
is "what the next one saw" "$(cat next.out)" ""

case_ "cancelled: they go with it, in kill_wait and little more"
rm pids
submit -o /dev/null --wrap 'python3 escape.py 4; sleep 1000'
wait_for 20 has_lines pids 4
t0=$(now_ms)
says scancel 0 "" "" scancel $job
wait_end $job
at_most "ms until it was over" $(($(now_ms) - t0)) 30000
for p in $(cat pids); do is_dead "$p" || fail "daemon $p outlived the job"; done

case_ "of a step: gone when the step is over, the job goes on"
rm pids
script steps.sh <<'E'
srun python3 escape.py 3
for p in $(cat pids); do [ ! -d /proc/$p ] || grep -q '^State:.Z' /proc/$p/status || echo "$p lives"; done
echo checked
E
submit -o steps.out steps.sh
wait_end $job
is "what the script saw" "$state $(cat steps.out)" "COMPLETED checked"
cluster_stop
