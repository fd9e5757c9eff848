#!/usr/bin/env bash
# Nodes over SSH for an ordinary user: a controller and a key of their own, agents that run as that user. As root the test is played by the first
# user of this machine who can log in.
# test-user
. stoker.sh
[ "$(id -u)" -eq 0 ] || skip "all tests run as an ordinary user here"
IFS=: read -r user _ uid gid _ < <(getent passwd | awk -F: '$3 >= 1000 && $3 < 60000 && $7 ~ /\/(ba|da|z|k)?sh$/ { print; exit }')
[ -n "${uid:-}" ] || skip "no user here who can log in"
as() { (cd / && setpriv --reuid="$uid" --regid="$gid" --clear-groups env -i HOME="$home" TMPDIR="$home" STOKER_HOME="$home/stoker" \
    TZ=UTC LC_ALL=C.UTF-8 PATH="$PATH" B="$B" "$@"); }
home=$TMPDIR/home
mkdir "$home"
chown "$uid:$gid" "$home"
chmod 711 "$TMPDIR"
as test -x "$(command -v stoker)" && as test -r "$ROOT/tests/lib/sshd.sh" && as test -w "$home" || skip "$user cannot read this build"
must as timeout 280 bash "$ROOT/tests/integ/test_ssh_jobs.sh"
is "as whom" "$(stat -c %U "$home/nodes/cache/stoker")" "$user"
