#!/usr/bin/env bash
# A user looks for what another user does: names of jobs, arguments of commands, usage, nodes.
. stoker.sh
{ [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; } || skip "needs root, for a second user"
for u in nobody daemon; do getent passwd $u >/dev/null || skip "no user $u here"; done

as() {
    local u=$1
    shift
    setpriv --reuid="$u" --regid="$(id -g "$u")" --init-groups -- "$@"
}
chmod 755 "$TMPDIR" "$STOKER_HOME" "$WORK"
mkdir -m 777 work
cluster_start
chmod 755 "$STOKER_HOME"
cd work || exit

cat >job.sh <<'E2'
#!/bin/bash
srun sh -c 'touch started; while [ ! -e stop ]; do sleep 0.1; done' sh ARG-SECRET
E2
chmod 755 job.sh
run as daemon sbatch --parsable -J NAME-SECRET --comment=COMMENT-SECRET -o "$PWD/OUT-SECRET" job.sh SCRIPT-SECRET
job=$out
wait_for 20 is_file started
run as daemon sbatch --parsable -H -J NAME-SECRET --wrap true
waiting=$out
run as daemon sbatch -W --parsable -J NAME-SECRET -o /dev/null --wrap 'srun echo OLD-SECRET'
old=$out

case_ "arguments of commands are the owner's, whatever the configuration"
for c in "squeue -s -o %i|%o -a" "stoker show $job" "scontrol show step $job.0" "stoker jobs --json -a" "sacct -a -P -o ALL" "scontrol show job $old"; do
    # shellcheck disable=SC2086
    hasnt "$c of another user" "$(as nobody $c 2>&1)" ARG-SECRET
    # shellcheck disable=SC2086
    hasnt "$c of another user" "$(as nobody $c 2>&1)" OLD-SECRET
done
has "the owner" "$(as daemon stoker show --json "$job" 2>&1)" ARG-SECRET
has "an administrator" "$(stoker show --json "$job" 2>&1)" ARG-SECRET
has "the program for all" "$(as nobody stoker show --json "$job" 2>&1)" '"command":"sh"'

case_ "private = jobs, usage, nodes: no command tells"
echo 'private = ["jobs", "usage", "nodes"];' >>"$STOKER_HOME/stoker.cfg"
must scontrol reconfigure
commands=("squeue -a" "squeue -a -u daemon" "squeue -j $job" "squeue -s -a" "squeue -a --start" "scontrol show jobs" "scontrol show job $job"
    "scontrol show step $job.0" "scontrol show nodes" "scontrol show partition" "scontrol listpids" "sacct -a" "sacct -a -P -o ALL" "sacct -j $old -P -o ALL"
    "sacct -u daemon" "seff $job" "sprio -l" "sprio -u daemon" "sshare -a" "sdiag" "sinfo -N -o %all" "sinfo" "sstat -a -j $job"
    "stoker jobs -a" "stoker jobs -a --json" "stoker show $job" "stoker show $old" "stoker why $waiting" "stoker plan" "stoker plan --json"
    "stoker nodes" "stoker nodes --json" "stoker gpus --json" "stoker users" "stoker users --json" "stoker output $job"
    "stoker audit" "stoker audit --json --job=$job" "scontrol write batch_script $job -" "scontrol show res")
for c in "${commands[@]}"; do
    # shellcheck disable=SC2086
    text=$(as nobody timeout 20 $c 2>&1 </dev/null)
    for secret in SECRET daemon; do
        hasnt "$c" "${text//invalid user/}" $secret
    done
done
is "the list is empty" "$(as nobody squeue -h -a)" ""
is "the user's own job is there" "$(as nobody sbatch --parsable -H -J mine --wrap true >/dev/null; as nobody squeue -h -o %j)" mine
run as nobody scontrol show job "$job"
[ $rc -ne 0 ] || fail "another user's job is shown"
has "as Slurm says it" "$err" "Invalid job id specified"
is "no nodes" "$(as nobody stoker nodes --json | grep -c '"name":"n1"')" 0

case_ "administrators and owners see all"
has "root" "$(squeue -h -a -o %j)" NAME-SECRET
has "the owner" "$(as daemon squeue -h -a -o %j)" NAME-SECRET
has "the owner's history" "$(as daemon sacct -n -P -o jobname -j "$old")" NAME-SECRET
has "the nodes" "$(stoker nodes)" n1
touch stop
wait_end "$job"
