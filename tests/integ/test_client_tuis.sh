#!/usr/bin/env bash
# Screens of others: stui, turm, SlurmTUI and SlurmCommander ask for rows in their own forms.
. stoker.sh
cluster_start

echo 'exec sleep 1000' | script sleep.sh
submit -J "train me" -n 2 sleep.sh
wait_state "$job" RUNNING
mark='###turm###'
names="jobid name state username timeused tres-alloc partition nodelist stdout stderr command statecompact reason jobarrayid arrayjobid arraytaskid workdir"
form=$(for n in $names; do printf '%s:%s,' "$n" "$mark"; done)
must squeue --array --noheader --Format "${form%,}" --me
is "turm's fields" "$(awk -F"$mark" '{ print NF - 1 }' <<<"$out")" "$(wc -w <<<"$names")"
is "the name" "$(awk -F"$mark" '{ print $2 }' <<<"$out")" "train me"
must squeue -ahO "jobid:20,username:20,state:20"
like "grouped flags" "$out" "$job +.*RUNNING *"
must python3 - <<'PY'
import json, subprocess
jobs = json.loads(subprocess.check_output(["squeue", "--json"]))["jobs"]
assert jobs[0]["name"] == "train me", jobs
nodes = json.loads(subprocess.check_output(["sinfo", "--json"]))["nodes"]
assert nodes[0]["hostname"] == "n1" and nodes[0]["cpus"] == 8, nodes
done = json.loads(subprocess.check_output(["sacct", "--json"]))["jobs"]
assert done[0]["steps"], done
PY
must sinfo --Node -h -o "%N %P %t %C %m %e %O %G"
like "a node" "$out" 'n1 main\* mix 2/6/0/8 16384 .*'
must sprio -l
must sshare
must scancel "$job"
