#include "src/text/cause_sentence.h"

#include "src/model/dep.h"
#include "src/model/spec.h"
#include "src/text/cause_template.h"
#include "src/text/state_text.h"

/* --- dependencies --- */

static void depends_name(struct str *out, const struct cause *c)
{
    str_appendf(out, "%s %s", c->array ? "array" : "job", c->id ? c->id : "?");
}

static void depends_on_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                            template_part full)
{
    depends_name(out, c);
    template_append(out, "[ ({parts})]", c, r, full);
    str_appendf(out, " %s%s", c->dead ? "had " : "",
                c->what < DEP_N_TYPES ? dep_type_text((enum dep_type)c->what) : "?");
    template_append(out, "[, which it did; {n:words} more]", c, r, full);
}

static void dependency_append(struct str *out, const char *lead, const struct cause *c,
                              const struct cause_reader *r, template_part full)
{
    str_append(out, lead);
    template_append_parts(out, c, 0, c->any ? " or " : "; ", r, full);
    template_append(out, "[ and {more} more]", c, r, full);
}

static void dependency_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                            template_part full)
{
    dependency_append(out, "waits for ", c, r, full);
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
    str_appendf(out, "waits for %s %s", on->id ? on->id : "?",
                on->what < DEP_N_TYPES ? dep_type_text((enum dep_type)on->what) : "?");
}

static void dependency_never_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                                  template_part full)
{
    dependency_append(out, "can never start: ", c, r, full);
}

static const char *depends_became(const struct cause *c)
{
    enum cause_code state = c->parts.n ? (enum cause_code)c->parts.v[0].code : CAUSE_STATE_UNKNOWN;
    if (c->array)
        return c->what == DEP_TYPE_NOT_OK ? "succeeded" : "failed";
    if (state == CAUSE_STATE_UNKNOWN || state == CAUSE_STATE_ENDED)
        return "is no longer known";
    switch ((enum job_state)c->state) {
    case JOB_COMPLETED: return "succeeded";
    case JOB_CANCELLED: return "was cancelled";
    case JOB_TIMEOUT: return "reached its time limit";
    case JOB_PENDING: return "never starts";
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
    return "failed";
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
    depends_name(out, first);
    str_appendf(out, " %s: will never start", depends_became(first));
}

static void state_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                       template_part full)
{
    (void)full;
    (void)r;
    str_append(out, c->state < JOB_N_STATES ? job_state_word((enum job_state)c->state) : "?");
    if (c->code == CAUSE_STATE_FAILED)
        str_appendf(out, ", exit %lld:%lld", (long long)(int64_t)c->n, (long long)(int64_t)c->of);
}

static void state_array_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                             template_part full)
{
    str_appendf(out, "array: %llu waiting, %llu running", (unsigned long long)c->n,
                (unsigned long long)c->of);
    template_append(out, "[, {most} failed]", c, r, full);
}

/* --- holds --- */

static void held_brief(struct str *out, const struct cause *c, const struct cause_reader *r,
                       template_part full)
{
    bool own = c->code == CAUSE_HELD_BY_OWNER && cause_is_reader(r, c->user) && r->release;
    if (own)
        str_appendf(out, "held by you, %s", r->release);
    else
        template_append(out, "held by {user:you}[ since {at}]", c, r, full);
}

static void held_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                      template_part full)
{
    template_append(out, "held by {user:you}[; {parts}]", c, r, full);
    if (c->parts.n)
        return;
    if (c->code == CAUSE_HELD_BY_ADMIN)
        str_append(out, ", an administrator, who must release it");
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
        template_append(out, c->id ? "behind job {id}" : "other jobs are ahead", c, r, full);
    cause_append_start(out, c, r, full);
}

static void delays_brief(struct str *out, const struct cause *c, const struct cause_reader *r,
                         template_part full)
{
    str_appendf(out, "would delay job %s", c->jobs.n ? c->jobs.v[0] : "?");
    template_append(out, "[, which starts ~{at}]", c, r, full);
}

