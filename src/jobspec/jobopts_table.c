/* jobopts_table.c - the options that describe a job. Where a variable has several names, later ones win. */
#include "src/jobspec/jobopts.h"

/* clang-format off */
#define ENV3(suffix) "SBATCH_" suffix " SALLOC_" suffix " SLURM_" suffix
#define TEXT(i, n, l, m, h, ...)  {.id = (i), .name = (n), .letter = (l), .arg = OPT_REQUIRED, .meta = (m), .help = (h), __VA_ARGS__}
#define FLAG(i, n, l, h, ...)     {.id = (i), .name = (n), .letter = (l), .help = (h), __VA_ARGS__}
#define ALIAS(i, n)               {.id = (i), .name = (n), .arg = OPT_REQUIRED}
#define HARMLESS(n)               {.id = J_HARMLESS, .name = (n), .arg = OPT_REQUIRED}
#define HARMLESS_FLAG(n)          {.id = J_HARMLESS, .name = (n)}
#define UNSUPPORTED(n)            {.id = J_UNSUPPORTED, .name = (n), .arg = OPT_REQUIRED}

static const struct opt table[] = {
    TEXT(J_ACCOUNT, "account", 'A', "NAME", "account to charge", .env = ENV3("ACCOUNT")),
    TEXT(J_BEGIN, "begin", 'b', "TIME", "not before: 16:00, 2026-12-24T18:00, now+1hour, tomorrow"),
    TEXT(J_CHDIR, "chdir", 'D', "DIR", "directory the job runs in", .env = "SLURM_WORKING_DIR"),
    ALIAS(J_CHDIR, "workdir"),
    TEXT(J_CLUSTERS, "clusters", 'M', "NAME", "this cluster's name", .env = ENV3("CLUSTERS")),
    ALIAS(J_CLUSTERS, "cluster"),
    TEXT(J_COMMENT, "comment", 0, "TEXT", "a remark kept with the job"),
    TEXT(J_CONSTRAINT, "constraint", 'C', "LIST", "features the nodes must have: a&b, a|b", .env = ENV3("CONSTRAINT")),
    FLAG(J_CONTIGUOUS, "contiguous", 0, "nodes side by side"),
    TEXT(J_CPUS_PER_GPU, "cpus-per-gpu", 0, "N", "CPUs for each GPU", .env = ENV3("CPUS_PER_GPU")),
    TEXT(J_CPUS_PER_TASK, "cpus-per-task", 'c', "N", "CPUs for each task", .env = "SLURM_CPUS_PER_TASK SRUN_CPUS_PER_TASK"),
    TEXT(J_DEADLINE, "deadline", 0, "TIME", "give up where it cannot end by then"),
    TEXT(J_DEPENDENCY, "dependency", 'd', "LIST", "afterok:ID[:ID...],afterany:ID,singleton ...", .env = "SLURM_DEPENDENCY"),
    TEXT(J_DISTRIBUTION, "distribution", 'm', "HOW", "ranks over nodes: block, cyclic, or arbitrary: as --nodelist says", .env = "SBATCH_DISTRIBUTION SLURM_DISTRIBUTION"),
    TEXT(J_ERROR, "error", 'e', "FILE", "standard error; patterns: %j %A %a %x %N %t %s ...", .env = "SBATCH_ERROR SLURM_STDERRMODE SRUN_ERROR"),
    TEXT(J_EXCLUDE, "exclude", 'x', "NODES", "not on these nodes"),
    {.id = J_EXCLUSIVE, .name = "exclusive", .arg = OPT_OPTIONAL, .meta = "user", .help = "whole nodes", .env = ENV3("EXCLUSIVE")},
    TEXT(J_EXPORT, "export", 0, "LIST", "variables to take along: ALL, NONE, NAME, NAME=value", .env = "SBATCH_EXPORT SLURM_EXPORT_ENV"),
    TEXT(J_GID, "gid", 0, "GROUP", NULL),
    TEXT(J_GPUS, "gpus", 'G', "[TYPE:]N", "GPUs for the whole job", .env = ENV3("GPUS")),
    TEXT(J_GPUS_PER_NODE, "gpus-per-node", 0, "[TYPE:]N", "GPUs on each node", .env = ENV3("GPUS_PER_NODE")),
    TEXT(J_GPUS_PER_TASK, "gpus-per-task", 0, "[TYPE:]N", "GPUs for each task", .env = ENV3("GPUS_PER_TASK")),
    TEXT(J_GRES, "gres", 0, "gpu[:TYPE][:N]", "GPUs on each node, the other spelling", .env = ENV3("GRES")),
    FLAG(J_HOLD, "hold", 'H', "submit it held"),
    TEXT(J_INPUT, "input", 'i', "FILE", "standard input", .env = "SBATCH_INPUT SLURM_STDINMODE SRUN_INPUT"),
    TEXT(J_JOB_NAME, "job-name", 'J', "NAME", "the job's name", .env = ENV3("JOB_NAME")),
    {.id = J_KILL_ON_INVALID_DEP, .name = "kill-on-invalid-dep", .arg = OPT_REQUIRED, .meta = "yes|no", .help = "cancel where a dependency can never hold"},
    TEXT(J_LICENSES, "licenses", 'L', "LIST", "licences it needs"),
    {.id = J_LOST_NODE, .name = "lost-node", .arg = OPT_REQUIRED, .meta = "hold|requeue|cancel|lease", .help = "what becomes of it when its node is lost"},
    TEXT(J_MAIL_TYPE, "mail-type", 0, "LIST", "mail at BEGIN, END, FAIL, REQUEUE, TIME_LIMIT ... or ALL"),
    TEXT(J_MAIL_USER, "mail-user", 0, "USER", "who is told, if not you"),
    TEXT(J_MEM, "mem", 0, "SIZE", "memory on each node: 4000, 16G; 0: all", .env = ENV3("MEM_PER_NODE")),
    TEXT(J_MEM_PER_CPU, "mem-per-cpu", 0, "SIZE", "memory for each CPU", .env = ENV3("MEM_PER_CPU")),
    TEXT(J_MEM_PER_GPU, "mem-per-gpu", 0, "SIZE", "memory for each GPU", .env = ENV3("MEM_PER_GPU")),
    TEXT(J_MINCPUS, "mincpus", 0, "N", "at least so many CPUs on a node"),
    {.id = J_NICE, .name = "nice", .arg = OPT_OPTIONAL, .meta = "N", .help = "lower its priority by N (100)"},
    TEXT(J_NODELIST, "nodelist", 'w', "NODES", "on these nodes: n[1-3]"),
    TEXT(J_NODES, "nodes", 'N', "MIN[-MAX]", "number of nodes", .env = "SLURM_NNODES SLURM_JOB_NUM_NODES"),
    FLAG(J_NO_REQUEUE, "no-requeue", 0, "never run it a second time", .env = "SBATCH_NO_REQUEUE"),
    TEXT(J_NTASKS, "ntasks", 'n', "N", "number of tasks", .env = "SLURM_NPROCS SLURM_NTASKS"),
    ALIAS(J_NTASKS, "tasks"),
    TEXT(J_NTASKS_PER_GPU, "ntasks-per-gpu", 0, "N", "tasks for each GPU", .env = ENV3("NTASKS_PER_GPU")),
    TEXT(J_NTASKS_PER_NODE, "ntasks-per-node", 0, "N", "tasks on each node", .env = "SLURM_NTASKS_PER_NODE"),
    ALIAS(J_NTASKS_PER_NODE, "tasks-per-node"),
    {.id = J_OPEN_MODE, .name = "open-mode", .arg = OPT_REQUIRED, .meta = "append|truncate", .help = "output files that exist; default: truncate, but append when requeued", .env = "SBATCH_OPEN_MODE SLURM_OPEN_MODE"},
    TEXT(J_OUTPUT, "output", 'o', "FILE", "standard output; patterns as for --error", .env = "SBATCH_OUTPUT SLURM_STDOUTMODE SRUN_OUTPUT"),
    FLAG(J_OVERCOMMIT, "overcommit", 'O', "more tasks than CPUs are fine", .env = ENV3("OVERCOMMIT")),
    TEXT(J_PARTITION, "partition", 'p', "NAMES", "partition, or several to choose from", .env = ENV3("PARTITION")),
    TEXT(J_PRIORITY, "priority", 0, "N", "a fixed priority (administrators)"),
    {.id = J_PROPAGATE, .name = "propagate", .arg = OPT_OPTIONAL, .meta = "ALL|NONE|LIST", .help = "resource limits that go along: CORE,NOFILE,STACK ...", .env = "SBATCH_PROPAGATE SALLOC_PROPAGATE SLURM_PROPAGATE"},
    TEXT(J_QOS, "qos", 'q', "NAME", "quality of service", .env = ENV3("QOS")),
    FLAG(J_QUIET, "quiet", 'Q', "say less"),
    FLAG(J_REQUEUE, "requeue", 0, "may be run again after a failure of its node", .env = "SBATCH_REQUEUE"),
    TEXT(J_RESERVATION, "reservation", 0, "NAME", "in this reservation", .env = ENV3("RESERVATION")),
    TEXT(J_SIGNAL, "signal", 0, "[B:]SIG[@S]", "a signal S seconds before the end (60)", .env = ENV3("SIGNAL")),
    TEXT(J_TIME, "time", 't', "LIMIT", "M, M:S, H:M:S, D-H, D-H:M:S", .env = ENV3("TIMELIMIT")),
    TEXT(J_TIME_MIN, "time-min", 0, "LIMIT", "a shorter limit that would do as well"),
    TEXT(J_TMP, "tmp", 0, "SIZE", "scratch space on each node"),
    TEXT(J_UID, "uid", 0, "USER", NULL),
    FLAG(J_VERBOSE, "verbose", 'v', "say more"),
    TEXT(J_WCKEY, "wckey", 0, "KEY", "kept with the job", .env = ENV3("WCKEY")),

    HARMLESS("acctg-freq"), HARMLESS("cores-per-socket"), HARMLESS("cpu-freq"), HARMLESS("delay-boot"),
    {.id = J_HARMLESS, .name = "core-spec", .letter = 'S', .arg = OPT_REQUIRED},
    {.id = J_HARMLESS, .name = "extra-node-info", .letter = 'B', .arg = OPT_REQUIRED},
    {.id = J_HARMLESS, .name = "get-user-env", .arg = OPT_OPTIONAL},
    {.id = J_HARMLESS, .name = "no-kill", .letter = 'k', .arg = OPT_OPTIONAL},
    {.id = J_HARMLESS, .name = "oversubscribe", .letter = 's'},
    HARMLESS("gpu-bind"), HARMLESS("gpu-freq"), HARMLESS("gres-flags"), HARMLESS("hint"), HARMLESS_FLAG("ignore-pbs"),
    HARMLESS("mcs-label"), HARMLESS("mem-bind"), HARMLESS("network"), HARMLESS("ntasks-per-core"),
    HARMLESS("ntasks-per-socket"), HARMLESS("power"), HARMLESS("prefer"), HARMLESS("profile"),
    HARMLESS_FLAG("reboot"), HARMLESS_FLAG("share"), HARMLESS("sockets-per-node"), HARMLESS_FLAG("spread-job"),
    HARMLESS("switches"), HARMLESS("thread-spec"), HARMLESS("threads-per-core"), HARMLESS_FLAG("use-min-nodes"),
    HARMLESS("wait-all-nodes"),

    UNSUPPORTED("bb"), UNSUPPORTED("bbf"), UNSUPPORTED("container"), UNSUPPORTED("cluster-constraint"),
    UNSUPPORTED("export-file"), UNSUPPORTED("gpus-per-socket"), UNSUPPORTED("tres-per-task"),
    {.id = J_UNSUPPORTED, .name = "nodefile", .letter = 'F', .arg = OPT_REQUIRED},
};
/* clang-format on */

const struct opts jobopts_table = OPTS(table, jobopts_set);
