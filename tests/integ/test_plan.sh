#!/usr/bin/env bash
# The plan and the answers about it: stoker plan, --drain, --config, stoker why, squeue --start, sbatch --test-only; no line of it is wider than
# 80 columns.
. stoker.sh
export TZ=NOON$((10#$(date -u +%H) - 12)) # times of another day have their date with them: here it is noon, always
command -v python3 >/dev/null || skip "no python3"

NODES='n[1-2]' CPUS=4 GPUS=2 PARTITIONS='{ name = "main"; nodes = "n[1-2]"; default = true; }, { name = "one"; nodes = "n1"; }' \
EXTRA='scheduler = { reservations = 2; };
limits = ( { scope = "user"; hard = { gpus = 3; }; } );' cluster_start
export COLUMNS=80
me=$(id -un)

# fits WHAT TEXT: in 80 columns
fits() { local w; w=$(wc -L <<<"$2"); at_most "$1: its widest line" "$w" 80; }
json() { python3 -c "import json, sys; d = json.load(sys.stdin); print($1)"; }
# All of them are seen: a forecast that was made before the last of them came is another one.
forecast() { stoker plan --json | json '"".join(sorted(r["kind"][0] for r in d["rows"]))' | grep -qx ffrrrruu; }

case_ "an empty cluster"
says "no scores yet" 0 "No job has started yet that was told a wait of a minute or more." "" stoker plan --score
says "scores of a user" 2 "" "stoker plan: error: --score covers all jobs: it can be combined only with --json" stoker plan --score -u bin
says "plan" 0 "Nothing runs, nothing waits, and no window is planned." "" stoker plan

case_ "what runs, for whom places are held, what is forecast, what is not"
submit -J first -c 4 -t 10 --wrap 'exec sleep 600'
first=$job
submit -J second -c 4 -t 20 --wrap 'exec sleep 600'
second=$job
wait_state $first RUNNING
wait_state $second RUNNING
submit -J wide -N 2 -c 4 -t 5 --wrap true
wide=$job
for i in 1 2 3; do submit -J "more$i" -c 4 -t 30 --wrap true; done
more=$job
submit -J held -H --wrap true
held=$job
submit -J gpus --gpus 2 -N 2 --hold -t 5 --wrap true
gpus=$job
wait_for 15 forecast
must stoker plan
fits "plan" "$out"
must env COLUMNS=200 stoker plan # no name is cut
clockless() { sed -E 's/^[0-9]{2}:[0-9]{2}  ([0-9]{2}:[0-9]{2}|-    )  /T /; s/^-      -      /- /' <<<"$1" | tr -s ' '; }
is "plan" "$(clockless "$out" | sed 's/ [0-9]* s ago/ N s ago/')" "START END WHAT JOB NAME USER PARTITION CPUS GPUS NODES
T running $first first $me main 4 - n1
T running $second second $me main 4 - n2
T reserved $((more - 2)) more1 $me main 4 - n1
T reserved $((more - 1)) more2 $me main 4 - n2
T forecast $more more3 $me main 4 - ~n1
T forecast $wide wide $me main 8 - ~n[1-2]
- unknown $held held $me main 1 - (JobHeldUser)
- unknown $gpus gpus $me main 2 2 (JobHeldUser)
Starts and ends go by time limits: the latest, as the queue stood N s ago."

# minutes: WHAT each row of the plan is, and when after the first start it begins and ends
minutes='" ".join("%s:%d-%d" % (r["name"], round((r["start"] - t0) / 60), round((r["end"] - t0) / 60))
    for t0 in [d["rows"][0]["start"]] for r in d["rows"] if r["start"])'
is "starts and ends in minutes" "$(stoker plan --json | json "$minutes")" \
    "first:0-10 second:0-20 more1:10-40 more2:20-50 more3:40-70 wide:70-75"
is "kinds, reasons, seconds" "$(stoker plan --json | json '[(r["name"], r["kind"], r["reason"], r["nodes"], r["array_index"]) for r in d["rows"] if r["name"] in ("first", "more3", "held")], abs(d["now"] - d["forecast_made"]) < 600, d["more"], d["schema"]')" \
    "[('first', 'running', '', 'n1', None), ('more3', 'forecast', 'Priority', 'n1', None), ('held', 'unknown', 'JobHeldUser', '', None)] True 0 2"
says "another user's" 0 "Nothing runs, nothing waits, and no window is planned." "" stoker plan -u bin
says "another partition's" 0 "Nothing runs, nothing waits, and no window is planned." "" stoker plan -p one
says "an operand" 2 "" "stoker plan: error: unexpected 'x'" stoker plan x

case_ "why: in 80 columns, and as JSON"
must stoker why $more
fits "why" "$out"
like "the sentence of the list" "$(head -n 1 <<<"$out")" "job $more: 2 jobs ahead, starts ~[0-9:]* \(and 1 more cause\)"
has "the list has the same" "$(COLUMNS=200 stoker jobs)" "$(sed -n '1s/^job [0-9]*: \(.*\) (and .*/\1/p' <<<"$out")"
has "who is ahead" "$(tr -s ' \n' ' ' <<<"$out")" "2 jobs are ahead in main; the first of them, $((more - 2)), waits for resources"
has "what is taken" "$(tr -s ' \n' ' ' <<<"$out")" "BUSY needs 4 CPUs in main; 2 nodes: 2 too few free CPUs (n[1-2]); room comes when job $((more - 2)), which starts first, reaches its limit, clears ~"
has "its place in the row" "$(tr -s ' \n' ' ' <<<"$out")" "3rd of 4"
must stoker why $((more - 2))
like "next in line" "$(head -n 1 <<<"$out")" "job $((more - 2)): next in line, needs 4 CPUs on one node \(0 free\), starts ~[0-9:]*|job $((more - 2)): next in line, needs 4 CPUs \(0 free\), starts ~[0-9:]*"
has "when it clears" "$(tr -s ' \n' ' ' <<<"$out")" ", clears ~"
is "as JSON" "$(stoker why --json $more | json '[c["class"] for c in d["causes"]], d["rank"], d["rank_of"], d["blockers"], d["start_is_held"], d["start"] > 0')" \
    "['BEHIND', 'BUSY'] 3 4 [$first] False True"
is "of one for whom a place is held" "$(stoker why --json $((more - 2)) | json 'd["start_is_held"], d["reason"]')" "True Resources"
must stoker why $held
like "of a held one" "$(tr -s ' \n' ' ' <<<"$out")" "job $held: held by you; \`stoker release $held\` releases it \(and 1 more cause\) BUSY needs .* in main; .*room comes when job $((more - 2)), which starts first, reaches its limit, clears ~[0-9:]+ *"

case_ "squeue --start: in the order of the starts"
is "jobs" "$(squeue -h --start -o '%i %r' | tr '\n' ';')" \
    "$((more - 2)) Resources;$((more - 1)) Resources;$more Priority;$wide Priority;$held JobHeldUser;$gpus JobHeldUser;"
is "those with a time" "$(squeue -h --start -o %S | grep -c '^20..-..-..T..:..:..$')" 4

case_ "squeue --start: a drain and a resume are in it at once"
start_of() { squeue -h --start -j "$more" -o %S; }
planned=$(start_of)
for i in 1 2 3 4; do
    must scontrol update NodeName=n1 State=DRAIN Reason=fan
    later=$(start_of)
    [[ $later > $planned ]] || fail "with n1 drained, job $more starts at $later, without at $planned"
    must scontrol update NodeName=n1 State=RESUME
    is "with n1 back" "$(start_of)" "$planned"
done

case_ "sbatch --test-only: nothing is queued"
before=$(squeue -h -t all | wc -l)
run sbatch --test-only -p one -c 4 -t 5 --wrap true
is "later: its status" $rc 0
like "later" "$err" "sbatch: Job [0-9]+ to start at 20[-0-9T:]+ at the latest, in partition one, by the time limits of the jobs before it; needs 4 CPUs in one; 1 node: 1 too few free CPUs .*"
run sbatch --test-only -c 9 --wrap true
has "never" "$err" "no node of main has 9 CPUs (2 nodes: 2 too few CPUs (9 asked, 4 at most))"
run sbatch --test-only --gpus 4 -N 2 --wrap true
has "over a limit" "$err" "4 GPUs asked; user $(id -un) may hold 3 (hard limit for users)"
run sbatch --test-only --dependency afterok:$first --wrap true
like "when others have ended" "$err" "sbatch: Job [0-9]+ waits: a dependency is open"
day=$(date -u -d '+5 days' +%F) # another one, should it be midnight now
run sbatch --test-only --begin now+5days -c 4 -t 5 --wrap true
like "not before its time" "$err" "sbatch: Job [0-9]+ to start at ($day|$(date -u -d '+5 days' +%F))T[0-9:]+ at the latest, in partition main,.*"
is "jobs as before" "$(squeue -h -t all | wc -l)" "$before"

case_ "what if nodes were drained, or the configuration were another"
must stoker plan --drain n1
fits "drained" "$out"
has "what runs there" "$out" "n1: 1 job runs there, the last until 20"
has "in sum" "$out" "6 waiting: 3 would start later, 0 earlier, 1 would have no start any more"
has "one that needs both" "$out" "-> beyond what is planned ahead"
is "as JSON" "$(stoker plan --drain n1 --json | json 'd["n_waiting"], d["n_later"], d["n_never"], d["nodes"][0]["node"], sorted((r["name"], r["kind_after"]) for r in d["rows"]), all(r["start_before"] < 5e9 for r in d["rows"])')" \
    "6 3 1 n1 [('more1', 'reserved'), ('more2', 'reserved'), ('more3', 'forecast'), ('wide', 'beyond')] True"
sed 's/nodes = "n\[1-2\]"; default/nodes = "n1"; default/' "$STOKER_HOME/stoker.cfg" >other.cfg
must stoker plan --config other.cfg
fits "another configuration" "$out"
has "in sum" "$out" "1 would have no start any more"
says "a node that is not there" 3 "" "stoker plan: error: there is no node n9" stoker plan --drain n9
is "nothing has been changed" "$(sinfo -h -N -p main -o '%N %t' | tr '\n' ';') $(job_state $first)" "n1 alloc;n2 alloc; RUNNING"

case_ "the first of them starts as soon as the other ends, as a place was held"
scancel $first
wait_state $((more - 2)) "RUNNING COMPLETED"
run sbatch --test-only -p one -c 5 --hold --wrap true
is "that never fits" $rc 1

case_ "forecasts are scored, over restarts too"
scored() { [ "$(stoker plan --score --json | json 'd["scores"][-1]["starts"]')" -gt 0 ]; }
wait_for 15 scored
is "those that started sooner than told" "$(stoker plan --score --json | json 'd["scores"][-1]["starts"] == sum(s["starts"] for s in d["scores"][:-1]), d["scores"][-1]["later"], d["scores"][-1]["sooner_mean"] > 60, d["range_percent"]')" \
    "True 0 True 50"
must stoker plan --score
fits "scores" "$out"
has "as a table" "$out" "IN RANGE"
has "in sdiag" "$(sdiag)" "Later than told (%): 0.0"
before=$(stoker plan --score --json | json 'd["scores"], d["since"]')
must stoker down
must stoker up
is "after a restart" "$(stoker plan --score --json | json 'd["scores"], d["since"]')" "$before"
must stoker down
head -c 60 "$STOKER_HOME/state/forecasts" >half
cp half "$STOKER_HOME/state/forecasts"
must stoker up
says "after damage of the file" 0 "No job has started yet that was told a wait of a minute or more." "" stoker plan --score
has "which the log tells" "$(cat "$STOKER_HOME"/log/*)" "the scores of forecasts begin again"
cluster_stop
