#!/usr/bin/env bash
# F01, F02, F03: the controller dies at each named point around a commit, at its first, second, third ... time, with one job on its
# way. After a restart: an acknowledged job is there and runs exactly once; one that was not acknowledged runs at most once.
# test-timeout: 600 test-disk
# test-user
. stoker.sh
cluster_config
script job.sh <<'E'
echo "$SLURM_JOB_ID ${SLURM_RESTART_COUNT:-0}" >>ledger
srun sh -c 'echo "$SLURM_JOB_ID.$SLURM_STEP_ID" >>ledger'
E

nothing_left() { local queue; queue=$(squeue -h) && [ -z "$queue" ]; }
declare -A died=()

# The first turns of a controller commit its epoch and its node; the job's submission, start, step and ends come after them.
for point in before_commit after_commit after_reply after_launch; do
    for n in 1 2 3 4 5 6 8 10; do
        case_ "$point:$n"
        rm -f ledger
        STOKER_CRASH=$point:$n stoker up >/dev/null 2>&1
        pid=$(controller_pid)
        run timeout 60 sbatch --parsable -o /dev/null job.sh &
        sbatch_pid=$!
        # What it takes for this point to come: the job may be over before the tenth commit
        gone_or_done() { is_dead "$pid" || { is_dead $sbatch_pid && nothing_left 2>/dev/null; }; }
        wait_for 15 gone_or_done
        is_dead "$pid" && died[$point]=$((${died[$point]:-0} + 1))
        must stoker up
        wait_for 15 nodes_up
        wait $sbatch_pid
        wait_for 20 nothing_left
        id=$(tail -n 1 ledger 2>/dev/null | cut -d. -f1)
        if [ -n "$id" ]; then
            is "its runs" "$(cat ledger)" "$id 0
$id.0"
            is "its state" "$(job_state "$id")" COMPLETED
        fi
        must stoker down
    done
done
# One submission, and of the rest as many commits as the machine makes of it: a slow one puts more into each.
at_least "lives that ended before_commit" "${died[before_commit]-0}" 1
for point in after_commit after_reply after_launch; do at_least "lives that ended $point" "${died[$point]-0}" 3; done
must stoker up
is "no id twice" "$(squeue -h -t all -o %i | sort | uniq -d)" ""
is "every job there is has ended well" "$(squeue -h -t all -o %T | sort -u)" COMPLETED
cluster_stop
