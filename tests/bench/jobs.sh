# shellcheck shell=bash
# jobs.sh - trivial jobs from end to end, and what the machine could do without any queue.

# submit_all N KIND: prints the id to wait for
jobs_submit() {
    if [ "$2" = array ]; then
        sbatch --parsable -o /dev/null --array=1-"$1" --wrap=true
    else
        "$tools/bench_loop" -n "$1" -p 2 -o "$work/ids" -- sbatch --parsable -o /dev/null --wrap=true >/dev/null
        tail -n 1 "$work/ids"
        rm -f "$work/ids"
    fi
}

jobs_measure() {
    local n=$1 kind=$2 runs=$3 rates=() cpu=() t0 c0 id i
    for ((i = 0; i < runs; i++)); do
        c0=$(box_cpu)
        t0=$(now_us)
        id=$(jobs_submit "$n" "$kind") || die "$system: no submission"
        wait_until 200 is_not_listed "$id"
        wait_until 200 queue_is_empty
        rates+=("$(quotient $((n * 1000000)) $(($(now_us) - t0)))")
        cpu+=("$(awk -v a="$c0" -v b="$(box_cpu)" -v n="$n" 'BEGIN { printf "%.3f", (b - a) * 1000 / n }')")
    done
    record "trivial jobs, $([ "$kind" = array ] && echo "an array of 1,000" || echo "1,000 single ones")" "jobs/s" high "${rates[@]}"
    [ "$system" = shipped ] || record "CPU of all daemons, shells included, $([ "$kind" = array ] && echo array || echo singles)" "ms/job" low "${cpu[@]}"
}

jobs_piece() {
    local n=1000 runs=3
    [ "$system" != tuned ] || runs=1
    if [ "$system" = shipped ]; then
        n=30 runs=1
        note "jobs: Slurm as shipped was measured with 30 jobs instead of 1,000: it looks for work of its own accord every three seconds (tuned: at the end of each job)."
    fi
    jobs_measure "$n" array "$runs"
    jobs_measure "$n" singles "$runs"
    [ "$system" = stoker ] || return 0
    local bare=() agent=() rate i
    for i in 1 2 3; do
        read -r rate _ < <("$tools/bench_loop" -n 1000 -p "$cpus" -- /bin/bash -c true)
        bare+=("$rate")
        agent+=("$("$tools/bench_agent" 1000 "$((cpus * 2))" | sed -n 's/^bash script.* \([0-9]*\) tasks.*/\1/p')")
    done
    record "the machine alone: bash -c true" "/s" high "${bare[@]}"
    record "agent and shim alone: bash scripts" "/s" high "${agent[@]}"
}
