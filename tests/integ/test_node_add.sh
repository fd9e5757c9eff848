#!/usr/bin/env bash
# stoker node check, add, accept, note, drain, resume, remove: a cluster of one machine grows over SSH while it runs.
. stoker.sh
. sshd.sh

cluster_start
must sbatch --parsable --wrap="until [ -e go ]; do sleep 0.05; done"
running=$out
sshd_start 2
a=$(ssh_address 1) b=$(ssh_address 2)
print=$(ssh-keygen -lf "$NODES_DIR/n1/hostkey.pub" | cut -d' ' -f2)

case_ "a machine whose key nobody has vouched for is refused, with the cure"
: >"$KEYS/known_hosts"
says "check" 5 "~" "" stoker node check "$a" --port=$SSH_PORT --name=m1
like "port line" "$(grep ^port <<<"$out")" "port +ok +$SSH_PORT answers"
has "host key" "$(grep ^host <<<"$out")" "FAIL"
has "the cure" "$out" "stoker node accept m1 $print"
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

case_ "check of a node that is known, every line fine"
says "check" 0 "~" "" stoker node check m1
for w in name port "host key" login machine user disk files clock cpus memory gpus; do
    like "$w" "$(grep "^$w" <<<"$out" | head -n 1)" "$w +(ok|note) .*"
done
says "check of this machine" 0 "~" "" stoker node check n1

case_ "what is wrong is named"
sshd_stop 2
says "no server" 5 "~" "" stoker node check "$b" --port=$SSH_PORT --name=m2
like "port" "$(grep ^port <<<"$out")" "port +FAIL +cannot connect to $b port $SSH_PORT .*Connection refused"
says "no such name" 5 "~" "" stoker node check no-such-host.invalid
like "name" "$(grep ^name <<<"$out")" "name +FAIL .*"
sshd_run 2
wait_for 10 is_listening 2
ssh-keygen -q -t ed25519 -N '' -f "$TMPDIR/other"
must stoker node accept "$b" "$(ssh-keygen -lf "$NODES_DIR/n2/hostkey.pub" | cut -d' ' -f2)" --port=$SSH_PORT --name=m2
says "a key that is not let in" 5 "~" "" stoker node check "$b" --port=$SSH_PORT --name=m2 -i "$TMPDIR/other"
like "login" "$(grep ^login <<<"$out")" "login +FAIL .* does not let us in with $TMPDIR/other"
has "its line" "$out" "$(cut -d' ' -f1,2 "$TMPDIR/other.pub")"
says "usage" 2 "" "~" stoker node check
says "usage" 2 "" "~" stoker node nonsense m1
says "no name" 2 "" "~" stoker node add 127.0.0.1

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
