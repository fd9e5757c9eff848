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

begin() {
    rm -f here.* go
    as_nobody srun --mpi=pmi2 -n 2 sh -c 'touch here.$SLURM_PROCID; until [ -e go ]; do sleep 0.05; done' >out 2>err &
    step=$!
    wait_for 20 is_file here.0
    wait_for 20 is_file here.1
    # The server has the command line of its supervisor, which names a directory of this test, and a name of its own.
    server=$(ps -o pid=,comm= -p "$(shim_pids | paste -sd,)" | awk '$2 == "stoker-pmi" { print $1 }')
    like "one server" "$server" '[0-9]+'
    shim=$(ps -o ppid= -p "$server" | tr -d ' ')
}
of() { awk -v key="$2:" '$1 == key { print $2 }' "/proc/$1/status"; }

case_ "the server is the user, without capabilities, and cannot make other system calls than a reader"
begin
is "its uid" "$(of "$server" Uid)" "$(id -u nobody)"
is "its group" "$(of "$server" Gid)" "$(id -g nobody)"
is "its capabilities" "$(of "$server" CapPrm)" 0000000000000000
! has_filters || is "its filter" "$(of "$server" Seccomp)" 2
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
