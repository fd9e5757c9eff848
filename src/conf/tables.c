/* tables.c - the keys of stoker.cfg: one table for each kind of group. */
#include "src/conf/tables.h"

#include "src/lang/lang.h"
#include "src/model/spec.h"
#include "src/values/units.h"

#define N(table) (sizeof(table) / sizeof *(table))

static const char *const transports[] = {"local", "ssh", "socket", NULL};
static const char *const roles[] = {"compute", "login", NULL};
static const char *const engines[] = {"stoker", NULL};
static const char *const part_states[] = {"up", "down", "drain", "inactive", NULL}; /* enum part_state */
static const char *const preempt_modes[] = {"off", "requeue", "cancel", NULL};      /* enum preempt_mode */
static const char *const limit_scopes[] = {"user", "account", "qos", "partition", "cluster", NULL};
static const char *const backfills[] = {"conservative", "easy", "off", NULL}; /* enum backfill_mode */
static const char *const backfill_orders[] = {"queue", "shortest", NULL};
static const char *const lost_nodes[] = {"cluster", "hold",  "requeue",
                                         "cancel",  "lease", NULL}; /* enum lost_node */
static const char *const fair_shares[] = {"classic", "tree", NULL};

/* clang-format off */
#define MEMBER(s, m) .offset = offsetof(struct s, m)

static const struct conf_option node_options[] = {
    {.name = "name", .type = CONF_STR, MEMBER(node_spec, name), .required = true,
     .help = "Name of the node, or a pattern for several nodes: `gpu[01-04]`."},
    {.name = "address", .type = CONF_STR, MEMBER(node_spec, address), .def_help = "this machine; with `ssh` the name",
     .help = "Host name or IP address; `%s` stands for the text that the bracket of `name` gives: `gpu%s.lab`."},
    {.name = "port", .type = CONF_U32, MEMBER(node_spec, port), .def = "22", .min = 1, .max = 65535, .help = "SSH port."},
    {.name = "ssh_user", .type = CONF_STR, MEMBER(node_spec, ssh_user), .def_help = "the controller's user",
     .help = "User to connect as."},
    {.name = "identity", .type = CONF_STR, MEMBER(node_spec, identity), .def_help = "the controller's own key",
     .help = "Private key file."},
    {.name = "known_hosts", .type = CONF_STR, MEMBER(node_spec, known_hosts), .def_help = "the controller's own file",
     .help = "File of host keys. Stoker refuses a host whose key is not in this file."},
    {.name = "transport", .type = CONF_STR_WORD, MEMBER(node_spec, transport), .words = transports,
     .def_help = "`ssh` where `address` is given, else `local`",
     .help = "How the node's agent is reached. `socket`: on another machine, and `agent_socket` leads to it."},
    {.name = "role", .type = CONF_STR_WORD, MEMBER(node_spec, role), .words = roles, .def = "compute",
     .help = "A login node runs no jobs: screens and commands work there."},
    {.name = "cpus", .type = CONF_U32, MEMBER(node_spec, cpus), .def = "detect", .min = 1, .max = CPUSET_MAX,
     .special = "detect", .special_value = 0, .help = "CPUs to give to jobs."},
    {.name = "memory", .type = CONF_MEM, MEMBER(node_spec, mem_mib), .def = "detect", .special = "detect",
     .special_value = 0, .help = "Memory to give to jobs."},
    {.name = "gpus", .type = CONF_U32, MEMBER(node_spec, gpus), .def = "detect", .min = 0, .max = CPUSET_MAX,
     .special = "detect", .special_value = UINT32_MAX, .help = "GPUs to give to jobs."},
    {.name = "gpu_type", .type = CONF_NAME, MEMBER(node_spec, gpu_type), .def_help = "as detected",
     .help = "Type of the GPUs, which `--gres=gpu:TYPE:N` requests."},
    {.name = "features", .type = CONF_STRV, MEMBER(node_spec, features), .help = "Features, which `--constraint` requests."},
    {.name = "weight", .type = CONF_U32, MEMBER(node_spec, weight), .def = "1", .min = 0, .max = INT32_MAX,
     .help = "Nodes with a lower weight are taken first."},
    {.name = "group", .type = CONF_NAME, MEMBER(node_spec, group), .def_help = "none",
     .help = "Nodes of the same group are close to one another, for example in one rack: a job over several nodes gets nodes of one group if it can, and `--switches` demands it."},
    {.name = "detect", .type = CONF_BOOL, MEMBER(node_spec, detect), .def = "true",
     .help = "`false`: use the amounts given here and do not check the hardware; `cpus` and `memory` are then required."},
    {.name = "agent_socket", .type = CONF_STR, MEMBER(node_spec, agent_socket), .def_help = "an agent of the controller's own",
     .help = "For `local`: socket of an agent that a service manager runs, usually as root: `/run/stoker-agent/agent.sock`. For `socket`: the way to the agent."},
    {.name = "gpu_names", .type = CONF_STRV, MEMBER(node_spec, gpu_names), .def_help = "their numbers",
     .help = "What `CUDA_VISIBLE_DEVICES` of jobs calls the GPUs, in the order of their numbers: UUIDs, or numbers of which the "
             "first ones belong to others."},
    {.name = "own_files", .type = CONF_BOOL, MEMBER(node_spec, own_files), .def = "false",
     .help = "`true`: the node shares no files with the machine where jobs are submitted. The agent creates missing working "
             "directories; output files stay on the node, and `stoker output` and the screens fetch them."},
    {.name = "private_tmp", .type = CONF_MEM, MEMBER(node_spec, private_tmp_mib), .def = "no", .special = "no", .special_value = 0,
     .help = "Each job has a `/tmp` and a `/dev/shm` of its own, which hold this much each, in memory, and go when the job ends on the "
             "node. Needs an agent of root: see AGENT.md. A change holds for tasks that begin later."},
    {.name = "admin", .type = CONF_BOOL, MEMBER(node_spec, admin), .def = "false",
     .help = "`true`: administrators may administrate from this node too. Their identity there is the node's word: root of the node "
             "can act as any of them. Matters in shared mode alone."},
};

