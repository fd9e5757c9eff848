#!/usr/bin/env bash
# alone_screens.sh - what a thousand open screens cost the controller (bench_uis.c): a queue that waits, ten changes a second.
#
#     SCREENS=1000 JOBS=1000 SECONDS_EACH=10 tests/bench/run screens
. stoker.sh
mkdir -p "$STOKER_HOME"
echo 'nodes = ( { name = "n1"; cpus = 4; memory = "8G"; detect = false; } );' >"$STOKER_HOME/stoker.cfg"
must stoker up
must sbatch -Q -b now+1day -J watched --wrap true
must sbatch -Q -H --array=1-"${JOBS:-1000}" --wrap true
ulimit -n "$(ulimit -Hn)"
"$B/tests/bench/bench_uis" "${SCREENS:-1000}" "${SECONDS_EACH:-10}" || fail "bench_uis"
