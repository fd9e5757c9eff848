#!/usr/bin/env bash
# F31, F32, F33: what cannot be started, in a directory that is not there, with output that cannot be written. The end is a failure
# to launch with its cause, not an exit code of something that never ran; nothing is held afterwards.
# test-user test-fast
. stoker.sh
command -v python3 >/dev/null || skip "no python3"
cluster_start
end_of() {
    stoker show --json "$1" | python3 -c 'import json, sys
t = json.load(sys.stdin)["steps"][0]["tasks"][0]
print(t["end_kind"] + " | " + t["message"])'
}
# fails_to_launch WHAT PART: job $job ended so, PART in its message
fails_to_launch() {
    wait_end $job
    is "$1: state" "$state $(job_reason $job)" "FAILED JobLaunchFailure"
    like "$1: its end" "$(end_of $job)" "could not be started.*$2.*|.*launch.*$2.*"
}

case_ "programs"
printf '#!/no/such/interpreter\necho ran >ran\n' >nointerp.sh
submit -o /dev/null nointerp.sh
fails_to_launch "a missing interpreter" "No such file or directory"
printf '#!%s\necho ran >ran\n' "$WORK" >dirinterp.sh
submit -o /dev/null dirinterp.sh
fails_to_launch "a directory as interpreter" "Permission denied"
printf 'not a program' >noexec
must stoker submit -o /dev/null -- ./noexec
job=$out
wait_end $job
[ "$state" != COMPLETED ] || fail "a file that may not be executed was"
chmod +x noexec
script steps.sh <<'E'
srun ./noexec; echo "noexec $?"
srun ./missing; echo "missing $?"
srun "$PWD"; echo "directory $?"
E
submit -o steps.out steps.sh
wait_end $job
has "srun of a missing program" "$(cat steps.out)" "missing 2"
has "srun of a directory" "$(cat steps.out)" "directory 13"
hasnt "srun of a file that is not a program" "$(cat steps.out)" "noexec 0"

case_ "working directories"
submit -o /dev/null -D "$WORK/gone" --wrap 'touch ran'
fails_to_launch "never there" "No such file or directory"
mkdir soon
submit -H -o /dev/null -D "$WORK/soon" --wrap 'touch ran'
rmdir soon
must scontrol release $job
fails_to_launch "removed before the start" "No such file or directory"
touch file
submit -o /dev/null -D "$WORK/file" --wrap 'touch ran'
fails_to_launch "a file" "Not a directory"

case_ "output"
submit -o "$WORK" --wrap 'touch ran'
fails_to_launch "a directory" "Is a directory"
is "its exit code" "$(job_field $job ExitCode)" 0:53
submit -o "file/out" --wrap 'touch ran'
fails_to_launch "below a file" "Not a directory"
submit -i missing -o /dev/null --wrap 'touch ran'
fails_to_launch "missing input" "No such file or directory"
mkfifo fifo
submit -o fifo --wrap 'touch ran'
wait_end $job
is "a pipe without a reader" "$state" FAILED
ln -s loop1 loop2
ln -s loop2 loop1
submit -o loop1 --wrap 'touch ran'
fails_to_launch "links in a circle" "symbolic link"

[ ! -e ran ] || fail "one of them ran"
is "nothing is held" "$(sinfo -h -o '%T %C')" "idle 0/8/0/8"

case_ "the agent's program is gone for a while: the job waits for its node, then runs"
cluster_stop
CPUS=4 cluster_config
mkdir bin
for p in stoker stokerd stoker-shim; do cp "$B/bin/$p" bin/; done
PATH=$WORK/bin:/usr/bin:/bin must stoker up
PATH=$WORK/bin:$PATH
run sbatch --parsable -o /dev/null --wrap 'exit 0'
job=$out
is "accepted" $rc 0
wait_for 5 grep -q "cannot start .*stoker-agent" "$STOKER_HOME/log/stokerd.log"
is "it waits" "$(job_state $job)" PENDING
cp "$B/bin/stoker-agent" bin/
wait_end $job 30
is "then it runs" "$state" COMPLETED
cluster_stop
