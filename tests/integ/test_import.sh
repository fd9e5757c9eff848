#!/usr/bin/env bash
# stoker import: what a slurm.conf says, as a stoker.cfg that a controller starts with; what is left out is said.
# stoker manual: pages and completions from the tables.
. stoker.sh
cat >slurm.conf <<'S'
# a cluster of a department
ClusterName=lab
SlurmctldHost=head(10.0.0.1)
AuthType=auth/munge
MailProg=/usr/bin/mail
KillWait=45
MinJobAge=600
MaxArraySize=5001
PriorityType=priority/multifactor
PriorityWeightAge=500
PriorityWeightFairshare=20000
PriorityDecayHalfLife=14-0
PriorityFavorSmall=YES
Prolog=/etc/slurm/prolog.sh
Licenses=matlab:4,ansys
NodeName=DEFAULT Sockets=2 CoresPerSocket=16 ThreadsPerCore=2 \
    RealMemory=257000 State=UNKNOWN
NodeName=gpu[01-04] NodeAddr=gpu[01-04].cluster Gres=gpu:a100:4(S:0-1),nvme:1 Feature=ampere,ib Weight=10
NodeName=cpu1 CPUs=24 RealMemory=64000
NodeName=big State=DRAIN
PartitionName=DEFAULT MaxTime=2-00:00:00 State=UP
PartitionName=main Nodes=ALL Default=YES DefaultTime=60
PartitionName=gpu Nodes=gpu[01-04] PriorityTier=10 AllowGroups=ml,vision OverSubscribe=FORCE:2 MaxTime=UNLIMITED
PartitionName=spot Nodes=gpu[01-04],cpu1 PreemptMode=REQUEUE GraceTime=120 PriorityTier=1 ExclusiveUser=YES
S
cat >gres.conf <<'S'
NodeName=gpu[01-04] Name=gpu Type=a100 File=/dev/nvidia[0-3]
NodeName=gpu[01-04] Name=nvme File=/dev/nvme0
S
must stoker import -o "$STOKER_HOME/stoker.cfg" slurm.conf gres.conf
for what in 'slurm.conf:3: SlurmctldHost' 'slurm.conf:4: AuthType=auth/munge: users are identified by the kernel' 'slurm.conf:14: Prolog=' \
    'nvme:1: GPUs are the generic resource there is' 'DRAIN: a node' 'OverSubscribe=FORCE:2' 'gres.conf:2: Name=nvme'; do
    has "what is left out" "$err" "$what"
done
hasnt "what is carried over is not left out" "$err" "KillWait"
hasnt "nor are files of GPUs" "$err" "nvidia"
cfg=$(<"$STOKER_HOME/stoker.cfg")
for what in 'cluster = "lab";' 'kill_wait = "45s";' 'max_array_size = 5001;' 'mail_program = "/usr/bin/mail";' \
    'name = "gpu[01-04]"; address = "gpu%s.cluster"; cpus = 64; memory = "257000M"; gpus = 4; gpu_type = "a100"; features = ["ampere", "ib"]; weight = 10;' \
    'name = "cpu1"; address = "cpu1"; cpus = 24; memory = "64000M";' 'name = "main"; default = true; max_time = "172800s"; default_time = "3600s";' \
    'name = "gpu"; nodes = "gpu[01-04]"; priority_tier = 10; allow_groups = ["ml", "vision"];' \
    'nodes = "gpu[01-04],cpu1"; max_time = "172800s"; priority_tier = 1; preempt_mode = "requeue"; grace_time = "120s"; exclusive_user = true;' \
    'name = "matlab"; count = 4;' 'name = "ansys"; count = 1;' 'weight_fairshare = 20000;' 'decay_half_life = "1209600s";'; do
    has "the file" "$cfg" "$what"
done
must stoker config check
says "a file that is there is kept" 1 "" "~" stoker import -o "$STOKER_HOME/stoker.cfg" slurm.conf
has "and says so" "$err" "File exists"

