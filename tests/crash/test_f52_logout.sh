#!/usr/bin/env bash
# F52: the login session in which all was started ends: its terminal hangs up, what belongs to the session is killed. Controller, agent
# and tasks have left it. Where the system kills more than that, everything in the session's group, the agent says so beforehand.
# test-user
. stoker.sh
command -v python3 >/dev/null || skip "no python3"
cluster_config
script task.sh <<'S'
echo $$ >pid
exec 9<> <(:); until [ -e go ]; do read -rt 0.02 -u 9; done
exit 6
S
# A login: a terminal, a shell that leads its session; then the terminal goes, and every process of the session with it.
cat >login.py <<'P'
import os, pty, signal, sys, time
pid, terminal = pty.fork()
if pid == 0:
    os.execvp("bash", ["bash", "--norc", "-i"])
def say(line):
    os.write(terminal, line.encode() + b"\n")
def wait_for(path):
    end = time.monotonic() + 100
    while not os.path.exists(path):
        assert time.monotonic() < end, f"no {path}: " + os.read(terminal, 65536).decode(errors="replace")
        time.sleep(0.02)
say("stoker up >up.out 2>&1; sbatch -o /dev/null --parsable task.sh >job; touch begun")
wait_for("begun")
wait_for("pid")
open("session", "w").write(f"{os.getsid(pid)}\n")
os.close(terminal)
for p in filter(str.isdigit, os.listdir("/proc")):
    try:
        if os.getsid(int(p)) == pid:
            os.kill(int(p), signal.SIGKILL)
    except OSError:
        pass
os.waitpid(pid, 0)
P
must python3 login.py
job=$(cat job)

case_ "all but the session goes on"
wait_for 10 nodes_up
is_alive "$(cat pid)" || fail "the task ended with the session"
session=$(cat session)
for p in "$(controller_pid)" "$(agent_pid)" $(shim_pids) "$(cat pid)"; do
    hasnt "session of process $p" " $(ps -o sess= -p "$p" | tr -d ' ') " " $session "
    is "terminal of process $p" "$(ps -o tty= -p "$p" | tr -d ' ')" "?"
done
touch go
wait_end "$job"
is "its end" "$state $(job_field "$job" ExitCode)" "FAILED 6:0"
cluster_stop

case_ "an agent in the group of a session says so"
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    base=$(awk '$3 == "cgroup2" || ($3 == "cgroup" && $4 ~ /name=systemd/) { print $2; exit }' /proc/mounts)
    scope=$base/session-$$.scope
    [ -n "$base" ] && mkdir "$scope" 2>/dev/null || { echo "no control group to be made"; exit 0; }
    trap 'rc=$?; kill "${agent:-}" 2>/dev/null; until_ 5 rmdir "$scope"; (exit $rc); on_exit' EXIT
    mkdir "$TMPDIR/other"
    chmod 711 "$TMPDIR"
    chown 65534:65534 "$TMPDIR/other"
    sh -c "echo \$\$ >'$scope/cgroup.procs' && exec setpriv --reuid=65534 --regid=65534 --clear-groups \
        stoker-agent --node n1 --dir '$TMPDIR/other/agent'" >agent.log 2>&1 &
    agent=$!
    warned() { grep -q "started in a login session" agent.log; }
    wait_for 10 warned
    kill "$agent"
    wait "$agent"
fi
exit 0
