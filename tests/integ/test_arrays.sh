#!/usr/bin/env bash
# Job arrays: one submission, elements with numbers of their own, limits, names of files, elements cancelled one by one.
# test-user test-fast
. stoker.sh
cluster_start
script el.sh <<'E'
echo "$SLURM_ARRAY_JOB_ID $SLURM_ARRAY_TASK_ID $SLURM_ARRAY_TASK_COUNT $SLURM_ARRAY_TASK_MIN $SLURM_ARRAY_TASK_MAX $SLURM_ARRAY_TASK_STEP $SLURM_JOB_ID"
E
script wait.sh <<<'exec 9<> <(:); while [ ! -e go ]; do read -rt 0.05 -u 9; done; exit 0'

ended() { [ -z "$(squeue -h -j "$1")" ]; }
count() { squeue -h -r -j "$1" -t "$2" -o %K | wc -l; }
is_count() { [ "$(count "$1" "$2")" -eq "$3" ]; }

case_ "elements, their environment, slurm-%A_%a.out"
says submit 0 "Submitted batch job 1" "" sbatch -a 1-10:3 el.sh
wait_for 20 ended 1
for k in 1 4 7 10; do
    like "element $k" "$(cat slurm-1_$k.out)" "1 $k 4 1 10 3 [0-9]+"
done
is "as many files as elements" "$(ls slurm-1_*.out | wc -l)" 4
is "ids given once" "$(cat slurm-1_*.out | cut -d' ' -f7 | sort -u | wc -l)" 4
is "the last element keeps the array's id" "$(cut -d' ' -f7 slurm-1_10.out)" 1
is "states" "$(squeue -h -t all -j 1 -o '%i %T' | sort -V)" "1_1 COMPLETED
1_4 COMPLETED
1_7 COMPLETED
1_10 COMPLETED"

case_ "the list has a line for an array, or one for each element"
is "one line" "$(stoker jobs -a | grep -c " el.sh ")" 1
has "its counts" "$(stoker jobs -a)" "4 done"
is "a line for each" "$(stoker jobs -a --elements | grep -c " el.sh ")" 4
has "the elements that are named" "$(stoker jobs 1_4)" "1_4 "

case_ "a limit: never more than it at once"
submit -a 0-5%2 wait.sh
a=$job
wait_for 10 is_count $a R 2
is "the rest is one row" "$(squeue -h -t PD -j $a -o '%i %r')" "${a}_[2-5%2] JobArrayTaskLimit"
is "or a row each" "$(squeue -h -r -t PD -j $a -o %i | tr '\n' ' ')" "${a}_2 ${a}_3 ${a}_4 ${a}_5 "
must stoker why $a
has "one more would start" "$out" "try: with ArrayTaskThrottle=3 it could start now on n1"
hasnt "it stands in no queue" "$out" "place"
has "of an element that waits" "$(stoker why ${a}_4)" "try: with ArrayTaskThrottle=3 it could start now on n1"
says "a new limit" 0 "" "" scontrol update JobId=$a ArrayTaskThrottle=3
wait_for 10 is_count $a R 3

case_ "some elements go, waiting and running"
says "elements" 0 "" "" scancel "${a}_[0,4]" "${a}_5"
wait_for 10 is_count $a R 3
wait_state "${a}_0" CANCELLED
is "waiting ones are gone" "$(squeue -h -r -t PD -j $a -o %i)" ""
is "states" "$(squeue -h -r -t all -j $a -o '%K %t' | sort -n | tr '\n' ' ')" "0 CA 1 R 2 R 3 R 4 CA 5 CA "
says "one by its number" 0 "" "" scancel "${a}_2"
wait_state "${a}_2" CANCELLED # else it may end by itself before its signal
touch go
wait_for 20 ended $a
is "states at the end" "$(squeue -h -r -t all -j $a -o '%K %t' | sort -n | tr '\n' ' ')" "0 CA 1 CD 2 CA 3 CD 4 CA 5 CA "
rm go

