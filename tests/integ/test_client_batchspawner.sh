#!/usr/bin/env bash
# batchspawner: a server of JupyterHub, from the script on standard input to the host that it runs on.
. stoker.sh
KILL_WAIT=8s cluster_start # the trap has this time

must sbatch --parsable <<'S'
#!/bin/bash
#SBATCH --output=jupyterhub_slurmspawner_%j.log
#SBATCH --job-name=spawner-jupyterhub
#SBATCH --chdir=.
#SBATCH --export=PATH,HOME,JUPYTERHUB_API_TOKEN
#SBATCH --get-user-env=L
#SBATCH --partition=main
#SBATCH --time=10:00
#SBATCH --mem=500M
set -euo pipefail
trap 'echo SIGTERM received' TERM
touch serves
exec 9<> <(:); while :; do read -t 0.05 -u 9 || true; done
S
job=${out%%;*}
wait_state "$job" RUNNING
wait_for 20 is_file serves # its trap is set
state=$(squeue -h -j "$job" -o "%T %B")
[[ $state =~ ^(RUNNING|COMPLETING) ]] || fail "not running: $state"
[[ $state =~ [[:space:]]+([[:alnum:]_-]+)$ ]] || fail "no host in $state"
is "the host" "${BASH_REMATCH[1]}" n1
must scancel "$job"
wait_end "$job"
has "its trap ran" "$(cat "jupyterhub_slurmspawner_$job.log")" "SIGTERM received"
run squeue -h -j 99999 -o "%T %B"
[[ $err == *"Invalid job id specified"* ]] || fail "the server is not seen to be gone: $err"
case_ "the controller is away: the server is kept"
cluster_stop
run squeue -h -j "$job" -o "%T %B"
is "status" "$rc" 1
[[ $err =~ (Unable\ to\ contact\ slurm\ controller|Socket\ timed\ out) ]] || fail "another text: $err"
