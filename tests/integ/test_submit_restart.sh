#!/usr/bin/env bash
# The controller is killed while commands wait for it: nothing is lost, nothing is done twice.
. stoker.sh
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
