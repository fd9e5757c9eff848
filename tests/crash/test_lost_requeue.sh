#!/usr/bin/env bash
# lost_node = "requeue": a node that does not answer loses its jobs, which wait again; when it comes back their old tries are killed.
. stoker.sh
EXTRA='node_timeout = "8s"; lost_node = "requeue";'
export STOKER_BEAT_MS=200
cluster_config
cluster_start
script run.sh <<'E2'
echo $$ >>pids
exec 9<> <(:); while [ ! -e go ]; do read -rt 0.02 -u 9; done
exit 0
E2
submit --requeue -o /dev/null run.sh
wait_for 10 has_lines pids 1
agent=$(agent_pid n1)
kill -STOP "$agent"
wait_state $job PENDING 60
first=$(head -n 1 pids)
is_alive "$first" || fail "no process could have ended it"
kill -CONT "$agent"
wait_for 20 is_dead "$first"
wait_for 20 has_lines pids 2
is "runs again" "$(job_state $job) $(job_field $job Restarts)" "RUNNING 1"
touch go
wait_end $job
is "its end" "$state" COMPLETED
cluster_stop
