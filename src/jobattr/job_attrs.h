/* job_attrs.h - the attributes of a job's request: one row each, of which everything else comes.
 *
 * To add one, give struct job_req a member (src/model/job.h) and add a row here. The row gives it its
 * option for every command that submits, its variables, the line in the help, the key of `scontrol update`
 * and when that may be used, the check of the controller, its line in `scontrol show job`, its member in
 * --json, its column in squeue, its field in sacct and its text in the form of the screens.
 *
 *     X(ID, KIND, PLACE, member, OPTION, IS, COLUMN, FIELD)
 *         KIND    enum job_attr_kind: how it is read and written
 *         PLACE   REQ: a member of struct job_req; RARE: of struct job_req_rare
 *         OPTION  members of struct opt (src/values/opt.h)
 *         IS      members of struct job_attr (src/jobattr/jobattr.h)
 *         COLUMN  members of struct column (src/cli/listing/format.h), for squeue
 *         FIELD   members of struct acct_field (src/cli/accounting/acctfields.h), for sacct
 *         A_NONE stands for none. Columns and fields that say more than the request does, such as the
 *         partition that the job runs in, are in columns.c and acctfields.c instead.
 *     O(ID, OPTION)     an option of the same commands that no member of the request stands for
 *     ALIAS(ID, name)   another name of an option
 *
 * The order is that of the help and of the environment's variables; of several variables later ones win.
 */
#ifndef STOKER_JOBATTR_JOB_ATTRS_H
#define STOKER_JOBATTR_JOB_ATTRS_H

#define JOB_ATTR_UNWRAP(...) __VA_ARGS__

/* clang-format off */
#define A_NONE              ()
#define A_OPTION(...)       (__VA_ARGS__)
#define A_IS(...)           (__VA_ARGS__)
#define A_COLUMN(...)       (__VA_ARGS__)
#define A_FIELD(...)        (__VA_ARGS__)
#define A_ARG(n, l, m, ...) (.name = n, .letter = l, .arg = OPT_REQUIRED, .meta = m, .help = __VA_ARGS__)
#define A_FLAG(n, l, ...)   (.name = n, .letter = l, .help = __VA_ARGS__)
#define A_ENV3(suffix)      .env = "SBATCH_" suffix " SALLOC_" suffix " SLURM_" suffix

