#!/usr/bin/env bash
# Windows and reservations: nothing starts that would run into one, its own jobs do, both command sets speak of the same thing,
# a restart keeps them, and one that is over goes by itself.
# test-fast
. stoker.sh
NODES="n[1-2]"
PARTITIONS='{ name = "main"; nodes = "n[1-2]"; default = true; default_time = "1:00:00"; }'
cluster_start
me=$(id -un)
script wait.sh <<'E2'
exec 9<> <(:); while [ ! -e "$1" ]; do read -rt 0.05 -u 9; done
E2
is_reason() { [ "$(job_reason "$1")" = "$2" ]; }
no_windows() { [ "$(stoker window list)" = "no windows" ]; }

case_ "none"
is "list" "$(stoker window list)" "no windows"
says "scontrol" 0 "No reservations in the system" "" scontrol show reservation
says "sinfo" 0 "No reservations in the system" "" sinfo -T
says "one by name" 1 "Reservation gone not found" "" scontrol show reservation gone

case_ "not a reservation"
for bad in "add --nodes=n1" "add --duration=1h" "add --nodes=n9 --duration=1h" "add --nodes=n1 --duration=1h --start=yesterday-ish" \
    "add --nodes=n1 --start=now+2hours --end=now+1hour" "frobnicate" "remove"; do
    run stoker window $bad
    [ $rc -ne 0 ] || fail "taken: stoker window $bad" "$out"
done
run stoker window remove nosuch
is "unknown name" $rc 3
run scontrol create reservation Nodes=n1 Duration=60
has "without users" "$err" "Either Users/Groups and/or Accounts must be specified."
is "nothing came of it" "$(stoker window list)" "no windows"

case_ "maintenance ahead: what fits before it starts, what does not waits"
must stoker window add --nodes=ALL --start=now+30minutes --duration=2h --name service --reason "new fans"
is "its name" "$out" service
has "list" "$(stoker window list)" "maintenance"
has "json" "$(stoker window list --json)" '"reason":"new fans"'
like "seconds and words" "$(stoker window list --json)" '.*"kind":"maintenance","start":[0-9]{10},"end":[0-9]{10},.*'
submit --wrap true
long=$job
submit -t 10 --wrap true
short=$job
wait_end $short
is "the short one" "$state" COMPLETED
is "the long one waits" "$(job_state $long)" PENDING
is "Slurm's reason" "$(job_reason $long)" "ReqNodeNotAvail, Reserved for maintenance"
is "as one word" "$(job_field $long Reason)" "ReqNodeNotAvail,_Reserved_for_maintenance"
must stoker why $long
has "why" "$out" service
must scontrol update JobId=$long TimeLimit=20
wait_end $long
is "made shorter it fits" "$state" COMPLETED

case_ "--time-min: cut to what fits"
submit -t 60 --time-min=5 wait.sh go
wait_state $job RUNNING
limit=$(job_field $job TimeLimit)
[[ $limit < 00:30:01 && $limit > 00:20:00 ]] || fail "its limit is $limit"
touch go
wait_end $job

case_ "Slurm's form"
must scontrol show reservation service
has "name" "$out" "ReservationName=service StartTime="
has "nodes" "$out" "Nodes=n[1-2] NodeCnt=2 CoreCnt=16"
has "flags" "$out" "Flags=MAINT,SPEC_NODES,ALL_NODES"
has "state" "$out" "State=INACTIVE"
must sinfo -h -T
like "sinfo -T" "$out" 'service +INACTIVE +[0-9T:-]+ +[0-9T:-]+ +02:00:00  n\[1-2\]'
says "update" 0 "Reservation updated." "" scontrol update ReservationName=service Duration=1:00:00
has "shorter" "$(scontrol show res service)" "Duration=01:00:00"
says "delete" 0 "" "" scontrol delete reservation=service
run scontrol delete reservation=service
is "once" $rc 1
is "gone" "$(stoker window list)" "no windows"

case_ "a reservation: for those it names"
must scontrol create reservation StartTime=now Duration=60 Nodes=n1 Users=nobody ReservationName=course
is "created" "$out" "Reservation created: course"
run sbatch --reservation=course --wrap true
is "not for me" $rc 1
run sbatch --reservation=nosuch --wrap true
has "no such" "$err" "reservation"
submit -w n1 -t 5 --wrap true
kept=$job
submit -N 2 -t 5 --wrap true
both=$job
submit -t 5 --wrap true
wait_end $job
is "another node is free" "$state" COMPLETED
is "kept off" "$(job_state $kept) $(job_state $both)" "PENDING PENDING"
must scontrol update ReservationName=course Users=nobody,$me
submit --reservation=course -t 5 --wrap 'echo $SLURM_JOB_NODELIST >where'
wait_end $job
is "its own job, on its node" "$state $(cat where)" "COMPLETED n1"
must scontrol create reservation StartTime=now+5hours Duration=60 Nodes=n2 Users=$me ReservationName=later
submit --reservation=later -t 5 --wrap true
wait_for 10 is_reason $job Reservation
must stoker why $job
has "why" "$out" "its reservation later begins in"
later=$job

case_ "an unknown user is refused"
says "a user" 3 "" "stoker window: error: there is no user nosuchuser on the controller's machine" \
    stoker window add --nodes=n2 --start=now+9hours --duration=1h --users="$me,nosuchuser"
says "Slurm's words" 1 "" "Error updating the reservation: Invalid user id
slurm_update error: Invalid user id" scontrol update ReservationName=course Users=nosuchuser
hasnt "nothing came of it" "$(stoker window list)" nosuchuser

case_ "a restart keeps them"
before=$(stoker window list)
controller_kill9
must stoker up
wait_for 15 nodes_up
is "the same" "$(stoker window list)" "$before"
is "still kept off" "$(job_state $kept)" PENDING

case_ "what is removed lets go"
must stoker window remove course
wait_end $kept
wait_end $both
is "both ran" "$(job_state $kept) $(job_state $both)" "COMPLETED COMPLETED"
must stoker window remove later
wait_for 10 is_reason $later ReservationDeleted
scancel $later

case_ "a job names a node that is drained"
must stoker node drain n1 --reason=fan
submit -w n1 --wrap true
named=$job
has_reason() { [ "$(job_reason $named)" = "ReqNodeNotAvail, UnavailableNodes:n1" ]; }
wait_for 10 has_reason
must stoker node resume n1
wait_end $named
is "it runs then" "$state" COMPLETED

case_ "one that is over goes by itself"
must stoker window add --nodes=n1,n2 --duration=2s
wait_for 20 no_windows
submit --wrap true
wait_end $job
is "and lets jobs start" "$state" COMPLETED
cluster_stop
