#!/usr/bin/env bash
# What one job costs, in numbers that do not depend on the load of the machine: syncs to disk, wake-ups of the two loops, processes.
# A figure below is the most that a job may cost. A change that makes a job cheaper lowers it; it rises only with a reason in the
# commit.
#
# Processes and threads are counted by the ids that a namespace of process ids hands out: where none can be had, they are not.
if [ -z "${COUNTERS_INSIDE-}" ] && unshare --pid --fork --mount-proc true 2>/dev/null; then
    COUNTERS_INSIDE=1 exec unshare --pid --fork --mount-proc "$0"
fi
. stoker.sh

export COUNTS_DIR=$TMPDIR/counts
mkdir -m 1777 "$COUNTS_DIR"
LD_PRELOAD=$B/tests/lib/libcounts.so cluster_start

# counted PROGRAM KIND: the sum over its processes. Kinds: 0 syncs, 1 wake-ups, 2 processes begun, 3 files
# opened in a directory, 4 directories made in a directory, 5 bytes received from sockets.
counted() { cat "$COUNTS_DIR/$1".* | od -An -v -td8 -w48 | awk -v k="$(($2 + 1))" '{ n += $k } END { print n + 0 }'; }
settled() { [ -z "$(squeue -h)" ] && no_shims; }

last_process() { [ -n "${COUNTERS_INSIDE-}" ] && cut -d' ' -f5 /proc/loadavg || echo 0; }
figures() { echo "$(counted stokerd 0) $(counted stokerd 1) $(counted stoker-agent 1) $(last_process) $(counted stoker-agent 4)"; }

# costs WHAT SYNCS CONTROLLER AGENT PROCESSES DIRECTORIES CMD...: CMD runs 50 jobs; the most of each that one of them may cost
names=("syncs" "wake-ups of the controller" "wake-ups of the agent" "processes" "directories made")
costs() {
    local what=$1 most=("${@:2:5}") before after allowed i
    shift 6
    read -ra before < <(figures)
    "$@"
    read -ra after < <(figures)
    wait_for 60 settled
    # 25 more for what happens by the clock, and for the first job's part; 15 for the supervisors that work side by side. A
    # directory is made for each of these.
    allowed=($((most[0] * 50 + 25)) $((most[1] * 50 + 25)) $((most[2] * 50 + 25)) $((most[3] * 50 + 40)) $((most[4] * 50 + 15)))
    for i in 0 1 2 3 4; do
        printf '%-18s %-28s %6d in 50 jobs, %d allowed\n' "$what" "${names[i]}" $((after[i] - before[i])) "${allowed[i]}"
    done
    for i in 0 1 2 3 4; do
        at_most "$what: ${names[i]} of 50 jobs" $((after[i] - before[i])) "${allowed[i]}"
    done
}

one_by_one() { local i; for i in {1..50}; do must sbatch -Q -W -o /dev/null --wrap true; done; }
array() { must sbatch -Q -W -o /dev/null -a 1-50 --wrap true; }
step_job() {
    printf 'output = "/dev/null";\nsteps = ( { name = "tasks"; tasks = 50; command = "true"; } );\n' >tasks.job
    must stoker submit --wait tasks.job
}
steps() { must sbatch -Q -W -o /dev/null --wrap 'for i in $(seq 50); do srun true; done'; }

#     what                syncs controller agent processes directories
costs "jobs one by one"       2          8     4         3           0 one_by_one
costs "an array"              1          2     2         1           0 array
costs "a step job"            1          2     2         1           0 step_job
costs "steps of a job"        3          9     7         2           1 steps

# What a job holds is said by the tasks that run, however many have ended.
case_ "squeue beside a step job of which 300 tasks have ended"
printf 'output = "/dev/null";\nsteps = ( { name = "many"; tasks = 300; command = "true"; }, { name = "last"; command = "until [ -e go ]; do sleep 0.1; done"; } );\n' >last.job
must stoker submit last.job
last_runs() { squeue -h -s -o %j | grep -qx last; }
wait_for 120 last_runs
LD_PRELOAD=$B/tests/lib/libcounts.so run squeue -h -o '%j %D %C %N %R'
is "what it holds" "$out" "last 1 1 n1 n1"
received=$(counted squeue 5)
printf '%-18s %-28s %6d, 4000 allowed\n' "squeue" "bytes received" "$received"
is "bytes were counted" "$((received > 0))" 1
at_most "bytes that squeue receives" "$received" 4000
is "the host of its first task" "$(squeue -h -o %B)" n1
is "it is listed under its node" "$(squeue -h -w n1 -o %j)" last
must touch go
wait_for 60 settled

# Each of its 100 streams is looked for as the client asks, as it runs and as it ends: not as other streams begin or grow.
case_ "the output of a step of 50 ranks"
at_first=$(counted stoker-agent 3)
run srun -n 50 --overcommit sh -c 'echo one; echo two >&2'
is "the lines of its ranks" "$(grep -c one <<<"$out") $(grep -c two <<<"$err")" "50 50"
opened=$(($(counted stoker-agent 3) - at_first))
printf '%-18s %-28s %6d, 1000 allowed\n' "srun -n 50" "files opened by the agent" "$opened"
at_most "files that the agent opens for 50 ranks" "$opened" 1000

# Looks at disk and memory become rare where nothing happens: 1, 2, 4, ... seconds; the agent's word comes every five.
case_ "a cluster without jobs"
sleep 8
at_first=$(counted stokerd 1)
sleep 12
at_most "wake-ups of the controller in 12 idle seconds" $(($(counted stokerd 1) - at_first)) 8
