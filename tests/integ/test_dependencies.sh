#!/usr/bin/env bash
# Dependencies, live: each kind on jobs that succeed and fail, arrays element by element, what was met stays met, what is dead
# says so, the history is asked about what has been retired, and a restart forgets nothing.
# test-fast
. stoker.sh
CPUS=16
cluster_start
script wait.sh <<'E2'
exec 9<> <(:); while [ ! -e "$1" ]; do read -rt 0.05 -u 9; done
exit "${2:-0}"
E2
script element.sh <<'E2'
exec 9<> <(:); while [ ! -e "go$SLURM_ARRAY_TASK_ID" ]; do read -rt 0.05 -u 9; done
[ "$SLURM_ARRAY_TASK_ID" != 1 ]
E2

is_reason() { [ "$(squeue -h -t PD -o %r -j "$1" 2>&1)" = "$2" ]; } # of what waits: elements may have ended
why() { stoker why "$1"; }

case_ "a chain: each after the one before"
submit wait.sh a
a=$job
submit -d afterok:$a wait.sh b
b=$job
submit -d afterok:$b --wrap true
c=$job
wait_state $a RUNNING
is "b waits" "$(job_state $b) $(job_reason $b)" "PENDING Dependency"
is "shown as Slurm shows it" "$(job_field $b Dependency)" "afterok:$a(unfulfilled)"
is "%E" "$(squeue -h -o %E -j $c)" "afterok:$b(unfulfilled)"
is "not eligible yet" "$(job_field $b EligibleTime)" Unknown
has "why b" "$(why $b)" "waits for job $a (running) to succeed"
has "why c" "$(why $c)" "waits for job $b (waiting itself for another) to succeed"
touch a
wait_state $b RUNNING
hasnt "eligible now" "$(job_field $b EligibleTime)" Unknown
is "a is kept no longer than it is needed" "$(job_state $c)" PENDING
touch b
wait_end $c
is c "$state" COMPLETED
rm -f a b

case_ "afterok of one that fails: never; afternotok: now; afterany: now"
submit wait.sh a 3
a=$job
submit -d afterok:$a --wrap true
ok=$job
submit -d afterok:$a --kill-on-invalid-dep=yes --wrap true
killed=$job
submit -d afternotok:$a --wrap true
not_ok=$job
submit -d afterok:$a?afterany:$a --wrap true
either=$job
touch a
wait_for 10 is_reason $ok DependencyNeverSatisfied
has "why" "$(why $ok)" "can never start: job $a (failed, exit 3) had to succeed"
has "class" "$(stoker why --json $ok)" '"DEP_DEAD"'
is "Dependency=" "$(job_field $ok Dependency)" "afterok:$a(failed)"
submit -d afterany:$ok --wrap true
has "why of one behind it" "$(why $job)" "waits for job $ok (which can never start) to end"
must scancel $job
wait_end $killed
is killed "$state $(job_reason $killed)" "CANCELLED DependencyNeverSatisfied"
wait_end $not_ok
is afternotok "$state" COMPLETED
wait_end $either
is "either of two" "$state" COMPLETED
scancel $ok
rm -f a

case_ "a dead dependency can be changed"
submit --wrap false
wait_end $job
bad=$job
submit -H --wrap true
hold=$job
run scontrol update JobId=$hold Dependency=afterok:$hold
is "not on itself" $rc 1
must scontrol update JobId=$hold Dependency=afterany:$bad
must scontrol release $hold
wait_end $hold
is "now it runs" "$state" COMPLETED

case_ "aftercorr: element by element"
submit -a 0-2 element.sh
a=$job
submit -a 0-2 -d aftercorr:$a --wrap 'touch did$SLURM_ARRAY_TASK_ID'
b=$job
touch go2
wait_for 10 is_file did2
is "the others wait" "$(ls did* | tr '\n' ' ')" "did2 "
touch go0
wait_for 10 is_file did0
touch go1
wait_for 10 is_reason $b DependencyNeverSatisfied
is "never" "$(ls did* | tr '\n' ' ')" "did0 did2 "
scancel $b
rm -f go? did?

case_ "singleton: one of its name at a time, in order"
script one.sh <<'E2'
echo + >>ledger
exec 9<> <(:); while [ ! -e "$1" ]; do read -rt 0.05 -u 9; done
echo - >>ledger
E2
for i in 1 2 3; do
    submit -J one -d singleton one.sh go$i
    s[i]=$job
