#!/usr/bin/env bash
# /tmp and /dev/shm were those of the machine: another user's job could read what a job left there, take the names that it would use,
# and fill them. On a node with private_tmp each job has its own.
# test-timeout: 300 test-disk: jobs here do not see what lies below /tmp and /dev/shm
. stoker.sh
{ [ "$(id -u)" -eq 0 ] && command -v setpriv unshare >/dev/null; } || skip "needs root, for a second user and for mounts"
for u in nobody daemon; do getent passwd $u >/dev/null || skip "no user $u here"; done
unshare -m mount -t tmpfs stoker /mnt 2>/dev/null || skip "this machine lets nothing be mounted"

chmod 755 "$TMPDIR" "$STOKER_HOME" "$WORK"
mkdir -m 777 work
cd work || exit
as() {
    local u=$1
    shift
    setpriv --reuid="$u" --regid="$(id -g "$u")" --init-groups -- "$@"
}
cluster_config
sed -i 's/name = "n1";/name = "n1"; private_tmp = "8M";/' "$STOKER_HOME/stoker.cfg"
grep -q private_tmp "$STOKER_HOME/stoker.cfg" || fail "the configuration has no node n1"
must stoker up
wait_for 15 nodes_up
private=$STOKER_HOME/state/agent/n1/private
held() { find "$private" -mindepth 1 2>/dev/null | wc -l; }
none_held() { [ "$(held)" -eq 0 ]; }
secret=st-secret-$$

case_ "another user's job does not see what a job has in /tmp and /dev/shm, nor does the machine"
script keep <<'S'
echo secret >/tmp/$1 && echo secret >/dev/shm/$1 && chmod 644 /tmp/$1 /dev/shm/$1
touch kept
until [ -e go ]; do sleep 0.05; done
S
job=$(as nobody sbatch --parsable -o keep.out keep $secret)
wait_for 20 is_file kept
run as daemon srun sh -c "cat /tmp/$secret /dev/shm/$secret; ls -A /tmp /dev/shm"
hasnt "what it reads" "$out" secret
is "its own are empty" "$(grep -v '^$' <<<"$out" | tr '\n' ' ')" "/dev/shm: /tmp: "
[ ! -e /tmp/$secret ] && [ ! -e /dev/shm/$secret ] || fail "the machine has it"

case_ "the steps of the job share it, also where no task of the job is left meanwhile"
is "a step" "$(as nobody srun --jobid="$job" --overlap cat /tmp/$secret /dev/shm/$secret | tr '\n' ' ')" "secret secret "
touch go
wait_end "$job"
is "its end" "$state" COMPLETED
wait_for 20 none_held
script steps <<'S'
srun sh -c 'echo between >/tmp/between'
srun cat /tmp/between
S
is "steps of one allocation" "$(as nobody salloc -Q bash ./steps)" between

case_ "another user's job cannot enter it by the ids of the job, nor reach what keeps it"
rm -f go kept
job=$(as nobody sbatch --parsable -o keep.out keep $secret)
wait_for 20 is_file kept
is "who reaches it" "$(stat -f -c %T "$private") $(stat -c '%a %U' "$private")" "tmpfs 700 root"
run as daemon srun ls "$private"
has "another user's job" "$err" "Permission denied"
run as daemon srun --jobid="$job" --overlap cat /tmp/$secret
hasnt "a step in that job" "$out" secret

case_ "it holds no more than it may, of bytes and of names"
run as daemon srun sh -c 'head -c 20000000 /dev/zero >/tmp/full; stat -c %s /tmp/full; head -c 20000000 /dev/zero >/dev/shm/full; stat -c %s /dev/shm/full'
is "bytes" "$(tr '\n' ' ' <<<"$out")" "8388608 8388608 "
run as daemon srun sh -c 'i=0; while [ $i -lt 1000 ] && (: >/tmp/f$i) 2>/dev/null; do i=$((i + 1)); done; echo $i'
at_least "names" "$out" 400
at_most "names" "$out" 600

case_ "set-user-ID programs and devices count for nothing there"
has "its options" "$(as nobody srun grep ' /tmp tmpfs' /proc/mounts)" "nosuid,nodev"

case_ "what users leave there does not outlast the job: directories that cannot be read, links, mounts of their own"
ln -s /etc /var/tmp/$secret-link
script leave <<'S'
mkdir -p /tmp/a/b/c && touch /tmp/a/b/c/d && chmod 000 /tmp/a/b /tmp/a
ln -s /etc /tmp/etc
ln -s "$1" /tmp/work
unshare -Urm sh -c 'mount -t tmpfs x /tmp/own && touch /tmp/own/x' 2>/dev/null
mkdir /tmp/own
unshare -Urm sh -c 'mount -t tmpfs x /tmp/own && touch /tmp/own/x; mount -o remount,bind,ro /tmp' 2>/dev/null
exit 0
S
touch here
job2=$(as nobody sbatch --parsable -o leave.out leave "$PWD")
wait_end "$job2"
only_first() { [ "$(held)" -eq 1 ]; }
wait_for 20 only_first
is_file here && is_file /etc/passwd || fail "files that links led to are gone"
rm -f /var/tmp/$secret-link
touch go
wait_end "$job"
wait_for 20 none_held
is "file systems of it that are left" "$(grep -c "^stoker $private/" /proc/mounts)" 0

