#!/usr/bin/env bash
# What changes a job meets what holds state about it: the table of pairs in docs/TESTING.md. Each case is one or more of its cells.
. stoker.sh
command -v python3 >/dev/null || skip "no python3"
export STOKER_BEAT_MS=250
cat >mail.sh <<S
#!/bin/bash
echo "\$2" >>$WORK/mails
S
chmod +x mail.sh
LIC=2
config() {
    cat >"$STOKER_HOME/stoker.cfg" <<CFG
cluster = "test";
nodes = ( { name = "n[1-3]"; transport = "local"; cpus = 4; memory = "4G"; detect = false; } );
partitions = ( { name = "main"; nodes = "n[1-3]"; default = true; priority_tier = 2; grace_time = "10m"; },
               { name = "low"; nodes = "n[1-3]"; priority_tier = 1; preempt_mode = "requeue"; grace_time = "10m"; } );
licenses = ( { name = "lic"; count = $LIC; } );
kill_wait = "1s";
node_timeout = "3s";
lease_time = "8s";
mail_program = "$WORK/mail.sh";
${1:-}
CFG
}
config
cluster_start_clocked

# work NAME: notes each begin and end, runs until the file go-NAME is there.
script work <<'S'
echo "+ ${SLURM_ARRAY_TASK_ID:--} ${SLURM_RESTART_COUNT:-0} $$" >>"$1.log"
trap 'echo "- ${SLURM_ARRAY_TASK_ID:--} $$" >>"$1.log"' EXIT
if [ "${2:-}" = deaf ]; then trap 'echo TERM >>"$1.log"' TERM; fi
echo "run ${SLURM_RESTART_COUNT:-0}"
exec 9<> <(:); until [ -e "go-$1" ]; do read -rt 0.05 -u 9; done
exit 0
S
begun() { [ -e "$1.log" ] && [ "$(grep -c '^+' "$1.log")" -ge "$2" ]; }
# How many of NAME ran at once at most, by their own word. With a PID: all but that process.
most() { awk -v but="${2:-0}" '$NF == but { next } /^[+]/ { if (++n > most) most = n } /^-/ { n-- } END { print most + 0 }' "$1.log"; }
used() { scontrol show licenses | grep -o "Total=[0-9]* Used=[0-9]*" | tr -dc '0-9 '; }
uses() { [ "$(used)" = "$1" ]; }
is_reason() { [ "$(job_reason "$1")" = "$2" ]; }
elements() { squeue -h -r -t all -j "$1" -o '%K %t' | sort -n | tr '\n' ' '; }
has_elements() { [[ "$(elements "$1")" =~ ^($2)$ ]]; }
node_is_up() { [[ $(sinfo -h -n "$1" -o %T) =~ ^(idle|mixed|allocated)$ ]]; }
again() {
    controller_kill9
    clocked_up
    wait_for 20 nodes_up
}

case_ "requeue: licences, mail, history, dependencies; of a suspended job"
submit -L lic:2 --requeue --mail-type=ALL -J again -o /dev/null work again
a=$job
submit -d "afterok:$a" -o /dev/null --wrap true
after=$job
submit -d "afternotok:$a" --kill-on-invalid-dep=yes -o /dev/null --wrap true
afternot=$job
wait_for 20 begun again 1
uses "2 2" || fail "licences: $(used)"
must scontrol suspend "$a"
must scontrol requeuehold "$a"
wait_state "$a" PENDING
uses "2 0" || fail "licences of a job that was put back: $(used)"
is "what comes after it" "$(job_state "$after") $(job_state "$afternot")" "PENDING PENDING"
submit -L lic -o /dev/null work other
other=$job
wait_for 20 begun other 1
must scontrol release "$a"
wait_for 20 is_reason "$a" Licenses
touch go-other
wait_for 20 begun again 2
is "it runs" "$(job_state "$a") $(used)" "RUNNING 2 2"
is "what comes after it" "$(job_state "$after") $(job_state "$afternot")" "PENDING PENDING"
touch go-again
wait_end "$a"
wait_end "$after"
is "the later run counts" "$state" COMPLETED
wait_end "$afternot"
is "never" "$state" CANCELLED
wait_for 20 uses "2 0"
is "a row of each run" "$(sacct -DnXP -j "$a" -o State | tr '\n' ' ')" "REQUEUED COMPLETED "
told() { [ "$(grep -c "$1" mails)" = "$2" ]; }
for mail in "Began 2" "Requeued 1" "Ended 1" "Failed 0"; do wait_for 20 told "Name=again ${mail% *}" "${mail#* }"; done

