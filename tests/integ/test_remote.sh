#!/usr/bin/env bash
# stoker user@host: the cluster of another machine through ssh, here an sshd on loopback.
# test-user
. stoker.sh
. sshd.sh

cluster_start
sshd_start 2
# The far end of n1 finds the cluster of this test; n2 has a home of its own, and no cluster.
far_home=$TMPDIR/far
mkdir "$far_home"
restart_with() { # NODE SETENV...: another environment at the far end
    local i=$1
    shift
    sshd_stop "$i"
    sed -i "s|^SetEnv .*|SetEnv XDG_CACHE_HOME=$far_home/cache $*|" "$NODES_DIR/n$i/sshd_config"
    sshd_run "$i"
    wait_for 10 is_listening "$i"
}
restart_with 1 "HOME=$far_home STOKER_HOME=$STOKER_HOME"
restart_with 2 "HOME=$far_home XDG_STATE_HOME=$far_home/state XDG_RUNTIME_DIR=$far_home"
for i in 1 2; do
    cat <<CFG
Host far$i
 HostName $(ssh_address $i)
 Port $SSH_PORT
 User $(id -un)
 IdentityFile $KEYS/id_ed25519
 IdentitiesOnly yes
 IdentityAgent none
 UserKnownHostsFile $KEYS/known_hosts
CFG
done >"$WORK/ssh_config"
export STOKER_SSH="ssh -F $WORK/ssh_config"
# As on a laptop: nothing of the cluster is in its environment.
laptop=(env -u STOKER_HOME HOME="$WORK/laptop" XDG_RUNTIME_DIR="$WORK/laptop")
laptop() { "${laptop[@]}" "$@"; }
mkdir "$WORK/laptop"
# Standard error without what sshd tells a user who has no home directory.
said() { grep -v '^Could not chdir to home directory' <<<"$err"; }
far_ends() { pgrep -f -- "$far_home/cache/stoker/.*stoker-slurm --stdio"; }
no_far_ends() { [ -z "$(far_ends)" ]; }

case_ "the queue, the nodes, one job and an action, as on the machine itself"
submit --wrap "echo from the node; exec sleep 600"
first=$job
wait_state "$first" RUNNING
must stoker nodes --json
local_nodes=$(sed 's/"time":[^,]*//' <<<"$out")
must laptop stoker far1: nodes --json
is "the nodes" "$(sed 's/"time":[^,]*//' <<<"$out")" "$local_nodes"
must laptop stoker jobs --on far1
has "the list" "$out" "wrap"
is "standard error" "$(said)" ""
must laptop stoker --on far1 show "$first"
has "the job" "$out" "wrap"
must laptop env STOKER_HOST="$(id -un)@far1" stoker jobs
has "the list" "$out" "wrap"
must laptop env STOKER_HOST=far1 squeue -h -o "%i %T"
is "squeue" "$out" "$first RUNNING"
output_is_there() { run laptop stoker far1: output "$first"; [ "$out" = "from the node" ]; }
wait_for 10 output_is_there
must laptop stoker cancel --on far1 "$first"
wait_end "$first"
is "the state" "$state" CANCELLED

case_ "one program is left there, for the user alone"
wait_for 10 no_far_ends
is "files" "$(find "$far_home/cache" -type f | wc -l)" 1
is "its name" "$(find "$far_home/cache" -type f -printf %f)" stoker-slurm
is "its directory" "$(stat -c %a "$(dirname "$(find "$far_home/cache" -type f)")")" 700
before=$(find "$far_home/cache" -type f -printf '%i %T@')
must laptop stoker far1: jobs
is "the program" "$(find "$far_home/cache" -type f -printf '%i %T@')" "$before"

case_ "what is of one machine alone is not sent"
run laptop env STOKER_HOST=far1 sbatch --wrap true
[ $rc -ne 0 ] || fail "it was submitted"
has "the text" "$err" "ssh far1 sbatch"
run laptop env STOKER_HOST=far1 stoker down
[ $rc -eq 2 ] || fail "status $rc"
says "an option for ssh" 2 "" "~" laptop stoker --on -oProxyCommand=touch jobs
says "an option for ssh" 2 "" "~" laptop stoker jobs --on -oProxyCommand=touch

case_ "ssh's refusals, in its words"
run laptop stoker jobs --on far1.invalid
[ $rc -eq 5 ] || fail "status $rc"
has "the text" "$err" "Could not resolve hostname"
mv "$NODES_DIR/authorized_keys" "$NODES_DIR/no_keys"
run laptop env STOKER_SSH="$STOKER_SSH -oBatchMode=yes" stoker jobs --on far1
mv "$NODES_DIR/no_keys" "$NODES_DIR/authorized_keys"
[ $rc -eq 5 ] || fail "status $rc"
has "the text" "$err" "Permission denied (publickey)"
run laptop stoker far2: jobs
[ $rc -eq 5 ] || fail "status $rc"
has "the text" "$err" "far2: no controller of Stoker runs there, and there is no Slurm"

