#!/usr/bin/env python3
"""terminal.py - runs a command on a terminal of its own and plays a user at it.

    terminal.py [STEP...] -- COMMAND [ARG...]

STEPs, in order; one in which nothing happens for PATIENCE_S (120) seconds fails
(escapes as in Python):
    expect:TEXT   until TEXT has been printed, after what the last expect found
    type:TEXT     keys
    size:ROWSxCOLS
    hangup        the terminal goes away, as when a laptop is closed
    signal:NAME   to the command
    touch:FILE, await:FILE
Prints what the terminal got, without carriage returns; ends as the command does (after a hangup: 0).
"""
import fcntl, os, pty, select, signal, struct, sys, termios, time

i = sys.argv.index("--")
steps, command = sys.argv[1:i], sys.argv[i + 1:]
text, seen = bytearray(), 0
PATIENCE = float(os.environ.get("PATIENCE_S", 120))


def set_size(fd, rows, cols):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))


def show():
    sys.stdout.buffer.write(text.replace(b"\r", b""))
    sys.stdout.flush()


def fail(why):
    show()
    print("\nterminal.py: " + why, file=sys.stderr)
    os.kill(pid, signal.SIGKILL)
    sys.exit(99)


def pump(wait_s):
    """Takes what is there; False at the end of the terminal."""
    global text
    if select.select([fd], [], [], wait_s)[0]:
        try:
            data = os.read(fd, 65536)
        except OSError:
            return False
        text += data
        return bool(data)
    return True


go_r, go_w = os.pipe()
pid, fd = pty.fork()
if pid == 0:
    os.read(go_r, 1)  # not before the terminal has its size
    os.execvp(command[0], command)
set_size(fd, 30, 100)
os.write(go_w, b"x")
alive = True
for step in steps:
    word, _, arg = step.partition(":")
    arg = arg.encode().decode("unicode_escape").encode("latin-1")
    if word == "expect":
        end, at = time.monotonic() + PATIENCE, text.find(arg, seen)
        while at < 0:
            if not alive or time.monotonic() > end:
                fail("%s, no %r" % ("timed out" if alive else "ended", arg))
            before = len(text)
            alive = pump(0.1)
            if len(text) > before:
                end = time.monotonic() + PATIENCE
            at = text.find(arg, max(seen, before - len(arg)))
        seen = at + len(arg)
    elif word == "type":
        os.write(fd, arg)
    elif word == "size":
        set_size(fd, *map(int, arg.split(b"x")))
    elif word == "signal":
        os.kill(pid, getattr(signal, "SIG" + arg.decode()))
    elif word == "touch":
        open(arg, "w").close()
    elif word == "await":
        end = time.monotonic() + PATIENCE
        while not os.path.exists(arg):
            if not alive or time.monotonic() > end:
                fail("no %r" % arg)
            alive = pump(0.05)
    elif word == "hangup":
        os.close(fd)
        os.waitpid(pid, 0)
        show()
        sys.exit(0)
    else:
        fail("what is %r?" % step)
end, before = time.monotonic() + PATIENCE, len(text)
while pump(0.1):
    if len(text) > before:
        end, before = time.monotonic() + PATIENCE, len(text)
    if time.monotonic() > end:
        fail("it does not end")
show()
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 255)
