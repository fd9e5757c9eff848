#!/usr/bin/env bash
# F15, F16: a node reboots, once with the controller looking on and once while it is away. What ran there ended with it; what may be
# requeued runs again, a job over two nodes does not go on on one; no process of the new boot is taken for one of the old.
# The node sees a boot id of its own: its sshd lives in a mount namespace in which the test says what it is.
# test-user
. stoker.sh
[ "$(id -u)" -eq 0 ] || skip "root makes mount namespaces"
. sshd.sh
cp /proc/sys/kernel/random/boot_id "$TMPDIR/boot1"
unshare -m sh -c "mount --bind '$TMPDIR/boot1' /proc/sys/kernel/random/boot_id" 2>/dev/null || skip "no mount namespaces here"
new_boot() { # I: from now on
    uuidgen >"$TMPDIR/boot$1" 2>/dev/null || cp /proc/sys/kernel/random/uuid "$TMPDIR/boot$1"
}
boot() { # I
    rm -f "$NODES_DIR/n$1/pid"
    unshare -m sh -c "mount --bind '$TMPDIR/boot$1' /proc/sys/kernel/random/boot_id && exec '$SSHD' -f '$NODES_DIR/n$1/sshd_config' -E '$NODES_DIR/n$1/sshd.log'"
    wait_for 10 is_listening "$1"
}
power_off() { # I: everything at once
    local p pids
    pids="$(sshd_pid "$1") $(ssh_sessions "$1") $(pgrep -f -- "$NODES_DIR/n$1/")"
    for p in /proc/[0-9]*; do
        grep -qsz "^SLURMD_NODENAME=n$1$" "$p/environ" && grep -qsz "^STOKER_HOME=$STOKER_HOME$" "$p/environ" &&
            pids+=" ${p#/proc/}" # of this test's cluster alone
    done
    kill -KILL $pids 2>/dev/null
    for p in $pids; do wait_for 10 is_dead "$p"; done # with its sockets
}
sshd_start 2
for n in 1 2; do
    sshd_stop $n
    new_boot $n
    boot $n
done
ssh_config 2
must stoker up
wait_for 20 nodes_up
script one.sh <<'S'
echo "$SLURM_JOB_ID $SLURM_RESTART_COUNT $SLURMD_NODENAME $$" >>one
exec 9<> <(:); until [ -e go ]; do read -rt 0.05 -u 9; done
exit 0
S
script two.sh <<'S'
echo "$SLURM_JOB_ID $SLURM_RESTART_COUNT" >>two
srun bash -c 'echo "$SLURM_JOB_ID $SLURMD_NODENAME $$" >>ranks; exec 9<> <(:); until [ -e go ]; do read -rt 0.05 -u 9; done; exit 0'
S
submit -w n2 --requeue -o /dev/null one.sh
back=$job
submit -w n2 --no-requeue -o /dev/null one.sh
ends=$job
submit -N 2 --ntasks-per-node=1 --requeue -o /dev/null two.sh
wide=$job
wait_for 20 has_lines one 2
wait_for 20 has_lines ranks 2
n1_rank=$(awk '$2 == "n1" { print $3 }' ranks)

case_ "n2 reboots"
power_off 2
new_boot 2
boot 2
wait_end "$ends" 30
is "what may not be requeued" "$state" NODE_FAIL
wait_for 30 has_lines one 3
is "what may" "$(job_state "$back") $(job_field "$back" Restarts)" "RUNNING 1"
wait_for 20 is_dead "$n1_rank"
wait_for 30 has_lines ranks 4
is "what held both nodes" "$(job_state "$wide") $(job_field "$wide" Restarts)" "RUNNING 1"

case_ "n2 reboots while the controller is away"
controller_kill9
power_off 2
new_boot 2
boot 2
must stoker up
wait_for 30 has_lines one 4
wait_for 30 has_lines ranks 6
is "what may be requeued" "$(job_state "$back") $(job_field "$back" Restarts)" "RUNNING 2"
is "what held both nodes" "$(job_state "$wide") $(job_field "$wide" Restarts)" "RUNNING 2"
touch go
wait_end "$back"
is "its end" "$state" COMPLETED
wait_end "$wide"
is "its end" "$state" COMPLETED
is "nothing is held" "$(sinfo -h -o %C)" 0/8/0/8
cluster_stop
