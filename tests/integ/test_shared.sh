#!/usr/bin/env bash
# Shared mode: controller, link and agents under accounts of their own, as stoker init --shared sets them up, serving several users;
# a node over SSH whose key reaches the agent and nothing else.
# test-user
. stoker.sh

case_ "stoker init --shared below a directory: files, modes, what is left to do; a second time nothing changes"
root=$TMPDIR/root
must stoker init --shared --root="$root" --user=nosuchuser1 --link-user=nosuchuser2
first=$out
for f in etc/stoker/stoker.cfg etc/stoker/policy var/lib/stoker-link/id_ed25519 etc/systemd/system/stoker{d,-link,-agent}.service; do
    is_file "$root/$f" || fail "no $f" "$first"
done
is "mode of the key" "$(stat -c %a "$root/var/lib/stoker-link/id_ed25519")" 600
is "mode of the state" "$(stat -c %a "$root/var/lib/stoker")" 700
is "mode of the policy" "$(stat -c %a "$root/etc/stoker/policy")" 644
has "accounts" "$first" "useradd --system --user-group --no-create-home --home-dir /var/lib/stoker --shell /usr/sbin/nologin --password '*' nosuchuser1"
has "the other account" "$first" "nosuchuser2"
has "who owns what" "$first" "chown nosuchuser1: /var/lib/stoker"
has "units" "$first" "systemctl daemon-reload"
has "the controller's unit" "$(<"$root/etc/systemd/system/stokerd.service")" "User=nosuchuser1"
has "its command" "$(<"$root/etc/systemd/system/stokerd.service")" "/stokerd --foreground --shared"
has "link's unit" "$(<"$root/etc/systemd/system/stoker-link.service")" "stoker-link listen /run/stoker-link/link.sock /var/lib/stoker-link nosuchuser1"
has "the agent's unit" "$(<"$root/etc/systemd/system/stoker-agent.service")" "--policy /etc/stoker/policy --controller nosuchuser1"
must env STOKER_HOME="$root/etc/stoker" stoker config check
echo "min_uid = 5000" >"$root/etc/stoker/policy"
sum=$(cd "$root" && find . -type f -exec md5sum {} + | sort)
must stoker init --shared --root="$root" --user=nosuchuser1 --link-user=nosuchuser2
is "a second time" "$(cd "$root" && find . -type f -exec md5sum {} + | sort)" "$sum"
has "the policy is the owner's" "$out" "kept     /etc/stoker/policy"
hasnt "nothing is made" "$out" "made "
node=$TMPDIR/noderoot
key=$(<"$root/var/lib/stoker-link/id_ed25519.pub")
must stoker init --node=gpu01 --key="$key" --login --root="$node"
must stoker init --node=gpu01 --key="$root/var/lib/stoker-link/id_ed25519.pub" --root="$node"
is "one line for the key" "$(wc -l <"$node/var/lib/stoker/.ssh/authorized_keys")" 1
like "it is closed up" "$(<"$node/var/lib/stoker/.ssh/authorized_keys")" 'restrict,command="/[^"]*/stoker-agent --bridge --socket /run/stoker-agent/agent.sock" ssh-ed25519 .*'
auth=$node/var/lib/stoker/.ssh/authorized_keys
closed=$(<"$auth")
printf '%s\nssh-ed25519 AAAAother ann@desk\n# %s' "$key" "$key" >"$auth"
must stoker init --node=gpu01 --key="$key" --root="$node"
is "a line of the key that opens a shell is replaced" "$(grep -v '^#' "$auth")" "ssh-ed25519 AAAAother ann@desk"$'\n'"$closed"
has "that is said" "$err" "1 line of this key replaced"
has "a comment stays" "$(<"$auth")" "# $key"
must stoker init --node=gpu01 --key="$key" --root="$node"
has "again" "$out" "kept     /var/lib/stoker/.ssh/authorized_keys"
says "no key" 1 "~" "~" stoker init --node=gpu01 --key="no key" --root="$TMPDIR/other"
says "not both" 2 "" "~" stoker init --shared --node=x --root="$TMPDIR/other"
says "the controller's machine is no such node" 1 "" "~" stoker init --node=x --key="$key" --root="$root"
if [ "$(id -u)" -ne 0 ]; then
    says "not root" 1 "" "~" stoker init --shared
    has "what to do" "$err" "sudo"
    exit 0
fi

