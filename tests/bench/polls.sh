# shellcheck shell=bash
# polls.sh - what many polling clients cost a client that submits, and what one `squeue --me` takes. Slurm's half needs its own commands for each look,
# which this machine cannot start often enough: with Stoker alone.

polls_piece() {
    local line took
    [ "$system" = stoker ] || return 0
    mapfile -t took < <("$tools/bench_loop" -v -n 15 -- squeue --me)
    record "squeue --me, an empty queue" "ms" low "${took[@]}"
    while read -r line; do echo "  $line"; done < <("$tools/bench_polls")
    mapfile -t took < <("$tools/bench_loop" -v -n 15 -- squeue --me)
    record "squeue --me, some hundreds of jobs" "ms" low "${took[@]}"
}
