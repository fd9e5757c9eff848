#include "src/text/cause_text.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/units.h"
#include "src/model/dep.h"
#include "src/model/spec.h"
#include "src/text/cause_template.h"
#include "src/text/jobtext.h"

typedef void (*sentence)(struct str *out, const struct cause *c, const struct cause_reader *r);

static void text_count(struct str *out, uint64_t n, const char *one)
{
    str_appendf(out, "%llu %s%s", (unsigned long long)n, one, n == 1 ? "" : "s");
}

static bool is_reader(const struct cause_reader *r, const char *user)
{
    return r && r->user && user && str_eq(r->user, user);
}

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

static void limit_full(struct str *out, const struct cause *c, const struct cause_reader *r)
{
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

static void limit_borrow_full(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    limit_full(out, c, r);
    str_append(out, ": jobs within their soft limits go first, and no job is preempted for it");
}

/* "all 4 of your GPUs in urgent are in use". */
static void limit_brief_of_user(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    str_append(out, "all ");
    limit_amount(out, c->what, c->most);
    if (is_reader(r, c->name))
        str_append(out, " of your ");
    else
        str_appendf(out, " of %s's ", c->name ? c->name : "?");
    str_append(out, limit_noun(c->what, false));
    if (!str_is_empty(c->part))
        str_appendf(out, " in %s", c->part);
    str_append(out, " are in use");
}

static void limit_brief(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    bool alone = limit_is_alone(c), full = !alone && c->used >= c->most;
    bool things = c->what == LIMIT_OF_GPUS || c->what == LIMIT_OF_CPUS || c->what == LIMIT_OF_NODES;
    if (full && things && !c->soft && c->scope == LIMIT_USER && c->most > 1) {
        limit_brief_of_user(out, c, r);
        return;
    }
    str_appendf(out, "%s%s limit%s%s%s: ", c->soft ? "soft " : "", limit_scope_word(c->scope),
                c->part ? " in " : "", c->part ? c->part : "", full ? " reached" : "");
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
    if (full)
        return;
    str_append(out, limit_counts_jobs(c) ? ", asks for " : " in use, asks for ");
    limit_amount(out, c->what, c->asked);
}

/* --- licences --- */

static void licences_full(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    template_append_parts(out, c, 0, "; ", r, cause_full);
}

static void licence_short_full(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    template_append(out, "{asked} of license {name} wanted, {used} of {of} in use", c, r, cause_full);
    if (c->jobs.n)
        template_append(out, c->jobs.n + c->more == 1 ? " by job {jobs}" : " by jobs {jobs}", c, r,
                        cause_full);
    template_append(out, "[ and {more} more][, {n} promised to a job that preempts others]", c, r,
                    cause_full);
}

/* --- dependencies --- */

static void depends_name(struct str *out, const struct cause *c)
{
    str_appendf(out, "%s %s", c->array ? "array" : "job", c->id ? c->id : "?");
}

static void depends_on_full(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    static const char *const happens[DEP_N_TYPES] = {
#define X(name, word, what) [DEP_TYPE_##name] = what,
        DEP_TYPES(X)
#undef X
    };
    depends_name(out, c);
    template_append(out, "[ ({parts})]", c, r, cause_full);
    str_appendf(out, " %s%s", c->dead ? "had " : "", c->what < DEP_N_TYPES ? happens[c->what] : "?");
    template_append(out, "[, which it did; {n:words} more]", c, r, cause_full);
}

static void dependency_append(struct str *out, const char *lead, const struct cause *c,
                              const struct cause_reader *r)
{
    str_append(out, lead);
    template_append_parts(out, c, 0, c->any ? " or " : "; ", r, cause_full);
    template_append(out, "[ and {more} more]", c, r, cause_full);
}

static void dependency_full(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    dependency_append(out, "waits for ", c, r);
}

static void dependency_never_full(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    dependency_append(out, "can never start: ", c, r);
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
static void dependency_never_brief(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    const struct cause *first = c->parts.n ? &c->parts.v[0] : NULL;
    if (!first || first->code != CAUSE_DEPENDS_ON) {
        dependency_never_full(out, c, r);
        return;
    }
    depends_name(out, first);
    str_appendf(out, " %s: will never start", depends_became(first));
}

static void state_full(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    (void)r;
    str_append(out, c->state < JOB_N_STATES ? job_state_long((enum job_state)c->state) : "?");
    if (c->code == CAUSE_STATE_FAILED)
        str_appendf(out, ", exit %lld:%lld", (long long)(int64_t)c->n, (long long)(int64_t)c->of);
}

static void state_array_full(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    str_appendf(out, "array: %llu waiting, %llu running", (unsigned long long)c->n,
                (unsigned long long)c->of);
    template_append(out, "[, {most} failed]", c, r, cause_full);
}

/* --- holds --- */

static void held_brief(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    bool own = c->code == CAUSE_HELD_BY_OWNER && is_reader(r, c->user) && r->release;
    if (own)
        str_appendf(out, "held by you, %s", r->release);
    else
        template_append(out, "held by {user:you}[ since {at}]", c, r, cause_full);
}

static void held_full(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    template_append(out, "held by {user:you}[; {parts}]", c, r, cause_full);
    if (c->parts.n)
        return;
    if (c->code == CAUSE_HELD_BY_ADMIN)
        str_append(out, ", an administrator, who must release it");
    else if (r && r->release)
        str_appendf(out, "; %s", r->release);
}

/* --- places --- */

static void wants_full(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    text_count(out, c->cpus, "CPU");
    if (c->gpus)
        template_append(out, c->type ? ", {gpus} {type} GPU" : ", {gpus} GPU", c, r, cause_full);
    str_append(out, c->gpus > 1 ? "s" : "");
    template_append(out, "[, {mem_mib:mem} of memory a node]", c, r, cause_full);
    if (c->nodes_n > 1)
        str_appendf(out, " on %llu %snodes", (unsigned long long)c->nodes_n, c->whole ? "whole " : "");
    else if (c->whole)
        str_append(out, " on a whole node");
}

/* "4 a100 GPUs on one node (2 free)". */
static void needs_full(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    str_appendf(out, "%llu ", (unsigned long long)c->asked);
    template_append(out, "[{type} ]", c, r, cause_full);
    str_appendf(out, "%s%s", c->code == CAUSE_NEEDS_GPUS ? "GPU" : "CPU", c->asked == 1 ? "" : "s");
    if (c->nodes)
        str_appendf(out, " on %s", c->nodes);
    else if (c->one)
        str_append(out, " on one node");
    else if (c->nodes_n > 1)
        str_appendf(out, " on %llu nodes", (unsigned long long)c->nodes_n);
    if (c->free < c->asked)
        str_appendf(out, " (%llu free)", (unsigned long long)c->free);
}

static void needs_memory_full(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    template_append(out, c->one ? "{asked:mem} of memory" : "{asked:mem} of memory a node", c, r,
                    cause_full);
    template_append(out, " ({free:mem} free)", c, r, cause_full);
}

static void needs_nodes_full(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    template_append(out, "{asked:whole node} ({free} free)", c, r, cause_full);
}

static const struct cause *find_part(const struct cause *c, enum cause_code from, enum cause_code to)
{
    for (size_t i = 0; i < c->parts.n; i++)
        if (c->parts.v[i].code >= (uint32_t)from && c->parts.v[i].code <= (uint32_t)to)
            return &c->parts.v[i];
    return NULL;
}

static bool is_out_part(const struct cause *c)
{
    return c->code >= CAUSE_OUT_DRAINED && c->code <= CAUSE_OUT_MORE;
}

static bool is_need_part(const struct cause *c)
{
    return c->code >= CAUSE_NEEDS_GPUS && c->code <= CAUSE_NEEDS_NODES;
}

/* "2 CPUs wanted in main; 2 nodes: ...; n1 is drained: fan, n2 is down; room comes when ..." */
static void no_place_full(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    bool out_before = false;
    for (size_t i = 0; i < c->parts.n; i++) {
        const struct cause *part = &c->parts.v[i];
        if (is_need_part(part))
            continue;
        if (i)
            str_append(out, out_before && is_out_part(part) ? ", " : "; ");
        out_before = is_out_part(part);
        cause_full(out, part, r);
        if (part->code == CAUSE_WANTS)
            template_append(out, " wanted in {part}", c, r, cause_full);
    }
}

static void append_start(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    template_append(out, "[, starts ~{start}]", c, r, cause_full);
    if (!wall_is_set(c->start))
        template_append(out, "[, not within {window_s:words}]", c, r, cause_full);
}

/* "next in line, needs 4 GPUs (2 free), starts ~14:44". */
static void no_place_brief(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    const struct cause *need = find_part(c, CAUSE_NEEDS_GPUS, CAUSE_NEEDS_NODES);
    if (!need) {
        no_place_full(out, c, r);
        return;
    }
    str_append(out, c->next ? "next in line, needs " : "needs ");
    cause_full(out, need, r);
    append_start(out, c, r);
}

static void nodes_are_out_brief(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    const char *separator = "";
    for (size_t i = 0; i < c->parts.n; i++) {
        if (!is_out_part(&c->parts.v[i]))
            continue;
        str_append(out, separator);
        cause_full(out, &c->parts.v[i], r);
        separator = ", ";
    }
    if (!*separator)
        no_place_full(out, c, r);
}

static void append_wants_of(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    const struct cause *wants = find_part(c, CAUSE_WANTS, CAUSE_WANTS);
    if (wants)
        cause_full(out, wants, r);
}

/* "no node of main has 9 CPUs", "main cannot give 3 CPUs on 3 nodes". */
static void never_append(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    const struct cause *wants = find_part(c, CAUSE_WANTS, CAUSE_WANTS);
    const struct cause *nodes = find_part(c, CAUSE_NODES, CAUSE_NODES);
    bool sum =
        (wants && wants->nodes_n > 1) || (nodes && find_part(nodes, CAUSE_NODES_FIT, CAUSE_NODES_FIT_PART));
    template_append(out, sum ? "{part} cannot give " : "no node of {part} has ", c, r, cause_full);
    append_wants_of(out, c, r);
}

static void never_brief(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    const struct cause *nodes = find_part(c, CAUSE_NODES, CAUSE_NODES);
    const struct cause *few =
        nodes ? find_part(nodes, CAUSE_NODES_FEW_GPUS, CAUSE_NODES_LITTLE_MEMORY) : NULL;
    never_append(out, c, r);
    if (!few || !few->most)
        return;
    if (few->code == CAUSE_NODES_LITTLE_MEMORY)
        template_append(out, " (largest: {most:mem})", few, r, cause_full);
    else
        template_append(out,
                        few->code == CAUSE_NODES_FEW_GPUS ? " (most: {most:GPU})" : " (most: {most:CPU})",
                        few, r, cause_full);
}

static void never_full(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    never_append(out, c, r);
    str_append(out, " (");
    bool first = true;
    for (size_t i = 0; i < c->parts.n; i++) {
        if (c->parts.v[i].code == CAUSE_WANTS)
            continue;
        str_append(out, first ? "" : "; ");
        cause_full(out, &c->parts.v[i], r);
        first = false;
    }
    str_append_char(out, ')');
}

/* "3 too few GPUs (gpu[1-3]: 8 asked, 4 at most)". */
static void nodes_few_full(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    static const struct {
        enum cause_code code;
        const char *few, *none;
    } words[] = {{CAUSE_NODES_FEW_GPUS, "{n} too few GPUs", "{n} without GPUs"},
                 {CAUSE_NODES_FEW_CPUS, "{n} too few CPUs", "{n} without CPUs"},
                 {CAUSE_NODES_LITTLE_MEMORY, "{n} too little memory", "{n} without memory"}};
    size_t at = c->code == CAUSE_NODES_FEW_GPUS ? 0 : c->code == CAUSE_NODES_FEW_CPUS ? 1 : 2;
    template_append(out, c->most ? words[at].few : words[at].none, c, r, cause_full);
    if (!c->most) {
        template_append(out, "[ ({nodes})]", c, r, cause_full);
        return;
    }
    template_append(out, c->nodes ? " ({nodes}: " : " (", c, r, cause_full);
    template_append(out,
                    at == 2 ? "{asked:mem} asked, {most:mem} at most)" : "{asked} asked, {most} at most)",
                    c, r, cause_full);
}

static void nodes_fit_part_full(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    template_append(out, "{n} with room for a part of it[ ({nodes})]", c, r, cause_full);
    if (c->together)
        template_append(out, " ({cpus:CPU}[ and {gpus:GPU}] together)", c, r, cause_full);
}

static void out_full(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    static const char *const words[] = {"drained", "draining", "no longer configured", "down",
                                        "not answering"};
    str_appendf(out, "%s %s %s", c->nodes ? c->nodes : "", c->n == 1 ? "is" : "are",
                words[c->code - CAUSE_OUT_DRAINED]);
    template_append(out, "[: {text}][ ({user})]", c, r, cause_full);
}

static void step_full(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    template_append(out, "step asks for {ranks:task} with {cpus:CPU} each, {gpus:GPU}", c, r, cause_full);
    if (c->mem_mib)
        str_appendf(out, ", %llu MiB of memory a node", (unsigned long long)c->mem_mib);
    template_append(
        out, " on {nodes_n:node}; the job holds {have_cpus:CPU}, {have_gpus:GPU} on {have_nodes:node}", c,
        r, cause_full);
    if (c->code == CAUSE_STEP_WAITS)
        str_append(out, ", other steps have too much of that now");
}

/* --- the queue --- */

static void ahead_brief(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    if (c->code != CAUSE_AHEAD_UNKNOWN)
        template_append(out, "{n:job} ahead", c, r, cause_full);
    else
        template_append(out, c->id ? "behind job {id}" : "other jobs are ahead", c, r, cause_full);
    append_start(out, c, r);
}

static void delays_brief(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    str_appendf(out, "would delay job %s", c->jobs.n ? c->jobs.v[0] : "?");
    template_append(out, "[, which starts ~{at}]", c, r, cause_full);
}

static void delays_full(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    template_append(out, "job {jobs}[ and {more} more]", c, r, cause_full);
    str_append(out, c->jobs.n + c->more == 1 ? " is" : " are");
    template_append(out, " planned to start there {at:in}: this job would not have ended by then", c, r,
                    cause_full);
}

/* --- what would help --- */

static void try_count_brief(struct str *out, const struct cause *c, const struct cause_reader *r)
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
            text_count(out, c->n, nouns[i].noun);
            str_appendf(out, "%s instead", nouns[i].more);
            return;
        }
    template_append(out, "use {name}{n} instead", c, r, cause_full);
}

