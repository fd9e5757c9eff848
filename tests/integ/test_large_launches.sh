#!/usr/bin/env bash
# Many large scripts and environments for one node at once: it gets them as fast as it takes them, and serves others meanwhile.
. stoker.sh
CPUS=64 NODES='n[1-2]' cluster_start
script large <<'S'
echo $SLURM_ARRAY_TASK_ID >>ran
S
head -c 4100000 /dev/zero | tr '\0' '#' >>large
big=$(head -c 100000 /dev/zero | tr '\0' x)
for i in 0 1 2 3 4 5 6 7 8; do export "LARGE_$i=$big"; done

case_ "twenty elements of an array, 100 MB in all"
submit --array=0-19 -n 1 -w n1 -o /dev/null large
array=$job
for i in 0 1 2 3 4 5 6 7 8; do unset "LARGE_$i"; done
must timeout 60 srun -w n1 true
wait_for 60 has_lines ran 20
none_left() { [ -z "$(squeue -h -r -j "$array" -t PD,R,CG 2>/dev/null)" ]; }
wait_for 60 none_left
is "each of them ran once" "$(sort -n ran | tr '\n' ' ')" "$(seq -s ' ' 0 19) "
is "connections lost" "$(grep -h 'lost its connection' "$STOKER_HOME"/log/stokerd.log)" ""
is "failed ones" "$(squeue -h -r -t F,NF -j "$array")" ""
cluster_stop

# The controller waited for the first process of an agent, which waits until that listens.
case_ "a local agent that does not come up holds up nothing else"
mkdir -p "$STOKER_HOME/state/agent/n2"
rm -f "$STOKER_HOME/state/agent/n2/cluster"
mkfifo "$STOKER_HOME/state/agent/n2/cluster" # its agent waits for a writer
must stoker up
must srun -w n1 true
is "its state" "$(sinfo -h -N -n n2 -o %T | grep -c idle)" 0
exec 9<>"$STOKER_HOME/state/agent/n2/cluster"
rm "$STOKER_HOME/state/agent/n2/cluster"
exec 9>&-
wait_for 20 nodes_up
must srun -w n2 true

case_ "one that cannot start is named with its log"
must stoker down
wait_for 10 no_agents
echo 'no_such_word = 1' >"$STOKER_HOME/state/agent/n2/policy"
chmod 600 "$STOKER_HOME/state/agent/n2/policy"
must stoker up
is_told() { [[ $(stoker nodes) == *"does not start: see the end of"* ]]; }
wait_for 20 is_told
must srun -w n1 true
rm "$STOKER_HOME/state/agent/n2/policy"
wait_for 20 nodes_up
cluster_stop
