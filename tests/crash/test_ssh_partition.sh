#!/usr/bin/env bash
# F10, F11: the cable is pulled. Nothing says so: no reset, no end of file. The node is in a network of its own, whose link goes down:
# for less than it takes to notice, then for longer. Tasks go on, a half-open connection does not keep the new one out, ends arrive.
. stoker.sh
[ "$(id -u)" -eq 0 ] || skip "root makes networks"
command -v ip >/dev/null || skip "no ip here"
. sshd.sh
export STOKER_BEAT_MS=300
# Two ends of a cable; the far one in a namespace that lives as long as its holder.
net=$((($$ >> 6) & 0xff)).$(($$ & 0x3f))
far=198.18.${net#*.}.$((${net%.*} | 2)) near=198.18.${net#*.}.1
cable=st$$
unshare --net --kill-child sleep 1000 &
holder=$!
in_net() { nsenter --net="/proc/$(pgrep -P "$holder" sleep || echo "$holder")/ns/net" "$@"; }
trap 'rc=$?; ip link del "$cable" 2>/dev/null; kill "$holder" $(pgrep -P "$holder"); (exit $rc); ssh_on_exit' EXIT
own_net() { [ "$(readlink "/proc/$holder/ns/net")" != "$(readlink /proc/self/ns/net)" ]; }
wait_for 5 own_net
ip link add "$cable" type veth peer name far netns "$holder" 2>/dev/null || { kill "$holder"; skip "no virtual cable here"; }
ip addr add "$near/24" dev "$cable" && ip link set "$cable" up
in_net ip link set lo up && in_net ip addr add "$far/24" dev far && in_net ip link set far up
ssh_address() { echo "$far"; }
sshd_start_in_net() {
    ssh-keygen -q -t ed25519 -N '' -C test -f "$KEYS/id_ed25519"
    cp "$KEYS/id_ed25519.pub" "$NODES_DIR/authorized_keys"
    ssh_hostkey 1
    sshd_config 1
    in_net "$SSHD" -f "$NODES_DIR/n1/sshd_config" -E "$NODES_DIR/n1/sshd.log" || fail "no sshd there"
    wait_for 10 is_listening 1
}
sshd_start_in_net
ssh_config 1
must stoker up
wait_for 20 nodes_up
script task.sh <<'S'
echo $$ >>pids
echo $$ >"pid-$1"
exec 9<> <(:); until [ -e "go-$1" ]; do read -rt 0.05 -u 9; done
exit "$2"
S
submit -o /dev/null task.sh one 3
first=$job
submit -o /dev/null task.sh two 4
second=$job
wait_for 10 has_lines pids 2
looks() { [[ $(sinfo -h -N -o %T) =~ $1 ]]; }
ups() { grep -c 'node=n1 up' "$STOKER_HOME/log/stoker-link.log"; }

case_ "a short break has no consequence"
# Four heartbeats are missed after 1.2 s: a machine that stalls may make a longer break of it, and is asked once more.
for try in 1 2 3 4 5; do
    before=$(ups)
    t0=$(now_ms)
    ip link set "$cable" down
    nap; nap
    ip link set "$cable" up
    [ $(($(now_ms) - t0)) -ge 600 ] || break
    wait_for 40 nodes_up
done
[ $(($(now_ms) - t0)) -ge 600 ] || is "connections" "$(ups)" "$before"

case_ "a longer one is noticed, tasks go on"
ip link set "$cable" down
wait_for 10 looks '\*$|^unk|^down'
touch go-one
wait_for 10 is_dead "$(cat pid-one)"
is "its end is not known" "$(job_state "$first")" RUNNING
is_alive "$(cat pid-two)" || fail "the other task was ended"

case_ "the cable is back: the old connection, half open there, does not keep the new one out"
ip link set "$cable" up
wait_for 40 nodes_up
wait_end "$first"
is "its end" "$state $(job_field "$first" ExitCode)" "FAILED 3:0"
touch go-two
wait_end "$second"
is "its end" "$state $(job_field "$second" ExitCode)" "FAILED 4:0"
is "each ran once" "$(wc -l <pids)" 2
cluster_stop
