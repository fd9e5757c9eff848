#!/usr/bin/env bash
# F47, F46: after kill -9 the newest jobs are in stoker.db-wal alone. A log that is missing, cut or has one wrong byte, and a database that
# is empty, are refused with a text that says what to do, and nothing is changed; --accept-loss goes on beyond every id that was given.
. stoker.sh
command -v python3 >/dev/null || skip "no python3"
db=$STOKER_HOME/state/stoker.db
cluster_start
submit -o /dev/null --wrap 'echo $$ >pid; until [ -e go ]; do sleep 0.02; done'
running=$job
wait_for 10 has_lines pid 1
for i in {1..30}; do must sbatch -Q -H -o /dev/null --wrap true; done
submit -H -o /dev/null --wrap true
last=$job
known=$(squeue -h -o '%i %T' | sort)
controller_kill9
[ -s "$db-wal" ] || fail "there is no log"
mkdir kept
cp "$STOKER_HOME"/state/{stoker.db,stoker.db-wal,mark,lineage} kept/

put_back() { rm -f "$db"*; cp kept/* "$STOKER_HOME/state/"; }
state_sum() { cat "$db"* "$STOKER_HOME"/state/{mark,lineage} 2>/dev/null | sha256sum; }
refused() { # WHAT TEXT
    local sum
    case_ "$1"
    sum=$(state_sum)
    run timeout 60 stokerd --foreground
    is "its status" $rc 1
    has "why" "$err" "$2"
    is "what is on disk afterwards" "$(state_sum)" "$sum"
    is_alive "$(cat pid)" || fail "the task was ended"
}

truncate -s 0 "$db"
refused "an empty database" "stoker.db is empty and"
rm -f "$db-wal"
refused "an empty database without a log" "is gone: there is nothing in $db. Put a copy of it back"
put_back
rm "$db-wal"
refused "no log" "has lost its last events"
has "the way out" "$err" "stoker up --accept-loss"
put_back
truncate -s $(($(stat -c %s "$db-wal") / 2)) "$db-wal"
refused "a log that was cut" "has lost its last events"
put_back
one_byte() {
    python3 - "$db-wal" <<'P'
import os, sys
with open(sys.argv[1], "r+b") as f:
    f.seek(os.path.getsize(sys.argv[1]) // 3)
    b = f.read(1)
    f.seek(-1, 1)
    f.write(bytes([b[0] ^ 4]))
P
}
one_byte
refused "one byte of the log" "stoker.db-wal is damaged at frame"
has "the way out" "$err" "stoker up --accept-loss"
put_back
sed -i '1s/.*/ffffffff-0000-0000-0000-000000000000/' "$STOKER_HOME/state/lineage"
refused "another cluster's lineage" "names cluster ffffffff-0000-0000-0000-000000000000"

case_ "as it was: nothing is lost"
put_back
must stoker up
wait_for 20 nodes_up
is "the queue" "$(squeue -h -o '%i %T' | sort)" "$known"
is "the newest job" "$(job_state "$last")" PENDING
for i in {1..30}; do must sbatch -Q -H -o /dev/null --wrap true; done
submit -H -o /dev/null --wrap true
last=$job
controller_kill9
cp "$STOKER_HOME"/state/{stoker.db,stoker.db-wal,mark,lineage} kept/

case_ "the loss is accepted: no id is given twice, the node's task is left alone or goes on"
one_byte
run stoker up
is "without the word it is refused" $rc 5
must stoker up --accept-loss
wait_for 20 nodes_up
submit -H -o /dev/null --wrap true
at_least "a new id" "$job" $((last + 1))
is_alive "$(cat pid)" || fail "the task was ended"
grep -q "are lost: going on without them" "$STOKER_HOME/log/stokerd.log" || fail "the log does not say it"

case_ "and is not a loss at the next start"
controller_kill9
must stoker up
wait_for 20 nodes_up
touch go
wait_for 20 is_dead "$(cat pid)"
is_file "$STOKER_HOME/state/accept-loss" && fail "the file is there"

case_ "as a service is asked"
controller_kill9
rm -f "$db"*
cp kept/{stoker.db,mark,lineage} "$STOKER_HOME/state/"
touch "$STOKER_HOME/state/accept-loss"
STOKER_CRASH=after_commit:1 stoker up >/dev/null 2>&1
wait_for 20 is_dead "$(controller_pid)"
is_file "$STOKER_HOME/state/accept-loss" || fail "the file is gone before the new epoch is known to be on disk"
must stoker up
wait_for 20 is_gone "$STOKER_HOME/state/accept-loss"
submit -H -o /dev/null --wrap true
at_least "a new id" "$job" $((last + 1))
cluster_stop
