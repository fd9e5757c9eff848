#include "src/lang/lang.h"
#include "src/text/cause_sentence.h"

#include "src/model/dep.h"
#include "src/model/spec.h"
#include "src/text/cause_template.h"
#include "src/text/exit_text.h"
#include "src/text/slurm_reason_text.h"
#include "src/text/state_text.h"

/* --- dependencies --- */

static void depends_name(struct str *out, const struct cause *c)
{
    str_appendf(out, c->array ? tr("array %s") : tr("job %s"), c->id ? c->id : "?");
}

static void depends_on_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                            template_part full)
{
    depends_name(out, c);
    template_append(out, "[ ({parts})]", c, r, full);
    str_appendf(out, c->dead ? tr(" had %s") : tr(" %s"),
                c->what < DEP_N_TYPES ? dep_type_text((enum dep_type)c->what) : "?");
    template_append(out, "[, which it did; {n:words} more]", c, r, full);
}

static void dependency_append(struct str *out, const char *lead, const struct cause *c,
                              const struct cause_reader *r, template_part full)
{
    str_append(out, lead);
    template_append_parts(out, c, 0, c->any ? tr(" or ") : "; ", r, full);
    template_append(out, "[ and {more} more]", c, r, full);
}

static void dependency_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                            template_part full)
{
    dependency_append(out, tr("waits for "), c, r, full);
}

/* "waits for 28 to succeed": a line of a list has no room for what the other job does now. */
static void dependency_brief(struct str *out, const struct cause *c, const struct cause_reader *r,
                             template_part full)
{
    if (c->parts.n != 1 || c->parts.v[0].code != CAUSE_DEPENDS_ON || c->more) {
        dependency_full(out, c, r, full);
        return;
    }
    const struct cause *on = &c->parts.v[0];
    str_appendf(out, tr("waits for %s %s"), on->id ? on->id : "?",
                on->what < DEP_N_TYPES ? dep_type_text((enum dep_type)on->what) : "?");
}

static void dependency_never_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                                  template_part full)
{
    dependency_append(out, tr("can never start: "), c, r, full);
}

static const char *depends_became(const struct cause *c)
{
    enum cause_code state = c->parts.n ? (enum cause_code)c->parts.v[0].code : CAUSE_STATE_UNKNOWN;
    if (c->array)
        return c->what == DEP_TYPE_NOT_OK ? tr("%s succeeded: will never start")
                                          : tr("%s failed: will never start");
    if (state == CAUSE_STATE_UNKNOWN || state == CAUSE_STATE_ENDED)
        return tr("%s is no longer known: will never start");
    switch ((enum job_state)c->state) {
    case JOB_COMPLETED: return tr("%s succeeded: will never start");
    case JOB_CANCELLED: return tr("%s was cancelled: will never start");
    case JOB_TIMEOUT: return tr("%s reached its time limit: will never start");
    case JOB_PENDING: return tr("%s can never start: nor can this job");
    case JOB_RUNNING:
    case JOB_SUSPENDED:
    case JOB_COMPLETING:
    case JOB_FAILED:
    case JOB_NODE_FAIL:
    case JOB_PREEMPTED:
    case JOB_OUT_OF_MEMORY:
    case JOB_DEADLINE:
    case JOB_N_STATES: break;
    }
    return tr("%s failed: will never start");
}

/* "job 28 failed: will never start". */
static void dependency_never_brief(struct str *out, const struct cause *c, const struct cause_reader *r,
                                   template_part full)
{
    const struct cause *first = c->parts.n ? &c->parts.v[0] : NULL;
    if (!first || first->code != CAUSE_DEPENDS_ON) {
        dependency_never_full(out, c, r, full);
        return;
    }
    struct str name = STR_INIT;
    depends_name(&name, first);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    str_appendf(out, depends_became(first), name.s);
#pragma GCC diagnostic pop
    str_fini(&name);
}

static void state_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                       template_part full)
{
    (void)full;
    (void)r;
    str_append(out, c->state < JOB_N_STATES ? job_state_word((enum job_state)c->state) : "?");
    if (c->code == CAUSE_STATE_FAILED && c->of) {
        str_appendf(out, tr(", signal %lld"), (long long)(int64_t)c->of);
    } else if (c->code == CAUSE_STATE_FAILED) {
        str_append(out, ", ");
        exit_text_append(out, (int)c->n);
    }
}

