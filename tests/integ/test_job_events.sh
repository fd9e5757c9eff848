#!/usr/bin/env bash
# What was done to a job, by whom and when, stays with it: over kill -9 of the controller, and when it has left the queue for the history.
. stoker.sh
command -v python3 >/dev/null || skip "no python3"
CPUS=4 PARTITIONS='
  { name = "main"; nodes = "n1"; default = true; priority_tier = 2; },
  { name = "low"; nodes = "n1"; priority_tier = 1; preempt_mode = "requeue"; }' cluster_start
me=$(id -un)

again() {
    controller_kill9
    must stoker up
    wait_for 15 nodes_up
}
ended() { [ -z "$(squeue -h -j "$1" 2>/dev/null)" ]; }
min_job_age() {
    sed -i '/min_job_age/d' "$STOKER_HOME/stoker.cfg"
    echo "min_job_age = \"$1\";" >>"$STOKER_HOME/stoker.cfg"
    must scontrol reconfigure
}
retired() { ! squeue -h -t all -o %i | grep -qx "$1"; }
# The events of a job as "stoker show --json" has them, one a line.
events() { stoker show --json "$1" | python3 -c 'import json, sys
for e in json.load(sys.stdin)["events"]: print(e["event"])'; }
count() { events "$1" | grep -cE "$2"; }
until_go() { echo 'until [ -e go ]; do sleep 0.05; done'; }

case_ "preempted: by which job, of whom, by which rule, after how long"
submit -c 4 -p low -o /dev/null --wrap "$(until_go)"
victim=$job
wait_state $victim RUNNING
submit -c 4 -o /dev/null --wrap "until [ -e gone ]; do sleep 0.05; done"
owner=$job
wait_state $owner RUNNING
wait_state $victim PENDING
preempted="^preempted by job $owner of $me after [0-9:]+: partition main \(tier 2\) comes before partition low \(tier 1\)$"
told() {
    is "$1: the preemption" "$(count $victim "$preempted")" 1
    is "$1: its first run" "$(events $victim | grep -c '^started on n1 in low$')" "$2"
    is "$1: that run's end" "$(count $victim '^ended after [0-9:]+, queued again$')" $(($2 > 1 ? $2 - 1 : 1))
    is "$1: the other side" "$(count $owner "^preempted job $victim of $me \(job $owner in partition main ")" 1
}
told "at once" 1
like "the sign" "$(stoker jobs | grep " low ")" " *$victim .* ~ waiting .*"
must stoker why $victim
hasnt "it was not a launch that failed" "$out" LAUNCH_RETRY
has "preempted, in words" "$out" "preempted by job $owner of $me"
is "scontrol show job" "$(scontrol show job $victim | grep -o 'PreemptedBy=[^ ]*')" "PreemptedBy=$owner($me)"
again
told "after the controller came back" 1
is "still in scontrol show job" "$(scontrol show job $victim | grep -o 'PreemptedBy=[^ ]*')" "PreemptedBy=$owner($me)"

case_ "requeued by hand, held, released: by whom"
touch gone
wait_end $owner
wait_state $victim RUNNING
must scontrol requeuehold $victim
wait_state $victim PENDING
is "held since the requeue" "$(scontrol show job $victim | grep -o 'HeldBy=[^ ]*')" "HeldBy=$me"
must stoker why $victim
has "held by whom" "$out" "held by you; \`stoker release $victim\` releases it"
must scontrol release $victim
wait_state $victim RUNNING
touch go
wait_end $victim
rm -f go
all() {
    is "$1: requeued" "$(count $victim "^requeued by $me after [0-9:]+$")" 1
    is "$1: released" "$(count $victim "^released by $me$")" 1
    is "$1: three runs" "$(count $victim '^started on n1 in low$')" 3
    is "$1: its end" "$(events $victim | tail -n 1 | cut -d' ' -f1,2)" "done after"
}
all "ended"

case_ "cancelled, waiting and running: by whom"
submit -o /dev/null --wrap "$(until_go)"
running=$job
wait_state $running RUNNING
submit -H -o /dev/null --wrap true
waiting=$job
must scancel $running $waiting
wait_end $running
like "why of one that has just ended" "$(stoker why $running)" "job $running has ended: cancelled by $me, at .*"
has "stoker show says it in its head" "$(stoker show $running)" "cancelled on n1: cancelled by $me"
cancelled() {
    is "$1: of the one that ran" "$(count $running "^cancelled by $me after [0-9:]+$")" 1
    is "$1: of the one that waited" "$(events $waiting | tail -n 1)" "cancelled by $me"
}
cancelled "at once"
is "scontrol show job" "$(scontrol show job $waiting | grep -o 'CancelledBy=[^ ]*')" "CancelledBy=$me"
must stoker show $waiting
hasnt "it held nothing" "$out" "allocated"
hasnt "it began never" "$out" "Unknown"

case_ "in the history, after one more restart"
min_job_age 1s
for id in $victim $owner $running $waiting; do wait_for 20 retired $id; done
again
told "retired" 3
all "retired"
cancelled "retired"
like "why of a job that has left the queue" "$(stoker why $running)" "job $running has ended: cancelled by $me, at .*"
has "as JSON" "$(stoker why --json $victim)" "\"summary\":\"job $victim has ended: done, at "
run stoker why 99999
is "status for a job that never was" $rc 3
has "a job that never was" "$err" "there is no job 99999"
is "sacct: every run" "$(sacct -DnXP -j $victim -o State | tr '\n' ' ')" "PREEMPTED REQUEUED COMPLETED "
is "sacct: and what ended it" "$(sacct -DnXP -j $victim -o SystemComment | tr '\n' ';')" \
    "preempted by job $owner of $me;requeued by $me;;"
is "the runs as JSON" "$(stoker show --json $victim | python3 -c '
import json, sys
print(*["%s %s %d" % (r["state"], r["nodes"], r["preempted_by"]) for r in json.load(sys.stdin)["runs"]], sep=";")')" \
    "PREEMPTED n1 $owner;CANCELLED n1 0;COMPLETED n1 0"

cluster_stop
