#!/usr/bin/env bash
# A second login machine: role = "login". Commands there find the controller by themselves, run as who calls them, and no job does;
# its connection is cut and comes back. As root also: other users, and a machine whose names are others.
# test-user
. stoker.sh
. sshd.sh
export STOKER_BEAT_MS=1000
sshd_start 1
cat >"$STOKER_HOME/stoker.cfg" <<CFG
cluster = "test";
nodes = ( { name = "c1"; transport = "local"; cpus = 4; memory = "4G"; detect = false; },
  { name = "n1"; address = "$(ssh_address 1)"; port = $SSH_PORT; role = "login"; } );
kill_wait = "1s";
CFG
must stoker up
wait_for 20 nodes_up
door=$NODES_DIR/n1/state/stoker/run/controller.sock
wait_for 30 is_file "$door"

# As on that machine: nothing is told to them.
there() { env -u STOKER_HOME -u XDG_RUNTIME_DIR XDG_STATE_HOME="$NODES_DIR/n1/state" XDG_CONFIG_HOME="$NODES_DIR/n1/config" "$@"; }

case_ "commands there"
is "the way" "$(readlink "$door")" "$(echo "$NODES_DIR"/n1/state/stoker/agents/*/n1/client.sock)"
must there sbatch --parsable -o there.out --wrap 'echo from there'
job=$out
wait_end "$job"
is "its end" "$state $(<there.out)" "COMPLETED from there"
is "whose" "$(job_field "$job" UserId)" "$(id -un)($(id -u))"
is "one queue" "$(there squeue -h -t all -o '%i %T')" "$job COMPLETED"
must there srun -n 2 --label echo hello
is "a step's output" "$(sort <<<"$out")" $'0: hello\n1: hello'
has "the screen's list" "$(there stoker jobs --all 2>&1 || there stoker jobs 2>&1)" "$job"

case_ "no job runs there"
run there sbatch -w n1 --wrap true
[ "$rc" -ne 0 ] || fail "a job for the login machine was taken" "$out"
hasnt "its partitions" "$(sinfo -h -p main -N -o %N)" n1
has "it is seen" "$(stoker nodes)" n1

case_ "its connection is cut: a command waits for it, or says so; what ran goes on"
there srun -n 1 bash -c 'echo begun; exec 9<> <(:); until [ -e go ]; do read -rt 0.02 -u 9; done; echo done' >srun.out 2>srun.err &
srun=$!
wait_for 20 has_lines srun.out 1
sshd_stop 1
bridge_cut 1
says_down() { scontrol show node n1 | grep -qE 'NOT_RESPONDING|DOWN'; }
wait_for 20 says_down
run timeout 60 env -u STOKER_HOME XDG_STATE_HOME="$NODES_DIR/n1/state" XDG_CONFIG_HOME="$NODES_DIR/n1/config" squeue -h
[ "$rc" -ne 0 ] || fail "it has been answered" "$out"
[ -n "$err" ] || fail "nothing is said"
touch go
sshd_back 1
wait "$srun" || fail "srun ended with $?" "$(<srun.err)"
is "all of its output" "$(<srun.out)" $'begun\ndone'
wait_for 20 there squeue -h
must there squeue -h

case_ "the agent is gone: no client starts a controller of its own there"
agent=$(ssh_agent_pid 1)
sshd_stop 1
bridge_cut 1
kill -KILL "$agent"
wait_for 5 is_dead "$agent"
run there stoker jobs
is "status" "$rc" 5
run there stoker up
has "why" "$err" "login node of a controller elsewhere"
is_gone "$NODES_DIR/n1/state/stoker/stoker.db" || fail "a controller was started"
sshd_back 1
wait_for 40 there squeue -h

case_ "one that is a login machine no more"
sed -i 's/role = "login"/role = "compute"/' "$STOKER_HOME/stoker.cfg"
must scontrol reconfigure
wait_for 20 is_gone "$door"
sed -i 's/role = "compute"/role = "login"/' "$STOKER_HOME/stoker.cfg"
must scontrol reconfigure
wait_for 20 is_file "$door"

if [ "$(id -u)" -eq 0 ] && getent passwd nobody >/dev/null && command -v setpriv >/dev/null; then
    as_nobody() { (cd / && setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups env -i PATH="$PATH" HOME=/nonexistent \
        XDG_STATE_HOME="$NODES_DIR/n1/state" XDG_CONFIG_HOME=/nonexistent "$@"); }
    chmod 711 "$TMPDIR" "$NODES_DIR" "$NODES_DIR/n1"
    if as_nobody test -x "$(command -v stoker)"; then
        case_ "another user there is that user here; root there has no special rights"
        run as_nobody sbatch --parsable -D /tmp -o /dev/null --wrap 'id -u'
        is "taken" "$rc $err" "0 "
        wait_end "$out"
        is "whose" "$(job_field "$out" UserId)" "nobody($(id -u nobody))"
        run as_nobody scancel "$job"
        run there stoker node drain c1 --reason=no
        is "root of that machine" "$rc" 4
        must stoker node drain c1 --reason=yes
        must stoker node resume c1
        if command -v python3 >/dev/null; then
            case_ "one user there leaves room for others"
            mkfifo hold
            as_nobody python3 -c 'import socket, sys
held = [socket.socket(socket.AF_UNIX) for _ in range(200)]
for s in held: s.connect(sys.argv[1])
print("held", flush=True)
sys.stdin.read()' "$door" <hold >held &
            exec {held}>hold
            wait_for 20 has_lines held 1
            must timeout 60 env -u STOKER_HOME XDG_STATE_HOME="$NODES_DIR/n1/state" XDG_CONFIG_HOME="$NODES_DIR/n1/config" squeue -h
            exec {held}>&-
            wait_for 20 as_nobody squeue -h
        fi
        case_ "a machine that names the uid differently"
        sed 's/^nobody:/somebody:/' /etc/passwd >"$TMPDIR/passwd"
        if unshare -m true 2>/dev/null; then
            sshd_stop 1
            bridge_cut 1
            kill -KILL "$(ssh_agent_pid 1)"
            unshare -m bash -c "mount --bind '$TMPDIR/passwd' /etc/passwd && exec '$SSHD' -f '$NODES_DIR/n1/sshd_config' -E '$NODES_DIR/n1/sshd.log'"
            wait_for 40 there squeue -h
            run as_nobody squeue -h
            [ "$rc" -ne 0 ] || fail "a user was let in" "$out"
            run as_nobody stoker jobs
            has "why" "$err" "identity mismatch: uid $(id -u nobody) is somebody on n1 and nobody at the controller"
            must there squeue -h
        fi
    fi
fi
cluster_stop
