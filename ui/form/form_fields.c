/* form_fields.c - the fields of the form: what is not in these tables is still in the text.
 *
 * The simple ones come first, in the order in which people think of them; the others stand under a title
 * each few of them share.
 */
#include "ui/form/form.h"

/* clang-format off */
#define OPTION(k, i, l, ...) {.key = k, .id = i, .label = l, .help = __VA_ARGS__}
#define SIMPLE .simple = true
#define TITLE(t) .section = t
#define OF_KIND(k) .kind = FIELD_##k
#define WORDS(w) .kind = FIELD_CHOICE, .choices = w

const struct form_field form_batch_fields[] = {
    OPTION("command", FORM_COMMAND, "command", "one line for the shell; more of them in the script: Tab", SIMPLE),
    OPTION("chdir", J_CHDIR, "directory", "where it runs; else where this was started", SIMPLE),
    OPTION("gpus", J_GPUS, "GPUs", "in the whole job: 2, or a100:2; F4 shows the types", SIMPLE),
    OPTION("cpus-per-task", J_CPUS_PER_TASK, "CPUs", "of each task; one task unless more are asked for", SIMPLE, OF_KIND(NUMBER)),
    OPTION("mem", J_MEM, "memory", "on each node: 16G, 4000M; 0 is all of the node", SIMPLE),
    OPTION("time", J_TIME, "time limit", "30 (minutes), 2:00:00, 1-12:00:00; shorter starts sooner", SIMPLE),
    OPTION("partition", J_PARTITION, "partition", "one, or several with commas: wherever it starts first; F4 lists them", SIMPLE),
    OPTION("job-name", J_JOB_NAME, "name", "the job's; else its file's, or that of what its command runs", SIMPLE),
    OPTION("array", B_ARRAY, "array", "one job for each index: 0-99, 1,5,9, 0-99%8 (eight at once); F4 helps", TITLE("Array and order")),
    OPTION("dependency", J_DEPENDENCY, "depends on", "afterok:12, afterany:12:13, singleton; F4 picks a job"),
    OPTION("begin", J_BEGIN, "not before", "now+2hours, 18:00, tomorrow, 2026-12-24T08:00"),
    OPTION("deadline", J_DEADLINE, "deadline", "given up where it cannot end by then"),
    OPTION("hold", J_HOLD, "held", "queued, but not started until released", OF_KIND(SWITCH)),
    OPTION("nodes", J_NODES, "nodes", "2, or 2-4: from two to four", TITLE("Tasks")),
    OPTION("ntasks", J_NTASKS, "tasks", "that srun starts in it", OF_KIND(NUMBER)),
    OPTION("ntasks-per-node", J_NTASKS_PER_NODE, "a node", "tasks on each node", OF_KIND(NUMBER)),
    OPTION("gpus-per-task", J_GPUS_PER_TASK, "GPUs a task", "instead of GPUs above"),
    OPTION("mem-per-cpu", J_MEM_PER_CPU, "memory a CPU", "instead of memory above"),
    OPTION("arguments", FORM_ARGS, "arguments", "handed to the script, as in a shell", TITLE("Environment")),
    OPTION("export", J_EXPORT, "environment", "ALL: as it is here; NONE: a clean login; NAME, NAME=value; F4"),
    OPTION("set-up", FORM_SETUP, "set-up", "a line before the command: module load cuda, . venv/bin/activate"),
    OPTION("constraint", J_CONSTRAINT, "features", "that the nodes must have: a100&nvlink, x86|arm", TITLE("Nodes")),
    OPTION("nodelist", J_NODELIST, "on nodes", "only there: n[01-03]"),
    OPTION("exclude", J_EXCLUDE, "not on", "not on these: n04"),
    OPTION("exclusive", J_EXCLUSIVE, "whole nodes", "nobody else beside it; Space turns it on and off", OF_KIND(SWITCH)),
    OPTION("output", J_OUTPUT, "output", "%j job, %A array, %a index, %x name, %N node; else slurm-%j.out", TITLE("Files")),
    OPTION("error", J_ERROR, "errors", "else in the same file as the output"),
    OPTION("input", J_INPUT, "input", "else /dev/null"),
    OPTION("open-mode", J_OPEN_MODE, "files there", "append to what is there, or begin anew; Space chooses", WORDS("append truncate")),
    OPTION("requeue", J_REQUEUE, "run again", "from the beginning after a failed node or a preemption", TITLE("When things go wrong"), OF_KIND(SWITCH)),
    OPTION("no-requeue", J_NO_REQUEUE, "never again", "not a second time, whatever happens", OF_KIND(SWITCH)),
    OPTION("lost-node", J_LOST_NODE, "lost node", "what becomes of it then; else what the cluster does; Space chooses", WORDS("hold requeue cancel lease")),
    OPTION("signal", J_SIGNAL, "warn with", "USR1@120: a signal so many seconds before the end; B: to the script alone"),
    OPTION("account", J_ACCOUNT, "account", "that is charged; else your own", TITLE("Account and priority")),
    OPTION("qos", J_QOS, "QOS", "quality of service"),
    OPTION("nice", J_NICE, "nice", "a number: later than your other jobs by so much"),
    OPTION("priority", J_PRIORITY, "priority", "a fixed number (administrators)"),
    OPTION("reservation", J_RESERVATION, "reservation", "runs in it"),
    OPTION("licenses", J_LICENSES, "licences", "name:count, ..."),
    OPTION("mail-type", J_MAIL_TYPE, "notify", "BEGIN, END, FAIL, ALL", TITLE("Notes")),
    OPTION("mail-user", J_MAIL_USER, "whom", "else you"),
    OPTION("comment", J_COMMENT, "comment", "kept with the job"),
};

