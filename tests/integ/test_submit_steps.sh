#!/usr/bin/env bash
# Steps over several nodes: their output files, where their ranks go, how they wait for one another, what they hold.
. stoker.sh
NODES='n[1-4]' CPUS=4 GPUS=4 cluster_start

in_job() {
    { echo '#!/bin/bash'; cat; } >in_job.sh
    run sbatch -W -o in_job.out "$@" in_job.sh
    out=$(cat in_job.out)
}

case_ "one file for four nodes: all output arrives, what was in it does not stay"
cat >many.sh <<'X'
#!/bin/bash
for i in {1..200}; do printf '%s %03d %s\n' "$SLURM_PROCID" "$i" 0123456789012345678901234567890123456789; done
X
chmod +x many.sh
in_job -N4 -n4 <<'X'
for k in {1..20}; do
    seq 100000 >all.out
    srun -N4 -n4 --output=all.out ./many.sh
    [ "$(wc -l <all.out)" = 800 ] && [ "$(sort -u all.out | wc -l)" = 800 ] || echo "run $k: $(wc -lc <all.out)"
done
X
is "twenty times, in a job" "$out" ""
echo old >all.out
srun -N4 -n4 --output=all.out ./many.sh
is "outside of a job" "$(wc -l <all.out)" 800
srun -N4 -n4 --open-mode=append --output=all.out ./many.sh
is "--open-mode=append" "$(wc -l <all.out)" 1600

case_ "standard error, alone and with standard output"
cat >both.sh <<'X'
#!/bin/bash
for i in {1..100}; do echo "out $SLURM_PROCID $i"; echo "err $SLURM_PROCID $i" >&2; done
X
chmod +x both.sh
echo old | tee err.out both.out rank-0.out rank-3.out >/dev/null
srun -N4 -n4 --output=rank-%t.out --error=err.out ./both.sh
is "a file of all ranks for standard error" "$(grep -c err err.out) $(wc -l <err.out)" "400 400"
is "a file of each rank for standard output" "$(cat rank-?.out | wc -l) $(cat rank-?.out | sort -u | wc -l)" "400 400"
srun -N4 -n8 --output=both.out --error=both.out ./both.sh
is "one file for both" "$(sort -u both.out | wc -l) $(wc -l <both.out)" "1600 1600"
srun -N4 -n8 -l --output=both.out --error=both.out ./both.sh
is "with labels" "$(sort -u both.out | wc -l) $(wc -l <both.out)" "1600 1600"

case_ "a requeued job appends; --open-mode=truncate is kept"
script again.sh <<'X'
echo "run ${SLURM_RESTART_COUNT:-0}"
srun -N2 -n2 -o "step-$1.out" bash -c 'echo "rank $SLURM_PROCID ${SLURM_RESTART_COUNT:-0}"'
[ "${SLURM_RESTART_COUNT:-0}" = 1 ] || { touch "up-$1"; until [ -e go ]; do sleep 0.1; done; }
X
jobs=
for mode in default truncate append; do
    options=
    [ $mode = default ] || options=--open-mode=$mode
    submit -N2 -n2 -o "again-$mode.out" $options again.sh $mode
    jobs+="$job "
done
for mode in default truncate append; do wait_for 20 is_file "up-$mode"; done
for job in $jobs; do must scontrol requeue "$job"; done
for job in $jobs; do wait_end "$job" 60; done
is "default" "$(grep run again-default.out | tr '\n' ' ')" "run 0 run 1 "
is "truncate" "$(grep run again-truncate.out | tr '\n' ' ')" "run 1 "
is "append" "$(grep run again-append.out | tr '\n' ' ')" "run 0 run 1 "
is "its steps" "$(wc -l <step-default.out) $(wc -l <step-truncate.out) $(wc -l <step-append.out)" "4 2 4"

case_ "-m arbitrary: the ranks go where they are asked for"
where() { sort -n | awk '{ print $2 }' | tr '\n' ' '; }
is "-w" "$(srun -l -N3 -n3 -m arbitrary -w n3,n1,n2 printenv SLURMD_NODENAME | where)" "n3 n1 n2 "
is "a node twice" "$(srun -l -m arbitrary -w n3,n1,n3,n3 printenv SLURMD_NODENAME | where)" "n3 n1 n3 n3 "
printf 'n2 # first\n\nn4\nn[2,1]\n' >hosts
is "SLURM_HOSTFILE" "$(SLURM_HOSTFILE=hosts srun -l printenv SLURMD_NODENAME | where)" "n2 n4 n2 n1 "
is "-n takes the first" "$(SLURM_HOSTFILE=hosts srun -l -n2 -m block printenv SLURMD_NODENAME | where)" "n2 n4 "
is "a file for -w" "$(srun -l -m arbitrary -w ./hosts bash -c 'echo $SLURMD_NODENAME:$SLURM_LOCALID:$SLURM_NODEID:$SLURM_NTASKS:$SLURM_DISTRIBUTION' | where)" \
    "n2:0:1:4:arbitrary n4:0:2:4:arbitrary n2:1:1:4:arbitrary n1:0:0:4:arbitrary "
