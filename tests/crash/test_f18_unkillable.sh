#!/usr/bin/env bash
# F18: a process that no signal ends, played by a frozen control group. The node is drained, the job goes on completing with
# what it holds, over a restart of controller and agent; when the process is gone all comes right by itself.
# test-user
. stoker.sh

[ "$(id -u)" -eq 0 ] || skip "only root can freeze processes"
freezer=$(awk '$3 == "cgroup" && $4 ~ /freezer/ { print $2; exit }' /proc/mounts)
[ -n "$freezer" ] && mkdir "$freezer/stoker-$$" 2>/dev/null || skip "no freezer (cgroup v1) to write to"
ice=$freezer/stoker-$$
melt() { echo THAWED >"$ice/freezer.state"; }
trap 'melt; until_ 5 rmdir "$ice" 2>/dev/null; on_exit' EXIT

export STOKER_STUCK_MS=300
cluster_start
script stay <<'S'
echo $$ >pid
exec sleep 1000
S

freeze() { # submits a job, freezes it, cancels it
    rm -f pid
    submit --gres=gpu:2 stay
    wait_for 20 has_lines pid 1
    pid=$(<pid)
    echo "$pid" >"$ice/cgroup.procs"
    echo FROZEN >"$ice/freezer.state"
    wait_for 10 grep -q FROZEN "$ice/freezer.state"
    must scancel "$job"
}
is_drained() { sinfo -h -N -o %T | grep -q drain; }
is_back() { [ "$(sinfo -h -N -o %T)" = idle ]; }

case_ drained
freeze
wait_for 20 is_drained
is "the job" "$(job_state "$job")" COMPLETING
has "why" "$(sinfo -h -R -o '%E %u')" "unkillable: processes of job $job will not die"
is "it keeps what it holds" "$(stoker nodes --json | grep -o '"gpu_ids_used":"[^"]*"')" '"gpu_ids_used":"0-1"'
is_alive "$pid" || fail "the process has died: nothing was tested"

case_ over restarts
controller_kill9
must stoker up
wait_for 15 nodes_up
is "the job" "$(job_state "$job")" COMPLETING
agent=$(agent_pid)
kill -KILL "$agent" && wait_for 5 is_dead "$agent"
new_agent() { [ -n "$(agent_pid)" ] && [ "$(agent_pid)" != "$agent" ] && nodes_up; }
wait_for 20 new_agent
is_drained || fail "taken back too early" "$(sinfo -N)"

case_ taken back by itself
melt
wait_end "$job"
is "the job" "$state" CANCELLED
wait_for 10 is_back

case_ an administrator is not overruled
freeze
wait_for 20 is_drained
must scontrol update NodeName=n1 State=DRAIN Reason=fan
melt
wait_end "$job"
has "the user's reason stays" "$(sinfo -h -R -o %E)" fan
must scontrol update NodeName=n1 State=RESUME
wait_for 10 is_back
cluster_stop
