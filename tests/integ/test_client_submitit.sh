#!/usr/bin/env bash
# submitit: its batch file, its regular expressions, its sacct line; requeue from inside on USR2.
. stoker.sh
cluster_start

case_ "submission"
cat >submission.sh <<'S'
#!/bin/bash

# Parameters
#SBATCH --cpus-per-task=1
#SBATCH --error=%j_0_log.err
#SBATCH --job-name=submitit
#SBATCH --mem=1GB
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=2
#SBATCH --open-mode=append
#SBATCH --output=%j_0_log.out
#SBATCH --signal=USR2@90
#SBATCH --time=5
#SBATCH --wckey=submitit

# command
export SUBMITIT_EXECUTOR=slurm
srun --unbuffered --output %j_%t_log.out --error %j_%t_log.err bash -c 'echo rank $SLURM_PROCID of $SLURM_NTASKS on $SLURM_LOCALID'
S
must sbatch submission.sh
[[ $out =~ job\ ([0-9]+) ]] || fail "submitit finds no id in \"$out\""
job=${BASH_REMATCH[1]}
is "nothing on standard error" "$err" ""
state_of() { sacct -o JobID,State,NodeList --parsable2 -j "$1" | awk -F'|' -v id="$1" 'NR == 1 { if ($0 != "JobID|State|NodeList") exit 1 } $1 "" == id "" { print $2 }'; }
is_done() { [ "$(state_of "$job")" = COMPLETED ]; }
wait_for 20 is_done
is "rank 1's file" "$(cat "${job}_1_log.out")" "rank 1 of 2 on 1"

case_ "an array"
sed -i 's/^#SBATCH --time.*/&\n#SBATCH --array=0-2%2/; s/%j_/%A_%a_/g' submission.sh
must sbatch submission.sh
array=${out##* }
all_done() { [ "$(sacct -o JobID,State,NodeList --parsable2 -j "$array" | grep -cE "^${array}_[0-2]\|COMPLETED\|")" = 3 ]; }
wait_for 20 all_done
is "a file of element 2" "$(cat "${array}_2_0_log.out")" "rank 0 of 2 on 0"

case_ "requeued by its own handler"
cat >preempted.sh <<'S'
#!/bin/bash
#SBATCH --signal=USR2@90
#SBATCH --open-mode=append
#SBATCH --output=requeued.out
srun -n 1 bash -c 'trap "scontrol requeue $SLURM_JOB_ID" USR2; echo run ${SLURM_RESTART_COUNT:-0}; [ -n "$SLURM_RESTART_COUNT" ] && exit; exec 9<> <(:); while :; do read -t 0.05 -u 9; done'
S
must sbatch preempted.sh
job=${out##* }
wait_for 10 has_lines requeued.out 1
must scancel "$job" --signal USR2
is_requeued() { [ "$(squeue -h -t all -o %r -j "$job")" = BeginTime ] || [ "$(job_field "$job" Restarts)" = 1 ]; }
wait_for 15 is_requeued
must scancel "$job"
