# shellcheck shell=bash
# squeue.sh - looking at long queues, and what a pending job costs the controller.
#
# Singles up to 10,000, which Slurm's sbatch needs a while for; 100,000 with Stoker alone. arrays.sh has 100,000 on both sides.

squeue_time() {
    local what=$1 took
    shift
    mapfile -t took < <("$tools/bench_loop" -v -n 7 -- squeue "$@")
    record "squeue, $what" "ms" low "${took[@]}"
}

squeue_fill() {
    if [ "$system" = stoker ]; then
        "$tools/bench_pipeline" -H -n "$1" >/dev/null || die "no submission"
    else
        "$tools/bench_loop" -n "$1" -p 4 -- sbatch --hold -o /dev/null --wrap=true >/dev/null || die "$system: no submission"
    fi
}

squeue_piece() {
    local rss0 rss1
    # As shipped it is the same squeue, and 10,000 jobs are its limit.
    [ "$system" != shipped ] || return 0
    squeue_fill 1000
    squeue_time "1,000 pending"
    rss0=$(controller_rss)
    squeue_fill 9000
    rss1=$(controller_rss)
    squeue_time "10,000 pending"
    if [ "$system" = stoker ]; then
        squeue_fill 90000
        rss1=$(controller_rss)
        squeue_time "100,000 pending"
        record "memory of the controller per pending job" "KiB" low "$(quotient $((rss1 - rss0)) 99000)"
    else
        record "memory of the controller per pending job" "KiB" low "$(quotient $((rss1 - rss0)) 9000)"
        note "squeue: memory per job is taken from jobs 1,001 to 100,000 with Stoker, to 10,000 with Slurm, which would need minutes to get more."
    fi
}
