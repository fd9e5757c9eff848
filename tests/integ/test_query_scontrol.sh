#!/usr/bin/env bash
# scontrol, sinfo and scancel: keys, texts, status.
# test-fast
. stoker.sh
cluster_start
echo 'sleep 1000' | script sleep.sh
host=$(hostname)

case_ "empty"
says "no jobs" 0 "No jobs in the system" "" scontrol show job
says "unknown" 1 "" "slurm_load_jobs error: Invalid job id specified" scontrol show job 999
says "no job at all" 0 "No jobs in the system" "" scontrol show job 0
says "no reservations" 0 "No reservations in the system" "" scontrol show reservation
says "no steps" 0 "No job steps in the system" "" scontrol show step
says ping 0 "Slurmctld(primary) at $host is UP" "" scontrol ping
has "config" "$(scontrol show config)" "ClusterName             = test"
has "config" "$(scontrol show config)" "KillWait                = 1 sec"
has "config" "$(scontrol show config)" "MinJobAge               = 300 sec"

case_ "a job"
submit -n 2 -t 5 -J runner --comment "a b" sleep.sh
id=$job
wait_state "$id" RUNNING
must scontrol show job "$id"
record=$out
is "the order of keys" "$(tr ' ' '\n' <<<"$record" | sed -n 's/=.*//p' | grep -v '^$' | tr '\n' ' ')" \
    "JobId JobName UserId GroupId MCS_label Priority Nice Account QOS JobState Reason Dependency Requeue Restarts BatchFlag \
Reboot ExitCode RunTime TimeLimit TimeMin SubmitTime EligibleTime AccrueTime StartTime EndTime Deadline SuspendTime \
SecsPreSuspend LastSchedEval Scheduler Partition AllocNode:Sid ReqNodeList ExcNodeList NodeList BatchHost NumNodes NumCPUs \
NumTasks CPUs/Task ReqB:S:C:T ReqTRES AllocTRES Socks/Node NtasksPerN:B:S:C CoreSpec MinCPUsNode MinMemoryNode MinTmpDiskNode \
Features DelayBoot OverSubscribe Contiguous Licenses Network Command WorkDir Comment StdErr StdIn StdOut Power "
is "one line" "$(scontrol -o show job "$id" | wc -l)" 1
is "job 0 is all jobs" "$(scontrol -o show job 0 | cut -d' ' -f1)" "JobId=$id"
is "by jobid=" "$(scontrol -o show jobid="$id" | cut -d' ' -f1)" "JobId=$id"
is "state" "$(job_field "$id" JobState)" RUNNING
is "limit" "$(job_field "$id" TimeLimit)" 00:05:00
is "directory" "$(job_field "$id" WorkDir)" "$WORK"
is "output" "$(job_field "$id" StdOut)" "$WORK/slurm-$id.out"
has "json" "$(scontrol show job "$id" --json)" "\"job_id\":$id"
must scontrol write batch_script "$id" -
is "script" "$out" "$(cat sleep.sh)"

case_ "hold, update, release"
submit --hold sleep.sh
held=$job
says "update" 0 "" "" scontrol update JobId="$held" TimeLimit=2:00:00 JobName=renamed
is "limit" "$(squeue -h -j "$held" -o '%l %j')" "2:00:00 renamed"
says "update of nothing" 1 "" "Invalid job id specified for job 999" scontrol update JobId=999 TimeLimit=5
says "hold of nothing" 1 "" "Invalid job id specified for job 999" scontrol hold 999
says "requeue of nothing" 1 "" "Invalid job id specified for job 999" scontrol requeue 999
says "release" 0 "" "" scontrol release "$held"
wait_state "$held" RUNNING
says "suspend" 0 "" "" scontrol suspend "$held"
says "resume" 0 "" "" scontrol resume "$held"
submit -n 8 -J one sleep.sh
one=$job
submit -n 8 -J two sleep.sh
have_priorities() { ! squeue -h -n one,two -o %Q | grep -qx 0; }
wait_for 5 have_priorities
says "top" 0 "" "" scontrol top "$job"
is_first() { [ "$(squeue -h -n one,two -S -p -o %j | head -n 1)" = two ] && [ "$(squeue -h -j "$one" -o %y)" -gt 0 ]; }
wait_for 5 is_first
says "top of nothing" 1 "" "Invalid job id specified for job 999" scontrol top 999
must scancel "$one" "$job"
submit --hold sleep.sh
waits=$job
says "an unknown key" 1 "" "Update of this parameter is not supported: Nonsense=1
Request aborted" scontrol update JobId="$held" Nonsense=1
says "a time that is none" 1 "" "scontrol: error: Invalid TimeLimit value" scontrol update JobId="$held" TimeLimit=soon
says "a time that is none" 1 "" "~" scontrol update JobId="$waits" StartTime=soon
like "what is wrong with it, before Slurm's words" "$err" 'scontrol: error: "soon" is not a time.*
Unspecified error for job '"$waits"
says "a value that is empty" 1 "" "scontrol: error: partition: it is empty
Unspecified error for job $waits" scontrol update JobId="$waits" Partition=
says "what is none, whatever the state" 2 "" "~" stoker update "$held" time=20
has "and which there are" "$err" "stoker update: error: time cannot be changed; ArrayTaskThrottle, Comment"
says "what can be changed while it waits" 1 "" "stoker update: error: Partition can be changed while the job waits, not later" \
    stoker update "$held" Partition=main
