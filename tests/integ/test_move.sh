#!/usr/bin/env bash
# docs/ADMIN.md: the controller goes to another machine. Its queue and the nodes over SSH come along, with what they run.
. stoker.sh
. sshd.sh
ssh_cluster 2
script until.sh <<'S'
echo "$SLURM_JOB_ID" >>ledger
exec 9<> <(:); until [ -e go ]; do read -rt 0.02 -u 9; done
exit 4
S
submit -w n1 -o /dev/null until.sh
runs=$job
submit -H -o /dev/null until.sh
waits=$job
wait_for 20 has_lines ledger 1
uuid=$(head -n 1 "$STOKER_HOME/state/lineage")
must stoker down
tar -C "$STOKER_HOME" -cf cluster.tar --exclude=run --exclude=state/agent .
mv "$STOKER_HOME" "$STOKER_HOME.old"
mkdir "$TMPDIR/there"
tar -C "$TMPDIR/there" -xf cluster.tar
export STOKER_HOME=$TMPDIR/there

case_ "the same queue, the same nodes"
must stoker up
wait_for 30 nodes_up
is "its name" "$(head -n 1 "$STOKER_HOME/state/lineage")" "$uuid"
is "states" "$(job_state "$runs") $(job_state "$waits")" "RUNNING PENDING"
touch go
wait_end "$runs"
is "the end of what ran" "$state $(job_field "$runs" ExitCode)" "FAILED 4:0"
must scontrol release "$waits"
wait_end "$waits"
is "the end of what waited" "$state" FAILED
is "each ran once" "$(sort ledger | tr '\n' ' ')" "$runs $waits "
cluster_stop
