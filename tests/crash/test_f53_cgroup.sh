#!/usr/bin/env bash
# F53, F54: control groups of every kind, and none: what the node has is found out by trying, announced, and a task over its memory
# ends as a whole in any case. What cannot be written to, or is not there, is said.
# test-user
. stoker.sh
what_keeps_memory() { stoker nodes --json | grep -o '"memory: [^"]*"' | tr -d '"'; }

script eat <<'S'
echo $$ >pids
(setsid bash -c 'echo $BASHPID >>pids; trap "" TERM HUP; while :; do read -r -t 5 <> <(:); done' &)
exec 9<> <(:); until [ "$(wc -l <pids)" -eq 2 ]; do read -rt 0.02 -u 9; done
bash -c 'echo $BASHPID >>pids; x=0123456789abcdef; while [ ${#x} -lt 268435456 ]; do x=$x$x; done; read -r -t 60 <> <(:)'
echo "the first process goes on" >survived
read -r -t 60 <> <(:)
S
script look <<'S'
cat /proc/self/cgroup >groups
S

works() { # KIND: what the end says of how it was seen
    rm -f pids survived
    submit --mem=64M -o eat.out eat
    wait_end "$job"
    is "its end" "$state" OUT_OF_MEMORY
    has "its output" "$(cat eat.out)" "oom_kill event in StepId=$job.batch"
    has "how it was seen" "$(stoker show --json "$job")" "limit 64 MiB ($1)"
    is "processes" "$(wc -l <pids)" 3
    for p in $(cat pids); do is_dead "$p" || fail "process $p of it lives"; done
    submit --mem=64M -o /dev/null look
    wait_end "$job"
    is "one that is content with it" "$state" COMPLETED
}

case_ "as this machine is"
cluster_start
kind=$(what_keeps_memory)
echo "$kind"
case $kind in
"memory: cgroup v"[12])
    works "${kind#memory: }"
    like "its groups" "$(tr '\n' ' ' <groups)" ".*/stoker-[0-9a-f]{8}-$job/(tasks/)?$job\.-1\.0\.1 .*"
    group=$(grep -o "stoker-[0-9a-f]\{8\}-$job/" groups | head -n 1 | tr -d /) # other tests' jobs have the same numbers
    gone() { ! find /sys/fs/cgroup -name "$group" 2>/dev/null | grep -q .; }
    wait_for 10 gone
    outlives=yes
    ;;
"memory: RSS every 250 ms ("*")") works "RSS every 250 ms" ;;
*) fail "it does not say what keeps memory limits: $kind" ;;
esac
cluster_stop

if [ -n "${outlives:-}" ]; then
    prefix=${group%"$job"}
    none_left() { ! find /sys/fs/cgroup -type d -name "$prefix*" 2>/dev/null | grep -q .; }
    new_agent() { [ -n "$(agent_pid)" ] && [ "$(agent_pid)" != "$agent" ] && nodes_up; }

    case_ "the agent after this one knows the groups of its tasks"
    cluster_start
    script two_steps <<'S'
cat /proc/self/cgroup >batch.groups
exec 9<> <(:); until [ -e go ]; do read -rt 0.02 -u 9; done
srun --overlap cat /proc/self/cgroup >step.groups
S
    submit --mem=64M -o /dev/null two_steps
    wait_for 20 is_filled batch.groups
    agent=$(agent_pid)
    kill -KILL "$agent" && wait_for 5 is_dead "$agent"
    wait_for 20 new_agent
    touch go
    wait_end "$job"
    is "its end" "$state" COMPLETED
    has "the group of its step" "$(<step.groups)" "/$prefix$job/"
    wait_for 10 none_left

    case_ "what escaped from its supervisor is in the group still: gone with both of them"
    script escape <<'S'
