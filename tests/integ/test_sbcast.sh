#!/usr/bin/env bash
# sbcast: a file to all nodes of a job, over SSH and here. sattach: beside a step that runs.
# test-user
. stoker.sh
. sshd.sh
sshd_start 2
line_start 1
mkdir -p "$STOKER_HOME"
cat >"$STOKER_HOME/stoker.cfg" <<CFG
cluster = "test";
nodes = ( $(ssh_node 1), $(ssh_node 2), { name = "here"; transport = "local"; cpus = 4; memory = "8G"; gpus = 0; detect = false; } );
partitions = ( { name = "main"; nodes = "n[1-2],here"; default = true; } );
kill_wait = "1s";
CFG
must stoker up
wait_for 30 nodes_up
mkdir one
no_hidden() { is "$1: nothing else" "$(ls -A one)" "$2"; }

head -c 3000000 /dev/urandom >source
chmod 751 source
touch -d @1000000000.25 source

case_ "to all nodes of a job, from a script in it"
cat >in.sh <<'S'
#!/bin/bash
sbcast -p source one/copy; echo "same file: $?"
sbcast --force source one/copy; echo "force: $?"
srun -N3 -n3 bash -c 'cmp source one/copy && echo "$SLURMD_NODENAME has it"' | sort
S
submit -N3 -n3 -o in.out -e in.err in.sh
wait_end "$job" 60
is "state" "$state" COMPLETED
is "all have it" "$(cat in.out)" "same file: 1
force: 0
here has it
n1 has it
n2 has it"
like "of three that share a directory one is first" "$(grep -c 'File exists' in.err)" '[12]'
like "who it is" "$(grep -m 1 'File exists' in.err)" "sbcast: error: (n1|n2|here): $PWD/one/copy: File exists"
is "its mode" "$(stat -c %a one/copy)" 751
no_hidden "after it" copy

case_ "one node, from outside: what is there, times, modes, sizes"
submit -w n1 -o /dev/null --wrap 'until [ -e go ]; do sleep 0.05; done'
wait_state "$job" RUNNING
rm -f one/copy
says "--jobid" 0 "" "" sbcast -j "$job" source "$PWD/one/copy"
must cmp source one/copy
[ "$(stat -c %Y one/copy)" -gt 1500000000 ] || fail "times came along without -p"
says "it is there" 1 "" "~" sbcast -j "$job" source one/copy
is "it says where" "${err%%$'\n'*}" "sbcast: error: n1: $PWD/one/copy: File exists"
must cmp source one/copy
says "-f -p" 0 "" "" sbcast -fp -j "$job" source one/copy
is "time" "$(stat -c %.Y one/copy | cut -c 1-13)" 1000000000.25
: >empty
chmod 440 empty
says "an empty one" 0 "" "" sbcast -j "$job" -C -F 8 -s 1m -t 60 -v empty one/empty
is "empty" "$(stat -c '%s %a' one/empty)" "0 440"
says "by the environment" 0 "" "" env SLURM_JOB_ID="$job" SBCAST_FORCE=1 sbcast source one/empty
must cmp source one/empty
ln -s nowhere one/link
says "a link is not followed" 1 "" "~" sbcast -j "$job" source one/link
has "a link is there" "$err" "File exists"
no_hidden "after all this" $'copy\nempty\nlink'

case_ "the nodes of one step"
srun --jobid="$job" --overlap -n1 bash -c 'echo $SLURM_STEP_ID >step; until [ -e go ]; do sleep 0.05; done' 2>/dev/null &
until_ 60 has_lines step 1 || fail "no step"
rm -f one/copy
says "-j JOB.STEP" 0 "" "" sbcast -j "$job.$(cat step)" source one/copy
must cmp source one/copy
says "no such step" 1 "" "sbcast: error: step $job.4000 has no nodes" sbcast -j "$job.4000" source one/x

