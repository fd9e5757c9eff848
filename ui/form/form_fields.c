/* form_fields.c - the fields of the form: options outside these tables stay in the text.
 *
 * The simple ones come first, in the order in which users think of them; the others are grouped under
 * titles.
 */
#include "src/jobattr/jobattr.h"
#include "ui/form/form.h"

/* clang-format off */
#define OPTION(k, i, l, ...) {.key = k, .id = i, .label = l, .help = __VA_ARGS__}
#define SIMPLE .simple = true
#define TITLE(t) .section = t
#define OF_KIND(k) .kind = FIELD_##k
#define WORDS(w) .kind = FIELD_CHOICE, .choices = w

const struct form_field form_batch_fields[] = {
    OPTION("command", FORM_COMMAND, "command", "one shell command; for more, Tab opens the script", SIMPLE),
    OPTION("chdir", J_CHDIR, "directory", "working directory; default: where the screens were started", SIMPLE),
    OPTION("gpus", J_GPUS, "GPUs", "for the whole job: 2, or a100:2; F4 lists the types", SIMPLE),
    OPTION("cpus-per-task", J_CPUS_PER_TASK, "CPUs", "per task; a job has one task by default", SIMPLE, OF_KIND(NUMBER)),
    OPTION("mem", J_MEM, "memory", "per node: 16G, 4000M; 0: all of the node", SIMPLE),
    OPTION("time", J_TIME, "time limit", "30 (minutes), 2:00:00, 1-12:00:00; shorter jobs start sooner", SIMPLE),
    OPTION("partition", J_PARTITION, "partition", "one, or several with commas; the job runs where it starts first (F4 lists)", SIMPLE),
    OPTION("job-name", J_JOB_NAME, "name", "name of the job; default: the file's name, or that of the program it runs", SIMPLE),
    OPTION("array", B_ARRAY, "array", "one job per index: 0-99, 1,5,9, 0-99%8 (eight at a time); F4 helps", TITLE("Array and order")),
    OPTION("dependency", J_DEPENDENCY, "depends on", "afterok:12, afterany:12:13, singleton; F4 picks a job"),
    OPTION("begin", J_BEGIN, "not before", "now+2hours, 18:00, tomorrow, 2026-12-24T08:00"),
    OPTION("deadline", J_DEADLINE, "deadline", "cancelled if the job cannot end by then"),
    OPTION("hold", J_HOLD, "held", "queued, but does not start until released", OF_KIND(SWITCH)),
    OPTION("nodes", J_NODES, "nodes", "2, or 2-4: two to four", TITLE("Tasks")),
    OPTION("ntasks", J_NTASKS, "tasks", "number of tasks that srun starts", OF_KIND(NUMBER)),
    OPTION("ntasks-per-node", J_NTASKS_PER_NODE, "tasks/node", "tasks per node", OF_KIND(NUMBER)),
    OPTION("gpus-per-task", J_GPUS_PER_TASK, "GPUs/task", "instead of the GPUs above"),
    OPTION("mem-per-cpu", J_MEM_PER_CPU, "memory/CPU", "instead of the memory above"),
    OPTION("arguments", FORM_ARGS, "arguments", "arguments of the script, quoted as in a shell", TITLE("Environment")),
    OPTION("export", J_EXPORT, "environment", "ALL: as here; NONE: a clean login shell; NAME, NAME=value; F4"),
    OPTION("set-up", FORM_SETUP, "set-up", "run before the command: module load cuda, . venv/bin/activate"),
    OPTION("constraint", J_CONSTRAINT, "features", "features that nodes must have: a100&nvlink, x86|arm", TITLE("Nodes")),
    OPTION("nodelist", J_NODELIST, "on nodes", "only on these: n[01-03]"),
    OPTION("exclude", J_EXCLUDE, "not on", "not on these: n04"),
    OPTION("switches", J_SWITCHES, "node groups", "on nodes of at most N groups, or on any after WAIT: 1, 2@10:00"),
    OPTION("exclusive", J_EXCLUSIVE, "whole nodes", "exclusive: no other job on its nodes; user: no job of another user; Space chooses", WORDS("exclusive user")),
    OPTION("output", J_OUTPUT, "output", "%j job, %A array, %a index, %x name, %N node; default: slurm-%j.out", TITLE("Files")),
    OPTION("error", J_ERROR, "errors", "default: the same file as the output"),
    OPTION("input", J_INPUT, "input", "default: /dev/null"),
    OPTION("open-mode", J_OPEN_MODE, "files there", "append to existing files or truncate them; Space chooses", WORDS("append truncate")),
    OPTION("requeue", J_REQUEUE, "requeue", "restart from the beginning after a node failure or a preemption", TITLE("When things go wrong"), OF_KIND(SWITCH)),
    OPTION("no-requeue", J_NO_REQUEUE, "no requeue", "the job runs at most once, whatever happens", OF_KIND(SWITCH)),
    OPTION("lost-node", J_LOST_NODE, "lost node", "what to do if a node is lost; default: the cluster's setting; Space chooses", WORDS("hold requeue cancel lease")),
    OPTION("restart-at-limit", J_RESTART_AT_LIMIT, "at timeout", "USR1@120,5: signal 120 seconds before the end, then restart, up to 5 times; 5: without one"),
    OPTION("signal", J_SIGNAL, "warn with", "USR1@120: send a signal 120 seconds before the end; B:USR1@120: to the script only"),
    OPTION("account", J_ACCOUNT, "account", "account to charge; default: your own", TITLE("Account and priority")),
    OPTION("qos", J_QOS, "QOS", "quality of service"),
    OPTION("nice", J_NICE, "nice", "a number; the higher, the later among your jobs"),
    OPTION("priority", J_PRIORITY, "priority", "a fixed number (administrators only)"),
    OPTION("reservation", J_RESERVATION, "reservation", "reservation to run in"),
    OPTION("licenses", J_LICENSES, "licences", "name:count, ..."),
    OPTION("mail-type", J_MAIL_TYPE, "notify", "BEGIN, END, FAIL, ALL", TITLE("Notes")),
    OPTION("mail-user", J_MAIL_USER, "whom", "default: you"),
    OPTION("comment", J_COMMENT, "comment", "stored with the job"),
};

