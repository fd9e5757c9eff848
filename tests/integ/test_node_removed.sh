#!/usr/bin/env bash
# A node is taken out of the configuration while it runs jobs: they end, can be cancelled, and are known over a restart; the node
# goes with the last of them. A new kill_wait reaches the agents.
. stoker.sh
config() { # NODES KILL_WAIT
    local n list=
    for n in $1; do
        list+="${list:+, }{ name = \"$n\"; transport = \"local\"; cpus = 4; memory = \"8G\"; gpus = 0; detect = false; }"
    done
    cat >"$STOKER_HOME/stoker.cfg" <<CFG
cluster = "test";
nodes = ( $list );
partitions = ( { name = "main"; nodes = "${1// /,}"; default = true; } );
kill_wait = "$2";
CFG
}
script until.sh <<'E2'
echo $$ >$1
exec 9<> <(:); while [ ! -e go-$1 ]; do read -rt 0.02 -u 9; done
exit 3
E2
node_is_listed() { sinfo -h -N -o %N 2>/dev/null | grep -qx "$1"; }
node_is_gone() { ! node_is_listed "$1"; }

config "n1 n2" 1s
cluster_start
for f in ends cancelled later; do
    submit -w n2 -o /dev/null until.sh $f
    eval "$f=$job"
    wait_for 10 has_lines $f 1
done

case_ "taken out: what runs there runs on, nothing new begins there"
config n1 2s
must scontrol reconfigure
is "it runs" "$(job_state $ends)" RUNNING
has "the node says why it takes nothing" "$(stoker nodes n2)" "no longer configured"
submit --wrap true
wait_end $job
is "a new job" "$state $(job_field $job NodeList)" "COMPLETED n1"

case_ "one ends, one is cancelled"
touch go-ends
wait_end $ends
is "the end" "$state $(job_field $ends ExitCode)" "FAILED 3:0"
must scancel $cancelled
wait_end $cancelled
is "the cancelled one" "$state" CANCELLED
wait_for 5 is_dead "$(cat cancelled)"

case_ "over a restart"
controller_kill9
must stoker up
is "it still runs" "$(job_state $later)" RUNNING
touch go-later
wait_end $later
is "its end" "$state $(job_field $later ExitCode)" "FAILED 3:0"
wait_for 10 node_is_gone n2
no_agent_n2() { [ -z "$(agent_pid n2)" ]; }
wait_for 20 no_agent_n2

case_ "and back"
config "n1 n2" 1s
must scontrol reconfigure
wait_for 15 nodes_up
submit -w n2 -o /dev/null until.sh back
wait_for 10 has_lines back 1
touch go-back
wait_end $job
is "its end" "$state $(job_field $job ExitCode)" "FAILED 3:0"
cluster_stop