case_ "requeue of an element: the throttle counts it"
submit -a 0-3%2 --requeue -o /dev/null work many
many=$job
wait_for 20 begun many 2
must scontrol requeue "${many}_0"
wait_for 20 begun many 3
is "two run" "$(squeue -h -r -t R -j "$many" -o %K | wc -l)" 2
touch go-many
wait_for 30 has_elements "$many" "0 CD 1 CD 2 CD 3 CD "
is "never more than two" "$(most many)" 2

case_ "hold of an array: what runs goes on, nothing else starts; suspended elements count for the throttle; restarts, mail"
submit -a 0-3%2 --mail-type=BEGIN,END -J held -o /dev/null work held
held=$job
wait_for 20 begun held 2
says "what runs cannot be held, what waits is" 1 "" "Job is no longer pending execution for job $held" scontrol hold "$held"
is "two run" "$(elements "$held")" "0 R 1 R 2 PD 3 PD "
must scontrol suspend "${held}_0"
run scontrol release "$held"
must scancel "${held}_1"
wait_for 20 has_elements "$held" "0 S 1 CA 2 R 3 PD "
again
is "over a restart" "$(elements "$held")" "0 S 1 CA 2 R 3 PD "
is "one in place of the other" "$(squeue -h -t PD -j "$held" -o %r)" JobArrayTaskLimit
run scontrol hold "$held"
must scontrol resume "${held}_0"
touch go-held
wait_for 20 has_elements "$held" "0 CD 1 CA 2 CD 3 PD "
is "held" "$(squeue -h -t PD -j "$held" -o %r)" JobHeldUser
again
is "over a restart" "$(squeue -h -t PD -j "$held" -o %r)" JobHeldUser
run scontrol release "$held"
wait_for 20 has_elements "$held" "0 CD 1 CA 2 CD 3 CD "
wait_for 20 told "Name=held Ended" 1
is "no mail twice" "$(grep -c "Name=held Began" mails) $(grep -c "Name=again" mails)" "1 4"

case_ "preemption of an element: licences, throttle, output, history, mail, dependencies; the whole array is cancelled in a grace time"
submit -w n1 -c 4 -L lic:1 -p low -a 0-2%1 --mail-type=REQUEUE,ARRAY_TASKS -J low -o 'low_%a.out' work low
low=$job
submit -d "afterok:$low" -o /dev/null --wrap true
after=$job
wait_for 20 begun low 1
submit -w n1 -c 4 -o /dev/null work owner
wait_for 20 begun owner 1
wait_for 20 has_elements "$low" "0 PD 1 PD 2 PD "
is "licences" "$(used)" "2 0"
is "Restarts" "$(job_field "${low}_0" Restarts) $(sacct -DnXP -j "${low}_0" -o State | tr '\n' ' ')" "1 PREEMPTED PENDING "
is "what comes after it" "$(job_state "$after") $(job_reason "$after")" "PENDING Dependency"
wait_for 20 told "Job_id=${low}_0 .* Name=low Requeued" 1
touch go-owner go-low
wait_for 20 has_elements "$low" "0 CD 1 CD 2 CD "
wait_end "$after"
is "what comes after it" "$state" COMPLETED
is "one at a time" "$(most low)" 1
is "the output of both runs" "$(grep run low_0.out | tr '\n' ' ')" "run 0 run 1 "
submit -w n1 -c 4 -L lic:1 -p low -a 0-2%1 -o /dev/null work deaf deaf
deaf=$job
wait_for 20 begun deaf 1
submit -w n1 -c 4 -o /dev/null work owner2
owner=$job
wait_for 20 grep -q TERM deaf.log
again
is "the grace time goes on, the licence is held" "$(elements "$deaf")$(used)" "0 R 1 PD 2 PD 2 1"
is "the other waits" "$(job_state "$owner")" PENDING
must scancel "$deaf"
wait_for 20 has_elements "$deaf" "0 CA 1 CA 2 CA "
wait_for 20 begun owner2 1
is "none comes back" "$(elements "$deaf")$(used)" "0 CA 1 CA 2 CA 2 0"
is "it began once" "$(grep -c '^+' deaf.log)" 1
touch go-owner2
wait_end "$owner"

