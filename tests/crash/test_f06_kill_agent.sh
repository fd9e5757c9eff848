#!/usr/bin/env bash
# F06, F09: the agent is killed with tasks running and while it launches. Tasks go on; the next agent finds them; nothing is
# launched twice, and every end is known.
# test-timeout: 600
# test-user test-fast
. stoker.sh
CPUS=16 MEMORY=32G cluster_start

case_ "tasks go on, and their ends are known"
for k in 0 1 2; do
    submit -o out-$k --wrap "echo \$\$ >pid-$k; echo \$\$ >>ledger-$k; until [ -e go-$k ]; do sleep 0.02; done; echo end; exit $k"
    eval "id_$k=$job"
done
for k in 0 1 2; do wait_for 10 has_lines pid-$k 1; done
agent=$(agent_pid)
kill -KILL "$agent"
touch go-1 # ends with no agent there, or with the new one: both are fine
wait_for 5 is_dead "$agent"
new_agent() { [ -n "$(agent_pid)" ] && [ "$(agent_pid)" != "$agent" ]; }
wait_for 15 new_agent
wait_for 15 nodes_up
for k in 0 2; do
    id=id_$k
    is_alive "$(cat pid-$k)" || fail "task $k died with the agent"
    is "state of $k" "$(job_state ${!id})" RUNNING
    touch go-$k
done
for k in 0 1 2; do
    id=id_$k
    wait_end ${!id}
    is "its code" "$(job_field ${!id} ExitCode)" "$k:0"
    is "runs of $k" "$(wc -l <ledger-$k)" 1
    is "its output" "$(cat out-$k)" end
done

case_ "both are killed: agent and controller"
submit -o /dev/null --wrap 'echo $$ >pid; until [ -e go ]; do sleep 0.02; done; exit 9'
wait_for 10 has_lines pid 1
controller_kill9
kill -KILL "$(agent_pid)"
wait_for 5 no_agents
touch go
wait_for 10 is_dead "$(cat pid)"
must stoker up
wait_end $job
is "its code" "$(job_field $job ExitCode)" 9:0

case_ "killed 25 times while 150 jobs are launched"
script note.sh <<'E'
echo "$SLURM_JOB_ID" >>ledger
E
first=$((job + 1))
(for i in {1..150}; do sbatch -Q -o /dev/null note.sh || exit 1; done) &
submitter=$!
for i in {1..25}; do
    another() { [ -n "$(agent_pid)" ]; }
    wait_for 15 another
    grown=$(($(wc -l <ledger 2>/dev/null || echo 0) + RANDOM % 6))
    enough() { [ "$(wc -l <ledger 2>/dev/null || echo 0)" -ge $grown ] || is_dead $submitter; }
    until_ 5 enough
    kill -KILL "$(agent_pid)" 2>/dev/null
done
wait $submitter || fail "a submission failed"
nothing_left() { [ -z "$(squeue -h)" ]; }
wait_for 60 nothing_left
is "no job has run twice" "$(sort ledger | uniq -d)" ""
is "jobs by state" "$(squeue -h -t all -o '%i %T' | awk -v f=$first '$1 >= f {print $2}' | sort | uniq -c | tr -s ' ')" " 150 COMPLETED"
is "runs" "$(wc -l <ledger)" 150
cluster_stop
