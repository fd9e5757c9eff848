#!/usr/bin/env bash
# alone_attacks.sh - response times of other users, and the controller's memory, while one user attacks the controller; each attack
# has its own controller. Needs root, because only root can act as two users.
. stoker.sh
[ "$(id -u)" -eq 0 ] || { echo "attacks: root alone can be two users" && exit 0; }
for attack in none H1 H2 H3 H4 H5a H5b H5c H8; do
    rm -rf "$STOKER_HOME"
    mkdir -p "$STOKER_HOME"
    chmod 755 "$TMPDIR" "$STOKER_HOME"
    cluster_config
    must stoker up
    wait_for 15 nodes_up
    "$B/tests/bench/bench_attacks" -p "$(controller_pid)" "$@" $attack
    echo "     load $(cut -d' ' -f1 /proc/loadavg)"
    must stoker down --kill-jobs
    wait_for 30 no_agents
done
