#!/usr/bin/env bash
# stoker's own commands: what they do, their exit codes, and --json that programs can read.
. stoker.sh
command -v python3 >/dev/null || skip "no python3"

# json EXPRESSION CMD...: the value of a Python expression over the parsed output, d.
json() {
    local expr=$1
    shift
    must "$@"
    python3 -c 'import json, sys
d = json.loads(sys.argv[2])
assert d["schema"] == 1, d
print(eval(sys.argv[1]))' "$expr" "$out" || fail "not the JSON that was expected of: $*" "$(quoted 'got ' "$out")"
}

cluster_start
script ok.sh <<'E'
echo "to out $1"
echo to err >&2
srun -n2 bash -c 'echo rank $SLURM_PROCID' | sort
E
script wait.sh <<<'exec 9<> <(:); while [ ! -e go ]; do read -rt 0.05 -u 9; done; exit 0'

case_ submit
says "a script" 0 1 "" stoker submit -n2 -e %j.err ok.sh arg
says "a command" 0 2 "" stoker submit --gpus=1 -- sh -c 'echo "$1|$CUDA_VISIBLE_DEVICES"' - 'a  b'
says "--json" 0 '{"schema":1,"job":3}' "" stoker submit --json -n2 ok.sh
says "no such file" 1 "" "stoker submit: error: Unable to open file missing" stoker submit missing
says "policy" 4 "" "~" stoker submit -c 99 ok.sh
says "usage" 2 "" "~" stoker submit --no-such ok.sh
for j in 1 2 3; do wait_end $j && is "state of $j" "$state" COMPLETED; done

case_ "output: of the job, a step, a task, its errors"
says "of a job" 0 $'to out arg\nrank 0\nrank 1' "" stoker output 1
says "of a command" 0 'a  b|0' "" stoker output 2
says "errors" 0 "to err" "" stoker output -e 1
says "of a step: each task under its name" 0 $'==> 1.0.0 <==\nrank 0\n\n==> 1.0.1 <==\nrank 1' "" stoker output 1.0
says "of a task" 0 'rank 1' "" stoker output 1.0.1
says "of no job" 3 "" "stoker output: error: there is no job 77" stoker output 77

case_ "output -f: follows until the job ends"
script ticks.sh <<'E'
echo tick 1
exec 9<> <(:); while [ ! -e tick2 ]; do read -rt 0.02 -u 9; done
echo tick 2
E
must stoker submit ticks.sh
job=$out
stoker output -f "$job" >followed 2>followed.err &
follower=$!
wait_for 10 grep -q "tick 1" followed
hasnt "only what is there" "$(cat followed)" "tick 2"
touch tick2
wait_for 10 is_dead $follower
wait $follower || fail "stoker output -f ended with $?" "$(cat followed.err)"
is "all of it" "$(cat followed)" $'tick 1\ntick 2'

case_ "a step that waits for room has not begun, a step that failed names its task"
script room.sh <<'E'
srun -n4 --exclusive bash -c 'exec 9<> <(:); while [ ! -e room ]; do read -rt 0.05 -u 9; done' &
while [ "$(squeue -h -s -j $SLURM_JOB_ID -o %i | grep -c '\.0$')" -eq 0 ]; do sleep 0.1; done
srun -n1 --exclusive true &
wait
E
submit -n4 room.sh
waits() { stoker show $job | grep -Eq '^1 +waits, needs 1 CPU of the job'; }
wait_for 30 waits
is "squeue -s: only what has begun" "$(squeue -h -s -j $job -o %i)" "$job.batch
$job.0"
is "sacct: so does it" "$(sacct -nP -j $job -o jobid | grep -c '\.1$')" 0
says "stoker output" 1 "" "stoker output: error: job $job has no output of that yet: step 1: waits, needs 1 CPU of the job" \
    stoker output $job.1
touch room
wait_end $job
lasted=$(sacct -nP -j $job.1 -o elapsedraw)
[ "$lasted" -le 2 ] || fail "the time that it waited is not its own" "$lasted s"
cat >fails.job <<'E'
steps = (
  { name = "train"; tasks = 3; command = "[ $STOKER_TASK_ID != 2 ] || exit 7; exec sleep 1000"; },
  { name = "collect"; command = "true"; } );
E
run stoker submit fails.job
job=$out
wait_end $job
page=$(stoker show $job)
has "the head" "$page" "failed: step 0 task 2 exited with 7 on n1"
has "the step" "$page" "1 failed (task 2, exit 7, n1), 2 stopped because of it"
has "the tasks" "$page" ".0  stopped: task 2 failed"
has "the next step" "$page" "not run (step 0 failed)"
has "in the list" "$(stoker jobs -a)" "step 0 task 2 exited with 7"
is "sacct: the code of the task that failed, not of those that were stopped" "$(sacct -nP -j $job -o jobid,state,exitcode)" "$job|FAILED|7:0
$job.0|FAILED|7:0"
is "and stoker show" "$(stoker show --json $job | jq -c '[.. | objects | select(.step? == "0" and has("code")) | [.code, .signal]][0]')" "[7,0]"

