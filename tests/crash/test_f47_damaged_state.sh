#!/usr/bin/env bash
# F47, F46: the state on disk is damaged, of another program, unreadable or gone. Refused with a text, never taken for an empty queue,
# nothing of it changed, and running tasks are left alone.
. stoker.sh
command -v python3 >/dev/null || skip "no python3"
cluster_start
for i in {1..40}; do sbatch -Q -H -o /dev/null --comment "$(printf 'x%.0s' {1..500})" --wrap true || fail "submit"; done
submit -o /dev/null --wrap 'echo $$ >pid; until [ -e go ]; do sleep 0.02; done'
wait_for 10 has_lines pid 1
before=$(squeue -h -o '%i %T' | sort)
must stoker down
db=$STOKER_HOME/state/stoker.db
mkdir kept
cp "$db"* kept/

refused() {
    local what=$1 sum
    sum=$(cat "$db"* 2>/dev/null | sha256sum)
    run timeout 60 stokerd --foreground
    [ $rc -ne 0 ] && [ $rc -lt 124 ] || fail "$what: status $rc" "$err"
    [ -n "$err" ] || fail "$what: no text"
    is "$what: what is on disk afterwards" "$(cat "$db"* 2>/dev/null | sha256sum)" "$sum"
    is_alive "$(cat pid)" || fail "$what: the task was ended"
    rm -f "$db"*
    cp kept/* "$STOKER_HOME/state/"
}

case_ "pages overwritten"
python3 - "$db" <<'E'
import os, sys
size = os.path.getsize(sys.argv[1])
with open(sys.argv[1], "r+b") as f:
    for at in range(4096, size, 4096):
        f.seek(at)
        f.write(os.urandom(512))
E
refused "pages overwritten"

case_ "no database at all"
printf 'this is not a database, but it is longer than a header of one would be: %.0s' {1..20} >"$db"
rm -f "$db"-*
refused "no database"

case_ "cut off"
head -c 6000 "$db" >cut.db
cp cut.db "$db"
refused "cut off"

case_ "of another program"
rm -f "$db"*
python3 -c 'import sqlite3, sys
c = sqlite3.connect(sys.argv[1]); c.execute("create table t (x)"); c.execute("pragma application_id = 77"); c.commit()' "$db"
refused "of another program"

case_ "a directory in its place"
rm -f "$db"*
mkdir "$db"
run timeout 60 stokerd --foreground
[ $rc -ne 0 ] && [ $rc -lt 124 ] || fail "status $rc"
rmdir "$db"
cp kept/* "$STOKER_HOME/state/"

case_ "gone"
rm -f "$db"*
refused "gone"
has "the text" "$err" "the state of this cluster ("

case_ "gone, and begun again as the text says: a new history, whose node does not obey and whose tasks are left alone"
rm -f "$db"* "$STOKER_HOME/state/lineage"
must stoker up
other_history() { grep -q "its agent refuses: " "$STOKER_HOME/log/stokerd.log"; }
wait_for 10 other_history
is_alive "$(cat pid)" || fail "the task was ended"
must stoker down
rm -f "$db"*

case_ "the good one again: not under the other one's name"
cp kept/* "$STOKER_HOME/state/"
refused "another cluster's"
has "the text" "$err" "to go on with it, remove $STOKER_HOME/state/lineage"
rm "$STOKER_HOME/state/lineage"
must stoker up
wait_for 15 nodes_up
is "the queue" "$(squeue -h -o '%i %T' | sort)" "$before"
touch go
wait_end $job
is "the task's end" "$state" COMPLETED
cluster_stop