. sshd.sh
IFS=: read -r login _ uid gid _ < <(getent passwd | awk -F: '$3 >= 900 && $3 < 60000 && $7 ~ /\/(ba|da|z|k)?sh$/ { print; exit }')
[ -n "${uid:-}" ] || skip "no user here who can log in"
for u in games bin nobody daemon sys; do getent passwd $u >/dev/null || skip "no user $u here"; done
as() { local u=$1; shift; (cd / && setpriv --reuid="$u" --regid="$(id -g "$u")" --init-groups env HOME=/nonexistent STOKER_HOME="$STOKER_HOME" \
    PATH="$PATH" TZ=UTC LC_ALL=C.UTF-8 "$@"); }
chmod 711 "$TMPDIR"
as nobody test -x "$(command -v stoker)" || skip "other users cannot read this build"

# games is the controller, bin has the key, the login on the node is an ordinary user; the agent there is sys, its launcher root.
run=$TMPDIR/run
keys=$TMPDIR/keys
mkdir -p "$run" "$keys" "$STOKER_HOME/state" "$TMPDIR/n1" "$TMPDIR/n2" "$TMPDIR/ledger"
ssh_hostkey 1
rm -rf "$KEYS" # here another account has them
chmod 755 "$STOKER_HOME" "$run" "$keys"
chmod 1777 "$TMPDIR/ledger"
chown -R games: "$STOKER_HOME/state"
chmod 700 "$STOKER_HOME/state"
chown bin: "$keys" "$run"
printf 'allow_root = no\nmin_uid = 100\n' >"$TMPDIR/policy"
chmod 644 "$TMPDIR/policy"
must stoker-link key "$keys/id_ed25519"
is "whose key" "$(stat -c '%U %a' "$keys/id_ed25519")" "bin 600"
cat >"$STOKER_HOME/stoker.cfg" <<CFG
cluster = "test";
link_socket = "$run/link.sock";
link_keys = "$keys";
nodes = ( { name = "n1"; transport = "local"; agent_socket = "$TMPDIR/n1/agent.sock"; cpus = 4; memory = "4G"; detect = false; },
  { name = "n2"; address = "$(ssh_address 1)"; port = $SSH_PORT; ssh_user = "$login"; cpus = 4; memory = "4G"; detect = false; } );
kill_wait = "1s";
CFG

# Services, as units would start them.
service_agent() {
    stoker-agent --node "$1" --dir "$TMPDIR/$1" --socket "$TMPDIR/$1/agent.sock" --policy "$TMPDIR/policy" --controller "$2" \
        "${@:3}" --clients "$TMPDIR/$1/front.sock" --log "$TMPDIR/$1/agent.log" --daemon
}
services=()
service_link() { stoker-link listen "$run/link.sock" "$keys" games 2>>"$TMPDIR/link.log" & services+=($!); }
end_services() {
    local rc=$? pid
    trap - EXIT
    [ $rc -eq 0 ] || tail -n 20 "$TMPDIR/link.log" "$TMPDIR"/n?/agent.log "$TMPDIR/stokerd.out"
    for pid in $(cat "$STOKER_HOME/state/stokerd.lock" 2>/dev/null) "${services[@]}" $(sed -n 1p "$TMPDIR/n1/lock") $(sed -n 1p "$TMPDIR/n2/lock"); do
        is_dead "$pid" || { kill "$pid"; until_ 10 is_dead "$pid"; }
    done
    (exit $rc)
    ssh_on_exit
}
trap end_services EXIT
# The first as on a machine of an earlier release, which has no account for it.
must service_agent n1 games
must service_agent n2 "$login" --account sys
service_link
cat >"$NODES_DIR/authorized_keys" <<K
restrict,command="$(command -v stoker-agent) --bridge --socket $TMPDIR/n2/agent.sock" $(<"$keys/id_ed25519.pub")
K
chmod 711 "$NODES_DIR"
sshd_config 1
sed -i 's/^UsePAM no/UsePAM yes/' "$NODES_DIR/n1/sshd_config"
sshd_run 1
wait_for 10 is_listening 1
stokerd --shared >"$TMPDIR/stokerd.out" 2>&1 &
services+=($!)
wait_for 20 is_file "$STOKER_HOME/run/controller.sock"

case_ "each is who it should be, and reads no more than it should"
controller=$(controller_pid)
is "the controller" "$(ps -o user= -p "$controller")" games
is "its memory is not for other programs of that account" "$(stat -c %U "/proc/$controller/mem")" root
like "its groups too" "$(awk '/^Groups:/ { $1 = ""; print }' "/proc/$controller/status")" " *$(id -g games) *"
is "the socket is for all" "$(stat -c %a "$STOKER_HOME/run/controller.sock")" 666
as games cat "$keys/id_ed25519" >/dev/null 2>&1 && fail "the controller reads the key"
as bin ls "$STOKER_HOME/state" >/dev/null 2>&1 && fail "link reads the state"
node_up() { [ "$(sinfo -h -n "$1" -o %T 2>/dev/null)" = idle ]; }
wait_for 20 node_up n1