setsid env -i bash -c 'echo $$ >escaped; exec sleep 1000' &
wait
S
    submit -o /dev/null --mem=64M escape
    wait_for 20 is_filled escaped
    agent=$(agent_pid)
    kill -STOP "$agent" # it must not see the end of the supervisor
    kill -KILL $(shim_pids)
    kill -KILL "$agent" && wait_for 5 is_dead "$agent"
    is_alive "$(<escaped)" || fail "the process has died: nothing was tested"
    wait_for 20 new_agent
    wait_for 20 is_dead "$(<escaped)"
    wait_for 20 none_left

    case_ "an agent that stops leaves none"
    submit -o /dev/null --mem=64M --wrap true
    wait_end "$job"
    cluster_stop
    none_left || fail "groups are left" "$(find /sys/fs/cgroup -type d -name "$prefix*")"
fi

[ "$(id -u)" -eq 0 ] || { echo "only root hides control groups"; exit 0; }

own=$(awk '$3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/ { print $2; exit }' /proc/mounts)/stoker-own-$$
as_user() { (cd "$TMPDIR/user" && setpriv --reuid=65534 --regid=65534 --clear-groups env -i PATH="$PATH" HOME="$TMPDIR/user" \
    STOKER_HOME="$TMPDIR/user/home" "$@"); }
mkdir -p "$TMPDIR/user/home"
chmod 711 "$TMPDIR"
cp "$STOKER_HOME/stoker.cfg" "$TMPDIR/user/home/"
chown -R 65534:65534 "$TMPDIR/user"
if [ "$kind" = "memory: cgroup v1" ] && as_user stoker --version >/dev/null 2>&1 && mkdir "$own" 2>/dev/null; then
    case_ "an ordinary user's agent, in a group of version 1 that the user owns"
    melt() { [ ! -e "$own" ] || find "$own" -depth -type d -exec rmdir {} + 2>/dev/null; [ ! -e "$own" ]; }
    trap 'rc=$?; as_user stoker down --kill-jobs >/dev/null 2>&1; until_ 20 melt; (exit $rc); on_exit' EXIT
    chown -R 65534:65534 "$own"
    must sh -c 'echo $$ >"$1/cgroup.procs"; cd "$2/user" && exec setpriv --reuid=65534 --regid=65534 --clear-groups \
        env -i PATH="$PATH" HOME="$2/user" STOKER_HOME="$2/user/home" stoker up' sh "$own" "$TMPDIR"
    user_kind() { as_user stoker nodes --json | grep -q '"memory: cgroup v1"'; }
    wait_for 30 user_kind
    run as_user sbatch -W --parsable --mem=64M -o "$TMPDIR/user/out" --wrap 'x=0123456789abcdef; while [ ${#x} -lt 268435456 ]; do x=$x$x; done'
    user_job=${out%%$'\n'*}
    has "its end" "$(as_user stoker show --json "$user_job")" "limit 64 MiB (cgroup v1)"
    has "its output" "$(cat "$TMPDIR/user/out")" "oom_kill event in StepId=$user_job.batch"
    must as_user stoker down --kill-jobs
    until_ 60 melt || fail "groups are left" "$(find "$own")"
    trap on_exit EXIT
fi
hide() { # COMMAND: what is done to /sys/fs/cgroup before the cluster is started there
    case_ "hidden: $1"
    unshare -m sh -c "$1 && exec stoker up" || fail "it does not start"
    wait_for 15 nodes_up
}
unshare -m mount -t tmpfs none /sys/fs/cgroup 2>/dev/null || { echo "no mount namespaces here"; exit 0; }

hide "mount -t tmpfs none /sys/fs/cgroup"
like "what there is" "$(what_keeps_memory)" "memory: RSS every 250 ms \(.*\)"
works "RSS every 250 ms"
hasnt "its groups" "$(cat groups)" stoker-
cluster_stop

hide "mount -o remount,bind,ro /sys/fs/cgroup && for d in /sys/fs/cgroup/*/; do mountpoint -q \$d && mount -o remount,bind,ro \$d; done; true"
like "what there is" "$(what_keeps_memory)" "memory: RSS every 250 ms \((its control group is not delegated to it|no cgroup v2 with a memory controller|it cannot move to a control group of its own)\)"
works "RSS every 250 ms"
cluster_stop
