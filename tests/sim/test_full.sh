#!/usr/bin/env bash
# The full simulation: known answers where there are any, and what each rule of a cluster must come to.
. stoker.sh
data=$ROOT/tests/sim/data

# sim ARGS...: its JSON in $out
sim() {
    run stoker sim --json "$@"
    [ "$rc" = 0 ] || fail "stoker sim $* fails" "$err"
}
field() { jq -r "$1" <<<"$out"; }
# near WHAT GOT WANT PERCENT
near() {
    awk -v g="$2" -v w="$3" -v p="$4" 'BEGIN { d = g - w; if (d < 0) d = -d; exit !(d <= w * p / 100) }' ||
        fail "$1 is $2, not within $4 % of $3"
}
# below WHAT GOT LIMIT
below() { awk -v g="$2" -v l="$3" 'BEGIN { exit !(g < l) }' || fail "$1 is $2, not below $3"; }
hours() { field ".users[] | select(.name == \"$1\") | .gpu_hours"; }

# Without weights the order is that of submission, and one node is a pool of processors: the whole way through the state and the
# planner comes to the starts that the equality mode is known for.
fifo() {
    cat <<CFG
nodes = ( { name = "n1"; cpus = $1; memory = "1G"; gpus = 0; detect = false; } );
priority = { weight_age = 0; weight_fairshare = 0; weight_job_size = 0; weight_partition = 0; weight_qos = 0; };
CFG
}
fifo 64 >fifo64.cfg
fifo 100 >fifo100.cfg
for p in fcfs easy; do
    case_ "a made-up trace under $p"
    stoker sim --policy=$p --config=fifo64.cfg --starts=- "$data/synthetic.swf" >starts || fail "it fails"
    is "digest" "$(sha256sum starts | cut -c1-16)" "$(sed -n "s/^; digest $p: //p" "$data/synthetic.swf")"
done

case_ "one kept reservation is EASY"
(cat fifo64.cfg && echo 'scheduler = { backfill = "conservative"; reservations = 1; };') >kept64.cfg
(cat fifo100.cfg && echo 'scheduler = { backfill = "conservative"; reservations = 1; };') >kept100.cfg
stoker sim --config=kept64.cfg --starts=- "$data/synthetic.swf" >starts || fail "it fails"
is "digest" "$(sha256sum starts | cut -c1-16)" "$(sed -n "s/^; digest easy: //p" "$data/synthetic.swf")"

case_ "fair share: two users, ten times the demand, the same hours"
two() {
    cat <<WORK
days = 30.0; load = 6.6;
users = ( { name = "alice"; demand = 10.0; }, { name = "bob"; } );
shapes = ( { name = "train"; cpus = 4; memory = "16G"; gpus = 1; run = "10h"; } );
WORK
}
two >two.work
for seed in 1 2 3; do
    sim --generate=two.work --seed=$seed
    near "GPU hours of alice, seed $seed" "$(hours alice)" "$(hours bob)" 10
    near "GPU hours of all" "$(field .all.gpu_hours)" $((16 * 24 * 30)) 2
    at_least "what alice has submitted, in tenths of bob's" \
        "$(field '[.users[] | .submitted] | .[0] * 10 / .[1] | floor')" 80
done

case_ "without fair share the demand decides"
nodes='nodes = ( { name = "n[1-4]"; cpus = 32; memory = "256G"; gpus = 4; detect = false; } );'
echo "$nodes priority = { weight_fairshare = 0; };" >unfair.cfg
sim --config=unfair.cfg --generate=two.work
at_least "hours of alice, in tenths of bob's" "$(field '[.users[] | .gpu_hours] | .[0] * 10 / .[1] | floor')" 60

case_ "fair share: three shares to one, both accounts want everything"
sed 's/demand = 10.0;/account = "vision"; demand = 1.0;/; s/name = "bob";/& account = "speech";/' two.work >shares.work
cat >shares.cfg <<CFG
$nodes
accounts = ( { name = "vision"; shares = 3; users = ( { name = "alice"; } ); },
             { name = "speech"; shares = 1; users = ( { name = "bob"; } ); } );
