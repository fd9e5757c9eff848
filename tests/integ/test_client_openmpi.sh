#!/usr/bin/env bash
# Open MPI and PRRTE: the daemons that mpirun starts by srun in an allocation.
. stoker.sh
command -v python3 >/dev/null || skip "no python3"
NODES='n[1-2]' CPUS=4 cluster_start

[[ $(srun --version) == "slurm 23."* ]] || fail "PRRTE does not know this version"
cat >mpirun.sh <<'S'
#!/bin/bash
#SBATCH -N 2
#SBATCH --ntasks-per-node=2
#SBATCH -o mpi.out
[ -n "$SLURM_JOBID" ] && [ -z "$SLURM_STEP_ID" ] || exit 1
[ "$SLURM_TASKS_PER_NODE" = "2(x2)" ] || exit 2
for key in SLURM_CPU_BIND SLURM_HINT SLURM_NTASKS_PER_NODE; do unset $key; done
srun --ntasks-per-node=1 --kill-on-bad-exit --mpi=none --cpu-bind=none --nodes=2 --nodelist="n1,n2" --ntasks=2 \
    bash -c 'echo "prted -mca ess slurm: node $SLURM_NODEID rank $SLURM_PROCID of $SLURM_NTASKS $*"' prted --prtemca 'a b' '"q"'
S
submit mpirun.sh
wait_end "$job"
is "its end" "$state" COMPLETED
is "daemons, arguments byte for byte" "$(sort mpi.out)" 'prted -mca ess slurm: node 0 rank 0 of 2 --prtemca a b "q"
prted -mca ess slurm: node 1 rank 1 of 2 --prtemca a b "q"'

# Elastic PRRTE: one more node for what runs, by an allocation without a shell, and what it has, read as JSON.
run salloc --no-shell --exclusive --job-name=prte-more --nodes=1
[ "$rc" -eq 0 ] && [[ $err =~ Granted\ job\ allocation\ ([0-9]+) ]] || fail "no allocation" "$out" "$err"
more=${BASH_REMATCH[1]}
is "its nodes" "$(scontrol show job "$more" --json | python3 -c '
import json, sys
job = json.load(sys.stdin)["jobs"][0]
assert job["job_id"] == int(sys.argv[1]) and job["name"] == "prte-more", job
print(job["job_state"], job["nodes"])' "$more")" "RUNNING $(scontrol show hostnames "$(squeue -h -o %N -j "$more")")"
must scancel "$more"
wait_end "$more"
