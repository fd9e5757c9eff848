#!/usr/bin/env bash
# F07: another release of the programs while tasks run. The node gets it by its content, the agent is replaced, tasks go on and their
# ends are told; the old programs stay for processes that still use them.
. stoker.sh
. sshd.sh
mkdir "$TMPDIR/bin"
cp -a "$(dirname "$(command -v stoker)")"/* "$TMPDIR/bin/"
ssh_cluster 1
script task.sh <<'S'
echo $$ >>pids
exec 9<> <(:); until [ -e go ]; do read -rt 0.05 -u 9; done
exit 7
S
submit -o /dev/null task.sh
wait_for 10 has_lines pids 1
old=$(ssh_agent_pid 1)
is "one bundle" "$(ls "$NODES_DIR/cache/stoker" | wc -l)" 1
must stoker down

case_ "a new release"
printf 'another' >>"$TMPDIR/bin/stoker"
export PATH=$TMPDIR/bin:$PATH
hash -r
must stoker up
wait_for 20 nodes_up
is "two bundles" "$(ls "$NODES_DIR/cache/stoker" | wc -l)" 2
wait_for 5 is_dead "$old"
new=$(ssh_agent_pid 1)
[ -n "$new" ] && [ "$new" != "$old" ] || fail "no new agent"
is_alive "$(cat pids)" || fail "its task was ended"
is "it runs" "$(job_state "$job")" RUNNING
must srun true

case_ "old programs are removed when no process uses them, and not while a task's supervisor runs from there"
bundles=$NODES_DIR/cache/stoker
mine=$(basename "$(dirname "$(sed -n 2p "$NODES_DIR"/n1/state/stoker/agents/*/n1/lock)")")
theirs=$(ls "$bundles" | grep -vx "$mine")
mkdir "$bundles/.new-1" && touch -d '1 hour ago' "$bundles/.new-1"
ups() { [ "$(grep -c 'node=n1 up' "$STOKER_HOME/log/stoker-link.log")" -ge "$1" ]; }
touch -d '1 hour ago' "$bundles/$theirs"
sshd_cut 1
wait_for 20 ups 3
wait_for 10 is_gone "$bundles/.new-1"
is_file "$bundles/$theirs/srun" || fail "the programs of a running task are gone"
touch go
wait_end "$job"
is "its end" "$state $(job_field "$job" ExitCode)" "FAILED 7:0"
is "it ran once" "$(wc -l <pids)" 1
no_old_shims() { ! pgrep -f -- "^stoker-shim .*$NODES_DIR/n1/.*/tasks/$job\." >/dev/null; }

case_ "the same release again: nothing is replaced, nothing is sent; the old one is gone"
new=$(ssh_agent_pid 1)
wait_for 20 no_old_shims
touch -d '1 hour ago' "$bundles/$theirs"
sshd_cut 1
wait_for 20 ups 4
wait_for 10 is_gone "$bundles/$theirs"
is "the same agent" "$(ssh_agent_pid 1)" "$new"
is "one bundle" "$(ls "$bundles")" "$mine"
must srun true
cluster_stop
