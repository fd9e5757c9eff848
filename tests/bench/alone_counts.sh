#!/usr/bin/env bash
# What one job costs, counted: system calls, syncs to disk, wake-ups, processes. Figures that a busy machine hardly changes.
. stoker.sh
jobs=200
export COUNTS_DIR=$TMPDIR/counts
mkdir "$COUNTS_DIR"
LD_PRELOAD=$B/tests/lib/libcounts.so cluster_start

say() { printf '%-58s %10s %s\n' "$1" "$2" "$3"; }
counted() { cat "$COUNTS_DIR/$1".* | od -An -v -td8 -w48 | awk -v k="$(($2 + 1))" '{ n += $k } END { print n + 0 }'; }
quotient() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }
no_jobs() { [ -z "$(squeue -h)" ]; }

# $1: name, $2...: runs $jobs jobs
measure() {
    local what=$1 before after
    shift
    before=("$(counted stokerd 0)" "$(counted stokerd 1)" "$(counted stoker-agent 1)")
    "$@"
    wait_for 100 no_jobs
    after=("$(counted stokerd 0)" "$(counted stokerd 1)" "$(counted stoker-agent 1)")
    say "$what: syncs" "$(quotient $((after[0] - before[0])) $jobs)" "a job"
    say "$what: wake-ups of the controller" "$(quotient $((after[1] - before[1])) $jobs)" "a job"
    say "$what: wake-ups of the agent" "$(quotient $((after[2] - before[2])) $jobs)" "a job"
    command -v strace >/dev/null || return 0
    strace -f -c -S calls -U calls,name -o "$TMPDIR/controller" -p "$(controller_pid)" 2>/dev/null &
    local controller=$!
    strace -f -c -S calls -U calls,name -o "$TMPDIR/agent" -p "$(agent_pid)" 2>/dev/null &
    local agent=$!
    "$@"
    wait_for 100 no_jobs
    kill -INT $controller $agent
    wait $controller $agent
    say "$what: system calls of the controller" "$(quotient "$(awk '$2 == "total" { print $1 }' "$TMPDIR/controller")" $jobs)" "a job"
    say "$what: system calls of the agent" "$(quotient "$(awk '$2 == "total" { print $1 }' "$TMPDIR/agent")" $jobs)" "a job"
}

array() { sbatch -Q -W -o /dev/null -a 1-$jobs --wrap true; }
singles() { local i; for ((i = 0; i < jobs; i++)); do sbatch -Q -o /dev/null --wrap true; done; }
steps() { sbatch -Q -W -o /dev/null --wrap "for i in \$(seq $jobs); do srun true; done"; }
measure "an array" array
measure "jobs one by one" singles
measure "steps" steps