case_ "the key is not known yet: check says so, add accepts it as the key's owner"
run as nobody stoker node check n2
is "status for others" "$rc" 4
has "who may" "$err" "do this as root"
run stoker node check n2
has "unknown host key" "$out" "host key"
print=$(ssh-keygen -lf "$NODES_DIR/n1/hostkey.pub" | awk '{print $2}')
must stoker node accept n2 "$print"
is "whose known_hosts" "$(stat -c %U "$keys/known_hosts")" bin
wait_for 40 node_up n2
is "commands there find the way" "$(readlink "$TMPDIR/n2/front.sock")" "$TMPDIR/n2/client.sock"
run as nobody env STOKER_SOCKET="$TMPDIR/n2/front.sock" stoker jobs
has "on a login machine, or from a job" "$err" "nobody has nothing running on n2, which is not a login node"
sshd_keys() { printf '%s\n' "$1" >"$NODES_DIR/authorized_keys"; }
bridge_line=$(<"$NODES_DIR/authorized_keys")
cure="-> on that machine, as root: stoker init --node=n2 --key='$(cut -d' ' -f1,2 "$keys/id_ed25519.pub")"
sshd_keys "# no key"
says "a key that is not accepted" 5 "~" "~" stoker node check n2
has "what is wrong" "$out" "does not accept $keys/id_ed25519"
has "its cure opens no shell" "$out" "$cure"
sshd_keys "$(<"$keys/id_ed25519.pub")"
says "a key that opens a shell" 5 "~" "~" stoker node check n2
has "what is wrong with it" "$out" "FAIL  the key opens a shell for $login"
has "its cure" "$out" "$cure"
sshd_keys "$bridge_line"
must stoker node check n2
has "through a closed key" "$out" "its service answers, and the key reaches nothing else"
has "who logs in" "$out" "$login"
is "link runs as" "$(stat -c %U "/proc/$(pgrep -f "stoker-link serve $keys" | head -n 1)")" bin

case_ "doctor looks at services, keys and host keys"
run stoker doctor
has "link" "$out" "of bin serves $run/link.sock"
has "agent" "$out" "of root serves $TMPDIR/n1/agent.sock"
has "key" "$out" "$keys/id_ed25519, closed to others"
getent passwd stoker-agent >/dev/null || has "an agent without an account" "$out" "n1: the agent has the rights of root"
hasnt "an agent that has one" "$out" "n2: the agent has the rights of root"
has "host keys" "$out" "1 in $keys/known_hosts"
chmod 640 "$keys/id_ed25519"
run stoker doctor
is "status" "$rc" 1
has "an open key" "$out" "chmod 600 $keys/id_ed25519"
chmod 600 "$keys/id_ed25519"
has "others are told what they may see" "$(as nobody stoker doctor)" "of bin serves $run/link.sock"
node_up n2 || fail "n2 was disturbed"

case_ "the key opens nothing but the way to the agent"
cp "$keys/id_ed25519" "$TMPDIR/stolen"
chmod 600 "$TMPDIR/stolen"
stolen() { timeout 60 ssh -n -F none -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -i "$TMPDIR/stolen" -p $SSH_PORT \
    "$login@$(ssh_address 1)" "$@"; }
run stolen "touch $TMPDIR/ledger/broken; id"
is "what it says" "$out" "STOKER@@ BRIDGE 1"
is_gone "$TMPDIR/ledger/broken" || fail "a command was run"
run stolen ": stoker-check; touch $TMPDIR/ledger/broken"
has "the one question" "$out" "agent=ok"
is_gone "$TMPDIR/ledger/broken" || fail "what was sent with the question was run"

case_ "jobs run as who submits them, on both nodes; files are opened by them"
mkdir -m 700 "$TMPDIR/ledger/own"
chown nobody: "$TMPDIR/ledger/own"
job_of() { # USER NODE FILE
    as "$1" sbatch --parsable -D /tmp -w "$2" -o "$3" --wrap 'id -un; id -G; umask' | tail -n 1
}
for n in n1 n2; do
    j=$(job_of nobody $n "$TMPDIR/ledger/own/$n.out")
    wait_end "$j"
    is "state of the first user's on $n" "$state" COMPLETED
    is "who ran it" "$(head -n 2 "$TMPDIR/ledger/own/$n.out")" "nobody"$'\n'"$(id -G nobody)"
    is "whose output" "$(stat -c %U "$TMPDIR/ledger/own/$n.out")" nobody
    j=$(job_of "$login" $n "$TMPDIR/ledger/$n.out")
    wait_end "$j"
    is "who ran the second user's on $n" "$(head -n 2 "$TMPDIR/ledger/$n.out")" "$login"$'\n'"$(id -G "$login")"