static void state_array_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                             template_part full)
{
    str_appendf(out, tr("array: %llu waiting, %llu running"), (unsigned long long)c->n,
                (unsigned long long)c->of);
    template_append(out, "[, {most} failed]", c, r, full);
}

/* --- holds --- */

/* Slurm does not tell which administrator. */
static bool is_held_by_unnamed(const struct cause *c)
{
    return c->code == CAUSE_HELD_BY_ADMIN && str_is_empty(c->user);
}

static void held_brief(struct str *out, const struct cause *c, const struct cause_reader *r,
                       template_part full)
{
    bool own = c->code == CAUSE_HELD_BY_OWNER && cause_is_reader(r, c->user) && r->release;
    if (own)
        str_appendf(out, tr("held by you; %s"), r->release);
    else if (is_held_by_unnamed(c))
        str_append(out, tr("held by an administrator"));
    else
        template_append(out, "held by {user:you}[ since {at}]", c, r, full);
}

static void held_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                      template_part full)
{
    if (is_held_by_unnamed(c)) {
        str_append(out, tr("held by an administrator, who must release it"));
        return;
    }
    template_append(out, "held by {user:you}[; {parts}]", c, r, full);
    if (c->parts.n)
        return;
    if (c->code == CAUSE_HELD_BY_ADMIN)
        str_append(out, tr(", an administrator, who must release it"));
    else if (r && r->release)
        str_appendf(out, "; %s", r->release);
}

/* --- the queue --- */

static void ahead_brief(struct str *out, const struct cause *c, const struct cause_reader *r,
                        template_part full)
{
    if (c->code != CAUSE_AHEAD_UNKNOWN)
        template_append(out, "{n:job} ahead", c, r, full);
    else
        template_append(out, c->id ? N_("behind job {id}") : N_("other jobs are ahead"), c, r, full);
    cause_append_start(out, c, r, full);
}

static void delays_brief(struct str *out, const struct cause *c, const struct cause_reader *r,
                         template_part full)
{
    str_appendf(out, tr("would delay job %s"), c->jobs.n ? c->jobs.v[0] : "?");
    template_append(out, "[, which starts ~{at}]", c, r, full);
}

static void delays_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                        template_part full)
{
    if (c->jobs.n + c->more == 1)
        template_append(
            out, "job {jobs} is planned to start there {at:in}: this job would not have ended by then", c,
            r, full);
    else
        template_append(out,
                        "job {jobs}[ and {more} more] are planned to start there {at:in}: this job would "
                        "not have ended by then",
                        c, r, full);
}

/* --- what would help --- */

static void try_count_brief(struct str *out, const struct cause *c, const struct cause_reader *r,
                            template_part full)
{
    static const struct {
        const char *option, *text;
    } options[] = {{"--gpus=", N_("ask for {n:GPU} instead")},
                   {"--gres=gpu:", N_("ask for {n:GPU} a node instead")},
                   {"--cpus-per-task=", N_("ask for {n:CPU} a task instead")},
                   {"--nodes=", N_("ask for {n:node} instead")}};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (str_eq(c->name, options[i].option)) {
            template_append(out, options[i].text, c, r, full);
            return;
        }
    template_append(out, "use {name}{n} instead", c, r, full);
}

static void waits_reason_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                              template_part full)
{
    (void)full;
    (void)r;
    str_appendf(out, tr("waits: %s"),
                reason_text(c->state < REASON_N ? (enum reason)c->state : REASON_NONE));
}

static void waits_reason_brief(struct str *out, const struct cause *c, const struct cause_reader *r,
                               template_part full)
{
    str_append(out, reason_text(c->state < REASON_N ? (enum reason)c->state : REASON_NONE));
    cause_append_start(out, c, r, full);
}

/* --- another engine --- */

/* "a rule of its account keeps it back"; a word without a meaning here stands for itself. */
static void slurm_reason_brief(struct str *out, const struct cause *c, const struct cause_reader *r,
                               template_part full)
{
    if (!slurm_reason_append(out, c->name))
        template_append(out, c->name ? "{name}[, {text}]" : "{text}", c, r, full);
    cause_append_start(out, c, r, full);
}