CFG
sim --config=shares.cfg --generate=shares.work
near "hours of alice" "$(hours alice)" "$(awk -v h="$(hours bob)" 'BEGIN { print 3 * h }')" 10
is "accounts" "$(field '[.accounts[].name] | join(" ")')" "vision speech"
near "what alice holds of the GPUs" "$(field .users[0].gpu_utilisation)" 0.75 3
near "what her account holds" "$(field .accounts[0].gpu_utilisation)" "$(field .users[0].gpu_utilisation)" 0

case_ "a hard limit holds, whatever stands idle"
sed 's/load = 6.6/load = 2.0/; s/demand = 10.0/demand = 3.0/' two.work >limit.work
echo "$nodes limits = ( { scope = \"user\"; name = \"alice\"; hard = { gpus = 4; }; } );" >limit.cfg
sim --config=limit.cfg --generate=limit.work
below "GPU hours of alice" "$(hours alice)" $((4 * 24 * 30 + 1))
near "GPU hours of alice" "$(hours alice)" $((4 * 24 * 30)) 3
below "mean wait of bob" "$(field '.users[1].wait.mean')" "$(field '.users[0].wait.mean')"

case_ "a soft limit yields: borrowed runs are preempted, and only those"
echo "$nodes limits = ( { scope = \"user\"; name = \"alice\"; soft = { gpus = 4; }; } );" >soft.cfg
sed 's/load = 2.0/load = 1.0/' limit.work >soft.work
sim --config=soft.cfg --generate=soft.work
at_least "preemptions of alice" "$(field '.users[0].preemptions')" 1
is "preemptions of bob" "$(field '.users[1].preemptions')" 0
awk -v h="$(hours alice)" 'BEGIN { exit !(h > 4 * 24 * 30 * 1.2) }' || fail "alice borrows nothing: $(hours alice) hours"

case_ "a lower tier runs on what is idle and goes when its owners come"
cat >tiers.cfg <<CFG
$nodes
partitions = ( { name = "main"; default = true; priority_tier = 2; },
               { name = "spot"; priority_tier = 1; preempt_mode = "requeue"; grace_time = "60s"; requeue_after_grace = true; } );
CFG
cat >tiers.work <<'WORK'
days = 20.0; load = 1.5;
users = ( { name = "alice"; }, { name = "eve"; demand = 3.0; partition = "spot"; } );
shapes = ( { name = "train"; cpus = 4; gpus = 1; run = "3h"; } );
WORK
sim --config=tiers.cfg --generate=tiers.work
is "preemptions of the owner" "$(field '.users[0].preemptions')" 0
at_least "preemptions of the guest" "$(field '.users[1].preemptions')" 20
below "mean wait of the owner, who waits for the grace time at most" "$(field '.users[0].wait.mean')" 61
awk -v l="$(field .all.lost_gpu_hours)" 'BEGIN { exit !(l > 1) }' || fail "no work is lost"
sed 's/run = "3h";/& keeps_work = true;/' tiers.work >kept.work
sim --config=tiers.cfg --generate=kept.work
is "work lost by jobs that keep theirs" "$(field .all.lost_gpu_hours)" 0
at_least "preemptions of the guest" "$(field '.users[1].preemptions')" 20
sed -i 's/preempt_mode = "requeue"/preempt_mode = "cancel"/' tiers.cfg
sim --config=tiers.cfg --generate=tiers.work
# But for those whose grace time the end of the simulation cuts.
near "ended by preemption" "$(field '.users[1].preempted_out')" "$(field '.users[1].preemptions')" 2

case_ "what no node can hold, or a partition does not take, is refused"
cat >rules.cfg <<CFG
$nodes
partitions = ( { name = "short"; max_time = "1:00:00"; default = true; }, { name = "staff"; allow_groups = ["staff"]; } );
CFG
cat >rules.work <<'WORK'
days = 2.0; jobs_per_day = 100.0;
users = ( { name = "alice"; group = "staff"; partition = "staff"; shapes = ["fits"]; },
          { name = "bob"; partition = "staff"; shapes = ["fits"]; },
          { name = "carol"; shapes = ["fits", "huge", "long"]; } );
shapes = ( { name = "fits"; run = "5m"; limit = "30m"; }, { name = "huge"; cpus = 33; limit = "10m"; }, { name = "long"; limit = "2h"; } );
WORK
sim --config=rules.cfg --generate=rules.work
is "refusals of alice" "$(field '.users[0].refused')" 0
is "jobs of bob, who is not in the group," "$(field '.users[1].submitted')" 0
at_least "refusals of carol" "$(field '.users[2].refused')" "$(field '.users[2].submitted')"

