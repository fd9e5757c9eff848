#!/usr/bin/env bash
# The scripts of the documents the project comes from, as they stand there; what they call (python, script) is made here.
. stoker.sh
CPUS=24 MEMORY=128G GPUS=4 cluster_start

mkdir bin
cat >bin/python <<'X'
#!/bin/sh
exec sh "$@"
X
cat >script <<'X'
echo "$* on GPU $CUDA_VISIBLE_DEVICES as ${SLURM_PROCID} of ${SLURM_NTASKS}"
X
cp script train.py
chmod +x bin/python
export PATH=$WORK/bin:$PATH

case_ "a GPU for a script with srun in it"
script job.bash <<'X'

#SBATCH --gres=gpu:1

module load python/3.10

srun python train.py
X
must sbatch -W job.bash
job=${out##* }
has "output" "$(cat "slurm-$job.out")" "on GPU 0 as 0 of 1"

case_ "two processes share a GPU"
script share.sh <<'X'
#SBATCH --ntasks-per-node=2
#SBATCH --output=myjob_output_wrapper.out
#SBATCH --ntasks=2
#SBATCH --gres=gpu:1
#SBATCH --cpus-per-task=4
#SBATCH --mem=18G
srun -l --output=myjob_output_%t.out python script args
X
must sbatch -W share.sh
is "task 0" "$(cat myjob_output_0.out)" "0: args on GPU 0 as 0 of 2"
is "task 1" "$(cat myjob_output_1.out)" "1: args on GPU 0 as 1 of 2"

case_ "different arguments"
printf '0  python script firstarg\n1  python script secondarg\n' >silly.conf
script multi.sh <<'X'
#SBATCH -n 2 -o multi.out
srun -l --multi-prog silly.conf
X
must sbatch -W multi.sh
is "output" "$(sort multi.out)" $'0: firstarg on GPU  as 0 of 2\n1: secondarg on GPU  as 1 of 2'
echo '0-1  python script %t' >silly.conf
must sbatch -W multi.sh
is "a range" "$(sort multi.out)" $'0: 0 on GPU  as 0 of 2\n1: 1 on GPU  as 1 of 2'

case_ "one task for each GPU, four steps side by side"
script four.sh <<'X'
#SBATCH --nodes=1-1
#SBATCH --ntasks-per-node=4
#SBATCH --output=myjob_output_wrapper.out
#SBATCH --gres=gpu:4
#SBATCH --cpus-per-task=6
srun --gres=gpu:1 -n1 --mem=30G -l --output=%j-step-%s.out --exclusive --multi-prog python script args1 &
srun --gres=gpu:1 -n1 --mem=30G -l --output=%j-step-%s.out --exclusive --multi-prog python script args2 &
srun --gres=gpu:1 -n1 --mem=30G -l --output=%j-step-%s.out --exclusive --multi-prog python script args3 &
srun --gres=gpu:1 -n1 --mem=30G -l --output=%j-step-%s.out --exclusive --multi-prog python script args4 &
wait
X
must sbatch -W four.sh
job=${out##* }
is "four files" "$(ls "$job"-step-*.out | wc -l)" 4
is "each argument once" "$(cut -d' ' -f2 "$job"-step-?.out | sort | tr '\n' ' ')" "args1 args2 args3 args4 "

case_ "two tasks for each GPU"
echo '*  python script %t' >silly.conf
script eight.sh <<'X'
#SBATCH --nodes=1-1
#SBATCH --ntasks-per-node=8
#SBATCH --output=myjob_output_wrapper.out
#SBATCH --gres=gpu:4
#SBATCH --cpus-per-task=3
srun --gres=gpu:1 -n2 --mem=30G -l --output=%j-step-%s-task-%t.out --exclusive --multi-prog silly.conf &
srun --gres=gpu:1 -n2 --mem=30G -l --output=%j-step-%s-task-%t.out --exclusive --multi-prog silly.conf &
srun --gres=gpu:1 -n2 --mem=30G -l --output=%j-step-%s-task-%t.out --exclusive --multi-prog silly.conf &
srun --gres=gpu:1 -n2 --mem=30G -l --output=%j-step-%s-task-%t.out --exclusive --multi-prog silly.conf &
wait
X
must sbatch -W eight.sh
job=${out##* }
for s in 0 1 2 3; do
    for t in 0 1; do
        has "step $s task $t" "$(cat "$job-step-$s-task-$t.out")" "$t: $t on GPU"
    done
done