case_ "update: licences and dependencies of what waits; of what runs it is refused"
submit -L lic:2 -o /dev/null work first
first=$job
wait_for 20 begun first 1
submit -L lic:1 -o /dev/null work second
second=$job
wait_for 20 is_reason "$second" Licenses
says "of what runs" 1 "" "~" scontrol update "JobId=$first" Licenses=lic:1
is "as it was" "$(used)" "2 2"
must scontrol update "JobId=$second" Licenses=
wait_for 20 begun second 1
is "it needs none" "$(used)" "2 2"

case_ "what was changed before the start is in the output, the mail and the history; a reload says whether mail is sent"
rm -f mails
submit -H -J before -o 'out-%x' --mail-type=END --wrap 'echo done'
must scontrol update "JobId=$job" JobName=after TimeLimit=7 Comment=word
must scontrol release "$job"
wait_end "$job"
is "its output" "$(cat out-after)" "done"
wait_for 20 grep -q "Job_id=$job Name=after Ended" mails
is "sacct" "$(sacct -nXP -j "$job" -o jobname,timelimit,comment)" "after|00:07:00|word"
submit -J silent -o /dev/null --mail-type=END work silent
wait_for 20 begun silent 1
sed -i '/^mail_program/d' "$STOKER_HOME/stoker.cfg"
must scontrol reconfigure
touch go-silent
wait_end "$job"
config
must scontrol reconfigure
submit -J spoken -o /dev/null --mail-type=END --wrap true
wait_for 20 grep -q "Name=spoken Ended" mails
hasnt "while there was no program" "$(cat mails)" "Name=silent"

case_ "suspend: licences stay, dependencies wait, the history knows; a restart, and a reload that takes licences away, change none of it"
submit -d "afterok:$first" -o /dev/null --wrap true
after=$job
submit -d "after:$first+600" -o /dev/null --wrap true
minutes=$job
begins=$(job_field "$minutes" StartTime)
must scontrol suspend "$first"
elapsed=$(squeue -h -j "$first" -o %M)
since=$(now_ms)
LIC=1
config
must scontrol reconfigure
submit -L lic:1 -o /dev/null work third
third=$job
run sbatch -L lic:2 --wrap true
is "more than there are" "$rc" 1
wait_for 20 is_reason "$third" Licenses
check() {
    is "$1: licences" "$(used)" "1 2"
    is "$1: states" "$(job_state "$first") $(job_state "$after") $(job_state "$third")" "SUSPENDED PENDING PENDING"
    is "$1: reasons" "$(job_reason "$after") $(job_reason "$third")" "Dependency Licenses"
    is "$1: minutes after a start" "$(job_field "$minutes" StartTime)" "$begins"
    is "$1: its time" "$(squeue -h -j "$first" -o %M)" "$elapsed"
}
check "suspended"
again
check "after a restart"
stands_for_2_s() { [ $(($(now_ms) - since)) -ge 2000 ]; } # more than times are rounded by
wait_for 20 stands_for_2_s
standing=$((($(now_ms) - since) / 1000 - 1))
check "and later"
must scontrol resume "$first"
touch go-first
wait_end "$first"
is "it ended well" "$state" COMPLETED
seconds() { SLURM_TIME_FORMAT=%s sacct -nXP -j "$first" -o "$1"; }
paused=$(($(seconds End) - $(seconds Start) - $(seconds ElapsedRaw)))
at_least "seconds for which it did not run, in the history" "$paused" "$standing"
wait_end "$after"
wait_for 20 begun third 1
is "one at a time" "$(used)" "1 1"
touch go-second go-third
wait_end "$third"
wait_for 20 uses "1 0"
must scancel "$minutes"
LIC=2

