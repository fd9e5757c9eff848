#include "src/lang/lang.h"
#include "src/text/cause_sentence.h"

#include "src/model/spec.h"
#include "src/text/cause_template.h"
#include "src/values/units.h"

/* --- limits --- */

static void limit_amount(struct str *out, uint32_t what, uint64_t n)
{
    char buf[UNITS_TEXT_SIZE];
    if (what != LIMIT_OF_MEMORY)
        str_appendf(out, "%llu", (unsigned long long)n);
    else
        str_append(out, mem_format_words(n > UINT64_MAX / 1024 ? UINT64_MAX : n * 1024, buf));
}

/* "GPUs in urgent" of all of them. */
static const char *limit_noun(uint32_t what)
{
    static const char *const nouns[LIMIT_N_WHATS] = {
        [LIMIT_OF_GPUS] = N_("GPUs"),
        [LIMIT_OF_CPUS] = N_("CPUs"),
        [LIMIT_OF_MEMORY] = N_("memory"),
        [LIMIT_OF_NODES] = N_("nodes"),
        [LIMIT_OF_RUNNING] = N_("running jobs"),
        [LIMIT_OF_SUBMITTED] = N_("jobs in the queue"),
        [LIMIT_OF_GPU_MINUTES] = N_("GPU minutes"),
        [LIMIT_OF_ARRAY_SIZE] = N_("elements in an array"),
    };
    return what < LIMIT_N_WHATS ? tr(nouns[what]) : "?";
}

/* "4 GPUs", "64G of memory". */
static void limit_quantity(struct str *out, uint32_t what, uint64_t n)
{
    unsigned long long v = n;
    struct str mem = STR_INIT;
    switch (what) {
    case LIMIT_OF_GPUS: str_appendf(out, trn("%llu GPU", "%llu GPUs", v), v); break;
    case LIMIT_OF_CPUS: str_appendf(out, trn("%llu CPU", "%llu CPUs", v), v); break;
    case LIMIT_OF_NODES: str_appendf(out, trn("%llu node", "%llu nodes", v), v); break;
    case LIMIT_OF_RUNNING: str_appendf(out, trn("%llu running job", "%llu running jobs", v), v); break;
    case LIMIT_OF_SUBMITTED:
        str_appendf(out, trn("%llu job in the queue", "%llu jobs in the queue", v), v);
        break;
    case LIMIT_OF_GPU_MINUTES: str_appendf(out, trn("%llu GPU minute", "%llu GPU minutes", v), v); break;
    case LIMIT_OF_ARRAY_SIZE:
        str_appendf(out, trn("%llu element in an array", "%llu elements in an array", v), v);
        break;
    case LIMIT_OF_MEMORY:
        limit_amount(&mem, what, n);
        str_appendf(out, tr("%s of memory"), mem.s);
        break;
    default: str_appendf(out, "%llu ?", v); break;
    }
    str_fini(&mem);
}

static void limit_holder(struct str *out, const struct cause *c)
{
    const char *name = c->name ? c->name : "";
    switch ((enum limit_scope)c->scope) {
    case LIMIT_USER: str_appendf(out, tr("user %s"), name); return;
    case LIMIT_ACCOUNT: str_appendf(out, tr("account %s"), name); return;
    case LIMIT_QOS: str_appendf(out, tr("QOS %s"), name); return;
    case LIMIT_PARTITION: str_appendf(out, tr("partition %s"), name); return;
    case LIMIT_CLUSTER: str_append(out, tr("the cluster")); return;
    }
    str_appendf(out, "? %s", name);
}

/* Whom the rule is for: "users", "account vision". */
static void limit_subject(struct str *out, const struct cause *c)
{
    bool each = str_is_empty(c->rule) || str_eq(c->rule, "*");
    switch ((enum limit_scope)c->scope) {
    case LIMIT_USER: str_appendf(out, each ? tr("users") : tr("user %s"), c->rule); return;
    case LIMIT_ACCOUNT: str_appendf(out, each ? tr("accounts") : tr("account %s"), c->rule); return;
    case LIMIT_QOS: str_appendf(out, each ? tr("each QOS") : tr("QOS %s"), c->rule); return;
    case LIMIT_PARTITION: str_appendf(out, each ? tr("partitions") : tr("partition %s"), c->rule); return;
    case LIMIT_CLUSTER: str_append(out, tr("the cluster")); return;
    }
    str_append(out, "?");
}

