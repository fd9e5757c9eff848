#!/usr/bin/env bash
# Nextflow: .command.run with its header, one squeue of the user, the exit file.
. stoker.sh
KILL_WAIT=30s cluster_start

me=$(id -un)
cat >.command.run <<S
#!/bin/bash
#SBATCH -J nf-hello_(1)
#SBATCH -o $WORK/.command.log
#SBATCH --no-requeue
#SBATCH --signal B:USR2@30
#SBATCH -c 2
#SBATCH -t 01:00:00
#SBATCH --mem 1024M
#SBATCH -p main
NXF_CHDIR=$WORK
on_exit() { printf '%s' \$? >$WORK/.exitcode; }
trap on_exit EXIT
trap 'exit 143' TERM INT USR2
echo task; exit 5
S
must sbatch .command.run
[[ $out =~ Submitted\ batch\ job\ ([0-9]+) ]] || fail "no id in \"$out\""
job=${BASH_REMATCH[1]}
must squeue --noheader -o "%i %t" -t all -p main -u "$me"
like "its status" "$out" "$job (PD|R|CG|F)"
wait_for 20 is_filled .exitcode
is "the exit code" "$(cat .exitcode)" 5
wait_end "$job"
is "a failed job is still told" "$(squeue --noheader -o "%i %t" -t all -u "$me")" "$job F"
case_ "killed: the signal reaches the shell"
sed -i 's/^echo task.*/touch started; exec 9<> <(:); while :; do read -t 0.05 -u 9; done/' .command.run
rm .exitcode
must sbatch .command.run
job=${out##* }
wait_for 20 is_file started # its traps are set
must scancel "$job"
wait_for 20 is_filled .exitcode
is "its trap ran" "$(cat .exitcode)" 143