case_ "reload: a limit below what runs ends nothing, and lets nothing more start; requeued and suspended jobs under it; cancel, mail"
submit -a 0-3%3 --requeue --mail-type=END,ARRAY_TASKS -J limit -o /dev/null work limit
limit=$job
wait_for 20 begun limit 3
config 'limits = ( { scope = "user"; name = "*"; hard = { running_jobs = 1; }; } );'
must scontrol reconfigure
must scancel "${limit}_0" "${limit}_1"
wait_for 20 has_elements "$limit" "0 CA 1 CA 2 R 3 PD "
wait_for 20 told "Job_id=${limit}_0 .* Name=limit Ended.*CANCELLED" 1
wait_for 20 is_reason "${limit}_3" QOSMaxJobsPerUserLimit
is "one runs" "$(elements "$limit")" "0 CA 1 CA 2 R 3 PD "
again
wait_for 20 is_reason "${limit}_3" QOSMaxJobsPerUserLimit
is "after a restart" "$(elements "$limit")" "0 CA 1 CA 2 R 3 PD "
must scontrol requeuehold "${limit}_2"
wait_for 20 begun limit 4
must scontrol release "${limit}_2"
wait_for 20 is_reason "${limit}_2" QOSMaxJobsPerUserLimit
is "what was put back does not count, and waits in its turn" "$(elements "$limit")" "0 CA 1 CA 2 PD 3 R "
must scontrol suspend "${limit}_3"
until_ 1 begun limit 5 && fail "a suspended job does not count"
must scontrol resume "${limit}_3"
config
must scontrol reconfigure
wait_for 20 begun limit 5
touch go-limit
wait_for 20 has_elements "$limit" "0 CA 1 CA 2 CD 3 CD "

case_ "the agent is killed while a job is suspended: it stays stopped, holds what it holds, and its output goes on"
submit -w n2 -L lic:2 -o stopped.out --wrap 'echo $$ >stopped.pid; until [ -e go-stopped ]; do echo tick; sleep 0.05; done; echo last'
stopped=$job
wait_for 20 has_lines stopped.out 2
must scontrol suspend "$stopped"
is_stopped() { grep -q '^State:	T' "/proc/$(<stopped.pid)/status"; }
wait_for 20 is_stopped
agent=$(agent_pid n2)
kill -KILL "$agent"
new_agent() { [ -n "$(agent_pid n2)" ] && [ "$(agent_pid n2)" != "$agent" ]; }
wait_for 20 new_agent
wait_for 20 nodes_up
is_stopped || fail "it goes on"
is "its state" "$(job_state "$stopped") $(used)" "SUSPENDED 2 2"
lines=$(wc -l <stopped.out)
must scontrol resume "$stopped"
wait_for 20 has_lines stopped.out $((lines + 2))
touch go-stopped
wait_end "$stopped"
is "its end" "$state $(tail -n 1 stopped.out) $(grep -cv '^tick$' stopped.out)" "COMPLETED last 1"

