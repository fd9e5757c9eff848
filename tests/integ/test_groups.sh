#!/usr/bin/env bash
# Groups of nodes, and --switches: a job lies in one group, waits for one, says why it waits, and takes any nodes after its wait.
# test-fast
. stoker.sh
cat >"$STOKER_HOME/stoker.cfg" <<'C'
cluster = "test";
nodes = ( { name = "a[1-2]"; transport = "local"; cpus = 4; memory = "4G"; detect = false; group = "rack1"; },
          { name = "b[1-2]"; transport = "local"; cpus = 4; memory = "4G"; detect = false; group = "rack2"; } );
partitions = ( { name = "main"; nodes = "ALL"; default = true; } );
kill_wait = "1s";
scheduler = { max_switch_wait = "1h"; };
C
cluster_start
script wait.sh <<'E2'
exec 9<> <(:); while [ ! -e "$1" ]; do read -rt 0.05 -u 9; done
E2
nodes_of() { squeue -h -t all -o %N -j "$1"; }

case_ "a job over two nodes lies in one group"
submit --exclusive -N 1 -w a1 wait.sh a1
wait_state $job RUNNING
first=$job
submit --exclusive -N 2 --switches=1 wait.sh b
wait_state $job RUNNING
is "its nodes" "$(nodes_of $job)" "b[1-2]"
touch b
wait_end $job

case_ "it waits for one, and says so"
submit --exclusive -N 1 -w b1 wait.sh b1
wait_state $job RUNNING
second=$job
submit --exclusive -N 2 --switches=1 wait.sh c
third=$job
must stoker why $third
has "why" "$out" "1 group"
has "the option" "$(scontrol -o show job $third)" "Switches=1"
is "it waits, though two nodes are free" "$(job_state $third)" PENDING
submit -t 5 --exclusive -N 2 --switches=2 wait.sh d
wait_state $job RUNNING
is "two groups have them" "$(nodes_of $job)" "a2,b2"
touch d
wait_end $job
touch a1
wait_state $third RUNNING
is "the group that came free" "$(nodes_of $third)" "a[1-2]"
touch c
wait_end $third

case_ "after its wait it takes any nodes"
submit --exclusive -N 1 -w a1 wait.sh a3
wait_state $job RUNNING
submit --exclusive -N 2 --switches=1 wait.sh e
fourth=$job
is "it waits" "$(job_state $fourth)" PENDING
must scontrol update JobId=$fourth Switches=1@0:01
wait_state $fourth RUNNING
is "of both groups" "$(nodes_of $fourth)" "a2,b2"
touch e a3 b1
wait_end $fourth
wait_end $second
wait_end $first

case_ "what is refused"
run sbatch -N 2 --switches=0@x --wrap true
[ $rc -ne 0 ] || fail "taken" "$out"
