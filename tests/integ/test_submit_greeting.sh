#!/usr/bin/env bash
# A submission goes with the greeting. A controller that refuses the connection is not asked again, one that goes away meanwhile is.
. stoker.sh
command -v python3 >/dev/null || skip "no python3"

# Each argument is what happens on one connection: after how many messages it is closed, and with which refusal, if any.
# Frames: size, type, flags and tag, then the body. Types 0: greeting, 3: result, 4: submission.
cat >controller.py <<'E'
import socket, struct, sys
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen(8)
listener.settimeout(60)
open("listening", "w").write("yes\n")
for word in sys.argv[2:]:
    count, _, refusal = word.partition(":")
    s, _ = listener.accept()
    s.settimeout(20)
    data, kinds = b"", []
    while len(kinds) < int(count):
        while len(data) >= 16 and len(data) >= 16 + struct.unpack("<I", data[:4])[0]:
            size, kind = struct.unpack("<IH", data[:6])
            kinds.append(str(kind))
            data = data[16 + size:]
        if len(kinds) < int(count):
            more = s.recv(65536)
            if not more:
                break
            data += more
    open("heard", "a").write(" ".join(kinds) + "\n")
    if refusal:
        body = b"\x92" + bytes([int(refusal)]) + b"\xa4full"
        s.sendall(struct.pack("<IHHQ", len(body), 3, 0, 1) + body)
    s.close()
E
controller() {
    rm -f heard listening socket
    python3 controller.py "$PWD/socket" "$@" &
    wait_for 10 has_lines listening 1
}
unset SLURM_JOB_ID
export STOKER_SOCKET=$PWD/socket

rate=12 # REFUSAL_RATE
controller 2:$rate
sbatch -o /dev/null --wrap true >out 2>err && fail "a refused submission succeeds"
wait $!
is "what it sends before an answer" "$(cat heard)" "0 4"
has "the refusal" "$(cat err)" "refuses the connection: full"

controller 2 1:1
sbatch -o /dev/null --wrap true >out 2>err && fail "a refused submission succeeds"
wait $!
is "what the second controller hears" "$(cat heard)" $'0 4\n0'
has "the refusal" "$(cat err)" "refuses the connection: full"
