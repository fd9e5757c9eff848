#!/usr/bin/env bash
# stoker init --shared on a machine: real accounts, the system's directories, the command lines of the units. In a mount namespace
# with a copy of /etc, so that this machine does not notice.
# test-user
. stoker.sh
[ "$(id -u)" -eq 0 ] || skip "only root makes accounts and services"
for p in useradd unshare setpriv; do command -v $p >/dev/null || skip "no $p here"; done
unshare -m true 2>/dev/null || skip "no mount namespaces here"
getent passwd nobody >/dev/null || skip "no user nobody"
getent passwd stoker stoker-link >/dev/null && skip "the accounts are here already"
if [ "${1:-}" != inside ]; then
    chmod 711 "$TMPDIR"
    mkdir "$TMPDIR/varlib" "$TMPDIR/varlog"
    cp -a /etc "$TMPDIR/etc" 2>/dev/null
    trap - EXIT
    exec unshare -m --propagation private bash "$0" inside
fi
mount --bind "$TMPDIR/etc" /etc && mount --bind "$TMPDIR/varlib" /var/lib && mount --bind "$TMPDIR/varlog" /var/log && mount -t tmpfs tmpfs /run ||
    skip "nothing can be mounted here"
rm -rf /etc/stoker
unset STOKER_HOME

case_ "init makes accounts and directories, and again changes nothing"
must stoker init --shared
has "accounts" "$out" "made     account stoker-link"
is "state" "$(stat -c '%U %a' /var/lib/stoker)" "stoker 700"
is "key" "$(stat -c '%U %a' /var/lib/stoker-link/id_ed25519)" "stoker-link 600"
is "its directory" "$(stat -c '%U %a' /var/lib/stoker-link)" "stoker-link 755"
is "the agent's" "$(stat -c '%U %a' /var/lib/stoker-agent)" "root 711"
hasnt "nothing is left but the services" "$out" "useradd"
hasnt "no owner to change" "$out" "chown"
must stoker init --shared
hasnt "again" "$out" "made "
says "no node of this machine" 1 "" "~" stoker init --node=x --key="ssh-ed25519 AAAA x"

# As systemd would: RuntimeDirectory, User, ExecStart.
pids=()
service() {
    local unit=/etc/systemd/system/$1.service user dir cmd
    user=$(sed -n 's/^User=//p' $unit)
    dir=$(sed -n 's/^RuntimeDirectory=//p' $unit)
    cmd=$(sed -n 's/^ExecStart=//p' $unit)
    mkdir -p "/run/$dir" && chown "${user:-root}:" "/run/$dir"
    umask "$(sed -n 's/^UMask=//p' $unit)"
    # shellcheck disable=SC2086
    if [ -n "$user" ]; then
        setpriv --reuid="$user" --regid="$user" --init-groups --no-new-privs $cmd 2>>"$TMPDIR/$1.log" &
    else
        $cmd 2>>"$TMPDIR/$1.log" &
    fi
    pids+=($!)
    umask 022
}
end() {
    local rc=$? pid
    trap - EXIT
    [ $rc -eq 0 ] || tail -n 20 "$TMPDIR"/*.log /var/log/stoker/*
    for pid in "${pids[@]}" $(cat /var/lib/stoker/stokerd.lock 2>/dev/null); do kill "$pid" 2>/dev/null && until_ 10 is_dead "$pid"; done
    exit $rc
}
trap end EXIT
chmod 755 "$(dirname "$(command -v stoker)")"
service stoker-agent
service stoker-link
service stokerd
up() { [ "$(sinfo -h -o %T 2>/dev/null)" = idle ]; }
wait_for 30 up

case_ "a user's job runs as that user; nothing was told to the commands"
as_nobody() { (cd / && setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups env -i PATH="$PATH" HOME=/nonexistent "$@"); }
run as_nobody true
if as_nobody test -x "$(command -v sbatch)"; then
    sed -i 's/^min_uid.*/min_uid = 1000/' /etc/stoker/policy
    must as_nobody sbatch --parsable -D /tmp -o /dev/null --comment x --wrap 'test "$(id -un)" = nobody'
    wait_end "$out"
    is "its end" "$state" COMPLETED
fi
must sbatch --parsable -D /tmp -o /dev/null --wrap true
is_refused() { [ "$(squeue -h -j "$out" -o %r)" = ReqNodeNotAvail ]; }
wait_for 20 is_refused
has "root's job waits" "$(stoker why "$out")" "runs nothing as root"
must scancel "$out"

case_ "where a service manager keeps the controller no command starts a second one, nor tells a user to"
must stoker down
says "a user" 5 "~" "~" as_nobody stoker jobs
has "who starts it" "$err" "no controller runs here (no answer at /run/stoker/controller.sock); an administrator starts it: systemctl start stokerd"
run stoker doctor
has "doctor" "$(grep -A1 "^fail  controller" <<<"$out")" "-> systemctl start stokerd"
mkdir -p /run/systemd/system
says "up" 5 "" "~" stoker up
has "how" "$err" "the controller is a service of this machine: systemctl start stokerd"
rmdir /run/systemd/system

case_ "stoker up as root, without a service manager: the controller is the service account all the same"
must stoker up
is "who" "$(stat -c %U "/proc/$(cat /var/lib/stoker/stokerd.lock)")" stoker
wait_for 30 up
says "for others" 5 "~" "~" as_nobody env STOKER_SOCKET=/nowhere stoker jobs
must as_nobody squeue -h
must stoker down
