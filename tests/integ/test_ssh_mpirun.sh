#!/usr/bin/env bash
# Open MPI's mpirun in an allocation over two nodes: it starts its daemons with srun on the names of the nodes.
. stoker.sh
mpirun=$(command -v mpirun.openmpi) || skip "no Open MPI here"
. sshd.sh
ssh_cluster 2
cat >mpi.sh <<S
#!/bin/bash
# Two names of one machine: each daemon is to believe that it is alone.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
$mpirun --oversubscribe --map-by ppr:2:node bash -c 'echo "rank \$OMPI_COMM_WORLD_RANK of \$OMPI_COMM_WORLD_SIZE on \$SLURMD_NODENAME"' 2>mpi.err
echo "status \$?"
S
submit -N 2 --ntasks-per-node=2 -o mpi.out mpi.sh
wait_end "$job" 60
is "state" "$state" COMPLETED
is "ranks" "$(sort mpi.out)" "rank 0 of 4 on n1
rank 1 of 4 on n1
rank 2 of 4 on n2
rank 3 of 4 on n2
status 0"
cluster_stop