# What sites write: files within files, sets of nodes, DEFAULT lines that are followed by others, lists over two lines.
mkdir -p site/conf.d
cat >site/slurm.conf <<'S'
ClusterName=kepler   # our cluster
SlurmctldHost=head1
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
PreemptExemptTime=00:30:00
DefMemPerCPU=2000
TaskPlugin=task/affinity,task/cgroup
FrontendName=fe1
Include conf.d/nodes.conf
include none.conf
PartitionName=DEFAULT Nodes=c[001-002],\
c[041,043] DefaultTime=1:00:00 MaxTime=7-0
PartitionName=normal Default=YES DenyAccounts=guests PreemptMode=OFF
PartitionName=debug Nodes=c001 MaxTime=30:00 DefMemPerNode=8000 JobDefaults=DefCpuPerGPU=4,DefMemPerGPU=9000
PartitionName=gpu Nodes=gpus,c001,big DenyQos=low
S
cat >site/conf.d/nodes.conf <<'S'
NodeName=DEFAULT Boards=1 SocketsPerBoard=2 CoresPerSocket=24 ThreadsPerCore=2 RealMemory=384000 Feature=cascadelake
NodeName=c[001-002]
NodeName=c[041,043] RealMemory=768000
NodeName=DEFAULT Procs=64 Feature=rome,ib
nodename=g[1-8] gres=gpu:a100:4,gpu:v100:2 NodeAddr=10.2.0.[1-8]
NodeSet=gpus Feature=rome
NodeSet=big Nodes=c[041,043]
S
must stoker import -f -o "$STOKER_HOME/stoker.cfg" site/slurm.conf
cfg=$(<"$STOKER_HOME/stoker.cfg")
for what in 'name = "c[001-002]"; address = "c%s"; cpus = 96; memory = "384000M"; features = ["cascadelake"];' \
    'name = "c[041,043]"; address = "c%s"; cpus = 96; memory = "768000M";' \
    'name = "g[1-8]"; address = "10.2.0.%s"; cpus = 64; memory = "384000M"; gpus = 6; features = ["rome", "ib"];' \
    'name = "normal"; nodes = "c[001-002],c[041,043]"; default = true; max_time = "604800s"; default_time = "3600s"; default_memory_per_cpu = "2000M"; deny_accounts = ["guests"];' \
    'name = "debug"; nodes = "c001"; max_time = "1800s"; default_time = "1800s"; default_memory_per_gpu = "9000M"; default_memory_per_node = "8000M"; preempt_exempt_time = "1800s"; preempt_mode = "requeue";' \
    'name = "gpu"; nodes = "g[1-8],c001,c[041,043]"; max_time = "604800s"; default_time = "3600s"; default_memory_per_cpu = "2000M"; preempt_exempt_time = "1800s"; preempt_mode = "requeue"; deny_qos = ["low"];'; do
    has "the file" "$cfg" "$what"
done
for what in 'site/slurm.conf:8: FrontendName=fe1' 'site/slurm.conf:10: Include=none.conf' \
    'site/conf.d/nodes.conf:5: gpu:a100:4,gpu:v100:2: a node'; do
    has "what is left out" "$err" "$what"
done
has "a QOS that a partition names" "$cfg" '{ name = "low"; }'
hasnt "what is carried over is not left out" "$err" "NodeSet"
must stoker config check
# The switches of nodes, and blocks, are groups of nodes. Nodes of one line that are in several have several entries.
cat >tree.conf <<'S'
SwitchName=leaf1 Nodes=c[001-002] LinkSpeed=100
SwitchName=leaf2 Nodes=c041,g[1-2,4]
SwitchName=leaf3 Nodes=g[3-4]
SwitchName=spine Switches=leaf[1-3]
S
echo 'TopologyPlugin=topology/tree' >>site/slurm.conf
must stoker import site/slurm.conf
has "without the file" "$err" 'TopologyPlugin=topology/tree: give topology.conf too'
must stoker import -f -o "$STOKER_HOME/stoker.cfg" site/slurm.conf tree.conf
cfg=$(<"$STOKER_HOME/stoker.cfg")
for what in 'name = "c[001-002]"; address = "c%s"; cpus = 96; memory = "384000M"; features = ["cascadelake"]; group = "leaf1";' \
    'name = "c[041]"; address = "c%s"; cpus = 96; memory = "768000M"; features = ["cascadelake"]; group = "leaf2";' \
    'name = "c[043]"; address = "c%s"; cpus = 96; memory = "768000M"; features = ["cascadelake"]; }' \
    'name = "g[1-2,4]"; address = "10.2.0.%s"; cpus = 64; memory = "384000M"; gpus = 6; features = ["rome", "ib"]; group = "leaf2";' \
    'name = "g[3]"; address = "10.2.0.%s"; cpus = 64; memory = "384000M"; gpus = 6; features = ["rome", "ib"]; group = "leaf3";' \
    'name = "g[5-8]"; address = "10.2.0.%s"; cpus = 64; memory = "384000M"; gpus = 6; features = ["rome", "ib"]; }'; do
    has "groups" "$cfg" "$what"