const struct conf_section conf_node_section = {
    .what = N_("a node"), .title = "nodes", .intro = "Each entry is one node, or all nodes that its name stands for. Without any "
    "entry\nthis machine is the only node.",
    .options = node_options, .n = N(node_options), .size = sizeof(struct node_spec)};

static const struct conf_option part_options[] = {
    {.name = "name", .type = CONF_NAME, MEMBER(part_spec, name), .required = true, .help = "Name of the partition."},
    {.name = "nodes", .type = CONF_HOSTS, MEMBER(part_spec, nodes), .def = "ALL",
     .help = "Nodes of the partition: `gpu[01-03],big`; `ALL`: every compute node. A node may be in several partitions."},
    {.name = "default", .type = CONF_BOOL, MEMBER(part_spec, is_default), .def = "false",
     .def_help = "the first one, where none says `true`", .help = "Default partition, for jobs that name none."},
    {.name = "state", .type = CONF_WORD, MEMBER(part_spec, state), .words = part_states, .def = "up",
     .help = "`down`: accepts jobs but starts none; `drain`: accepts no new jobs but starts the jobs it has; `inactive`: neither."},
    {.name = "max_time", .type = CONF_DURATION, MEMBER(part_spec, max_time_s), .def = "unlimited",
     .help = "Longest time limit of a job."},
    {.name = "default_time", .type = CONF_DURATION, MEMBER(part_spec, default_time_s), .def = "none",
     .def_help = "`max_time`", .special = "none", .special_value = DURATION_NOT_SET,
     .help = "Time limit of a job that requests none."},
    {.name = "default_memory_per_cpu", .type = CONF_MEM, MEMBER(part_spec, default_mem_cpu_mib), .def = "none", .special = "none",
     .special_value = 0, .help = "Memory of a job that names none, for each of its CPUs; without a default it is charged a share and not limited."},
    {.name = "default_memory_per_gpu", .type = CONF_MEM, MEMBER(part_spec, default_mem_gpu_mib), .def = "none", .special = "none",
     .special_value = 0, .help = "The same for each GPU of a job that asks for GPUs, in place of the other defaults."},
    {.name = "default_memory_per_node", .type = CONF_MEM, MEMBER(part_spec, default_mem_node_mib), .def = "none", .special = "none",
     .special_value = 0, .help = "The same on each node; not together with `default_memory_per_cpu`."},
    {.name = "max_nodes", .type = CONF_U32, MEMBER(part_spec, max_nodes), .def = "unlimited", .min = 1, .max = INT32_MAX,
     .special = "unlimited", .special_value = UINT32_MAX, .help = "Maximum number of nodes of one job."},
    {.name = "priority_job_factor", .type = CONF_U32, MEMBER(part_spec, priority_job_factor), .def = "1", .min = 0,
     .max = 65533, .help = "Partition factor of the jobs' priority, which `weight_partition` weighs."},
    {.name = "priority_tier", .type = CONF_U32, MEMBER(part_spec, priority_tier), .def = "1", .min = 0, .max = 65533,
     .help = "Jobs of a higher tier are scheduled first and may preempt running jobs of a lower tier."},
    {.name = "preempt_mode", .type = CONF_WORD, MEMBER(part_spec, preempt_mode), .words = preempt_modes, .def = "off",
     .help = "What happens to the jobs of this partition when a higher tier needs the resources."},
    {.name = "grace_time", .type = CONF_DURATION, MEMBER(part_spec, grace_s), .def = "0s",
     .help = "Time of a preempted job between the warning (SIGCONT, SIGTERM) and SIGKILL."},
    {.name = "preempt_exempt_time", .type = CONF_DURATION, MEMBER(part_spec, preempt_exempt_s), .def = "0s",
     .help = "Minimum run: a job of this partition is not preempted before it has run for this time."},
    {.name = "requeue_after_grace", .type = CONF_BOOL, MEMBER(part_spec, requeue_after_grace), .def = "true",
     .help = "With `requeue`: `true`: a job has its grace time before it is requeued; `false`: it is ended at once."},
    {.name = "limit_restarts", .type = CONF_U32, MEMBER(part_spec, limit_restarts), .def = "0", .min = 0, .max = 1000,
     .help = "How often a job that asks for a signal before its end (`--signal`) is queued again at its time limit; `--restart-at-limit` of a job wins."},
    {.name = "lost_node", .type = CONF_WORD, MEMBER(part_spec, lost_node), .words = lost_nodes, .def = "cluster",
     .def_help = "the cluster's", .help = "What happens to jobs of this partition when their node is lost."},
    {.name = "batch_only", .type = CONF_BOOL, MEMBER(part_spec, batch_only), .def = "false",
     .help = "Admits jobs of `sbatch` and `stoker submit` alone: `srun` and `salloc` get no allocation here."},
    {.name = "exclusive_user", .type = CONF_BOOL, MEMBER(part_spec, exclusive_user), .def = "false",
     .help = "Jobs of this partition share their nodes with jobs of the same user only, as with `--exclusive=user`."},
    {.name = "allow_groups", .type = CONF_STRV, MEMBER(part_spec, allow_groups), .def_help = "all users",
     .help = "Unix groups whose members may use the partition."},
    {.name = "allow_accounts", .type = CONF_STRV, MEMBER(part_spec, allow_accounts), .def_help = "all",
     .help = "Accounts that may use the partition."},
    {.name = "allow_qos", .type = CONF_STRV, MEMBER(part_spec, allow_qos), .def_help = "all",
     .help = "QOS that may be used in the partition."},
    {.name = "deny_groups", .type = CONF_STRV, MEMBER(part_spec, deny_groups), .def_help = "none",
     .help = "Unix groups whose members may not use the partition, even if `allow_groups` admits them."},
    {.name = "deny_accounts", .type = CONF_STRV, MEMBER(part_spec, deny_accounts), .def_help = "none",
     .help = "Accounts that may not use the partition."},
    {.name = "deny_qos", .type = CONF_STRV, MEMBER(part_spec, deny_qos), .def_help = "none",
     .help = "QOS that may not be used in the partition; jobs that name no QOS have `normal`."},
};

