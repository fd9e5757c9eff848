#!/usr/bin/env bash
# AiiDA: its squeue line with separators, its detailed job, deletion.
. stoker.sh
EXTRA="accounts = ( { name = \"vision\"; users = ( { name = \"$(id -un)\"; } ); } );" cluster_start

me=$(id -un)
cat >_aiidasubmit.sh <<'S'
#!/bin/bash
#SBATCH --no-requeue
#SBATCH --job-name="aiida-99"
#SBATCH --get-user-env
#SBATCH --output=_scheduler-stdout.txt
#SBATCH --error=_scheduler-stderr.txt
#SBATCH --nodes=1
#SBATCH --ntasks-per-node=2
#SBATCH --time=00:30:00
'srun' '-n' '2' 'hostname'
exec sleep 1000
S
must sbatch _aiidasubmit.sh
[[ $out =~ Submitted\ batch\ job\ ([0-9]+) ]] || fail "no id in \"$out\""
job=${BASH_REMATCH[1]}
wait_state "$job" RUNNING
fields='%i^^^%t^^^%r^^^%B^^^%u^^^%D^^^%C^^^%N^^^%P^^^%l^^^%M^^^%S^^^%j^^^%V'
row=$(SLURM_TIME_FORMAT='standard' squeue --noheader -o "$fields" --user="$me")
is "fields" "$(awk -F'\\^\\^\\^' '{ print NF }' <<<"$row")" 14
like "values" "$row" "$job\^\^\^R\^\^\^None\^\^\^n1\^\^\^$me\^\^\^1\^\^\^2\^\^\^n1\^\^\^main\^\^\^30:00\^\^\^[0-9]:[0-9]{2}\^\^\^[0-9T:-]{19}\^\^\^aiida-99\^\^\^[0-9T:-]{19}"
is "by job" "$(SLURM_TIME_FORMAT='standard' squeue --noheader -o "$fields" --jobs="$job,$job" | cut -d^ -f1)" "$job"
must sacct --format=AllocCPUS,Account,AssocID,AveCPU,AvePages,AveRSS,AveVMSize,Cluster,Comment,CPUTime,DerivedExitCode,Elapsed,Eligible,End,ExitCode,GID,Group,JobID,JobName,MaxRSS,MaxRSSNode,MaxRSSTask,MaxVMSize,MinCPU,MinCPUNode,MinCPUTask,NCPUS,NNodes,NodeList,NTasks,Priority,Partition,QOSRAW,ReqCPUS,Reservation,Start,State,Submit,Suspended,SystemCPU,Timelimit,TotalCPU,UID,User,UserCPU --parsable --jobs="$job"
is "as many values as names" "$(awk -F'|' '{ print NF }' <<<"$out" | sort -u)" 46
must scancel "$job"
says "an unknown job" 1 "" "slurm_load_jobs error: Invalid job id specified" squeue --noheader -o "$fields" --jobs=99999
says "a bad account" 1 "" "~" sbatch --account=no-such-account _aiidasubmit.sh
has "its text" "$err" "Invalid account"
