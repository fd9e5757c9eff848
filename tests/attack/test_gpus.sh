#!/usr/bin/env bash
# A job opens the GPUs of other users: its environment alone kept it from them. Unless the node's policy says otherwise they are closed
# to every user but root. The device files have no driver behind them: who may open one is told that there is no such device.
. stoker.sh
{ [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; } || skip "needs root, for a second user"
getent passwd nobody >/dev/null || skip "no user nobody here"
mknod -m 666 "$TMPDIR/dev0" c 195 0 2>/dev/null && mknod -m 666 "$TMPDIR/dev1" c 195 1 || skip "no device files can be made here"
as_nobody() { setpriv --reuid=nobody --regid="$(id -g nobody)" --init-groups -- "$@"; }

export STOKER_NVML=$B/tests/lib/libfakenvml.so FAKE_NVML=$TMPDIR/cards STOKER_GPU_LOOK_MS=100
cat >"$FAKE_NVML" <<CARDS
card 0:3b:0.0 GPU-aaaa 0 0 10 81920 NVIDIA A100-SXM4-80GB
card 0:3c:0.0 GPU-bbbb 1 0 10 81920 NVIDIA A100-SXM4-80GB
CARDS
chmod 755 "$TMPDIR" "$STOKER_HOME" "$WORK"
mkdir -m 777 work
cd work || exit
cat >"$STOKER_HOME/stoker.cfg" <<CFG
cluster = "test";
nodes = ( { name = "n1"; transport = "local"; cpus = 8; memory = "16G"; } );
CFG
must stoker up
wait_for 15 nodes_up
closed() { stoker nodes --json | grep -q '"gpus: those of others are closed to a job (cgroup v[12])"'; }
refused() { stoker nodes --json | grep -q '"gpus: cannot be closed to jobs ('; }
told() { closed || refused; }
wait_for 20 told
closed || skip "$(stoker nodes --json | grep -o '"gpus: cannot[^"]*"')"

cat >try <<S
#!/bin/bash
for i in 0 1; do cat $TMPDIR/dev\$i 2>&1 | sed 's/.*: //'; done
S
chmod 755 try

case_ "the card of another"
must as_nobody sbatch -W --gres=gpu:1 -o "$PWD/one.out" try
is "its own, and another" "$(<one.out)" "No such device or address
Operation not permitted"

case_ "a job without any"
must as_nobody sbatch -W -o "$PWD/none.out" try
is "both" "$(<none.out)" "Operation not permitted
Operation not permitted"

case_ "a step that clears its environment"
must as_nobody sbatch -W --gres=gpu:1 -o "$PWD/step.out" --wrap "srun --overlap env -i $PWD/try"
is "its job's, and another" "$(<step.out)" "No such device or address
Operation not permitted"

case_ "the policy may open them"
stoker down >/dev/null
echo 'close_gpus = no' >"$STOKER_HOME/state/agent/n1/policy"
chmod 600 "$STOKER_HOME/state/agent/n1/policy"
must stoker up
wait_for 15 nodes_up
must as_nobody sbatch -W -o "$PWD/open.out" try
is "both" "$(<open.out)" "No such device or address
No such device or address"