const struct conf_section conf_part_section = {
    .what = N_("a partition"), .title = "partitions", .intro = "Without any entry there is one partition, `main`, with all nodes.",
    .options = part_options, .n = N(part_options), .size = sizeof(struct part_spec)};

static const struct conf_option qos_options[] = {
    {.name = "name", .type = CONF_NAME, MEMBER(qos_spec, name), .required = true, .help = "Name of the QOS."},
    {.name = "priority", .type = CONF_U32, MEMBER(qos_spec, priority), .def = "0", .min = 0, .max = INT32_MAX,
     .help = "QOS factor of the jobs' priority, which `weight_qos` weighs."},
    {.name = "preempt", .type = CONF_STRV, MEMBER(qos_spec, preempt), .help = "Other QOS whose jobs the jobs of this QOS may preempt."},
    {.name = "grace_time", .type = CONF_DURATION, MEMBER(qos_spec, grace_s), .def = "0s",
     .help = "Time of a preempted job of this QOS between the warning (SIGCONT, SIGTERM) and SIGKILL."},
    {.name = "preempt_exempt_time", .type = CONF_DURATION, MEMBER(qos_spec, preempt_exempt_s), .def = "0s",
     .def_help = "the partition's", .help = "Minimum run: a job of this QOS is not preempted before it has run for this time."},
    {.name = "usage_factor", .type = CONF_FLOAT, MEMBER(qos_spec, usage_factor), .def = "1.0", .min = 0, .max = 1000000,
     .help = "Factor by which the usage of the jobs is multiplied for fair share."},
    {.name = "preempt_mode", .type = CONF_WORD, MEMBER(qos_spec, preempt_mode), .words = preempt_modes, .def = "off",
     .help = "What happens to the jobs of this QOS when a QOS that may preempt it needs the resources; `off`: as their partition says, "
     "and `requeue` where that is off."},
    {.name = "allow_users", .type = CONF_STRV, MEMBER(qos_spec, allow_users),
     .def_help = "all; where the QOS preempts or adds priority: administrators alone",
     .help = "Users who may use the QOS; `*`: all. A member of `allow_groups` and a job of `allow_accounts` may as well."},
    {.name = "allow_groups", .type = CONF_STRV, MEMBER(qos_spec, allow_groups), .def_help = "as `allow_users`",
     .help = "Unix groups whose members may use the QOS."},
    {.name = "allow_accounts", .type = CONF_STRV, MEMBER(qos_spec, allow_accounts), .def_help = "as `allow_users`",
     .help = "Accounts whose jobs may use the QOS."},
};