case_ "a job that begins again has a new one, elements of an array have one each"
rm -f go kept
script again <<'S'
ls -A /tmp >>saw
echo "." >>saw
touch /tmp/was-here kept
until [ -e go ]; do sleep 0.05; done
S
job=$(as nobody sbatch --parsable --requeue -o again.out again)
wait_for 20 is_file kept
rm kept
as nobody scontrol requeue "$job"
as nobody scontrol update JobId="$job" StartTime=now 2>/dev/null
wait_for 200 is_file kept
touch go
wait_end "$job"
is "what both tries saw" "$(tr '\n' ' ' <saw)" ". . "
rm saw
as nobody sbatch -W --parsable --array=1-3 -o again.out again >ids
is "what the elements saw" "$(tr '\n' ' ' <saw)" ". . . "
wait_for 20 none_held

case_ "agents and controllers that are killed lose none and leave none"
rm -f go kept
job=$(as nobody sbatch --parsable -o keep.out keep $secret)
wait_for 20 is_file kept
agent=$(agent_pid)
kill -KILL "$agent" && wait_for 5 is_dead "$agent"
new_agent() { [ -n "$(agent_pid)" ] && [ "$(agent_pid)" != "$agent" ] && nodes_up; }
wait_for 30 new_agent
is "a step after that" "$(as nobody srun --jobid="$job" --overlap cat /tmp/$secret)" secret
controller=$(controller_pid)
kill -KILL "$controller" && wait_for 5 is_dead "$controller"
agent=$(agent_pid)
kill -KILL "$agent" && wait_for 5 is_dead "$agent"
touch go # it ends while neither of them is there
no_task() { [ -z "$(shim_pids)" ]; }
wait_for 20 no_task
is "nothing knows yet that the job is over" "$(held)" 1
must stoker up
wait_for 30 nodes_up
wait_for 30 none_held

case_ "a job that is cancelled while no task of it lives"
rm -f in
as nobody salloc -Q sh -c 'srun touch /tmp/x; touch in; until [ -e out ]; do sleep 0.1; done' &
wait_for 20 is_file in
is "held for an allocation without a task" "$(held)" 1
must scancel -u nobody
wait_for 20 none_held
touch out
wait

case_ "nothing is left of any of them"
is "what is mounted" "$(grep -c "$private" /proc/mounts)" 0

case_ "without the key jobs have those of the machine"
sed -i 's/ private_tmp = "8M";//' "$STOKER_HOME/stoker.cfg"
must scontrol reconfigure
touch "/tmp/$secret"
sees() { as nobody srun ls "/tmp/$secret" >/dev/null 2>&1; }
wait_for 20 sees
rm -f "/tmp/$secret"

case_ "behind a launcher: the agent has no rights over the machine, and cannot take the place of what keeps them"
cluster_stop
getent passwd sys >/dev/null || skip "no user sys here, for the agent"
node=$TMPDIR/node
private=$node/private
must stoker-agent --node n1 --dir "$node" --socket "$node/agent.sock" --account sys --controller root --log "$TMPDIR/agent.log" --daemon
launcher=$(head -n 1 "$node/lock")
as sys sh -c "echo x >$node/private" || fail "the agent cannot make a file of its own"
cluster_config
sed -i 's|name = "n1";|name = "n1"; private_tmp = "8M"; agent_socket = "'"$node/agent.sock"'";|' "$STOKER_HOME/stoker.cfg"
must stoker up
wait_for 15 nodes_up
rm -f go kept
as nobody sbatch --parsable -o keep.out keep $secret >job
refuses() { grep -q "the job's own /tmp cannot be had" "$TMPDIR/agent.log"; }
wait_for 20 refuses
rm "$node/private"
must scontrol update NodeName=n1 State=RESUME
wait_for 90 is_file kept
is "who has it" "$(stat -f -c %T "$private") $(stat -c '%a %U' "$private")" "tmpfs 700 root"
as sys mv "$private" "$node/elsewhere" 2>/dev/null && fail "the agent moves it"
is "a step" "$(as nobody srun --jobid="$(<job)" --overlap cat /tmp/$secret)" secret
agent=$(pgrep -P "$launcher" -f -- "stoker-agent --launched n1")
kill -KILL "$agent"
wait_for 20 is_dead "$launcher"
touch go
wait_for 20 no_task
must stoker-agent --node n1 --dir "$node" --socket "$node/agent.sock" --account sys --controller root --log "$TMPDIR/agent.log" --daemon
launcher=$(head -n 1 "$node/lock")
wait_for 60 none_held
wait_end "$(<job)"
must stoker down --kill-jobs
kill -TERM "$launcher"
wait_for 20 is_dead "$launcher"

case_ "when the last one is gone nothing is mounted"
is "what is mounted" "$(grep -c "$private" /proc/mounts)" 0
