#!/usr/bin/env bash
# A fault in a controller that runs as root and serves other users gives them the machine. So root's own cluster serves root alone, and
# a shared controller is not root.
. stoker.sh
{ [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; } || skip "needs root, for a second user"
getent passwd nobody >/dev/null || skip "no user nobody here"
unset STOKER_ROOT_SERVES_ALL
as_nobody() { setpriv --reuid=nobody --regid="$(id -g nobody)" --init-groups -- "$@"; }
chmod 755 "$TMPDIR" "$STOKER_HOME" "$WORK"

case_ "root's own cluster runs root's jobs"
cluster_start
must sbatch --parsable -W -o out --wrap 'id -u'
is "its output" "$(cat out)" 0
has "the log" "$(cat "$STOKER_HOME/log/stokerd.log")" "serves root alone"

case_ "another user does not get in"
is "the socket" "$(stat -c %a "$STOKER_HOME/run/controller.sock")" 600
is "its directory" "$(stat -c %a "$STOKER_HOME/run")" 700
run as_nobody sbatch --parsable -H --wrap true
[ $rc -ne 0 ] || fail "a job of nobody was taken"
chmod 755 "$STOKER_HOME/run"
chmod 666 "$STOKER_HOME/run/controller.sock"
run as_nobody sbatch --parsable -H --wrap true
[ $rc -ne 0 ] || fail "a job of nobody was taken, with the socket open"
cluster_stop

case_ "a shared controller whose directory is root's refuses to start, and says what to do"
run stokerd --foreground --shared
is "its status" "$rc" 1
has "why" "$err" "a shared controller does not run as root"
has "what to do" "$err" "chown ACCOUNT: $STOKER_HOME/state"

case_ "with an account it becomes that account"
rm -rf "$STOKER_HOME/state" "$STOKER_HOME/run" "$STOKER_HOME/log"
mkdir -m 700 "$STOKER_HOME/state"
chown -R daemon: "$STOKER_HOME/state"
stokerd --foreground --shared 2>shared.log &
pid=$!
owner() { [ "$(stat -c %U /proc/$pid 2>/dev/null)" = daemon ] && [ -S "$STOKER_HOME/run/controller.sock" ]; }
wait_for 20 owner
is "no rights are left" "$(awk '/^Cap(Prm|Eff)/ { print $2 }' /proc/$pid/status | sort -u)" 0000000000000000
as_nobody squeue -h || fail "another user is not served"
kill $pid
wait_for 20 is_dead $pid
