#!/usr/bin/env bash
# F59, F16: many nodes, and the controller is killed. All of them come back in time, what runs is found again, what has ended
# meanwhile is told, and clients are served all the time. MANY=200 in the environment is the size that is aimed at: make soak.
# test-timeout: 600
# test-alone
. stoker.sh
. sshd.sh
N=${MANY:-24}
# F59's minute, which is for two hundred.
back_ms=60000
t0=$(now_ms)
sshd_start "$N"
CPUS=2 ssh_config "$N"
echo "$N servers after $(($(now_ms) - t0)) ms"
t0=$(now_ms)
must stoker up
wait_for 120 nodes_up
echo "$N nodes up for the first time after $(($(now_ms) - t0)) ms"
script task.sh <<'S'
echo "$SLURM_ARRAY_TASK_ID $$" >>ledger
exec 3<> <(:) # never ready
until [ -e "go-$((SLURM_ARRAY_TASK_ID % 2))" ]; do read -r -t 0.2 -u 3; done
S
submit -o /dev/null -c 2 -a 1-$N task.sh
wait_for 60 has_lines ledger "$N"

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
    must timeout 60 squeue -h
    t=$(($(now_ms) - t))
    [ $t -le $slow ] || slow=$t
    at_most "all nodes are back, ms" $(($(now_ms) - t0)) $back_ms
done
needs=$(($(now_ms) - t0))
echo "$N nodes back after $needs ms, slowest query $slow ms"
at_most "slowest query meanwhile, ms" $slow 20000
half_done() { [ "$(squeue -h -t running -r | wc -l)" -eq $((N / 2)) ]; }
wait_for 20 half_done
touch go-1
all_done() { [ -z "$(squeue -h -r)" ]; }
wait_for 30 all_done
is "each ran once" "$(cut -d' ' -f1 ledger | sort -n | uniq | wc -l) $(wc -l <ledger)" "$N $N"

case_ "login shells that hang on most of them, and the controller is killed: the others do not wait for them"
controller_kill9
slow=$((N + 1)) last=$((N + 40))
for ((i = slow; i <= last; i++)); do
    mkdir -p "$NODES_DIR/n$i/home"
    # What bash, run by sshd, reads first; other shells do not, and then there is nothing to see here.
    echo "exec 9<> <(:); until [ -e $WORK/awake ]; do read -rt 0.3 -u 9; done" >"$NODES_DIR/n$i/home/.bashrc"
done
sshd_start $last $slow
# The slow ones first: they are called first.
list=
for ((i = slow; i <= last; i++)); do list+="$(ssh_node $i), "; done
sed -i "s|^nodes = ( |nodes = ( $list|" "$STOKER_HOME/stoker.cfg"
t0=$(now_ms)
must stoker up
first_up() { [ "$(sinfo -h -N -o '%N %T' | awk -v n=$N '{ i = substr($1, 2) + 0 } i <= n && $2 ~ /^(idle|mixed|allocated)$/' | wc -l)" -eq "$N" ]; }
# Sooner than one that hangs is given up: twenty seconds after it said something last. A machine that needs long without them can tell
# no more than that they come.
if [ "$N" -gt 100 ]; then within=30; elif [ $needs -gt 5000 ]; then within=120; else within=19; fi
until_ "$within" first_up || fail "not so within $within s: first_up" "$(sinfo -N)"
echo "$N nodes up after $(($(now_ms) - t0)) ms beside $((last - slow + 1)) that hang"
touch awake
wait_for 40 nodes_up
cluster_stop