static void slurm_reason_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                              template_part full)
{
    struct str meaning = STR_INIT;
    if (slurm_reason_append(&meaning, c->name))
        str_appendf(out, tr("Slurm says %s: %s"), c->name, meaning.s);
    else
        str_appendf(out, tr("Slurm says %s"), c->name ? c->name : c->text ? c->text : "?");
    if (c->name)
        template_append(out, "[ ({text})]", c, r, full);
    if (c->n)
        str_append(out, tr("; nothing more can be known from outside"));
    str_fini(&meaning);
}

/* --- the table --- */

const struct cause_sentence cause_job_sentences[CAUSE_N_CODES] = {
    [CAUSE_HELD_BY_OWNER] = {.full_by = held_full, .brief_by = held_brief},
    [CAUSE_HELD_BY_ADMIN] = {.full_by = held_full, .brief_by = held_brief},
    [CAUSE_HELD_AFTER_LOSSES] = {.full = N_("held after its node was lost {n:time}")},
    [CAUSE_RELEASE_REFUSED] = {.full = N_("a release is refused: {parts}")},
    [CAUSE_BEGIN_TIME] = {.full = N_("its earliest start is {at:in}"), .brief = N_("not before {at}")},
    [CAUSE_DEPENDENCY] = {.full_by = dependency_full, .brief_by = dependency_brief},
    [CAUSE_DEPENDENCY_NEVER] = {.full_by = dependency_never_full, .brief_by = dependency_never_brief},
    [CAUSE_DEPENDENCY_UNREADABLE] = {.full = N_("its dependency {text} cannot be read")},
    [CAUSE_DEPENDS_ON] = {.full_by = depends_on_full},
    [CAUSE_DEPENDS_ON_NAME] = {.full = N_("job {id} named \"{name}\" to end (singleton)")},
    [CAUSE_STATE_ARRAY] = {.full_by = state_array_full},
    [CAUSE_STATE_UNKNOWN] = {.full = N_("no longer known")},
    [CAUSE_STATE_ENDED] = {.full = N_("ended")},
    [CAUSE_STATE_WAITING] = {.full = N_("waiting")},
    [CAUSE_STATE_HELD] = {.full = N_("held")},
    [CAUSE_STATE_NEVER] = {.full = N_("which can never start")},
    [CAUSE_STATE_DEPENDS] = {.full = N_("waiting itself for another")},
    [CAUSE_STATE_OTHER] = {.full_by = state_full},
    [CAUSE_STATE_FAILED] = {.full_by = state_full},
    [CAUSE_DEADLINE_PASSED] = {.full = N_("it can no longer end before its deadline")},
    [CAUSE_DEADLINE_NOW] = {.full = N_("it could not end before its deadline, even if it started now")},
    [CAUSE_DEADLINE_BEGIN] = {.full = N_(
                                  "it could not end before its deadline, even if it started at its begin "
                                  "time")},
    [CAUSE_LATE_FOR_DEADLINE] = {.full = N_(
                                     "by its time limit in {part} it would end after its deadline, which "
                                     "is {at:in}"),
                                 .brief = N_("cannot end before its deadline[ at {at}]")},
    [CAUSE_LATE_FOR_RESERVATION] = {.full =
                                        N_("by its time limit in {part} it would end after the end of its "
                                           "reservation {name}, which is {at:in}"),
                                    .brief = N_("cannot end before reservation {name} ends[ at {at}]")},
    [CAUSE_NO_TIME_TO_DEADLINE] = {.full =
                                       N_("there is no time left in {part} until its deadline, which is "
                                          "{at:in}"),
                                   .brief = N_("cannot end before its deadline[ at {at}]")},
    [CAUSE_NO_TIME_TO_RESERVATION] = {.full = N_("there is no time left in {part} until the end of its "
                                                 "reservation {name}, which is {at:in}"),
                                      .brief = N_("cannot end before reservation {name} ends[ at {at}]")},
    [CAUSE_THROTTLE] = {.full =
                            N_("its array may run {most:element} at once and {n} {n?runs|run}[; other jobs "
                               "have been preempted for {more} more]"),
                        .brief = N_("array limit: {most} at a time")},
    [CAUSE_LAUNCH_RETRY] = {.full = N_("it could not be started and is tried again")},
    [CAUSE_TASKS_WAIT] = {.full = N_("{n} of its tasks wait[: {parts}]")},
    [CAUSE_AHEAD] = {.full = N_(
                         "{n:job}[ ({gpus:GPU})][ ({cpus:CPU})] {n?is|are} ahead in {part}[; the first of "
                         "them, {id}, waits for resources]"),
                     .brief_by = ahead_brief},
    [CAUSE_AHEAD_TASKS] = {.full =
                               N_("{n:job}[ ({gpus:GPU})] {n?is|are} ahead in {part}; tasks of {id}, which "
                                  "runs, wait for resources first"),
                           .brief_by = ahead_brief},
    [CAUSE_AHEAD_UNKNOWN] = {.full =
                                 N_("other jobs are ahead in {part}[; the first of them, {id}, waits for "
                                    "resources]"),
                             .brief_by = ahead_brief},
    [CAUSE_STARTS_NOW] = {.full = N_("it fits now and starts with the next scheduling cycle"),
                          .brief = N_("starts now")},
    [CAUSE_PREEMPTS] =
        {.full = N_("preempts job {id}[ of {user:you}], which ends when its grace time is over at the "
                    "latest"),
         .brief = N_("preempts job {id}[ of {user:you}][, which ends by {at}]")},
    [CAUSE_PREEMPTS_LATER] =
        {.full =
             N_("{n:job} that it may preempt {n?has|have} not had {n?its|their} minimum run yet; job {id} "
                "may be preempted from {at} on"),
         .brief = N_("may preempt job {id} from {at} on")},
    [CAUSE_DELAYS] = {.full_by = delays_full, .brief_by = delays_brief},
    [CAUSE_START_HELD] = {.full = N_("planned, sooner if jobs end early")},
    [CAUSE_START_PLANNED] = {.full = N_("by the time limits of the running jobs and of the jobs ahead")},
    [CAUSE_START_LIMITED] =
        {.full = N_("by the time limits of running jobs that share its limits, and of the jobs "
                    "ahead")},
    [CAUSE_START_DEADLINE] = {.full = N_("by the time limits of the jobs ahead it cannot end before its "
                                         "deadline")},
    [CAUSE_START_BEYOND] = {.full = N_("not within the next {window_s:words}")},
    [CAUSE_START_NOT_BEFORE] = {.full = N_("not before that; what is free then is not worked out yet")},
    [CAUSE_START_AT_ONCE] = {.full = N_(
                                 "as soon as its time has come, by the time limits of what runs and waits "
                                 "now")},
    [CAUSE_START_AFTER] = {.full = N_(
                               "after its time has come, by the time limits of what runs and of all that "
                               "wait now, behind which it comes")},
    [CAUSE_START_DEPENDS] = {.full = N_(
                                 "not before its dependency is met, and what is free then is not known")},
    [CAUSE_START_FREE] = {.full = N_("free resources")},
    [CAUSE_TRY_OPTION] = {.full = N_("with {name}{text} it could start now on {nodes}"),
                          .brief = N_("use {name}{text} instead")},
    [CAUSE_TRY_ADMITTED] = {.full = N_("with {name}{text} partition {part} admits it"),
                            .brief = N_("use {name}{text} instead")},
    [CAUSE_TRY_COUNT] = {.full = N_("with {name}{n} instead of {of} it could start now on {nodes}"),
                         .brief_by = try_count_brief},
    [CAUSE_TRY_PARTITION] = {.full = N_("in partition {part} it could start now on {nodes}"),
                             .brief = N_("move it to partition {part}")},
    [CAUSE_SLURM_REASON] = {.full_by = slurm_reason_full, .brief_by = slurm_reason_brief},
    [CAUSE_WAITS_REASON] = {.full_by = waits_reason_full, .brief_by = waits_reason_brief},
    [CAUSE_WAITS_BEYOND] = {.full = N_("waits: by the current plan it does not start within the next "
                                       "{window_s:words}")},
    [CAUSE_WAITS_FOR_ROOM] = {.full = N_("waits for resources; when they become free is not known yet")},
};
