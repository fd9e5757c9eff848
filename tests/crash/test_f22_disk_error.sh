#!/usr/bin/env bash
# F22: the disk under the database does not take what is written, or does not say that it has it. Nothing is acknowledged, what was said
# before is what the controller goes back to, tasks run on, and it goes on by itself once the disk does; the file is sound throughout.
. stoker.sh
mkdir disk
export BROKEN_DISK=$PWD/disk
cluster_config
must env LD_PRELOAD="$B/tests/lib/libbrokendisk.so" stoker up
wait_for 15 nodes_up
script until.sh <<'E'
echo $$ >$1
exec 9<> <(:); until [ -e go-$1 ]; do read -rt 0.02 -u 9; done
exit 3
E
read_only() { grep -q "cannot write the state: .*; read-only until it can be written" "$STOKER_HOME/log/stokerd.log"; }
can_submit() { sbatch --parsable -H --wrap true >>acked 2>/dev/null; }
for what in sync write; do
    case_ "$what fails"
    rm -f go-task task
    submit -o /dev/null until.sh task
    wait_for 20 has_lines task 1
    must sbatch --parsable -H --wrap true
    echo "$out" >>acked
    before=$(squeue -h -o '%i %T' | sort)
    touch disk/$what
    run sbatch --parsable -H --wrap true
    [ $rc -ne 0 ] || fail "a submission was acknowledged"
    is "the last line" "$(tail -n 1 <<<"$err")" "sbatch: error: Batch job submission failed: Unable to write to the state save location"
    read_only || fail "the log does not tell"
    run scancel "$job"
    [ $rc -ne 0 ] || fail "a cancel was acknowledged"
    is "the queue is what it was" "$(squeue -h -o '%i %T' | sort)" "$before"
    is_alive "$(cat task)" || fail "the task was ended"
    touch go-task
    wait_for 20 is_dead "$(cat task)"
    rm disk/$what
    wait_for 30 can_submit
    wait_end "$job"
    is "the end that came meanwhile" "$state $(job_field "$job" ExitCode)" "FAILED 3:0"
    : >"$STOKER_HOME/log/stokerd.log"
done

case_ "killed while it fails: at the next start what was acknowledged is there"
touch disk/sync
run sbatch --parsable -H --wrap true
[ $rc -ne 0 ] || fail "a submission was acknowledged"
controller_kill9
rm disk/sync
must stoker up
for id in $(cat acked); do is "job $id" "$(job_state "$id")" PENDING; done
cluster_stop
