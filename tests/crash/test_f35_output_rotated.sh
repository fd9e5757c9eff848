#!/usr/bin/env bash
# F35: the output of a running job is moved, removed, truncated by its owner. The task goes on; who follows it is told or goes on
# with what comes, and ends with the job.
. stoker.sh
cluster_start
script talks.sh <<'E'
echo first
exec 9<> <(:); while [ ! -e go-$1 ]; do read -rt 0.02 -u 9; done
echo second
exec 9<> <(:); while [ ! -e end-$1 ]; do read -rt 0.02 -u 9; done
echo third
exit 0
E

for how in moved removed truncated; do
    case_ "$how"
    submit -o out-$how talks.sh $how
    wait_for 10 has_lines out-$how 1
    stoker output -f $job >followed-$how 2>followed-$how.err &
    follower=$!
    wait_for 10 grep -q first followed-$how
    case $how in
    moved) mv out-$how out-$how.1 ;;
    removed) rm out-$how ;;
    truncated) : >out-$how ;;
    esac
    touch go-$how
    case $how in
    moved) wait_for 10 grep -q second out-$how.1 ;;
    truncated) wait_for 10 grep -aq second out-$how ;;
    esac
    touch end-$how
    wait_end $job
    is "the job" "$state" COMPLETED
    wait_for 15 is_dead $follower
    wait $follower
    [ $? -lt 100 ] || fail "the follower was ended by a signal"
    is "what was followed first" "$(head -n 1 followed-$how)" first
    case $how in
    moved) is "the moved file has it all" "$(cat out-$how.1)" $'first\nsecond\nthird' ;;
    truncated)
        is "the truncated file has the rest" "$(tr -d '\0' <out-$how)" $'second\nthird'
        has "the follower goes on with it" "$(tr -d '\0' <followed-$how)" third
        ;;
    removed) is "the removed file is not made again" "$(ls out-$how 2>&1)" "ls: cannot access 'out-$how': No such file or directory" ;;
    esac
done

case_ "a file in its place that is another's"
submit -o out-swap talks.sh swap
wait_for 10 has_lines out-swap 1
mv out-swap out-swap.1
echo untouched >out-swap
touch go-swap end-swap
wait_end $job
is "the job writes to what it opened" "$state $(cat out-swap)" "COMPLETED untouched"
is "there" "$(cat out-swap.1)" $'first\nsecond\nthird'
cluster_stop
