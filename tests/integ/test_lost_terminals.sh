#!/usr/bin/env bash
# Terminals that go one after the other: each job has its own grace, however many others are lost meanwhile.
. stoker.sh
cluster_start_clocked

# lose NAME: an allocation whose salloc is killed; its id is in $job
lose() {
    salloc -n1 bash -c "echo \$SLURM_JOB_ID >$1; exec 9<> <(:); while :; do read -rt 0.1 -u 9; done" 2>/dev/null &
    local pid=$! child
    wait_for 10 has_lines "$1" 1
    job=$(cat "$1")
    child=$(pgrep -P $pid)
    kill -KILL $pid $child
    wait_for 5 is_dead $pid
}

begin=$(now_ms) # its grace begins later than that
lose first
first=$job
others=0
while [ "$(job_state "$first")" = RUNNING ]; do
    at_most "how long the first is kept, in s" $st_slept 120
    lose other$((others++))
    sleep_on 10
    until_ 2 is_state "$first" CANCELLED || true
done
is state "$(job_state "$first")" CANCELLED
at_least "how long it may come back, in ms" $(($(now_ms) - begin + st_slept * 1000)) 25000
at_least "losses meanwhile" $others 1
is "the last one" "$(job_state "$job")" RUNNING
scancel -u "$(id -un)"
cluster_stop
