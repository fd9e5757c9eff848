#!/usr/bin/env bash
# The socket of an agent that is a service was open to all users: one of them could keep the agent, which is root, busy with connections
# that it closes again.
. stoker.sh
{ [ "$(id -u)" -eq 0 ] && command -v setpriv python3 >/dev/null; } || skip "needs root, for a second user"
for u in nobody daemon; do getent passwd $u >/dev/null || skip "no user $u here"; done
base=$(mktemp -d /run/stoker-test.XXXXXX) || skip "no directory of root's own"
chmod 755 "$base"
printf 'allow_root = no\n' >"$base/policy"
stoker-agent --node n1 --dir "$base/agent" --socket "$base/agent.sock" --policy "$base/policy" --controller daemon 2>"$TMPDIR/agent.log" &
agent=$!
trap 'st=$?; kill $agent; wait $agent; rm -rf "$base"; (exit $st); on_exit' EXIT
listens() { [ -S "$base/agent.sock" ]; }
wait_for 20 listens
cat >"$TMPDIR/dial.py" <<'E2'
import socket, sys
s = socket.socket(socket.AF_UNIX)
try:
    s.connect(sys.argv[1])
    print("connected")
except PermissionError:
    print("denied")
E2
chmod 755 "$TMPDIR"
chmod 644 "$TMPDIR/dial.py"
dials() { setpriv --reuid="$1" --regid="$1" --clear-groups -- python3 "$TMPDIR/dial.py" "$base/agent.sock"; }
is "another user" "$(dials "$(id -u nobody)")" denied
is "the controller's account" "$(dials "$(id -u daemon)")" connected
is "root" "$(python3 "$TMPDIR/dial.py" "$base/agent.sock")" connected
