#!/usr/bin/env bash
# What runs over a Slurm: steps, devices, outputs of steps; shares and priorities; windows. Scripts stand in for Slurm's commands. test-user
. stoker.sh

stoker() { env -u STOKER_HOME "$B/bin/stoker" "$@"; }
export XDG_RUNTIME_DIR=$WORK/run STOKER_SLURM_IDLE_MS=300 USER=ann
fake=$WORK/slurm calls=$WORK/calls
mkdir -p "$fake" "$XDG_RUNTIME_DIR"
chmod 700 "$XDG_RUNTIME_DIR"
fixtures=$ROOT/tests/slurm/fixtures/22.05.8
: >"$calls"

cat >"$fake/command" <<FAKE
#!/bin/bash
name=\${0##*/}
echo "\$name \$*" >>"$calls"
for a; do case \$a in JobID:* | StepID:*) format=\$a ;; esac; done
word=\${format#*:} word=\${word%%,*}
case "\$name \$*" in
"squeue --noheader --steps --jobs 2 "*) printf '2.batch%s1795438803%s1%sn5%sbatch%s\n2.0%s1795438803%s8%sn[5-6]%strain\n9.9 forged%s\n' \
    "\$word" "\$word" "\$word" "\$word" "\$word" "\$word" "\$word" "\$word" "\$word" "\$word" ;;
*" -j "* | *--steps*) exit 0 ;;
squeue*) sed "s/\$(<"$fixtures/word")/\$word/g; s/\${word}0\${word}root\$word/\${word}$(id -u)\${word}ann\$word/" "$fixtures/squeue" ;;
"scontrol --details --oneliner show job 2") cat "$WORK/details" ;;
"scontrol create reservation "*Comment*) echo "Unknown parameter Comment=why.  No reservation created." >&2; exit 1 ;;
"scontrol create reservation "*) echo 'ReservationName=maint StartTime=1999999000 EndTime=1999999900 Nodes=n1 Users=root Flags=MAINT State=INACTIVE' >"$WORK/windows"
    echo "Reservation created: maint" ;;
"scontrol delete "*) echo "No reservations in the system" >"$WORK/windows" ;;
sshare*) cat "$WORK/shares" ;;
sacctmgr*withassoc*) echo 'vision|vision|normal,long'; touch "$WORK/asked" ;;
sdiag*) echo 'Server thread count:  60' ;;
sprio*) echo "13|ann|main|37|0|0|37|0|0|0|0||0.0|0.0|0.03|0.0|0.0" ;;
*node) cat "$fixtures/node" ;;
*partition) cat "$fixtures/partition" ;;
*config) sed "s/^SlurmUser .*/SlurmUser               = me($(id -u))/" "$fixtures/config" ;;
*reservation) cat "$WORK/windows" ;;
"sattach --quiet 2.0") echo "epoch 1"; echo "a warning" >&2; exec tail -f /dev/null ;;
"sattach "*) echo "sattach: error: Could not get job step info: Invalid job id specified" >&2; exit 1 ;;
esac
FAKE
chmod +x "$fake/command"
for name in squeue scontrol scancel sbatch sattach sshare sprio sdiag sacctmgr; do ln -s command "$fake/$name"; done
server_is_gone() { ! pgrep -u "$(id -u)" -f "^stoker-slurm $XDG_RUNTIME_DIR" >/dev/null; }
export PATH=$PATH:$fake # behind Stoker's own
echo 'JobId=2 JobName=two nodes UserId=ann(1) JOB_GRES=gpu:4   Nodes=n[5-6] CPU_IDs=1-5 Mem=0 GRES=gpu:2(IDX:2-3) MinCPUsNode=1' >"$WORK/details"

echo "No reservations in the system" >"$WORK/windows"
cp "$ROOT/tests/slurm/fixtures/constructed/sshare" "$WORK/shares"

case_ "steps and devices of a running job"
must stoker show 2
has "the steps" "$out" "train"
has "the batch step" "$out" "n5 cpus 1-5"
hasnt "a step whose name forges a row" "$out" $'\n9.9'
: >"$calls"
must stoker show 2
hasnt "devices of a run do not change" "$(cat "$calls")" "show job"
must stoker slurm status
has "what it has cost" "$out" "squeue --steps"

case_ "the output of a running step comes by sattach"
must stoker output 2.0
has "the output" "$out" "epoch 1"
must stoker output --err 2.0
has "its errors" "$out" "a warning"
is "attached to once" "$(grep -c sattach "$calls")" 1

case_ "operators make and delete windows, in Slurm's words"
must stoker window add --nodes=n1 --start=2033-05-18T03:16 --duration=15 --name=maint
has "the calls" "$(cat "$calls")" "scontrol create reservation ReservationName=maint StartTime=uts19999"
is "its name" "$out" maint
must stoker window list
has "the list, read again at once" "$out" "maint"
must stoker window remove maint
has "the calls" "$(cat "$calls")" "scontrol delete ReservationName=maint"

says "a reason, where Slurm keeps none" 2 "~" "stoker window: error: Unknown parameter Comment=why.  No reservation created." stoker window add --nodes=n1 --duration=15 --name=maint --reason=why

case_ "screens: the usage, and the lists of the form"
screen=$(env -u STOKER_HOME TERM=xterm-256color timeout 30 terminal.py size:40x140 "expect:behind" "await:$WORK/asked" type:7 \
    "expect:vision" type:q type:q -- "$B/bin/stoker") || fail "status $?" "$screen" "$(cat "$calls")"
has "the usage" "$screen" "sound"
has "the usage" "$screen" "19.0"

case_ "nothing is left when the last client has gone"
wait_for 20 server_is_gone
! pgrep -u "$(id -u)" -f "sattach --quiet" >/dev/null || fail "sattach is left"