case_ "the same seed gives the same schedule, another one another"
stoker sim --generate=tiers.work --config=tiers.cfg --starts=one --json >one.json
stoker sim --generate=tiers.work --config=tiers.cfg --starts=two --json >two.json
stoker sim --generate=tiers.work --config=tiers.cfg --starts=three --seed=5 >/dev/null
cmp -s one two && cmp -s one.json two.json || fail "two runs differ"
! cmp -s one three || fail "the seed changes nothing"

case_ "a trace on the machine of its header"
sim "$data/synthetic.swf"
is "jobs and processors" "$(field '[.all.submitted, .cpus, .nodes, .all.waiting, .all.running] | @csv')" "591,64,64,0,0"
is "all jobs have a user" "$(field '[.users[].submitted] | add')" 591
sim --jobs=50 "$data/synthetic.swf"
is "the first ones only" "$(field .all.submitted)" 50

case_ "a trace's queues, users, groups and memory"
cat >queues.swf <<'SWF'
; MaxProcs: 4
1 0 -1 100 1 -1 -1 1 200 2097152 1 7 3 -1 5 -1 -1 -1
2 0 -1 100 1 -1 -1 1 200 2097152 1 7 3 -1 5 -1 -1 -1
3 0 -1 100 1 -1 -1 1 200 2097152 1 8 4 -1 6 -1 -1 -1
4 0 -1 300 1 -1 -1 1 200       1 1 -1 -1 -1 -1 -1 -1 -1
SWF
echo 'nodes = ( { name = "n1"; cpus = 4; memory = "4097M"; gpus = 0; detect = false; } );
partitions = ( { name = "rest"; default = true; }, { name = "queue5"; } );
priority = { weight_fairshare = 0; weight_job_size = 0; };' >queues.cfg
sim --config=queues.cfg --starts=starts queues.swf
is "starts: two at a time by their memory, a small one beside them" "$(paste -sd, starts)" "1 0,2 0,3 100,4 0"
is "partitions" "$(field '[.partitions[] | [.name, .submitted]] | flatten | @csv')" '"rest",2,"queue5",2'
is "users" "$(field '[.users[] | [.name, .submitted, .timeouts]] | flatten | @csv')" '"user7",2,0,"user8",1,0,"unknown",1,1'
is "accounts" "$(field '[.accounts[].name] | join(" ")')" "group3 group4 unknown"
is "CPU hours" "$(field '.all.cpu_hours * 3600 | round')" 500

case_ "a kept place is moved up by jobs that were started and ended with no pass in between"
grep -v '^4 ' queues.swf >three.swf
sim --config=queues.cfg --starts=starts three.swf
is "starts" "$(paste -sd, starts)" "1 0,2 0,3 100"

case_ "the report for people"
run stoker sim --generate=tiers.work --config=tiers.cfg
is "its exit code" "$rc" 0
has "it" "$out" "tiers.work on stoker: 4 nodes, 128 CPUs, 16 GPUs"
has "it" "$out" "alice"
is "standard error, which is not a terminal" "$err" ""

case_ "examples of the documentation"
for f in "$ROOT"/docs/examples/*.work; do
    sim --config="$ROOT/docs/examples/lab.cfg" --generate="$f"
    at_least "jobs of ${f##*/}" "$(field .all.submitted)" 100
done

traces=${STOKER_TRACES:-}
[ -d "$traces" ] || skip "STOKER_TRACES names no folder of real traces; all other cases pass"
while read -r policy cfg want; do
    case_ "5,000 jobs of KTH through the planner: $policy, $cfg"
    p=(--policy="$policy")
    [ "$policy" != - ] || p=()
    stoker sim "${p[@]}" --config="$cfg" --jobs=5000 --starts=- "$traces/KTH-SP2-1996-2.swf.gz" >starts || fail "it fails"
    is "digest" "$(sha256sum starts | cut -c1-16)" "$want"
done <<'ANSWERS'
fcfs fifo100.cfg 3e8d204867cc8198
easy fifo100.cfg b492c7782ab36e38
- kept100.cfg b492c7782ab36e38
ANSWERS