static void delays_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                        template_part full)
{
    template_append(out, "job {jobs}[ and {more} more]", c, r, full);
    str_append(out, c->jobs.n + c->more == 1 ? " is" : " are");
    template_append(out, " planned to start there {at:in}: this job would not have ended by then", c, r,
                    full);
}

/* --- what would help --- */

static void try_count_brief(struct str *out, const struct cause *c, const struct cause_reader *r,
                            template_part full)
{
    static const struct {
        const char *option, *noun, *more;
    } nouns[] = {{"--gpus=", "GPU", ""},
                 {"--gres=gpu:", "GPU", " a node"},
                 {"--cpus-per-task=", "CPU", " a task"},
                 {"--nodes=", "node", ""}};
    for (size_t i = 0; i < sizeof nouns / sizeof *nouns; i++)
        if (str_eq(c->name, nouns[i].option)) {
            str_append(out, "ask for ");
            cause_append_count(out, c->n, nouns[i].noun);
            str_appendf(out, "%s instead", nouns[i].more);
            return;
        }
    template_append(out, "use {name}{n} instead", c, r, full);
}

static void waits_reason_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                              template_part full)
{
    (void)full;
    (void)r;
    str_appendf(out, "waits: %s", reason_text(c->state < REASON_N ? (enum reason)c->state : REASON_NONE));
}

/* --- the table --- */

