#!/usr/bin/env bash
# The simulator's equality mode, start for start: hand-worked cases, a made-up load, and real traces where they are at hand.
. stoker.sh
data=$ROOT/tests/sim/data
policies="fcfs easy cons replan"

starts() { stoker sim --procs-only --starts=- --policy="$1" "${@:2}"; }
digest() { starts "$@" | sha256sum | cut -c1-16; }

cases=0
for f in "$data"/*.swf; do
    for p in $policies; do
        case_ "${f##*/} $p"
        want=$(sed -n "s/^; expect $p: //p" "$f")
        [ -z "$want" ] || is "starts" "$(starts "$p" "$f" | awk '{ print $2 }' | paste -sd ' ')" "$want"
        [ -z "$want" ] || cases=$((cases + 1))
        want=$(sed -n "s/^; digest $p: //p" "$f")
        [ -z "$want" ] || is "digest" "$(digest "$p" "$f")" "$want"
        [ -z "$want" ] || cases=$((cases + 1))
    done
done
at_least "cases" $cases 24

case_ "packed or not, through a file or not"
gzip -c "$data/synthetic.swf" >packed.gz
is "a packed trace" "$(digest easy packed.gz)" "$(sed -n 's/^; digest easy: //p' "$data/synthetic.swf")"
stoker sim --procs-only --starts=starts --policy=cons packed.gz >report || fail "it fails"
is "its starts" "$(sha256sum starts | cut -c1-16)" "$(sed -n 's/^; digest cons: //p' "$data/synthetic.swf")"
has "the report" "$(<report)" "packed.gz under cons: "

# Independent simulators' answers: trace, jobs (0: all), policy, mean wait, mean bounded slowdown, digest (-: only the means are known).
traces=${STOKER_TRACES:-}
[ -d "$traces" ] || skip "STOKER_TRACES names no folder of real traces; the cases of the tree agree"
while read -r trace first policy wait slowdown want; do
    [ -n "$trace" ] || continue
    case_ "$trace $first $policy"
    n=()
    [ "$first" = 0 ] || n=(-n "$first")
    run stoker sim --procs-only --json --starts=starts --policy="$policy" "${n[@]}" "$traces/$trace.swf.gz"
    is "its exit code" "$rc" 0
    # In as many places as the answer has.
    is "mean wait" "$(jq .wait.mean <<<"$out" | awk -v w="$wait" '{ printf w ~ /\./ ? "%.2f" : "%.0f", $1 }')" "$wait"
    is "mean slowdown" "$(jq .slowdown.mean <<<"$out" |
        awk -v s="$slowdown" '{ d = s ~ /\./ ? length(s) - index(s, ".") : 0; printf "%." d "f", $1 }')" "$slowdown"
    [ "$want" = - ] || is "digest" "$(sha256sum starts | cut -c1-16)" "$want"
done <<'ANSWERS'
KTH-SP2-1996-2 5000 fcfs 199184.16 4987.116 3e8d204867cc8198
KTH-SP2-1996-2 5000 easy 9465.39 138.392 b492c7782ab36e38
KTH-SP2-1996-2 5000 cons 9179.70 128.419 156b8edc636026cd
KTH-SP2-1996-2 5000 replan 9707.60 141.544 af1b4494082936d9
KTH-SP2-1996-2 0 fcfs 353769.62 6822.315 c2ae3e50cfb77032
KTH-SP2-1996-2 0 easy 6834.33 92.828 e6b49678c57e5967
KTH-SP2-1996-2 0 cons 7316.69 89.173 743229c656b57d9a
KTH-SP2-1996-2 0 replan 7938.69 102.274 0a9f121df625f12f
SDSC-SP2-sc15 0 fcfs 1535569 13824 -
SDSC-SP2-sc15 0 easy 20571 87.8 -
SDSC-SP2-sc15 0 cons 21726 89.2 -
CTC-SP2-sc15 0 fcfs 655557 3652 -
CTC-SP2-sc15 0 easy 13943 48.8 -
SDSC-BLUE-2000-4.2-cln 0 easy 7870 37.5 -
HPC2N-2002-2.1-cln 0 easy 10801 89.0 -
lublin_256 0 easy 97156 590 -
lublin_256 0 cons 131568 489 -
lublin_256_new2 0 easy 9704 257 -
lublin_256_new2 0 cons 9659 240 -
KTH-SP2-1996-2 5000 easy-sjbf 8248 113 -
KTH-SP2-1996-2 5000 easy-sjf 6727 66 -
KTH-SP2-1996-2 5000 easy-wfp3 6875 83 -
KTH-SP2-1996-2 5000 easy-f1 12713 129 -
KTH-SP2-1996-2 0 easy-sjbf 5904 70 -
SDSC-SP2-sc15 5000 easy-sjbf 4001 17.3 -
SDSC-SP2-sc15 5000 easy-sjf 2938 11.9 -
SDSC-SP2-sc15 5000 easy-wfp3 3257 12.8 -
CTC-SP2-sc15 5000 easy-sjbf 5459 15.0 -
CTC-SP2-sc15 5000 easy-sjf 3889 9.5 -
CTC-SP2-sc15 5000 easy-wfp3 4509 11.9 -
CTC-SP2-sc15 5000 easy-f1 3432 9.7 -
lublin_256 5000 easy-sjbf 39513 204 -
lublin_256 5000 easy-sjf 29240 45 -
lublin_256_new2 5000 easy-sjbf 9714 212 -
lublin_256_new2 5000 easy-wfp3 6549 119 -
ANSWERS
