#!/usr/bin/env bash
# F48: the state lies on a network file system, which does not keep the locks and the order that a database needs: refused, with its name.
# test-user
. stoker.sh
cluster_config
for fs in 0x6969:NFS 0x517b:SMB 0x0bd00bd0:Lustre; do
    case_ "${fs#*:}"
    run env LD_PRELOAD="$B/tests/lib/libbrokendisk.so" BROKEN_STATFS="${fs%:*}" timeout 60 stokerd --foreground
    [ $rc -ne 0 ] && [ $rc -lt 124 ] || fail "status $rc" "$err"
    has "its words" "$err" "lies on ${fs#*:}; the state must lie on a local disk: set STOKER_HOME elsewhere"
    [ ! -e "$STOKER_HOME/state/stoker.db" ] || fail "there is a database"
done
case_ "on a local one"
cluster_start
cluster_stop
