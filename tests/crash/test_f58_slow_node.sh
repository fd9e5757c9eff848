#!/usr/bin/env bash
# F58, F10, F11, F44: a node behind a bad cable, which answers a hundred times slower than the others. It is used all the same,
# delays no other node, is not taken for lost while it answers; what is sent to it goes as one stream, not one answer at a time.
. stoker.sh
. sshd.sh
export STOKER_BEAT_MS=1000
sshd_start 2
line_start 1
line_is 1 "delay 150"
line_is 1 "jitter 50"
CPUS=16 ssh_config 2
must stoker up
wait_for 60 nodes_up
ups() { grep -c "node=$1 up" "$STOKER_HOME/log/stoker-link.log"; }
state_of() { sinfo -h -N -n "$1" -o %T; }
is_suspect() { [[ $(state_of "$1") == *'*' || $(state_of "$1") == unk* ]]; }
reached() { [[ $(state_of "$1") =~ ^(idle|mixed|allocated)$ ]]; }
took() { # COMMAND...: in $took, milliseconds
    local t
    t=$(now_ms)
    must "$@"
    took=$(($(now_ms) - t))
}

case_ "beside it nothing is slower: steps on another node, questions, submissions"
script many.sh <<'S'
echo "$SLURM_ARRAY_TASK_ID $$" >>started
exec 9<> <(:); until [ "$(wc -l <started)" -ge 16 ]; do read -rt 0.05 -u 9; done
exit 0
S
script waits.sh <<'S'
echo $$ >>"$1"
exec 9<> <(:); until [ -e go ]; do read -rt 0.05 -u 9; done
exit 0
S
fourth() { sort -n "$1" | sed -n 4p; }
for i in 1 2 3 4 5 6 7; do
    took srun -w n2 true
    echo $took >>alone
done
took srun -w n1 true
at_least "a step there knows of the cable, ms" $took 300
line_is 1 "delay 500"
t0=$(now_ms)
submit -w n1 -o /dev/null -a 1-16 many.sh
for i in 1 2 3 4 5 6 7; do
    took srun -w n2 true
    echo $took >>beside
    took squeue -h
    echo $took >>asked
done
# Less than one way there and back, on top of what this machine needs
most=$((700 + 3 * $(fourth alone)))
at_most "a step beside it, median, ms" "$(fourth beside)" $most
at_most "a question, median, ms" "$(fourth asked)" $most
ended() { [ -z "$(squeue -h -j "$job")" ]; }
wait_for 40 ended
t=$(($(now_ms) - t0))
echo "16 tasks on the slow node in $t ms, a step beside it in $(fourth beside) ms"
at_most "sixteen tasks, each of which would take three ways of half a second alone, ms" $t $((20000 + 16 * $(fourth alone)))
is "they ran once each" "$(cut -d' ' -f1 started | sort -n | uniq | wc -l) $(wc -l <started)" "16 16"

case_ "output over a thin cable: whole, the node is not lost meanwhile, and a short step is not stuck behind it"
line_is 1 "delay 50"
line_is 1 "rate 400000"
before=$(ups n1)
# Seven seconds of it at once, and more than the cable takes for as long as the step beside it has not ended.
script stream.sh <<'S'
head -c 3000000 /dev/zero
echo begun >begun
until [ -e stepped ]; do
    head -c 50000 /dev/zero
    echo more >>begun
    read -r -t 0.1 <> <(:)
done
exit 0
S
srun -w n1 ./stream.sh >out.bin &
pid=$!
has_some() { [ -s out.bin ] && [ -s begun ]; }
wait_for 20 has_some
took timeout 60 srun -w n1 true
echo "a step beside the stream: $took ms"
is_alive $pid || fail "the stream was over before the step was"
touch stepped
line_is 1 "rate 0"
wait $pid || fail "the stream: $?"
is "bytes" "$(stat -c %s out.bin)" $((3000000 + ($(wc -l <begun) - 1) * 50000))
is "it was up all the time" "$(ups n1)" "$before"

case_ "a job on it is cancelled: the word goes there, the end comes back"
line_is 1 "delay 500"
submit -w n1 -o /dev/null waits.sh task
is_there() { [ -s task ]; }
wait_for 20 is_there
wait_state "$job" RUNNING
must scancel "$job"
wait_end "$job" 30
is "its end" "$state" CANCELLED
wait_for 10 is_dead "$(<task)"

case_ "the cable goes dead and nothing is reset: suspect after three heartbeats; a cancel waits for it"
rm task
line_is 1 "delay 50"
submit -w n1 -o /dev/null waits.sh task
wait_for 20 is_there
wait_state "$job" RUNNING
line_is 1 stall
wait_for 30 is_suspect n1
must timeout 60 srun -w n2 true
must timeout 60 scancel "$job"
is_alive "$(<task)" || fail "the task has gone with its cable"
line_is 1 go
wait_for 40 reached n1
wait_end "$job" 30
is "its end" "$state" CANCELLED
wait_for 10 is_dead "$(<task)"

case_ "it is cut again and again while a task runs"
submit -w n1 -o /dev/null waits.sh ran
wait_state "$job" RUNNING
for i in 1 2 3; do
    before=$(ups n1)
    line_is 1 cut
    again() { [ "$(ups n1)" -gt "$before" ]; }
    wait_for 40 again
done
touch go
wait_end "$job" 30
is "its end, and how often it ran" "$state $(wc -l <ran)" "COMPLETED 1"
cluster_stop