case_ "what is wrong is said"
says "no names" 1 "" $'Need two file names, have 0 names\nTry "sbcast --help" for more information' sbcast -j "$job"
says "no job" 1 "" "~" sbcast source one/x
has "no job" "$err" "Need a job id to run this command."
says "no source" 1 "" "sbcast: error: Can't open \`none\`: No such file or directory" sbcast -j "$job" none one/x
says "a directory" 1 "" "sbcast: error: Can't open \`one\`: Is a directory" sbcast -j "$job" one one/x
says "into a directory" 1 "" "sbcast: error: Target filename cannot be a directory." sbcast -j "$job" source one/
says "onto a directory" 1 "" "~" sbcast -f -j "$job" source "$PWD/one"
has "onto a directory" "$err" "n1: $PWD/one: Is a directory"
says "nowhere" 1 "" "~" sbcast -j "$job" source "$PWD/none/x"
like "nowhere" "${err%%$'\n'*}" "sbcast: error: n1: $PWD/none/x: .*[Nn]o.*"
says "--send-libs" 1 "" "sbcast: error: --send-libs is not supported here: libraries are copied as files" sbcast -j "$job" --send-libs source one/x
says "a job that is none" 1 "" "sbcast: error: Invalid job id specified: x" sbcast -j x source one/x
says "a job that is not there" 1 "" "~" sbcast -j 999999 source one/x
has "a job that is not there" "$err" "Unable to confirm allocation for job 999999: Invalid job id specified"
says "an option that is none" 1 "" "~" sbcast --sned source one/x
no_hidden "nothing came of it" $'copy\nempty\nlink'

case_ "an end in the middle leaves nothing behind"
truncate -s 200M large
line_is 1 "rate 200000" # a thousand seconds of it
sbcast -j "$job" large one/large &
copying=$!
begun() { [ -n "$(ls -A one/large 2>/dev/null)" ]; }
until_ 60 begun || fail "it does not begin"
kill -TERM $copying
line_is 1 "rate 0"
wait_for 60 is_dead $copying
wait $copying
[ $? -ne 0 ] || fail "status 0 after an interruption"
gone() { [ ! -e one/large ]; }
until_ 60 gone || fail "half a file is left"
touch go
wait_end "$job"
says "an end" 1 "" "~" sbcast -j "$job" source one/x
has "an end" "$err" "Job/step already completing or completed"
rm go

case_ "sattach"
srun -N2 -n3 -w n[1-2] bash -c 'echo "out $SLURM_PROCID"; echo "err $SLURM_PROCID" >&2; until [ -e go ]; do sleep 0.05; done; exit $((SLURM_PROCID + 2))' >/dev/null 2>&1 &
running() { job=$(squeue -h -t R -o %i) && [ -n "$job" ] && [ -n "$(sattach --layout "$job.0" 2>/dev/null)" ]; }
until_ 60 running || fail "it does not run"
says "--layout" 0 "~" "" sattach --layout "$job.0"
is "layout" "$out" $'Job step layout:\n\t3 tasks, 2 nodes (n[1-2])\n\n\tNode 0 (n1), 2 task(s): 0 1 \n\tNode 1 (n2), 1 task(s): 2 '
says "no period" 1 "~" "sattach: error: Did not find a period in the step ID string" sattach "$job"
has "the usage" "$out" "Usage: sattach"
says "no number" 1 "~" 'sattach: error: "batch" does not look like a stepid' sattach "$job.batch"
says "no such step" 1 "" "sattach: error: Could not get job step info: Invalid job id specified" sattach "$job.77"
says "no such job" 1 "" "sattach: error: Could not get job step info: Invalid job id specified" sattach 999999.0
says "a filter that is none" 1 "" 'sattach: error: Invalid numeric value "x" for output-filter.' sattach --output-filter=x "$job.0"
says "input" 1 "" "sattach: error: --input-filter is not supported here: a step reads what its srun reads" sattach --input-filter=0 "$job.0"
sattach -l -Q "$job.0" >labels.out 2>labels.err &
labels=$!
sattach --output-filter=1 "$job.0" >one.out 2>one.err &
only=$!
seen() { has_lines labels.out 3 && has_lines labels.err 3 && has_lines one.out 1; }
until_ 60 seen || fail "it shows nothing" "$(cat labels.out one.out)"
touch go
wait $labels
is "its status" $? 4
wait $only
is "labels" "$(sort labels.out labels.err | tr '\n' ' ')" "0: err 0 0: out 0 1: err 1 1: out 1 2: err 2 2: out 2 "
is "one task" "$(cat one.out) $(grep ^err one.err)" "out 1 err 1"
has "how tasks ended" "$(cat one.err)" "sattach: error: n2: task 2: Exited with exit code 4"
wait_end "$job"
says "it has ended" 1 "" "sattach: error: Could not get job step info: Job/step already completing or completed" sattach "$job.0"
cluster_stop
