#!/usr/bin/env bash
# A user names accounts and QOS of others: for a better fair share, to enter a partition or a reservation, to escape a limit, to
# charge a colleague, to preempt a colleague's job.
. stoker.sh
{ [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; } || skip "needs root, for a second user"
for u in nobody daemon; do getent passwd $u >/dev/null || skip "no user $u here"; done

# as USER CMD...: with the groups of that user
as() {
    local u=$1
    shift
    setpriv --reuid="$u" --regid="$(id -g "$u")" --init-groups -- "$@"
}
own=$(id -gn nobody)
chmod 755 "$TMPDIR" "$STOKER_HOME" "$WORK"
mkdir -m 777 work
cd work || exit

EXTRA='qos = ( { name = "urgent"; priority = 1000; preempt = ["normal"]; }, { name = "oncall"; priority = 10; allow_users = ["daemon"]; },
    { name = "open"; priority = 10; allow_users = ["*"]; }, { name = "plain"; usage_factor = 0.5; } );
limits = ( { scope = "account"; name = "*"; hard = { running_jobs = 1; }; } );' \
    PARTITIONS='{ name = "main"; nodes = "ALL"; default = true; },
    { name = "vip"; nodes = "ALL"; priority_tier = 5; allow_accounts = ["vips"]; }' cluster_start
chmod 755 "$STOKER_HOME"

case_ "an account that is not a group of the user"
run as nobody sbatch --parsable -H -A madeup1 --wrap true
is "its status" $rc 1
has "why" "$err" "is not in a Unix group of that name"
run as nobody sbatch --parsable -H -A "$(id -gn daemon)" --wrap true
is "a colleague's" $rc 1
run as nobody sbatch --parsable -p vip -H -A vips --wrap true
is "the partition of another account" $rc 1
run as nobody sbatch --parsable -H -A "$own" --wrap true
is "the user's own" "$rc $err" "0 "
job=$out
run as nobody scontrol update JobId="$job" Account=madeup1
[ $rc -ne 0 ] || fail "changed to an account of others"
is "it is as it was" "$(squeue -h -j "$job" -o %a)" "$own"
run as nobody sbatch --parsable -H --wrap true
is "none named: the user's group" "$(squeue -h -j "$out" -o %a)" "$own"
must sbatch --parsable -H -A vips -p vip --wrap true # an administrator may

case_ "a QOS that gives an advantage"
run as nobody sbatch --parsable -H --qos=urgent --wrap true
is "its status" $rc 1
has "why" "$err" "only administrators may use QOS urgent"
run as nobody sbatch --parsable -H --qos=oncall --wrap true
is "another user's" $rc 1
has "why" "$err" "QOS oncall does not admit user nobody"
for q in open plain normal; do
    run as nobody sbatch --parsable -H --qos=$q --wrap true
    is "QOS $q" "$rc $err" "0 "
done
run as daemon sbatch --parsable -H --qos=oncall --wrap true
is "the user that it names" "$rc $err" "0 "
run as nobody scontrol update JobId="$job" QOS=urgent
[ $rc -ne 0 ] || fail "changed to the urgent QOS"
must sbatch --parsable -H --qos=urgent --wrap true

case_ "the configuration says which QOS are closed"
must stoker config check
has "the closed one" "$out$err" 'only administrators may use QOS "urgent", because it preempts jobs and names no users'
hasnt "the others" "$out$err" 'QOS "open"'
has "at the start" "$(cat "$STOKER_HOME"/log/stokerd.log)" 'only administrators may use QOS "urgent"'

case_ "configured accounts: the group of the session does not stand for a listed account"
cat >>"$STOKER_HOME/stoker.cfg" <<CFG
accounts = ( { name = "$own"; users = ( { name = "daemon"; } ); }, { name = "vips"; users = ( { name = "daemon"; } ); } );
CFG
must scontrol reconfigure
run as nobody sbatch --parsable -H --wrap true
is "by default" $rc 1
has "why" "$err" "account $own does not list user nobody"
run as nobody sbatch --parsable -H -A "$own" --wrap true
is "by name" $rc 1
run as daemon sbatch --parsable -H -A vips -p vip --wrap true
is "who is listed" "$rc $err" "0 "
run as nobody sbatch --parsable -H -A vips -p vip --wrap true
is "who is not" $rc 1
