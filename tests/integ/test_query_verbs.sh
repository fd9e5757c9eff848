#!/usr/bin/env bash
# scontrol's smaller words: messages to jobs, their processes, waiting for them; and Slurm's own texts for slips.
# test-user
. stoker.sh
cluster_start

echo 'echo ready; until [ -e go ]; do sleep 0.1; done' | script job.sh
submit -o job.out job.sh
wait_state "$job" RUNNING
wait_for 20 grep -q ready job.out

case_ "a message to a job"
# Its first line may come before the controller knows that it has begun.
is_sent() { run scontrol notify "$job" "hello there" you && [ $rc -eq 0 ] && [ -z "$out$err" ]; }
wait_for 20 is_sent
wait_for 20 grep -qx 'slurmstepd: error: hello there you' job.out
says "no message" 1 "" "too few arguments for keyword:notify" scontrol notify "$job"
says "no such job" 1 "" "job notify failure: Invalid job id specified" scontrol notify 999 x
says "no job" 1 "" "Invalid job_id x" scontrol notify x y

case_ "its processes"
run scontrol listpids "$job"
is "listed" $rc 0
like "the shell" "$out" 'PID +JOBID +STEPID +LOCALID GLOBALID.*'
pid=$(awk -v job="$job" '$2 == job && $4 == 0 {print $1}' <<<"$out")
is "of the script" "$(tr '\0' ' ' <"/proc/$pid/cmdline" | grep -c job.sh\\\|slurm_script)" 1
run scontrol pidinfo "$pid"
like "whose it is" "$out" "Slurm JobId=$job ends at .*"
says "unknown" 1 "" "Failed to locate job for requested pid" scontrol pidinfo 1
says "no job there" 1 "~" "JobId=999 does not exist on node (null)." scontrol listpids 999

case_ "waiting"
says "it runs" 0 "" "scontrol: Nodes are ready for job $job" scontrol wait_job "$job"
held=$(sbatch -H --parsable job.sh)
says "it waits" 1 "" "scontrol: Job $held no longer running" scontrol wait_job "$held"
says "a message to it" 1 "" "job notify failure: Job is not running" scontrol notify "$held" x
says "no such job" 1 "" "scontrol: Problem running job 999" scontrol wait_job 999
touch go
wait_end "$job"
says "it is over" 1 "" "job notify failure: Job/step already completing or completed" scontrol notify "$job" x
says "no processes" 1 "PID      JOBID    STEPID   LOCALID GLOBALID" "No job steps exist on this node." scontrol listpids

case_ "what there is none of"
says "federation" 0 "" "" scontrol show federation
says "burst buffers" 0 "" "" scontrol show burstbuffer
says "topology" 0 "" "scontrol: error: No topology information available" scontrol show topology
says "completing" 0 "" "" scontrol completing
says "reboot" 1 "" "scontrol: error: RebootProgram isn't defined
scontrol_reboot_nodes error: Unspecified error" scontrol reboot n1

case_ "slips"
says "show" 1 "" "too few arguments for keyword:show" scontrol show
says "show too much" 1 "" "too many arguments for keyword:show" scontrol show job 1 2
says "update" 1 "" "too few arguments for update keyword" scontrol update
says "requeuehold" 1 "" "too few arguments for keyword:requeuehold" scontrol requeuehold
says "version" 1 "" "too many arguments for version keyword" scontrol version x
says "create" 1 "" "too few arguments for create keyword" scontrol create
says "delete" 1 "" "Invalid deletion entity: jobid=9" scontrol delete jobid=9
says "partition" 1 "" "slurm_update error: Invalid partition name specified" scontrol update PartitionName=none State=UP
says "partition delete" 1 "" "delete_partition partition=none: Invalid partition name specified" scontrol delete partition=none
says "step" 1 "" "slurm_update error: Invalid job id specified" scontrol update StepId=999.0 TimeLimit=1
says "job" 1 "" "scontrol_print_job error: Invalid job id specified" scontrol show job nonsense
says "no such name" 0 "" "" scontrol hold jobname=none
says "reservation" 1 "" "delete_reservation ReservationName=none: Requested reservation is invalid" scontrol delete ReservationName=none
says "reservation's user" 1 "" "Error creating the reservation: Invalid user id" \
    scontrol create reservation StartTime=now Duration=10 Nodes=ALL Users=nosuchuser
says "reservation's users, of several" 1 "" "Error creating the reservation: Invalid user id" \
    scontrol create reservation StartTime=now Duration=10 Nodes=ALL Users="$(id -un),nosuchuser"
says "reservation's length" 1 "" "scontrol: error: An end time or duration must be given.  No reservation created." \
    scontrol create reservation StartTime=now Nodes=ALL Users="$(id -un)"
says "reservation's key" 1 "" "scontrol: error: Unknown parameter Nonsense=1.  No reservation created." \
    scontrol create reservation StartTime=now Duration=10 Nodes=ALL Nonsense=1
