#!/usr/bin/env bash
# dask-jobqueue: the header that it writes, the number that it finds, scancel.
. stoker.sh
cluster_start

cat >job.sh <<'S'
#!/usr/bin/env bash

#SBATCH -J dask-worker
#SBATCH -e dask-worker-%J.err
#SBATCH -o dask-worker-%J.out
#SBATCH -p main
#SBATCH -n 1
#SBATCH --cpus-per-task=4
#SBATCH --mem=1G
#SBATCH -t 00:30:00
echo worker ${SLURM_JOB_ID}
sleep 1000
S
must sbatch job.sh
[[ $out =~ ([0-9]+) ]] || fail "dask finds no id in \"$out\""
job=${BASH_REMATCH[1]}
wait_for 10 has_lines "dask-worker-$job.out" 1
is "what it asked for" "$(squeue -h -j "$job" -o '%j %C %m %l')" "dask-worker 4 1G 30:00"
must scancel "$job"
wait_state "$job" CANCELLED