case_ "the whole array goes"
submit -a 0-99 -c 4 wait.sh
wait_for 10 is_count $job R 2
says scancel 0 "" "" scancel $job
wait_for 20 ended $job
is "all cancelled" "$(squeue -h -r -t all -j $job -o %T | sort | uniq -c | tr -s ' ')" " 100 CANCELLED"

case_ "hold and release of an array"
submit -H -a 0-1 el.sh
is "held" "$(squeue -h -j $job -o '%i %r')" "${job}_[0-1] JobHeldUser"
says release 0 "" "" scontrol release $job
wait_for 20 ended $job
is "ran" "$(cat slurm-${job}_?.out | wc -l)" 2

case_ "-W gives the highest code"
says "-W" 3 "~" "" sbatch -W -a 0-3 --wrap 'exit $SLURM_ARRAY_TASK_ID'

case_ "an array lives through a restart"
submit -a 0-7 -c 4 wait.sh
wait_for 10 is_count $job R 2
controller_kill9
must stoker up
wait_for 10 nodes_up
is "two run, six wait" "$(count $job R) $(count $job PD)" "2 6"
touch go
wait_for 20 ended $job
is "all completed" "$(squeue -h -r -t all -j $job -o %T | sort | uniq -c | tr -s ' ')" " 8 COMPLETED"

case_ "update of an array changes what waits in it and every element that runs; of one element, that one alone"
rm -f go
submit -a 0-4 -c 4 -t 10 wait.sh
wait_for 10 is_count $job R 2
limits() { squeue -h -r -j "$1" -o '%K %l' | sort -n | tr '\n' ' '; }
must scontrol update jobid=$job TimeLimit=5
is "all of them" "$(limits $job)" "0 5:00 1 5:00 2 5:00 3 5:00 4 5:00 "
must scontrol update jobid=${job}_1 TimeLimit=4
must scontrol update jobid=${job}_3 TimeLimit=3
is "an element that runs, one that waits" "$(limits $job)" "0 5:00 1 4:00 2 5:00 3 3:00 4 5:00 "
says "what running ones refuse, the others get" 1 "" "Job is no longer pending execution for job $job" \
    scontrol update jobid=$job Nice=7
is "the others got it" "$(squeue -h -r -t PD -j $job -O nice:.1 | sort -u)$(squeue -h -r -t R -j $job -O nice:.1 | sort -u)" 70

case_ "a request that is refused leaves an element in its record"
records() { squeue -h -j "$1" -t PD -o %i | sort | tr '\n' ' '; }
before="$(records $job)"
has "what waits is one record but for the one that was changed" "$before" "${job}_[2,4] "
says "suspend" 1 "" "~" scontrol suspend ${job}_2
says "requeue" 1 "" "~" scontrol requeue ${job}_2
says "notify" 1 "" "~" scontrol notify ${job}_2 hello
says "a signal" 1 "" "~" scancel -s USR1 ${job}_2
says "of a step" 1 "" "~" scancel ${job}_2.0
says "update" 1 "" "~" scontrol update jobid=${job}_2 Partition=nosuch
says "update" 1 "" "~" scontrol update jobid=${job}_2 TimeLimit=nonsense
is "nothing was split off" "$(records $job)" "$before"
must scontrol hold ${job}_2
is "what is done splits it off" "$(records $job)" "${job}_2 ${job}_3 ${job}_[4] "
scancel $job

case_ "what is asked about an element of an array that was cancelled while it waited"
submit -H -a 1-3 --wrap true
must scancel "$job"
pid=$(controller_pid)
says "update" 1 "" "Job/step already completing or completed for job ${job}_2" scontrol update "jobid=${job}_2" comment=x
for words in "scontrol hold" "scontrol release" "scontrol requeue" "scontrol suspend" "scontrol resume" "scancel" "scancel -s USR1" \
    "scancel -b" "stoker why" "stoker show" "stoker output" "scontrol show job" "scontrol notify"; do
    extra=
    [ "$words" != "scontrol notify" ] || extra=hello
    run $words "${job}_2" $extra
    is "the controller after $words" "$(controller_pid) $(squeue -h -r -t all -j "$job" -o %T | sort -u)" "$pid CANCELLED"
done

cluster_stop
