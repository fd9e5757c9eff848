#!/usr/bin/env bash
# F21: what was not done because the disk was full leaves nothing behind: the next job is started, under an id of its own.
. stoker.sh
command -v prlimit >/dev/null || skip "no prlimit"
cluster_start
prlimit_of() { prlimit --pid "$(controller_pid)" --fsize="$1:"; }
next() { out=$(sbatch --parsable -o next.out --wrap 'echo next' 2>/dev/null); }
# A script that goes to the disk with its job, and one that is stored before the job has an id.
for size in 100000 400000; do
    case_ "a script of $size bytes"
    script big.sh <<<'echo big'
    head -c $size /dev/zero | tr '\0' '#' >>big.sh
    submit -o /dev/null --wrap true
    wait_end $job
    first=$job
    prlimit_of $(($(stat -c %s "$STOKER_HOME/state/stoker.db-wal") + size / 4))
    run sbatch --parsable -o /dev/null big.sh
    [ $rc -ne 0 ] || fail "it was taken with the disk full"
    is "its output" "$out" ""
    prlimit_of unlimited
    wait_for 20 next
    at_least "no other job has its id" "$out" $((first + (size < 131072 ? 2 : 1)))
    wait_end "$out"
    is "its end" "$state $(cat next.out)" "COMPLETED next"
    is "no other job" "$(squeue -h -t all -o %i | sort -n | tail -n 1)" "$out"
done
controller_kill9
must stoker up
wait_for 15 nodes_up
submit -o /dev/null --wrap true
wait_end $job
is "the next one" "$state" COMPLETED
cluster_stop
