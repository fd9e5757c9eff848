#!/usr/bin/env bash
# F12: a link that flaps every few seconds, for an hour (FLAP_SECONDS). Each time the node is back and runs a job; tasks go on; controller, link
# and agent have no more memory, descriptors or sessions in the end than after the first minute's worth of it.
# test-timeout: 90000
. stoker.sh
. sshd.sh
export STOKER_BEAT_MS=1000
SECONDS_ALL=${FLAP_SECONDS:-3600}
ssh_cluster 2
submit -o /dev/null -w n2 --wrap 'echo $$ >>ledger; until [ -e go ]; do sleep 0.1; done'
long=$job
wait_for 20 has_lines ledger 1
reached() { [[ $(sinfo -h -N -n n2 -o %T) =~ ^(idle|mixed|allocated)$ ]]; }
cuts() { grep -c 'node=n2 lost its connection' "$STOKER_HOME/log/stokerd.log"; }
was_cut() { [ "$(cuts)" -gt "$before" ]; }
files() { ls "/proc/$1/fd" | wc -l; }
memory() { awk '/^VmRSS/ { print $2 }' "/proc/$1/status"; }
programs() { echo "$(controller_pid) $(link_pid) $(ssh_agent_pid 2)"; }
flap() {
    before=$(cuts)
    sshd_cut 2
    wait_for 40 was_cut
    wait_for 60 reached
    must timeout 120 srun -w n2 true
    flaps=$((flaps + 1))
}
flaps=0
for _ in 1 2 3 4 5 6 7 8 9 10; do flap; done
were=$(programs) had=()
for p in $were; do had+=("$(files "$p") $(memory "$p")"); done
end=$(($(now_ms) + SECONDS_ALL * 1000))
while [ "$(now_ms)" -lt $end ]; do flap; done
is "nothing has ended" "$(programs)" "$were"
i=0
for p in $were; do
    same_files() { [ "$(files "$p")" -le $((${had[i]% *} + 1)) ]; }
    wait_for 30 same_files
    at_most "KiB that process $p has more than before" $(($(memory "$p") - ${had[i]#* })) 4000
    i=$((i + 1))
done
one_session() { [ "$(ssh_sessions 2 | wc -l)" -le 1 ]; }
wait_for 30 one_session
touch go
wait_end "$long"
is "what ran all the time" "$state $(wc -l <ledger)" "COMPLETED 1"
echo "$flaps times"
cluster_stop
