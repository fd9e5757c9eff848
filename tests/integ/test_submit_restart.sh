#!/usr/bin/env bash
# The controller is killed while commands wait for it: nothing is lost, nothing is done twice.
. stoker.sh
export STOKER_SPOOL_KEEP_MS=5000 # of the agent, and of srun, which must read that often
cluster_start

case_ "srun goes on through a kill of the controller"
cat >tick.sh <<'X'
#!/bin/bash
for i in $(seq 1 200); do echo tick $i; [ $i != 20 ] || echo >twenty; read -r -t 0.02 _ <> <(:); done
exit 6
X
chmod +x tick.sh
srun ./tick.sh >tick.out 2>tick.err &
pid=$!
wait_for 10 test -e twenty
controller_kill9
must stoker up
wait $pid
is "status" $? 6
seq -f 'tick %g' 1 200 | cmp - tick.out || fail "lines are missing, doubled or out of order" "$(diff <(seq -f 'tick %g' 1 200) tick.out | head)"
at_most "lines about it" "$(grep -c 'Unable to contact' tick.err)" 1

case_ "input too"
mkfifo feed
srun cat <feed >fed.out &
pid=$!
exec 7>feed
echo before >&7
wait_for 10 grep -qs before fed.out
controller_kill9
echo while away >&7
must stoker up
echo after >&7
exec 7>&-
wait $pid || fail "status $?"
is "all of it, once" "$(cat fed.out)" $'before\nwhile away\nafter'

case_ "a submission whose answer never came is the same job"
before=$(squeue -h -t all -o %A | wc -l)
is_connected() { # a process, by its socket's state
    local inode
    inode=$(readlink "/proc/$1/fd/"* 2>/dev/null | sed -n 's/^socket:.\([0-9]*\).$/\1/p')
    [ -n "$inode" ] && awk -v inode="$inode" '$7 == inode && $6 == "03" { found = 1 } END { exit !found }' /proc/net/unix
}
kill -STOP "$(controller_pid)"
sbatch --parsable -o /dev/null --wrap true >id.out 2>id.err &
pid=$!
wait_for 10 is_connected $pid
controller_kill9
must stoker up
wait $pid || fail "status $?" "$(cat id.err)"
like "an id" "$(cat id.out)" '[0-9]+'
is "one job more" "$(squeue -h -t all -o %A | wc -l)" $((before + 1))

case_ "salloc keeps its allocation"
mkfifo stay
salloc -n1 bash -c 'read -r _ <stay; srun echo still here; exit 4' >sal.out 2>sal.err &
pid=$!
wait_for 10 grep -qs Granted sal.err
controller_kill9
must stoker up
echo go >stay
wait $pid
is "status" $? 4
is "output" "$(cat sal.out)" "still here"

case_ "sbatch -W too"
mkfifo last
sbatch -W -o /dev/null --wrap 'read -r _ <last; exit 5' >w.out &
pid=$!
wait_for 10 test -s w.out
wait_state "$(sed 's/.* //' w.out)" RUNNING
controller_kill9
must stoker up
echo go >last
wait $pid
is "status" $? 5

# srun that prints 22,888,896 bytes to a reader who takes nothing before the file "take" is there
all_of_it=22888896
# Of those that have begun since start_slow: what went before stays until it has been kept for long enough.
has_ended() { [ -n "$(find "$STOKER_HOME"/state/agent/*/tasks -path '*.0.0.*/end' -newer begun 2>/dev/null)" ]; }
start_slow() {
    rm -f take
    touch begun
    { srun seq 1 3000000 2>slow.err; echo $? >slow.rc; } | { until [ -e take ]; do nap; done; wc -c >slow.n; } &
    pid=$!
    wait_for 20 has_ended
}

case_ "a slow reader of srun gets everything, however late"
start_slow
end=$(($(now_ms) + 2 * STOKER_SPOOL_KEEP_MS))
late() { [ "$(now_ms)" -ge $end ]; }
wait_for 20 late
has_ended || fail "the node has removed what is still being read"
touch take
wait $pid
is "bytes" "$(cat slow.n)" $all_of_it
is "status" "$(cat slow.rc)" 0
is "words" "$(cat slow.err)" ""

case_ "the node is away for a moment after the step's end"
start_slow
kill -KILL "$(agent_pid)"
touch take
wait $pid
is "bytes" "$(cat slow.n)" $all_of_it
is "status" "$(cat slow.rc)" 0

case_ "output that is lost is not passed over"
start_slow
rm "$STOKER_HOME"/state/agent/*/tasks/*.0.0.*/0.out
touch take
wait $pid
hasnt "bytes" "$(cat slow.n)" $all_of_it
is "status" "$(cat slow.rc)" 1
like "words" "$(cat slow.err)" "srun: error: some output of task 0 could not be fetched: .+"

case_ "a signal ends an srun whose output is not read"
touch begun
mkfifo unread
exec 8<>unread
srun seq 1 3000000 >unread 2>slow.err &
pid=$!
wait_for 20 has_ended
wait_end_of_step() { kill -TERM $pid 2>/dev/null; is_dead $pid; } # what comes before the end ends the step
wait_for 10 wait_end_of_step
wait $pid
at_least "status" $? 1
exec 8>&-
