#!/usr/bin/env bash
# alone_flood.sh - what one user's flood costs another one who submits; as root, who alone can be two users.
. stoker.sh
[ "$(id -u)" -eq 0 ] || { echo "flood: root alone can be two users" && exit 0; }
for limit in "" "user_requests = 0;"; do
    echo "${limit:-with the limit as it comes:}"
    rm -rf "$STOKER_HOME"
    mkdir -p "$STOKER_HOME"
    chmod 755 "$TMPDIR" "$STOKER_HOME"
    EXTRA="max_jobs = 10000000; $limit" cluster_config
    must stoker up
    wait_for 15 nodes_up
    "$B/tests/bench/bench_flood" "$@"
    must stoker down
done
