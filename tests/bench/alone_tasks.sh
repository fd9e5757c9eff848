#!/usr/bin/env bash
# alone_tasks.sh - short tasks, compared with the same commands run without a queue.
#
#     TASKS=10000 JOBS=1000 RUNS=5 tests/bench/run tasks
#
# "bench_spawn" is the same script with the environment that a job has, its output appended to one file, spawned by a plain loop,
# as many at a time as there are CPUs.
#
# The ends are told by the commands that submit (sbatch -W, stoker submit --wait): an squeue every 20 ms takes CPU time from the tasks.
. stoker.sh
[ -x "$B/tests/bench/bench_loop" ] || { echo "$B/tests/bench/bench_loop is not built: make bench builds it" >&2; exit 1; }
tasks=${TASKS:-10000} jobs=${JOBS:-1000} runs=${RUNS:-3}
CPUS=$(nproc) GPUS=0 cluster_start

say() { printf '%-58s %10s %s\n' "$1" "$2" "$3"; }
us() { echo "${EPOCHREALTIME/[.,]/}"; }
empty() { [ -z "$(squeue -h)" ]; }
# per_second N CMD...: how often CMD does N things in a second
per_second() {
    local n=$1 t0
    shift
    t0=$(us)
    "$@"
    awk -v n="$n" -v us=$(($(us) - t0)) 'BEGIN { printf "%.1f\n", n * 1e6 / us }'
}
median() { sort -g | awk '{ v[NR] = $1 } END { print (NR % 2) ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.1f", 100 * a / b }'; }

printf '#!/bin/bash\ntrue\n' >job.sh
chmod 755 job.sh
must sbatch -Q -W -o /dev/null --wrap 'env -0 >environment'
mapfile -d '' environment <environment

spawned() { env -i "${environment[@]}" "$B/tests/bench/bench_loop" -n "$1" -p "$(nproc)" -o spawned.out -- /bin/bash job.sh >/dev/null; }
bare() { "$B/tests/bench/bench_loop" -n "$1" -p "$(nproc)" -- /bin/bash -c true >/dev/null; }
array() {
    must sbatch -Q -W -a 1-"$1" -o array.out --open-mode=append job.sh
}
singles() {
    "$B/tests/bench/bench_loop" -n "$1" -p "$(nproc)" -- sbatch -Q -o singles.out --open-mode=append job.sh >/dev/null
    must sbatch -Q -W -o singles.out --open-mode=append job.sh # the last in the queue
    wait_for 300 empty
}
step_job() {
    printf 'output = "/dev/null";\nsteps = ( { name = "tasks"; tasks = %d; command = "true"; } );\n' "$1" >tasks.job
    must stoker submit --wait tasks.job
}
step() { must srun -n "$1" --overcommit bash -c true; }
# measure N WHAT FUNCTION: RUNS times
measure() {
    local i
    for ((i = 0; i < runs; i++)); do per_second "$1" "$3" "$1"; done | median >figure
    figure=$(<figure)
    say "$2" "$figure" /s
}

measure "$jobs" "bash -c true" bare
bare=$figure
measure "$jobs" "bench_spawn" spawned
spawned=$figure
say "bench_spawn, of bash -c true" "$(ratio "$spawned" "$bare")" %
measure "$jobs" "an array" array
say "an array, of bash -c true" "$(ratio "$figure" "$bare")" %
say "an array, of bench_spawn" "$(ratio "$figure" "$spawned")" %
measure "$jobs" "single jobs while clients submit them" singles
say "single jobs, of bash -c true" "$(ratio "$figure" "$bare")" %
runs=1 measure "$tasks" "a step job of $tasks tasks" step_job
say "a step job, of bash -c true" "$(ratio "$figure" "$bare")" %
measure 100 "srun -n 100" step
say "srun -n 100, of bench_spawn" "$(ratio "$figure" "$spawned")" %
cluster_stop