const struct conf_section conf_qos_section = {
    .what = N_("a QOS"), .title = "qos", .intro = "Qualities of service, which `--qos` names.",
    .options = qos_options, .n = N(qos_options), .size = sizeof(struct qos_spec)};

static const struct conf_option user_options[] = {
    {.name = "name", .type = CONF_NAME, MEMBER(account_user, name), .required = true, .help = "Login name."},
    {.name = "shares", .type = CONF_U32, MEMBER(account_user, shares), .def = "1", .min = 0, .max = 1000000,
     .help = "Shares of this user among the users of the account."},
};

static const struct conf_section user_section = {
    .what = N_("a user"), .title = "accounts: users", .intro = "Users who may charge the account.",
    .options = user_options, .n = N(user_options), .size = sizeof(struct account_user)};

static const struct conf_option account_options[] = {
    {.name = "name", .type = CONF_NAME, MEMBER(account_spec, name), .required = true, .help = "Name of the account."},
    {.name = "parent", .type = CONF_NAME, MEMBER(account_spec, parent), .def = "root",
     .help = "Parent account; `root` always exists."},
    {.name = "shares", .type = CONF_U32, MEMBER(account_spec, shares), .def = "1", .min = 0, .max = 1000000,
     .help = "Shares of this account among the accounts of the parent."},
    {.name = "users", .type = CONF_LIST, MEMBER(account_spec, users), .sub = &user_section, .help = "Users of the account."},
};

static const struct conf_section account_section = {
    .what = N_("an account"), .title = "accounts", .intro = "Without any entry an account is a Unix group, and all users have one share.",
    .options = account_options, .n = N(account_options), .size = sizeof(struct account_spec)};

#define LIMIT(key, m, text) \
    {.name = key, .type = CONF_U64, MEMBER(limit_set, m), .def = "unlimited", .min = 0, .max = INT64_MAX, \
     .special = "unlimited", .special_value = LIMIT_NONE, .help = text}

static const struct conf_option limit_set_options[] = {
    LIMIT("gpus", gpus, "GPUs allocated at a time."),
    LIMIT("cpus", cpus, "CPUs allocated at a time."),
    {.name = "memory", .type = CONF_MEM, MEMBER(limit_set, mem_mib), .def = "unlimited", .special = "unlimited",
     .special_value = LIMIT_NONE, .help = "Memory allocated at a time."},
    LIMIT("nodes", nodes, "Nodes allocated at a time."),
    LIMIT("running_jobs", running_jobs, "Jobs running at a time."),
    LIMIT("submitted_jobs", submitted_jobs, "Jobs in the queue, running ones too."),
    LIMIT("array_size", array_size, "Elements of one array."),
    LIMIT("gpu_minutes", gpu_minutes, "GPU minutes used, fading like all usage, and those that running jobs may still use by their time limits."),
};

