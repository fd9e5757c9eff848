#!/usr/bin/env bash
# A job takes the CPUs of others: its CPUs were a mask that it may change itself. And all processes of the machine.
. stoker.sh
[ "$(id -u)" -eq 0 ] || skip "needs root, for control groups"
[ "$(nproc)" -ge 2 ] || skip "needs two CPUs"
command -v python3 >/dev/null || skip "no python3"
CPUS=$(nproc) GPUS=0 cluster_start
contains=$(stoker nodes --json | grep -o '"containment: [^"]*"')
case $contains in
"" | *CPUs*) ;;
*) skip "no cpuset here: $contains" ;;
esac

case_ "taskset"
script all_cpus <<'S'
taskset -pc "0-$(($(getconf _NPROCESSORS_CONF) - 1))" $$ >/dev/null 2>&1
nproc
S
submit -n 1 -c 1 -o cpus.out all_cpus
wait_end "$job"
is "the CPUs of a job of one" "$state $(<cpus.out)" "COMPLETED 1"

case_ "taskset in a step, and in one that shares"
script steps <<'S'
srun -n 1 bash ./all_cpus
srun --overlap -n 1 bash ./all_cpus
S
submit -n 1 -c 1 -o steps.out steps
wait_end "$job"
is "the CPUs of its steps" "$state $(tr '\n' ' ' <steps.out)" "COMPLETED 1 1 "

case_ "a job of all CPUs has them all"
submit -n 1 -c "$(nproc)" -o every.out all_cpus
wait_end "$job"
is "its CPUs" "$(<every.out)" "$(nproc)"

case_ "into the control group of others"
script out_of_it <<'S'
while IFS=: read -r n names path; do
    for d in /sys/fs/cgroup/${names:-unified} /sys/fs/cgroup; do
        [ ! -d "$d" ] || for f in tasks cgroup.procs; do
            (echo 0 >"$d/$f") 2>/dev/null && echo "left by $d/$f"
        done
    done
done </proc/self/cgroup
exit 0
S
if command -v setpriv >/dev/null && getent passwd nobody >/dev/null; then
    chmod 755 "$TMPDIR" "$STOKER_HOME" "$WORK"
    submit -o out.out --wrap 'setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups bash ./out_of_it'
    wait_end "$job"
    is "what let it" "$(<out.out)" ""
fi

case_ "as many processes as the machine has"
cluster_stop
echo 'max_processes = 40' >"$STOKER_HOME/state/agent/n1/policy"
chmod 600 "$STOKER_HOME/state/agent/n1/policy"
must stoker up
wait_for 15 nodes_up
cat >many.py <<'E2'
import os, signal, sys, time
n, children = 0, []
try:
    for _ in range(60):
        pid = os.fork()
        if pid == 0:
            signal.pause()
        children.append(pid)
except BlockingIOError:
    pass
open(sys.argv[1], "w").write(f"{len(children)}\n")
while not os.path.exists("one.many") or not os.path.exists("two.many"):
    time.sleep(0.02)
for pid in children:
    os.kill(pid, signal.SIGKILL)
E2
script two_steps <<'S'
srun --overlap python3 many.py one.many &
srun --overlap python3 many.py two.many
wait
S
submit -o many.out two_steps
wait_end "$job"
n=$(awk '{ n += $1 } END { print n + 0 }' ./*.many)
at_least "what it had in two steps" "$n" 10
at_most "what it had in two steps" "$n" 40
