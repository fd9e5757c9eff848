#!/usr/bin/env bash
# An SSH server, or anybody on the way to it, says goodbye before any key is known: its words reached the terminal of an administrator as
# they were, and a tab or a line break in them made lines of a check that had not been done.
. stoker.sh
command -v python3 >/dev/null || skip "no python3"

# Greets, takes the client's key exchange, and hangs up with words of its own; to each one who comes.
cat >"$TMPDIR/server.py" <<'E2'
import socket, struct, sys
words = sys.argv[1].encode().decode("unicode_escape").encode("latin-1")
body = b"\x01" + struct.pack(">II", 11, len(words)) + words + struct.pack(">I", 0)
pad = 8 - (len(body) + 5) % 8 + 8
packet = struct.pack(">IB", len(body) + 1 + pad, pad) + body + b"\0" * pad
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen(16)
print(s.getsockname()[1], flush=True)
while True:
    c, _ = s.accept()
    c.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")
    got = b""
    while len(got) < 800:
        got += c.recv(4096) or b" " * 800
    c.sendall(packet)
    c.settimeout(5)
    try:
        while c.recv(4096):
            pass
    except OSError:
        pass
    c.close()
E2
words='\x1b]0;OWNED\x07\x1b[2J\x9b31m\xc2\x9b1mbye\nhost key\tok\tSHA256:forged\nfiles\tnote\tforged\nlogin\tok\tforged\xe2\x80\xaegnp'
python3 "$TMPDIR/server.py" "$words" >port &
server=$!
wait_for 10 is_filled port
port=$(cat port)

# no_raw WHAT TEXT: nothing that moves a cursor, changes a colour or the direction of what follows
cat >"$TMPDIR/raw.py" <<'E2'
import sys, unicodedata
text = sys.stdin.buffer.read().decode("utf-8", "strict")
bad = [c for c in text if c not in "\n\t" and unicodedata.category(c) in ("Cc", "Cf")]
sys.exit("raw: " + ascii("".join(bad)) if bad else 0)
E2
no_raw() {
    local raw
    raw=$(python3 "$TMPDIR/raw.py" 2>&1 <<<"$2") || fail "$1: raw characters" "$raw" "$(cat -v <<<"$2")"
}

case_ "a check by hand"
mkdir -p "$STOKER_HOME/state" && chmod 700 "$STOKER_HOME/state"
cat >"$STOKER_HOME/stoker.cfg" <<CFG
cluster = "test";
nodes = ( { name = "n1"; transport = "local"; cpus = 1; memory = "1G"; detect = false; },
    { name = "n2"; transport = "ssh"; address = "127.0.0.1"; port = $port; } );
CFG
run stoker node check --port="$port" --name=n3 127.0.0.1
[ $rc -ne 0 ] || fail "it succeeded" "$out"
no_raw "the check" "$out$err"
has "who it was" "$out$err" "Received SSH_MSG_DISCONNECT"
for line in "host key" login files; do
    [ "$(grep -c "^$line" <<<"$out")" -eq 0 ] || fail "a line \"$line\" that the server made" "$out"
done

case_ "a node of the cluster"
must stoker up
says_why() { stoker nodes 2>&1 | grep -q SSH_MSG_DISCONNECT; }
wait_for 20 says_why
for c in "stoker nodes" "stoker nodes --json" "scontrol show nodes" "sinfo -R" "sinfo -N -O all" "stoker show n2" "stoker doctor"; do
    run $c
    no_raw "$c" "$out$err"
    hasnt "$c: a line of its own" "$out$err" $'\nhost key'
done
for log in "$STOKER_HOME"/log/*; do no_raw "${log##*/}" "$(cat "$log")"; done
kill $server
wait $server 2>/dev/null
cluster_stop