static const struct conf_section limit_set_section = {
    .what = N_("a set of limits"), .title = "limits: soft, hard", .intro = "Limited amounts.",
    .options = limit_set_options, .n = N(limit_set_options), .size = sizeof(struct limit_set)};

static const struct conf_option limit_options[] = {
    {.name = "scope", .type = CONF_WORD, MEMBER(limit_spec, scope), .words = limit_scopes, .required = true,
     .help = "Scope over which jobs are summed up."},
    {.name = "name", .type = CONF_STR, MEMBER(limit_spec, name), .def = "*",
     .help = "User, account, QOS or partition; `*`: each of them separately."},
    {.name = "partition", .type = CONF_NAME, MEMBER(limit_spec, partition), .def_help = "everywhere",
     .help = "Only jobs in this partition count."},
    {.name = "soft", .type = CONF_GROUP, MEMBER(limit_spec, soft), .sub = &limit_set_section, .def_help = "none",
     .help = "Soft limit: jobs over it may run, but yield as soon as another job needs the resources."},
    {.name = "hard", .type = CONF_GROUP, MEMBER(limit_spec, hard), .sub = &limit_set_section, .def_help = "none",
     .help = "Hard limit: jobs over it wait, or are refused if they can never run."},
};

static const struct conf_section limit_section = {
    .what = N_("a limit"), .title = "limits", .intro = "A job must satisfy all limits that apply to it.",
    .options = limit_options, .n = N(limit_options), .size = sizeof(struct limit_spec)};

static const struct conf_option license_options[] = {
    {.name = "name", .type = CONF_NAME, MEMBER(license_spec, name), .required = true,
     .help = "Name of the licence, as in `--licenses=NAME:N`."},
    {.name = "count", .type = CONF_U32, MEMBER(license_spec, count), .required = true, .min = 0, .max = 1000000,
     .help = "Licences that may be in use at a time."},
};

static const struct conf_section license_section = {
    .what = N_("a licence"), .title = "licenses", .intro = "Cluster-wide counters: a running job uses the number that it requests "
    "until it ends.", .options = license_options, .n = N(license_options), .size = sizeof(struct license_spec)};

#define WEIGHT(key, m, value, text) \
    {.name = key, .type = CONF_U32, MEMBER(priority_spec, m), .def = value, .min = 0, .max = INT32_MAX, .help = text}

static const struct conf_option tres_options[] = {
    WEIGHT("cpu", weight_cpu, "0", "Weight of the CPUs that a job asks for."),
    WEIGHT("mem", weight_mem, "0", "Weight of the memory."),
    WEIGHT("gpu", weight_gpu, "0", "Weight of the GPUs."),
};

static const struct conf_section tres_section = {
    .what = N_("weight_tres"), .title = "priority: weight_tres", .intro = "The larger the part of the cluster that a job asks for, "
    "the more it gets of these.", .options = tres_options, .n = N(tres_options)};

#define RATE(key, m, value, text) \
    {.name = key, .type = CONF_FLOAT, MEMBER(priority_spec, m), .def = value, .min = 0, .max = 1000000, .help = text}

static const struct conf_option billing_options[] = {
    RATE("cpu", billing_cpu, "1.0", "A CPU."),
    RATE("mem_gb", billing_mem_gb, "0.125", "A GiB of memory."),
    RATE("gpu", billing_gpu, "16.0", "A GPU."),
};

static const struct conf_section billing_section = {
    .what = N_("billing"), .title = "priority: billing", .intro = "Usage that one second of a resource adds for fair share.",
    .options = billing_options, .n = N(billing_options)};

