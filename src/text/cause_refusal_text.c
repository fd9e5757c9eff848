#include "src/lang/lang.h"
#include "src/text/cause_sentence.h"

#include "src/text/cause_template.h"
#include "src/text/state_text.h"

static void admins_only_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                             template_part full)
{
    static const char *const acts[ADMIN_N_ACTS] = {
        [ADMIN_ACT_NONE] = N_("only administrators do that"),
        [ADMIN_ACT_DRAIN] = N_("only administrators drain and resume nodes"),
        [ADMIN_ACT_NOTE] = N_("only administrators write notes about nodes"),
        [ADMIN_ACT_END_TASKS] = N_("only administrators end tasks of nodes"),
        [ADMIN_ACT_WINDOW] = N_("only administrators set and remove windows and reservations"),
        [ADMIN_ACT_RELOAD] = N_("only administrators change the configuration"),
        [ADMIN_ACT_STOP] = N_("only administrators stop the controller"),
        [ADMIN_ACT_SUSPEND] = N_("only administrators suspend jobs"),
        [ADMIN_ACT_PRIORITY] = N_("only administrators give a job its priority"),
        [ADMIN_ACT_NICE] = N_("only administrators ask for a negative nice value"),
        [ADMIN_ACT_FORCE] = N_("only administrators queue what can never start"),
        [ADMIN_ACT_RAISE_TIME_LIMIT] = N_("only administrators raise the time limit of a running job"),
    };
    str_append(out, tr(acts[c->what < ADMIN_N_ACTS ? c->what : ADMIN_ACT_NONE]));
    template_append(out, "[, and from node {name} none may: its entry in stoker.cfg has no admin = true]",
                    c, r, full);
}

static void job_in_state_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                              template_part full)
{
    template_append(out, "job {n} is ", c, r, full);
    str_append(out, c->state < JOB_N_STATES ? job_state_long((enum job_state)c->state) : "?");
}

/* The parts: keys that can always be changed, keys that can be while the job waits. */
static void update_unknown_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                                template_part full)
{
    template_append(out, "{name} cannot be changed", c, r, full);
    for (size_t i = 0; i < c->parts.n; i++) {
        str_append(out, i ? tr(", and while the job waits ") : "; ");
        full(out, &c->parts.v[i], r);
        str_append(out, i ? "" : tr(" can"));
    }
}

static void exit_status_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                             template_part full)
{
    (void)full;
    (void)r;
    str_appendf(out, tr("no program ends with code %lld and signal %lld"), (long long)(int64_t)c->n,
                (long long)(int64_t)c->of);
}

/* Slurm's words, which scripts read; the parts say why it would wait. */
static void would_start_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                             template_part full)
{
    bool knows = wall_is_set(c->at);
    lang_pause();
    if (knows)
        template_append(out, "to start at {at}", c, r, full);
    if (c->nodes)
        template_append(out, " using {cpus} processors on nodes {nodes} in partition {part}", c, r, full);
    else if (knows)
        template_append(out,
                        " at the latest, in partition {part}, by the time limits of the jobs before it", c,
                        r, full);
    str_append(out, knows && c->parts.n ? "; " : "");
    lang_resume();
    template_append_parts(out, c, 0, "; ", r, full);
}

