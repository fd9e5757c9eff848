# shellcheck shell=bash
# submit.sh - acknowledged submissions per second, of jobs that stay in the queue.
#
# With Stoker an acknowledged job is on disk (the store's transaction has been synced); Slurm answers first and saves its state some
# seconds later: that difference is in Slurm's favour.

submit_piece() {
    local rates=() took=() rate ms i
    for i in 1 2 3; do
        read -r rate ms _ < <("$tools/bench_loop" -n 200 -- sbatch --hold -o /dev/null --wrap=true)
        rates+=("$rate") took+=("$ms")
    done
    record "sbatch, one after the other" "jobs/s" high "${rates[@]}"
    record "one sbatch" "ms" low "${took[@]}"
    rates=()
    for i in 1 2 3; do
        read -r rate _ < <("$tools/bench_loop" -n 400 -p 8 -- sbatch --hold -o /dev/null --wrap=true)
        rates+=("$rate")
    done
    record "sbatch, eight at a time" "jobs/s" high "${rates[@]}"
    [ "$system" = stoker ] || return 0
    rates=()
    for i in 1 2 3; do
        rates+=("$("$tools/bench_pipeline" -H -n 50000)")
    done
    record "pipelined over one connection" "jobs/s" high "${rates[@]}"
    note "submit: pipelined submissions have no like in Slurm's commands."
}