SLURM_HOSTFILE=hosts run srun -n5 true
is "too few names" "$rc ${err%%:*}" "255 srun"
has "too few names" "$err" "Too few NodeNames in Slurm Hostfile"
SLURM_HOSTFILE=nothing run srun true
has "no such file" "$err" "SLURM_HOSTFILE: nothing: No such file or directory"
run srun -n2 -m arbitrary true
has "no names" "$err" "no nodes are named"
in_job -N3 -n6 <<'X'
first=$(scontrol show hostnames | head -n 1) last=$(scontrol show hostnames | tail -n 1)
srun -l -m arbitrary -w "$last,$first,$last" bash -c '[ $SLURMD_NODENAME = '$first' ] && echo first || echo last' | sort
srun -m arbitrary -w n9 true; echo "status $?"
X
is "in a job" "$(grep : <<<"$out" | grep -v srun)" $'0: last\n1: first\n2: last'
has "a node that is not the job's" "$out" "status 1"

case_ "-W: the first rank that ends gives the others so long"
run bash -c 'srun -N1 -n2 -W1 bash -c "[ \$SLURM_PROCID = 1 ] && exit 0; trap : TERM; exec sleep 1000"'
is "on one node" $rc 137
has "on one node" "$err" "srun: First task exited 1s ago"
run bash -c 'srun -N3 -n6 -W1 bash -c "[ \$SLURM_PROCID = 1 ] && exit 0; exec sleep 1000"'
is "on three nodes, one rank of two" $rc 137
run bash -c 'srun -N2 -n2 -W1 bash -c "[ \$SLURM_PROCID = 1 ] && exit 0; exec sleep 1000"'
is "on two nodes, one rank each" $rc 137
has "on two nodes, one rank each" "$err" "srun: First task exited 1s ago"
has "who is left" "$err" "task 0: running"
says "all in time" 0 "" "" srun -N1 -n2 -W60 true

case_ "-O in the job holds for its steps"
is "salloc" "$(salloc -Q -N1 -n10 -O srun bash -c 'echo $SLURM_OVERCOMMIT' | sort | uniq -c | awk '{ print $1, $2 }')" "10 1"
in_job -N1 -n10 -O <<'X'
srun hostname | wc -l
X
is "sbatch" "$out" 10

case_ "-c without -n: as many ranks as the CPUs carry"
is "one CPU each, outside" "$(srun -N1 --exclusive -c1 bash -c 'echo $SLURM_NTASKS' | tr '\n' ' ')" "4 4 4 4 "
is "two CPUs each on two nodes" "$(srun -N2 --exclusive -c2 bash -c 'echo $SLURM_NTASKS' | tr '\n' ' ')" "4 4 4 4 "
is "three CPUs" "$(srun -N1 --exclusive -c3 bash -c 'echo $SLURM_NTASKS')" 1
is "not exclusive" "$(srun -N1 -c2 bash -c 'echo $SLURM_NTASKS')" 1
is "in a job" "$(salloc -Q -N1 -c4 srun -c2 bash -c 'echo $SLURM_NTASKS' | tr '\n' ' ')" "2 2 "
run salloc -Q -N1 -n4 srun -c2 true
has "the job's -n stays" "$err" "More processors requested than permitted"

case_ "SIGINT by kill is as good as a key" # a shell without job control has what it starts in the background ignore it
env --default-signal=INT srun -n2 bash -c 'echo up; exec sleep 1000' >int.out 2>int.err &
pid=$!
wait_for 20 has_lines int.out 2
kill -INT $pid
wait_for 20 grep -q "one more within 1 sec to abort" int.err
kill -INT $pid
wait $pid
is "twice" $? 130
has "twice" "$(cat int.err)" "srun: sending Ctrl-C to StepId="
env --default-signal=INT srun --quit-on-interrupt -n2 bash -c 'echo up; exec sleep 1000' >int.out 2>int.err &
pid=$!
wait_for 20 has_lines int.out 2
kill -INT $pid
wait $pid
is "--quit-on-interrupt: once" $? 130

case_ "no GPU is in two steps"
cat >hold.sh <<'X'
#!/bin/bash
echo "$CUDA_VISIBLE_DEVICES" >"holds-$1"
until [ -e "end-$1" ]; do sleep 0.05; done
X
chmod +x hold.sh
in_job -N1 -n4 --gres=gpu:4 <<'X'
waits() { grep -qs retrying "$1.err"; }
step() { # NAME OPTIONS...
    local name=$1
    shift
    srun -n1 "$@" ./hold.sh "$name" 2>"$name.err" &
}
up() { until [ -s "holds-$1" ]; do sleep 0.05; done; echo "$1: $(cat "holds-$1")"; }
told() { until grep -qs retrying "$1.err"; do sleep 0.05; done; [ ! -e "holds-$1" ] && echo "$1 waits"; }
step one --exclusive --gres=gpu:1; up one
step three --exact --gres=gpu:3; up three
step all --exclusive; told all
step none --exclusive --gres=none; up none
step over --overlap; up over
step named --overlap --gres=gpu:1; up named
touch end-one end-three; up all
step plain; told plain
step zero --gres=gpu:0; up zero
touch end-all; up plain
touch end-none end-over end-named end-plain end-zero
wait
X
is "who holds what" "$out" "one: 0
three: 1,2,3
all waits
none: 
over: 0,1,2,3
named: 0
all: 0,1,2,3
plain waits
zero: 
plain: 0,1,2,3"
