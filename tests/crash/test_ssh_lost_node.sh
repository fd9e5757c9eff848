#!/usr/bin/env bash
# F13, F15, F58: jobs over several nodes, one of which is lost. Held as they are by default; with lost_node = "requeue" the job ends
# on the others too and waits again, or ends where it must not be requeued. A frozen node delays no other.
# test-user
. stoker.sh
. sshd.sh
export STOKER_BEAT_MS=250
EXTRA='node_timeout = "8s"; lost_node = "requeue";'
ssh_cluster 3
script both.sh <<'S'
echo "$SLURM_JOB_ID $SLURM_RESTART_COUNT $SLURMD_NODENAME $$" >>batch
srun bash -c 'echo "$SLURM_JOB_ID $SLURMD_NODENAME $$" >>ranks; exec 9<> <(:); until [ -e go ]; do read -rt 0.05 -u 9; done; exit 0'
S
freeze() { # SIGNAL I: the agent and everything that carries it
    kill "-$1" "$(ssh_agent_pid "$2")"
}
state_of() { sinfo -h -N -n "$1" -o %T; }
is_lost() { [[ $(state_of "$1") == down* ]]; }

submit --requeue -w 'n[1-2]' --ntasks-per-node=1 -o /dev/null both.sh
requeued=$job
submit --no-requeue -w 'n[1-2]' --ntasks-per-node=1 -o /dev/null both.sh
ended=$job
wait_for 20 has_lines ranks 4
mapfile -t first < <(awk '{ print $3 }' ranks)

case_ "n2 freezes: the others go on as if nothing were"
freeze STOP 2
t0=$(now_ms)
for i in 1 2 3 4 5; do must srun -w n3 true; done
at_most "five steps beside it, ms" $(($(now_ms) - t0)) 15000
wait_for 20 is_lost n2

case_ "what may be requeued waits again, the other ends; neither leaves a rank on n1"
wait_state "$requeued" PENDING 20
wait_end "$ended" 20
is "its end" "$state" NODE_FAIL
on_n1() { awk -v n=n1 '$2 == n { print $3 }' ranks; }
for p in $(on_n1); do wait_for 10 is_dead "$p"; done

case_ "n2 is back: what is left of the first try there is ended, the job runs again"
freeze CONT 2
for p in "${first[@]}"; do wait_for 20 is_dead "$p"; done
wait_for 20 has_lines batch 3
wait_for 20 has_lines ranks 6
is "a second try" "$(job_state "$requeued") $(job_field "$requeued" Restarts)" "RUNNING 1"
touch go
wait_end "$requeued"
is "its end" "$state" COMPLETED
is "ranks in all" "$(wc -l <ranks)" 6
cluster_stop