done
wait_state ${s[1]} RUNNING
is "the second waits" "$(job_reason ${s[2]})" Dependency
has "why" "$(why ${s[2]})" "waits for job ${s[1]} named \"one\" to end (singleton)"
touch go1 go2 go3
wait_end ${s[3]}
is "one by one" "$(tr -d '\n' <ledger)" "+-+-+-"
rm -f go? ledger

case_ "a ring by way of a singleton"
submit -H -J ring --wrap true
first=$job
submit -H -J ring -d singleton --wrap true
second=$job
submit -H -J other -d afterok:$second --wrap true
third=$job
run scontrol update JobId=$first Dependency=afterany:$second
is "it waits for the first" "$rc" 1
has "says so" "$err" "Job dependency problem"
run scontrol update JobId=$first Dependency=afterany:$third
is "by way of another" "$rc" 1
must scontrol update JobId=$second Dependency=
must scontrol update JobId=$first Dependency=afterany:$third
run scontrol update JobId=$second Dependency=singleton
is "a singleton that closes it" "$rc" 1
has "says so" "$err" "Job dependency problem"
scancel $first $second $third

case_ "what has been retired is asked of the history"
min_job_age() { # TIME
    sed -i '/min_job_age/d' "$STOKER_HOME/stoker.cfg"
    echo "min_job_age = \"$1\";" >>"$STOKER_HOME/stoker.cfg"
    must scontrol reconfigure
}
submit --wrap true
good=$job
wait_end $good
submit --wrap false
bad=$job
wait_end $bad
min_job_age 1s
retired() { [ -z "$(squeue -h -t all -j $bad 2>/dev/null)$(squeue -h -t all -j $good 2>/dev/null)" ]; }
wait_for 30 retired
# Ended jobs are not listed for longer than that, retired a little later: while the state has it, it is a dependency.
begins_later() {
    submit -d after:$good+600 --wrap true
    [ -n "$(job_field $job StartTime)" ] && [ "$(job_field $job Dependency)" = "(null)" ] || { scancel $job; false; }
}
wait_for 30 begins_later
is "minutes after a start that only the history knows" "$(job_reason $job)" BeginTime
begins=$(job_field $job StartTime)
is "its begin time" "$begins" "$(date -u -d "$(sacct -Xn -j $good -o start | tr -d ' ') 600 minutes" +%FT%T)"
scancel $job
min_job_age 300s
submit -d afterok:$good,afternotok:$bad --wrap true
wait_end $job
is "met by history" "$state" COMPLETED
submit -d afterok:$bad --wrap true
wait_for 10 is_reason $job DependencyNeverSatisfied
scancel $job
submit -d after:$good+600?afterok:$good --wrap true
wait_end $job
is "any of them" "$state" COMPLETED
run sbatch --parsable -d afterok:999999 --wrap true
is "unknown: refused" "$rc" 1
has "its text" "$err" "999999"
run stoker submit --dependency=sometime:1 -- true
is "not understood: refused" "$rc" 4

case_ "a restart keeps what was met and what is open"
submit wait.sh a
a=$job
submit -d afterok:$a wait.sh b
b=$job
submit --wrap true
wait_end $job
submit -H -d afterok:$job --wrap true
met=$job
eligible=$(job_field $met EligibleTime)
hasnt "met at once" "$eligible" Unknown
controller_kill9
must stoker up
wait_for 15 nodes_up
is "still waits" "$(job_state $b) $(job_reason $b)" "PENDING Dependency"
submit -H --wrap true
changed=$job
must scontrol update JobId=$changed Dependency=afterok:$good,afternotok:$bad # only the history knows them now
is "a change is met by history" "$(job_field $changed Dependency)" "(null)"
submit -H --wrap true
must scontrol update JobId=$job Dependency=after:$good+600
is "minutes after a start, by history" "$(job_field $job Dependency) $(job_field $job EligibleTime)" "(null) $begins"
scancel $job
must scontrol update JobId=$changed Dependency=afterok:$bad
must scontrol release $changed
wait_for 10 is_reason $changed DependencyNeverSatisfied
run scontrol update JobId=$changed Dependency=afterok:999998
is "a change to an unknown dependency" $rc 1
has "its text" "$err" "ependency"
must scontrol update JobId=$changed Dependency=
wait_end $changed
is "and it runs" "$state" COMPLETED
is "still met" "$(job_field $met EligibleTime)" "$eligible"
touch a
wait_state $b RUNNING
touch b
wait_end $b
is "the chain went on" "$state" COMPLETED
scancel $met
cluster_stop