/* " (hard limit for users in partition main)". */
static void limit_rule(struct str *out, const struct cause *c)
{
    struct str subject = STR_INIT;
    limit_subject(&subject, c);
    if (str_is_empty(c->part))
        str_appendf(out, c->soft ? tr(" (soft limit for %s)") : tr(" (hard limit for %s)"), subject.s);
    else
        str_appendf(out,
                    c->soft ? tr(" (soft limit for %s in partition %s)")
                            : tr(" (hard limit for %s in partition %s)"),
                    subject.s, c->part);
    str_fini(&subject);
}

/* The request alone is above the limit. */
static bool limit_is_alone(const struct cause *c)
{
    return c->asked > c->most || c->what == LIMIT_OF_ARRAY_SIZE;
}

static bool limit_counts_jobs(const struct cause *c)
{
    return c->what == LIMIT_OF_SUBMITTED || c->what == LIMIT_OF_RUNNING;
}

static void limit_alone_full(struct str *out, const struct cause *c, const char *holder, const char *most)
{
    struct str asked = STR_INIT;
    if (c->asked == UINT64_MAX)
        str_append(&asked, tr("GPUs without a time limit"));
    else
        limit_quantity(&asked, c->what, c->asked);
    str_appendf(out,
                c->what == LIMIT_OF_ARRAY_SIZE ? tr("%s asked; %s may have %s")
                                               : tr("%s asked; %s may hold %s"),
                asked.s, holder, most);
    str_fini(&asked);
}

static void limit_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                       template_part full)
{
    (void)full;
    (void)r;
    struct str holder = STR_INIT, used = STR_INIT, most = STR_INIT, asked = STR_INIT;
    limit_holder(&holder, c);
    if (limit_is_alone(c)) {
        limit_amount(&most, c->what, c->most);
        limit_alone_full(out, c, holder.s, most.s);
    } else {
        limit_amount(&used, c->what, c->used);
        limit_quantity(&most, c->what, c->most);
        limit_amount(&asked, c->what, c->asked);
        str_appendf(out,
                    limit_counts_jobs(c)              ? tr("%s has %s of %s")
                    : c->what == LIMIT_OF_GPU_MINUTES ? tr("%s has used or holds %s of %s")
                                                      : tr("%s holds %s of %s"),
                    holder.s, used.s, most.s);
        if (c->what != LIMIT_OF_RUNNING || c->asked > 1)
            str_appendf(out, c->used ? tr(" and asks for %s more") : tr(" and asks for %s"), asked.s);
    }
    limit_rule(out, c);
    str_fini(&holder);
    str_fini(&used);
    str_fini(&most);
    str_fini(&asked);
}

static void limit_borrow_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                              template_part full)
{
    limit_full(out, c, r, full);
    str_append(out, tr(": jobs within their soft limits go first, and no job is preempted for it"));
}

/* "all 4 of your GPUs in urgent are in use". */
static void limit_brief_of_user(struct str *out, const struct cause *c, const struct cause_reader *r,
                                template_part full)
{
    (void)full;
    struct str most = STR_INIT;
    const char *noun = limit_noun(c->what), *user = c->name ? c->name : "?";
    bool own = cause_is_reader(r, c->name);
    const char *part = r && r->terse ? NULL : c->part;
    limit_amount(&most, c->what, c->most);
    if (own && str_is_empty(part))
        str_appendf(out, tr("all %s of your %s are in use"), most.s, noun);
    else if (own)
        str_appendf(out, tr("all %s of your %s in %s are in use"), most.s, noun, part);
    else if (str_is_empty(part))
        str_appendf(out, tr("all %1$s of %2$s's %3$s are in use"), most.s, user, noun);
    else
        str_appendf(out, tr("all %1$s of %2$s's %3$s in %4$s are in use"), most.s, user, noun, part);
    str_fini(&most);
}