done
j=$(job_of "$login" n1 "$TMPDIR/ledger/own/theirs.out")
wait_end "$j"
is "another's directory" "$state" FAILED
is_gone "$TMPDIR/ledger/own/theirs.out" || fail "a file in another user's directory"

case_ "one user's job is no other's to end; the queue is one"
j=$(as nobody sbatch --parsable -D /tmp -w n2 -o "$TMPDIR/ledger/caps" --wrap 'cat /proc/self/status; exec tail -f /dev/null')
wait_state "$j" RUNNING
run as "$login" scancel "$j"
[ "$rc" -ne 0 ] || fail "another user's job was cancelled"
has "it is seen" "$(as "$login" squeue -h -o '%i %u')" "$j nobody"

case_ "each process has given up what it does not need"
status_of() { awk -v key="$2:" '$1 == key { print $2 }' "/proc/$1/status"; }
! has_filters || for pid in "$controller" $(pgrep -f "stoker-link (serve|listen) .*$keys"); do
    is "a filter of system calls, of $(ps -o args= -p "$pid")" "$(status_of "$pid" Seccomp)" 2
    is "nothing new through setuid programs" "$(status_of "$pid" NoNewPrivs)" 1
    is "no capability" "$(status_of "$pid" CapPrm)" 0000000000000000
done
# cap MASK NUMBER: is it in there
cap() { [ $((0x$1 >> $2 & 1)) = 1 ]; }
KILL=5 SETUID=7 NET_ADMIN=12 SYS_MODULE=16 SYS_PTRACE=19 SYS_ADMIN=21 SYS_BOOT=22 SYS_TIME=25
launcher=$(sed -n 1p "$TMPDIR/n2/lock")
agent=$(pgrep -P "$launcher" -f -- "stoker-agent --launched n2")
is "whose the agent is" "$(ps -o user= -p "$agent")" sys
is "what it may do" "$(status_of "$agent" CapPrm)$(status_of "$agent" CapEff)" 00000000000000000000000000000000
is "its groups" "$(awk '/^Groups:/ { print $2 }' "/proc/$agent/status")" "$(id -g sys)"
setpriv --reuid=sys --regid=sys --clear-groups touch "$TMPDIR/n2/tasks/broken" 2>/dev/null && fail "the agent's account makes directories of tasks"
setpriv --reuid=sys --regid=sys --clear-groups mv "$TMPDIR/n2/tasks" "$TMPDIR/n2/other" 2>/dev/null && fail "the agent's account moves tasks away"
shim=$(pgrep -f -- "stoker-shim $TMPDIR/n2/tasks/$j\\.")
for c in $NET_ADMIN $SYS_MODULE $SYS_BOOT $SYS_TIME $SETUID; do
    ! cap "$(status_of "$launcher" CapPrm)" $c || fail "the launcher has capability $c"
done
for c in $NET_ADMIN $SYS_MODULE $SYS_BOOT $SYS_TIME $SYS_ADMIN; do
    ! cap "$(status_of "$shim" CapPrm)" $c || fail "the supervisor has capability $c"
done
for c in $KILL $SYS_PTRACE; do
    cap "$(status_of "$launcher" CapEff)" $c || fail "the launcher lacks capability $c"
    cap "$(status_of "$shim" CapEff)" $c || fail "the supervisor lacks capability $c"
done
setpriv --reuid=sys --regid=sys --clear-groups kill -KILL "$shim" 2>/dev/null && fail "the agent's account ends supervisors"
wait_for 20 grep -q CapBnd "$TMPDIR/ledger/caps"
of_task() { awk -v key="$1:" '$1 == key { print $2 }' "$TMPDIR/ledger/caps"; }
is "a task has none" "$(of_task CapPrm)" 0000000000000000
is "no filter for tasks" "$(of_task Seccomp)" 0
for c in $SYS_BOOT $SYS_TIME; do ! cap "$(of_task CapBnd)" $c || fail "a task can get capability $c"; done
for c in $SYS_MODULE $SYS_ADMIN $NET_ADMIN; do
    ! cap "$(awk '/^CapBnd/ { print $2 }' /proc/self/status)" $c || cap "$(of_task CapBnd)" $c || fail "setuid programs of tasks lack capability $c"
