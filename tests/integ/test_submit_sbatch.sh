#!/usr/bin/env bash
# sbatch as scripts and clients call it: its words, where options come from, what the job sees.
# test-user test-fast
. stoker.sh
cluster_start

case_ "what it prints"
script ok.sh <<'X'
#SBATCH -o ok.out
echo fine
X
must sbatch ok.sh
like "standard output" "$out" 'Submitted batch job [0-9]+'
is "standard error" "$err" ""
job=${out##* }
wait_state "$job" COMPLETED
is "the output" "$(cat ok.out)" fine
must sbatch --parsable ok.sh
like "--parsable" "$out" '[0-9]+'
must sbatch --parsable -M test ok.sh
like "--parsable with a cluster" "$out" '[0-9]+;test'
says "-Q" 0 "" "" sbatch -Q ok.sh
says "version" 0 "slurm 23.02.7" "" sbatch --version

case_ "refused before it is sent"
says "unknown option" 255 "" $'sbatch: unrecognized option \'--foo\'\nTry "sbatch --help" for more information' sbatch --foo ok.sh
says "bad number" 1 "" 'sbatch: error: Invalid numeric value "x" for --ntasks.' sbatch -n x ok.sh
says "bad memory" 255 "" 'sbatch: error: Invalid --mem specification' sbatch --mem=1Z ok.sh
says "bad list" 1 "" 'sbatch: error: array "x": a number is missing
sbatch: error: Batch job submission failed: Invalid job array specification' sbatch -a x ok.sh
says "bad hint" 1 "" 'sbatch: error: unrecognized --hint argument "x", see --hint=help' sbatch --hint=x ok.sh
says "bad switches" 1 "" 'sbatch: error: Invalid numeric value "x" for --switches.' sbatch --switches=x ok.sh
says "bad distribution" 255 "" 'sbatch: error: Invalid --distribution specification' sbatch -m x ok.sh
says "bad limit" 1 "" 'sbatch: error: Bad rlimit name: x
sbatch: error: --propagate=x is not valid.' sbatch --propagate=x ok.sh
says "bad time" 255 "" 'sbatch: error: Invalid time specification (pos=0): x
sbatch: error: Invalid --begin specification' sbatch --begin=x ok.sh
says "bad variable" 255 "" 'sbatch: error: in the environment: SBATCH_TIMELIMIT=x
sbatch: error: Invalid --time specification' env SBATCH_TIMELIMIT=x sbatch ok.sh
says "no node" 1 "" 'sbatch: error: there is no node none
sbatch: error: Batch job submission failed: Invalid node name specified' sbatch -H -w none ok.sh
says "no feature" 1 "" 'sbatch: error: no node has the feature none
sbatch: error: Batch job submission failed: Invalid feature specification' sbatch -H -C none ok.sh
says "no partition" 1 "" 'sbatch: error: there is no partition none
sbatch: error: Batch job submission failed: Invalid partition name specified' sbatch -H -p none ok.sh
says "no file" 1 "" 'sbatch: error: Unable to open file none.sh' sbatch none.sh
echo 'echo hi' >plain
says "no interpreter" 1 "" 'sbatch: error: This does not look like a batch script.  The first
sbatch: error: line must start with #! followed by the path to an interpreter.
sbatch: error: For instance: #!/bin/sh' sbatch plain
printf '#!/bin/sh\r\necho hi\r\n' >dos
says "DOS" 1 "" 'sbatch: error: Batch script contains DOS line breaks (\r\n)
sbatch: error: instead of expected UNIX line breaks (\n).' sbatch dos
printf '#!/bin/sh\n#SBATCH -n 2\n#SBATCH --bogus\n' >bogus
says "in the header" 255 "" "sbatch: error: bogus:3: unrecognized option '--bogus'" sbatch bogus
printf '#!/bin/sh\n#SBATCH -n 2 four\n' >word
says "a stray word" 255 "" "sbatch: error: word:2: Invalid directive found in batch script: four" sbatch word

case_ "refused by the controller"
run sbatch -p nowhere ok.sh
is "status" $rc 1
is "standard output" "$out" ""
is "the last line" "${err##*$'\n'}" "sbatch: error: Batch job submission failed: Invalid partition name specified"
run sbatch -n 1000 ok.sh
is "too many" "${err##*$'\n'}" "sbatch: error: Batch job submission failed: Requested node configuration is not available"
run sbatch -d afterok:99999 ok.sh
is "dependency" "${err##*$'\n'}" "sbatch: error: Batch job submission failed: Job dependency problem"
run sbatch --array=0-100000 ok.sh
is "array" "${err##*$'\n'}" "sbatch: error: Batch job submission failed: Invalid job array specification"

case_ "header, environment, command line"
script order.sh <<'X'
#SBATCH -J fromheader -o order.out

#SBATCH --comment="two words"   # a remark
##SBATCH -J commented
echo x
#SBATCH -J late
X
name_of() { must squeue -h -t all -o %j -j "$1"; echo "$out"; }
submit -H order.sh
is "header" "$(name_of "$job")" fromheader
is "comment" "$(squeue -h -t all -o %k -j "$job")" "two words"
SBATCH_JOB_NAME=fromenv submit -H order.sh
is "environment" "$(name_of "$job")" fromenv
SBATCH_JOB_NAME=fromenv submit -H -J fromline order.sh
is "command line" "$(name_of "$job")" fromline

case_ "sources of scripts and their names"
submit -H --wrap 'echo wrapped'
is "wrap" "$(name_of "$job")" wrap
submit -H <ok.sh
is "stdin" "$(name_of "$job")" sbatch
submit -H /dev/stdin <ok.sh
is "/dev/stdin" "$(name_of "$job")" sbatch
submit -H ok.sh
is "file" "$(name_of "$job")" ok.sh

case_ "arguments and options behind the script belong to it"
script args.sh <<'X'
printf '<%s>\n' "$@" >args.out
X
must sbatch -W -o /dev/null args.sh -n 4 'a b' '$HOME' ''
is "arguments" "$(cat args.out)" $'<-n>\n<4>\n<a b>\n<$HOME>\n<>'

case_ "-W gives the job's code"
says "exit code" 7 "~" "" sbatch -W -o /dev/null --wrap 'exit 7'
says "signal" 1 "~" "" sbatch -W -o /dev/null --wrap 'kill -9 $$'
says "array: the highest" 3 "~" "" sbatch -W -o /dev/null --array=1-3 --wrap 'exit $SLURM_ARRAY_TASK_ID'
says "success" 0 "~" "" sbatch -W -o /dev/null --wrap true

case_ "the environment that goes along"
seen() { # seen OPTIONS...: what the job has of A, B and PATH
    must env A=1 B=two sbatch -W -o env.out "$@" --wrap 'echo "${A-unset} ${B-unset} ${PATH:+path} ${SLURM_JOB_ID:+id}"'
    cat env.out
}
is "default" "$(seen)" "1 two path id"
is "ALL" "$(seen --export=ALL)" "1 two path id"
is "NONE" "$(seen --export=NONE)" "unset unset path id"
is "a list" "$(seen --export=B)" "unset two path id"
is "with a value" "$(seen --export=ALL,A=9)" "9 two path id"
must sbatch -W -o clean.out -n 2 --wrap 'sbatch -W -o inner.out --wrap "env | grep -cE ^SLURM_NTASKS=; true" >/dev/null'
is "a job in a job is not asked for the outer one's tasks" "$(cat inner.out)" 0

case_ "SLURM_NTASKS is there only when asked for"
must sbatch -W -o n.out --wrap 'echo "${SLURM_NTASKS-unset} ${SLURM_NTASKS_PER_NODE-unset} ${SLURM_CPUS_PER_TASK-unset}"'
is "nothing" "$(cat n.out)" "unset unset unset"
must sbatch -W -o n.out -n2 -c2 --wrap 'echo "${SLURM_NTASKS-unset} ${SLURM_NTASKS_PER_NODE-unset} ${SLURM_CPUS_PER_TASK-unset}"'
is "asked for" "$(cat n.out)" "2 unset 2"
must sbatch -W -o n.out --gres=gpu:2 --wrap 'echo "$CUDA_VISIBLE_DEVICES $CUDA_DEVICE_ORDER $SLURM_GPUS_ON_NODE"'
is "GPUs" "$(cat n.out)" "0,1 PCI_BUS_ID 2"
must sbatch -W -o n.out --wrap 'echo "[${CUDA_VISIBLE_DEVICES-unset}]"'
is "no GPU is an empty list" "$(cat n.out)" "[]"

case_ "directories and patterns"
mkdir sub
must sbatch -W -D sub -o 'out-%x-%j.txt' -J here --wrap 'pwd; echo "$SLURM_SUBMIT_DIR"'
f=(sub/out-here-*.txt)
is "where it ran and from where" "$(cat "${f[0]}")" "$WORK/sub"$'\n'"$WORK"
must sbatch -W --array=3 -o 'deep/er/%A_%a.out' --wrap 'echo hi'
is "directories are made" "$(cat deep/er/*_3.out)" hi

case_ "the controller is away"
must stoker down
run sbatch ok.sh
is "status" $rc 1
is "the last line" "${err##*$'\n'}" "sbatch: error: Batch job submission failed: Unable to contact slurm controller (connect failure)"
