#!/usr/bin/env bash
# F57, F38: a program on a node is not our agent: it cannot be run, prints nothing, prints nonsense, or exits at once. The text says
# what it is, the other node is not touched, and with the right programs all is well again.
. stoker.sh
. sshd.sh
export STOKER_BEAT_MS=200
mkdir "$TMPDIR/bin"
cp -a "$(dirname "$(command -v stoker)")"/* "$TMPDIR/bin/"
mv "$TMPDIR/bin/stoker-agent" "$TMPDIR/agent.good"
export PATH=$TMPDIR/bin:$PATH
sshd_start 1
ssh_config 1
# This machine is there too: its agent is started by path, and must be ours.
sed -i "s|nodes = ( |nodes = ( { name = \"here\"; transport = \"local\"; cpus = 2; memory = \"1G\"; gpus = 0; detect = false; }, |" "$STOKER_HOME/stoker.cfg"
agent() { # BODY: what the node gets. Here the real one runs.
    cat >"$TMPDIR/bin/stoker-agent" <<S
#!/bin/bash
case " \$* " in *" --bridge "*) ;; *) exec $TMPDIR/agent.good "\$@" ;; esac
$1
S
    chmod +x "$TMPDIR/bin/stoker-agent"
}
trouble() { stoker nodes | grep '^n1'; }
in_trouble() { [[ $(trouble) == *"$1"* ]]; }
here_works() { must timeout 60 srun -w here true; }
is_up() { [[ $(sinfo -h -N -n "$1" -o %T) =~ ^(idle|mixed|allocated)$ ]]; }
try() { # BODY TEXT
    agent "$1"
    must stoker up
    wait_for 15 is_up here
    wait_for 20 in_trouble "$2"
    here_works
    ! is_up n1 || fail "n1 is up"
    must stoker down
    wait_for 15 no_agents
}

case_ "it cannot be run"
try 'echo "stoker-agent: /lib/libc.so.6: version GLIBC_9.99 not found" >&2; exit 1' "GLIBC_9.99 not found"
case_ "it goes without a word"
try 'exit 0' "cannot be started there"
case_ "it says nonsense for ever"
try 'echo "STOKER@@ BRIDGE 1"; exec cat /dev/urandom' "no agent of this release"
case_ "it says half a frame and no more"
try 'echo "STOKER@@ BRIDGE 1"; printf "\100\0\0\0\002\0"; exec cat >/dev/null' "no answer to heartbeats"
case_ "endless start-up noise"
try 'exec yes noise' "prints without end"

case_ "with the right one all is well"
cp "$TMPDIR/agent.good" "$TMPDIR/bin/stoker-agent"
must stoker up
wait_for 20 is_up n1
must srun -w n1 true
cluster_stop