#define KEY(k, l, ...) {.key = k, .label = l, .help = __VA_ARGS__}
#define QUOTED .quoted = true

const struct form_field form_job_fields[] = {
    KEY("name", "name", "the job's; else its file's, or that of what its command runs", SIMPLE, QUOTED),
    KEY("workdir", "directory", "where its steps run; else where this was started", SIMPLE, QUOTED),
    KEY("time", "time limit", "2h, 30m, 1-12:00:00: from the first task to the last", SIMPLE, QUOTED),
    KEY("partition", "partition", "one, or several with commas: wherever it starts first; F4 lists them", SIMPLE, QUOTED),
    KEY("cpus", "CPUs", "of each rank, for steps that say nothing", TITLE("For steps that say nothing"), OF_KIND(NUMBER)),
    KEY("mem", "memory", "of each task: 16G", QUOTED),
    KEY("gpus", "GPUs", "of each task", OF_KIND(NUMBER)),
    KEY("gpu_type", "GPU type", "a100; else any", QUOTED),
    KEY("output", "output", "else stoker-%j-%s-%t.out", QUOTED),
    KEY("error", "errors", "else in the same file", QUOTED),
    KEY("append", "append", "keep what is in the files; Space chooses", WORDS("true false")),
    KEY("dependency", "depends on", "afterok:12; F4 picks a job", TITLE("Order"), QUOTED),
    KEY("begin", "not before", "now+2hours, 18:00, tomorrow", QUOTED),
    KEY("deadline", "deadline", "given up where it cannot end by then", QUOTED),
    KEY("hold", "held", "not started until released", WORDS("true false")),
    KEY("features", "features", "that the nodes must have", TITLE("Nodes"), QUOTED),
    KEY("nodelist", "on nodes", "only there", QUOTED),
    KEY("exclude", "not on", "not on these", QUOTED),
    KEY("lost_node", "lost node", "what becomes of it then; else what the cluster does; Space chooses", QUOTED, WORDS("hold requeue cancel lease")),
    KEY("account", "account", "that is charged", TITLE("Account and priority"), QUOTED),
    KEY("qos", "QOS", "quality of service", QUOTED),
    KEY("nice", "nice", "a number: later by so much"),
    KEY("comment", "comment", "kept with the job", QUOTED),
};

#define OF_STEP(k, l, ...) {.key = k, .label = l, .of_step = true, .help = __VA_ARGS__}

const struct form_field form_step_fields[] = {
    OF_STEP("name", "step", "its name", SIMPLE, QUOTED),
    OF_STEP("command", "command", "a line for the shell; each task gets it, and its number in STOKER_TASK_ID", SIMPLE, QUOTED),
    OF_STEP("tasks", "tasks", "each placed on its own as soon as there is room", SIMPLE, OF_KIND(NUMBER)),
    OF_STEP("cpus", "CPUs", "of each rank; else as the job says", SIMPLE, OF_KIND(NUMBER)),
    OF_STEP("mem", "memory", "of each task; else as the job says", SIMPLE, QUOTED),
    OF_STEP("gpus", "GPUs", "of each task; else as the job says", SIMPLE, OF_KIND(NUMBER)),
    OF_STEP("script", "or script", "a file instead of a command", QUOTED),
    OF_STEP("ranks", "ranks", "processes of each task, started together", OF_KIND(NUMBER)),
    OF_STEP("gpu_type", "GPU type", "else as the job says", QUOTED),
    OF_STEP("time", "time limit", "of each task: 2h", QUOTED),
    OF_STEP("on_failure", "a failure", "stop: ends the job; continue: the next step starts all the same", QUOTED, WORDS("stop continue")),
    OF_STEP("output", "output", "else as the job says", QUOTED),
    OF_STEP("error", "errors", "else as the job says", QUOTED),
    OF_STEP("workdir", "directory", "else as the job says", QUOTED),
};
/* clang-format on */

const size_t form_n_batch_fields = sizeof form_batch_fields / sizeof form_batch_fields[0];
const size_t form_n_job_fields = sizeof form_job_fields / sizeof form_job_fields[0];
const size_t form_n_step_fields = sizeof form_step_fields / sizeof form_step_fields[0];
