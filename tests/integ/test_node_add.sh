#!/usr/bin/env bash
# stoker node check, add, accept, note, drain, resume, remove: a cluster of one machine grows over SSH while it runs.
# test-user test-disk
. stoker.sh
. sshd.sh

cluster_start
must sbatch --parsable --wrap="until [ -e go ]; do sleep 0.05; done"
running=$out
sshd_start 2
a=$(ssh_address 1) b=$(ssh_address 2)
print=$(ssh-keygen -lf "$NODES_DIR/n1/hostkey.pub" | cut -d' ' -f2)

case_ "a machine with an unknown key is refused, with the cure"
: >"$KEYS/known_hosts"
says "check" 5 "~" "" stoker node check "$a" --port=$SSH_PORT --name=m1
like "port line" "$(grep ^port <<<"$out")" "port +ok +$SSH_PORT answers"
has "host key" "$(grep ^host <<<"$out")" "FAIL"
has "the cure" "$out" "compare it with what the machine says"
has "the way on" "$out" "stoker node add $a --accept=$print ... takes both"
hasnt "what would need a node" "$out" "node accept"
says "add" 5 "~" "~" stoker node add "$a" --port=$SSH_PORT --name=m1
has "the way on" "$err" "--accept=$print"
hasnt "configuration" "$(cat "$STOKER_HOME/stoker.cfg")" m1
says "a wrong fingerprint" 5 "~" "~" stoker node add "$a" --port=$SSH_PORT --name=m1 --accept=SHA256:wrong
is "known_hosts" "$(cat "$KEYS/known_hosts")" ""

case_ "with its fingerprint it comes in, and what runs goes on"
echo "# a comment of mine" >>"$STOKER_HOME/stoker.cfg"
must stoker node add "$a" --port=$SSH_PORT --name=m1 --gpus=3 --cpus=2 --features=big,fast --accept="$print"
has "lines" "$out" "m1 is up: 2 CPUs"
has "GPUs" "$out" "3 GPUs"
has "partition" "$out" "no partition has it"
has "the comment" "$(cat "$STOKER_HOME/stoker.cfg")" "# a comment of mine"
is "the job" "$(job_state "$running")" RUNNING
has "known" "$(cat "$KEYS/known_hosts")" "[$a]:$SSH_PORT"
says "twice" 4 "" "~" stoker node add "$a" --port=$SSH_PORT --name=m1
sed -i 's/nodes = "n1"; default/nodes = "n1,m1"; default/' "$STOKER_HOME/stoker.cfg"
must scontrol reconfigure
must srun -w m1 --constraint=fast bash -c 'echo $SLURMD_NODENAME'
is "there" "$out" m1

case_ "a node that a partition names is not taken out, and the cure is named"
cp "$STOKER_HOME/stoker.cfg" "$TMPDIR/before"
says "remove" 1 "" "~" stoker node remove m1
has "where" "$err" "$STOKER_HOME/stoker.cfg is left as it is, since this would be wrong: $STOKER_HOME/stoker.cfg:"
hasnt "no file that is gone" "$err" ".new"
has "the cure" "$err" 'first take m1 out of the `nodes` of partition main'
cmp -s "$TMPDIR/before" "$STOKER_HOME/stoker.cfg" || fail "the configuration was changed"

case_ "the log says what administrators do"
me=$(id -un)
must stoker node drain m1 --reason="new fan"
must stoker node resume m1
must stoker node note m1 "card on Monday"
must stoker node note m1 ""
must stoker window add --nodes=m1 --duration=1h --start=now+2days --name=fans
must stoker window remove fans
for line in "node=m1 drained by user=$me: new fan" "node=m1 resumed by user=$me" "node=m1 note by user=$me: card on Monday" \
    "window=fans made by user=$me" "window=fans removed by user=$me" "configuration read again by user=$me"; do
    grep -qF "$line" "$STOKER_HOME/log/stokerd.log" || fail "no line: $line" "$(tail -n 20 "$STOKER_HOME/log/stokerd.log")"
done

case_ "check of a node that is known, every line fine"
says "check" 0 "~" "" stoker node check m1
for w in name port "host key" login machine user disk spool files clock cpus memory gpus; do
    like "$w" "$(grep "^$w" <<<"$out" | head -n 1)" "$w +(ok|note) .*"
done
says "check of this machine" 0 "~" "" stoker node check n1

