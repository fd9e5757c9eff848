#!/usr/bin/env bash
# Accounts, usage and priorities: charged by GPU time, kept over a restart, shown as they are used.
. stoker.sh
me=$(id -un)
EXTRA="accounts = ( { name = \"vision\"; shares = 1; users = ( { name = \"$me\"; } ); },
                    { name = \"audio\"; shares = 1; users = ( { name = \"$me\"; } ); },
                    { name = \"dance\"; shares = 2; users = ( { name = \"bin\"; } ); } );
qos = ( { name = \"high\"; priority = 100; }, { name = \"low\"; priority = 25; } );
priority = { decay_half_life = \"0s\"; weight_tres = { cpu = 800; gpu = 400; }; };
"
cluster_start
echo 'echo "$SLURM_JOB_ACCOUNT"; sleep 0.5' | script short.sh
echo 'sleep 1000' | script long.sh

# share ACCOUNT MEMBER: of my row in it
share() { python3 -c '
import json, sys
d = json.load(sys.stdin)
assert d["schema"] == 1, d
print([r[sys.argv[3]] for r in d["shares"] if r["user"] == sys.argv[1] and r["account"] == sys.argv[2]][0])' \
    "$me" "$1" "$2" < <(sshare --json); }
# calc EXPRESSION: must be true
calc() { python3 -c "import sys; sys.exit(not ($1))" || fail "not true: $1"; }

case_ "nothing used"
is "the tree" "$(sshare -n -o Account%-8,User%-32,RawShares%4,LevelFS%5,FairShare | sed "s/ $me / ME /; s/ *\$//; s/  */ /g")" "root
 audio 1 inf
 audio ME 1 inf 1.000000
 dance 2 inf
 vision 1 inf
 vision ME 1 inf 1.000000"
is "the header" "$(sshare | head -n 2)" \
    "Account                    User  RawShares  NormShares    RawUsage  EffectvUsage  FairShare 
-------------------- ---------- ---------- ----------- ----------- ------------- ---------- "
is "parsable" "$(sshare -P -U -A audio | tail -n 1)" "  audio|$me|1|1.000000|0|0.000000|1.000000"
is "parsable, ending" "$(sshare -p -n -U -o user)" "$me|
$me|"
has "all users" "$(sshare -a -U -n -o user)" bin
hasnt "no user but me" "$(sshare -U -n -o user)" bin
says "no such field" 1 "" "sshare: error: Invalid field requested: \"colour\"" sshare -o colour
says "no such user" 1 "" "sshare: error: Invalid user: no-such-user" sshare -u no-such-user

case_ "accounts of submissions"
submit -o account.out short.sh
first=$job
wait_end "$first"
is "the first that lists the user" "$(cat account.out)" vision
is "shown" "$(squeue -h -t all -j "$first" -o %a)" vision
says "not listed" 1 "" "~" sbatch -A dance short.sh
has "Slurm's words" "$err" "Batch job submission failed: Invalid account or account/partition combination specified"
says "not there" 1 "" "~" sbatch -A nosuch short.sh
says "no such QOS" 1 "" "~" sbatch --qos=best short.sh
has "Slurm's words" "$err" "Batch job submission failed: Invalid qos specification"
submit --hold short.sh
says "an update is held to the same" 1 "~" "~" scontrol update job="$job" Account=dance
must scontrol update job="$job" Account=audio
is "moved" "$(job_field "$job" Account)" audio
must scancel "$job"

case_ "GPU time is charged"
submit -A audio --gpus=2 short.sh
wait_end "$job"
# 1 CPU, its 2 GiB, 2 GPUs: 1 + 0.25 + 32 a second; without GPUs 1.25
calc "abs($(share audio raw_usage) - $(share audio gpu_hours) * 1800 * 33.25) < 1e-6"
calc "$(share audio gpu_hours) * 1800 > 0.4"
calc "$(share vision gpu_hours) == 0 and $(share vision raw_usage) > 0.4 * 1.25"
calc "$(share audio fairshare) == 0.5 * $(share vision fairshare)" # used more: the last of two ... of three users
is "who has used less comes first" "$(sshare -n -U -o FairShare%8 | tr -d ' \n')" "0.3333330.666667"

case_ "what runs counts"
before=$(share audio raw_usage)
submit -A audio --gpus=1 -n 8 long.sh
running=$job
wait_state "$running" RUNNING
grows() { calc_ "$(share audio running) > 0 and $(share audio raw_usage) > $before"; }
calc_() { python3 -c "import sys; sys.exit(not ($1))"; }
wait_for 5 grows
is "GPUs now" "$(share audio gpus_now)" 1

case_ "priorities"
submit -n 8 -A vision --qos=low --nice=7 --gpus=1 long.sh
waiting=$job
submit -n 4 -A audio --qos=high long.sh
other=$job
wait_state "$other" PENDING
# JOBID PARTITION USER ACCOUNT PRIORITY SITE AGE ASSOC FAIRSHARE JOBSIZE PARTITION QOSNAME QOS NICE TRES
sum() { # JOB
    sprio -h -l -j "$1" | awk '{ gsub(/[a-z\/]*=/, "", $15); n = split($15, t, ","); s = $6 + $7 + $8 + $9 + $10 + $11 + $13 - $14
        for (i = 1; i <= n; i++) s += t[i]; print $5, s }'
}
for j in "$waiting" "$other"; do
    read -r total sum < <(sum "$j")
    is "the sum" "$sum" "$total"
    is "squeue" "$(squeue -h -j "$j" -o %Q)" "$total"
    is "scontrol" "$(job_field "$j" Priority)" "$total"
done
# vision: rank 2 of 3; 8 of 8 CPUs; the only partition; 25 of 100; 1 of 4 GPUs
is "what it is made of" "$(sprio -h -j "$waiting" -o '%S|%A|%F|%J|%P|%n|%Q|%N|%T|%o|%u|%r')" \
    "0|0|6667|0|1000|low|500|7|cpu=800,gres/gpu=100|vision|$me|main"
is "normalised" "$(sprio -h -j "$waiting" -o '%f|%j|%p|%q|%t')" "0.6666667|0.0000000|1.0000000|0.2500000|cpu=1.00,gres/gpu=0.25"
is "the usual columns" "$(sprio | head -n 1)" \
    "          JOBID PARTITION   PRIORITY       SITE        AGE  FAIRSHARE    JOBSIZE  PARTITION        QOS                 TRES"
is "the weights" "$(sprio -w -h -o '%i|%S|%A|%F|%J|%P|%Q|%T')" "Weights|1|1000|10000|100|1000|2000|cpu=800,gres/gpu=400"
is "sorted" "$(sprio -h -S -Y -o %i | tr '\n' ' ')" "$waiting $other "
is "by user" "$(sprio -h -u "$me" -o %i | wc -l)" 2
says "unknown" 0 "Unable to find jobs matching user/id(s) specified" "" sprio -u bin
says "no such job" 0 "Unable to find jobs matching user/id(s) specified" "" sprio -j 999
says "other partitions" 0 "Unable to find jobs matching user/id(s) specified" "" sprio -p none
must python3 -c 'import json, sys; d = json.load(sys.stdin); assert len(d["jobs"]) == 2 and d["weights"]["weight_age"] == 1000, d' \
    < <(sprio --json)

submit --hold long.sh
is "a held job has no turn" "$(squeue -h -j "$job" -o %Q) $(sprio -h -o %i | grep -cw "$job")" "0 0"
must scancel "$job"

case_ "an administrator's value"
must scontrol update job="$waiting" Priority=123456
has_priority() { [ "$(squeue -h -j "$1" -o %Q)" = "$2" ]; }
wait_for 5 has_priority "$waiting" 123456
read -r total sum < <(sum "$waiting")
is "the sum" "$sum $total" "123456 123456"

case_ "over a restart, when the jobs have gone"
echo 'min_job_age = "1s";' >>"$STOKER_HOME/stoker.cfg"
must scontrol reconfigure
must scancel "$running" "$waiting" "$other"
all_gone() { # out of the state itself, not only of the answers
    local j
    for j in "$first" "$running" "$waiting" "$other" "$job"; do
        [[ $(scontrol hold "$j" 2>&1) == *"Invalid job id"* ]] || return 1
    done
}
wait_for 20 all_gone
used=$(sshare -a -n -l -P)
calc "$(share audio raw_usage) > $before"
for i in 1 2; do
    controller_kill9
    must stoker up
    is "the shares, restart $i" "$(sshare -a -n -l -P)" "$used"
done
# ... and what is charged after it adds to that.
before=$(share audio raw_usage)
submit -A audio --gpus=1 short.sh
wait_for 20 all_gone
used=$(sshare -a -n -l -P)
controller_kill9
# One event holds it all; of the jobs nothing is left in the log.
is "the log" "$(python3 -c '
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
print(db.execute("SELECT count(*) FROM event WHERE job > 0").fetchone()[0],
      db.execute("SELECT max(c) FROM (SELECT count(*) AS c FROM event WHERE job = 0 AND kind = 20 GROUP BY kind)").fetchone()[0])' \
    "$STOKER_HOME/state/stoker.db")" "0 1"
must stoker up
is "the shares" "$(sshare -a -n -l -P)" "$used"
calc "$(share audio raw_usage) > $before + 17.25 * 0.4"
cluster_stop
