#!/usr/bin/env bash
# alone_memory.sh - what open screens take with 100,000 jobs on 10,000 nodes (bench_memory.c); as root, who alone can be many users.
#
#     USERS=200 JOBS=500 NODES=10000 tests/bench/run memory
. stoker.sh
[ "$(id -u)" -eq 0 ] || { echo "memory: root alone can be many users" && exit 0; }
mkdir -p "$STOKER_HOME" "$TMPDIR/config/stoker"
chmod 755 "$TMPDIR" "$STOKER_HOME"
# No agent answers there: the nodes are never up, and the jobs are held.
cat >"$STOKER_HOME/stoker.cfg" <<CFG
cluster = "test";
nodes = ( { name = "n[1-${NODES:-10000}]"; agent_socket = "/nonexistent/agent.sock"; cpus = 64; memory = "256G"; gpus = 8; detect = false; } );
partitions = ( { name = "main"; nodes = "ALL"; default = true; } );
max_jobs = 10000000;
max_user_jobs = 1000000;
user_requests = 0;
CFG
echo 'views = { jobs = { mine = true; }; };' >"$TMPDIR/config/stoker/views.cfg"
export STOKER_ROOT_SERVES_ALL=1
must stoker up
"$B/tests/bench/bench_memory" -u "${USERS:-200}" -j "${JOBS:-500}" -c "$TMPDIR/config" || fail "bench_memory"
