#!/usr/bin/env bash
# SEC-H1: scripts and environments of megabytes held up the submissions of all other users: each was one commit, with the small ones
# behind it. They are stored in pieces, one with each commit, however they come.
. stoker.sh
EXTRA='min_job_age = "1s";' cluster_start
printf '#!/bin/sh\ncksum <"$0" >>sum\n' >large
head -c 4100000 /dev/urandom | base64 -w 0 | head -c 4100000 | sed 's/^/#/' >>large
big=$(head -c 100000 /dev/zero | tr '\0' x)
bytes() { sdiag --json | sed -n 's/.*"commit_max_bytes": *\([0-9]*\).*/\1/p'; }
most=400000 # a piece, and what is small

submit -J gone -o /dev/null --wrap=true
gone=$job
is_retired() { ! squeue -h -j "$gone" -t all 2>/dev/null | grep -q .; }
wait_for 30 is_retired

case_ "a large script runs as it was submitted"
for i in 0 1 2 3 4 5 6 7 8; do export "LARGE_$i=$big"; done
must sbatch -W -J large -o /dev/null large
is "what ran" "$(cat sum)" "$(cksum <large)"
must sbatch -W -J behind -o /dev/null --dependency="afterany:$gone" large
is "behind a job of the history too" "$(sort -u sum)" "$(cksum <large)"
is "both ran" "$(wc -l <sum)" 2

case_ "a step with a large environment"
must srun sh -c 'test ${#LARGE_0} = 100000 && test ${#LARGE_8} = 100000'

case_ "a job of many steps, which are large together"
{
    echo 'steps = ('
    for i in $(seq 1 60); do echo "  { name = \"s$i\"; command = \"test x$i = x$i && : $(head -c 9000 /dev/zero | tr '\0' y)\"; },"; done
    echo '  { name = "last"; command = "echo last >last"; } );'
} >steps.job
must stoker submit steps.job
wait_for 60 is_filled last
at_most() { [ "$1" -gt 200000 ] && [ "$1" -le "$2" ]; }
must at_most "$(bytes)" "$most"

case_ "held ones outlive the controller, and go with their jobs"
submit -H -J held -o /dev/null large
held=$job
controller_kill9
must stoker up
wait_for 15 nodes_up
must scontrol write batch_script "$held" back
must cmp back large
must scontrol release "$held"
ran() { [ "$(wc -l <sum)" = 3 ]; }
wait_for 30 ran
is "what ran" "$(sort -u sum)" "$(cksum <large)"
cluster_stop
