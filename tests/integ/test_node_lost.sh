#!/usr/bin/env bash
# Nodes that go away: without a connection none is up, and jobs on several nodes end with the loss of one of them.
. stoker.sh
export STOKER_BEAT_MS=250
config() { # the settings of n3, the nodes of the partition
    cat >"$STOKER_HOME/stoker.cfg" <<CFG
cluster = "test";
nodes = ( { name = "n[1-2]"; transport = "local"; cpus = 4; memory = "4G"; detect = false; },
          { name = "n3"; $1 cpus = 4; memory = "4G"; detect = false; } );
partitions = ( { name = "main"; nodes = "${2:-n[1-3]}"; default = true; } );
kill_wait = "1s";
node_timeout = "3s";
CFG
}
config 'transport = "local";'
cluster_start
node_state() { scontrol -o show node "$1" | sed 's/.* State=\([^ ]*\).*/\1/'; }
is_not_up() { [[ ! $(node_state "$1") =~ ^(IDLE|MIXED|ALLOCATED)$ ]]; }
is_up() { ! is_not_up "$1"; }

case_ "another transport, and no answer there"
config 'transport = "ssh"; address = "127.0.0.1"; port = 9;'
must scontrol reconfigure
is_not_up n3 || fail "n3 is $(node_state n3) without a connection"
submit -w n3 --wrap true
says_why() { [[ $(stoker nodes) == *"cannot connect to 127.0.0.1 port 9"* ]]; }
wait_for 20 says_why
is "a job for it" "$(job_state "$job")" PENDING
must scancel "$job"

case_ "and back"
config 'transport = "local";'
must scontrol reconfigure
wait_for 20 is_up n3
must srun -w n3 true

case_ "it becomes a login node"
config 'transport = "local"; role = "login";' 'n[1-2]'
must scontrol reconfigure
is "it needs no agent" "$(node_state n3)" IDLE
says "it runs no jobs" 1 "" "~" sbatch -w n3 --wrap true
config 'transport = "local";'
must scontrol reconfigure
wait_for 20 is_up n3

case_ "a suspended job loses one of its nodes"
script wide <<'S'
echo "$SLURM_RESTART_COUNT" >>tries
exec 9<> <(:); until [ -e never ]; do read -rt 0.05 -u 9; done
S
submit -N 2 -w 'n[1-2]' --requeue --lost-node=requeue -o /dev/null wide
wait_for 20 has_lines tries 1
must scontrol suspend "$job"
wait_state "$job" SUSPENDED
agent=$(agent_pid n2)
kill -STOP "$agent"
wait_state "$job" PENDING
kill -CONT "$agent"
wait_for 20 is_up n2
wait_for 20 has_lines tries 2
must scancel "$job"
wait_end "$job"

case_ "what is to become of a job is changed when its node has been lost"
rm tries
submit -w n2 --requeue --lost-node=hold -o /dev/null wide
wait_for 20 has_lines tries 1
agent=$(agent_pid n2)
kill -STOP "$agent"
is_lost() { grep -q 'node=n2 does not answer: gives up 0 of its jobs' "$STOKER_HOME/log/stokerd.log"; }
wait_for 20 is_lost
is "held as it is" "$(job_state "$job")" RUNNING
must scontrol update "JobId=$job" LostNode=requeue
wait_state "$job" PENDING
kill -CONT "$agent"
wait_for 20 is_up n2
wait_for 20 has_lines tries 2
must scancel "$job"
wait_end "$job"

case_ "what has happened to a node outlives the controller"
must scontrol update nodename=n2 state=drain reason='fan is loud'
must scontrol update nodename=n2 state=resume
events() { scontrol show node n2 | sed -n 's/^ *Event=//p'; }
before=$(events)
is "the end of them" "$(tail -n 4 <<<"$before" | cut -d' ' -f2-)" "lost: it does not answer
back
drained by $(id -un): fan is loud
resumed by $(id -un)"
kill -9 "$(controller_pid)"
must stoker up
wait_for 20 is_up n2
is "after a restart" "$(events)" "$before"
has "as a person reads it" "$(stoker nodes n2)" "drained by $(id -un): fan is loud"
is "the same with show" "$(stoker show n2)" "$(stoker nodes n2)"
cluster_stop
