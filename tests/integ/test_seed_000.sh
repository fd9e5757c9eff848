#!/usr/bin/env bash
# "Anatomy of a job": steps one after the other, tasks of a step placed one by one as resources allow. Eight one-GPU tasks on four
# GPUs: never more than four at once, no GPU twice, and the third step after the last of them.
# test-user
. stoker.sh
command -v python3 >/dev/null || skip "no python3"

# What each task writes, with the clock all of them share: "+ NAME GPU TIME" when it begins, "- ..." when it ends.
cat >task <<'E'
#!/usr/bin/env python3
import os, random, sys, time
def note(sign):
    line = f"{sign} {sys.argv[1]} {os.environ['CUDA_VISIBLE_DEVICES'] or 'none'} {time.monotonic():.6f}\n"
    fd = os.open("ledger", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.write(fd, line.encode())
    os.close(fd)
note("+")
end = time.monotonic() + 250
while len(sys.argv) > 2 and not os.path.exists(sys.argv[2]) and time.monotonic() < end:
    time.sleep(0.01)
time.sleep(random.random() / 20)
note("-")
E
chmod +x task

# Reads a ledger of such lines: no GPU used twice at once, at most $2 tasks at once.
cat >check <<'E'
import sys
rows = sorted((l.split() for l in open(sys.argv[1])), key=lambda r: float(r[3]))
busy, most = {}, 0
for sign, name, gpu, t in rows:
    if sign == "+":
        for g in gpu.split(",") if gpu != "none" else []:
            if g in busy:
                sys.exit(f"GPU {g} used by {busy[g]} and {name} at {t}")
            busy[g] = name
    else:
        for g in gpu.split(",") if gpu != "none" else []:
            if busy.pop(g, None) != name:
                sys.exit(f"GPU {g} was not {name}'s at {t}")
    most = max(most, len(set(busy.values())))
print(most)
if most > int(sys.argv[2]):
    sys.exit(f"{most} tasks at once")
E

cluster_start

case_ "prepare, eight tasks, collect"
cat >sweep.job <<'E'
name = "sweep";
time = "10:00";
steps = (
  { name = "prepare"; command = "./task prepare"; },
  { name = "train"; tasks = 8; gpus = 1; command = "./task train-$STOKER_TASK_ID go"; },
  { name = "collect"; command = "./task collect; sort ledger >result"; }
);
E
must stoker submit sweep.job
job=$out
like "the id" "$job" '[0-9]+'
running_trains() { [ "$(grep -c '^+ train' ledger 2>/dev/null)" -eq "$1" ]; }
wait_for 15 running_trains 4
is "the state while four run and four wait" "$(job_state $job)" RUNNING
# Nothing may start in this moment either: the fifth needs one of the four to end.
is "no more than four" "$(grep -c '^+ train' ledger)" 4
is "prepare has ended before" "$(head -n 2 ledger | cut -d' ' -f1,2 | tr '\n' ' ')" "+ prepare - prepare "
hasnt "collect waits" "$(cat ledger)" collect
must stoker show --json "$job"
is "tasks by state" "$(python3 - "$out" <<'E'
import json, sys, collections
d = json.loads(sys.argv[1])

step = [s for s in d["steps"] if s["name"] == "train"][0]
c = collections.Counter(t["state"].lower() for t in step["tasks"])
print(c["running"], c["waiting"])
E
)" "4 4"
touch go
wait_end $job
is state "$state" COMPLETED
must python3 check ledger 4
is "as many at once as there are GPUs" "$out" 4
is "all eight ran once" "$(grep '^+ train' ledger | cut -d' ' -f2 | sort | tr '\n' ' ')" \
    "train-0 train-1 train-2 train-3 train-4 train-5 train-6 train-7 "
is "collect began after all eight had ended" "$(sed -n '/+ collect/,$p' ledger | cut -d' ' -f1,2 | tr '\n' ' ')" \
    "+ collect - collect "
is "nothing is held afterwards" "$(sinfo -h -o '%T %C')" "idle 0/8/0/8"

case_ "a failed task ends the job: the next step never runs, what waited neither"
rm -f ledger
cat >fails.job <<'E'
name = "fails";
steps = (
  { name = "many"; tasks = 8; gpus = 2; command = "test $STOKER_TASK_ID != 1 || { ./task many-1; exit 7; }; ./task many-$STOKER_TASK_ID never"; },
  { name = "after"; command = "touch after-ran"; }
);
E
must stoker submit fails.job
job=$out
wait_end $job
is state "$state" FAILED
is "exit code" "$(job_field $job ExitCode)" 7:0
[ ! -e after-ran ] || fail "the step after the failed one ran"
must python3 check ledger 2
[ "$(grep -c '^+' ledger)" -lt 8 ] || fail "tasks that waited were started after the failure"

case_ 'on_failure = "continue" goes on'
rm -f ledger
cat >goes-on.job <<'E'
name = "goes-on";
steps = (
  { name = "many"; tasks = 4; gpus = 1; on_failure = "continue"; command = "./task many-$STOKER_TASK_ID; test $STOKER_TASK_ID != 1 || exit 7"; },
  { name = "after"; command = "touch after-ran"; }
);
E
must stoker submit goes-on.job
job=$out
wait_end $job
[ -e after-ran ] || fail "the step after the failed one did not run"
is "all four ran" "$(grep -c '^+' ledger)" 4

case_ "a second job's tasks use what the first leaves free"
rm -f ledger go
cat >wide.job <<'E'
steps = ( { name = "w"; tasks = 3; gpus = 1; command = "./task wide-$STOKER_TASK_ID go"; } );
E
must stoker submit wide.job
wide=$out
must stoker submit wide.job
second=$out
running_wides() { [ "$(grep -c '^+ wide' ledger 2>/dev/null)" -eq "$1" ]; }
wait_for 15 running_wides 4
touch go
wait_end $wide
is state "$state" COMPLETED
wait_end $second
is state "$state" COMPLETED
is "all six ran" "$(grep -c '^+ wide' ledger)" 6
is "as many at once as there are GPUs" "$(sed 's/ wide-\(.\) \(.\)/ wide-\1-\2 \2/' ledger >l2 && python3 check l2 4)" 4

case_ "the output of each task lies in a file of its own"
cat >out.job <<'E'
name = "out";
steps = ( { name = "o"; tasks = 2; command = "echo I am $STOKER_TASK_ID of $STOKER_STEP_ID in $STOKER_JOB_ID"; } );
E
must stoker submit out.job
job=$out
wait_end $job
for t in 0 1; do says "output of task $t" 0 "I am $t of 0 in $job" "" stoker output "$job.0.$t"; done

cluster_stop
