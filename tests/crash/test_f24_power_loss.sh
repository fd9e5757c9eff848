#!/usr/bin/env bash
# F24: the head node loses its power: nothing is left of what was written since the last sync. Every acknowledged submission is there
# all the same, and the file is sound. test-disk
. stoker.sh
mkdir disk
export BROKEN_DISK=$PWD/disk
cluster_config
start() { must env LD_PRELOAD="$B/tests/lib/libbrokendisk.so" stoker up; }
submit_on() {
    local id
    while [ ! -e enough ] && id=$(sbatch --parsable -H -o /dev/null --wrap true 2>/dev/null); do echo "$id" >>"acked.$1"; done
}
acked() { [ "$(cat acked.* 2>/dev/null | wc -l)" -ge "$1" ]; }
power_loss() {
    controller_kill9
    rm -f "$STOKER_HOME"/state/stoker.db*
    rm -f disk/part.*
    cp disk/stoker.db* "$STOKER_HOME/state/"
}
for round in 1 2 3; do
    case_ "round $round"
    rm -f enough
    start
    clients=()
    for i in 1 2 3; do
        submit_on "$i" &
        clients+=($!)
    done
    wait_for 60 acked $((round * 40))
    power_loss
    touch enough
    start # it checks the file before it takes it
    wait "${clients[@]}"
    squeue -h -o %i | sort -n >there
    sort -n acked.* >said
    is "acknowledged, and gone" "$(comm -23 <(sort said) <(sort there) | tr '\n' ' ')" ""
    is "twice" "$(sort said | uniq -d)" ""
    must stoker down
done
start
cluster_stop
