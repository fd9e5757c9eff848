#!/usr/bin/env bash
# squeue: what scripts parse, letter by letter.
# test-fast
. stoker.sh
cluster_start
me=$(id -un)
echo 'sleep 1000' | script sleep.sh
echo 'exit 3' | script bad.sh

case_ "empty queue"
says "an empty queue" 0 "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)" "" squeue
says "no header" 0 "" "" squeue -h
says "unknown id" 1 "" "slurm_load_jobs error: Invalid job id specified" squeue -j 999
says "several ids" 0 "" "" squeue -h -j 998,999
says "no user" 0 "JOBID" "squeue: error: Invalid user: no-such-user" squeue -u no-such-user -o %i
says "no partition" 0 "JOBID" "" squeue -p no-such -o %i

case_ "running and waiting"
submit -n 2 -t 5 -J runner sleep.sh
running=$job
wait_state "$running" RUNNING
submit --hold -J "w z" -t 1-0 sleep.sh
held=$job
submit -n 7 -J big sleep.sh
big=$job
has_reason() { [ "$(job_reason "$1")" = "$2" ]; }
wait_for 5 has_reason "$big" Resources
like "the default line" "$(squeue -h -j "$running")" \
    "$(printf '%18s %9s %8s %8.8s %2s' "$running" main runner "$me" R) +[0-9]:[0-9]{2} +1 n1"
is "reason" "$(squeue -h -j "$held" -o '%t|%T|%r|%R|%M|%N|%B|%S|%e')" "PD|PENDING|JobHeldUser|(JobHeldUser)|0:00||n/a|N/A|N/A"
is "limits" "$(squeue -h -j "$held" -o '%l|%L')" "1-00:00:00|1-00:00:00"
is "nodes" "$(squeue -h -j "$running" -o '%N|%B|%R|%C|%D|%l')" "n1|n1|n1|2|1|5:00"
is "unset" "$(squeue -h -j "$running" -o '%k|%v|%w|%E|%b|%K|%F')" "(null)|(null)|(null)|(null)|N/A|N/A|$running"
is "pending first, then by priority" "$(squeue -h -o %t | uniq)" "PD
R"
is "sorting" "$(squeue -h -S -i -o %i)" "$(printf '%s\n' "$running" "$held" "$big" | sort -rn)"
is "by name" "$(squeue -h -n "w z,none" -o %i)" "$held"
is "by state" "$(squeue -h -t r -o %i)" "$running"
is "by state, long" "$(squeue -h --state=RUNNING -o %i)" "$running"
is "me" "$(squeue -h --me -o %u | sort -u)" "$me"
is "by uid" "$(squeue -h -u "$(id -u)" -t R -o %i)" "$running"
is "by node" "$(squeue -h -w n1 -o %i)" "$running"
is "separate id" "$(squeue -h -j "$running" -o %i)" "$(squeue -hj"$running" -o %i)"
is "names" "$(squeue -h -j "$running" -O jobid:10,state:.10,name:0)" "$(printf '%-10s%10s%s' "$running" RUNNING runner)"
is "twenty columns" "$(squeue -h -j "$running" -O state,partition)" "$(printf '%-20s%-20s' RUNNING main)"
is "suffix" "$(squeue -h -j "$running" -O 'state:|,partition:|,')" "RUNNING|main|"
is "environment" "$(SQUEUE_FORMAT=%T SQUEUE_STATES=R squeue -h)" "RUNNING"
is "option over environment" "$(SQUEUE_FORMAT=%T squeue -h -t R -o %P)" "main"
is "time format" "$(SLURM_TIME_FORMAT=%s squeue -h -j "$running" -o %V)" "$(date -d "$(squeue -h -j "$running" -o %V)" +%s)"
like "the date line" "$(squeue -l | head -n 1)" '[A-Z][a-z]{2} [A-Z][a-z]{2} [0-9 ]{2} [0-9:]{8} [0-9]{4}'
has "json" "$(squeue --json)" '"job_state":"RUNNING"'
must python3 -c 'import json,sys; d = json.load(sys.stdin); assert len(d["jobs"]) == 3, d' < <(squeue --json)

case_ "arrays"
submit -a 1-9:2%4 --hold sleep.sh
array=$job
is "one line" "$(squeue -h -j "$array" -o '%i %F %K')" "${array}_[1,3,5,7,9%4] $array 1,3,5,7,9%4"
is "element by element" "$(squeue -h -r -j "$array" -o %i | tr '\n' ' ')" "${array}_1 ${array}_3 ${array}_5 ${array}_7 ${array}_9 "
is "one element" "$(squeue -h -j "${array}_5" -o %i)" "${array}_5"
is "not an element" "$(squeue -h -j "${array}_4" -o %i 2>&1)" "slurm_load_jobs error: Invalid job id specified"
must scancel "$array"

case_ "who shares its nodes"
submit -H --exclusive sleep.sh
is "no other job" "$(squeue -h -j "$job" -o %h) $(job_field "$job" OverSubscribe)" "NO NO"
submit -H --exclusive=user sleep.sh
is "jobs of the same user" "$(squeue -h -j "$job" -o %h) $(job_field "$job" OverSubscribe)" "USER USER"
submit -H --exclusive=user --exclusive sleep.sh
is "the last one counts" "$(squeue -h -j "$job" -o %h)" NO
submit -H sleep.sh
is "any job" "$(squeue -h -j "$job" -o %h) $(job_field "$job" OverSubscribe)" "OK OK"

case_ "groups of nodes"
submit -H --switches=1@2:00 sleep.sh
is "as asked" "$(job_field "$job" Switches)" 1@00:02:00
must scontrol update jobid="$job" Switches=3
is "changed" "$(job_field "$job" Switches)" 3
says "no number" 1 "" "~" scontrol update jobid="$job" Switches=x

case_ "when a waiting job will start"
submit -t 10 --exclusive sleep.sh
waits=$job
is_foretold() { [ "$(squeue -h -j "$waits" -o %S)" != N/A ]; }
wait_for 20 is_foretold
is "as its record says" "$(job_field "$waits" StartTime)" "$(squeue -h -j "$waits" -o %S)"
is "and --start" "$(squeue -h --start -j "$waits" -o %S)" "$(squeue -h -j "$waits" -o %S)"
is "one that is held" "$(squeue -h -j "$held" -o %S)" N/A
submit --begin=now+1day sleep.sh
like "one that must not begin before" "$(squeue -h -j "$job" -o %S)" '[0-9-]{10}T[0-9:]{8}'
must scancel "$waits" "$job"

case_ "steps"
is "steps" "$(squeue -h -s -o %i | sort | head -n 1)" "$running.batch"

case_ "finished"
submit bad.sh
bad=$job
must scancel "$running" "$held" "$big"
wait_end "$bad"
says "finished, not asked for" 0 "" "" squeue -h -j "$bad"
is "finished, asked for" "$(squeue -h -t all -j "$bad" -o '%t %r %R')" "F NonZeroExitCode (NonZeroExitCode)"
cluster_stop