/* "user limit in main reached: ", "soft account limit: ". */
static void limit_brief_lead(struct str *out, const struct cause *c, bool reached, bool terse)
{
    static const char *const words[][2] = {
        [LIMIT_USER] = {N_("user limit"), N_("soft user limit")},
        [LIMIT_ACCOUNT] = {N_("account limit"), N_("soft account limit")},
        [LIMIT_QOS] = {N_("QOS limit"), N_("soft QOS limit")},
        [LIMIT_PARTITION] = {N_("partition limit"), N_("soft partition limit")},
        [LIMIT_CLUSTER] = {N_("cluster limit"), N_("soft cluster limit")},
    };
    const char *word = c->scope < sizeof words / sizeof words[0] && words[c->scope][0]
                           ? tr(words[c->scope][c->soft ? 1 : 0])
                           : "?";
    if (terse)
        str_appendf(out, "%s: ", word);
    else if (c->part)
        str_appendf(out, reached ? tr("%s in %s reached: ") : tr("%s in %s: "), word, c->part);
    else
        str_appendf(out, reached ? tr("%s reached: ") : "%s: ", word);
}

static void limit_brief(struct str *out, const struct cause *c, const struct cause_reader *r,
                        template_part full)
{
    bool alone = limit_is_alone(c), reached = !alone && c->used >= c->most;
    bool things = c->what == LIMIT_OF_GPUS || c->what == LIMIT_OF_CPUS || c->what == LIMIT_OF_NODES;
    if (reached && things && !c->soft && c->scope == LIMIT_USER && c->most > 1) {
        limit_brief_of_user(out, c, r, full);
        return;
    }
    struct str used = STR_INIT, most = STR_INIT, asked = STR_INIT;
    limit_brief_lead(out, c, reached, r && r->terse);
    limit_amount(&used, c->what, c->used);
    limit_quantity(&most, c->what, c->most);
    if (c->asked == UINT64_MAX)
        str_append(&asked, tr("no end"));
    else
        limit_amount(&asked, c->what, c->asked);
    if (alone)
        str_appendf(out, tr("%s at most, asks for %s"), most.s, asked.s);
    else if (reached)
        str_appendf(out, tr("%s of %s"), used.s, most.s);
    else
        str_appendf(out,
                    limit_counts_jobs(c) ? tr("%s of %s, asks for %s") : tr("%s of %s in use, asks for %s"),
                    used.s, most.s, asked.s);
    str_fini(&used);
    str_fini(&most);
    str_fini(&asked);
}

static void limit_time_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                            template_part full)
{
    template_append(out,
                    c->scope == LIMIT_QOS
                        ? N_("time limit {asked:duration} asked, QOS {name} allows {most:duration}")
                    : c->scope == LIMIT_ACCOUNT
                        ? N_("time limit {asked:duration} asked, account {name} allows {most:duration}")
                        : N_("time limit {asked:duration} asked, user {name} may have {most:duration}"),
                    c, r, full);
}

/* --- licences --- */

static void licences_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                          template_part full)
{
    template_append_parts(out, c, 0, "; ", r, full);
}

static void licence_short_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                               template_part full)
{
    template_append(out, "needs {asked} of licence {name}, {used} of {of} in use", c, r, full);
    if (c->jobs.n && c->jobs.n + c->more == 1)
        template_append(out, " by job {jobs}", c, r, full);
    else if (c->jobs.n)
        template_append(out, " by jobs {jobs}", c, r, full);
    template_append(out, "[ and {more} more][, {n} promised to a job that preempts others]", c, r, full);
}

/* "no matlab licence is free", "needs 2 matlab licences (1 free)". */
static void licences_brief(struct str *out, const struct cause *c, const struct cause_reader *r,
                           template_part full)
{
    const struct cause *first = c->parts.n ? &c->parts.v[0] : NULL;
    if (!first || first->code != CAUSE_LICENCE_SHORT || c->parts.n > 1) {
        licences_full(out, c, r, full);
        return;
    }
    uint64_t taken = first->used + first->n, free_n = first->of > taken ? first->of - taken : 0;
    if (free_n)
        str_appendf(
            out,
            trn("needs %llu %s licence (%llu free)", "needs %llu %s licences (%llu free)", first->asked),
            (unsigned long long)first->asked, first->name ? first->name : "?", (unsigned long long)free_n);
    else
        template_append(out, "no {name} licence is free", first, r, full);
}

