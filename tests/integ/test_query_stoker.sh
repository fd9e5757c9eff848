#!/usr/bin/env bash
# stoker's own listings and actions: what people see, exit codes, JSON.
# test-user test-fast
. stoker.sh
command -v python3 >/dev/null || skip "no python3"
cluster_start
echo 'sleep 1000' | script sleep.sh
echo 'echo to-out; echo to-err >&2' | script talk.sh
echo 'echo first; until [ -e go ]; do sleep 0.05; done; echo last' | script slow.sh
json() { python3 -c "import json,sys; d = json.load(sys.stdin); assert d['schema'] == 1, d; print($1)"; }

case_ "empty"
has "header" "$(stoker jobs)" "JOB  NAME  USER"
is "json" "$(stoker jobs --json | json 'd["jobs"]')" "[]"
is "no job" "$(stoker show 999 2>&1; echo $?)" "stoker show: error: there is no job 999
3"
run stoker cancel 999
is "cancel of nothing" $rc 3
run stoker why 999
is "why of nothing" $rc 3

case_ "jobs"
submit -n 2 -t 5 -J runner --gres=gpu:1 sleep.sh
id=$job
wait_state "$id" RUNNING
submit -n 7 -J "big 日本" sleep.sh
big=$job
has "running" "$(stoker jobs)" "R running"
has "waiting" "$(stoker jobs)" "P waiting"
at_most "width" "$(COLUMNS=80 stoker jobs | wc -L)" 80
is "json" "$(stoker jobs --json | json 'sorted((j["id"], j["state"], j["cpus"], j["gpus"]) for j in d["jobs"])')" \
    "[('$id', 'RUNNING', 2, 1), ('$big', 'PENDING', 7, 0)]"
is "states" "$(stoker jobs --state=waiting --json | json '[j["id"] for j in d["jobs"]]')" "['$big']"
later=$(sbatch --parsable --begin=2031-05-06T07:08:09 --wrap true)
says_begin() { [ "$(job_reason "$later")" = BeginTime ]; }
wait_for 20 says_begin
has "what it waits for" "$(stoker jobs)" "not before 2031-05-06 07:08"
must scancel "$later"
run stoker jobs --state=sleepy
is "a bad state" $rc 2
has "page" "$(stoker show "$id")" "runner"
has "step" "$(stoker show "$id")" "batch"
is "page as json" "$(stoker show "$id" --json | json 'd["job"]["id"], d["steps"][0]["step"], d["steps"][0]["tasks"][0]["node"]')" \
    "$id batch n1"
must stoker why "$big"
has "why" "$out" "$big"
is "why as json" "$(stoker why "$big" --json | json 'd["job"], d["state"], len(d["causes"]) > 0')" "$big PENDING True"

case_ "nodes, gpus, users"
is "nodes" "$(stoker nodes --json | json '[(n["name"], n["cpus"], n["cpus_used"], n["gpus_used"], n["drain"]) for n in d["nodes"]]')" \
    "[('n1', 8, 2, 1, False)]"
has "bars" "$(stoker nodes)" "[##......] 2/8"
is "gpus" "$(stoker gpus --json | json '[(g["index"], g["state"], g["job"]) for g in d["gpus"]]')" \
    "[(0, 'used', '$id'), (1, 'free', ''), (2, 'free', ''), (3, 'free', '')]"
has "cells" "$(stoker gpus)" "A..."
is "users" "$(stoker users --json | json '[(u["running"], u["cpus"], u["gpus"], u["waiting"], u["waiting_cpus"]) for u in d["users"]]')" \
    "[(1, 2, 1, 1, 7)]"
must stoker node drain n1 --reason="fan broken"
has "why it is out" "$(stoker nodes)" "fan broken ($(id -un), "
must stoker node resume n1
run stoker node resume nowhere
is "no such node" $rc 3

case_ "hold, release, update, requeue, cancel"
says hold 0 "held 1 job" "" stoker hold "$big"
is "held" "$(job_reason "$big")" JobHeldUser
says release 0 "released 1 job" "" stoker release "$big"
says update 0 "" "" stoker update "$big" TimeLimit=10
is "updated" "$(squeue -h -j "$big" -o %l)" 10:00
says requeue 0 "requeued 1 job" "" stoker requeue "$id"
says "cancel" 0 "cancelled 2 jobs" "" stoker cancel "$id" "$big"
wait_end "$id"

case_ "output"
submit talk.sh
wait_end "$job"
says output 0 "to-out
to-err" "" stoker output "$job"
says "last line" 0 "to-err" "" stoker output -n 1 "$job"
submit -o o.txt -e e.txt talk.sh
wait_end "$job"
says "standard error" 0 "to-err" "" stoker output --err "$job"
says "of the step" 0 "to-out" "" stoker output "$job.batch"
submit --hold talk.sh
run stoker output "$job"
is "not started" $rc 1
has "not started" "$err" "has not started"
must scancel "$job"
submit slow.sh
stoker output -f "$job" >followed &
follower=$!
wait_for 10 has_lines followed 1
touch go
wait "$follower"
is "followed to the end" "$(cat followed)" "first
last"

case_ "up and down"
must stoker up
has "up again" "$out" "runs already"
must stoker doctor --json
has doctor "$out" '"ok":true'
must stoker down
run stoker down
is "down again" "$rc $out" "0 no controller runs here"
run stoker jobs
is "jobs after it" $rc 5
must stoker up
cluster_stop
