#!/usr/bin/env bash
# clustermq: the script on standard input, workers as an array, scancel by name.
. stoker.sh
cluster_start

must sbatch <<'S'
#!/bin/sh
#SBATCH --job-name=cmq7890
#SBATCH --output=/dev/null
#SBATCH --error=/dev/null
#SBATCH --mem-per-cpu=200
#SBATCH --array=1-3
#SBATCH --cpus-per-task=1
ulimit -v $(( 1024 * 4096000 ))
exec sleep 1000
S
like "the answer" "$out" 'Submitted batch job [0-9]+'
job=${out##* }
running() { [ "$(squeue -h -r -t R -j "$job" -o %i | wc -l)" = 3 ]; }
wait_for 20 running
must scancel --name=cmq7890
none() { [ -z "$(squeue -h -n cmq7890 -o %i)" ]; }
wait_for 20 none
