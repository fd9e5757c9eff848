#!/usr/bin/env bash
# F46: an older copy of the state is put back. A task that began after the copy was taken is not killed: its node is drained, and an
# administrator looks.
. stoker.sh
cluster_start
script until.sh <<'E2'
echo $$ >>pid
while [ ! -e go ]; do read -t 0.02 <> <(:); done
E2
submit -H -o /dev/null until.sh
must stoker down
wait_for 10 is_gone "$STOKER_HOME/run/controller.sock"
cp "$STOKER_HOME/state/stoker.db" backup.db
must stoker up
wait_for 15 nodes_up
must scontrol release $job
wait_for 10 has_lines pid 1
pid=$(cat pid)
controller_kill9
rm -f "$STOKER_HOME"/state/stoker.db*
cp backup.db "$STOKER_HOME/state/stoker.db"
must stoker up
drained() { sinfo -h -N -o %T | grep -q drain; }
wait_for 15 drained
has "why" "$(sinfo -h -R -o %E)" "runs tasks that this controller does not know"
is "as it was" "$(job_state $job)" PENDING
must scontrol release $job
is_alive "$pid" || fail "the task was ended"
is "not started there again" "$(job_state $job) $(wc -l <pid)" "PENDING 1"
touch go
wait_for 10 is_dead "$pid"
must scancel $job
cluster_stop