case_ "what is wrong is named"
sshd_stop 2
says "no server" 5 "~" "" stoker node check "$b" --port=$SSH_PORT --name=m2
like "port" "$(grep ^port <<<"$out")" "port +FAIL +cannot connect to $b port $SSH_PORT: Connection refused"
says "no such name" 5 "~" "" stoker node check no-such-host.invalid
like "name" "$(grep ^name <<<"$out")" "name +FAIL .*"
sshd_run 2
wait_for 10 is_listening 2
ssh-keygen -q -t ed25519 -N '' -f "$TMPDIR/other"
must stoker node accept "$b" "$(ssh-keygen -lf "$NODES_DIR/n2/hostkey.pub" | cut -d' ' -f2)" --port=$SSH_PORT --name=m2
says "a key that is not let in" 5 "~" "" stoker node check "$b" --port=$SSH_PORT --name=m2 -i "$TMPDIR/other"
like "login" "$(grep ^login <<<"$out")" "login +FAIL .* does not accept $TMPDIR/other"
has "its line" "$out" "$(cut -d' ' -f1,2 "$TMPDIR/other.pub")"
run stoker node accept "$b" "$(ssh-keygen -lf "$NODES_DIR/n2/hostkey.pub" | cut -d' ' -f2)" --port=$SSH_PORT --name=m2 -i "$TMPDIR/other"
is "accept says that as well" "$rc" 5
has "and what it did" "$out" "the host key of $b is known now"
# Programs of the machine that lie: its clock, its disk, its type.
mkdir "$TMPDIR/lies"
lie() { printf '#!/bin/sh\n%s\n' "$2" >"$TMPDIR/lies/$1" && chmod +x "$TMPDIR/lies/$1"; }
sed -i "s|^SetEnv .*|& PATH=$TMPDIR/lies:/usr/bin:/bin|" "$NODES_DIR/n2/sshd_config"
chmod 755 "$TMPDIR/lies"
sshd_stop 2
sshd_run 2
wait_for 10 is_listening 2
look() { run stoker node check "$b" --port=$SSH_PORT --name=m2; }
lie date 'echo $(($(/bin/date +%s) + 7200))'
look
is "a clock is not a failure" "$rc" 0
like "clock" "$(grep ^clock <<<"$out")" 'clock +note +\+7[12][0-9]{2} s from here'
has "its cure" "$out" "use NTP"
rm "$TMPDIR/lies/date"
lie df 'echo Filesystem; echo "x 1 1 20480 1 /"'
look
is "a full disk is one" "$rc" 5
like "disk" "$(grep ^disk <<<"$out")" 'disk +FAIL +20 MiB free in .*'
has "its cure" "$out" "make room"
like "spool" "$(grep ^spool <<<"$out")" 'spool +FAIL +20 MiB free in .*'
has "what happens else" "$out" "below 16 MiB the node is drained"
rm "$TMPDIR/lies/df"
lie uname 'echo riscv64'
look
like "machine" "$(grep ^machine <<<"$out")" 'machine +FAIL +riscv64, and the programs here are for .*'
rm "$TMPDIR/lies/uname"
echo >"$TMPDIR/file"
sed -i "s|XDG_CACHE_HOME=[^ ]*|XDG_CACHE_HOME=$TMPDIR/file/home|" "$NODES_DIR/n2/sshd_config"
sshd_stop 2
sshd_run 2
wait_for 10 is_listening 2
look
like "no home" "$(grep ^disk <<<"$out")" "disk +FAIL +$TMPDIR/file/home/stoker cannot be written, .*"
has "its cure" "$out" "XDG_CACHE_HOME and XDG_STATE_HOME name others"
echo "ForceCommand /bin/false" >>"$NODES_DIR/n2/sshd_config"
sshd_stop 2
sshd_run 2
wait_for 10 is_listening 2
look
like "no shell" "$(grep ^shell <<<"$out")" 'shell +FAIL +its login shell runs no command'
ssh-keygen -q -t ed25519 -N '' -f "$TMPDIR/hostkey2"
sed -i "s|^HostKey .*|HostKey $TMPDIR/hostkey2|" "$NODES_DIR/n2/sshd_config"
sshd_stop 2
sshd_run 2
wait_for 10 is_listening 2
look
like "another host key" "$(grep '^host key' <<<"$out")" 'host key +FAIL +its host key has CHANGED to SHA256:.*'
has "its cure" "$out" "ssh-keygen -R '[$b]:$SSH_PORT'"

