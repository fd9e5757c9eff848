#!/usr/bin/env bash
# Jobs over several machines: ranks, host lists, placement, output, and commands in jobs that have no other way to the
# controller than their node's agent.
# test-user
. stoker.sh
. sshd.sh
ssh_cluster 3

case_ "a batch job on two nodes starts ranks on both, through its node's agent"
script two.sh <<'S'
echo "first $SLURMD_NODENAME nodes $SLURM_JOB_NODELIST $SLURM_JOB_NUM_NODES tasks $SLURM_NTASKS"
[ -S "$STOKER_SOCKET" ] && echo "socket"
unset STOKER_HOME
export HOME=/nonexistent PATH=/usr/bin:/bin:${PATH##*:}
srun bash -c 'echo "$SLURM_PROCID $SLURM_LOCALID $SLURM_NODEID $SLURMD_NODENAME $CUDA_VISIBLE_DEVICES"' | sort -n
srun -N1 -n1 -w n2 bash -c 'echo "only $SLURMD_NODENAME"'
srun --distribution=cyclic -n4 bash -c 'echo "$SLURM_PROCID $SLURM_NODEID"' | sort -n
scontrol show hostnames "$SLURM_JOB_NODELIST"
squeue -h -j "$SLURM_JOB_ID" -o "%T %N"
srun false 2>errors
echo "status $?"
S
submit -N 2 -w n[2-3] --ntasks-per-node=2 --gres=gpu:1 -o two.out two.sh
wait_end "$job" 30
is "state" "$state" COMPLETED
is "output" "$(<two.out)" "first n2 nodes n[2-3] 2 tasks 4
socket
0 0 0 n2 0
1 1 0 n2 0
2 0 1 n3 0
3 1 1 n3 0
only n2
0 0
1 1
2 0
3 1
n2
n3
RUNNING n[2-3]
status 1"

case_ "srun from here: output of all ranks, input, status"
must srun -N3 -n3 -l bash -c 'read -r x; echo "$SLURM_NODEID got $x"' <<<hello
is "output" "$(sort <<<"$out")" "0: 0 got hello
1: 1 got hello
2: 2 got hello"
says "status" 3 "~" "~" srun -N2 bash -c 'exit $((SLURM_PROCID * 3))'

case_ "one rank fails and the others go with it"
must timeout 100 bash -c 'srun -K -N3 -n3 bash -c "[ \$SLURM_PROCID -ne 1 ] || exit 5; sleep 300"; [ $? -ne 0 ]'

case_ "resource limits go along, and one file of three nodes has all output"
is "a soft limit" "$(ulimit -Sn 177; srun -N3 -n3 bash -c 'ulimit -Sn' | sort -u)" 177
is "not where it is not to" "$(ulimit -Sn 177; srun -w n2 --propagate=NONE bash -c '[ "$(ulimit -Sn)" = 177 ] || echo other')" other
echo old >one.out
must srun -N3 -n3 -o one.out bash -c 'for i in {1..200}; do echo "$SLURM_PROCID $i"; done'
is "lines" "$(sort -u one.out | wc -l) $(wc -l <one.out)" "600 600"

case_ "much output streams and is whole"
must srun -w n1 bash -c 'head -c 20000000 /dev/zero | tr "\0" "x"; echo'
is "bytes" "${#out}" 20000000

case_ "a user without tasks on a node is refused there"
must srun -w n3 bash -c 'echo $STOKER_SOCKET'
sock=$out
# It has heard of the step's end before its node has forgotten it.
is_not_heard() {
    run env -u STOKER_HOME STOKER_SOCKET="$sock" squeue
    [ $rc -eq 1 ]
}
wait_for 20 is_not_heard
is "no job there any more" "$out" ""

case_ "a login machine: commands work there, no jobs run"
sshd_start 4 4
sed -i "s|nodes = ( |nodes = ( $(ssh_node 4 | sed 's/ }$/ role = \"login\"; }/'), |" "$STOKER_HOME/stoker.cfg"
must scontrol reconfigure
login=$NODES_DIR/n4/state/stoker/agents
lsock() { sock=$(echo "$login"/*/n4/client.sock); [ -S "$sock" ]; }
wait_for 10 lsock
on_login() { env -u STOKER_HOME HOME=/nonexistent STOKER_SOCKET="$sock" "$@"; }
must on_login sbatch --parsable --wrap="echo from afar" -o afar.out
job=$out
wait_end "$job"
is "output" "$(<afar.out)" "from afar"
is "queue" "$(on_login squeue -h -t all -j "$job" -o %T)" COMPLETED
must on_login srun -w n1 echo through
is "srun" "$out" through
says "no jobs run there" 1 "~" "~" srun --immediate=1 -w n4 true
if [ "$(id -u)" -eq 0 ]; then
    says "root of a login machine is not an administrator" 4 "" "~" on_login stoker node drain n1 --reason=x
fi
cluster_stop
