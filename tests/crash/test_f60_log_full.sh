#!/usr/bin/env bash
# F60: the disk of the logs is full, or the log cannot be opened: the daemons go on. That lines which were lost are counted is in
# tests/unit/os/test_log.c.
. stoker.sh
[ -e /dev/full ] || skip "no /dev/full"
goes_on() {
    wait_for 20 nodes_up
    submit -o "out.$1" --wrap 'echo here; exit 5'
    wait_end "$job"
    is "its end" "$state $(job_field "$job" ExitCode) $(cat "out.$1")" "FAILED 5:0 here"
    run scancel 999999
    must scontrol reconfigure
}
case_ "no line can be written"
cluster_config
mkdir -p "$STOKER_HOME/log"
ln -s /dev/full "$STOKER_HOME/log/agent-n1.log"
stokerd --foreground 2>/dev/full &
goes_on full
must stoker down --kill-jobs
wait_for 20 no_agents
wait

case_ "no log can be opened"
mkdir "$STOKER_HOME/log/stokerd.log"
rm "$STOKER_HOME/log/agent-n1.log"
mkdir "$STOKER_HOME/log/agent-n1.log"
must stoker up
goes_on none
cluster_stop
