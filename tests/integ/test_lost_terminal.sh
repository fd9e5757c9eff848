#!/usr/bin/env bash
# salloc killed with SIGKILL: its allocation is not given back by it. After a grace (the controller could as well have been away) it ends.
. stoker.sh
cluster_start_clocked
salloc -n1 bash -c 'echo $SLURM_JOB_ID >id; exec 9<> <(:); while :; do read -rt 0.1 -u 9; done' 2>/dev/null &
pid=$!
wait_for 10 has_lines id 1
job=$(cat id)
wait_state $job RUNNING
child=$(pgrep -P $pid)
kill -KILL $pid $child
wait_for 5 is_dead $pid
is "during the grace" "$(job_state $job)" RUNNING
for _ in 1 2 3 4 5 6; do # it begins when the controller sees the connection end
    sleep_on 31
    until_ 3 is_state $job CANCELLED && break
done
wait_end $job
is state "$state" CANCELLED
is "nothing is held" "$(sinfo -h -o %C)" "0/8/0/8"
cluster_stop
