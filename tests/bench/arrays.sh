# shellcheck shell=bash
# arrays.sh - one array of 100,000 elements, shown element by element.

arrays_piece() {
    local took
    # As shipped the longest array has 1,000 elements.
    [ "$system" != shipped ] || return 0
    mapfile -t took < <("$tools/bench_loop" -v -- sbatch --hold -o /dev/null --array=1-100000 --wrap=true)
    record "sbatch of an array of 100,000" "ms" low "${took[@]}"
    mapfile -t took < <("$tools/bench_loop" -v -n 5 -- squeue -r)
    record "squeue -r, an array of 100,000" "ms" low "${took[@]}"
    mapfile -t took < <("$tools/bench_loop" -v -n 7 -- squeue)
    record "squeue, an array of 100,000" "ms" low "${took[@]}"
}
