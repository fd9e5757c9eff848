#!/usr/bin/env bash
# sstat, seff, sdiag and reading sacctmgr: what scripts ask them.
. stoker.sh
me=$(id -un)
EXTRA="accounts = ( { name = \"vision\"; parent = \"root\"; shares = 10; users = ( { name = \"$me\"; shares = 2; } ); },
               { name = \"speech\"; users = ( { name = \"$me\"; }, { name = \"nobody\"; } ); } );
qos = ( { name = \"high\"; priority = 100; preempt = [\"low\"]; grace_time = \"60s\"; }, { name = \"low\"; usage_factor = 0.5; } );" cluster_start

case_ "sacctmgr"
is "a user's accounts" "$(sacctmgr -n -s list user "$me" format=account%256 | sed 's/ *$//;s/^ *//' | sort | tr '\n' ' ')" "speech vision "
is "accounts and QOS" "$(sacctmgr -nP show users withassoc format=account,qos where user="$me" cluster=test)" "vision|high,low,normal
speech|high,low,normal"
is "associations" "$(sacctmgr list Association format=account -P -n user="$me" | tr '\n' ' ')" "vision speech "
is "their ids, whatever else is asked" "$(sacctmgr -nP show assoc user="$me" format=account,id | tr '\n' ' ')" "vision|3 speech|5 "
is "all ids" "$(sacctmgr -nP show assoc format=account,user,id | tr '\n' ' ')" "root||1 vision||2 vision|$me|3 speech||4 speech|$me|5 speech|nobody|6 "
is "ids of accounts" "$(sacctmgr -nP show account format=account,id | tr '\n' ' ')" "root|1 vision|2 speech|4 "
echo true | script true.sh
submit -A speech true.sh
wait_end "$job"
is "sacct by id" "$(sacct -nXP -x 5 -o jobid,account,associd)" "$job|speech|5"
is "sacct by another id" "$(sacct -nXP -x 3 -o jobid)" ""
is "one row for a user" "$(sacctmgr -nP show user "$me")" "$me|vision|$([ "$me" = root ] && echo "Administ+" || echo None)"
is "QOS" "$(sacctmgr -n show qos format=name | tr -d ' ' | tr '\n' ' ')" "high low normal "
is "QOS, parsable" "$(sacctmgr show qos --parsable2 format=name,priority,gracetime,preempt,usagefactor)" "Name|Priority|GraceTime|Preempt|UsageFactor
high|100|00:01:00|low|1.000000
low|0|00:00:00||0.500000
normal|0|00:00:00||1.000000"
is "the cluster" "$(sacctmgr -n -P show cluster format=cluster)" "test"
is "accounts" "$(sacctmgr -n -p list account format=account | tr '\n' ' ')" "root| vision| speech| "
has "the default table" "$(sacctmgr show cluster)" "   Cluster     ControlHost"
run sacctmgr -i add account x
is "nothing is changed here" "$rc" 1
has "and why" "$err" "stoker.cfg"

case_ "sstat"
echo 'srun -n 2 bash -c "exec 9<> <(:); x=\$(head -c 30000000 /dev/zero | tr \"\\0\" a); echo ready; read -u 9"' | script busy.sh
submit -n 2 -o busy.out busy.sh
wait_for 20 has_lines busy.out 2
measured() { [[ $(sstat -n -P -j "$job" --format=maxrss) == *[0-9]K ]]; } # sstat does not wait for long
wait_for 20 measured
like "memory now" "$(sstat -n -P -j "$job" --format=jobid,maxrss,ntasks)" "$job\.0\|[0-9]{5,}K\|2"
like "all steps" "$(sstat --format=jobid --allsteps --jobs="$job" -n -P | tr '\n' ' ')" "$job\.batch $job\.0 "
like "one step" "$(sstat -n -P -o jobid -j "$job.batch")" "$job\.batch"
like "pids" "$(sstat -i -n -P -j "$job.0")" "$job\.0\|n1\|[0-9]+"
says "nothing asked" 1 "" "sstat: error: You didn't give me any jobs to stat." sstat
says "nothing runs" 0 "" "sstat: error: No steps running for job 999" sstat -n -j 999

case_ "sdiag"
run sdiag
is "its status" "$rc" 0
like "submissions" "$(grep '^Jobs submitted' <<<"$out")" 'Jobs submitted: 2'
like "running" "$(grep '^Jobs running' <<<"$out")" 'Jobs running:   1'
has "cycles" "$out" "Main schedule statistics (microseconds):"
of_user() { grep "^	$(id -un | cut -c 1-16)" <<<"$out" | grep " $1:"; }
like "requests of this user" "$(of_user count)" '.*\( *[0-9]+\) count:[0-9]+ +ave_time:[0-9]+ +total_time:[0-9]+'
like "bytes of this user" "$(of_user records)" '.*\( *[0-9]+\) connections:[0-9]+ +records:[1-9][0-9]* +disk:[1-9][0-9]* +waited:0'
must python3 -c 'import json,sys; d = json.load(sys.stdin); assert d["statistics"]["jobs_running"] == 1 and d["schema"] == 1' < <(sdiag --json)
busy=$job
submit --hold --array=1-3 --wrap true
must scancel "$job"
submit --wrap 'exit 3'
wait_state "$job" FAILED
is "how they ended" "$(sdiag | grep -E '^Jobs (completed|canceled|failed)' | tr -s ' ' | tr '\n' ' ')" \
    "Jobs completed: 1 Jobs canceled: 3 Jobs failed: 1 "
must python3 -c 'import json,sys; d = json.load(sys.stdin)["statistics"]; assert (d["jobs_canceled"], d["jobs_failed"]) == (3, 1)' < <(sdiag --json)
job=$busy
must sdiag --json
must python3 -c 'import json,os,sys
me = [u for u in json.load(sys.stdin)["statistics"]["rpcs_by_user"] if u["user_id"] == os.geteuid()]
assert len(me) == 1 and me[0]["count"] > 2 and me[0]["held_back"] == 0 and me[0]["connections"] >= 1, me' <<<"$out"
must scancel "$job"

case_ "seff"
echo 'sleep 2; exit 3' | script measured.sh
submit -n 2 --mem=500M -J measured measured.sh
wait_end "$job"
like "a job that is over" "$(seff "$job")" "Job ID: $job
Cluster: test
User/Group: $me/$(id -gn)
State: FAILED \(exit code 3\)
Nodes: 1
Cores per node: 2
CPU Utilized: 00:00:0[0-9]
CPU Efficiency: [0-9.]+% of 00:0[0-9]:[0-9]{2} core-walltime
Job Wall-clock time: 00:0[0-9]:[0-9]{2}
Memory Utilized: [0-9.]+ [KM]B
Memory Efficiency: [0-9.]+% of 500.00 MB"
submit --hold --array=4 true.sh
like "one that has not begun" "$(seff "$job")" "Job ID: $job
Cluster: test
User/Group: $me/$(id -gn)
State: PENDING
Efficiency not available for jobs in the PENDING state."
must scontrol release "$job"
wait_end "$job"
has "an array's element" "$(seff "${job}_4")" "Array Job ID: ${job}_4"
says "unknown" 2 "Job not found." "" seff 9999
says "no job" 1 "" "seff: error: a job is missing: seff JOB" seff

cluster_stop
says "sdiag, away" 1 "" "sdiag: slurm_get_statistics: Unable to contact slurm controller (connect failure)" sdiag
says "sstat, away" 1 "" "sstat: error: slurm_job_step_stat: Unable to contact slurm controller (connect failure)" sstat -j 1
says "sacctmgr, away" 1 "" "sacctmgr: error: Problem talking to the database: Connection refused" sacctmgr -n show qos
run seff 1
is "seff, away" "$rc" 1
has "seff, away" "$err" "seff: error: no controller runs here"
