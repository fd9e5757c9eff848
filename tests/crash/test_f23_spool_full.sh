#!/usr/bin/env bash
# F23: the disk on which a node keeps outputs and records is full. It is drained, no job fails of it or is lost; what runs goes on, its
# end is known though there is no room to write it down; with room again all goes on by itself.
# test-user
. stoker.sh
[ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null || skip "only root mounts a small file system"
if [ "${1:-}" != mounted ]; then
    unshare -m "$0" mounted || fail "on a file system of its own: see above"
    exit 0
fi
mkdir -p "$STOKER_HOME/state"
chmod 700 "$STOKER_HOME/state"
mkdir "$STOKER_HOME/state/agent"
mount -t tmpfs -o size=48m,mode=700 tmpfs "$STOKER_HOME/state/agent"
cat >"$STOKER_HOME/stoker.cfg" <<CFG
cluster = "test";
nodes = ( { name = "n1"; transport = "local"; cpus = 4; memory = "4G"; gpus = 0; detect = false; } );
kill_wait = "1s";
CFG
cluster_start
fill() { dd if=/dev/zero of="$STOKER_HOME/state/agent/ballast" bs=64k status=none 2>/dev/null || true; }
script task.sh <<'S'
echo "$SLURM_JOB_ID" >>ledger
exec 9<> <(:); until [ -e "go-$1" ]; do read -rt 0.02 -u 9; done
exit 7
S
is_drained() { sinfo -h -N -o %T | grep -q drain; }
is_back() { ! is_drained; }
runs=
for i in 1 2 3; do
    submit -o /dev/null task.sh early
    runs+=" $job"
    wait_for 10 has_lines ledger "$i"
done

case_ "full to the last byte: drained, the jobs wait"
fill
waits=
for i in 1 2 3; do
    submit -o /dev/null task.sh late
    waits+=" $job"
done
wait_for 20 is_drained
has "why" "$(sinfo -h -R -o '%E %u')" "node_spool_full"
for j in $waits; do wait_state "$j" PENDING; done
is "none of them has run" "$(wc -l <ledger)" 3
for j in $runs; do is "what runs goes on" "$(job_state "$j")" RUNNING; done

case_ "ends arrive though they cannot be written down"
touch go-early
for j in $runs; do
    wait_end "$j"
    is "its end" "$state $(job_field "$j" ExitCode)" "FAILED 7:0"
done

case_ "ends while the controller is down: known when the controller is back"
rm "$STOKER_HOME/state/agent/ballast"
wait_for 20 is_back
for i in 4 5 6; do wait_for 20 has_lines ledger "$i"; done
fill
controller_kill9
touch go-late
stored() { [ "$(ls "$STOKER_HOME"/state/agent/n1/tasks/*/end 2>/dev/null | wc -l)" -eq 3 ]; }
wait_for 20 stored # their room was taken when they began
wait_for 10 no_shims
must stoker up
wait_for 15 nodes_up
for j in $waits; do
    wait_end "$j"
    is "its end" "$state $(job_field "$j" ExitCode)" "FAILED 7:0"
done
is "each ran once" "$(sort ledger | uniq -d)" ""

case_ "an administrator is not overruled"
must scontrol update NodeName=n1 State=DRAIN Reason=fan
rm "$STOKER_HOME/state/agent/ballast"
must scontrol update NodeName=n1 State=RESUME
must srun true
fill
submit -o /dev/null task.sh late
wait_for 20 is_drained
must scontrol update NodeName=n1 State=DRAIN Reason=fan
rooms() { grep -c "there is space in" "$STOKER_HOME/log/agent-n1.log"; }
before=$(rooms)
rm "$STOKER_HOME/state/agent/ballast"
told() { [ "$(rooms)" -gt "$before" ]; }
wait_for 20 told
has "the user's reason stays" "$(sinfo -h -R -o %E)" fan
must scontrol update NodeName=n1 State=RESUME
wait_end "$job"
cluster_stop