case_ "the first machine of a new user: there is no configuration yet, nor a directory for it"
new() { env -u STOKER_HOME -u XDG_RUNTIME_DIR HOME="$TMPDIR/new" XDG_CONFIG_HOME="$TMPDIR/new/config" XDG_STATE_HOME="$TMPDIR/new/state" "$@"; }
mkdir "$TMPDIR/new"
must new stoker node key
like "the output is the key alone" "$out" 'ssh-ed25519 [^ ]+ [^ ]+'
echo "$out" >>"$NODES_DIR/authorized_keys"
must new stoker node add "$a" --port=$SSH_PORT --name=m1 --accept="$print"
has "what was written" "$out" "m1 is in $TMPDIR/new/config/stoker/stoker.cfg"
says "no such node" 3 "" "~" new stoker node remove m9
has "in words" "$err" "there is no node m9"
must new stoker node remove m1
rm "$TMPDIR/new/config/stoker/stoker.cfg"
must new stoker init
must new stoker node add "$a" --port=$SSH_PORT --name=m1
hasnt "behind stoker init a partition has it" "$out" "no partition"
says "the configuration" 0 "~" "" new stoker config check
has "its nodes" "$out" "2 nodes, 1 partition"
says "usage" 2 "" "~" stoker node check
says "usage" 2 "" "~" stoker node nonsense m1
says "no name" 2 "" "~" stoker node add 127.0.0.1

case_ "doctor looks at the way to it"
run stoker doctor
like "link" "$(grep -E '^(ok|warn|fail) +link ' <<<"$out")" "ok +link +process $(link_pid), started by the controller"
like "key" "$(grep -E '^(ok|warn|fail) +key ' <<<"$out")" "ok +key +$KEYS/id_ed25519, closed to others"
like "host keys" "$(grep -E '^(ok|warn|fail) +host keys ' <<<"$out")" "ok +host keys +2 in $KEYS/known_hosts"
chmod 644 "$KEYS/id_ed25519"
run stoker doctor
is "an open key is a failure" "$rc" 1
has "its cure" "$out" "chmod 600 $KEYS/id_ed25519"
chmod 600 "$KEYS/id_ed25519"

if unshare -m mount -t tmpfs none "$HOME" 2>/dev/null; then
    case_ "a machine that does not see our files: its entry says so"
    c=$(ssh_address 3)
    ssh_hostkey 3
    sshd_config 3
    unshare -m sh -c 'mount -t tmpfs none "$HOME" && exec "$0" -f "$1"' "$SSHD" "$NODES_DIR/n3/sshd_config"
    wait_for 10 is_listening 3
    must stoker node add "$c" --port=$SSH_PORT --name=m3
    like "files" "$(grep ^files <<<"$out")" "files +note .* is not there"
    has "what was written" "$out" "with own_files"
    has "entry" "$(grep -F 'name = "m3"' "$STOKER_HOME/stoker.cfg")" "own_files = true;"
    hasnt "the other's" "$(grep -F 'name = "m1"' "$STOKER_HOME/stoker.cfg")" "own_files"
    is "nothing is left of the question" "$(ls -A "$HOME" | grep stoker-check)" ""
    must stoker node remove m3
fi

case_ "notes, drain, resume"
must stoker node note m1 "fan is loud"
has "note" "$(stoker nodes)" "fan is loud"
must stoker node drain m1 --reason="new fan"
has "reason" "$(sinfo -R)" "new fan"
must stoker node resume m1
must stoker node note m1 ""
hasnt "note" "$(stoker nodes)" "fan is loud"
says "a note about nothing" 3 "" "~" stoker node note m7 text

case_ "out again"
says "not there" 3 "~" "~" stoker node remove m7
sed -i 's/n1,m1/n1/' "$STOKER_HOME/stoker.cfg"
must stoker node remove m1
hasnt "configuration" "$(cat "$STOKER_HOME/stoker.cfg")" m1
has "the comment" "$(cat "$STOKER_HOME/stoker.cfg")" "# a comment of mine"
gone() { [[ $(sinfo -h -N -o %N) != *m1* ]]; }
wait_for 5 gone
touch go
wait_end "$running"
is "the job" "$state" COMPLETED
cluster_stop