static void waits_reason_full(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    (void)r;
    str_appendf(out, "waits: %s", reason_text(c->state < REASON_N ? (enum reason)c->state : REASON_NONE));
}

/* --- the table --- */

/* A template or a function; no brief form: the full one. */
static const struct {
    const char *full, *brief;
    sentence full_by, brief_by;
} sentences[CAUSE_N_CODES] = {
    [CAUSE_NONE] = {.full = ""},
    [CAUSE_HELD_BY_OWNER] = {.full_by = held_full, .brief_by = held_brief},
    [CAUSE_HELD_BY_ADMIN] = {.full_by = held_full, .brief_by = held_brief},
    [CAUSE_HELD_AFTER_LOSSES] = {.full = "held after its node was lost {n:time}"},
    [CAUSE_RELEASE_REFUSED] = {.full = "a release is refused: {parts}"},
    [CAUSE_BEGIN_TIME] = {.full = "its earliest start is {at:in}", .brief = "not before {at}"},
    [CAUSE_DEPENDENCY] = {.full_by = dependency_full},
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
    [CAUSE_NO_PARTITION_GIVEN] = {.full = "no partition given and no default partition configured"},
    [CAUSE_NO_PARTITION] = {.full = "there is no partition {part}"},
    [CAUSE_PARTITION_GONE] = {.full = "its partition is no longer configured"},
    [CAUSE_PARTITION_INACTIVE] = {.full = "partition {part} is inactive"},
    [CAUSE_PARTITION_DOWN] = {.full = "partition {part} is down"},
    [CAUSE_PARTITION_DRAIN] = {.full = "partition {part} takes no new jobs"},
    [CAUSE_PARTITION_GROUPS] = {.full = "partition {part} does not admit its user's groups"},
    [CAUSE_PARTITION_ACCOUNTS] = {.full = "partition {part} does not admit its account"},
    [CAUSE_PARTITION_QOS] = {.full = "partition {part} does not admit its QOS"},
    [CAUSE_PARTITION_TIME] =
        {.full = "time limit {asked:duration} asked, partition {part} allows {most:duration}"},
    [CAUSE_PARTITION_TIME_MIN] = {.full =
                                      "at least a time limit of {asked:duration} asked, partition {part} "
                                      "allows {most:duration}"},
    [CAUSE_PARTITION_NODES] = {.full = "{asked:node} asked, partition {part} allows {most}"},
    [CAUSE_NO_ACCOUNT] = {.full = "there is no account {name}"},
    [CAUSE_ACCOUNT_USER] = {.full = "account {name} does not list user {user}"},
    [CAUSE_NO_QOS] = {.full = "there is no QOS {name}"},
    [CAUSE_NO_RESERVATION] = {.full = "there is no reservation {name}"},
    [CAUSE_RESERVATION_OVER] = {.full = "there is no reservation {name} any more"},
    [CAUSE_RESERVATION_USER] = {.full = "reservation {name} is not for user {user}"},
    [CAUSE_RESERVATION_LATER] = {.full = "its reservation {name} begins {at:in}",
                                 .brief = "reservation {name} begins[ {at}]"},
    [CAUSE_LIMIT] = {.full_by = limit_full, .brief_by = limit_brief},
    [CAUSE_LIMIT_BORROW] = {.full_by = limit_borrow_full, .brief_by = limit_brief},
    [CAUSE_LICENCES] = {.full_by = licences_full},
    [CAUSE_LICENCE_SHORT] = {.full_by = licence_short_full},
    [CAUSE_LICENCE_UNREADABLE] = {.full = "license {name}: {text}"},
    [CAUSE_NO_LICENCE] = {.full = "there is no license {name}"},
    [CAUSE_LICENCE_COUNT] = {.full = "{asked} of license {name} asked, there are {most}"},
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
    [CAUSE_NO_PLACE] = {.full_by = no_place_full, .brief_by = no_place_brief},
    [CAUSE_NODES_ARE_OUT] = {.full_by = no_place_full, .brief_by = nodes_are_out_brief},
    [CAUSE_NEVER_FITS] = {.full_by = never_full, .brief_by = never_brief},
    [CAUSE_IN_STEP] = {.full = "step {name}: {parts}"},
    [CAUSE_STEP_TOO_BIG] = {.full_by = step_full},
    [CAUSE_STEP_WAITS] = {.full_by = step_full},
    [CAUSE_WINDOW_AHEAD] = {.full =
                                "{n:node} {n?is|are} kept for the maintenance window {name} {at:in}: it "
                                "would not end before that",
                            .brief = "would run into maintenance[ at {at}]"},
    [CAUSE_WINDOW_NOW] = {.full = "{n:node} {n?is|are} kept for the maintenance window {name} now",
                          .brief = "[{nodes} ]in maintenance[ until {at}]"},
    [CAUSE_RESERVED_AHEAD] = {.full =
                                  "{n:node} {n?is|are} kept for the reservation {name} {at:in}: it would "
                                  "not end before that",
                              .brief = "would run into reservation {name}[ at {at}]"},
    [CAUSE_RESERVED_NOW] = {.full = "{n:node} {n?is|are} kept for the reservation {name} now",
                            .brief = "[{nodes} ]in reservation {name}[ until {at}]"},
    [CAUSE_WANTS] = {.full_by = wants_full},
    [CAUSE_NEEDS_GPUS] = {.full_by = needs_full},
    [CAUSE_NEEDS_CPUS] = {.full_by = needs_full},
    [CAUSE_NEEDS_MEMORY] = {.full_by = needs_memory_full},
    [CAUSE_NEEDS_NODES] = {.full_by = needs_nodes_full},
    [CAUSE_NODES] = {.full = "{n:node}: {parts}"},
    [CAUSE_NODES_FREE_GPUS] = {.full = "{n} too few free GPUs[ ({nodes})]"},
    [CAUSE_NODES_FREE_CPUS] = {.full = "{n} too few free CPUs[ ({nodes})]"},
    [CAUSE_NODES_FREE_MEMORY] = {.full = "{n} too little free memory[ ({nodes})]"},
    [CAUSE_NODES_NOT_EMPTY] = {.full = "{n} not empty[ ({nodes})]"},
    [CAUSE_NODES_FEW_GPUS] = {.full_by = nodes_few_full},
    [CAUSE_NODES_FEW_CPUS] = {.full_by = nodes_few_full},
    [CAUSE_NODES_LITTLE_MEMORY] = {.full_by = nodes_few_full},
    [CAUSE_NODES_GPU_TYPE] = {.full = "{n} another GPU type[ ({nodes})]"},
    [CAUSE_NODES_FEATURES] = {.full = "{n} without the features[ ({nodes})]"},
    [CAUSE_NODES_TMP] = {.full = "{n} too small a /tmp[ ({nodes})]"},
    [CAUSE_NODES_NOT_ASKED] = {.full = "{n} not among those wanted[ ({nodes})]"},
    [CAUSE_NODES_WINDOW] = {.full = "{n} kept for a window[ ({nodes})]"},
    [CAUSE_NODES_PLANNED] = {.full = "{n} kept for jobs that come first[ ({nodes})]"},
    [CAUSE_NODES_LOST_GPUS] = {.full = "{n} with GPUs that are lost or used by others[ ({nodes})]"},
    [CAUSE_NODES_AVOID_USER] = {.full = "{n} unable to start this user's jobs[ ({nodes})]"},
    [CAUSE_NODES_DRAINED] = {.full = "{n} drained"},
    [CAUSE_NODES_OUT] = {.full = "{n} not answering"},
    [CAUSE_NODES_FIT] = {.full = "{n} would do[ ({nodes})]"},
    [CAUSE_NODES_FIT_PART] = {.full_by = nodes_fit_part_full},
    [CAUSE_OUT_DRAINED] = {.full_by = out_full},
    [CAUSE_OUT_DRAINING] = {.full_by = out_full},
    [CAUSE_OUT_GONE] = {.full_by = out_full},
    [CAUSE_OUT_DOWN] = {.full_by = out_full},
    [CAUSE_OUT_SILENT] = {.full_by = out_full},
    [CAUSE_OUT_MORE] = {.full = "{n} more"},
    [CAUSE_NODE_GPUS] = {.full = "on {name}: {text}"},
    [CAUSE_NODE_AVOIDS] = {.full = "{name}: {text}"},
    [CAUSE_ROOM_AFTER] = {.full = "room comes when job {id} reaches its limit"},
    [CAUSE_ROOM_NEVER] = {.full = "job {id} runs without a time limit"},
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

void cause_full(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    if (c->code >= CAUSE_N_CODES)
        str_appendf(out, "cause %u (of a newer release)", c->code);
    else if (sentences[c->code].full_by)
        sentences[c->code].full_by(out, c, r);
    else
        template_append(out, sentences[c->code].full, c, r, cause_full);
}

void cause_brief(struct str *out, const struct cause *c, const struct cause_reader *r)
{
    if (c->code < CAUSE_N_CODES && sentences[c->code].brief_by)
        sentences[c->code].brief_by(out, c, r);
    else if (c->code < CAUSE_N_CODES && sentences[c->code].brief)
        template_append(out, sentences[c->code].brief, c, r, cause_full);
    else
        cause_full(out, c, r);
}

const char *cause_template_fault(enum cause_code code)
{
    const char *fault = NULL;
    if (!sentences[code].full && !sentences[code].full_by)
        return "there is no sentence";
    if (sentences[code].full)
        fault = template_fault(sentences[code].full);
    return !fault && sentences[code].brief ? template_fault(sentences[code].brief) : fault;
}
