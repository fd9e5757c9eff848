#!/usr/bin/env bash
# F59, F16: many nodes, and the controller is killed. All of them come back within 30 s, what runs is found again, what has ended
# meanwhile is told, and clients are served all the time.
# test-timeout: 110
# test-alone
. stoker.sh
. sshd.sh
N=24
CPUS=2 ssh_cluster $N
script task.sh <<'S'
echo "$SLURM_ARRAY_TASK_ID $$" >>ledger
until [ -e "go-$((SLURM_ARRAY_TASK_ID % 2))" ]; do read -r -t 0.1 <> <(:); done
S
submit -o /dev/null -c 2 -a 1-$N task.sh
wait_for 40 has_lines ledger $N

controller_kill9
touch go-0
half_ended() {
    local i pid
    while read -r i pid; do [ $((i % 2)) -ne 0 ] || is_dead "$pid" || return 1; done <ledger
}
wait_for 20 half_ended
t0=$(now_ms)
must stoker up
slow=0
while ! nodes_up; do
    t=$(now_ms)
    must timeout 10 squeue -h
    t=$(($(now_ms) - t))
    [ $t -le $slow ] || slow=$t
    at_most "all nodes are back, ms" $(($(now_ms) - t0)) 30000
done
echo "$N nodes back after $(($(now_ms) - t0)) ms, slowest query $slow ms"
at_most "slowest query meanwhile, ms" $slow 1000
half_done() { [ "$(squeue -h -t running -r | wc -l)" -eq $((N / 2)) ]; }
wait_for 20 half_done
touch go-1
all_done() { [ -z "$(squeue -h -r)" ]; }
wait_for 30 all_done
is "each ran once" "$(cut -d' ' -f1 ledger | sort -n | uniq | wc -l) $(wc -l <ledger)" "$N $N"
cluster_stop