/* --- the table --- */

const struct cause_sentence cause_limit_sentences[CAUSE_N_CODES] = {
    [CAUSE_NO_PARTITION_GIVEN] = {.full = N_("no partition given and no default partition configured")},
    [CAUSE_NO_PARTITION] = {.full = N_("there is no partition {part}")},
    [CAUSE_PARTITION_GONE] = {.full = N_("partition[ {part}] is no longer configured")},
    [CAUSE_PARTITION_INACTIVE] = {.full = N_("partition {part} is inactive")},
    [CAUSE_PARTITION_DOWN] = {.full = N_("partition {part} is down")},
    [CAUSE_PARTITION_DRAIN] = {.full = N_("partition {part} takes no new jobs")},
    [CAUSE_PARTITION_GROUPS] = {.full = N_("partition {part} does not admit its user's groups")},
    [CAUSE_PARTITION_ACCOUNTS] = {.full = N_("partition {part} does not admit its account")},
    [CAUSE_PARTITION_QOS] = {.full = N_("partition {part} does not admit its QOS")},
    [CAUSE_PARTITION_BATCH_ONLY] = {.full =
                                        N_("partition {part} takes batch jobs only: submit with sbatch")},
    [CAUSE_PARTITION_TIME] =
        {.full = N_("time limit {asked:duration} asked, partition {part} allows {most:duration}")},
    [CAUSE_PARTITION_TIME_MIN] = {.full = N_(
                                      "at least a time limit of {asked:duration} asked, partition {part} "
                                      "allows {most:duration}")},
    [CAUSE_PARTITION_NODES] = {.full = N_("{asked:node} asked, partition {part} allows {most}")},
    [CAUSE_NO_ACCOUNT] = {.full = N_("there is no account {name}")},
    [CAUSE_ACCOUNT_USER] = {.full = N_("account {name} does not list user {user}")},
    [CAUSE_ACCOUNT_GROUP] = {.full =
                                 N_("account {name}: user {user} is not in a Unix group of that name, and "
                                    "this cluster's configuration has no accounts")},
    [CAUSE_QOS_CLOSED] = {.full = N_(
                              "only administrators may use QOS {name}: this cluster's configuration names "
                              "no users of it (allow_users)")},
    [CAUSE_QOS_USER] = {.full = N_("QOS {name} does not admit user {user}")},
    [CAUSE_NO_QOS] = {.full = N_("there is no QOS {name}")},
    [CAUSE_NO_RESERVATION] = {.full = N_("there is no reservation {name}")},
    [CAUSE_RESERVATION_OVER] = {.full = N_("there is no reservation {name} any more")},
    [CAUSE_RESERVATION_USER] = {.full = N_("reservation {name} is not for user {user}")},
    [CAUSE_RESERVATION_LATER] = {.full = N_("its reservation {name} begins {at:in}"),
                                 .brief = N_("reservation {name} begins[ {at}]")},
    [CAUSE_LIMIT] = {.full_by = limit_full, .brief_by = limit_brief},
    [CAUSE_LIMIT_BORROW] = {.full_by = limit_borrow_full, .brief_by = limit_brief},
    [CAUSE_LIMIT_PLANNED] =
        {.full =
             N_("job {jobs} is planned to start {at:in} and will need what a limit or a licence leaves"),
         .brief = N_("job {jobs} needs what its limit leaves[, starts {at}]")},
    [CAUSE_LIMIT_TIME] = {.full_by = limit_time_full},
    [CAUSE_LICENCES] = {.full_by = licences_full, .brief_by = licences_brief},
    [CAUSE_LICENCE_SHORT] = {.full_by = licence_short_full},
    [CAUSE_LICENCE_UNREADABLE] = {.full = N_("licence {name}: {text}")},
    [CAUSE_NO_LICENCE] = {.full = N_("there is no licence {name}")},
    [CAUSE_LICENCE_COUNT] = {.full = N_("{asked} of licence {name} asked, there are {most}")},
};