case_ "nothing that the other end says reaches the terminal unfiltered"
hostile() { printf '#!/bin/bash\n%s\n' "$1" >"$WORK/hostile"; chmod +x "$WORK/hostile"; }
esc=$'\033'
check_hostile() { # WANT: what is said
    local text
    text=$(laptop env STOKER_SSH="$WORK/hostile" timeout 60 terminal.py -- stoker jobs --on far1 2>&1)
    hasnt "the terminal" "$text" "$esc"
    has "the terminal" "$text" "$1"
}
hostile 'printf "\033]0;owned\007\033[2Jbanner\n" >&2; exit 255'
check_hostile 'banner'
hostile 'printf "\033[2Jnoise\nSTOKER@@ FAIL no \033]52;c;eA==\007 way\n"; exec cat'
check_hostile 'far1: no ?]52;c;eA==? way'
hostile 'printf "STOKER@@ BRIDGE 1 \033[31m / /bin/sh\n\033[2J\033[31mthese are not frames, and there are enough of them\n"; exec cat'
check_hostile 'announces a message that is too long'
hostile 'printf "STOKER@@ SEND stoker-slurm riscv\033[m\n"; exec cat'
check_hostile 'is a machine of type riscv?[m'
hostile 'printf "STOKER@@ SEND ../../passwd %s\n" "$(uname -m)"; exec cat'
check_hostile 'asks for a file that there is not'
hostile "printf '\033[31mWelcome\n\033[2J'; exec $STOKER_SSH \"\$@\""
text=$(laptop env STOKER_SSH="$WORK/hostile" terminal.py -- stoker jobs --on far1 2>&1)
hasnt "the terminal" "$text" "Welcome"

case_ "a Slurm there: found where only a login shell has it in PATH"
mkdir "$far_home/slurm"
fixtures=$ROOT/tests/slurm/fixtures/22.05.8
cat >"$far_home/slurm/squeue" <<FAKE
#!/bin/bash
for a; do [[ \$a != JobID:* ]] || format=\$a; done
word=\${format#JobID:} word=\${word%%,ArrayJobID*}
LC_ALL=C sed "s/\$(cat $fixtures/word)/\$word/g; s|/home/ann/work|$far_home|g" $fixtures/squeue
FAKE
cat >"$far_home/slurm/scontrol" <<FAKE
#!/bin/bash
case \${*: -1} in
reservation) echo "No reservations in the system" ;;
*) cat $fixtures/\${*: -1} ;;
esac
FAKE
chmod +x "$far_home"/slurm/*
for f in .profile .bash_profile .zprofile; do echo "echo login noise; PATH=\$PATH:$far_home/slurm" >"$far_home/$f"; done
must laptop stoker far2: jobs -a
has "the list" "$out" "two nodes"
must laptop stoker far2: nodes
run laptop stoker far2: output 3
[ $rc -ne 0 ] || fail "an output that is not there was read"
has "the text" "$err" "No such file or directory"
printf 'from there\n' >"$far_home/slurm-3.out"
must laptop stoker far2: output 3
is "an output" "$out" "from there"
is "standard error" "$(said)" ""
"${laptop[@]}" stoker far2: output -f 3 >"$WORK/followed" & # not the function: its subshell alone would be killed
follower=$!
wait_for 20 is_filled "$WORK/followed"
echo more >>"$far_home/slurm-3.out"
wait_for 20 has_lines "$WORK/followed" 2
kill $follower
wait $follower
is "a followed output" "$(cat "$WORK/followed")" $'from there\nmore'
wait_for 10 no_far_ends # it has left nothing that answers beside the next one
mkfifo "$far_home/slurm-1.out"
run laptop stoker far2: output 1
[ $rc -ne 0 ] || fail "a FIFO was read"
server_is_gone() { ! pgrep -u "$(id -u)" -f "^stoker-slurm $far_home" >/dev/null; }

case_ "screens: ssh or the far end is killed, and they come back by themselves"
submit --wrap "exec sleep 600"
cat >"$WORK/killer" <<'KILL'
#!/bin/bash
# KIND: kills what the screens hold, once it is there
for ((i = 0; i < 500; i++)); do
    case $1 in
    far) pid=$(pgrep -f -- "$2/cache/stoker/.*stoker-slurm --stdio") ;;
    ssh) pid=$(pgrep -f -- "^ssh -F $3/ssh_config -T") ;;
    esac
    [ -z "$pid" ] || { kill -KILL $pid; exit 0; }
    read -r -t 0.02 _ <> <(:)
done
KILL
chmod +x "$WORK/killer"
for kind in far ssh; do
    rm -f "$WORK/seen" "$WORK/killed"
    { wait_for 60 is_file "$WORK/seen" && "$WORK/killer" $kind "$far_home" "$WORK" && touch "$WORK/killed"; } &
    killer=$!
    text=$(laptop env TERM=xterm-256color terminal.py "expect:live" "touch:$WORK/seen" "await:$WORK/killed" "expect:stale" "expect:live" "type:q" -- \
        stoker far1: 2>&1) || fail "the screens after $kind was killed" "$text"
    wait $killer || fail "nothing was killed ($kind)"
    has "the header" "$text" "far1:"
done

case_ "nothing is left of it"
wait_for 10 no_far_ends
wait_for 20 server_is_gone
no_ssh() { ! pgrep -f -- "^ssh -F $WORK/ssh_config" >/dev/null; }
wait_for 10 no_ssh
is "programs there" "$(find "$far_home/cache" -type f | wc -l)" 1
scancel "$job"
cluster_stop