says "more time" 0 "" "" scontrol update JobId="$waits" TimeLimit=10
says "more time" 0 "" "" scontrol update JobId="$waits" TimeLimit=+1:00:00
says "less time" 0 "" "" scontrol update JobId="$waits" TimeLimit=-5
is "counted from what it was" "$(squeue -h -j "$waits" -o %l)" 1:05:00
says "less than nothing" 1 "" "Requested time limit is invalid (missing or exceeds some limit) for job $waits" \
    scontrol update JobId="$waits" TimeLimit=-2:00:00
must scancel "$waits"

case_ "a partition is a line of the configuration"
says "changed" 1 "" "scontrol: error: partitions are changed in stoker.cfg, then: scontrol reconfigure
slurm_update error: Requested operation not supported" scontrol update PartitionName=main State=DOWN

case_ "a configuration with a mistake: which file, which line, what"
cp "$STOKER_HOME/stoker.cfg" good.cfg
sed -i 's/cpus = 8/cpsu = 8/' "$STOKER_HOME/stoker.cfg"
says "reconfigure" 1 "" "slurm_reconfigure error: $STOKER_HOME/stoker.cfg:2: \"cpsu\" is not a key of a node, did you mean \"cpus\"?" scontrol reconfigure
cp good.cfg "$STOKER_HOME/stoker.cfg"
says "mended" 0 "" "" scontrol reconfigure

run scontrol frobnicate
is "a bad command" $rc 1

case_ "nodes and partitions"
like "partition" "$(sinfo -h -o '%P|%a|%l|%D|%t|%N')" 'main\*\|up\|infinite\|1\|mix\|n1'
is "cpus" "$(sinfo -h -o %C)" "$(sinfo -h -o %C | grep -E '^[0-9]+/[0-9]+/0/8$')"
is "nodes" "$(sinfo -h -o '%F %A')" "1/0/0/1 1/0"
is "node lines" "$(sinfo -h -N -o '%N %c %m %G')" "n1 8 16384 gpu:4"
is "nothing down" "$(sinfo -h -d)" ""
is "no reasons" "$(sinfo -h -R)" ""
like "the default header" "$(sinfo | head -n 1)" 'PARTITION +AVAIL +TIMELIMIT +NODES +STATE NODELIST'
says "drain without a reason" 1 "" "You must specify a reason when DOWNING or DRAINING a node. Request denied" \
    scontrol update NodeName=n1 State=DRAIN
says "drain" 0 "" "" scontrol update NodeName=n1 State=DRAIN Reason="fan broken"
is "draining" "$(sinfo -h -o %t)" drng
is "reason" "$(sinfo -h -R -o '%E|%u|%N')" "fan broken|$(id -un)|n1"
has "node" "$(scontrol show node n1)" "State=MIXED+DRAIN"
has "node" "$(scontrol show node n1)" "Reason=fan broken [$(id -un)@"
says "resume" 0 "" "" scontrol update NodeName=n1 State=RESUME
is "back" "$(sinfo -h -o %t)" mix
run scontrol update NodeName=nowhere State=RESUME
is "no such node" $rc 1
is "no such node" "$err" "slurm_update error: Invalid node name specified"
says "node not found" 1 "Node nowhere not found" "" scontrol show node nowhere
has "partition" "$(scontrol show partition)" "PartitionName=main"
has "partition" "$(scontrol -o show part main)" " Default=YES "

case_ "scancel"
says "unknown" 0 "" "" scancel 999
says "unknown, said" 0 "~" "scancel: Terminating job 999
scancel: error: Kill job error on job id 999: Invalid job id specified" scancel -v 999
says "step of an unknown one" 1 "" "scancel: error: Kill job error on job step id 999.0: Invalid job id specified" scancel 999.0
says "no signal" 1 "" "Unknown job signal: nonsense" scancel -s nonsense 999
says "both" 0 "" "" scancel "$id" "$held"
wait_end "$id"
is "state" "$state" CANCELLED
says "ended" 0 "" "" scancel "$id"
submit -a 0-3 --hold sleep.sh
array=$job
says "elements" 0 "" "" scancel "${array}_[1-2]"
is "left" "$(squeue -h -j "$array" -o %i)" "${array}_[0,3]"
submit --hold -J mine sleep.sh
says "by name" 0 "" "" scancel -n mine
wait_state "$job" CANCELLED
says "by user and state" 0 "" "" scancel -u "$(id -un)" -t pending
is_empty() { [ -z "$(squeue -h)" ]; }
wait_for 5 is_empty
says "asked and denied" 0 "~" "" bash -c "scancel -i 999 <<<n"
cluster_stop