case_ "show: what the exit code of a shell means"
submit -o /dev/null --wrap no_such_command
wait_end $job
like "not found" "$(stoker show $job)" '.*exit +127:0 \(command not found\).*'

case_ "jobs, show, why, users, nodes, gpus"
must stoker submit -c 8 -J big wait.sh
big=$out
wait_state $big RUNNING
must stoker submit -c 2 -J small wait.sh
small=$out
must stoker submit -H -J late wait.sh
late=$out
has_reason() { [ "$(job_reason "$small")" = Resources ]; }
wait_for 10 has_reason
is "the queue" "$(json '[(j["job_id"], j["name"], j["state"], j["reason"]) for j in d["jobs"]]' stoker jobs --json)" \
    "[($big, 'big', 'RUNNING', 'None'), ($small, 'small', 'PENDING', 'Resources'), ($late, 'late', 'PENDING', 'JobHeldUser')]"
must stoker jobs
like "the first row" "$(sed -n 2p <<<"$out")" "$big +big +$(id -un) +main +R running .* n1"
is "stoker with no terminal is the queue" "$(stoker | wc -l)" 4
is "show" "$(json 'd["job"]["state"], [(s["step"], s["done"], s["tasks"][0]["end_kind"]) for s in d["steps"]]' stoker show --json 1)" \
    "('COMPLETED', [('batch', True, 'exited'), ('0', True, 'exited')])"
is "show: measured" "$(json 'd["steps"][0]["tasks"][0]["peak_rss_kib"] > 500' stoker show --json 1)" True
must stoker show $small
has "show" "$out" "requested  2 CPUs"
is "why" "$(json 'd["reason"], d["causes"][0]["class"], "2 CPUs" in d["causes"][0]["text"]' stoker why --json $small)" \
    "('Resources', 'BUSY', True)"
must stoker why $late
has "why: held" "$out" "held by you; \`stoker release $late\` releases it"
says "why of no job" 3 "" "stoker why: error: there is no job 77" stoker why 77
says "show of no job" 3 "" "stoker show: error: there is no job 77" stoker show 77
is "nodes" "$(json '[(n["name"], n["state"], n["cpus_used"], n["gpus"]) for n in d["nodes"]]' stoker nodes --json)" "[('n1', 'allocated', 8, 4)]"
is "gpus" "$(json 'len(d["gpus"]), {g["state"] for g in d["gpus"]}' stoker gpus --json)" "(4, {'free'})"
is "users" "$(json '[(u["user"], u["running"], u["cpus"], u["waiting"]) for u in d["users"]]' stoker users --json)" "[('$(id -un)', 1, 8, 2)]"

case_ "hold, release, cancel, requeue, update"
says release 0 "released 1 job" "" stoker release $late
says hold 0 "held 1 job" "" stoker hold $late
says "hold of an ended job" 1 "" "~" stoker hold 1
says "hold of no job" 3 "" "~" stoker hold 77
says update 0 "~" "" stoker update $late JobName=later
is "the new name" "$(squeue -h -j $late -o %j)" later
says cancel 0 "cancelled 1 job" "" stoker cancel $late
says "cancel of an ended job" 1 "" "~" stoker cancel $late
says "cancel of no job" 3 "" "~" stoker cancel 77
says requeue 0 "requeued 1 job" "" stoker requeue $big
wait_state $big "RUNNING PENDING"
touch go
wait_end $big
is "after its second run" "$state $(job_field $big Restarts)" "COMPLETED 1"
wait_end $small
rm go

case_ "drain and resume"
says "drain without a reason" 2 "" "~" stoker node drain n1
says drain 0 "~" "" stoker node drain n1 --reason="fan broken"
is "why it is out" "$(json '[(n["drain"], n["reason"]) for n in d["nodes"]]' stoker nodes --json)" "[(True, 'fan broken')]"
must stoker submit -n2 ok.sh
job=$out
wait_state $job PENDING
is "its reason" "$(json 'd["causes"][0]["class"]' stoker why --json $job)" NODE_OUT
says resume 0 "~" "" stoker node resume n1
wait_end $job
is "it ran after all" "$state" COMPLETED
says "drain of no node" 3 "" "~" stoker node drain n77 --reason=x

case_ usage
says "no such command" 2 "~" "~" stoker frobnicate
has "its text" "$out$err" "no command 'frobnicate'"
says "no such option" 2 "" "~" stoker jobs --frobnicate
says "version" 0 "stoker $(sed -n "s/^VERSION := //p" "$ROOT/Makefile")" "" stoker --version

cluster_stop
case_ "controller out of reach"
says "show" 5 "" "~" stoker show 1
