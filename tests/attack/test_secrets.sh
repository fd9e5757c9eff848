#!/usr/bin/env bash
# The controller's memory and its database hold the environments of all users. Another process of its account read the memory; an
# environment stayed in free pages of the database, and so in each backup, after its job had gone.
. stoker.sh
{ [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; } || skip "needs root, for a second user"
getent passwd daemon >/dev/null || skip "no user daemon here"
as_daemon() { setpriv --reuid=daemon --regid="$(id -g daemon)" --clear-groups -- "$@"; }
SECRET=the-token-of-the-user-4711

case_ "an environment leaves the database with its job"
EXTRA='min_job_age = "1s";' cluster_start
export TOKEN=$SECRET
big=$(head -c 100000 /dev/zero | tr '\0' x) # pages of its own
export BIG=$big$SECRET
submit -o /dev/null --wrap true
unset TOKEN BIG
in_database() { cat "$STOKER_HOME"/state/stoker.db* | grep -a -q "$SECRET"; }
in_database || fail "the database never had it: this test is wrong"
wait_end "$job"
has_left() { ! stoker jobs -a --json | grep -q "\"job_id\":$1,"; }
wait_for 20 has_left "$job"
cluster_stop
! in_database || fail "the environment of a job that has gone is still there"

case_ "a process of the account of a shared controller reads neither its memory nor its environment"
rm -rf "$STOKER_HOME/state" "$STOKER_HOME/run" "$STOKER_HOME/log"
chmod 755 "$TMPDIR" "$STOKER_HOME" "$WORK"
for d in state run log; do mkdir -m 755 "$STOKER_HOME/$d" && chown daemon: "$STOKER_HOME/$d"; done
chmod 700 "$STOKER_HOME/state"
setpriv --reuid=daemon --regid="$(id -g daemon)" --clear-groups -- stokerd --foreground --shared 2>"$TMPDIR/shared.log" &
pid=$!
serves() { [ -S "$STOKER_HOME/run/controller.sock" ] && squeue -h >/dev/null 2>&1; }
wait_for 20 serves
is "whose it is" "$(awk '/^Uid:/ { print $2 }' /proc/$pid/status)" "$(id -u daemon)"
is "whose its memory is" "$(stat -c %U /proc/$pid/mem)" root
as_daemon cat /proc/$pid/environ >/dev/null 2>&1 && fail "its environment was read"
as_daemon dd if=/proc/$pid/mem of=/dev/null count=0 2>/dev/null && fail "its memory was opened"
kill $pid
wait_for 20 is_dead $pid
