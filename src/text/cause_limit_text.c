#include "src/text/cause_sentence.h"

#include "src/base/units.h"
#include "src/model/spec.h"
#include "src/text/cause_template.h"

/* --- limits --- */

static void limit_amount(struct str *out, uint32_t what, uint64_t n)
{
    char buf[UNITS_TEXT_SIZE];
    if (what != LIMIT_OF_MEMORY)
        str_appendf(out, "%llu", (unsigned long long)n);
    else
        str_append(out, mem_format_words(n > UINT64_MAX / 1024 ? UINT64_MAX : n * 1024, buf));
}

static const char *limit_noun(uint32_t what, bool one)
{
    static const struct {
        const char *one, *many;
    } nouns[LIMIT_N_WHATS] = {
        [LIMIT_OF_GPUS] = {"GPU", "GPUs"},
        [LIMIT_OF_CPUS] = {"CPU", "CPUs"},
        [LIMIT_OF_MEMORY] = {"memory", "memory"},
        [LIMIT_OF_NODES] = {"node", "nodes"},
        [LIMIT_OF_RUNNING] = {"running job", "running jobs"},
        [LIMIT_OF_SUBMITTED] = {"job in the queue", "jobs in the queue"},
        [LIMIT_OF_GPU_MINUTES] = {"GPU minute", "GPU minutes"},
        [LIMIT_OF_ARRAY_SIZE] = {"element in an array", "elements in an array"},
    };
    if (what >= LIMIT_N_WHATS)
        return "?";
    return one ? nouns[what].one : nouns[what].many;
}

/* "4 GPUs", "64 GB of memory". */
static void limit_quantity(struct str *out, uint32_t what, uint64_t n)
{
    limit_amount(out, what, n);
    str_append(out, what == LIMIT_OF_MEMORY ? " of " : " ");
    str_append(out, limit_noun(what, n == 1));
}

static const char *limit_scope_word(uint32_t scope)
{
    switch ((enum limit_scope)scope) {
    case LIMIT_USER: return "user";
    case LIMIT_ACCOUNT: return "account";
    case LIMIT_QOS: return "QOS";
    case LIMIT_PARTITION: return "partition";
    case LIMIT_CLUSTER: return "cluster";
    }
    return "?";
}

static void limit_holder(struct str *out, const struct cause *c)
{
    if (c->scope == LIMIT_CLUSTER)
        str_append(out, "the cluster");
    else
        str_appendf(out, "%s %s", limit_scope_word(c->scope), c->name ? c->name : "");
}

/* " (hard limit for users in partition main)". */
static void limit_rule(struct str *out, const struct cause *c)
{
    bool each = str_is_empty(c->rule) || str_eq(c->rule, "*");
    str_appendf(out, " (%s limit for ", c->soft ? "soft" : "hard");
    if (c->scope == LIMIT_CLUSTER)
        str_append(out, "the cluster");
    else if (each && c->scope == LIMIT_QOS)
        str_append(out, "each QOS");
    else if (each)
        str_appendf(out, "%ss", limit_scope_word(c->scope));
    else
        str_appendf(out, "%s %s", limit_scope_word(c->scope), c->rule);
    if (!str_is_empty(c->part))
        str_appendf(out, " in partition %s", c->part);
    str_append_char(out, ')');
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

static void limit_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                       template_part full)
{
    (void)full;
    (void)r;
    if (limit_is_alone(c)) {
        if (c->asked == UINT64_MAX)
            str_append(out, "GPUs without a time limit");
        else
            limit_quantity(out, c->what, c->asked);
        str_append(out, " asked; ");
        limit_holder(out, c);
        str_append(out, c->what == LIMIT_OF_ARRAY_SIZE ? " may have " : " may hold ");
        limit_amount(out, c->what, c->most);
        limit_rule(out, c);
        return;
    }
    limit_holder(out, c);
    str_append(out, limit_counts_jobs(c)              ? " has "
                    : c->what == LIMIT_OF_GPU_MINUTES ? " has used or holds "
                                                      : " holds ");
    limit_amount(out, c->what, c->used);
    str_append(out, " of ");
    limit_quantity(out, c->what, c->most);
    if (c->what != LIMIT_OF_RUNNING || c->asked > 1) {
        str_append(out, " and asks for ");
        limit_amount(out, c->what, c->asked);
        str_append(out, c->used ? " more" : "");
    }
    limit_rule(out, c);
}

static void limit_borrow_full(struct str *out, const struct cause *c, const struct cause_reader *r,
                              template_part full)
{
    limit_full(out, c, r, full);
    str_append(out, ": jobs within their soft limits go first, and no job is preempted for it");
}

