/* demo_work_table.c - the jobs of the users. Rows with at_min are the scene that a demo opens with: one of
 * every reason to wait. The others keep the cluster busy. */
#include "backend/demo/demo_work.h"

/* clang-format off */
enum { ALICE, BO, CHEN, DANA, EMIL, FATIMA, GORAN, HANA };

const struct demo_work demo_works[] = {
    {.name = "homework", .user = GORAN, .gap_min = 3,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=homework\n"
         "#SBATCH --partition=cpu\n"
         "#SBATCH --cpus-per-task=2\n"
         "#SBATCH --mem=4G\n"
         "#SBATCH --time=10\n"
         "\n"
         "python3 solution.py\n"},
    {.name = "eval", .user = ALICE, .gap_min = 7,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=eval\n"
         "#SBATCH --partition=gpu\n"
         "#SBATCH --gpus=1\n"
         "#SBATCH --cpus-per-task=4\n"
         "#SBATCH --mem=32G\n"
         "#SBATCH --time=20\n"
         "\n"
         "source ~/env.sh\n"
         "python eval.py --checkpoint runs/last.pt\n"},
    {.name = "preprocess", .user = BO, .gap_min = 9,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=preprocess\n"
         "#SBATCH --partition=cpu\n"
         "#SBATCH --cpus-per-task=8\n"
         "#SBATCH --mem=24G\n"
         "#SBATCH --time=30\n"
         "\n"
         "source ~/env.sh\n"
         "python preprocess.py /data/raw --out /data/shards\n"},
    {.name = "homework", .user = GORAN, .gap_min = 17,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=homework\n"
         "#SBATCH --partition=gpu\n"
         "#SBATCH --gpus=1\n"
         "#SBATCH --cpus-per-task=2\n"
         "#SBATCH --mem=8G\n"
         "#SBATCH --time=10\n"
         "\n"
         "python3 cuda_exercise.py\n"},
    {.name = "report", .user = CHEN, .gap_min = 25,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=report\n"
         "#SBATCH --partition=cpu\n"
         "#SBATCH --cpus-per-task=2\n"
         "#SBATCH --mem=8G\n"
         "#SBATCH --time=20\n"
         "\n"
         "module load gcc/13 openmpi\n"
         "./report.sh\n"},
    {.name = "sweep", .user = ALICE, .gap_min = 260,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=sweep\n"
         "#SBATCH --partition=gpu\n"
         "#SBATCH --gpus=1\n"
         "#SBATCH --cpus-per-task=4\n"
         "#SBATCH --mem=32G\n"
         "#SBATCH --time=20\n"
         "#SBATCH --array=0-39%4\n"
         "\n"
         "source ~/env.sh\n"
         "python train.py --epochs 20 --lr $(sed -n ${SLURM_ARRAY_TASK_ID}p rates.txt)\n"},
    {.name = "train-resnet", .user = BO, .gap_min = 500,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=train-resnet\n"
         "#SBATCH --partition=gpu\n"
         "#SBATCH --gpus=4\n"
         "#SBATCH --cpus-per-task=8\n"
         "#SBATCH --mem=64G\n"
         "#SBATCH --time=4:00:00\n"
         "\n"
         "source ~/env.sh\n"
         "python train.py --epochs 20 --batch 1024\n"},
    {.name = "finetune-7b", .user = BO, .gap_min = 700,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=finetune-7b\n"
         "#SBATCH --partition=gpu\n"
         "#SBATCH --nodes=1\n"
         "#SBATCH --gpus=8\n"
         "#SBATCH --cpus-per-task=16\n"
         "#SBATCH --mem=256G\n"
         "#SBATCH --time=2:00:00\n"
         "\n"
         "source ~/env.sh\n"
         "accelerate launch finetune.py --config 7b.yaml\n"},
    {.name = "distill", .user = EMIL, .gap_min = 90,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=distill\n"
         "#SBATCH --partition=gpu\n"
         "#SBATCH --gpus=2\n"
         "#SBATCH --cpus-per-task=8\n"
         "#SBATCH --mem=64G\n"
         "#SBATCH --time=1:30:00\n"
         "\n"
         "source ~/env.sh\n"
         "python distill.py --teacher vit-l --student vit-s\n"},
    {.name = "ablation", .user = EMIL, .gap_min = 75,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=ablation\n"
         "#SBATCH --partition=gpu\n"
         "#SBATCH --gpus=2\n"
         "#SBATCH --cpus-per-task=8\n"
         "#SBATCH --mem=64G\n"
         "#SBATCH --time=1:15:00\n"
         "\n"
         "source ~/env.sh\n"
         "python train.py --without-augmentation\n"},
    {.name = "relax", .user = CHEN, .gap_min = 150,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=relax\n"
         "#SBATCH --partition=cpu\n"
         "#SBATCH --ntasks=16\n"
         "#SBATCH --mem=64G\n"
         "#SBATCH --time=3:30:00\n"
         "\n"
         "module load gcc/13 openmpi\n"
         "mpirun pw.x -in relax.in\n"},
    {.name = "md-water", .user = HANA, .gap_min = 170,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=md-water\n"
         "#SBATCH --partition=cpu\n"
         "#SBATCH --ntasks=8\n"
         "#SBATCH --mem=16G\n"
         "#SBATCH --time=2:00:00\n"
         "#SBATCH --array=0-5\n"
         "\n"
         "module load gcc/13 openmpi\n"
         "mpirun gmx_mpi mdrun -deffnm water-$SLURM_ARRAY_TASK_ID\n"},
    {.name = "align", .user = DANA, .gap_min = 120,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=align\n"
         "#SBATCH --partition=cpu\n"
         "#SBATCH --cpus-per-task=4\n"
         "#SBATCH --mem=16G\n"
         "#SBATCH --time=30\n"
         "#SBATCH --array=1-24%6\n"
         "\n"
         "bwa mem ref.fa sample-$SLURM_ARRAY_TASK_ID.fq.gz | samtools sort -o $SLURM_ARRAY_TASK_ID.bam\n"},
    {.name = "assemble", .user = FATIMA, .gap_min = 140,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=assemble\n"
         "#SBATCH --partition=cpu\n"
         "#SBATCH --cpus-per-task=16\n"
         "#SBATCH --mem=100G\n"
         "#SBATCH --time=2:00:00\n"
         "\n"
         "spades.py -t 16 -o out reads_*.fq.gz\n"},
    {.name = "merge", .user = ALICE, .gap_min = 230,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=merge\n"
         "#SBATCH --partition=cpu\n"
         "#SBATCH --cpus-per-task=4\n"
         "#SBATCH --mem=64G\n"
         "#SBATCH --time=1:00:00\n"
         "\n"
         "source ~/env.sh\n"
         "python merge.py /data/shards\n"},
    {.name = "convert", .user = BO, .gap_min = 160,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=convert\n"
         "#SBATCH --partition=cpu\n"
         "#SBATCH --cpus-per-task=2\n"
         "#SBATCH --mem=8G\n"
         "#SBATCH --time=10\n"
         "\n"
         "source ~/env.sh\n"
         "python convert.py labels.csv\n"},
    {.name = "scan-qmc", .user = HANA, .gap_min = 150,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=scan-qmc\n"
         "#SBATCH --partition=gpu\n"
         "#SBATCH --gpus=1\n"
         "#SBATCH --cpus-per-task=2\n"
         "#SBATCH --mem=16G\n"
         "#SBATCH --time=3:00:00\n"
         "#SBATCH --qos=scavenge\n"
         "#SBATCH --requeue\n"
         "#SBATCH --array=0-5\n"
         "\n"
         "module load gcc/13 openmpi\n"
         "./qmc --lattice 24 --beta $SLURM_ARRAY_TASK_ID\n"},
    {.name = "train-demo", .user = EMIL, .gap_min = 95,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=train-demo\n"
         "#SBATCH --partition=gpu\n"
         "#SBATCH --gpus=2\n"
         "#SBATCH --cpus-per-task=8\n"
         "#SBATCH --mem=64G\n"
         "#SBATCH --time=30\n"
         "#SBATCH --qos=urgent\n"
         "\n"
         "source ~/env.sh\n"
         "python eval_live.py\n"},
    {.name = "relax", .user = CHEN, .at_min = 130,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=relax\n"
         "#SBATCH --partition=cpu\n"
         "#SBATCH --ntasks=16\n"
         "#SBATCH --mem=64G\n"
         "#SBATCH --time=2:00:00\n"
         "\n"
         "module load gcc/13 openmpi\n"
         "mpirun pw.x -in slab.in\n"},
    {.name = "train-resnet", .user = BO, .at_min = 75,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=train-resnet\n"
         "#SBATCH --partition=gpu\n"
         "#SBATCH --gpus=4\n"
         "#SBATCH --cpus-per-task=8\n"
         "#SBATCH --mem=64G\n"
         "#SBATCH --time=4:00:00\n"
         "\n"
         "source ~/env.sh\n"
         "python train.py --epochs 20 --batch 1024\n"},
    {.name = "pretrain", .user = ALICE, .at_min = 72,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=pretrain\n"
         "#SBATCH --partition=gpu\n"
         "#SBATCH --nodes=2\n"
         "#SBATCH --ntasks-per-node=1\n"
         "#SBATCH --gpus-per-node=4\n"
         "#SBATCH --cpus-per-task=24\n"
         "#SBATCH --mem=192G\n"
         "#SBATCH --time=4:00:00\n"
         "\n"
         "source ~/env.sh\n"
         "srun torchrun --nnodes 2 pretrain.py\n"},
    {.name = "merge", .user = ALICE, .at_min = 66,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=merge\n"
         "#SBATCH --partition=cpu\n"
         "#SBATCH --cpus-per-task=4\n"
         "#SBATCH --mem=64G\n"
         "#SBATCH --time=1:00:00\n"
         "\n"
         "source ~/env.sh\n"
         "python merge.py /data/shards\n"},
    {.name = "relax", .user = CHEN, .at_min = 44,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=relax\n"
         "#SBATCH --partition=cpu\n"
         "#SBATCH --ntasks=16\n"
         "#SBATCH --mem=64G\n"
         "#SBATCH --time=3:30:00\n"
         "\n"
         "module load gcc/13 openmpi\n"
         "mpirun pw.x -in bulk.in\n"},
    {.name = "sweep", .user = ALICE, .at_min = 36,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=sweep\n"
         "#SBATCH --partition=gpu\n"
         "#SBATCH --gpus=1\n"
         "#SBATCH --cpus-per-task=4\n"
         "#SBATCH --mem=32G\n"
         "#SBATCH --time=20\n"
         "#SBATCH --array=0-99%8\n"
         "\n"
         "source ~/env.sh\n"
         "python train.py --epochs 20 --lr $(sed -n ${SLURM_ARRAY_TASK_ID}p rates.txt)\n"},
    {.name = "crossval", .user = ALICE, .at_min = 35,
     .text =
         "name = \"crossval\";\n"
         "partition = \"gpu\";\n"
         "time = \"4h\";\n"
         "\n"
         "steps = (\n"
         "  { name = \"prepare\"; command = \"python prepare.py --folds 6\"; cpus = 4; mem = \"16G\"; gpus = 0; },\n"
         "  { name = \"fold\"; tasks = 6; gpus = 1; cpus = 4; mem = \"32G\"; on_failure = \"continue\";\n"
         "    command = \"python train.py --fold $STOKER_TASK_ID\"; },\n"
         "  { name = \"report\"; command = \"python report.py folds/\"; cpus = 2; mem = \"8G\"; gpus = 0; }\n"
         ");\n"},
    {.name = "convert", .user = BO, .at_min = 31,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=convert\n"
         "#SBATCH --partition=cpu\n"
         "#SBATCH --cpus-per-task=2\n"
         "#SBATCH --mem=8G\n"
         "#SBATCH --time=10\n"
         "\n"
         "source ~/env.sh\n"
         "python convert.py labels.csv\n"},
    {.name = "finetune-7b", .user = BO, .at_min = 25,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=finetune-7b\n"
         "#SBATCH --partition=gpu\n"
         "#SBATCH --nodes=1\n"
         "#SBATCH --gpus=8\n"
         "#SBATCH --cpus-per-task=16\n"
         "#SBATCH --mem=256G\n"
         "#SBATCH --time=4:00:00\n"
         "\n"
         "source ~/env.sh\n"
         "accelerate launch finetune.py --config 7b.yaml\n"},
    {.name = "report", .user = CHEN, .at_min = 22,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=report\n"
         "#SBATCH --partition=cpu\n"
         "#SBATCH --cpus-per-task=2\n"
         "#SBATCH --mem=8G\n"
         "#SBATCH --time=20\n"
         "#SBATCH --dependency=afterok:@relax@\n"
         "\n"
         "module load gcc/13 openmpi\n"
         "./report.sh\n"},
    {.name = "figures", .user = BO, .at_min = 20,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=figures\n"
         "#SBATCH --partition=cpu\n"
         "#SBATCH --cpus-per-task=1\n"
         "#SBATCH --mem=4G\n"
         "#SBATCH --time=20\n"
         "#SBATCH --dependency=afterok:@convert@\n"
         "#SBATCH --kill-on-invalid-dep=no\n"
         "\n"
         "source ~/env.sh\n"
         "python figures.py\n"},
    {.name = "ablation", .user = ALICE, .at_min = 18,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=ablation\n"
         "#SBATCH --partition=gpu\n"
         "#SBATCH --gpus=2\n"
         "#SBATCH --cpus-per-task=8\n"
         "#SBATCH --mem=64G\n"
         "#SBATCH --time=1:15:00\n"
         "#SBATCH --hold\n"
         "\n"
         "source ~/env.sh\n"
         "python train.py --without-augmentation\n"},
    {.name = "solve", .user = FATIMA, .at_min = 16,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=solve\n"
         "#SBATCH --partition=cpu\n"
         "#SBATCH --cpus-per-task=4\n"
         "#SBATCH --mem=16G\n"
         "#SBATCH --time=2:00:00\n"
         "#SBATCH --licenses=matlab:2\n"
         "\n"
         "matlab -batch solve\n"},
    {.name = "fit", .user = DANA, .at_min = 15,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=fit\n"
         "#SBATCH --partition=cpu\n"
         "#SBATCH --cpus-per-task=4\n"
         "#SBATCH --mem=16G\n"
         "#SBATCH --time=1:00:00\n"
         "#SBATCH --licenses=matlab:1\n"
         "\n"
         "matlab -batch fit\n"},
    {.name = "flash-attn", .user = EMIL, .at_min = 13,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=flash-attn\n"
         "#SBATCH --partition=gpu\n"
         "#SBATCH --gpus=4\n"
         "#SBATCH --constraint=h100\n"
         "#SBATCH --cpus-per-task=8\n"
         "#SBATCH --mem=64G\n"
         "#SBATCH --time=2:00:00\n"
         "\n"
         "source ~/env.sh\n"
         "python bench_attention.py\n"},
    {.name = "thesis-figures", .user = ALICE, .at_min = 11,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=thesis-figures\n"
         "#SBATCH --partition=cpu\n"
         "#SBATCH --cpus-per-task=1\n"
         "#SBATCH --mem=4G\n"
         "#SBATCH --time=20\n"
         "#SBATCH --begin=now+3hours\n"
         "\n"
         "source ~/env.sh\n"
         "python figures.py\n"},
    {.name = "index", .user = DANA, .at_min = 10,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=index\n"
         "#SBATCH --partition=cpu\n"
         "#SBATCH --cpus-per-task=8\n"
         "#SBATCH --mem=32G\n"
         "#SBATCH --time=1:00:00\n"
         "#SBATCH --dependency=singleton\n"
         "\n"
         "bwa index ref.fa\n"},
    {.name = "index", .user = DANA, .at_min = 9,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=index\n"
         "#SBATCH --partition=cpu\n"
         "#SBATCH --cpus-per-task=8\n"
         "#SBATCH --mem=32G\n"
         "#SBATCH --time=1:00:00\n"
         "#SBATCH --dependency=singleton\n"
         "\n"
         "bwa index ref2.fa\n"},
    {.name = "eval-all", .user = CHEN, .at_min = 8,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=eval-all\n"
         "#SBATCH --partition=gpu\n"
         "#SBATCH --gpus=4\n"
         "#SBATCH --cpus-per-task=8\n"
         "#SBATCH --mem=64G\n"
         "#SBATCH --time=1:30:00\n"
         "\n"
         "module load gcc/13 openmpi\n"
         "python eval_all.py\n"},
    {.name = "eval", .user = ALICE, .at_min = 2,
     .text =
         "#!/bin/bash\n"
         "#SBATCH --job-name=eval\n"
         "#SBATCH --partition=gpu\n"
         "#SBATCH --gpus=1\n"
         "#SBATCH --cpus-per-task=4\n"
         "#SBATCH --mem=32G\n"
         "#SBATCH --time=20\n"
         "\n"
         "source ~/env.sh\n"
         "python eval.py --checkpoint runs/last.pt\n"},
};
/* clang-format on */

const unsigned demo_n_works = sizeof demo_works / sizeof *demo_works;
