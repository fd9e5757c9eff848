#!/usr/bin/env bash
# Hostile and broken input from users: refused with a sentence, never a crash, never a forged line of output.
# test-fast
. stoker.sh
cluster_start
script ok.sh <<<'echo ok'
pid=$(controller_pid)
esc=$'\e'

# refused WHAT PART ARGS...: sbatch says no, with PART in the text
refused() {
    local what=$1 part=$2
    shift 2
    run sbatch "$@"
    [ $rc -ne 0 ] || fail "$what was accepted" "$out"
    has "$what" "$err" "$part"
    hasnt "$what: raw escape on the terminal" "$err" "$esc"
}

case_ "names and texts"
refused "escape in the name" "control characters" -J "a${esc}[2Jb" ok.sh
refused "newline in the name" "control characters" -J $'a\nb' ok.sh
refused "bidi override" "invisible" -J $'a\u202eb' ok.sh
refused "zero width" "invisible" -J $'a\u200bb' ok.sh
refused "bad UTF-8" "job name: it is not UTF-8" -J $'a\xff\xfeb' ok.sh
refused "129 bytes" "128" -J "$(printf 'x%.0s' {1..129})" ok.sh
run sbatch --comment "$(printf 'x%.0s' {1..5000})" ok.sh
is "what is malformed is said in one line" "$(grep -c . <<<"$err")" 1
like "which" "$err" "sbatch: error: Batch job submission failed: comment: .*"
refused "escape in the comment" "control characters" --comment "a${esc}b" ok.sh
refused "escape in the output file" "control characters" -o "a${esc}b" ok.sh
submit -J "$(printf 'x%.0s' {1..128})" --comment '100%s %n %d' ok.sh
wait_end $job
is "128 bytes are fine" "$state" COMPLETED
submit -J $'z\u00fcrich \u6f22\u5b57 %s%n%d' ok.sh
wait_end $job
is "letters and percent signs are fine" "$state $(squeue -h -t all -j $job -o %j)" $'COMPLETED z\u00fcrich \u6f22\u5b57 %s%n%d'

case_ "names of files"
submit -J 'a/../b' -o '%x.out' ok.sh
wait_end $job
is "a slash in a name makes a path" "$state $(cat b.out)" "COMPLETED ok"
submit -J 'q"; touch owned; "' ok.sh
wait_end $job
is "a name is not a command" "$state $(ls owned 2>&1)" "COMPLETED ls: cannot access 'owned': No such file or directory"

case_ "numbers"
for bad in -n0 -n-1 -c0 -N0 --mem=-5 --mem=x --gres=gpu:-1 -t-5 --array=5-1 --array=x --array=0-999999999 \
    --nice=x --signal=NOSUCH --begin=whenever --gpus=x; do
    refused "$bad" "" "$bad" ok.sh
done
refused "a kind of dependency that is none, with all there are" "aftercorr and singleton" -d foo:1 ok.sh
refused "more memory than numbers hold" "" --mem=99999999999999999999G ok.sh
is "nothing of that was queued" "$(squeue -h | wc -l)" 0

case_ "scripts"
: >empty.sh
refused "an empty script" "" empty.sh
refused "a directory" "" "$WORK"
printf '#!/bin/bash\r\necho dos\r\n' >dos.sh
refused "line breaks of DOS" "DOS line breaks" dos.sh
head -c 300 /dev/zero >zeros.sh
refused "zeros" "" zeros.sh
{ echo '#!/bin/bash'; head -c 5000000 /dev/zero | tr '\0' '#'; } >huge.sh
refused "over 4 MiB" "" huge.sh
{ echo '#!/bin/bash'; head -c 3000000 /dev/zero | tr '\0' '#'; echo; echo 'echo big'; } >big.sh
submit -o big.out big.sh
wait_end $job
is "3 MB run" "$state $(cat big.out)" "COMPLETED big"
script options.sh <<'E'
#SBATCH --no-such-thing
E
refused "an unknown option in the script" "no-such-thing" options.sh

case_ "environments"
run env BIG="$(head -c 120000 /dev/zero | tr '\0' x)" sbatch --parsable ok.sh
is "120 kB in a variable" "$rc" 0
run env "ODD=a${esc}b" $'TWO=line1\nline2' sbatch --parsable -o odd.out --wrap 'printf "%s|%s" "$ODD" "$TWO"'
wait_end "$out"
is "values are passed byte for byte" "$(cat odd.out)" "a${esc}b|line1
line2"

case_ "ids"
for id in 0 -1 4294967296 x 1.x 1_x '1_[' '' '1 2'; do
    run scontrol show job "$id"
    hasnt "scontrol show job '$id'" "$err" "$esc"
    run scancel "$id"
    run stoker show "$id"
    [ $rc -lt 100 ] || fail "stoker show '$id' ends with $rc"
    run squeue -j "$id"
    [ $rc -lt 100 ] || fail "squeue -j '$id' ends with $rc"
done

case_ "job files"
job_file_refused() {
    printf '%s\n' "$2" >x.job
    run stoker submit x.job
    [ $rc -ne 0 ] || fail "$1 was accepted"
    has "$1: the file is named" "$err" "x.job"
    [ -z "${3:-}" ] || has "$1" "$err" "$3"
}
job_file_refused "no steps" 'name = "x";'
job_file_refused "syntax" 'steps = ( { command = "x" ' "x.job:"
job_file_refused "an unknown key" $'name = "x";\nstepz = ();' "x.job:2"
job_file_refused "its nearest" $'steps = ( { comand = "x"; } );' "command"
job_file_refused "a wrong type" 'steps = ( { command = "x"; tasks = "many"; } );'
job_file_refused "no tasks" 'steps = ( { command = "x"; tasks = 0; } );'

case_ "the controller is the same and well"
is "its process" "$(controller_pid)" "$pid"
submit ok.sh
wait_end $job
is "a job afterwards" "$state" COMPLETED
cluster_stop
