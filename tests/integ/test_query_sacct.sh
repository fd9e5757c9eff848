#!/usr/bin/env bash
# sacct: jobs that run and jobs that have long left the queue, in the forms that scripts parse.
# test-fast
. stoker.sh
cluster_start
today=$(date +%F)
me=$(id -un)
uid=$(id -u)
dashes="------------ ---------- ---------- ---------- ---------- ---------- -------- "
header="JobID           JobName  Partition    Account  AllocCPUS      State ExitCode "

case_ "nothing yet"
says "the header alone" 0 "$header
$dashes" "" sacct
says "an unknown job" 0 "$header
$dashes" "" sacct -j 99
says "no header" 0 "" "" sacct -n -j 99
says "parsable" 0 "JobID|State|ExitCode|" "" sacct -b -p
says "parsable without an ending" 0 "JobID|State|ExitCode" "" sacct -b -P
says "another delimiter" 0 "JobID;State" "" sacct -P --delimiter=';' -o jobid,state

case_ "at once"
echo 'srun -J first true; srun -n 2 -J second sh -c "exit 4"; exit 3' | script steps.sh
echo 'sleep 1000' | script sleep.sh
submit --hold -J held -t 90 --mem=4G steps.sh
held=$job
is "visible at once" "$(sacct -n -X -P -j "$held" -o jobid,jobname,state,start,end,nodelist,timelimit,alloccpus)" \
    "$held|held|PENDING|Unknown|Unknown|None assigned|01:30:00|0"

case_ "steps"
submit -n 2 --mem=1G -J "two words" -t 5 --comment "a | b" steps.sh
steps=$job
wait_end "$steps"
submit sleep.sh
sleeper=$job
wait_state "$sleeper" RUNNING
must scancel "$sleeper"
wait_end "$sleeper"
rows() {
    is "rows" "$(sacct -n -P -j "$steps" -o jobid,jobname,state,exitcode,ntasks,alloccpus)" "$steps|two words|FAILED|3:0||2
$steps.batch|batch|FAILED|3:0|1|2
$steps.extern|extern|COMPLETED|0:0|1|2
$steps.0|first|COMPLETED|0:0|2|2
$steps.1|second|FAILED|4:0|2|2"
    is "jobs alone" "$(sacct -n -X -P -j "$steps" -o jobidraw,user,uid,state,derivedexitcode,reqmem,comment)" \
        "$steps|$me|$uid|FAILED|4:0|1G|a | b"
    is "one step" "$(sacct -n -P -j "$steps.1" -o jobid,state)" "$steps.1|FAILED"
    is "the batch step" "$(sacct -n -P -j "$steps.batch" -o jobid)" "$steps.batch"
    is "cancelled by whom" "$(sacct -n -X -P -j "$sleeper" -o state)" "CANCELLED by $uid"
    is "cut with a plus" "$(sacct -n -X -j "$sleeper" -o state)" "CANCELLED+ "
    is "widths" "$(sacct -n -X -j "$sleeper" -o state%12,jobid%-6,jobname%5)" \
        "$(printf '%12s %-6s %5s ' "CANCELLED b+" "$sleeper" "slee+")"
    like "times" "$(sacct -n -X -P -j "$steps" -o submit,start,end,elapsed,totalcpu)" \
        '([0-9-]{10}T[0-9:]{8}\|){3}00:00:[0-9]{2}\|00:0[0-9]\.[0-9]{3}'
    is "epoch seconds" "$(SLURM_TIME_FORMAT=%s sacct -n -X -P -j "$steps" -o end)" \
        "$(date -d "$(sacct -n -X -P -j "$steps" -o end)" +%s)"
    like "memory" "$(sacct -n -P -j "$steps.0" -o maxrss)" '[0-9]+K|'
    is "tres" "$(sacct -n -X -P -j "$steps" -o alloctres)" "billing=2,cpu=2,mem=1G,node=1"
    is "several" "$(sacct -n -X -P -j "$steps,$sleeper" -j 99 -o jobid | tr '\n' ' ')" "$steps $sleeper "
    must python3 - <(sacct --json -j "$steps") <<'PY'
import json, sys
jobs = json.load(open(sys.argv[1]))["jobs"]
assert [j["name"] for j in jobs] == ["two words"], jobs
assert [s["state"] for s in jobs[0]["steps"]] == ["FAILED", "COMPLETED", "COMPLETED", "FAILED"], jobs
PY
}
rows

case_ "from the history"
echo 'min_job_age = "1s";' >>"$STOKER_HOME/stoker.cfg"
must scontrol reconfigure
echo true | script true.sh
submit -a 1-3 true.sh
array=$job
# squeue shows no more than it should: whether the job is in the state still is what stoker jobs says
has_left() { ! stoker jobs -a --json | grep -q "\"job_id\":$1,"; }
wait_for 20 has_left "$steps"
wait_for 20 has_left "$sleeper"
rows
has "stoker show" "$(stoker show "$steps")" "two words"
has "its steps" "$(stoker show "$steps.1")" "second"
wait_for 20 has_left "$array"
is "an array" "$(sacct -n -X -P -j "$array" -o jobid | sort | tr '\n' ' ')" "${array}_1 ${array}_2 ${array}_3 "
is "an element" "$(sacct -n -X -P -j "${array}_2" -o jobid,state)" "${array}_2|COMPLETED"
has "stoker show of an element" "$(stoker show "${array}_2")" "${array}_2"
is "its script by sacct" "$(sacct -B -j "$steps")" "Batch Script for $steps
$(printf '%80s' "" | tr ' ' -)
$(cat steps.sh)"
has "its script" "$(scontrol write batch_script "$steps" -)" "srun -n 2 -J second"
has "an element's script" "$(scontrol write batch_script "$(sacct -n -X -P -j "${array}_2" -o jobidraw)" -)" true
is "squeue knows it no more" "$(squeue -j "$steps" 2>&1)" "slurm_load_jobs error: Invalid job id specified"

