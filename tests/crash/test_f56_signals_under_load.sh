#!/usr/bin/env bash
# F56: SIGTERM in the middle of a flood of submissions: the controller stops soon, in order, touching no task; what it
# acknowledged is there afterwards. SIGHUP with a broken configuration changes nothing.
. stoker.sh
CPUS=16 MEMORY=32G cluster_start
submit -o /dev/null --wrap 'echo $$ >pid; until [ -e go ]; do sleep 0.02; done'
long=$job
wait_for 10 has_lines pid 1
script note.sh <<'E'
echo "$SLURM_JOB_ID" >>ledger
E

# Each submits one after the other until told to stop; sbatch repeats what was not answered. On a machine that takes long for the rest
# of this the queue must not grow without end: after three hundred each takes a breath.
flood() {
    local id n=0
    while [ ! -e enough ]; do
        id=$(sbatch --parsable -o /dev/null note.sh 2>>flood.err) && echo "$id" >>acked-$1
        [ $((n++)) -lt 300 ] || read -r -t 0.5 _ <> <(:)
    done
}
for i in 1 2 3; do flood $i & done
floods=$(jobs -p)

for round in 1 2 3 4; do
    pid=$(controller_pid)
    some() { [ "$(cat acked-? 2>/dev/null | wc -l)" -ge $((round * 25)) ]; }
    wait_for 20 some
    case_ "round $round: SIGHUP with a broken configuration"
    cp "$STOKER_HOME/stoker.cfg" good.cfg
    echo 'nonsense = ' >"$STOKER_HOME/stoker.cfg"
    refused=$(grep -c "configuration refused" "$STOKER_HOME/log/stokerd.log")
    kill -HUP "$pid"
    refused_again() { [ "$(grep -c "configuration refused" "$STOKER_HOME/log/stokerd.log")" -gt "$refused" ]; }
    wait_for 10 refused_again
    cp good.cfg "$STOKER_HOME/stoker.cfg"
    is "the node is as it was" "$(sinfo -h -N -o '%N %c')" "n1 16"
    case_ "round $round: SIGTERM"
    t0=$(now_ms)
    orders() { grep -c "stopping: Terminated" "$STOKER_HOME/log/stokerd.log"; }
    before=$(orders)
    kill -TERM "$pid"
    wait_for 10 is_dead "$pid"
    at_most "ms until it had stopped" $(($(now_ms) - t0)) 20000
    is "in order" "$(orders)" $((before + 1))
    is_alive "$(cat pid)" || fail "the long task was touched"
    must stoker up
    wait_for 15 nodes_up
done
touch enough
for p in $floods; do wait $p; done
nothing_but_long() { [ "$(squeue -h -o %i)" = "$long" ]; }
wait_for 40 nothing_but_long
is "what was acknowledged has run, once" "$(sort -n acked-? | uniq -d)" ""
sort -n acked-? >acked
missing=$(comm -23 <(sort acked) <(sort -u ledger))
is "acknowledged and never run" "$missing" ""
is "run twice" "$(sort ledger | uniq -d)" ""
touch go
wait_end $long
is "the long task's end" "$state" COMPLETED
cluster_stop
