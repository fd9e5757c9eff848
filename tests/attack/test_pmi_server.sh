#!/usr/bin/env bash
# What ranks say over PMI was read by the supervisor, which is root: a fault in it was a way to root, and its time was not the user's.
# Now a process of the user reads it.
. stoker.sh
{ [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; } || skip "needs root, for a second user"
getent passwd nobody >/dev/null || skip "no user nobody here"
as_nobody() { setpriv --reuid=nobody --regid="$(id -g nobody)" --init-groups -- "$@"; }
chmod 755 "$TMPDIR" "$STOKER_HOME" "$WORK"
cluster_start
chmod 755 "$STOKER_HOME"
mkdir -m 777 work
cd work || exit

# Its program gives itself a name when it has become the user.
is_served() { server=$(pmi_pids) && [ "$(cat "/proc/$server/comm")" = stoker-pmi ]; }
is_confined() { [ "$(of "$server" Seccomp)" = 2 ]; }
begin() {
    rm -f here.* go
    as_nobody srun --mpi=pmi2 -n 2 sh -c 'touch here.$SLURM_PROCID; until [ -e go ]; do sleep 0.05; done' >out 2>err &
    step=$!
    wait_for 20 is_file here.0
    wait_for 20 is_file here.1
    wait_for 20 is_served
    like "one server" "$server" '[0-9]+'
    parent=$(ps -o ppid= -p "$server" | tr -d ' ')
    shim=$(ps -o ppid= -p "$parent" | tr -d ' ')
}
of() { awk -v key="$2:" '$1 == key { print $2 }' "/proc/$1/status"; }

case_ "the server is the user, without capabilities, and cannot make other system calls than a reader"
begin
is "its uid" "$(of "$server" Uid)" "$(id -u nobody)"
is "its group" "$(of "$server" Gid)" "$(id -g nobody)"
is "its capabilities" "$(of "$server" CapPrm)" 0000000000000000
! has_filters || wait_for 10 is_confined
is "the kernel's out-of-memory killer may end it" "$(cat "/proc/$server/oom_score_adj")" "$(cat /proc/self/oom_score_adj)"
is "it has the sockets of two ranks, that of the supervisor, and standard error" "$(find "/proc/$server/fd" -type l | wc -l)" 4
as_nobody cat "/proc/$server/maps" >/dev/null 2>&1 && fail "its user sees where its memory lies"
touch go
wait "$step" || fail "the step failed" "$(cat err)"
wait_for 10 is_dead "$server"

case_ "its user ends it: their step ends with a text, nothing else does"
begin
as_nobody kill -KILL "$server" || fail "the user may not end a process of theirs"
wait "$step" && fail "the step goes on"
has "why" "$(cat err)" "PMI: the process that serves it has ended"
wait_for 20 is_dead "$shim"

case_ "its user stops it: the task ends with its ranks"
begin
as_nobody kill -STOP "$server"
touch go
wait "$step" || fail "the step failed" "$(cat err)"
wait_for 20 is_dead "$server"
wait_for 20 nodes_up

case_ "a supervisor that is lost takes it along"
begin
kill -KILL "$shim"
wait "$step" && fail "the step was lost and ended well"
wait_for 20 is_dead "$server"

trace() { # PID ...
    rm -f hold traced
    mkfifo hold
    "$B/tests/tools/tracer" "$@" <hold >traced &
    exec 8>hold
    wait_for 10 is_traced
}
is_traced() { [ -s traced ]; }

case_ "a process that is traced is not given to its parent: the supervisor waits neither for the server nor for its parent"
begin
trace "$parent" "$server"
touch go
wait "$step" || fail "the step failed" "$(cat err)"
wait_for 20 is_dead "$shim"
exec 8>&-
wait_for 10 is_dead "$server"

case_ "the same, and its user ends it: the step ends with a text"
begin
trace "$parent" "$server"
as_nobody kill -KILL "$server"
wait "$step" && fail "the step goes on"
has "why" "$(cat err)" "PMI: the process that serves it has ended"
wait_for 20 is_dead "$shim"
exec 8>&-

case_ "its parent is the supervisor's: the user cannot end it, and the server goes with it"
begin
as_nobody kill -KILL "$parent" 2>/dev/null && fail "the user may end it"
as_nobody kill -STOP "$server"
kill -KILL "$parent"
wait_for 10 is_dead "$server"
wait "$step" && fail "the step goes on"

case_ "a process that ranks leave behind is told from the server"
rm -f left
as_nobody srun --mpi=pmi2 -n 1 sh -c 'sleep 1000 & echo $! >left' || fail "the step failed"
wait_for 20 is_dead "$(cat left)"
