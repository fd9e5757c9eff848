#!/usr/bin/env bash
# stoker up and down: idempotent; a second controller is refused; jobs go on over both.
# test-user test-fast
. stoker.sh
cluster_config
script wait.sh <<<'exec 9<> <(:); while [ ! -e go ]; do read -rt 0.05 -u 9; done; echo finished; exit 0'

case_ "up, twice; down, twice"
must stoker up
like "up" "$out" "cluster test: the controller runs \(process [0-9]+ on .*"
pid=$(controller_pid)
must stoker up
like "up again" "$out" "cluster test: the controller runs already \(process $pid on .*"
is "the same process" "$(controller_pid)" "$pid"
says down 0 "the controller has stopped; jobs go on" "" stoker down
wait_for 5 is_dead "$pid" # a zombie until its reaper comes by
says "down again" 0 "no controller runs here" "" stoker down

case_ "four at once start one"
for i in 1 2 3 4; do stoker up >up-$i 2>&1 & done
for i in 1 2 3 4; do wait -n || fail "an up failed" "$(cat up-?)"; done
is "one process" "$(sed -n 's/.*process \([0-9]*\) .*/\1/p' up-? | sort -u | wc -l)" 1
wait_for 15 nodes_up

case_ "a second controller is refused, and says who is there"
run stokerd --foreground
is "status" $rc 3
has "its text" "$err" "another controller runs here (pid $(controller_pid))"

case_ "a job goes on over down and up"
submit wait.sh
long=$job
wait_state $long RUNNING
submit -o /dev/null --wrap 'echo $$ >short-pid; until [ -e short-go ]; do sleep 0.02; done; exit 4'
short=$job
wait_for 10 has_lines short-pid 1
must stoker down
wait_for 10 is_dead "$pid"
touch short-go
wait_for 10 is_dead "$(cat short-pid)"
must stoker up
wait_for 15 nodes_up
wait_end $short
is "one that ended meanwhile: its end is known" "$state $(job_field $short ExitCode)" "FAILED 4:0"
is "one that runs" "$(job_state $long)" RUNNING
touch go
wait_end $long
is "its end" "$state $(cat slurm-$long.out)" "COMPLETED finished"
is "the next id" "$(sbatch --parsable --wrap true)" $((short + 1))

case_ "an answer while it is away"
must stoker down
says squeue 1 "" "slurm_load_jobs error: Unable to contact slurm controller (connect failure)" squeue

case_ "a broken configuration: refused with file and line, nothing runs"
cp "$STOKER_HOME/stoker.cfg" good.cfg
printf 'cluster = "test";\nnodez = ();\n' >"$STOKER_HOME/stoker.cfg"
run stoker up
[ $rc -ne 0 ] || fail "it starts with a broken configuration"
has "its text" "$err" "stoker.cfg:2"
cp good.cfg "$STOKER_HOME/stoker.cfg"

case_ "reading it again: SIGHUP with a broken one keeps the old, with a good one takes it"
must stoker up
wait_for 15 nodes_up
pid=$(controller_pid)
printf 'cluster = "test";\nnodez = ();\n' >"$STOKER_HOME/stoker.cfg"
kill -HUP "$pid"
wait_for 10 grep -q "configuration refused, the old one is kept: .*stoker.cfg:2" "$STOKER_HOME/log/stokerd.log"
is "the node is there" "$(sinfo -h -N -o %N)" n1
sed 's/gpus = 4/gpus = 2/' good.cfg >"$STOKER_HOME/stoker.cfg"
kill -HUP "$pid"
wait_for 10 grep -q "configuration read again" "$STOKER_HOME/log/stokerd.log"
has_two_gpus() { [ "$(sinfo -h -o %G)" = gpu:2 ]; }
wait_for 10 has_two_gpus
is "the same process" "$(controller_pid)" "$pid"

case_ "directories"
run env STOKER_HOME="$WORK/file/x" sh -c ': >file; stoker up'
[ $rc -ne 0 ] || fail "it starts below a file"
has "its text" "$err" "file/x"
deep=$WORK/$(printf 'deep-directory-name/%.0s' {1..8})
mkdir -p "$deep"
must env STOKER_HOME="$deep" stoker up
says "a path longer than sockets' names may be" 0 "no jobs" "" env STOKER_HOME="$deep" sh -c 'squeue -h | grep . || echo no jobs'
must env STOKER_HOME="$deep" stoker down --kill-jobs

cluster_stop
says "nothing there" 0 "no controller runs here" "" stoker down
