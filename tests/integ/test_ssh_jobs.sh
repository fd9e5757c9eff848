#!/usr/bin/env bash
# Jobs over several machines: ranks, host lists, placement, output, and commands in jobs that have no other way to the
# controller than their node's agent.
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
must timeout 20 bash -c 'srun -K -N3 -n3 bash -c "[ \$SLURM_PROCID -ne 1 ] || exit 5; sleep 300"; [ $? -ne 0 ]'

case_ "much output streams and is whole"
must srun -w n1 bash -c 'head -c 20000000 /dev/zero | tr "\0" "x"; echo'
is "bytes" "${#out}" 20000000

case_ "somebody who has nothing on a node is not heard there"
must srun -w n3 bash -c 'echo $STOKER_SOCKET'
sock=$out
says "no job there any more" 1 "" "~" env -u STOKER_HOME STOKER_SOCKET="$sock" squeue
cluster_stop
