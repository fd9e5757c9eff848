#!/usr/bin/env bash
# stoker --plain: a line for each change, pushed, of one's own jobs; ends cleanly.
# test-fast
. stoker.sh
command -v python3 >/dev/null || skip "no python3"
PATIENCE=5; cluster_start

says_line() { [ -e plain.txt ] && grep -Fq -- "$1" plain.txt; }
await_line() { until_ "$(patience 20)" says_line "$1" || fail "no line with \"$1\"" "$(<plain.txt)"; }

case_ "each change is a line"
stoker --plain >plain.txt 2>plain.err &
plain=$!
await_line "your jobs: 0 running, 0 waiting (0 of them held)"
echo 'until [ -e go ]; do sleep 0.02; done; exit 3' | script fails.sh
submit -J 'tr$(x) "y"' fails.sh
await_line "job $job tr\$(x) \"y\": submitted on"
await_line "job $job tr\$(x) \"y\": started on n1 in main"
touch go
await_line "job $job tr\$(x) \"y\": failed: exit 3 after"
submit -J held --hold --wrap true
await_line "job $job held: waiting: held by its owner"
must scancel "$job"
await_line "job $job held: cancelled by"
submit -J many --array=1-3 --wrap true
for i in 1 2 3; do
    await_line "job ${job}_$i many: started on n1 in main"
    await_line "job ${job}_$i many: done"
done
is "no line comes twice" "$(sort plain.txt | uniq -d)" ""
like "the form" "$(head -n 1 plain.txt)" '[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8}  cluster .*'

case_ "it ends with the signal that asks for it"
kill -TERM "$plain"
wait "$plain"
is "TERM" $? 0
is "errors" "$(<plain.err)" ""

case_ "it ends when its reader has gone, though nothing changes"
mkfifo pipe
stoker --plain >pipe &
plain=$!
read -r line <pipe
has "the summary" "$line" "your jobs"
wait_for 20 is_gone "/proc/$plain/fd/1"
wait "$plain"
is "status" $? 1

case_ "as JSON"
stoker --plain --json >json.txt &
plain=$!
wait_for 20 has_lines json.txt 1
submit -J 'a "b"' --wrap true
wait_for 20 has_lines json.txt 4
kill -TERM "$plain"
wait "$plain"
is "a line is an object" \
    "$(sed -n 2p json.txt | python3 -c 'import json,sys; d = json.loads(sys.stdin.readline()); print(d["schema"], d["name"], d["state"], d["what"].split()[0])')" \
    '1 a "b" PENDING submitted'

case_ "without a controller"
cluster_stop 2>/dev/null || must stoker down
run stoker --plain
is "status" $rc 5
has "words" "$err" "no controller runs here"
