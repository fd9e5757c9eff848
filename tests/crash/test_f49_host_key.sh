#!/usr/bin/env bash
# F49, F50: a host key that has changed, a key that is not let in any more. Refused with the cure in the text, tried again at long
# intervals, tasks go on, and the cure works.
# test-user
. stoker.sh
. sshd.sh
ssh_cluster 2
script task.sh <<'S'
echo $$ >>pids
exec 9<> <(:); until [ -e go ]; do read -rt 0.05 -u 9; done
exit 0
S
submit -o /dev/null -w n1 task.sh
wait_for 10 has_lines pids 1
trouble() { stoker nodes --json | python3 -c '
import json, sys
print(next(n["trouble"] or "" for n in json.load(sys.stdin)["nodes"] if n["name"] == sys.argv[1]))' "$1"; }
in_trouble() { [[ $(trouble "$1") == *"$2"* ]]; }
is_up() { [[ $(sinfo -h -N -n "$1" -o %T) =~ ^(idle|mixed|allocated)$ ]]; }

case_ "another machine answers at n1's address"
mv "$NODES_DIR/n1/hostkey" "$NODES_DIR/n1/hostkey.old"
ssh-keygen -q -t ed25519 -N '' -f "$NODES_DIR/n1/hostkey"
sshd_stop 1
sshd_run 1
bridge_cut 1
wait_for 10 is_listening 1
wait_for 15 in_trouble n1 "CHANGED"
has "its name" "$(grep -o 'n1 hostkey[a-z_]*\|node=n1 hostkey[a-z_]*' "$STOKER_HOME/log/stoker-link.log" | tail -n 1)" hostkey_changed
has "the cure" "$(trouble n1)" "stoker node accept n1 SHA256:"
has "why" "$(scontrol show node n1)" "CHANGED"
is "the job is held as it is" "$(job_state "$job")" RUNNING
is_alive "$(cat pids)" || fail "its task was ended"
says "check says so too" 5 "~" "" stoker node check n1
like "host key" "$(grep '^host key' <<<"$out")" "host key +FAIL +its host key has CHANGED.*"
print=$(ssh-keygen -lf "$NODES_DIR/n1/hostkey" | cut -d' ' -f2)
says "a changed key is not accepted over the old one" 5 "~" "" stoker node accept n1 "$print"

case_ "the old line is taken out, the new key accepted"
ssh-keygen -q -R "[$(ssh_address 1)]:$SSH_PORT" -f "$KEYS/known_hosts" >/dev/null 2>&1
must stoker node accept n1 "$print"
wait_for 10 is_up n1
is "no trouble" "$(trouble n1)" ""

case_ "the key is not let in any more: few tries, and an old one does not stay"
mv "$NODES_DIR/authorized_keys" "$NODES_DIR/away"
: >"$NODES_DIR/n2/sshd.log"
sshd_cut 2
wait_for 15 in_trouble n2 "does not accept"
has "the cure" "$(trouble n2)" "authorized_keys there: ssh-ed25519 "
tries=$(grep -c 'login_refused' "$STOKER_HOME/log/stoker-link.log")
is "tries" "$tries" 1
mv "$NODES_DIR/away" "$NODES_DIR/authorized_keys"
must scontrol reconfigure
wait_for 10 is_up n2
is "tries" "$(grep -c 'login_refused' "$STOKER_HOME/log/stoker-link.log")" 1
touch go
wait_end "$job"
is "its end" "$state" COMPLETED
cluster_stop
