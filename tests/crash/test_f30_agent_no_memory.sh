#!/usr/bin/env bash
# F30 on a node: the nth allocation of the agent fails, for many n: at its start, while it adopts, launches and reports. It may end there:
# the next one goes on, every job runs once, and its end is known.
# test-timeout: 600
. stoker.sh
cluster_config
log=$STOKER_HOME/log/agent-n1.log
starts() { grep -c ' pid=' "$log"; }
script note.sh <<'S'
echo "$SLURM_JOB_ID" >>ledger
exec 9<> <(:); until [ -e "go-$1" ]; do read -rt 0.02 -u 9; done
exit "$2"
S
must env LD_PRELOAD="$B/tests/lib/libnomemory.so" NO_MEMORY_AGENT="$PWD/number" stoker up
wait_for 30 nodes_up

rounds=0 jobs=0
another() { [ -n "$(agent_pid)" ] && [ "$(agent_pid)" != "$old" ] && nodes_up; }
for n in 1 15 40 80 120 160 200 240 280 320 360 400 450 500 560 630 700 800 900 1000 1200 1500 2000 3000; do
    case_ "the allocation that fails: $n"
    submit -o /dev/null note.sh $n 0
    first=$job
    begun() { grep -qsx "$first" ledger; }
    wait_for 20 begun
    old=$(agent_pid)
    echo $n >number
    kill -KILL "$old"
    submit -o /dev/null note.sh $n 3
    second=$job
    touch go-$n
    wait_end "$first"
    is "the one that ran" "$state $(job_field "$first" ExitCode)" "COMPLETED 0:0"
    wait_end "$second"
    is "the one that came" "$state $(job_field "$second" ExitCode)" "FAILED 3:0"
    wait_for 20 another
    [ ! -e number ] || fail "no agent took it"
    rounds=$((rounds + 1)) jobs=$((jobs + 2))
done
case_ "in the end"
is "each ran" "$(sort -u ledger | wc -l)" $jobs
is "and once" "$(wc -l <ledger)" $jobs
# Each round has the agent that was killed replaced; what is more ended by itself.
at_least "of $rounds agents these had no memory" $(($(starts) - 1 - rounds)) 3
echo "$(($(starts) - 1 - rounds)) of $rounds ended"
wait_for 20 no_shims
cluster_stop