/* "all 4 of your GPUs in urgent are in use". */
static void limit_brief_of_user(struct str *out, const struct cause *c, const struct cause_reader *r,
                                template_part full)
{
    (void)full;
    str_append(out, "all ");
    limit_amount(out, c->what, c->most);
    if (cause_is_reader(r, c->name))
        str_append(out, " of your ");
    else
        str_appendf(out, " of %s's ", c->name ? c->name : "?");
    str_append(out, limit_noun(c->what, false));
    if (!str_is_empty(c->part))
        str_appendf(out, " in %s", c->part);
    str_append(out, " are in use");
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
    str_appendf(out, "%s%s limit%s%s%s: ", c->soft ? "soft " : "", limit_scope_word(c->scope),
                c->part ? " in " : "", c->part ? c->part : "", reached ? " reached" : "");
    if (alone) {
        limit_quantity(out, c->what, c->most);
        str_append(out, " at most, asks for ");
        if (c->asked == UINT64_MAX)
            str_append(out, "no end");
        else
            limit_amount(out, c->what, c->asked);
        return;
    }
    limit_amount(out, c->what, c->used);
    str_append(out, " of ");
    limit_quantity(out, c->what, c->most);
    if (reached)
        return;
    str_append(out, limit_counts_jobs(c) ? ", asks for " : " in use, asks for ");
    limit_amount(out, c->what, c->asked);
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
    template_append(out, "{asked} of license {name} wanted, {used} of {of} in use", c, r, full);
    if (c->jobs.n)
        template_append(out, c->jobs.n + c->more == 1 ? " by job {jobs}" : " by jobs {jobs}", c, r, full);
    template_append(out, "[ and {more} more][, {n} promised to a job that preempts others]", c, r, full);
}

/* "no matlab license is free", "needs 2 matlab licenses (1 free)". */
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
            first->asked == 1 ? "needs %llu %s license (%llu free)" : "needs %llu %s licenses (%llu free)",
            (unsigned long long)first->asked, first->name ? first->name : "?", (unsigned long long)free_n);
    else
        template_append(out, "no {name} license is free", first, r, full);
}

/* --- the table --- */

const struct cause_sentence cause_limit_sentences[CAUSE_N_CODES] = {
    [CAUSE_NO_PARTITION_GIVEN] = {.full = "no partition given and no default partition configured"},
    [CAUSE_NO_PARTITION] = {.full = "there is no partition {part}"},
    [CAUSE_PARTITION_GONE] = {.full = "its partition is no longer configured"},
    [CAUSE_PARTITION_INACTIVE] = {.full = "partition {part} is inactive"},
    [CAUSE_PARTITION_DOWN] = {.full = "partition {part} is down"},
    [CAUSE_PARTITION_DRAIN] = {.full = "partition {part} takes no new jobs"},
    [CAUSE_PARTITION_GROUPS] = {.full = "partition {part} does not admit its user's groups"},
    [CAUSE_PARTITION_ACCOUNTS] = {.full = "partition {part} does not admit its account"},
    [CAUSE_PARTITION_QOS] = {.full = "partition {part} does not admit its QOS"},
    [CAUSE_PARTITION_BATCH_ONLY] = {.full = "partition {part} takes batch jobs only: submit with sbatch"},
    [CAUSE_PARTITION_TIME] =
        {.full = "time limit {asked:duration} asked, partition {part} allows {most:duration}"},
    [CAUSE_PARTITION_TIME_MIN] = {.full =
                                      "at least a time limit of {asked:duration} asked, partition {part} "
                                      "allows {most:duration}"},
    [CAUSE_PARTITION_NODES] = {.full = "{asked:node} asked, partition {part} allows {most}"},
    [CAUSE_NO_ACCOUNT] = {.full = "there is no account {name}"},
    [CAUSE_ACCOUNT_USER] = {.full = "account {name} does not list user {user}"},
    [CAUSE_ACCOUNT_GROUP] = {.full = "account {name}: user {user} is not in a Unix group of that name, and "
                                     "this cluster's configuration has no accounts"},
    [CAUSE_QOS_CLOSED] = {.full =
                              "only administrators may use QOS {name}: this cluster's configuration names "
                              "no users of it (allow_users)"},
    [CAUSE_QOS_USER] = {.full = "QOS {name} does not admit user {user}"},
    [CAUSE_NO_QOS] = {.full = "there is no QOS {name}"},
    [CAUSE_NO_RESERVATION] = {.full = "there is no reservation {name}"},
    [CAUSE_RESERVATION_OVER] = {.full = "there is no reservation {name} any more"},
    [CAUSE_RESERVATION_USER] = {.full = "reservation {name} is not for user {user}"},
    [CAUSE_RESERVATION_LATER] = {.full = "its reservation {name} begins {at:in}",
                                 .brief = "reservation {name} begins[ {at}]"},
    [CAUSE_LIMIT] = {.full_by = limit_full, .brief_by = limit_brief},
    [CAUSE_LIMIT_BORROW] = {.full_by = limit_borrow_full, .brief_by = limit_brief},
    [CAUSE_LICENCES] = {.full_by = licences_full, .brief_by = licences_brief},
    [CAUSE_LICENCE_SHORT] = {.full_by = licence_short_full},
    [CAUSE_LICENCE_UNREADABLE] = {.full = "license {name}: {text}"},
    [CAUSE_NO_LICENCE] = {.full = "there is no license {name}"},
    [CAUSE_LICENCE_COUNT] = {.full = "{asked} of license {name} asked, there are {most}"},
};
