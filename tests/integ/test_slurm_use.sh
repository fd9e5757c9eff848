#!/usr/bin/env bash
# What running jobs use over a Slurm (sstat), a test of a suggestion, and the service that shares one poll. Scripts stand in for Slurm's
# commands; sstat's answers are by its manual. test-user
. stoker.sh

stoker() { env -u STOKER_HOME "$B/bin/stoker" "$@"; }
export XDG_RUNTIME_DIR=$WORK/run STOKER_SLURM_IDLE_MS=300 USER=ann TERM=xterm-256color
fake=$WORK/slurm calls=$WORK/calls
mkdir -p "$fake" "$XDG_RUNTIME_DIR" "$WORK/shared"
chmod 700 "$XDG_RUNTIME_DIR"
chmod 755 "$WORK/shared"
fixtures=$ROOT/tests/slurm/fixtures/22.05.8
: >"$calls"

cat >"$fake/command" <<FAKE
#!/bin/bash
name=\${0##*/}
printf '%s %s\n' "\$name" "\${*//\$'\n'/ }" >>"$calls"
for a; do case \$a in JobID:* | StepID:*) format=\$a ;; esac; done
word=\${format#*:} word=\${word%%,*}
case "\$name \$*" in
"squeue --noheader --steps --jobs 2 "*) printf '2.0%s1795438803%s8%sn[5-6]%strain%s\n' "\$word" "\$word" "\$word" "\$word" "\$word" ;;
*" -j "* | *--steps*) exit 0 ;;
squeue*) sed "s/\$(<"$fixtures/word")/\$word/g; s/\${word}0\${word}root\$word/\${word}$(id -u)\${word}ann\$word/" "$fixtures/squeue" ;;
sstat*) n=\$((\$(<"$WORK/cpu") + 30)); echo \$n >"$WORK/cpu"
    printf '2.extern|cpu=00:00:00,mem=1M\n2.0|cpu=00:%02d:%02d,energy=0,mem=51200K\n' \$((n / 60)) \$((n % 60)) ;;
"sbatch --test-only"*) echo "sbatch: Job 7 to start at 2033-01-01T00:00:00 using 4 processors on nodes n[1-2] in partition main" >&2 ;;
srun*) for a; do last=\$a; done; echo "\$last job n5 10.0 11.0 100 2560 4 150 2560 4 100 4096"
    echo "\$last machine n5 100 200 200 300 1.5 8000000 2000000" ;;
*node) cat "$fixtures/node" ;;
*partition) cat "$fixtures/partition" ;;
*config) sed "s/^PrivateData .*/PrivateData             = \$(<"$WORK/private")/; s/^JobAcctGatherType .*/JobAcctGatherType       = jobacct_gather\/\$(<"$WORK/gather")/" \
    "$fixtures/config" ;;
*reservation) echo "No reservations in the system" ;;
esac
FAKE
chmod +x "$fake/command"
for name in squeue scontrol scancel sbatch srun sstat sshare sprio sdiag sacctmgr; do ln -s command "$fake/$name"; done
server_is_gone() { ! pgrep -u "$(id -u)" -f "^stoker-slurm $XDG_RUNTIME_DIR" >/dev/null; }
export PATH=$PATH:$fake # behind Stoker's own
echo 0 >"$WORK/cpu"
echo none >"$WORK/private"
echo linux >"$WORK/gather"
job_page() { # STEP... : on the page of job 2; nothing is remembered of an earlier one
    env -u STOKER_HOME HOME="$(mktemp -d "$WORK/home.XXXXXX")" PATIENCE_S=30 terminal.py size:40x150 "expect:behind" "type:/two nodes\r" "expect:two nodes" "type:\r" "$@" \
        hangup -- "$B/bin/stoker"
}

case_ "what the steps of a running job use, by sstat"
screen=$(job_page "expect:50M") || fail "status $?" "$screen" "$(cat "$calls")"
has "the calls" "$(cat "$calls")" "sstat --noheader --parsable2 --allsteps --format=JobID,TRESUsageInTot --jobs=2"
is "steps before the key" "$(grep -c ^srun "$calls")" 0

case_ "on a key, a step in the job measures it once"
touch_when_measured() {
    wait_for 30 grep -q ^srun "$calls"
    touch "$WORK/measured"
}
touch_when_measured &
watcher=$!
screen=$(job_page "expect:50M" type:m "await:$WORK/measured") || fail "status $?" "$screen" "$(cat "$calls")"
wait $watcher
is "steps" "$(grep -c ^srun "$calls")" 1
has "the step" "$(cat "$calls")" "srun --jobid=2 --overlap --nodes=2 --ntasks=2 --ntasks-per-node=1 --mem=0 --input=none --quiet"

case_ "accounting that gathers nothing is not asked, and the page says so"
wait_for 20 server_is_gone
echo none >"$WORK/gather"
: >"$calls"
screen=$(job_page expect:nothing) || fail "status $?" "$(tail -c 1500 <<<"$screen" | cat -v)"
hasnt "the calls" "$(cat "$calls")" "sstat"

case_ "a suggestion is tested by one call, and only on demand"
wait_for 20 server_is_gone
: >"$calls"
must stoker why 13
hasnt "the calls" "$(cat "$calls")" "sbatch"
must stoker why --test-only 13
has "the answer" "$out" "test: to start at 2033-01-01T00:00:00 using 4 processors on nodes n[1-2] in partition main"
is "calls" "$(grep -c 'sbatch --test-only' "$calls")" 1

case_ "a service of the machine is asked in place of Slurm"
wait_for 20 server_is_gone
export STOKER_SLURM_SHARED=$WORK/shared
env -u STOKER_HOME "$B/bin/stoker-slurm" --host 2>"$WORK/host.err" &
host=$!
is_serving() { [ -n "$(find "$WORK/shared" -type s)" ]; }
wait_for 20 is_serving
: >"$calls"
must stoker jobs -a
has "the list" "$out" "two nodes"
must stoker jobs
must stoker slurm status
has "the status" "$out" "service of this machine"
hasnt "the status" "$out" "not used"
is "lists of jobs that Slurm was asked for" "$(grep -c '^squeue' "$calls")" 1

case_ "it refuses where Slurm hides the jobs of users from one another"
kill $host
wait $host
wait_for 20 server_is_gone
echo "jobs,usage" >"$WORK/private"
env -u STOKER_HOME "$B/bin/stoker-slurm" --host 2>"$WORK/host.err" &
host=$!
wait_for 20 is_serving
: >"$calls"
must stoker jobs -a
has "the list" "$out" "two nodes"
must stoker slurm status
has "the status" "$out" "not used: Slurm hides data of users from one another (PrivateData = jobs,usage)"
has "Slurm is asked by the user" "$(cat "$calls")" "squeue --all"

case_ "a directory that other users can write to is not trusted"
wait_for 20 server_is_gone
chmod 777 "$WORK/shared"
must stoker jobs -a
must stoker slurm status
has "the status" "$out" "other users can write to $WORK/shared"
kill $host
wait $host
is "its socket" "$(find "$WORK/shared" -type s)" ""
wait_for 20 server_is_gone
