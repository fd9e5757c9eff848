#!/usr/bin/env bash
# stoker sim as a command: what it refuses and how it says so, its exit codes, its JSON, its bar on a terminal.
. stoker.sh
trace=$ROOT/tests/sim/data/synthetic.swf
cat >made.work <<'WORK'
days = 2.0; jobs_per_day = 50.0;
users = ( { name = "u"; } );
shapes = ( { name = "s"; } );
WORK

try=$'\nTry "stoker sim --help" for more information'
case_ "wrong usage"
says "nothing" 2 "" "stoker sim: one trace or --generate=FILE is needed$try" stoker sim
says "two traces" 2 "" "stoker sim: one trace or --generate=FILE is needed$try" stoker sim "$trace" "$trace"
says "both" 2 "" "stoker sim: one trace or --generate=FILE is needed$try" stoker sim "$trace" --generate=made.work
says "processors of no trace" 2 "" "stoker sim: --procs-only replays a trace, it generates nothing$try" \
    stoker sim --procs-only --generate=made.work
says "processors of a cluster" 2 "" \
    "stoker sim: --procs-only knows no cluster, only the processors of the trace's header$try" \
    stoker sim --procs-only --config=x "$trace"
says "a seed of a trace" 2 "" "stoker sim: --seed is for --generate$try" stoker sim --seed=1 "$trace"
says "no jobs" 2 "" "~" stoker sim -n 0 "$trace"
says "an option that is none" 2 "" "~" stoker sim --fast "$trace"
says "a policy that is none" 2 "" "stoker sim: error: --policy is one of fcfs, easy, cons, replan, easy-sjbf, easy-sjf, easy-wfp3, easy-unicep, easy-f1, not 'best'" \
    stoker sim --procs-only --policy=best "$trace"
says "a policy of the other mode" 2 "" "stoker sim: error: --policy is one of fcfs, easy, cons here, not 'replan'" \
    stoker sim --policy=replan "$trace"

case_ "files that will not do"
says "missing" 1 "" "stoker sim: error: none.swf: No such file or directory" stoker sim none.swf
says "missing description" 1 "" "stoker sim: error: none.work: No such file or directory" stoker sim -g none.work
printf '; MaxProcs: 8\n1 2 3\n' >bad.swf
says "a bad line" 1 "" "stoker sim: error: bad.swf:2: a job has 18 numbers, this line has 3" stoker sim --procs-only bad.swf
says "a bad line" 1 "" "stoker sim: error: bad.swf:2: a job has 18 numbers, this line has 3" stoker sim bad.swf
grep -v '^;' "$trace" >headless.swf
says "no machine" 1 "" "stoker sim: error: headless.swf: the header says neither MaxProcs nor MaxNodes" \
    stoker sim --procs-only headless.swf
says "no machine" 1 "" \
    "stoker sim: error: the header says neither MaxProcs nor MaxNodes; --config=FILE says what the machine is" stoker sim headless.swf
echo 'nodes = ( { name = "n1"; cpus = 4; } );' >detect.cfg
says "figures to be detected" 1 "" \
    "stoker sim: error: detect.cfg: node n1: cpus and memory must be given, a simulation detects nothing" \
    stoker sim --config=detect.cfg --generate=made.work
says "a slip in a configuration" 1 "" "~" stoker sim --config=made.work --generate=made.work
has "its message" "$err" "made.work:1: "
says "starts that cannot be written" 1 "" "stoker sim: error: none/x: No such file or directory" \
    stoker sim --starts=none/x "$trace"
says "a disk that is full" 1 "" "stoker sim: error: /dev/full: No space left on device" stoker sim --starts=/dev/full "$trace"

case_ "JSON"
run stoker sim --procs-only --json "$trace"
is "exit code, errors" "$rc $err" "0 "
is "its head" "$(jq -c '[.schema, .mode, .policy, .procs, .jobs, .dropped]' <<<"$out")" '[1,"procs-only","easy",64,591,9]'
is "kinds of the rest" "$(jq -r '[.utilisation, .wait.mean, .wait.p50, .wait.p99, .wait.max, .slowdown.mean] | map(type) | unique[]' <<<"$out")" number
run stoker sim --json --generate=made.work
is "its head" "$(jq -c '[.schema, .mode, .cluster, .backfill, .nodes, .days]' <<<"$out")" '[1,"full","small","conservative",4,2]'
is "its lists" "$(jq -c '[(.users, .accounts, .partitions) | length]' <<<"$out")" '[1,1,1]'

case_ "free GPUs on nodes that are partly in use"
gpus() { # GPUs of each node and of each job -> held and free GPU hours of all, split ones of the free
    echo "nodes = ( { name = \"g[1-2]\"; cpus = 64; memory = \"64G\"; gpus = $1; detect = false; } );" >gpus.cfg
    echo "days = 2.0; jobs_per_day = 30.0; users = ( { name = \"u\"; } );
        shapes = ( { name = \"s\"; cpus = 1; gpus = $2; memory = \"1G\"; run = \"1h\"; } );" >gpus.work
    stoker sim --json --config=gpus.cfg --generate=gpus.work |
        jq -c '[((.all.gpu_hours + .free_gpu_hours) / .days / .gpus * 10 | round), (.split_gpu_hours > 0), (.split_gpu_hours < .free_gpu_hours)]'
}
is "some of a node" "$(gpus 4 1)" '[240,true,true]'
is "whole nodes" "$(gpus 4 4)" '[240,false,true]'
is "one GPU a node" "$(gpus 1 1)" '[240,false,true]'
has "in words" "$(stoker sim --config=gpus.cfg --generate=gpus.work)" "free GPUs on nodes that were partly in use: 0.0 % of the free GPU hours"

case_ "the same program by its own name"
is "it" "$(stoker-sim --procs-only --json "$trace")" "$(stoker sim --procs-only --json "$trace")"

case_ "a bar on a terminal, and it goes away"
program=$(type -P script) || skip "no script(1)"
"$program" -qec "stoker sim --procs-only '$trace' >report" /dev/null </dev/null >screen
like "the bar" "$(<screen)" ".*####.*[1-9][0-9] %  [0-9]+ of 591 jobs.*"
has "the terminal" "$(<screen)" $'\r\033[K'
is "the report" "$(<report)" "$(stoker sim --procs-only "$trace")"
