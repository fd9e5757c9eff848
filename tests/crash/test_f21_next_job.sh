#!/usr/bin/env bash
# F21: what was not done because the disk was full leaves nothing behind: the next job is started, under an id of its own.
. stoker.sh
command -v prlimit >/dev/null || skip "no prlimit"
cluster_start
script big.sh <<<'echo big'
head -c 400000 /dev/zero | tr '\0' '#' >>big.sh
submit -o /dev/null --wrap true
wait_end $job
first=$job

prlimit --pid "$(controller_pid)" --fsize=$(($(stat -c %s "$STOKER_HOME/state/stoker.db-wal") + 100000)):
run sbatch --parsable -o /dev/null big.sh
[ $rc -ne 0 ] || fail "it was taken with the disk full"
is "its output" "$out" ""
prlimit --pid "$(controller_pid)" --fsize=unlimited:
next() { out=$(sbatch --parsable -o next.out --wrap 'echo next' 2>/dev/null); }
wait_for 20 next
at_least "no other job has its id" "$out" $((first + 2))
wait_end "$out"
is "its end" "$state $(cat next.out)" "COMPLETED next"
controller_kill9
must stoker up
wait_for 15 nodes_up
submit -o /dev/null --wrap true
wait_end $job
is "the next one" "$state" COMPLETED
cluster_stop
