#!/usr/bin/env bash
# F20: process numbers are used again. Supervisor and task die while no agent is there, strangers get their very numbers, one of them
# leads a session of that number: the next agent signals none of them. In a space of process numbers of the test's own.
# test-user
. stoker.sh
[ "$(id -u)" -eq 0 ] || skip "only root makes a space of process numbers"
if [ "${1:-}" != inside ]; then
    unshare --pid --fork --mount-proc sh -c 'echo 300 >/proc/sys/kernel/ns_last_pid' 2>/dev/null || skip "process numbers cannot be chosen here"
    trap - EXIT
    exec unshare --pid --fork --mount-proc --kill-child "$0" inside
fi
cluster_start
script task.sh <<'S'
echo $$ >>pids
exec sleep 1000
S
# A process of that number: starts one after the number before it has been given out last.
stranger() { # NUMBER COMMAND...
    local want=$1 tries=0
    shift
    while [ $((tries++)) -lt 50 ]; do
        echo $((want - 1)) >/proc/sys/kernel/ns_last_pid
        "$@" >/dev/null 2>&1 &
        [ $! -ne "$want" ] || return 0
        kill -KILL $! && wait $! 2>/dev/null
    done
    fail "no process got the number $want"
}
end_kind() { stoker show --json "$1" | grep -o '"end_kind":"[^"]*"' | head -n 1; }
for cancelled in no yes; do
    case_ "cancelled meanwhile: $cancelled"
    rm -f pids
    submit -o /dev/null task.sh
    wait_for 10 has_lines pids 1
    shim=$(shim_pids)
    task=$(cat pids)
    like "one supervisor" "$shim" '[0-9]+'
    agent=$(agent_pid)
    # No other agent may be started while these exit.
    controller_kill9
    kill -KILL "$agent" "$shim" "$task"
    wait_for 10 no_agents
    for p in $shim $task; do wait_for 10 is_gone "/proc/$p"; done
    stranger "$shim" setsid sleep 1000
    stranger "$task" sleep 1000
    leads() { [ "$(ps -o sess= -p "$shim" | tr -d ' ')" = "$shim" ]; }
    wait_for 10 leads
    must stoker up
    [ $cancelled = no ] || must scancel "$job"
    wait_end "$job" 30
    is "how it ended" "$(end_kind "$job")" '"end_kind":"unknown: the end was not seen"'
    wait_for 10 nodes_up
    is "nothing is held" "$(sinfo -h -o %C)" 0/8/0/8
    for p in $shim $task; do
        is_alive "$p" || fail "the stranger with number $p was signalled"
        kill -KILL "$p" && wait "$p" 2>/dev/null
    done
done
cluster_stop
