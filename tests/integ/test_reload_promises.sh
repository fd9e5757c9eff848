#!/usr/bin/env bash
# A planned start outlives a new configuration that puts another job before its own.
. stoker.sh

# partitions A B: how much each counts in the priority of its jobs
partitions() { echo "{ name = \"a\"; nodes = \"n1\"; default = true; priority_job_factor = $1; }, { name = \"b\"; nodes = \"n1\"; priority_job_factor = $2; }"; }
CPUS=2 PARTITIONS=$(partitions 10 1) EXTRA='priority = { weight_partition = 1000; };' cluster_start
planned() { [ "$(job_reason "$1")" = Resources ]; }
starts() { squeue -h -o %S --start -j "$1"; }

case_ "the slot of the job that was first before"
submit -p a -c 2 -t 10 --wrap 'exec sleep 600'
runs=$job
wait_state $runs RUNNING
# Both are in the queue before either has a planned start.
must scontrol update NodeName=n1 State=drain Reason=wait
submit -p a -c 2 -t 10 --wrap 'exec sleep 600'
first=$job
submit -p b -c 2 -t 10 --wrap 'exec sleep 600'
second=$job
must scontrol update NodeName=n1 State=resume
in_order() { [[ $(starts $first) < $(starts $second) && $(starts $second) == 2* ]]; }
wait_for 15 in_order
was=$(starts $first)
sed -i "s/^partitions = .*/partitions = ( $(partitions 1 10) );/" "$STOKER_HOME/stoker.cfg"
must scontrol reconfigure
priority() { sprio -h -o %Y -j "$1"; }
at_least "the other job's priority" "$(priority $second)" "$(($(priority $first) + 1))"
wait_for 15 planned $second
is "its planned start" "$(starts $first)" "$was"

case_ "it starts first"
must scancel $runs
wait_state $first RUNNING
is "the other job" "$(job_state $second)" PENDING
cluster_stop
