#!/usr/bin/env bash
# A job opens GPUs of AMD and Intel that other users have: their files (/dev/dri/renderD*, card*) are closed to every user but root, unless
# the node's policy says otherwise, as NVIDIA's are. What the kernel says of such GPUs is made up, in a mount namespace of this test; the
# device files have no driver behind them: who may open one is told that there is no such device.
if [ "${1-}" != --inside ]; then
    . stoker.sh
    { [ "$(id -u)" -eq 0 ] && command -v setpriv unshare >/dev/null; } || skip "needs root, for a second user"
    unshare -m true 2>/dev/null || skip "no mount namespace can be made here"
    unshare -m --propagation private "$0" --inside
    rc=$?
    [ $rc -ne 77 ] || skip "$(<"$TMPDIR/why")"
    exit $rc
fi
. stoker.sh
skip_inside() { echo "$*" >"$TMPDIR/why" && exit 77; }
getent passwd nobody >/dev/null || skip_inside "no user nobody here"
for minor in 129 2 130 3; do mknod -m 666 "$TMPDIR/dev$minor" c 226 $minor 2>/dev/null || skip_inside "no device files can be made here"; done
class=$TMPDIR/class
gpu() { # PCI VENDOR FILE...
    mkdir -p "$class/devices/$1" "$class/drm"
    echo "$2" >"$class/devices/$1/vendor"
    for f in "${@:3}"; do mkdir "$class/drm/$f" && ln -s "../../devices/$1" "$class/drm/$f/device"; done
}
gpu 0000:03:00.0 0x1002 renderD129 card2
gpu 0000:41:00.0 0x1002 renderD130 card3
mount --bind "$class" /sys/class 2>/dev/null || skip_inside "nothing can be mounted here"
as_nobody() { setpriv --reuid=nobody --regid="$(id -g nobody)" --init-groups -- "$@"; }

chmod 755 "$TMPDIR" "$STOKER_HOME" "$WORK"
mkdir -m 777 work
cd work || exit
cat >"$STOKER_HOME/stoker.cfg" <<CFG
cluster = "test";
nodes = ( { name = "n1"; transport = "local"; cpus = 8; memory = "16G"; gpus = 2; } );
CFG
[ ! -e /dev/nvidiactl ] || skip_inside "this machine has GPUs of NVIDIA, which count instead"
must stoker up
wait_for 15 nodes_up
closed() { stoker nodes --json | grep -q '"gpus: those of others are closed to a job (cgroup v[12])"'; }
refused() { stoker nodes --json | grep -q '"gpus: cannot be closed to jobs ('; }
told() { closed || refused; }
until_ 20 told || fail "$(stoker nodes --json)"
closed || skip_inside "$(stoker nodes --json | grep -o '"gpus: cannot[^"]*"')"

cat >try <<S
#!/bin/bash
for i in 129 2 130 3; do cat $TMPDIR/dev\$i 2>&1 | sed 's/.*: //'; done
S
chmod 755 try
open="No such device or address" shut="Operation not permitted"

case_ "the card of another, with both its files"
must as_nobody sbatch -W --gres=gpu:1 -o "$PWD/one.out" try
is "its own, and another" "$(<one.out)" "$open
$open
$shut
$shut"

case_ "a job without any"
must as_nobody sbatch -W -o "$PWD/none.out" try
is "all" "$(sort -u none.out)" "$shut"

case_ "the policy may open them"
stoker down >/dev/null
echo 'close_gpus = no' >"$STOKER_HOME/state/agent/n1/policy"
chmod 600 "$STOKER_HOME/state/agent/n1/policy"
must stoker up
wait_for 15 nodes_up
must as_nobody sbatch -W -o "$PWD/open.out" try
is "all" "$(sort -u open.out)" "$open"

node() { # ENTRY: the one node of the configuration
    stoker down >/dev/null
    rm -f "$STOKER_HOME/state/agent/n1/policy"
    printf 'cluster = "test";\nnodes = ( { name = "n1"; transport = "local"; cpus = 8; memory = "16G"; %s } );\n' "$1" >"$STOKER_HOME/stoker.cfg"
    must stoker up
    wait_for 15 nodes_up
}
said() { note=$(stoker nodes --json | grep -o '"gpus: [^"]* closed [^"]*"'); [ -n "$note" ]; }

case_ "a number that says nothing of which they are: nothing is closed, and the node says so"
node "gpus = 3; detect = false;"
wait_for 20 said
is "the note" "$note" '"gpus: cannot be closed to jobs (the node declares 3 and has 2 of AMD or Intel)"'
must as_nobody sbatch -W -o "$PWD/three.out" try
is "all" "$(sort -u three.out)" "$open"

case_ "beside cards of NVIDIA they stay open, and the node says so"
export STOKER_NVML=$B/tests/lib/libfakenvml.so FAKE_NVML=$TMPDIR/cards STOKER_GPU_LOOK_MS=100
echo "card 0:3b:0.0 GPU-aaaa 0 0 10 81920 NVIDIA A100-SXM4-80GB" >"$FAKE_NVML"
node ""
wait_for 20 said
like "the note" "$note" '"gpus: those of others are closed to a job \(cgroup v[12]\), but 2 of AMD or Intel, which no job can ask for, stay open"'
must as_nobody sbatch -W -o "$PWD/mixed.out" try
is "all" "$(sort -u mixed.out)" "$open"