static const struct conf_option priority_options[] = {
    WEIGHT("weight_age", weight_age, "1000", "Weight of the time that the job has waited."),
    WEIGHT("weight_fairshare", weight_fairshare, "10000", "Weight of fair share."),
    WEIGHT("weight_job_size", weight_job_size, "100", "Weight of the size of the job."),
    WEIGHT("weight_partition", weight_partition, "1000", "Weight of its partition's `priority_job_factor`."),
    WEIGHT("weight_qos", weight_qos, "2000", "Weight of the QOS of the job."),
    {.name = "weight_tres", .type = CONF_GROUP, .sub = &tres_section, .def_help = "none",
     .help = "Weights of the requested resources."},
    {.name = "max_age", .type = CONF_DURATION, MEMBER(priority_spec, max_age_s), .def = "7d",
     .help = "Age after which the priority no longer grows."},
    {.name = "decay_half_life", .type = CONF_DURATION, MEMBER(priority_spec, decay_half_life_s), .def = "7d",
     .help = "Time after which usage counts half; `0s`: usage never decays."},
    {.name = "favor_small", .type = CONF_BOOL, MEMBER(priority_spec, favor_small), .def = "true",
     .help = "Small jobs get the larger part of `weight_job_size`."},
    {.name = "fairshare", .type = CONF_BOOL_WORD, MEMBER(priority_spec, fair_tree), .words = fair_shares, .def = "tree",
     .help = "Slurm's Fair Tree, or the classic formula."},
    {.name = "billing", .type = CONF_GROUP, .sub = &billing_section, .def_help = "see below", .help = "Rates of usage."},
};

static const struct conf_section priority_section = {
    .what = N_("priority"), .title = "priority", .intro = "A waiting job's priority is the sum of these weights, each times a factor from 0 to 1.",
    .options = priority_options, .n = N(priority_options)};

static const struct conf_option scheduler_options[] = {
    {.name = "backfill", .type = CONF_WORD, MEMBER(cluster_spec, backfill), .words = backfills, .def = "conservative",
     .help = "`conservative`: backfill delays no job ahead; `easy`: backfill does not delay the first job; `off`: strictly in order."},
    {.name = "window", .type = CONF_DURATION, MEMBER(cluster_spec, window_s), .def = "7d",
     .help = "Length of the plan into the future."},
    {.name = "reservations", .type = CONF_U32, MEMBER(cluster_spec, reservations), .def = "1", .min = 1, .max = 1000,
     .help = "With `conservative`: number of pending jobs of each partition that have a planned start. Each planned start makes other "
     "jobs wait longer. The start times of all other jobs are forecast."},
    {.name = "max_switch_wait", .type = CONF_DURATION, MEMBER(cluster_spec, max_switch_wait_s), .def = "5m",
     .help = "How long a job waits at most for the nodes that `--switches` demands; then it starts on any."},
    {.name = "backfill_order", .type = CONF_BOOL_WORD, MEMBER(cluster_spec, backfill_shortest), .words = backfill_orders, .def = "queue",
     .help = "Which of the jobs that wait without a planned start are tried first: `queue`: in the order of the queue; `shortest`: the "
     "shortest first, within a tier. Jobs wait less in the mean, and some long jobs wait longer."},
    {.name = "predict_run_times", .type = CONF_BOOL, MEMBER(cluster_spec, predict_run_times), .def = "false",
     .help = "Use run times learnt from earlier jobs of the same user and name: for `shortest` in place of the time limit, and with "
     "`conservative` to start a job that is expected to end before a planned start, although its limit is longer. No planned start "
     "moves behind the time that was promised."},
};

static const struct conf_section scheduler_section = {
    .what = N_("scheduler"), .title = "scheduler", .intro = "How the scheduler plans the queue.",
    .options = scheduler_options, .n = N(scheduler_options)};

