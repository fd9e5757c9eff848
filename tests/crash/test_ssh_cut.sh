#!/usr/bin/env bash
# F10, F12, F08 of the link: sessions are cut, stoker-link is killed, freezes, is killed again and again. Tasks go on, nothing runs
# twice, every end arrives, and no descriptor or connection is left over.
. stoker.sh
. sshd.sh
export STOKER_BEAT_MS=1000
ssh_cluster 2
script task.sh <<'S'
echo "$SLURM_JOB_ID $SLURMD_NODENAME $$" >>ledger
exec 9<> <(:); until [ -e "go-$1" ]; do read -rt 0.05 -u 9; done
exit "$2"
S
for n in 1 2; do
    submit -o /dev/null -w n$n task.sh one $n
    eval "job$n=$job"
done
wait_for 10 has_lines ledger 2
suspect() { [[ $(sinfo -h -N -n "$1" -o %T) == *'*' || $(sinfo -h -N -n "$1" -o %T) == unk* ]]; }
reached() { ! suspect "$1" && [[ $(sinfo -h -N -n "$1" -o %T) =~ ^(idle|mixed|allocated)$ ]]; }

case_ "one session is cut: its task goes on, the other node notices nothing"
old=$(link_pid)
cuts() { grep -c 'node=n1 lost its connection' "$STOKER_HOME/log/stokerd.log"; } # it is back soon: only the log has seen it
was_cut() { [ "$(cuts)" -gt "$before" ]; }
before=$(cuts)
sshd_cut 1
wait_for 5 was_cut
reached n2 || fail "n2 was lost with it"
wait_for 10 reached n1
is "the same link" "$(link_pid)" "$old"

case_ "the server is away for a while: what ends meanwhile is told later, as it was"
sshd_cut 1
sshd_stop 1
wait_for 5 suspect n1
submit -o /dev/null -w n1 task.sh later 0
later=$job
touch go-one
wait_end "$job2"
is "n2's end" "$state $(job_field "$job2" ExitCode)" "FAILED 2:0"
is "n1's end is not known yet" "$(job_state "$job1")" RUNNING
is "nothing starts there" "$(job_state "$later")" PENDING
is_why() { [[ $(stoker nodes) == *"$1"* ]]; }
wait_for 10 is_why "Connection refused"
sshd_back 1
wait_end "$job1" 30
is "n1's end" "$state $(job_field "$job1" ExitCode)" "FAILED 1:0"
wait_state "$later" RUNNING

case_ "link is killed, again and again"
submit -o /dev/null -w n2 task.sh later 0
wait_state "$job" RUNNING
for i in 1 2 3 4 5; do
    old=$(link_pid)
    kill -KILL "$old"
    new_link() { [ -n "$(link_pid)" ] && [ "$(link_pid)" != "$old" ]; }
    wait_for 10 new_link
done
must scontrol reconfigure # called at once: the pauses between calls have grown
wait_for 20 reached n1
wait_for 20 reached n2

case_ "link freezes: it is found out and replaced"
old=$(link_pid)
kill -STOP "$old"
wait_for 10 new_link
must scontrol reconfigure
wait_for 20 reached n1
wait_for 20 reached n2

case_ "a session freezes, its connection stays open: another one takes its place"
frozen=$(for p in $(ssh_sessions 2); do pgrep -P "$p"; echo "$p"; done)
[ -n "$frozen" ] || fail "no session"
ups=$(grep -c 'node=n2 up' "$STOKER_HOME/log/stoker-link.log")
kill -STOP $frozen
new_line() { [ "$(grep -c 'node=n2 up' "$STOKER_HOME/log/stoker-link.log")" -gt "$ups" ]; }
wait_for 20 new_line
wait_for 20 reached n2
must timeout 60 srun -w n2 true
kill -KILL $frozen

case_ "sessions are cut fifty times: no descriptor, no process is left over"
link=$(link_pid)
files() { ls "/proc/$1/fd" | wc -l; }
link_files=$(files "$link") control_files=$(files "$(controller_pid)")
memory() { awk '/^VmRSS/ { print $2 }' "/proc/$1/status"; }
link_memory=$(memory "$link") control_memory=$(memory "$(controller_pid)")
for i in $(seq 50); do
    sshd_cut 2
    nap
done
must scontrol reconfigure # called at once: the pauses between calls have grown
wait_for 40 reached n2
same_files() { [ "$(files "$link")" -le "$link_files" ] && [ "$(files "$(controller_pid)")" -le $((control_files + 1)) ]; }
wait_for 10 same_files
one_session() { [ "$(ssh_sessions 2 | wc -l)" -le 1 ]; }
wait_for 10 one_session
at_most "KiB that link has more than before" $(($(memory "$link") - link_memory)) 1000
at_most "and the controller" $(($(memory "$(controller_pid)") - control_memory)) 2000

touch go-later
wait_end "$later"
is "state" "$state" COMPLETED
wait_end "$job"
is "state" "$state" COMPLETED
is "each ran once" "$(cut -d' ' -f1 ledger | sort | uniq -d)" ""
is "all ran" "$(wc -l <ledger)" 4
cluster_stop