case_ "a node is lost: an element of an array, its licence, and what depends on it"
submit -w n2 -c 4 -o /dev/null work filler # the other node is full: the throttle, not the room, is what lets one run
submit -a 0-2%1 -L lic:2 --requeue --lost-node=requeue -x n1,n2 \
    --mail-type=REQUEUE,ARRAY_TASKS -J gone -o 'gone_%a.out' work gone
gone=$job
wait_for 20 begun gone 1
submit -d "afterok:$gone" -o /dev/null --wrap true
after=$job
submit -d "aftercorr:$gone" -a 0-2 -o /dev/null --wrap true
corr=$job
lost=$(sed -n 's/^+ .* //p;q' gone.log)
agent=$(agent_pid n3)
kill -STOP "$agent"
wait_for 20 has_elements "$gone" "0 PD 1 PD 2 PD "
is "given back" "$(used)" "2 0"
is "what comes after it" "$(job_reason "$after") $(squeue -h -j "$corr" -o %r)" "Dependency Dependency"
kill -CONT "$agent"
wait_for 20 node_is_up n3
wait_for 20 begun gone 2
touch go-gone go-filler
wait_for 20 has_elements "$gone" "0 CD 1 CD 2 CD "
wait_end "$after"
is "what comes after it" "$state" COMPLETED
wait_for 20 has_elements "$corr" "0 CD 1 CD 2 CD "
# What runs on a lost node may go on until the node is back and has ended it, beside what has been started instead.
wait_for 20 is_dead "$lost"
is "one at a time" "$(most gone "$lost")" 1
is "each once more than it was lost" "$(grep '^+' gone.log | cut -d' ' -f2,3 | tr '\n' ';')" "0 0;0 1;1 0;2 0;"
wait_for 20 uses "2 0"
wait_for 20 told "Job_id=${gone}_0 .* Name=gone Requeued" 1
is "the output of both runs" "$(grep run gone_0.out | tr '\n' ' ')" "run 0 run 1 "
is "a row of each run" "$(sacct -DnXP -j "${gone}_0" -o State | tr '\n' ' ')" "NODE_FAIL COMPLETED "

# TERM comes before KILL: not all of it at once.
lease_passes() { for _ in 1 2 3 4; do sleep_on 2; nap; done; }
case_ "a suspended job whose lease is over: its node ends it all the same, and it runs again, not suspended"
submit -w n3 -L lic:2 --requeue --lost-node=lease -o /dev/null work lease
lease=$job
wait_for 20 begun lease 1
pid=$(sed -n 's/^+ .* //p;q' lease.log)
must scontrol suspend "$lease"
is_stopped() { grep -q '^State:	T' "/proc/$pid/status"; }
wait_for 20 is_stopped
agent=$(agent_pid n3)
kill -STOP "$agent"
lease_passes
wait_for 20 is_dead "$pid"
wait_state "$lease" PENDING
is "given back" "$(used)" "2 0"
kill -CONT "$agent"
wait_for 20 begun lease 2
is "the second run" "$(job_state "$lease") $(used)" "RUNNING 2 2"
touch go-lease
wait_end "$lease"
is "its end" "$state $(job_field "$lease" Restarts)" "COMPLETED 1"

case_ "a job is cancelled while its node is away: the lease ends it, and it does not run again"
submit -w n3 --requeue --lost-node=lease -o /dev/null work away
away=$job
wait_for 20 begun away 1
pid=$(sed -n 's/^+ .* //p;q' away.log)
agent=$(agent_pid n3)
kill -STOP "$agent"
must scancel "$away"
lease_passes
wait_for 20 is_dead "$pid"
wait_end "$away"
kill -CONT "$agent"
n3_up() { node_is_up n3; }
wait_for 20 n3_up
is "its end" "$state $(job_field "$away" Restarts) $(grep -c '^+' away.log)" "CANCELLED 0 1"
case_ "the agent is killed: a time limit that was raised stays raised, one that was not still ends its job"
submit -w n1 -t 1 -o /dev/null work raised
raised=$job
submit -w n1 -t 1 -o /dev/null work limited # it ends below, while others run
limited=$job
wait_for 20 begun raised 1
wait_for 20 begun limited 1
must scontrol update "JobId=$raised" TimeLimit=10
restart_agent() {
    agent=$(agent_pid "$1")
    kill -KILL "$agent"
    restarted=$1
    wait_for 20 is_restarted
    wait_for 20 nodes_up
}
is_restarted() { [ -n "$(agent_pid "$restarted")" ] && [ "$(agent_pid "$restarted")" != "$agent" ]; }
restart_agent n1

