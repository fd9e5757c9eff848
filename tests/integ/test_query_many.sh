#!/usr/bin/env bash
# A question with thousands of job ids is answered; one that asks for the same without end is no reason to wait.
. stoker.sh
command -v python3 >/dev/null || skip "no python3"
cluster_start
submit -H --wrap true
first=$job
submit -H --wrap true
list=$(seq -s, 1 3000)
is "squeue" "$(squeue -h -o %i -j "$list" | sort -n | tr '\n' ' ')" "$first $job "
is "within the limit" "$(squeue -h -o %i -j "$(seq -s, 1 999)" | sort -n | tr '\n' ' ')" "$first $job "
must scancel $(seq 1 2)
is "cancelled" "$(squeue -h -o %i)" ""
cluster_stop
