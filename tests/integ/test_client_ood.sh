#!/usr/bin/env bash
# Open OnDemand: its adapter of records between control characters, holds, and the cluster figures.
. stoker.sh
cluster_start

me=$(id -un)
must sbatch -D "$WORK" -J sys/dashboard -o ood.out --export NONE --parsable <<'S'
#!/bin/bash
exec sleep 1000
S
job=${out%%;*}
wait_state "$job" RUNNING
RS=$'\x1e' US=$'\x1f'
letters='%a %A %B %c %C %d %D %e %E %f %F %g %G %h %H %i %I %j %J %k %K %l %L %m %M %n %N %o %O %q %P %Q %r %S %t %T %u %U %v %V %w %x %X %Z'
form=$RS$(sed "s/ /$US/g" <<<"$letters")
must squeue --all --states=all --noconvert -o "$form" -u "$me" -M test
record=$(tail -n 1 <<<"${out#*$RS}")
is "as many fields as letters" "$(awk -F"$US" '{ print NF }' <<<"$record")" "$(wc -w <<<"$letters")"
field() { awk -F"$US" -v n="$1" '{ print $n }' <<<"$record"; }
is "id" "$(field 2)" "$job"
is "state" "$(field "$(tr ' ' '\n' <<<"$letters" | grep -nx %t | cut -d: -f1)")" R
must squeue --all --states=all --noconvert -O jobid:14,statecompact:4 -j "$job"
like "names" "$(tail -n 1 <<<"$out")" "$job +R +"
says "gone" 1 "" "slurm_load_jobs error: Invalid job id specified" squeue --all --states=all --noconvert -o "$form" -j 99999
must sbatch -H --parsable -J held --wrap true
held=$out
must scontrol release "$held"
wait_end "$held"
must scancel "$job"
wait_end "$job"
is "node figures" "$(sinfo -a -h -o="%C/%A/%D")" "=0/8/0/8/0/1/1"
has "GPUs" "$(sinfo -a -h --Format='nodehost,gres:50,gresused:50')" "gpu:4"
has "accounts" "$(sacctmgr -nP show users withassoc format=account,cluster,partition,qos where user="$me")" "|test|"
