#!/usr/bin/env bash
# stoker-link is not there, or ends at once: the node says so, this machine goes on, and it is tried again.
. stoker.sh
. sshd.sh
mkdir "$TMPDIR/bin"
cp -a "$(dirname "$(command -v stoker)")"/* "$TMPDIR/bin/"
mv "$TMPDIR/bin/stoker-link" "$TMPDIR/link.good"
export PATH=$TMPDIR/bin:/usr/bin:/bin:/usr/sbin:$ROOT/tests/lib
hash -r
sshd_start 1
ssh_config 1
sed -i "s|nodes = ( |nodes = ( { name = \"here\"; transport = \"local\"; cpus = 2; memory = \"1G\"; gpus = 0; detect = false; }, |" "$STOKER_HOME/stoker.cfg"
must stoker up
says_so() { [[ $(stoker nodes | grep '^n1') == *"$1"* ]]; }
case_ "it is not there"
wait_for 10 says_so "stoker-link cannot be started: No such file"
must timeout 60 srun -w here true
case_ "it ends at once"
printf '#!/bin/sh\nexit 1\n' >"$TMPDIR/bin/stoker-link"
chmod +x "$TMPDIR/bin/stoker-link"
wait_for 20 says_so "stoker-link has ended"
must timeout 60 srun -w here true
case_ "it is there again"
cp "$TMPDIR/link.good" "$TMPDIR/bin/stoker-link.new"
mv "$TMPDIR/bin/stoker-link.new" "$TMPDIR/bin/stoker-link"
wait_for 40 nodes_up
must srun -w n1 true
cluster_stop