case_ "the agent is killed: leases go on, and a lease that is not renewed ends the job"
submit -w n3 --requeue --lost-node=lease -o /dev/null work leased
leased=$job
wait_for 20 begun leased 1
pid=$(sed -n 's/^+ .* //p;q' leased.log)
restart_agent n3
for _ in 1 2 3 4 5; do # beyond lease_time; what runs on the node shows that a heartbeat has come since
    sleep_on 2
    for _ in 1 2; do must srun -w n3 true; done
done
is_alive "$pid" || fail "the lease ended a job whose agent is there again"
agent=$(agent_pid n3)
kill -STOP "$agent"
lease_passes
wait_for 30 is_dead "$pid"
wait_state "$leased" PENDING
kill -CONT "$agent"
touch go-leased
wait_end "$leased"
is "its end" "$state $(job_field "$leased" Restarts)" "COMPLETED 1"

case_ "a node is lost between two fences: the next run has fences of its own"
PATH=$B/tests/tools:$PATH
script ranks.sh <<'S'
run=${SLURM_RESTART_COUNT:-0}
srun --mpi=pmi2 -N 2 -n 2 bash -c 'exec 9<> <(:); pmi_client 2 '$((3 - run))' && echo done >>ranks.'$run'; [ '$run' -gt 0 ] || until [ -e never ]; do read -rt 0.05 -u 9; done' >>ranks.out
S
submit -w 'n[2-3]' --requeue --lost-node=requeue -N 2 -n 2 -o /dev/null ranks.sh
ranks=$job
wait_for 20 has_lines ranks.0 2
agent=$(agent_pid n3)
kill -STOP "$agent"
wait_state "$ranks" PENDING
kill -CONT "$agent"
wait_end "$ranks"
is "the second run" "$state $(tail -n 1 ranks.out)" "COMPLETED 2 ranks, 2 fences, mapping (vector,(0,2,1)): ok"

case_ "the agent was killed: the limits are over"
sleep_on 60
wait_end "$limited"
is "at its limit" "$state" TIMEOUT
is "beyond the limit that it began with" "$(job_state "$raised")" RUNNING
touch go-raised
wait_end "$raised"
is "it ended well" "$state" COMPLETED

case_ "a node is lost: its job no longer counts in a limit, waits for it, and has its whole time limit again"
config 'limits = ( { scope = "user"; name = "*"; hard = { running_jobs = 1; }; } );'
must scontrol reconfigure
submit -w n3 -t 10 --requeue --lost-node=requeue -o /dev/null work counted
counted=$job
wait_for 20 begun counted 1
submit -w n1 -o /dev/null work instead
instead=$job
wait_for 20 is_reason "$instead" QOSMaxJobsPerUserLimit
agent=$(agent_pid n3)
kill -STOP "$agent"
wait_for 20 begun instead 1
kill -CONT "$agent"
wait_for 20 n3_up
wait_for 20 is_reason "$counted" QOSMaxJobsPerUserLimit
is "the limit still holds" "$(job_state "$counted") $(job_state "$instead")" "PENDING RUNNING"
touch go-instead
wait_for 20 begun counted 2

like "time left" "$(squeue -h -j "$counted" -o %L)" "10:00|9:5."
touch go-counted
wait_end "$counted"
is "its end" "$state $(job_field "$counted" Restarts)" "COMPLETED 1"
cluster_stop
