#!/usr/bin/env bash
# IPython Parallel: controller and engines as batch jobs, the first number of sbatch's line, a timeout as text, scancel with a signal.
. stoker.sh
NODES='n[1-2]' CPUS=4 cluster_start

cat >slurm_engines <<'S'
#!/bin/sh
#SBATCH --job-name=ipengine-test
#SBATCH --partition=main
#SBATCH --time=1:00:00
#SBATCH --ntasks=4
#SBATCH --output=engines.out

srun bash -c 'echo engine $SLURM_PROCID of $SLURM_NTASKS >>engines; exec sleep 1000'
S
chmod +x slurm_engines
must sbatch slurm_engines
[[ $out =~ [0-9]+ ]] || fail "no number in \"$out\""
job=${BASH_REMATCH[0]}
all() { [ "$(sort engines 2>/dev/null | tr '\n' ' ')" = "engine 0 of 4 engine 1 of 4 engine 2 of 4 engine 3 of 4 " ]; }
wait_for 20 all
must scancel -s INT "$job"
must scancel "$job"
wait_end "$job"
like "over, by the one or the other" "$(squeue -h -t all -j "$job" -o %T)" 'FAILED|CANCELLED'
