#!/usr/bin/env bash
# stoker up --in-allocation: a cluster of one's own inside a job of Slurm, whose srun and scontrol are stood in for.
# test-user
. stoker.sh

fake=$WORK/slurm calls=$WORK/calls
echo RUNNING >"$WORK/state"
mkdir "$fake"
end=$(($(date +%s) + 7200))
cat >"$fake/scontrol" <<FAKE
#!/bin/bash
echo "scontrol \$*" >>"$calls"
[ ! -e "$WORK/broken" ] || { echo "slurm_load_jobs error: Invalid job id specified" >&2; exit 1; }
case "\$*" in
*"show job 77") read -r state <"$WORK/state"; echo "JobId=77 JobName=a Nodes=x JobState=\$state UserId=ann(1000) EndTime=$end NodeList=n[1-2] NumNodes=2 JOB_GRES=gpu:2 Nodes=n1 CPU_IDs=0-3 Mem=4000 GRES=gpu:a100:2(IDX:2,3) Nodes=n2 CPU_IDs=4-5 Mem=0 GRES= MinCPUsNode=1" ;;
*"show node n2") echo "NodeName=n2 CPUTot=8 RealMemory=16000 State=ALLOCATED" ;;
*) exit 1 ;;
esac
FAKE
cat >"$fake/srun" <<FAKE
#!/bin/bash
echo "srun \$*" >>"$calls"
echo "motd of a task prolog"
while [[ \$1 == --* ]]; do
    case \$1 in --gres=gpu:*) export CUDA_VISIBLE_DEVICES=2,3 ;; --gres=none) unset CUDA_VISIBLE_DEVICES ;; esac
    shift
done
[ ! -e "$WORK/no_srun" ] || { echo "srun: error: Unable to create step for job 77: Access/permission denied" >&2; exit 1; }
exec "\$@"
FAKE
printf '#!/bin/bash\nexit 1\n' >"$fake/squeue"
chmod +x "$fake"/*
export PATH=$fake:$PATH
stoker() { "$B/bin/stoker" "$@"; }
sbatch() { "$B/bin/sbatch" "$@"; }
squeue() { "$B/bin/squeue" "$@"; }
scancel() { "$B/bin/scancel" "$@"; }
scontrol() { "$B/bin/scontrol" "$@"; }
servers() { pgrep -f -- "^stoker-slurm --allocation 77 $STOKER_HOME"; }
no_servers() { [ -z "$(servers)" ]; }
count() { grep -c "$1" "$calls"; }

case_ "outside of an allocation, and where Slurm refuses"
run stoker up --in-allocation
[ $rc -eq 2 ] || fail "status $rc"
has "the text" "$err" "this is not the inside of a job of Slurm"
export SLURM_JOB_ID=77 SLURM_JOBID=77 SLURM_JOB_NODELIST='n[1-2]' SLURM_NTASKS=2 SLURM_TOPOLOGY_ADDR=n1 SLURM_CONF=/etc/slurm.conf
touch "$WORK/broken"
run stoker up --in-allocation
[ $rc -eq 5 ] || fail "status $rc"
has "the text" "$err" "Invalid job id specified"
rm "$WORK/broken"
touch "$WORK/no_srun"
run stoker up --in-allocation
[ $rc -eq 5 ] || fail "status $rc"
has "the text" "$err" "Unable to create step for job 77"
rm "$WORK/no_srun"
wait_for 20 no_servers

case_ "a cluster of the allocation's nodes"
: >"$calls"
must stoker up --in-allocation
is "what the shell is told" "$out" "export STOKER_HOME=$STOKER_HOME"
is "the directory" "$(stat -c %a "$STOKER_HOME/run")" 700
wait_for 30 nodes_up
is "the nodes" "$("$B/bin/sinfo" -h -N -o "%N %c %m %G" | sort -u)" $'n1 4 4000 gpu:a100:2\nn2 2 16000 (null)'
is "one agent for each node" "$(count '^srun .* sh /')" 2
like "the node of a step" "$(grep -c -- '--nodelist=n2 .*--cpus-per-task=2' "$calls")" 1
has "the window" "$(stoker window)" "allocation"

case_ "many tasks, and no further step of Slurm"
steps=$(count '^srun')
submit --array=0-199 --time=1 --mem=10 --output=/dev/null --wrap true
all_ended() { [ -z "$(squeue -h -j "$job" 2>/dev/null)" ]; }
wait_for 120 all_ended
is "ended well" "$("$B/bin/sacct" -X -n -P -o State -j "$job" | sort | uniq -c | awk '{print $1, $2}')" "200 COMPLETED"
is "steps of Slurm" "$(count '^srun')" "$steps"

case_ "jobs have the environment of Stoker's job, and the GPUs of the allocation"
submit --time=1 --mem=10 --gres=gpu:1 -o "$WORK/env.out" --wrap 'env | sort; srun -n1 true && echo "step done"'
wait_end "$job"
is "the state" "$state" COMPLETED
env=$(cat "$WORK/env.out")
has "the environment" "$env" "SLURM_JOB_ID=$job"
has "the environment" "$env" "CUDA_VISIBLE_DEVICES=2"
has "the environment" "$env" "SLURM_CONF=/etc/slurm.conf"
is "what the environment has of Slurm's job" "$(grep -x '[^=]*=77' <<<"$env")" ""
hasnt "the environment" "$env" "SLURM_TOPOLOGY_ADDR"

case_ "nothing is started that cannot end before the allocation does"
submit --time=1:50:00 --mem=10 --wrap "exec sleep 600"
fits=$job
submit --time=2:10:00 --mem=10 --wrap true
long=$job
wait_state "$fits" RUNNING
is_state "$long" PENDING || fail "it was started"
must stoker why "$long"
has "the cause" "$out" "allocation"
submit --mem=10 --wrap "exec sleep 600"
wait_state "$job" RUNNING
like "the limit of a job without one" "$(squeue -h -o %l -j "$job")" '(11|12):[0-9]+'

case_ "the controller is killed: agents and tasks go on"
controller_kill9
must stoker up --in-allocation
wait_for 30 nodes_up
is_state "$fits" RUNNING || fail "the job did not survive"
is "one agent for each node" "$(count '^srun .* sh /')" 2

case_ "it ends by itself with its agents"
must stoker down --kill-jobs
wait_for 30 no_servers
wait_for 10 no_shims
srun_agents() { pgrep -f -- "stoker-agent --node=n[12] --dir=$STOKER_HOME"; }
no_srun_agents() { [ -z "$(srun_agents)" ]; }
wait_for 10 no_srun_agents

case_ "and with the allocation, also where Slurm's end does not reach the controller"
must stoker up --in-allocation
wait_for 30 nodes_up
pid=$(controller_pid)
echo COMPLETED >"$WORK/state"
for agent in $(srun_agents); do kill "$agent"; done
wait_for 30 is_dead "$pid"
wait_for 30 no_servers
