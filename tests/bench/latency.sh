# shellcheck shell=bash
# latency.sh - how long a person or a script waits: for the first line, for the next job, for a step.

latency_first_line() {
    local n=$1 took=() t0 t1 i
    # shellcheck disable=SC2016
    printf '#!/bin/bash\necho "$EPOCHREALTIME"\n' >first.sh
    for ((i = 0; i < n; i++)); do
        rm -f first.out
        wait_until 60 queue_is_empty
        nap 0.2
        t0=$(now_us)
        sbatch -o first.out first.sh >/dev/null || die "$system: no submission"
        wait_until 60 has_text first.out
        read -r t1 <first.out
        took+=("$(quotient $((${t1/[.,]/} - t0)) 1000)")
    done
    record "sbatch to the script's first line, idle node" "ms" low "${took[@]}"
}

# The first job of the queue holds the node until all the others wait behind it.
latency_next_job() {
    local n=$1 took i
    rm -f stamps go
    # shellcheck disable=SC2016
    printf '#!/bin/bash\nuntil [ -e go ]; do sleep 0.05; done\necho "end $EPOCHREALTIME" >>stamps\n' >holder.sh
    # shellcheck disable=SC2016
    printf '#!/bin/bash\necho "begin $EPOCHREALTIME" >>stamps\necho "end $EPOCHREALTIME" >>stamps\n' >serial.sh
    sbatch -o /dev/null -c "$cpus" holder.sh >/dev/null || die "$system: no submission"
    for ((i = 0; i < n; i++)); do
        sbatch -o /dev/null -c "$cpus" serial.sh >/dev/null || die "$system: no submission"
    done
    nap 0.5
    touch go
    wait_until 120 queue_is_empty
    mapfile -t took < <(awk '$1 == "end" { last = $2 } $1 == "begin" && last { printf "%.3f\n", ($2 - last) * 1000 }' OFMT=%.6f CONVFMT=%.6f stamps)
    record "last line of a job to the first line of the next" "ms" low "${took[@]}"
}

latency_srun() {
    local n=$1 took
    printf '#!/bin/bash\n%s -v -n %s -- srun /bin/true >steps.tmp && mv steps.tmp steps\n' "$tools/bench_loop" "$n" >steps.sh
    rm -f steps
    sbatch -o steps.out -n 1 steps.sh >/dev/null || die "$system: no submission"
    wait_until 120 has_text steps
    mapfile -t took <steps
    record "srun /bin/true in an allocation" "ms" low "${took[@]}"
}

latency_piece() {
    local first=30 next=30
    [ "$system" != shipped ] || first=10 next=10
    latency_first_line "$first"
    latency_next_job "$next"
    latency_srun 50
}