const struct cause_sentence cause_job_sentences[CAUSE_N_CODES] = {
    [CAUSE_HELD_BY_OWNER] = {.full_by = held_full, .brief_by = held_brief},
    [CAUSE_HELD_BY_ADMIN] = {.full_by = held_full, .brief_by = held_brief},
    [CAUSE_HELD_AFTER_LOSSES] = {.full = "held after its node was lost {n:time}"},
    [CAUSE_RELEASE_REFUSED] = {.full = "a release is refused: {parts}"},
    [CAUSE_BEGIN_TIME] = {.full = "its earliest start is {at:in}", .brief = "not before {at}"},
    [CAUSE_DEPENDENCY] = {.full_by = dependency_full, .brief_by = dependency_brief},
    [CAUSE_DEPENDENCY_NEVER] = {.full_by = dependency_never_full, .brief_by = dependency_never_brief},
    [CAUSE_DEPENDENCY_UNREADABLE] = {.full = "its dependency {text} cannot be read"},
    [CAUSE_DEPENDS_ON] = {.full_by = depends_on_full},
    [CAUSE_DEPENDS_ON_NAME] = {.full = "job {id} named \"{name}\" to end (singleton)"},
    [CAUSE_STATE_ARRAY] = {.full_by = state_array_full},
    [CAUSE_STATE_UNKNOWN] = {.full = "no longer known"},
    [CAUSE_STATE_ENDED] = {.full = "ended"},
    [CAUSE_STATE_WAITING] = {.full = "waiting"},
    [CAUSE_STATE_HELD] = {.full = "held"},
    [CAUSE_STATE_NEVER] = {.full = "which can never start"},
    [CAUSE_STATE_DEPENDS] = {.full = "waiting itself for another"},
    [CAUSE_STATE_OTHER] = {.full_by = state_full},
    [CAUSE_STATE_FAILED] = {.full_by = state_full},
    [CAUSE_DEADLINE_PASSED] = {.full = "it can no longer end before its deadline"},
    [CAUSE_DEADLINE_NOW] = {.full = "it could not end before its deadline, even if it started now"},
    [CAUSE_DEADLINE_BEGIN] = {.full =
                                  "it could not end before its deadline, even if it started at its begin "
                                  "time"},
    [CAUSE_LATE_FOR_DEADLINE] = {.full =
                                     "by its time limit in {part} it would end after its deadline, which "
                                     "is {at:in}",
                                 .brief = "cannot end before its deadline[ at {at}]"},
    [CAUSE_LATE_FOR_RESERVATION] = {.full = "by its time limit in {part} it would end after the end of its "
                                            "reservation {name}, which is {at:in}",
                                    .brief = "cannot end before reservation {name} ends[ at {at}]"},
    [CAUSE_NO_TIME_TO_DEADLINE] = {.full = "there is no time left in {part} until its deadline, which is "
                                           "{at:in}",
                                   .brief = "cannot end before its deadline[ at {at}]"},
    [CAUSE_NO_TIME_TO_RESERVATION] = {.full = "there is no time left in {part} until the end of its "
                                              "reservation {name}, which is {at:in}",
                                      .brief = "cannot end before reservation {name} ends[ at {at}]"},
    [CAUSE_THROTTLE] = {.full =
                            "its array may run {most:element} at once and {n} {n?runs|run}[; other jobs "
                            "have been preempted for {more} more]",
                        .brief = "array limit: {most} at a time"},
    [CAUSE_LAUNCH_RETRY] = {.full = "it could not be started and is tried again"},
    [CAUSE_TASKS_WAIT] = {.full = "{n} of its tasks wait[: {parts}]"},
    [CAUSE_AHEAD] = {.full = "{n:job}[ ({gpus:GPU})] {n?is|are} ahead in {part}[; the first of them, {id}, "
                             "waits for resources]",
                     .brief_by = ahead_brief},
    [CAUSE_AHEAD_TASKS] = {.full =
                               "{n:job}[ ({gpus:GPU})] {n?is|are} ahead in {part}; tasks of {id}, which "
                               "runs, wait for resources first",
                           .brief_by = ahead_brief},
    [CAUSE_AHEAD_UNKNOWN] = {.full = "other jobs are ahead in {part}[; the first of them, {id}, waits for "
                                     "resources]",
                             .brief_by = ahead_brief},
    [CAUSE_STARTS_NOW] = {.full = "it fits now and starts with the next scheduling cycle",
                          .brief = "starts now"},
    [CAUSE_PREEMPTS] =
        {.full = "preempts job {id}[ of {user:you}], which ends when its grace time is over at the "
                 "latest",
         .brief = "preempts job {id}[ of {user:you}][, which ends by {at}]"},
    [CAUSE_DELAYS] = {.full_by = delays_full, .brief_by = delays_brief},
    [CAUSE_START_HELD] = {.full = "planned, sooner if jobs end early"},
    [CAUSE_START_PLANNED] = {.full = "by the time limits of what runs and of the jobs ahead"},
    [CAUSE_START_LIMITED] = {.full = "by the time limits of what counts against its limits and of the jobs "
                                     "ahead"},
    [CAUSE_START_DEADLINE] = {.full = "by the time limits of the jobs ahead it cannot end before its "
                                      "deadline"},
    [CAUSE_START_BEYOND] = {.full = "not within the next {window_s:words}"},
    [CAUSE_START_NOT_BEFORE] = {.full = "not before that; what is free then is not worked out yet"},
    [CAUSE_START_AT_ONCE] = {.full =
                                 "as soon as its time has come, by the time limits of what runs and waits "
                                 "now"},
    [CAUSE_START_AFTER] = {.full =
                               "after its time has come, by the time limits of what runs and of all that "
                               "wait now, behind which it comes"},
    [CAUSE_START_DEPENDS] = {.full =
                                 "not before its dependency is met, and what is free then is not known"},
    [CAUSE_START_FREE] = {.full = "free resources"},
    [CAUSE_TRY_OPTION] = {.full = "with {name}{text} it could start now on {nodes}",
                          .brief = "use {name}{text} instead"},
    [CAUSE_TRY_COUNT] = {.full = "with {name}{n} instead of {of} it could start now on {nodes}",
                         .brief_by = try_count_brief},
    [CAUSE_TRY_PARTITION] = {.full = "in partition {part} it could start now on {nodes}",
                             .brief = "move it to partition {part}"},
    [CAUSE_WAITS_REASON] = {.full_by = waits_reason_full},
    [CAUSE_WAITS_BEYOND] = {.full = "waits: by the current plan it does not start within the next "
                                    "{window_s:words}"},
    [CAUSE_WAITS_FOR_ROOM] = {.full = "waits for resources; when they become free is not known yet"},
};
