#!/usr/bin/env bash
# F40: an array of a million elements is one row until they start, and one of more than is allowed is refused.
. stoker.sh
cluster_config
must stoker up
wait_for 15 nodes_up
says "more than there may be" 1 "" 'sbatch: error: array "0-999999": the highest index allowed is 10000
sbatch: error: Batch job submission failed: Invalid job array specification' \
    sbatch -H -a 0-999999 --wrap true
says "two thousand million" 1 "" "~" sbatch -H -a 0-1999999999 --wrap true
must stoker down

case_ "where it may be so large"
EXTRA='max_array_size = 1000000;' cluster_config
cluster_start
rss_kib() { awk '/^VmRSS/ { print $2 }' "/proc/$(controller_pid)/status"; }
before=$(rss_kib)
job=$(sbatch --parsable -H -a 0-999999 -o /dev/null --wrap true) || fail "it was refused"
job2=$(sbatch --parsable -H -a 1-999999:2 -o /dev/null --wrap true) || fail "every second one was refused"
is "rows" "$(squeue -h -o %A)" "$job
$job2"
is "the first" "$(squeue -h -j "$job" -o %i)" "${job}_[0-999999]"
at_most "KiB of the controller's for both" $(($(rss_kib) - before)) 40000
must scontrol release "${job}_7"
wait_state "${job}_7" COMPLETED
must scancel "$job" "$job2"
no_job() { [ -z "$(squeue -h)" ]; }
wait_for 20 no_job
cluster_stop
