#!/usr/bin/env bash
# srun --mpi=pmi2: ranks find one another by PMI-2 and PMI-1, on one node and on two.
# test-user
. stoker.sh
PATH=$B/tests/tools:$PATH
NODES='n[1-3]' CPUS=4 cluster_start

case_ "what there is"
is "list" "$(srun --mpi=list | tr -d '\t' | tail -n +2 | tr '\n' ' ')" "none pmi2 "
says "what is not served" 1 "" "srun: error: Couldn't find the specified plugin name for mpi/pmix looking at all files
srun: error: cannot find mpi plugin for mpi/pmix
srun: error: MPI: Cannot create context for mpi/pmix
srun: error: MPI: Unable to load any plugin
srun: error: Invalid MPI type 'pmix', --mpi=list for acceptable types" srun --mpi=pmix true
run srun -n 1 pmi_client
has "no PMI without being asked for" "$err" "no PMI_FD"

case_ "one node"
is "one rank" "$(srun --mpi=pmi2 -n 1 pmi_client)" "1 ranks, 1 fences, mapping (vector,(0,1,1)): ok"
is "four" "$(srun --mpi=pmi2 -N 1 -n 4 pmi_client 2 5)" "4 ranks, 5 fences, mapping (vector,(0,1,4)): ok"
is "version 1" "$(srun --mpi=pmi2 -N 1 -n 4 pmi_client 1 5)" "4 ranks, 5 fences, mapping (vector,(0,1,4)): ok"

case_ "two nodes"
is "four" "$(srun --mpi=pmi2 -N 2 -n 4 pmi_client 2 5)" "4 ranks, 5 fences, mapping (vector,(0,2,2)): ok"
is "unevenly" "$(SLURM_MPI_TYPE=pmi2 srun -N 2 -n 3 pmi_client 1 3)" "3 ranks, 3 fences, mapping (vector,(0,1,2),(1,1,1)): ok"
echo 'srun --mpi=pmi2 -n 4 pmi_client 2 2; srun --mpi=pmi2 -n 2 -N 2 pmi_client 2 2' | script both.sh
submit -N 2 -n 4 -o both.out both.sh
wait_end "$job"
is "two steps of a job" "$(cat both.out)" "4 ranks, 2 fences, mapping (vector,(0,2,2)): ok
2 ranks, 2 fences, mapping (vector,(0,2,1)): ok"

case_ "the controller dies between two fences"
cat >long.sh <<'S'
srun --mpi=pmi2 -N 2 -n 2 bash -c 'echo begun >>begun; exec pmi_client 2 2000' >long.out
S
{ echo '#!/bin/bash'; cat long.sh; } >job.sh
submit -N 2 -n 2 job.sh
wait_for 10 has_lines begun 2
controller_kill9
must stoker up
wait_for 15 nodes_up
wait_end "$job" 200
is "all fences" "$(cat long.out)" "2 ranks, 2000 fences, mapping (vector,(0,2,1)): ok"

case_ "an agent dies between two fences; then the job is suspended for a while"
rm -f begun
submit -N 2 -n 2 -w 'n[1-2]' job.sh
wait_for 10 has_lines begun 2
agent=$(agent_pid n2)
kill -KILL "$agent"
new_agent() { [ -n "$(agent_pid n2)" ] && [ "$(agent_pid n2)" != "$agent" ]; }
wait_for 20 new_agent
wait_for 15 nodes_up
must scontrol suspend "$job"
controller_kill9
must stoker up
wait_for 15 nodes_up
must scontrol resume "$job"
wait_end "$job" 200
is "all fences" "$(cat long.out)" "2 ranks, 2000 fences, mapping (vector,(0,2,1)): ok"

# The steps of the second run have the numbers of the first, and their fences begin with 0 again.
case_ "a job that is queued again"
script again.sh <<'S'
run=${SLURM_RESTART_COUNT:-0}
srun --mpi=pmi2 -N 2 -n 2 bash -c 'exec 9<> <(:); pmi_client 2 '$((3 - run))' && echo done >>done.'$run'; [ '$run' -gt 0 ] || until [ -e never ]; do read -rt 0.05 -u 9; done' >>again.out
S
submit -N 2 -n 2 --requeue -o again.log again.sh
wait_for 20 has_lines done.0 2
must scontrol requeue "$job"
wait_end "$job"
is "the second run" "$state $(tail -n 1 again.out)" "COMPLETED 2 ranks, 2 fences, mapping (vector,(0,2,1)): ok"

case_ "a rank aborts the step"
run srun --mpi=pmi2 -N 1 -n 2 pmi_client 2 1 abort
[ "$rc" -ne 0 ] || fail "aborted with status 0"
has "it is said" "$err" "rank 0 aborts: told to so"
run timeout 100 srun --mpi=pmi2 -N 2 -n 2 pmi_client 2 1 abort
[ "$rc" -ne 0 ] && [ "$rc" -ne 124 ] || fail "aborted on two nodes with status $rc"
has "it is said" "$err" "rank 0 aborts: told to so"

# An answer of all parts together is larger than any frame; a part must not be. No connection may be lost over it: the node's other
# jobs hang on it.
case_ "much is put"
lost() { grep -hE 'connection is over|lost its connection|too long|too large' "$STOKER_HOME"/log/*; }
before=$(lost)
is "on three nodes" "$(timeout 60 srun --mpi=pmi2 -N 3 -n 3 pmi_client 2 2 2900)" "3 ranks, 2 fences, mapping (vector,(0,3,1)): ok"
is "connections lost" "$(lost)" "$before"
run timeout 60 srun --mpi=pmi2 -N 2 -n 2 pmi_client 2 1 5000
[ "$rc" -ne 0 ] && [ "$rc" -ne 124 ] || fail "more than a part may hold: status $rc"
has "the rank is told" "$err" "cmd=kvs-put-response;rc=1;"
is "connections lost" "$(lost)" "$before"
is "on one node alone" "$(timeout 60 srun --mpi=pmi2 -N 1 -n 2 pmi_client 2 1 5000)" "2 ranks, 1 fences, mapping (vector,(0,1,2)): ok"

# Where Debian's mpich is installed: a real library on both ends of the wire.
command -v mpicc.mpich >/dev/null || { echo "no mpich here: its program is left out"; exit 0; }
case_ "mpich"
cat >sum.c <<'C'
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, size, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d ranks, sum %d\n", size, sum);
    return MPI_Finalize();
}
C
mpicc.mpich -o sum sum.c || fail "mpicc"
is "one node" "$(timeout 100 srun --mpi=pmi2 -N 1 -n 4 ./sum)" "4 ranks, sum 6"
is "two nodes" "$(timeout 100 srun --mpi=pmi2 -N 2 -n 4 ./sum)" "4 ranks, sum 6"
