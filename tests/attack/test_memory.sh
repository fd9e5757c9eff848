#!/usr/bin/env bash
# A job that named its memory used more: by a step with --mem=0, by steps side by side, each of which had the job's memory for itself,
# by what a step leaves in /dev/shm.
. stoker.sh
[ "$(id -u)" -eq 0 ] || skip "needs root, for control groups"
cluster_start
like "what keeps memory" "$(stoker nodes --json)" '.*"memory: cgroup v[12]".*' || skip "no control groups for memory here"

# eat MIB FILE: takes so much, says so, waits until it is told to go
cat >eat.py <<'E2'
import os, sys, time
taken = bytearray(int(sys.argv[1]) << 20)
for i in range(0, len(taken), 4096):
    taken[i] = 1
open(sys.argv[2], "w").close()
while not os.path.exists("go"):
    time.sleep(0.02)
E2
command -v python3 >/dev/null || skip "no python3"

case_ "a step with its job's memory, as before"
script plain <<'S'
srun --mem=0 --overlap python3 eat.py 60 plain.ate
S
touch go
submit --mem=150M -o plain.out plain
wait_end "$job"
is "one that is content with it" "$state $(ls plain.ate 2>&1)" "COMPLETED plain.ate"

case_ "srun --mem=0"
script all <<'S'
srun --overlap --mem=0 python3 eat.py 300 all.ate
echo "status $?"
S
submit --mem=100M -o all.out all
wait_end "$job"
[ ! -e all.ate ] || fail "300 MiB in a job of 100" "$(<all.out)"
has "its output" "$(<all.out)" "oom_kill event in StepId=$job.0"
hasnt "its status" "$(<all.out)" "status 0"

case_ "steps side by side"
rm go
script four <<'S'
for i in 1 2 3 4; do srun --overlap python3 eat.py 80 "four.$i.ate" & done
wait
S
submit --mem=150M -n 1 -o four.out four
killed() { grep -q oom_kill four.out; }
wait_for 30 killed
# What is left of them is within the limit, however it came to be: each counts what it has touched.
one_lives() { [ "$(ls four.*.ate 2>/dev/null | wc -l)" -ge 1 ]; }
until_ 20 one_lives
touch go
wait_end "$job"
[ "$(ls four.*.ate 2>/dev/null | wc -l)" -lt 4 ] || fail "320 MiB in a job of 150"
has "a step was ended for it" "$(<four.out)" "oom_kill event in StepId=$job."

case_ "on the job's second node"
cluster_stop
rm -f go
NODES='n[1-2]' cluster_config
must stoker up
wait_for 15 nodes_up
script second <<'S'
srun --overlap -N1 -n1 -w n2 --mem=0 python3 eat.py 300 second.ate
echo "status $?"
S
submit -N 2 --mem=100M -o second.out second
wait_end "$job"
[ ! -e second.ate ] || fail "300 MiB on a node where the job has 100" "$(<second.out)"
hasnt "its status" "$(<second.out)" "status 0"

case_ "the supervisor is not the job's to starve"
script shm <<'S'
f=/dev/shm/stoker-test-$SLURM_JOB_ID
echo $PPID >shim
dd if=/dev/zero of="$f" bs=1M count=200 status=none
rm -f "$f"
S
submit --mem=100M -o shm.out shm
wait_end "$job"
is "files in memory count too" "$state" OUT_OF_MEMORY
rm -f "/dev/shm/stoker-test-$job"