#define JOB_ATTRS(X, O, ALIAS) \
    X(ACCOUNT, NAME, REQ, account, A_ARG("account", 'A', "NAME", "account to charge", A_ENV3("ACCOUNT")), \
      A_IS(.label = "account", .update = "Account", .keeps_empty = true, .shown = "Account", .json = "account"), \
      A_COLUMN(.letter = 'a', .names = "account", .title = "ACCOUNT", .key = "account"), A_NONE) \
    X(ARRAY, ARRAY, DETAIL, array_spec, A_NONE, A_IS(.label = "array"), A_NONE, A_NONE) \
    X(ARRAY_THROTTLE, NUMBER, REQ, array_throttle, A_NONE, A_IS(.update = "ArrayTaskThrottle", .always = true, .max = 1000000), A_NONE, A_NONE) \
    X(BEGIN, TIME_POINT, DETAIL, begin, A_ARG("begin", 'b', "TIME", "not before: 16:00, 2026-12-24T18:00, now+1hour, tomorrow"), \
      A_IS(.update = "StartTime", .once = true), A_NONE, A_NONE) \
    X(CHDIR, DIR, REQ, workdir, A_ARG("chdir", 'D', "DIR", "directory the job runs in", .env = "SLURM_WORKING_DIR"), \
      A_IS(.label = "working directory", .shown = "WorkDir", .json = "current_working_directory"), \
      A_COLUMN(.letter = 'Z', .names = "workdir", .title = "WORK_DIR", .key = "workdir"), A_FIELD(.name = "WorkDir", .width = 20)) \
    ALIAS(CHDIR, "workdir") \
    O(CLUSTERS, A_ARG("clusters", 'M', "NAME", "this cluster's name", A_ENV3("CLUSTERS"))) \
    ALIAS(CLUSTERS, "cluster") \
    X(COMMENT, TEXT, RARE, comment, A_ARG("comment", 0, "TEXT", "a remark kept with the job"), \
      A_IS(.label = "comment", .update = "Comment", .always = true, .shown = "Comment", .json = "comment"), \
      A_COLUMN(.letter = 'k', .names = "comment", .title = "COMMENT", .key = "comment"), A_FIELD(.name = "Comment", .width = 14)) \
    X(CONSTRAINT, TEXT, DETAIL, features, A_ARG("constraint", 'C', "LIST", "features the nodes must have: a&b, a|b", A_ENV3("CONSTRAINT")), \
      A_IS(.label = "features", .update = "Features", .shown = "Features", .json = "features"), \
      A_COLUMN(.letter = 'f', .names = "feature", .title = "FEATURES", .key = "features"), A_FIELD(.name = "Constraints", .width = 19)) \
    X(CONTIGUOUS, SWITCH, DETAIL, contiguous, A_FLAG("contiguous", 0, "nodes side by side"), A_IS(.shown = "Contiguous"), \
      A_COLUMN(.letter = 'O', .names = "contiguous", .title = "CONTIGUOUS", .number = attr_number_CONTIGUOUS), A_NONE) \
    O(CPUS_PER_GPU, A_ARG("cpus-per-gpu", 0, "N", "CPUs for each GPU", A_ENV3("CPUS_PER_GPU"))) \
    X(CPUS_PER_TASK, COUNT, REQ, cpus_per_task, \
      A_ARG("cpus-per-task", 'c', "N", "CPUs for each task", .env = "SLURM_CPUS_PER_TASK SRUN_CPUS_PER_TASK"), \
      A_IS(.label = "CPUs of a task", .update = "CpusPerTask", .min = 1, .max = 65536, .json = "cpus_per_task"), A_NONE, A_NONE) \
    X(DEADLINE, TIME_POINT, RARE, deadline, A_ARG("deadline", 0, "TIME", "give up where it cannot end by then"), \
      A_IS(.update = "Deadline", .json = "deadline"), A_NONE, A_NONE) \
    X(DEPENDENCY, TEXT, REQ, dependency, A_ARG("dependency", 'd', "LIST", "afterok:ID[:ID...],afterany:ID,singleton ...", .env = "SLURM_DEPENDENCY"), \
      A_IS(.label = "dependency", .update = "Dependency", .once = true), A_NONE, A_NONE) \
    O(DISTRIBUTION, A_ARG("distribution", 'm', "HOW", "ranks over nodes: block, cyclic, or arbitrary: as --nodelist says", .env = "SBATCH_DISTRIBUTION SLURM_DISTRIBUTION")) \
    X(ERROR, TEXT, DETAIL, std_err, A_ARG("error", 'e', "FILE", "standard error; patterns: %j %A %a %x %N %t %s ...", .env = "SBATCH_ERROR SLURM_STDERRMODE SRUN_ERROR"), \
      A_IS(.label = "error file"), A_NONE, A_NONE) \
    X(EXCLUDE, HOSTS, RARE, exclude, A_ARG("exclude", 'x', "NODES", "not on these nodes"), \
      A_IS(.label = "excluded nodes", .update = "ExcNodeList", .shown = "ExcNodeList", .json = "excluded_nodes"), A_NONE, A_NONE) \
    X(EXCLUSIVE, EXCLUSIVE, DETAIL, exclusive, A_OPTION(.name = "exclusive", .arg = OPT_OPTIONAL, .meta = "user", .help = N_("whole nodes; user: beside jobs of the same user only"), A_ENV3("EXCLUSIVE")), \
      A_NONE, A_NONE, A_NONE) \
    O(EXPORT, A_ARG("export", 0, "LIST", "variables to take along: ALL, NONE, NAME, NAME=value", .env = "SBATCH_EXPORT SLURM_EXPORT_ENV")) \
    O(GID, A_ARG("gid", 0, "GROUP", NULL)) \
    X(GPUS, GPUS, REQ, gpus, A_ARG("gpus", 'G', "[TYPE:]N", "GPUs for the whole job", A_ENV3("GPUS")), \
      A_IS(.label = "GPUs", .update = "Gpus", .max = 65536), A_NONE, A_NONE) \
    X(GPUS_PER_NODE, GPUS, REQ, gpus_per_node, A_ARG("gpus-per-node", 0, "[TYPE:]N", "GPUs on each node", A_ENV3("GPUS_PER_NODE")), \
      A_IS(.label = "GPUs of a node", .update = "GpusPerNode", .max = 65536), A_NONE, A_NONE) \
    X(GPUS_PER_TASK, GPUS, DETAIL, gpus_per_task, A_ARG("gpus-per-task", 0, "[TYPE:]N", "GPUs for each task", A_ENV3("GPUS_PER_TASK")), \
      A_IS(.label = "GPUs of a task"), A_NONE, A_NONE) \
    X(GRES, GRES, DETAIL, gres, A_ARG("gres", 0, "gpu[:TYPE][:N]", "GPUs on each node, the other spelling", A_ENV3("GRES")), \
      A_IS(.label = "gres"), A_NONE, A_NONE) \
    O(HOLD, A_FLAG("hold", 'H', "submit it held")) \
    X(INPUT, TEXT, RARE, std_in, A_ARG("input", 'i', "FILE", "standard input", .env = "SBATCH_INPUT SLURM_STDINMODE SRUN_INPUT"), \
      A_IS(.label = "input file"), A_NONE, A_NONE) \
    X(JOB_NAME, NAME, REQ, name, A_ARG("job-name", 'J', "NAME", "the job's name", A_ENV3("JOB_NAME")), \
      A_IS(.label = "job name", .update = "JobName Name", .always = true, .keeps_empty = true, .shown = "JobName", .json = "name"), \
      A_COLUMN(.letter = 'j', .names = "name", .title = "NAME", .key = "name"), A_NONE) \
    X(KILL_ON_INVALID_DEP, YES_NO, DETAIL, kill_on_invalid_dep, \
      A_ARG("kill-on-invalid-dep", 0, "yes|no", "cancel where a dependency can never hold"), A_NONE, A_NONE, A_NONE) \
    X(LICENSES, TEXT, DETAIL, licenses, A_ARG("licenses", 'L', "LIST", "licences it needs"), \
      A_IS(.label = "licenses", .update = "Licenses", .shown = "Licenses", .json = "licenses"), \
      A_COLUMN(.letter = 'W', .names = "licenses", .title = "LICENSES"), A_FIELD(.name = "Licenses", .width = 10)) \
    X(LOST_NODE, LOST_NODE, RARE, lost_node, A_ARG("lost-node", 0, "hold|requeue|cancel|lease", "what to do with the job when its node is lost"), \
      A_IS(.update = "LostNode", .always = true, .shown = "LostNode"), A_NONE, A_NONE) \
    X(MAIL_TYPE, MAIL_TYPES, RARE, mail_type, A_ARG("mail-type", 0, "LIST", "mail at BEGIN, END, FAIL, REQUEUE, TIME_LIMIT ... or ALL"), \
      A_IS(.label = "mail type", .shown = "MailType"), A_NONE, A_NONE) \
    X(MAIL_USER, TEXT, RARE, mail_user, A_ARG("mail-user", 0, "USER", "recipient of the mail (default: you)"), \
      A_IS(.label = "mail user"), A_NONE, A_NONE) \
    X(MEM, MEMORY, REQ, mem_node_mib, A_ARG("mem", 0, "SIZE", "memory on each node: 4000, 16G; 0: all", A_ENV3("MEM_PER_NODE")), \
      A_IS(.update = "MinMemoryNode", .json = "memory_per_node"), A_NONE, A_NONE) \
    X(MEM_PER_CPU, MEMORY, DETAIL, mem_cpu_mib, A_ARG("mem-per-cpu", 0, "SIZE", "memory for each CPU", A_ENV3("MEM_PER_CPU")), \
      A_IS(.json = "memory_per_cpu"), A_NONE, A_NONE) \
    X(MEM_PER_GPU, MEMORY, DETAIL, mem_gpu_mib, A_ARG("mem-per-gpu", 0, "SIZE", "memory for each GPU", A_ENV3("MEM_PER_GPU")), \
      A_NONE, A_NONE, A_NONE) \
    O(MINCPUS, A_ARG("mincpus", 0, "N", "at least N CPUs on a node")) \
    X(NICE, NICE, DETAIL, nice, A_OPTION(.name = "nice", .arg = OPT_OPTIONAL, .meta = "N", .help = "lower its priority by N (100)"), \
      A_IS(.update = "Nice", .min = -JOB_NICE_MAX, .max = JOB_NICE_MAX, .shown = "Nice", .json = "nice"), \
      A_COLUMN(.letter = 'y', .names = "nice", .title = "NICE", .key = "nice", .number = attr_number_NICE), A_NONE) \
    X(NODELIST, HOSTS, RARE, nodelist, A_ARG("nodelist", 'w', "NODES", "on these nodes: n[1-3]"), \
      A_IS(.label = "node list", .update = "NodeList ReqNodeList", .shown = "ReqNodeList", .json = "required_nodes"), A_NONE, A_NONE) \
    X(NODES, NODES, REQ, nodes_min, A_ARG("nodes", 'N', "MIN[-MAX]", "number of nodes; of a range as many as are free", .env = "SLURM_NNODES SLURM_JOB_NUM_NODES"), \
      A_IS(.label = "nodes", .update = "NumNodes", .min = 1, .max = 1000000), A_NONE, A_NONE) \
    X(NO_REQUEUE, NO_REQUEUE, DETAIL, requeue, A_FLAG("no-requeue", 0, "never run it a second time", .env = "SBATCH_NO_REQUEUE"), \
      A_NONE, A_NONE, A_NONE) \
    X(NTASKS, COUNT, REQ, ntasks, A_ARG("ntasks", 'n', "N", "number of tasks", .env = "SLURM_NPROCS SLURM_NTASKS"), \
      A_IS(.label = "tasks", .update = "NumTasks", .min = 1, .max = 100000, .json = "tasks"), A_NONE, A_NONE) \
    ALIAS(NTASKS, "tasks") \
    O(NTASKS_PER_GPU, A_ARG("ntasks-per-gpu", 0, "N", "tasks for each GPU", A_ENV3("NTASKS_PER_GPU"))) \
    X(NTASKS_PER_NODE, COUNT, DETAIL, ntasks_per_node, A_ARG("ntasks-per-node", 0, "N", "tasks on each node", .env = "SLURM_NTASKS_PER_NODE"), \
      A_IS(.label = "tasks of a node"), A_NONE, A_NONE) \
    ALIAS(NTASKS_PER_NODE, "tasks-per-node") \
    X(OPEN_MODE, OPEN_MODE, DETAIL, append, \
      A_ARG("open-mode", 0, "append|truncate", "output files that exist; default: truncate, but append when requeued", .env = "SBATCH_OPEN_MODE SLURM_OPEN_MODE"), \
      A_NONE, A_NONE, A_NONE) \
    X(OUTPUT, TEXT, REQ, std_out, A_ARG("output", 'o', "FILE", "standard output; patterns as for --error", .env = "SBATCH_OUTPUT SLURM_STDOUTMODE SRUN_OUTPUT"), \
      A_IS(.label = "output file"), A_NONE, A_NONE) \
    X(OVERCOMMIT, SWITCH, DETAIL, overcommit, A_FLAG("overcommit", 'O', "more tasks than CPUs are fine", A_ENV3("OVERCOMMIT")), A_NONE, A_NONE, A_NONE) \
    X(PARTITION, TEXT, REQ, partition, A_ARG("partition", 'p', "NAMES", "partition, or several to choose from", A_ENV3("PARTITION")), \
      A_IS(.label = "partition", .update = "Partition", .keeps_empty = true), A_NONE, A_NONE) \
    X(PRIORITY, PRIORITY, DETAIL, priority, A_ARG("priority", 0, "N", "a fixed priority (administrators)"), \
      A_IS(.update = "Priority", .max = UINT32_MAX, .once = true), A_NONE, A_NONE) \
    O(PROPAGATE, A_OPTION(.name = "propagate", .arg = OPT_OPTIONAL, .meta = "ALL|NONE|LIST", \
      .help = "resource limits that go along: CORE,NOFILE,STACK ...", .env = "SBATCH_PROPAGATE SALLOC_PROPAGATE SLURM_PROPAGATE")) \
    X(QOS, NAME, DETAIL, qos, A_ARG("qos", 'q', "NAME", "quality of service", A_ENV3("QOS")), \
      A_IS(.label = "QOS", .update = "QOS", .keeps_empty = true), A_NONE, A_NONE) \
    O(QUIET, A_FLAG("quiet", 'Q', "say less")) \
    X(REQUEUE, REQUEUE, DETAIL, requeue, A_FLAG("requeue", 0, "may be run again after a failure of its node", .env = "SBATCH_REQUEUE"), A_NONE, A_NONE, A_NONE) \
    X(RESERVATION, TEXT, RARE, reservation, A_ARG("reservation", 0, "NAME", "in this reservation", A_ENV3("RESERVATION")), \
      A_IS(.label = "reservation", .update = "Reservation ReservationName", .json = "resv_name"), \
      A_COLUMN(.letter = 'v', .names = "reservation", .title = "RESERVATION"), A_FIELD(.name = "Reservation", .width = 20)) \
    X(RESTART_AT_LIMIT, RESTARTS, RARE, limit_restarts, A_ARG("restart-at-limit", 0, "[[B:]SIG[@S],]N", "queue it again at its time limit, up to N times, after a signal", A_ENV3("RESTART_AT_LIMIT")), \
      A_IS(.update = "RestartAtLimit", .always = true, .max = LIMIT_RESTARTS_MAX, .shown = "RestartAtLimit"), A_NONE, A_NONE) \
    X(SIGNAL, SIGNAL, RARE, signal, A_ARG("signal", 0, "[B:]SIG[@S]", "a signal S seconds before the end (60)", A_ENV3("SIGNAL")), A_NONE, A_NONE, A_NONE) \
    X(SPREAD_JOB, SWITCH, DETAIL, spread_job, A_FLAG("spread-job", 0, "on as many nodes as it has tasks, if they are free", A_ENV3("SPREAD_JOB")), \
      A_NONE, A_NONE, A_NONE) \
    X(SWITCHES, SWITCHES, RARE, switches, A_ARG("switches", 0, "N[@WAIT]", "on nodes of at most N groups, or on any after WAIT", A_ENV3("REQ_SWITCH")), \
      A_IS(.update = "Switches", .shown = "Switches", .shown_last = true), A_NONE, A_NONE) \
    X(TIME, LIMIT, REQ, time_limit_s, A_ARG("time", 't', "LIMIT", "M, M:S, H:M:S, D-H, D-H:M:S", A_ENV3("TIMELIMIT")), \
      A_IS(.update = "TimeLimit", .always = true), A_NONE, A_NONE) \
    X(TIME_MIN, LIMIT, DETAIL, time_min_s, A_ARG("time-min", 0, "LIMIT", "a shorter limit that would do as well"), \
      A_IS(.update = "TimeMin", .json = "time_minimum"), A_NONE, A_NONE) \
    X(TMP, DISK, RARE, min_tmp_mib, A_ARG("tmp", 0, "SIZE", "scratch space on each node"), A_IS(.shown = "MinTmpDiskNode"), \
      A_COLUMN(.letter = 'd', .names = "mintmpdisk", .title = "MIN_TMP_DISK", .number = attr_number_TMP), A_NONE) \
    O(UID, A_ARG("uid", 0, "USER", NULL)) \
    X(USE_MIN_NODES, SWITCH, DETAIL, use_min_nodes, A_FLAG("use-min-nodes", 0, "of a range of nodes the fewest", A_ENV3("USE_MIN_NODES")), \
      A_NONE, A_NONE, A_NONE) \
    O(VERBOSE, A_FLAG("verbose", 'v', "say more")) \
    X(WCKEY, NAME, RARE, wckey, A_ARG("wckey", 0, "KEY", "kept with the job", A_ENV3("WCKEY")), \
      A_IS(.label = "wckey", .json = "wckey"), \
      A_COLUMN(.letter = 'w', .names = "wckey", .title = "WCKEY"), A_FIELD(.name = "WCKey", .width = 10))
/* clang-format on */

#endif
