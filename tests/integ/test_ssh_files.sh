#!/usr/bin/env bash
# A node that shares no files: working directories are made there, outputs stay there and are fetched, while the job runs, after it has
# ended, from the history, with another agent; as the user, never through links as root.
# test-user
. stoker.sh
. sshd.sh
sshd_start 1
mkdir -p "$STOKER_HOME"
cat >"$STOKER_HOME/stoker.cfg" <<CFG
cluster = "test";
nodes = ( $(ssh_node 1 | sed 's/ }$/ own_files = true; }/') );
kill_wait = "1s";
CFG
must stoker up
wait_for 30 nodes_up

# The machine where people sit: what lies in "there" cannot be seen from it.
mkdir there
as_root=r
[ "$(id -u)" -ne 0 ] || as_root=
if unshare -m$as_root true 2>/dev/null; then here() { unshare -m$as_root sh -c 'mount -t tmpfs none '"$WORK"'/there && exec "$@"' sh "$@"; }
else here() { "$@"; }; fi
says "it is another world" 1 "" "~" here test -e "$WORK/there/x/y"

case_ "the directory is made, the output stays there and is fetched"
submit -D "$WORK/there/made/for/it" --wrap 'pwd; echo to-err >&2; seq 1 200000'
wait_end "$job" 30
is "state" "$state" COMPLETED
[ -s "there/made/for/it/slurm-$job.out" ] || fail "no output there" "$(find there)"
run here stoker output "$job"
is "status" $rc 0
is "first line" "$(head -n 1 <<<"$out")" "$WORK/there/made/for/it"
is "lines" "$(wc -l <<<"$out")" 200002
says "its last lines" 0 $'199999\n200000' "" here stoker output -n 2 "$job"
submit -D "$WORK/there/made" -o o.%j -e e.%N --wrap 'echo for out; echo for err >&2'
wait_end "$job" 30
says "standard error of its own" 0 "for err" "" here stoker output --err "$job"
says "and output" 0 "for out" "" here stoker output "$job"
has "where it is" "$(here stoker show "$job")" "o.$job (on n1)"

case_ "followed while it is written"
submit -D "$WORK/there/live" --wrap 'echo one; until [ -e go ]; do sleep 0.05; done; echo two'
here stoker output -f "$job" >followed 2>followed.err &
pid=$!
wait_for 20 has_lines followed 1
touch there/live/go
wait_for 20 is_dead $pid
is "all of it" "$(cat followed followed.err)" $'one\ntwo'

case_ "the reader, the bridge and link make no other system calls than they need"
if has_filters; then
    filter_of() { awk '$1 == "Seccomp:" { print $2 }' "/proc/$1/status"; }
    readers=$(pgrep -P "$(ssh_agent_pid 1)" -f -- --read-file)
    bridges=$(pgrep -f -- "stoker-agent --bridge .*$(basename "$TMPDIR")")
    links=$(pgrep -P "$(controller_pid)" -f -- "stoker-link serve")
    for pids in "reader $readers" "bridge $bridges" "link $links"; do
        like "there is a ${pids%% *}" "${pids#* }" '[0-9].*'
        for pid in ${pids#* }; do is "filter of a ${pids%% *}" "$(filter_of "$pid")" 2; done
    done
    is "none is left to tasks" "$(srun sed -n 's/^Seccomp:[[:space:]]*//p' /proc/self/status)" "$(filter_of $$)"
fi

case_ "tasks of a step job, each its file"
mkdir -p there/tasks
cat >tasks.job <<J
name = "tasks"; workdir = "$WORK/there/tasks";
steps = ( { name = "a"; command = "echo task \$STOKER_TASK_ID"; tasks = 3; } );
J
must stoker submit tasks.job
tasks=$(grep -o '[0-9]*' <<<"$out" | head -n 1)
wait_end "$tasks" 30
says "one by name" 0 "task 1" "" here stoker output "$tasks.0.1"
says "one by option" 0 "task 2" "" here stoker output --task 2 "$tasks"
says "none such" 3 "" "~" here stoker output --task 9 "$tasks"

case_ "after another agent has taken over, and from the history"
submit -D "$WORK/there/old" --wrap 'echo long ago'
old=$job
wait_end "$old" 30
agent=$(ssh_agent_pid 1)
kill -KILL $agent
wait_for 10 is_dead "$agent"
fetched() { [ "$(here stoker output "$old" 2>/dev/null)" = "long ago" ]; }
wait_for 30 fetched
echo 'min_job_age = "1s";' >>"$STOKER_HOME/stoker.cfg"
must scontrol reconfigure
retired() { ! scontrol show job "$old" >/dev/null 2>&1; }
wait_for 60 retired
says "from the history" 0 "long ago" "" here stoker output "$old"

case_ "what is not there, or no file, is told"
rm "there/old/slurm-$old.out"
says "removed" 1 "" "~" here stoker output "$old"
has "why" "$err" "No such file"
mkdir "there/old/slurm-$old.out"
says "a directory" 1 "" "~" here stoker output "$old"
has "why" "$err" "not a plain file"

if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    case_ "a link to a file of root's: read as the user, so not at all"
    as=(setpriv "--reuid=$(id -u nobody)" "--regid=$(id -g nobody)" --clear-groups --)
    chmod 711 "$TMPDIR" "$WORK" "$STOKER_HOME" "$STOKER_HOME/run"
    chmod 755 there
    mkdir there/theirs
    chown nobody there/theirs
    echo secret >secret
    chmod 600 secret
    run "${as[@]}" sbatch --parsable -D "$WORK/there/theirs" --wrap 'echo mine'
    job=$out
    wait_end "$job" 30
    is "state" "$state" COMPLETED
    says "its owner reads it" 0 mine "" here "${as[@]}" stoker output "$job"
    rm "there/theirs/slurm-$job.out"
    ln -s "$WORK/secret" "there/theirs/slurm-$job.out"
    says "not even for root" 1 "" "~" here stoker output "$job"
    has "why" "$err" "Permission denied"
    submit -D "$WORK/there" --wrap 'echo of root'
    wait_end "$job" 30
    run here "${as[@]}" stoker output "$job"
    is "no user reads another's" "$out" ""
fi

case_ "the node is away: that is said"
sshd_stop 1
bridge_cut 1
away() { ! here stoker output "$tasks.0.1" >/dev/null 2>said && grep -q "n1 does not answer now" said; }
wait_for 30 away
sshd_back 1
wait_for 30 nodes_up
says "and it is there again" 0 "task 1" "" here stoker output "$tasks.0.1"
cluster_stop