static const struct conf_option cluster_options[] = {
    {.name = "cluster", .type = CONF_NAME, MEMBER(cluster_spec, name), .def = "stoker", .help = "Name of the cluster."},
    {.name = "engine", .type = CONF_STR_WORD, MEMBER(cluster_spec, engine), .words = engines, .def = "stoker",
     .help = "The scheduler: `stoker`, the integrated one."},
    {.name = "nodes", .type = CONF_LIST, MEMBER(cluster_spec, nodes), .sub = &conf_node_section, .def_help = "this machine",
     .help = "The nodes of the cluster."},
    {.name = "partitions", .type = CONF_LIST, MEMBER(cluster_spec, parts), .sub = &conf_part_section,
     .def_help = "`main`, all nodes", .help = "Partitions: queues over sets of nodes."},
    {.name = "qos", .type = CONF_LIST, MEMBER(cluster_spec, qos), .sub = &conf_qos_section, .help = "Qualities of service."},
    {.name = "accounts", .type = CONF_LIST, MEMBER(cluster_spec, accounts), .sub = &account_section,
     .def_help = "Unix groups", .help = "Accounts, the tree of fair share."},
    {.name = "limits", .type = CONF_LIST, MEMBER(cluster_spec, limits), .sub = &limit_section,
     .help = "Limits on the resources and jobs of users, accounts, QOS and partitions."},
    {.name = "licenses", .type = CONF_LIST, MEMBER(cluster_spec, licenses), .sub = &license_section,
     .help = "Licences that jobs may request beside CPUs, memory and GPUs."},
    {.name = "priority", .type = CONF_GROUP, MEMBER(cluster_spec, priority), .sub = &priority_section,
     .def_help = "see below", .help = "How the priority of a job is computed."},
    {.name = "scheduler", .type = CONF_GROUP, .sub = &scheduler_section, .def_help = "see below", .help = "How the scheduler plans."},
    {.name = "admin_groups", .type = CONF_STRV, MEMBER(cluster_spec, admin_groups), .def = "sudo wheel",
     .def_help = "`[\"sudo\", \"wheel\"]`",
     .help = "Unix groups of administrators, besides root and the controller's own user."},
    {.name = "kill_wait", .type = CONF_DURATION, MEMBER(cluster_spec, kill_wait_s), .def = "30s",
     .help = "Time between SIGTERM and SIGKILL when a job is killed."},
    {.name = "node_timeout", .type = CONF_DURATION, MEMBER(cluster_spec, node_timeout_s), .def = "60s",
     .help = "Time without an answer after which a node is lost."},
    {.name = "lost_node", .type = CONF_WORD, MEMBER(cluster_spec, lost_node), .words = lost_nodes + 1, .word_base = 1,
     .def = "hold", .help = "What happens to the jobs of a lost node if neither the job (`--lost-node`) nor its partition says. "
     "`hold`: the jobs stay as they are until the node is back or an administrator decides; `requeue`: the jobs are requeued, though "
     "their processes may still run on the node; `cancel`: the jobs are cancelled; `lease`: the node ends the jobs when it has not "
     "heard the controller for `lease_time`, and they are requeued a little later, so that a job never runs twice at a time."},
    {.name = "lease_time", .type = CONF_DURATION, MEMBER(cluster_spec, lease_s), .def = "5m",
     .help = "Length of the lease (see `lost_node`), at least 30 s, so that a node misses several heartbeats before the lease ends. "
     "SIGTERM is sent `kill_wait` before the end of the lease (half the lease at most), SIGKILL at the end."},
    {.name = "propagate_resource_limits", .type = CONF_STRV, MEMBER(cluster_spec, propagate_limits), .def = "ALL",
     .def_help = "`[\"ALL\"]`",
     .help = "Soft resource limits (`ulimit`) of the submitting process that the job gets on the nodes, as Slurm's "
     "`PropagateResourceLimits`: `ALL`, `NONE`, or names: `AS`, `CORE`, `CPU`, `DATA`, `FSIZE`, `MEMLOCK`, `NOFILE`, `NPROC`, `RSS`, "
     "`STACK`. `--propagate` of a job overrides this. The hard limits of a node apply; a limit that is not propagated is that of the "
     "node's agent."},
    {.name = "propagate_resource_limits_except", .type = CONF_STRV, MEMBER(cluster_spec, propagate_limits_except),
     .def_help = "none", .help = "Propagate all resource limits except these. Instead of `propagate_resource_limits`."},
    {.name = "history_keep", .type = CONF_DURATION, MEMBER(cluster_spec, history_keep_s), .def = "0",
     .help = "Ended jobs are deleted from the history (`sacct`, `stoker show`) after this time, in small steps; 0: never."},
    {.name = "audit_keep", .type = CONF_DURATION, MEMBER(cluster_spec, audit_keep_s), .def = "365d",
     .help = "Lines of the audit log (`stoker audit`) are deleted after this time; `0`: never."},
    {.name = "audit_size", .type = CONF_MEM, MEMBER(cluster_spec, audit_mib), .def = "256M",
     .help = "The oldest lines of the audit log are deleted if all of them take more than this on disk; `0`: any amount. A line takes "
     "about 80 bytes."},
    {.name = "audit_syslog", .type = CONF_BOOL, MEMBER(cluster_spec, audit_syslog), .def = "false",
     .help = "Send each line of the audit log to syslog or journald as well (`/dev/log`, facility `authpriv`, priority `notice`), "
     "after it is on disk."},
    {.name = "private", .type = CONF_STRV, MEMBER(cluster_spec, private_words), .def_help = "nothing",
     .help = "What users who are not administrators may not see of other users, as Slurm's `PrivateData`: `jobs` (their jobs, in lists, "
     "screens, history, plans and reasons), `usage` (what they have used), `nodes` (nodes on which the user has nothing). Of a job "
     "of another user the screens show only what it holds."},
    {.name = "min_job_age", .type = CONF_DURATION, MEMBER(cluster_spec, min_job_age_s), .def = "5m",
     .help = "Time for which the queue shows an ended job."},
    {.name = "max_array_size", .type = CONF_U32, MEMBER(cluster_spec, max_array_size), .def = "10001", .min = 1,
     .max = 4000001, .help = "Upper bound of array indexes: the largest index is one less."},
    {.name = "mail_program", .type = CONF_STR, MEMBER(cluster_spec, mail_program), .def_help = "none",
     .help = "Program that tells users of their jobs (`--mail-type`), as `PROGRAM -s SUBJECT USER`: `/usr/bin/mail`."},
    {.name = "link_socket", .type = CONF_STR, MEMBER(cluster_spec, link_socket), .def_help = "a stoker-link of the controller's own",
     .help = "Socket of a `stoker-link listen` that runs under its own account: `/run/stoker-link/link.sock`."},
    {.name = "link_keys", .type = CONF_STR, MEMBER(cluster_spec, link_keys), .def_help = "`state/ssh`",
     .help = "Directory of that account, with `id_ed25519` and `known_hosts`."},
    {.name = "max_jobs", .type = CONF_U32, MEMBER(cluster_spec, max_jobs), .def = "100000", .min = 1, .max = 10000000,
     .help = "Jobs in the queue; an array counts once."},
    {.name = "max_user_jobs", .type = CONF_U32, MEMBER(cluster_spec, max_user_jobs), .def = "0", .max = 10000000,
     .def_help = "nine tenths of `max_jobs`",
     .help = "Jobs in the queue of one user who is not an administrator, so that no user fills the queue alone."},
    {.name = "user_requests", .type = CONF_U32, MEMBER(cluster_spec, user_requests), .def = "5000", .max = 1000000,
     .help = "Requests per second that the commands of one user may make on average, with a burst of ten seconds' worth. Requests over "
     "the limit wait; none is refused. `0`: no limit. Administrators have no limit. With any value users are served in turn: a "
     "user who floods the controller does not delay other users."},
    {.name = "user_buffers", .type = CONF_MEM, MEMBER(cluster_spec, user_buffers_mib), .def = "64M", .special = "unlimited",
     .special_value = 0,
     .help = "Memory of the controller that all connections of one user may take: requests that are not complete, answers and events "
     "that are not read. Beyond it the connections of that user wait, and screens that do not read fetch the queue again. "
     "Administrators have no limit."},
    {.name = "user_records", .type = CONF_MEM, MEMBER(cluster_spec, user_records_mib), .def = "256M", .special = "unlimited",
     .special_value = 0,
     .help = "Memory of the controller that the records of one user's jobs may take, with their steps and tasks. Beyond it the user "
     "can only cancel jobs. Administrators have no limit."},
    {.name = "user_disk", .type = CONF_MEM, MEMBER(cluster_spec, user_disk_mib), .def = "auto", .special = "auto",
     .special_value = 0, .def_help = "`auto`: a quarter of the disk, at most 4 GB",
     .help = "Disk that the jobs of one user may take while they are in the queue: records, scripts and environments. Beyond it the "
     "user can only cancel jobs. Administrators have no limit."},
    {.name = "history_size", .type = CONF_MEM, MEMBER(cluster_spec, history_size_mib), .def = "auto", .special = "auto",
     .special_value = 0, .def_help = "`auto`: half of the disk",
     .help = "Disk that the history may take. Beyond it the oldest jobs of the users who have most there are deleted, in small steps."},
    {.name = "disk_reserve", .type = CONF_MEM, MEMBER(cluster_spec, disk_reserve_mib), .def = "auto", .special = "auto",
     .special_value = 0, .def_help = "`auto`: a sixteenth of the disk, at most 256 MB",
     .help = "With less free disk than this for the state, jobs can only be cancelled; administrators may do everything."},
};
/* clang-format on */

const struct conf_section conf_cluster_section = {.what = N_("the configuration"),
                                                  .title = "The file",
                                                  .intro = "Keys outside of any group.",
                                                  .options = cluster_options,
                                                  .n = N(cluster_options),
                                                  .size = sizeof(struct cluster_spec)};
