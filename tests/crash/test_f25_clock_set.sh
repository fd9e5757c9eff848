#!/usr/bin/env bash
# F25: the controller's clock is set an hour ahead, and back again, while jobs run: no limit fires, also where one is changed
# meanwhile; jobs that wait for a time are checked again; ended jobs leave the queue's answers on time.
. stoker.sh
export FAKE_CLOCK=$TMPDIR/clock
set_clock() { echo "$1 0" >"$FAKE_CLOCK.new" && mv "$FAKE_CLOCK.new" "$FAKE_CLOCK"; } # SECONDS ahead
set_clock 0
EXTRA='min_job_age = "1s"; node_timeout = "20s";' cluster_config
must env LD_PRELOAD="$B/tests/lib/libfakeclock.so" stoker up
wait_for 15 nodes_up
node=$(sinfo -h -N -o %T)
submit -t 10 -o /dev/null --wrap 'sleep 1000'
runs=$job
wait_state "$runs" RUNNING
submit --begin=now+30minutes -o /dev/null --wrap 'sleep 1000'
later=$job
still_runs() { is "$1" "$(job_state "$runs") $(sinfo -h -N -o %T | sed 's/idle/mixed/')" "RUNNING mixed"; }

case_ "an hour behind when a job begins, and right when it ends: it has run as long as it has run"
set_clock -3600
began=$(now_ms)
submit -o /dev/null --wrap 'until [ -e go ]; do sleep 0.02; done'
set_back=$job
wait_state "$set_back" RUNNING
has_begun() { [ "$(sacct -n -P -j "$set_back.batch" -o State)" == RUNNING ]; }
wait_for 20 has_begun
set_clock 0
touch go
wait_end "$set_back"
IFS=: read -r h m s <<<"$(job_field "$set_back" RunTime)"
at_most "how long it ran" $((10#$h * 3600 + 10#$m * 60 + 10#$s)) $((($(now_ms) - began) / 1000 + 1))

case_ "the same, right before the node reports that the job runs"
set_clock -3600
began=$(now_ms)
agent=$(agent_pid n1)
kill -STOP "$agent"
submit -o /dev/null --wrap 'until [ -e go ]; do sleep 0.02; done'
set_back=$job
wait_state "$set_back" RUNNING
set_clock 0
submit -o /dev/null --hold --wrap true # the controller has seen the new time
kill -CONT "$agent"
wait_end "$set_back"
IFS=: read -r h m s <<<"$(job_field "$set_back" RunTime)"
at_most "how long it ran" $((10#$h * 3600 + 10#$m * 60 + 10#$s)) $((($(now_ms) - began) / 1000 + 1))
must scancel "$job"

case_ "an hour ahead"
set_clock 3600
submit -o /dev/null --wrap true # whatever happens next finds the new time
wait_state "$later" RUNNING
still_runs "the other goes on"
must scontrol update job="$runs" TimeLimit=9
submit -o ended --wrap true
ends_in_the_hour=$job
wait_for 10 is_file ended
still_runs "with another limit, which is not over either"
must scontrol update job="$runs" TimeLimit=20

case_ "and back"
set_clock 0
submit -o /dev/null --wrap true
is_no_more() { [ -z "$(job_state "$1")" ]; }
wait_for 20 is_no_more "$job"
wait_for 20 is_no_more "$ends_in_the_hour"
still_runs "it goes on"
must scontrol update job="$runs" TimeLimit=10
still_runs "with its first limit"
like "elapsed" "$(squeue -h -j "$runs" -o %M)" "[0-9]:[0-9]+"

case_ "a limit that is over by its own time"
must scontrol update job="$runs" TimeLimit=0:01
wait_end "$runs" 30
is "its end" "$state" TIMEOUT
must scancel "$later"
wait_for 20 is_no_more "$later"
cluster_stop