/* Of a job in the queue: what `scontrol update` can change. */
const struct form_field form_edit_fields[] = {
    OPTION("gpus", J_GPUS, "GPUs", "for the whole job: 2, or a100:2; F4 lists the types", SIMPLE),
    OPTION("cpus-per-task", J_CPUS_PER_TASK, "CPUs", "per task", SIMPLE, OF_KIND(NUMBER)),
    OPTION("mem", J_MEM, "memory", "per node: 16G, 4000M; 0: all of the node", SIMPLE),
    OPTION("nodes", J_NODES, "nodes", "number of nodes", SIMPLE),
    OPTION("time", J_TIME, "time limit", "3h, 2:00:00 or 1-12:00:00; shorter jobs start sooner", SIMPLE),
    OPTION("partition", J_PARTITION, "partition", "one, or several with commas; the job runs where it starts first (F4 lists)", SIMPLE),
    OPTION("array-throttle", ATTR_ARRAY_THROTTLE, "at a time", "elements of the array that run at a time; 0: all", SIMPLE, OF_KIND(NUMBER)),
    OPTION("job-name", J_JOB_NAME, "name", "any text", SIMPLE),
    OPTION("dependency", J_DEPENDENCY, "depends on", "afterok:12, afterany:12:13; empty removes it; F4 picks a job", TITLE("Order")),
    OPTION("begin", J_BEGIN, "not before", "now+2hours, 18:00, tomorrow, 2026-12-24T08:00"),
    OPTION("deadline", J_DEADLINE, "deadline", "cancelled if the job cannot end by then"),
    OPTION("nice", J_NICE, "nice", "a number; the higher, the later among your jobs"),
    OPTION("priority", J_PRIORITY, "priority", "a fixed number in place of the one that the policy computes"),
    OPTION("time-min", J_TIME_MIN, "least time", "a shorter time limit that would do as well, if the job starts sooner with it"),
    OPTION("ntasks", J_NTASKS, "tasks", "number of tasks that srun starts", TITLE("Tasks"), OF_KIND(NUMBER)),
    OPTION("gpus-per-node", J_GPUS_PER_NODE, "GPUs/node", "GPUs on each node: 4, or a100:4", TITLE("Nodes")),
    OPTION("constraint", J_CONSTRAINT, "features", "features that nodes must have: a100&nvlink, x86|arm"),
    OPTION("nodelist", J_NODELIST, "on nodes", "only on these: n[01-03]"),
    OPTION("exclude", J_EXCLUDE, "not on", "not on these: n04"),
    OPTION("switches", J_SWITCHES, "node groups", "on nodes of at most N groups, or on any after WAIT: 1, 2@10:00"),
    OPTION("lost-node", J_LOST_NODE, "lost node", "what to do if a node is lost; empty: the cluster's setting; Space chooses", WORDS("hold requeue cancel lease")),
    OPTION("restart-at-limit", J_RESTART_AT_LIMIT, "at timeout", "how often the job restarts at its time limit", OF_KIND(NUMBER)),
    OPTION("account", J_ACCOUNT, "account", "account to charge", TITLE("Account")),
    OPTION("qos", J_QOS, "QOS", "quality of service"),
    OPTION("reservation", J_RESERVATION, "reservation", "reservation to run in"),
    OPTION("licenses", J_LICENSES, "licences", "name:count, ..."),
    OPTION("comment", J_COMMENT, "comment", "stored with the job", TITLE("Notes")),
};

