#!/usr/bin/env bash
# What a new user meets: queries start no cluster and say what was searched; submissions start one and name it; make run opens
# the screens with sample jobs.
# test-user
. stoker.sh
unset STOKER_SOCKET
samples=$ROOT/docs/examples/run-samples.sh
nothing_runs() { [ ! -S "$STOKER_HOME/run/controller.sock" ]; }

case_ "queries start nothing"
searched="no controller runs here (no answer at $STOKER_HOME/run/controller.sock); start it: stoker up"
for cmd in "stoker" "stoker jobs" "stoker why 1" "stoker show 1" "stoker nodes"; do
    # shellcheck disable=SC2086
    run $cmd
    is "status of $cmd" $rc 5
    is "output of $cmd" "$out" ""
    has "$cmd" "$err" "$searched"
    nothing_runs || fail "$cmd starts a controller"
done
says squeue 1 "" "slurm_load_jobs error: Unable to contact slurm controller (connect failure)" squeue
says sinfo 1 "" "slurm_load_partitions: Unable to contact slurm controller (connect failure)" sinfo
must terminal.py -- bash -c 'squeue; true'
has "squeue on a terminal" "$out" "start it: stoker up"
nothing_runs || fail "squeue starts a controller"

case_ "the screens start nothing, but for a key"
must terminal.py size:30x120 "expect:or press b" type:q -- stoker
nothing_runs || fail "the screens start a controller"
must terminal.py size:30x120 "expect:or press b" type:b expect:live type:q -- stoker
nothing_runs && fail "the key does not start a controller"
must stoker down

case_ "a submission starts one and names it"
says "a submission" 0 1 "stoker: started a cluster of your own on this machine ($STOKER_HOME); stoker down stops it" \
    sbatch --parsable --wrap true
says "the next one" 0 2 "" sbatch --parsable --wrap true
must stoker down --kill-jobs
rm -rf "${STOKER_HOME:?}"/*

case_ "make run: the screens with sample jobs"
must terminal.py size:40x140 "expect:X cancels them" expect:sweep expect:report type:X \
    "expect:sample jobs are being cancelled" type:q -- "$samples" --screen
all_ended() { [ -z "$(squeue -h)" ]; }
wait_for 60 all_ended
has "the samples" "$(squeue -h -t all -o '%j %T')" "report CANCELLED"
for f in array.bash sweep.job; do
    like "a task of $f takes a minute" "$(grep -o -e '--epochs=12 --seconds=60 ' "$STOKER_HOME/samples/$f")" "--epochs=12 --seconds=60 "
done
must stoker down --kill-jobs

case_ "make run again, with jobs in the queue: no more samples"
must stoker up
must sbatch --parsable --hold --wrap true
must terminal.py size:40x140 expect:live type:q -- "$samples" --screen
is "jobs" "$(squeue -h | wc -l)" 1
must stoker down --kill-jobs
