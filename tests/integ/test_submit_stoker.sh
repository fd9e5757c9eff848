#!/usr/bin/env bash
# stoker submit: job files with steps, scripts, commands byte for byte.
. stoker.sh
cluster_start

case_ "a command, byte for byte"
must stoker submit -o cmd.out -- printf '<%s>\n' 'a b' '$HOME' '' -n
like "the id" "$out" '[0-9]+'
wait_state "$out" COMPLETED
is "output" "$(cat cmd.out)" $'<a b>\n<$HOME>\n<>\n<-n>'
is "name" "$(squeue -h -t all -o %j -j "$out")" printf
must stoker submit --json -o /dev/null -- true
like "--json" "$out" '\{"schema":1,"job":[0-9]+\}'
says "the code with -W" 3 "~" "" stoker submit -W -o /dev/null -- sh -c 'exit 3'

case_ "a script, as with sbatch"
script s.sh <<'X'
#SBATCH -o s.out -J named
echo "$1"
X
must stoker submit s.sh 'an argument'
wait_state "$out" COMPLETED
is "output" "$(cat s.out)" "an argument"

case_ "a job file: steps one after the other, tasks side by side"
cat >sweep.job <<'X'
name = "sweep";
env = [ "FROM=file", "MORE=job" ];
steps = (
  { name = "first"; command = "echo first >order; echo $FROM $MORE"; },
  { name = "middle"; tasks = 8; gpus = 1; env = [ "MORE=step" ];
    command = "test -s order && echo $STOKER_TASK_ID $CUDA_VISIBLE_DEVICES $FROM $MORE"; },
  { name = "last"; command = "cat stoker-*-1-*.out | wc -l"; }
);
X
must stoker submit sweep.job
job=$out
wait_end "$job"
is "state" "$state" COMPLETED
is "the first" "$(cat "stoker-$job-0-0.out")" "file job"
is "eight tasks, a GPU each" "$(cat "stoker-$job-1-"?.out | awk '{ print NF, $3, $4 }' | sort | uniq -c | sed 's/^ *//')" "8 4 file step"
is "the last saw them all" "$(cat "stoker-$job-2-0.out")" 8

case_ "options go over the file"
must stoker submit -H -J other sweep.job
is "name" "$(squeue -h -t all -o %j -j "$out")" other
is "held" "$(job_state "$out")" PENDING
must scancel "$out"
says "of a step" 2 "" "stoker submit: error: --ntasks: in a job file each step says that for itself" stoker submit -n 4 sweep.job
says "arguments" 2 "" "stoker submit: error: sweep.job: a job file takes no arguments" stoker submit sweep.job x

case_ "what is wrong is said with its line"
printf 'name = "x";\nsteps = ( { name = "a"; tsaks = 2; command = "true"; } );\n' >bad.job
run stoker submit bad.job
is "status" $rc 1
has "the line" "$err" "bad.job:2"
run stoker submit none.job
is "status" $rc 1
has "the name" "$err" "none.job"
run stoker submit -p nowhere -- true
is "refused by policy" $rc 4
run stoker submit --bogus -- true
is "usage" $rc 2

case_ "the controller is away"
must stoker down
run stoker submit -- true
is "status" $rc 5
