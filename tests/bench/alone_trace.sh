#!/usr/bin/env bash
# alone_trace.sh - one job's life as strace sees it: each wake-up, system call, process and sync between the last instruction of one
# job and the first of the next, of controller, agent, supervisors and shells.
#
#     TASKS=200 EACH=1 tests/bench/run trace       EACH=1: also the calls one by one, of a task in the middle
#
# strace makes everything slower: the times show the order and what waits for what, not how long it takes.
. stoker.sh
command -v strace >/dev/null || { echo "trace: strace is missing" && exit 0; }
tasks=${TASKS:-200}
CPUS=1 GPUS=0 cluster_start
must sbatch -Q -W -o /dev/null --wrap true

printf '#!/bin/bash\necho line\n' >job.sh
chmod 755 job.sh
array() { must sbatch -Q -W -o array.out -a 1-"$tasks" --open-mode=append job.sh; }
singles() {
    local i
    for ((i = 1; i < tasks; i++)); do must sbatch -Q -o singles.out --open-mode=append job.sh; done
    must sbatch -Q -W -o singles.out --open-mode=append job.sh
}
is_traced() { grep -q "^TracerPid:[[:space:]]*[1-9]" "/proc/$1/status"; }

# Lines "MICROSECONDS ROLE CALL" from one exec of the shell to the next of the same array: of the task in the middle.
trace() {
    local what=$1 agent controller pids=() pid
    controller=$(controller_pid) agent=$(agent_pid)
    for pid in "$controller" "$agent" $(pgrep -P "$agent"); do pids+=(-p "$pid"); done
    strace -f -ttt -s 24 -o "$TMPDIR/$what.trace" "${pids[@]}" 2>/dev/null &
    wait_for 10 is_traced "$agent"
    "$what"
    kill -INT $!
    wait $!
    awk -v controller="$controller" -v agent="$agent" -v what="$what" -v tasks="$tasks" -v each="${EACH:-}" -f "$ROOT/tests/bench/trace.awk" \
        "$TMPDIR/$what.trace" "$TMPDIR/$what.trace"
}
trace array
trace singles
cluster_stop