#define KEY(k, l, ...) {.key = k, .label = l, .help = __VA_ARGS__}
#define QUOTED .quoted = true

const struct form_field form_job_fields[] = {
    KEY("name", "name", "name of the job; default: the file's name, or that of the program it runs", SIMPLE, QUOTED),
    KEY("workdir", "directory", "working directory of the steps; default: where the screens were started", SIMPLE, QUOTED),
    KEY("time", "time limit", "2h, 30m, 1-12:00:00: from the start of the first task to the end of the last", SIMPLE, QUOTED),
    KEY("partition", "partition", "one, or several with commas; the job runs where it starts first (F4 lists)", SIMPLE, QUOTED),
    KEY("cpus", "CPUs", "per rank, for steps that do not set it", TITLE("Defaults for steps"), OF_KIND(NUMBER)),
    KEY("mem", "memory", "per task: 16G", QUOTED),
    KEY("gpus", "GPUs", "per task", OF_KIND(NUMBER)),
    KEY("gpu_type", "GPU type", "a100; default: any", QUOTED),
    KEY("output", "output", "default: stoker-%j-%s-%t.out", QUOTED),
    KEY("error", "errors", "default: the same file as the output", QUOTED),
    KEY("append", "append", "append to existing files; Space chooses", WORDS("true false")),
    KEY("dependency", "depends on", "afterok:12; F4 picks a job", TITLE("Order"), QUOTED),
    KEY("begin", "not before", "now+2hours, 18:00, tomorrow", QUOTED),
    KEY("deadline", "deadline", "cancelled if the job cannot end by then", QUOTED),
    KEY("hold", "held", "does not start until released", WORDS("true false")),
    KEY("features", "features", "features that nodes must have", TITLE("Nodes"), QUOTED),
    KEY("nodelist", "on nodes", "only on these nodes", QUOTED),
    KEY("exclude", "not on", "not on these", QUOTED),
    KEY("lost_node", "lost node", "what to do if a node is lost; default: the cluster's setting; Space chooses", QUOTED, WORDS("hold requeue cancel lease")),
    KEY("restart_at_limit", "at timeout", "how often the job restarts at its time limit", OF_KIND(NUMBER)),
    KEY("account", "account", "account to charge", TITLE("Account and priority"), QUOTED),
    KEY("qos", "QOS", "quality of service", QUOTED),
    KEY("nice", "nice", "a number; the higher, the later"),
    KEY("comment", "comment", "stored with the job", QUOTED),
};

#define OF_STEP(k, l, ...) {.key = k, .label = l, .of_step = true, .help = __VA_ARGS__}

const struct form_field form_step_fields[] = {
    OF_STEP("name", "step", "name of the step", SIMPLE, QUOTED),
    OF_STEP("command", "command", "a shell command; every task runs it, with its number in STOKER_TASK_ID", SIMPLE, QUOTED),
    OF_STEP("tasks", "tasks", "number of tasks; each starts as soon as its resources are free", SIMPLE, OF_KIND(NUMBER)),
    OF_STEP("cpus", "CPUs", "per rank; default: as set for the job", SIMPLE, OF_KIND(NUMBER)),
    OF_STEP("mem", "memory", "per task and node; default: as set for the job", SIMPLE, QUOTED),
    OF_STEP("gpus", "GPUs", "per task and node; default: as set for the job", SIMPLE, OF_KIND(NUMBER)),
    OF_STEP("script", "or script", "a file instead of a command", QUOTED),
    OF_STEP("nodes", "nodes", "nodes of each task; it starts when it can have all of them", OF_KIND(NUMBER)),
    OF_STEP("ranks", "ranks", "processes per task and node, started together", OF_KIND(NUMBER)),
    OF_STEP("mpi", "MPI", "how the processes of a task find each other", QUOTED, WORDS("none pmi2")),
    OF_STEP("gpu_type", "GPU type", "default: as set for the job", QUOTED),
    OF_STEP("time", "time limit", "per task: 2h", QUOTED),
    OF_STEP("on_failure", "on failure", "stop: end the job; continue: start the next step anyway", QUOTED, WORDS("stop continue")),
    OF_STEP("output", "output", "default: as set for the job", QUOTED),
    OF_STEP("error", "errors", "default: as set for the job", QUOTED),
    OF_STEP("workdir", "directory", "default: as set for the job", QUOTED),
};
/* clang-format on */

const size_t form_n_batch_fields = sizeof form_batch_fields / sizeof form_batch_fields[0];
const size_t form_n_job_fields = sizeof form_job_fields / sizeof form_job_fields[0];
const size_t form_n_edit_fields = sizeof form_edit_fields / sizeof form_edit_fields[0];
const size_t form_n_step_fields = sizeof form_step_fields / sizeof form_step_fields[0];
