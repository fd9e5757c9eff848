#!/usr/bin/env bash
# The agent is a service: its session keyring was that of all tasks of all users, so a user could read what another one had put there
# (Kerberos tickets, keys of file systems).
. stoker.sh
{ [ "$(id -u)" -eq 0 ] && command -v setpriv python3 >/dev/null; } || skip "needs root, for a second user"
for u in nobody daemon; do getent passwd $u >/dev/null || skip "no user $u here"; done
[ "$(uname -m)" = x86_64 ] || skip "the numbers of these system calls are those of x86-64"

# ring.py join CMD... | add TEXT | read: of the session keyring
cat >"$TMPDIR/ring.py" <<'E2'
import ctypes, os, sys
call = ctypes.CDLL(None, use_errno=True).syscall
call.restype = ctypes.c_long
ADD_KEY, REQUEST_KEY, KEYCTL, SESSION, JOIN, READ = 248, 249, 250, -3, 1, 11
def check(r):
    if r < 0:
        sys.exit(os.strerror(ctypes.get_errno()))
    return r
what = sys.argv[1]
if what == "join":
    check(call(KEYCTL, JOIN, None, 0, 0, 0))
    os.execvp(sys.argv[2], sys.argv[2:])
elif what == "add":
    text = sys.argv[2].encode()
    check(call(ADD_KEY, b"user", b"token", text, len(text), SESSION))
else:
    buf = ctypes.create_string_buffer(100)
    key = check(call(REQUEST_KEY, b"user", b"token", None, 0))
    n = check(call(KEYCTL, READ, key, buf, 100, 0))
    print(buf.raw[:n].decode())
E2
python3 "$TMPDIR/ring.py" join true 2>/dev/null || skip "no keyrings here"

as() {
    local u=$1
    shift
    setpriv --reuid="$u" --regid="$(id -g "$u")" --init-groups -- "$@"
}
chmod 755 "$TMPDIR" "$STOKER_HOME" "$WORK"
chmod 644 "$TMPDIR/ring.py"
mkdir -m 777 work
cd work || exit
cluster_config
must python3 "$TMPDIR/ring.py" join stoker up # a keyring for the agent, as that of a service
wait_for 15 nodes_up

case_ "a task reads what it has put into its session keyring"
run as nobody sbatch -W --parsable -o "$PWD/first.out" --wrap "python3 $TMPDIR/ring.py add secret && python3 $TMPDIR/ring.py read"
is "its status" "$rc $err" "0 "
is "its key" "$(cat first.out)" secret

case_ "a task of another user does not"
run as daemon sbatch -W --parsable -o "$PWD/second.out" --wrap "python3 $TMPDIR/ring.py read"
hasnt "the key of the first one" "$(cat second.out)" secret
has "there is none" "$(cat second.out)" "Required key not available"
