#!/usr/bin/env bash
# A query with thousands of job ids is answered; a client that repeats one query does not delay others.
. stoker.sh
command -v python3 >/dev/null || skip "no python3"
cluster_start
no_jobs() { [ -z "$(jobs -r)" ]; }
submit -H --wrap true
first=$job
submit -H --wrap true
list=$(seq -s, 1 3000)
is "squeue" "$(squeue -h -o %i -j "$list" | sort -n | tr '\n' ' ')" "$first $job "
is "within the limit" "$(squeue -h -o %i -j "$(seq -s, 1 999)" | sort -n | tr '\n' ' ')" "$first $job "
must scancel $(seq 1 2)
is "cancelled" "$(squeue -h -o %i)" ""

# Equal queries share an answer; no client gets one that is older than its own last change.
case_ "many who look, while jobs come and go"
touch look
for _ in 1 2 3 4; do
    while [ -e look ]; do squeue -h -o %i >/dev/null; done &
done
for _ in $(seq 25); do
    submit -H --wrap true
    has "seen at once" " $(squeue -h -o %i | tr '\n' ' ')" " $job "
    must scancel "$job"
    hasnt "gone at once" " $(squeue -h -o %i | tr '\n' ' ')" " $job "
done
rm look
wait_for 20 no_jobs
cluster_stop
