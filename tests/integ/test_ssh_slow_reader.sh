#!/usr/bin/env bash
# F41: srun streams 100 MB to a client that does not read: nothing else slows down, and in the end every byte is there.
. stoker.sh
. sshd.sh
ssh_cluster 2
mkfifo go.fifo
srun -w n1 sh -c 'touch begun; head -c 100000000 /dev/zero | tr "\0" "x"' | (read -r _ <go.fifo; wc -c >count) &
reader=$!
wait_for 20 is_file begun
spool_is_full() { [ "$(stat -c %s "$NODES_DIR"/n1/state/stoker/agents/*/n1/tasks/*/0.out 2>/dev/null || echo 0)" -eq 100000000 ]; }
wait_for 40 spool_is_full

case_ "steps, listings and other jobs' output meanwhile, on that node and on another"
slowest=0
for i in $(seq 10); do
    t0=$(now_ms)
    must srun -w n$((i % 2 + 1)) echo "answer $i"
    is "its output" "$out" "answer $i"
    must squeue -h
    t=$(($(now_ms) - t0))
    [ $t -le $slowest ] || slowest=$t
done
echo "slowest launch beside a reader that does not read: $slowest ms"
at_most "slowest launch, ms" $slowest 20000
# Neither the controller nor its link nor srun holds what is not read.
for p in $(controller_pid) $(link_pid) $(pgrep -x srun -s 0); do
    at_most "resident KiB of $(cat "/proc/$p/comm")" "$(awk '/^VmRSS/ { print $2 }' "/proc/$p/status")" 60000
done

case_ "it reads on: every byte"
echo >go.fifo
wait_for 40 is_dead $reader
is "bytes" "$(($(cat count)))" 100000000
cluster_stop