done

case_ "an administrator whom a node names is none, unless the node may say so"
config=$(<"$STOKER_HOME/stoker.cfg")
there() { run as nobody env STOKER_SOCKET="$TMPDIR/n2/front.sock" "$@"; }
echo "admin_groups = [\"$(id -gn nobody)\"];" >>"$STOKER_HOME/stoker.cfg"
must scontrol reconfigure
must as nobody stoker node drain n1 --reason=here
must as nobody stoker node resume n1
there stoker node drain n1 --reason=there
is "its status" "$rc" 4
has "why" "$err" "from node n2 none may"
is "n1 is as it was" "$(sinfo -h -n n1 -o %T)" idle
there squeue -h -o %i
is "what all users may" "$rc" 0
sed -i 's/ssh_user = "[^"]*";/& admin = true;/' "$STOKER_HOME/stoker.cfg"
must scontrol reconfigure
there stoker node drain n1 --reason=there
is "a node that may" "$rc $err" "0 "
there stoker node resume n1
printf '%s\n' "$config" >"$STOKER_HOME/stoker.cfg"
must scontrol reconfigure
must as nobody scancel "$j"
wait_end "$j"

case_ "what the owner of the machine does not allow is refused there, whatever the controller says"
is_refused() { [[ "$(job_reason "$1")" == ReqNodeNotAvail* ]]; }
must_wait() { # JOB WHY: it is refused, and waits for another node
    wait_for 20 is_refused "$1"
    has "why" "$(stoker why "$1")" "$2"
}
j=$(job_of daemon n1 /dev/null)
must_wait "$j" "runs nothing below uid 100"
must scancel "$j"
must sbatch --parsable -D /tmp -w n1 -o /dev/null --wrap true
must_wait "$out" "runs nothing as root"
must scancel "$out"
printf 'min_uid = 100\nusers = nobody\n' >"$TMPDIR/policy"
kill -HUP "$(sed -n 1p "$TMPDIR/n1/lock")"
wait_for 10 grep -q "policy read again" "$TMPDIR/n1/agent.log"
j=$(job_of "$login" n1 /dev/null)
must_wait "$j" "does not admit user $login"
printf 'min_uid = 100\ngroups = %s\n' "$(id -gn "$login")" >"$TMPDIR/policy"
kill -HUP "$(sed -n 1p "$TMPDIR/n1/lock")"
wait_end "$j"
is "a policy that admits the user is tried at once" "$state" COMPLETED
echo "nonsense" >"$TMPDIR/policy"
kill -HUP "$(sed -n 1p "$TMPDIR/n1/lock")"
wait_for 10 grep -q "policy refused" "$TMPDIR/n1/agent.log"
j=$(job_of "$login" n1 /dev/null)
wait_end "$j"
is "the old policy is kept" "$state" COMPLETED

case_ "link killed, its service killed: called again; others are not served"
kill -KILL "$(pgrep -f "stoker-link serve $keys" | head -n 1)"
wait_for 20 has_lines "$TMPDIR/link.log" 3
wait_for 40 node_up n2
kill -KILL "${services[0]}"
wait_for 10 is_dead "${services[0]}"
has "doctor says which service" "$(stoker doctor)" "no stoker-link runs for $run/link.sock"
service_link
wait_for 40 node_up n2
if command -v perl >/dev/null; then
    # Each is read to its end, so the service has looked at it: a hundred of them are one line of its log.
    as nobody perl -MSocket -e 'for (1 .. 100) { socket(S, AF_UNIX, SOCK_SEQPACKET, 0); connect(S, sockaddr_un($ARGV[0])); sysread(S, $b, 1) }' \
        "$run/link.sock"
    is "lines of the log" "$(grep -c "uid=$(id -u nobody) .*may not connect" "$TMPDIR/link.log")" 1
fi

case_ "a restart of the controller touches no job; its agents are services and stay"
j=$(as nobody sbatch --parsable -D /tmp -w n2 -o /dev/null --wrap "until [ -e $TMPDIR/ledger/go ]; do sleep 0.05; done")
wait_state "$j" RUNNING
must stoker down
wait_for 10 is_dead "$controller"
is_alive "$(sed -n 1p "$TMPDIR/n2/lock")" || fail "the agent has gone with the controller"
stokerd --shared >>"$TMPDIR/stokerd.out" 2>&1 &
services+=($!)
wait_for 20 node_up n1
is "runs on" "$(job_state "$j")" RUNNING
touch "$TMPDIR/ledger/go"
wait_end "$j"
is "its end" "$state" COMPLETED
must stoker down
