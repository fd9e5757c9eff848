#!/usr/bin/env bash
# Licences, limits, deadlines: what is used up makes jobs wait with numbers and holders, what can never be is refused.
. stoker.sh
me=$(id -un)
PARTITIONS='{ name = "main"; nodes = "n1"; default = true; default_time = "1:00:00"; }, { name = "small"; nodes = "n1"; }'
EXTRA='licenses = ( { name = "matlab"; count = 3; }, { name = "ansys"; count = 1; } );
limits = ( { scope = "user"; name = "*"; partition = "main"; hard = { gpus = 2; running_jobs = 3; }; },
           { scope = "user"; name = "*"; hard = { submitted_jobs = 12; array_size = 5; }; } );'
cluster_start
script wait.sh <<'E2'
exec 9<> <(:); while [ ! -e "$1" ]; do read -rt 0.05 -u 9; done
E2
is_reason() { [ "$(job_reason "$1")" = "$2" ]; }

case_ "licences"
submit -L matlab:2 wait.sh go
a=$job
wait_state $a RUNNING
submit -L matlab:2,ansys wait.sh go
b=$job
wait_for 10 is_reason $b Licenses
must stoker why $b
has "why" "$out" "needs 2 of licence matlab, 2 of 3 in use by job $a"
has "class" "$(stoker why --json $b)" '"BUSY"'
submit -L matlab wait.sh go
c=$job
wait_state $c RUNNING
must scontrol show licenses
has "used" "$out" "Total=3 Used=3 Free=0"
for bad in matlab:4 nosuch matlab:x matlab:2,matlab:2; do
    run sbatch -L $bad --wrap true
    is "refused: $bad" $rc 1
    has "said so" "$err" "Invalid license specification"
done
touch go
wait_end $b
is "it came to it" "$state" COMPLETED
wait_end $c
rm -f go

case_ "a hard limit makes wait, with numbers"
submit --gpus=2 wait.sh go
a=$job
wait_state $a RUNNING
submit --gpus=1 wait.sh go
b=$job
wait_for 10 is_reason $b QOSMaxGRESPerUser
must stoker why $b
has "why" "$out" "user $me holds 2 of 2 GPUs and asks for 1 more (hard limit for users in partition main)"
submit wait.sh go
c=$job
submit wait.sh go
d=$job
wait_state $d RUNNING
submit wait.sh go
e=$job
wait_for 10 is_reason $e QOSMaxJobsPerUserLimit
submit -p small --gpus=1 wait.sh go
wait_state $job RUNNING
touch go
for id in $a $b $c $d $e $job; do
    wait_end $id
done
is "both ran" "$(job_state $b) $(job_state $e)" "COMPLETED COMPLETED"
rm -f go

case_ "what can never be is refused"
run sbatch --gpus=3 --wrap true
is "gpus" $rc 1
has "the text" "$err" "3 GPUs asked; user $me may hold 2 (hard limit for users in partition main)"
run stoker submit --gpus=3 -- true
is "stoker's code" $rc 4
run sbatch -p small -a 0-5 --wrap true
has "array" "$err" "6 elements in an array asked; user $me may have 5"
submit -H --gpus=3 --wrap true
run scontrol release $job
is "nor released" "$(job_state $job)" PENDING
scancel $job
for i in $(seq 12); do submit -H --wrap true; done
run sbatch -H --wrap true
has "queue" "$err" "user $me has 12 of 12 jobs in the queue and asks for 1 more"
scancel -u $me
none() { [ -z "$(squeue -h)" ]; }
wait_for 10 none

case_ "deadlines"
run sbatch -t 60 --deadline=now+30minutes --wrap true
is "too late already" $rc 1
has "the text" "$err" "deadline"
submit --gpus=2 wait.sh go
a=$job
wait_state $a RUNNING
submit --gpus=2 -t 1 --deadline=now+72seconds --wrap true
wait_state $job DEADLINE 40
is "reason" "$(job_reason $job)" DeadLine
touch go
wait_end $a
submit -t 60 --time-min=1 --deadline=now+30minutes --wrap true
wait_end $job
is "cut to the deadline" "$state" COMPLETED
limit=$(job_field $job TimeLimit)
[[ $limit < 00:30:01 && $limit > 00:20:00 ]] || fail "its limit is $limit"
cluster_stop