done
has "a node of two switches" "$err" 'tree.conf:3: g4: a node is in one group'
has "switches of switches" "$err" 'tree.conf:4: spine: groups of nodes have one level'
hasnt "what is carried over" "$err" TopologyPlugin
must stoker config check
is "the nodes of a split line" "$(grep -o 'transport\|address = "[^"]*"' "$STOKER_HOME/stoker.cfg" | sort | uniq -c | tr -s ' ' | tr '\n' ';')" \
    ' 3 address = "10.2.0.%s"; 3 address = "c%s";'
printf 'BlockName=b1 Nodes=g[1-8]\nBlockSizes=4\n' >block.conf
must stoker import site/slurm.conf block.conf
has "a block" "$out" 'name = "g[1-8]"; address = "10.2.0.%s"; cpus = 64; memory = "384000M"; gpus = 6; features = ["rome", "ib"]; group = "b1";'
has "sizes of blocks" "$err" 'block.conf:2: BlockSizes=4: it has no equal here'
says "two of them" 1 "" "stoker import: error: tree.conf and block.conf say the same things: give one of them" \
    stoker import site/slurm.conf tree.conf block.conf
echo 'Include circle.conf' >circle.conf
must stoker import circle.conf

echo 'NodeName="n1' >bad.conf
says "an error by its line" 1 "" 'stoker import: error: bad.conf:1: a quote is not closed' stoker import bad.conf
says "no file" 1 "" "stoker import: error: none.conf: No such file or directory" stoker import none.conf
says "no operand" 2 "" "~" stoker import

case_ "manual pages"
is "a page for each command, one for all, one of the screens" "$(stoker manual --list | grep -c .)" "$(($(stoker --help | grep -cE '^  [a-z]') + 2))"
must stoker manual ui
has "the page of the screens" "$out" '.TH STOKER-UI 7'
page=$(stoker manual sbatch)
for what in '.TH SBATCH 1' '\fB\-c\fR, \fB\-\-cpus\-per\-task\fR=\fIN\fR' '\fBSBATCH_PARTITION\fR' '.SH EXIT STATUS'; do has "sbatch(1)" "$page" "$what"; done
if command -v man >/dev/null && man --version >/dev/null 2>&1; then
    for p in $(stoker manual --list); do
        stoker manual "$p" >page.1
        is "troff has nothing to say of $p" "$(man --warnings -E UTF-8 -l -Tutf8 -Z page.1 2>&1 >/dev/null)" ""
    done
fi
says "no such page" 3 "" "stoker manual: error: there is no page nonsense" stoker manual nonsense

case_ "completions"
stoker manual --bash >completion
must bash -n completion
complete_() { # the words of a line, the last one being completed
    bash -c '. ./completion; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }; _stoker_complete; echo "${COMPREPLY[*]}"' _ "$@"
}
is "an option" "$(complete_ sbatch --cpus-per-t)" "--cpus-per-task="
is "a subcommand" "$(complete_ stoker subm)" "submit"
is "what opens no command" "$(complete_ stoker --p)" "--plain"
has "its options" "$(complete_ stoker --plain -)" "--json"
has "states" "$(complete_ squeue -t P)" "PENDING PREEMPTED"
