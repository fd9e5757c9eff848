#!/usr/bin/env bash
# --mail-type: the configured program is told, and nothing waits for it.
# test-user
. stoker.sh
cat >mail.sh <<S
#!/bin/bash
[ "\$1" = -s ] && [ \$# = 3 ] || { echo "arguments: \$*" >>$WORK/mails; exit 1; }
echo "\$3|\$2|\$SLURM_JOB_STATE" >>$WORK/mails
S
chmod +x mail.sh
EXTRA="mail_program = \"$WORK/mail.sh\";" KILL_WAIT=1s cluster_start
me=$(id -un)
echo 'exit 0' | script good.sh
echo 'exit 3' | script bad.sh
mails() { sort mails 2>/dev/null | sed -E 's/[0-9]{2}:[0-9]{2}:[0-9]{2}/T/'; }
told() { [ "$(mails)" = "$1" ]; }
expect() { until_ 60 told "$2" || is "$1" "$(mails)" "$2"; rm -f mails; }

case_ "begin and end"
submit -J "two words" --mail-type=ALL good.sh
wait_end "$job"
expect "both" "$me|Slurm Job_id=$job Name=two words Began, Queued time T|RUNNING
$me|Slurm Job_id=$job Name=two words Ended, Run time T, COMPLETED, ExitCode 0|COMPLETED"

case_ "failures alone, to another user"
submit -J x --mail-type=fail --mail-user=boss@example.org good.sh
wait_end "$job"
submit -J x --mail-type=fail --mail-user=boss@example.org bad.sh
wait_end "$job"
expect "the failure" "boss@example.org|Slurm Job_id=$job Name=x Failed, Run time T, FAILED, ExitCode 3|FAILED"

case_ "an array, as a whole and by element"
submit -a 1-3 -J a --mail-type=END good.sh
expect "once" "$me|Slurm Array Summary Job_id=${job}_* ($job) Name=a Ended, Run time T, COMPLETED, ExitCode [0-0]|COMPLETED"
submit -a 1-3%1 -J a --mail-type=BEGIN good.sh
wait_end "${job}_3"
expect "once too" "$me|Slurm Array Summary Job_id=${job}_* ($job) Name=a Began, Queued time T|RUNNING"
submit -a 0-2%1 -J a --mail-type=FAIL --wrap 'exit $((SLURM_ARRAY_TASK_ID ? 0 : 3))'
expect "one element failed, and not the last" \
    "$me|Slurm Array Summary Job_id=${job}_* ($job) Name=a Failed, Run time T, Mixed, ExitCode [0-3]|COMPLETED"
submit -a 0-2%1 -J a --mail-type=END --wrap 'exit $((SLURM_ARRAY_TASK_ID ? 0 : 3))'
expect "the same told as an end" \
    "$me|Slurm Array Summary Job_id=${job}_* ($job) Name=a Ended, Run time T, Mixed, ExitCode [0-3]|COMPLETED"
submit -a 1-2 -J a --mail-type=END,ARRAY_TASKS good.sh
wait_for 10 has_lines mails 2
has "each" "$(mails)" "Slurm Array Task Job_id=${job}_1 ("

case_ "not a type, not a recipient"
rm -f mails
says "a word" 255 "" "sbatch: error: Invalid --mail-type specification" sbatch --mail-type=SOMETIMES good.sh
submit --mail-type=NONE good.sh
wait_end "$job"
for to in -oops '|touch pwned' /etc/motd +inbox 'a@b c@d' '$(id)@x'; do
    submit --mail-type=END --mail-user="$to" good.sh
    wait_end "$job"
done
submit -J last --mail-type=END good.sh
expect "the last alone" "$me|Slurm Job_id=$job Name=last Ended, Run time T, COMPLETED, ExitCode 0|COMPLETED"

case_ "a program that hangs holds up nothing"
printf '#!/bin/bash\nexec 9<> <(:)\nread -u 9\n' >mail.sh
for _ in 1 2 3 4 5 6; do submit --mail-type=ALL good.sh; done
wait_end "$job"
is "it ended" "$state" COMPLETED
printf '#!/bin/bash\n' >mail.sh
no_mail() { ! pkill -KILL -f "^/bin/bash $WORK/mail.sh"; }
cluster_stop
wait_for 5 no_mail