const struct cause_sentence cause_refusal_sentences[CAUSE_N_CODES] = {
    [CAUSE_NO_JOB] = {.full = N_("there is no job {n}")},
    [CAUSE_NO_JOB_OF_YOURS] = {.full = N_("there is no job {n} of yours")},
    [CAUSE_NO_INTERACTIVE_JOB] = {.full = N_("job {n} is not an interactive job of yours")},
    [CAUSE_NO_STEP_OR_TASK] = {.full = N_("job {n} has no such step or task")},
    [CAUSE_NO_NODE] = {.full = N_("there is no node {name}")},
    [CAUSE_NO_FEATURE] = {.full = N_("no node has the feature {name}")},
    [CAUSE_NO_WINDOW] = {.full = N_("there is no window or reservation {name}")},
    [CAUSE_NO_USER] = {.full = N_("there is no user {name} on the controller's machine")},
    [CAUSE_NO_SCRIPT] = {.full = N_("the script of job {n} is not kept any more")},
    [CAUSE_NO_UNKNOWN_TASK] =
        {.full = N_("{name} runs no such task of a job {n} that this controller does not know")},

    [CAUSE_ADMINS_ONLY] = {.full_by = admins_only_full},
    [CAUSE_OTHER_USERS_JOB] = {.full = N_("it belongs to another user")},
    [CAUSE_OTHER_USERS_SCRIPT] = {.full = N_("scripts are shown to their owner alone")},
    [CAUSE_OTHER_USERS_OUTPUT] = {.full =
                                      N_("only the job's owner and administrators may read its output")},
    [CAUSE_ONE_USER] = {.full = N_(
                            "this controller runs as user {user} and can start jobs of that user alone")},
    [CAUSE_ADMIN_HOLD] = {.full = N_("held by an administrator, who must release it")},
    [CAUSE_NO_REQUEUE] = {.full = N_("it was submitted with --no-requeue")},
    [CAUSE_KNOWN_JOB] = {.full = N_("job {n} is known here: use stoker cancel {n}")},
    [CAUSE_OTHER_IDENTITY] =
        {.full = N_("identity mismatch: uid {n} is {text} on {name} and {user} at the controller")},
    [CAUSE_NOT_ON_LOGIN_NODE] = {.full =
                                     N_("{user} has nothing running on {name}, which is not a login node")},

    [CAUSE_JOB_ENDED] = {.full = N_("it has ended")},
    [CAUSE_JOB_ENDING] = {.full = N_("it is ending")},
    [CAUSE_JOB_ENDED_OR_ENDING] = {.full = N_("it has ended or is ending")},
    [CAUSE_JOB_WAITS] = {.full = N_("it is waiting")},
    [CAUSE_JOB_SUSPENDED] = {.full = N_("it is suspended: resume or cancel it")},
    [CAUSE_JOB_NOT_RUNNING] = {.full = N_("it does not run")},
    [CAUSE_JOB_NOT_SUSPENDED] = {.full = N_("it is not suspended")},
    [CAUSE_JOB_NOT_WAITING] = {.full = N_("only a waiting job can be held or released")},
    [CAUSE_JOB_IN_STATE] = {.full_by = job_in_state_full},
    [CAUSE_JOB_NEVER_STARTED] = {.full = N_("it never started and cannot be requeued")},
    [CAUSE_NO_STEP_RUNS] = {.full = N_("no step of it runs: its batch script gets signals by -b or -f")},
    [CAUSE_NO_TASK_RUNS] = {.full = N_("no task of it runs that could be notified")},
    [CAUSE_INTERACTIVE_REQUEUE] = {.full = N_("an interactive job cannot be requeued")},
    [CAUSE_STEP_JOB_SUSPEND] = {.full = N_("a step job is held or cancelled, not suspended")},

    [CAUSE_UPDATE_UNKNOWN] = {.full_by = update_unknown_full},
    [CAUSE_UPDATE_NO_PAIR] = {.full = N_("{name}: key=value expected")},
    [CAUSE_UPDATE_WHILE_WAITING] = {.full = N_("{name} can be changed while the job waits, not later")},
    [CAUSE_UPDATE_LEASE] =
        {.full = N_("a lease begins with the job: it can be given and taken away while the job waits")},
    [CAUSE_TIME_LIMIT_NONE] = {.full = N_("there is no time limit to count from")},
    [CAUSE_TIME_LIMIT_WHOLE] = {.full = N_("that is the whole of the time limit, or more")},
    [CAUSE_TIME_LIMIT_LONG] = {.full = N_("that is too long")},

    [CAUSE_WORDS] = {.full = "{text}"},
    [CAUSE_MALFORMED] = {.full = N_("malformed request")},
    [CAUSE_VALUE_EMPTY] = {.full = N_("{name}: it is empty")},
    [CAUSE_VALUE_LONG] = {.full = N_("{name}: more than {most:size}")},
    [CAUSE_VALUE_NOT_UTF8] = {.full = N_("{name}: it is not UTF-8")},
    [CAUSE_VALUE_INVISIBLE] = {.full =
                                   N_("{name}: neither control characters nor invisible ones are allowed")},
    [CAUSE_VALUE_COUNT] = {.full = N_("{name}: no more than {most}")},
    [CAUSE_WORKDIR_RELATIVE] = {.full = N_("working directory {name} is not an absolute path")},
    [CAUSE_NOTHING_TO_RUN] = {.full = N_("no script and no command")},
    [CAUSE_SCRIPT_LARGE] = {.full = N_("the script is over {most:size}")},
    [CAUSE_ENVIRONMENT_LARGE] =
        {.full = N_("the environment is over {n} variables or {most:size}: use --export to choose")},
    [CAUSE_RESOURCE_LIMITS] = {.full = N_("more than {most} resource limits")},
    [CAUSE_INPUT_LARGE] = {.full = N_("input comes in pieces of {most:size} at most")},
    [CAUSE_ASKED_TOO_MANY] = {.full = N_("more than {most} jobs or names in one request")},
    [CAUSE_EXIT_STATUS] = {.full_by = exit_status_full},
    [CAUSE_DRAIN_REASON] = {.full = N_("a reason is needed to drain a node")},
    [CAUSE_NOTE_TEXT] = {.full = N_("a note is one line of at most {most} printable bytes")},

    [CAUSE_STEPS_UNDECLARED] = {.full = N_("only a step job declares its steps")},
    [CAUSE_STEPS_ARRAY] = {.full = N_("a step job cannot be an array: its steps have tasks")},
    [CAUSE_STEPS_COUNT] = {.full = N_("a step job has between 1 and {most} steps")},
    [CAUSE_STEPS_TASKS] = {.full = N_("a step job has no more than {most} tasks in all")},
    [CAUSE_STEPS_LARGE] = {.full = N_(
                               "the names, commands and files of its steps are over {most:size} in all")},
    [CAUSE_STEP_PROCESSES] = {.full = N_("between 1 and {most} processes in a task")},
    [CAUSE_STEP_TASKS] = {.full = N_("between 1 and {most} tasks")},
    [CAUSE_STEP_NODE_TASKS] =
        {.full = N_("step asks for {ranks:task} on {nodes_n:node}: no more than {most} on each")},
    [CAUSE_STEP_OVER] = {.full = N_("job {n} has had {most} steps: no more in one job")},
    [CAUSE_NODE_TASKS] = {.full = N_("no more than {most} tasks on a node")},
    [CAUSE_RECORD_LARGE] =
        {.full =
             N_("the record of job {n} would be over {most:size} with its {of:step}: no more in one job")},

    [CAUSE_WINDOW_NODES] = {.full = N_("window {name}: it needs nodes")},
    [CAUSE_WINDOW_EXISTS] = {.full = N_("window {name} is there already")},
    [CAUSE_WINDOW_OVER] = {.full = N_("window {name} would be over already")},
    [CAUSE_WINDOW_USERS] = {.full = N_("reservation {name}: name the users or accounts that may use it")},
    [CAUSE_WINDOW_TEXT] = {.full = N_("a name or a text of the window cannot be used")},
    [CAUSE_WINDOWS_TOO_MANY] = {.full = N_("too many windows")},

    [CAUSE_DEPENDENCY_SELF] = {.full = N_("dependency {name}: it would wait for itself")},
    [CAUSE_DEPENDENCY_ELEMENT] = {.full = N_("dependency {name}: there is no such element")},
    [CAUSE_DEPENDENCY_NO_JOB] = {.full =
                                     N_("dependency {name}: there is no such job, nor has there been one")},
    [CAUSE_DEPENDENCY_CIRCLE] = {.full = N_("dependency {name}: that job waits for this one")},
    [CAUSE_DEPENDENCY_CIRCLE_NAME] = {.full = N_(
                                          "dependency {name}: a job of the same name waits for this one")},
    [CAUSE_DEPENDENCY_HISTORY] = {.full = N_("dependency {name}: the history cannot be read now")},

    [CAUSE_STOPPING] = {.full = N_("the controller is stopping")},
    [CAUSE_STOPPING_JOBS] = {.full = N_("the controller ends all jobs and stops")},
    [CAUSE_READ_ONLY] = {.full = N_("the controller is read-only[: {text}]")},
    [CAUSE_NOT_COMMITTED] = {.full = N_("nothing was done: {text}")},
    [CAUSE_QUEUE_FULL] = {.full = N_("the queue is full")},
    [CAUSE_QUEUE_TASKS] = {.full = N_("the queue is full: {most} tasks of step jobs")},
    [CAUSE_QUEUE_USER] =
        {.full = N_("{n:job} of yours {n?is|are} in the queue, and no user may have more than {most} "
                    "(max_user_jobs)")},
    [CAUSE_NO_JOB_ID] = {.full = N_("the state refuses it: no job id is left")},
    [CAUSE_HISTORY_FULL] = {.full = N_("too many requests wait for the history")},
    [CAUSE_HISTORY_BUSY] = {.full = N_("another question about the history is being answered")},
    [CAUSE_HISTORY_UNREADABLE] = {.full = N_("the history cannot be read: {text}")},
    [CAUSE_SCRIPTS_TOO_MANY] = {.full = N_("too many scripts are asked for at a time")},
    [CAUSE_OUTPUTS_TOO_MANY] = {.full = N_("too many questions about old jobs at a time")},
    [CAUSE_USER_BYTES] =
        {.full = N_(
             "your jobs take {used:mem} of the {most:mem} that one user may ({name}): cancel some, or "
             "wait until ended ones leave the queue")},
    [CAUSE_SHORT_OF_DISK] =
        {.full = N_("the disk of the controller's state is nearly full ({free:mem} left): jobs can only be "
                    "cancelled until there is room")},
    [CAUSE_SHORT_OF_MEMORY] =
        {.full = N_(
             "the controller uses {used:mem} of the {most:mem} of memory that it may use: until it uses "
             "less, jobs can only be cancelled")},
    [CAUSE_NOTE_RATE] = {.full = N_("job {n} was sent a message less than a second ago: try again")},
    [CAUSE_NAME_SERVICE] = {.full = N_(
                                "the name service of the controller's machine does not say who user {name} "
                                "is: try again")},
    [CAUSE_CONNECTIONS] = {.full = N_("it has {n:connection}, and room for no more")},
    [CAUSE_CONNECTIONS_USER] =
        {.full = N_("{n:connection} of yours {n?is|are} open, and no user may have more at a time")},
    [CAUSE_PROTOCOL] =
        {.full =
             N_("{name} speaks protocol {n}, this controller {of} to {most}: use programs of one release")},
    [CAUSE_NODE_NONE_YET] = {.full = N_("it has no node yet")},
    [CAUSE_NODE_SILENT] = {.full = N_("node {name} does not answer now")},
    [CAUSE_NODE_KEEPS] = {.full =
                              N_("node {name} does not answer now: what it keeps is read when it is back")},
    [CAUSE_NODE_REMOVED] = {.full = N_("node {name}, where it lies, is not in the cluster now")},
    [CAUSE_NODE_BUSY] = {.full = N_("node {name} is busy: again later")},
    [CAUSE_NODE_UNREACHED] = {.full = N_("{name} cannot be reached now: nothing was ended")},

    [CAUSE_WOULD_START] = {.full_by = would_start_full},
    [CAUSE_NO_MAIL] = {.full = N_("--mail-type: no mail is sent, because mail_program is not set in this "
                                  "cluster's configuration")},
};
