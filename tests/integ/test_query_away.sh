#!/usr/bin/env bash
# The controller is away: each command's own text and status.
. stoker.sh
mkdir -p "$STOKER_HOME/state" # it ran here before: nothing is started by asking
AWAY="Unable to contact slurm controller (connect failure)"

case_ "Slurm's names"
says squeue 1 "" "slurm_load_jobs error: $AWAY" squeue
says "squeue of a job" 1 "" "slurm_load_jobs error: $AWAY" squeue -h -j 1
says sinfo 1 "" "slurm_load_partitions: $AWAY" sinfo
says scancel 8 "" "scancel: error: Kill job error on job id 1: $AWAY" scancel 1
says "scancel of two" 8 "" "scancel: error: Kill job error on job id 1: $AWAY
scancel: error: Kill job error on job id 2_3: $AWAY" scancel 1 2_3
says "scancel by user" 1 "" "slurm_load_jobs error: $AWAY" scancel -u root
says "scontrol show job" 1 "" "slurm_load_jobs error: $AWAY" scontrol show job
says "scontrol hold" 1 "" "$AWAY for job 1" scontrol hold 1
run scontrol ping
is "ping's status" $rc 1
like ping "$out" 'Slurmctld\(primary\) at .* is DOWN'

case_ "without a controller needed"
says hostnames 0 "n1
n2
n07" "" scontrol show hostnames 'n[1-2,07]'
says "hostnames of the job" 0 "a1" "" env SLURM_JOB_NODELIST=a1 scontrol show hostname
says "hostnames of nothing" 1 "" "host list is empty" scontrol show hostnames
says hostlist 0 "n[1-3]" "" scontrol show hostlist n1,n2,n3
says version 0 "slurm 23.02.7" "" squeue --version
says version 0 "slurm 23.02.7" "" scontrol version
says "no target" 1 "" "scancel: error: No job identification provided" scancel
says "no job id" 1 "" "scancel: error: Invalid job id x" scancel x
says "no signal" 1 "" "Unknown job signal: FOO" scancel -s FOO 1
run squeue -t bogus
is "a bad state's status" $rc 1
has "a bad state" "$err" "squeue: error: Invalid job state specified: bogus"
run squeue --bogus
is "a bad option's status" $rc 1

case_ "stoker's own"
for cmd in "jobs" "jobs --json" "show 1" "why 1" "output 1" "cancel 1" "requeue 1" "hold 1" "release 1" \
    "update 1 TimeLimit=5" "nodes" "gpus" "users" "node drain n1 --reason=x"; do
    # shellcheck disable=SC2086
    run stoker $cmd
    is "status of $cmd" $rc 5
    is "output of $cmd" "$out" ""
    is "lines of $cmd" "$(wc -l <<<"$err")" 1
    has "$cmd" "$err" "no controller runs here"
done
says down 0 "no controller runs here" "" stoker down
run stoker doctor --json
is "doctor's status" $rc 1
has doctor "$out" '"schema":1,"ok":false,"checks":[{"name":"configuration","status":"ok"'
is "no job" "$(stoker cancel 2>&1; echo $?)" "stoker cancel: error: give at least one job
2"
run stoker node drain n1
is "a drain without a reason" $rc 2
run stoker show
is "show without a job" $rc 2

case_ "init"
must stoker init
is init "${out%%$'\n'*}" "wrote $STOKER_HOME/stoker.cfg"
before=$(cat "$STOKER_HOME/stoker.cfg")
run stoker init
is "init again" $rc 1
has "init again" "$err" "$STOKER_HOME/stoker.cfg is there already"
is "the file" "$(cat "$STOKER_HOME/stoker.cfg")" "$before"

case_ "config"
says path 0 "$STOKER_HOME/stoker.cfg" "" stoker config path
says "what init wrote" 0 "$STOKER_HOME/stoker.cfg: fine: 1 node, 1 partition" "" stoker config check
must stoker config show
has "show" "$out" "partitions"
must stoker config show --json
has "show as json" "$out" '{"schema":1,"config":{"name":"'
# the examples in its comments are right too
must stoker init --print
sed -E 's/^( *)# (( *,)? *[a-z{].*[;}])$/\1\2/' <<<"$out" >all.cfg
has "an example" "$(cat all.cfg)" 'kill_wait = "30s";'
says "with its examples" 0 "all.cfg: fine: 5 nodes, 2 partitions" "" stoker config check all.cfg
echo 'nodse = ();' >"$STOKER_HOME/stoker.cfg"
run stoker config check
is "a slip" $rc 1
has "a slip" "$err" "stoker.cfg:1: "
run stoker config frobnicate
is "no such word" $rc 2