case_ "which"
all="$held $steps $sleeper"
ids() { sacct -n -X -P -o jobid "$@" | grep -v _ | tr '\n' ' '; }
[ "$(date +%F)" != "$today" ] || is "today" "$(ids -S midnight)" "$all "
is "by user" "$(ids -S now-1hour -u "$me")" "$all "
is "all users" "$(ids -a -S now-1hour)" "$all "
is "by state" "$(ids -S now-1hour -E now -s F,CA)" "$steps $sleeper "
is "what waits now" "$(ids -s PD)" "$held "
is "what ran then" "$(ids -s R -S now-1hour -E now)" "$steps $sleeper "
is "by name" "$(ids --name "held,two words" -S now-1hour)" "$held $steps "
is "by node" "$(ids -N n1 -S now-1hour)" "$steps $sleeper "
is "by partition" "$(ids -r main -S now-1hour)" "$all "
is "another partition" "$(ids -r other -S now-1hour)" ""
is "before" "$(ids -S 2020-01-01 -E 2020-02-01)" ""
is "to come" "$(ids -S now-1hour -E now-50minutes)" ""
is "another account" "$(ids -A none -S now-1hour)" ""

case_ "by what they had"
is "by nodes" "$(ids -i 1 -S now-1hour)" "$all "
is "by more nodes" "$(ids -i 2-4 -S now-1hour)" ""
is "by CPUs" "$(ids -I 1-64 -S now-1hour)" "$all "
is "by more CPUs" "$(ids --ncpus=65 -S now-1hour)" ""
is "by group" "$(ids -g "$(id -gn)" -S now-1hour)" "$all "
is "by another group" "$(ids -g 4242 -S now-1hour)" ""
is "by limit" "$(ids -k 1-00:00:01 -K 30-0 -S now-1hour)" ""
assoc=$(sacctmgr -nP show associations user="$me" account="$(id -gn)" format=id)
like "its association" "$assoc" '[0-9]+'
is "by association" "$(ids -x "$assoc" -S now-1hour)" "$all "
is "by several" "$(ids --associations=1,"$assoc" -S now-1hour)" "$all "
is "by another association" "$(ids -x 1 -S now-1hour)" ""
is "the field" "$(sacct -n -X -P -j "$steps" -o associd)" "$assoc"
says "a name is not the id of an association" 1 "" "sacct: error: Invalid association id: main" sacct -x main
is "that have ended" "$(sacct -c -n -P -S now-1hour | cut -d'|' -f1 | grep -v _ | tr '\n' ' ')" "$steps $sleeper "
is "its columns" "$(sacct -c -P -S now-1hour | head -1)" "JobID|UID|JobName|Partition|NNodes|NodeList|State|Start|End|Timelimit"

case_ "one that ran twice"
echo '[ "${SLURM_RESTART_COUNT:-0}" -gt 0 ] || sleep 1000' | script twice.sh
submit -J twice twice.sh
twice=$job
wait_state "$twice" RUNNING
must scontrol requeue "$twice"
wait_for 20 has_left "$twice"
is "the last run" "$(sacct -n -X -P -j "$twice" -o jobid,state)" "$twice|COMPLETED"
is "every run" "$(sacct -D -n -X -P --name twice -S now-1hour -o jobid,state | tr '\n' ' ')" "$twice|REQUEUED $twice|COMPLETED "

case_ "errors"
says "a range" 1 "" 'sacct: error: Invalid numeric value "x" for requested node range.' sacct -i x
says "a limit" 1 "" 'sacct: fatal: Invalid time limit specification' sacct -k x
says "a job" 1 "" 'sacct: fatal: Bad job/step specified: x' sacct -j x
says "a field" 1 "" 'sacct: error: Invalid field requested: "nonsense"' sacct -o jobid,nonsense
says "a state" 1 "" "sacct: fatal: unrecognized job state value 'nonsense'" sacct -s nonsense
says "a time" 1 "" "sacct: error: Invalid time specification (pos=0): nonsense" sacct -S nonsense
says "a user" 1 "" "sacct: error: Invalid user id: no-such-user" sacct -u no-such-user
run sacct -S now -E now-1hour
has "turned round" "$err" "sacct: error: Start time ("
has "fields" "$(sacct --helpformat)" "AllocTRES"
case_ "many questions of one user: pieces of each in turn, some of them for clients that have gone"
sacct -a -X -n >one
asked=()
for i in {1..8}; do
    sacct -a -X -n >"many.$i" &
    asked+=($!)
    timeout 0.01 sacct -a -X -n >/dev/null
done
wait "${asked[@]}"
for i in {1..8}; do cmp one "many.$i" || fail "question $i was answered otherwise"; done
must scancel "$held"
cluster_stop
says "away" 1 "" "sacct: error: Problem talking to the database: Connection refused" sacct
