/* advice.c - the one smallest change with which a waiting job could start now. */
#include "backend/sched/explain/advice.h"

#include <stdio.h>
#include <stdlib.h>

#include "backend/sched/explain/why_internal.h"
#include "src/values/hostlist.h"

#define SHORTEST_S 60 /* no limit below that is proposed */
#define STEP_S     60 /* and they are whole minutes */
#define CYCLES_MAX 2  /* for one answer */

struct search {
    struct planner *p;
    const struct sched_view *v;
    const struct job *j;
    const struct pending_entry *u;
    const struct part_spec *part; /* the first that admits it */
    struct wall now;
    struct msg_why *w;
    unsigned cycles;
};

/* Seconds since the cycle whose plan is used. */
static uint32_t advice_age_s(const struct search *s)
{
    int64_t ms = s->now.ms - planner_queue(s->p)->pool.now;
    return ms > 0 ? (uint32_t)((ms + MS_PER_S - 1) / MS_PER_S) : 0;
}

/* With this request in place of its own, behind all others. */
static bool starts_with(const struct search *s, const struct job_req *req)
{
    struct job probe = *s->j;
    struct trial t;
    probe.req = *req;
    trial_by_last_plan(s->p, s->v, &probe, s->now, &t);
    bool now = t.now;
    trial_fini(&t);
    return now;
}

/* --- whether it does --- */

/* It is in the way of no other job: it has no planned start, and no entry waits behind it. Then all before
 * it get what they got in the last cycle, and where it fits now it starts. */
static bool stands_aside(const struct search *s)
{
    bool first = false;
    for (uint32_t i = 0; i < planner_queue(s->p)->nodes.n_parts; i++)
        first = first || planner_first_blocked(s->p, i) == s->j->id;
    return !first && !s->u->slot.use.parts;
}

static char *advice_nodes_of(const struct sched_result *r, uint32_t job)
{
    struct strv names = {0};
    char *text = NULL;
    vec_for_each (&r->starts, i) {
        if (r->starts.v[i].job != job || names.n)
            continue;
        for (size_t k = 0; k < r->starts.v[i].start.alloc.n; k++)
            strv_push(&names, r->starts.v[i].start.alloc.v[k].node);
    }
    if (names.n)
        text = hostlist_compress(&names);
    strv_fini(&names);
    return text;
}

/* Where it starts in a cycle with this request in place of its own; NULL: it does not. */
static char *cycle_with(const struct search *s, const struct job_req *req)
{
    struct job probe = *s->j;
    struct sched_result r;
    probe.req = *req;
    struct planner *p = replan_cycle(s->p, s->v, &probe, s->now, &r);
    char *nodes = advice_nodes_of(&r, s->j->id);
    sched_result_fini(&r);
    planner_free(p);
    return nodes;
}

/* Where it starts with this request, as far as can be promised; NULL: it cannot. */
static char *checked(struct search *s, const struct job_req *req)
{
    struct job probe = *s->j;
    struct trial t;
    char *nodes = NULL;
    if (replan_is_cheap(s->p))
        return s->cycles++ < CYCLES_MAX ? cycle_with(s, req) : NULL;
    probe.req = *req;
    trial_by_last_plan(s->p, s->v, &probe, s->now, &t);
    if (t.now && stands_aside(s))
        nodes = xstrdup(t.nodes);
    trial_fini(&t);
    return nodes;
}

/* Returns the cause, to be completed. */
static struct cause *found(struct search *s, enum cause_code code, char *nodes_taken, const char *key,
                           char *value_taken)
{
    s->w->advice_key = xstrdup(key);
    s->w->advice_value = value_taken;
    cause_set(&s->w->advice, code)->nodes = nodes_taken;
    return &s->w->advice;
}

static bool found_option(struct search *s, char *nodes_taken, const char *key, char *value_taken,
                         const char *option, const char *text)
{
    struct cause *c = found(s, CAUSE_TRY_OPTION, nodes_taken, key, value_taken);
    c->name = xstrdup(option);
    c->text = xstrdup(text);
    return true;
}

/* --- the changes --- */

/* The longest limit with which it fits before the job that has its place. */
static bool try_time(struct search *s)
{
    uint32_t asked = deadline_limit_s(s->j, s->part), low = 0;
    struct job_req r = s->j->req;
    struct job_req_detail detail = *req_detail(&r);
    char buf[UNITS_TEXT_SIZE];
    if (asked <= SHORTEST_S || asked == DURATION_NOT_SET)
        return false;
    uint32_t high = (asked == DURATION_UNLIMITED ? s->v->model->spec.window_s : asked) / STEP_S;
    detail.time_min_s = DURATION_NOT_SET;
    r.detail = &detail;
    while (low < high) { /* in whole minutes; low fits, or is 0 */
        uint32_t mid = low + (high - low + 1) / 2;
        r.time_limit_s =
            mid * STEP_S + advice_age_s(s); /* it would start now, not at the time of that cycle */
        if (starts_with(s, &r))
            low = mid;
        else
            high = mid - 1;
    }
    r.time_limit_s = low * STEP_S;
    char *nodes = low && r.time_limit_s < asked ? checked(s, &r) : NULL;
    if (!nodes)
        return false;
    duration_format(r.time_limit_s, buf);
    return found_option(s, nodes, "TimeLimit", xstrdup(buf), "--time=", buf);
}

static bool try_partition(struct search *s)
{
    struct job_req r = s->j->req;
    for (size_t i = 0; i < s->v->model->spec.parts.n; i++) {
        char *name = s->v->model->spec.parts.v[i].name;
        struct strv asked = strv_split(s->j->req.partition ? s->j->req.partition : s->j->partition, ",");
        bool is_asked = strv_has(&asked, name);
        strv_fini(&asked);
        r.partition = name;
        if (is_asked || s->v->model->spec.parts.v[i].state != PART_UP || !starts_with(s, &r))
            continue;
        char *nodes = checked(s, &r);
        if (!nodes)
            continue;
        found(s, CAUSE_TRY_PARTITION, nodes, "Partition", xstrdup(name))->part = xstrdup(name);
        return true;
    }
    return false;
}

struct count {      /* of the request */
    size_t at;      /* where it is in the record */
    size_t also_at; /* and what else has to be the same */
    const char *option, *key;
};

static void advice_set_count(struct job_req *r, const struct count *c, uint32_t n)
{
    *(uint32_t *)(void *)((char *)r + c->at) = n;
    *(uint32_t *)(void *)((char *)r + c->also_at) = n;
}

static bool try_count(struct search *s, const struct count *c)
{
    struct job_req r = s->j->req;
    uint32_t asked = *(uint32_t *)(void *)((char *)&r + c->at), low = 0;
    if (asked == NOT_GIVEN || asked < 2)
        return false;
    for (uint32_t high = asked - 1; low < high;) {
        uint32_t mid = low + (high - low + 1) / 2;
        advice_set_count(&r, c, mid);
        if (starts_with(s, &r))
            low = mid;
        else
            high = mid - 1;
    }
    advice_set_count(&r, c, low);
    char *nodes = low ? checked(s, &r) : NULL;
    if (!nodes)
        return false;
    struct cause *advice = found(s, CAUSE_TRY_COUNT, nodes, c->key, xasprintf("%u", low));
    advice->name = xstrdup(c->option);
    advice->n = low;
    advice->of = asked;
    return true;
}

static bool try_memory(struct search *s)
{
    struct job_req r = s->j->req;
    char buf[UNITS_TEXT_SIZE];
    uint64_t low = 0, high = r.mem_node_mib == MEM_NOT_GIVEN ? 0 : r.mem_node_mib;
    if (high < 2)
        return false;
    for (high--; low < high;) {
        uint64_t mid = low + (high - low + 1) / 2;
        r.mem_node_mib = mid;
        if (starts_with(s, &r))
            low = mid;
        else
            high = mid - 1;
    }
    r.mem_node_mib = low;
    char *nodes = low ? checked(s, &r) : NULL;
    if (!nodes)
        return false;
    mem_format_slurm(low, buf);
    return found_option(s, nodes, "MinMemoryNode", xasprintf("%llu", (unsigned long long)low),
                        "--mem=", buf);
}

/* --- a rule of the partition --- */

/* The one rule that a smaller request would meet; NULL: no request would remove another cause. */
static const struct cause *advice_rule_of(const struct msg_why *w)
{
    const struct cause *rule = NULL;
    for (size_t i = 0; i < w->causes.n; i++) {
        const struct cause *c = &w->causes.v[i];
        bool place = c->cls == WHY_BUSY || c->cls == WHY_NODE_OUT || c->cls == WHY_WINDOW;
        bool size = c->code == CAUSE_PARTITION_TIME || c->code == CAUSE_PARTITION_NODES;
        if ((!place && !size) || (size && rule))
            return NULL;
        rule = size ? c : rule;
    }
    return rule;
}

/* Advises what the partition allows, even if the job would then have to wait. */
static void try_rule(struct search *s)
{
    const struct cause *rule = advice_rule_of(s->w);
    struct job_req r = s->j->req;
    char buf[UNITS_TEXT_SIZE];
    if (!rule)
        return;
    bool time = rule->code == CAUSE_PARTITION_TIME;
    char *part = xstrdup(rule->part);
    if (time) {
        r.time_limit_s = (uint32_t)rule->most;
        duration_format(r.time_limit_s, buf);
    } else {
        r.nodes_min = r.nodes_max = (uint32_t)rule->most;
        snprintf(buf, sizeof buf, "%u", r.nodes_min);
    }
    char *nodes = checked(s, &r);
    found_option(s, nodes, time ? "TimeLimit" : "NumNodes", xstrdup(buf),
                 time ? "--time=" : "--nodes=", buf);
    if (nodes) {
        free(part);
        return;
    }
    s->w->advice.code = CAUSE_TRY_ADMITTED;
    s->w->advice.part = part;
}

/* One more element at once. One that has left the record has a throttle of its own, which is not the
 * array's. */
static bool try_throttle(struct search *s)
{
    struct job_req r = s->j->req;
    if (!job_is_array_record(s->j))
        return false;
    r.array_throttle = 1 + planner_array_running(s->p, s->j->array_job);
    char *nodes = checked(s, &r);
    if (!nodes)
        return false;
    char *value = xasprintf("%u", r.array_throttle);
    return found_option(s, nodes, "ArrayTaskThrottle", value, "ArrayTaskThrottle=", value);
}

static bool is_throttled(const struct msg_why *w)
{
    for (size_t i = 0; i < w->causes.n; i++)
        if (w->causes.v[i].cls == WHY_ARRAY_THROTTLE)
            return true;
    return false;
}

/* Only what starts by itself can start sooner: only a release helps against a hold. A job over a
 * soft limit alone may. */
static bool is_about_resources(struct planner *p, const struct job_class *g, const struct msg_why *w)
{
    bool limited = job_class_limit_state(planner_queue(p), g) == LIMIT_OVER_HARD;
    for (size_t i = 0; i < w->causes.n; i++)
        switch ((enum why_class)w->causes.v[i].cls) {
        case WHY_BUSY:
        case WHY_BEHIND:
        case WHY_WINDOW:
        case WHY_NO_FIT:
        case WHY_NODE_OUT:
        case WHY_FOREIGN_GPU:
        case WHY_ARRAY_THROTTLE:
        case WHY_LAUNCH_RETRY: break;
        case WHY_USER_LIMIT:
        case WHY_GROUP_LIMIT:
            if (limited)
                return false;
            break;
        case WHY_NOT_ALLOWED:
        case WHY_DEP_DEAD:
        case WHY_HELD:
        case WHY_DEP_WAIT:
        case WHY_NOT_YET:
        case WHY_COOLDOWN:
        case WHY_PARTITION_DOWN:
        case WHY_N_CLASSES: return false;
        }
    return w->causes.n > 0;
}

void advice_find(struct planner *p, const struct sched_view *v, const struct job *j, struct wall now,
                 struct msg_why *ret)
{
    struct pending_entry *u = idmap_get(&planner_queue(p)->entries.by_job, j->id);
    struct search s = {.p = p, .v = v, .j = j, .u = u, .now = now, .w = ret};
#define AT(member) offsetof(struct job_req, member), offsetof(struct job_req, member)
    static const struct count before_memory[] = {
        {AT(gpus), "--gpus=", "Gpus"},
        {AT(gpus_per_node), "--gres=gpu:", "GpusPerNode"},
        {AT(cpus_per_task), "--cpus-per-task=", "CpusPerTask"},
    };
#undef AT
    static const struct count nodes = {offsetof(struct job_req, nodes_min),
                                       offsetof(struct job_req, nodes_max), "--nodes=", "NumNodes"};
    if (!u || j->kind == JOB_KIND_STEPS)
        return;
    if (!u->class) {
        try_rule(&s);
        return;
    }
    if (!is_about_resources(p, u->class, ret))
        return;
    if (is_throttled(ret)) { /* whatever else it asked for, none more would start */
        try_throttle(&s);
        return;
    }
    bool holds = u->slot.use.parts != NULL; /* what is held for it is not in its own way */
    if (holds)
        pool_suspend(&planner_queue(p)->pool, &u->slot.use);
    s.part = &v->model->spec.parts.v[u->class->choices[0].partition];
    bool done = try_time(&s) || try_partition(&s);
    for (size_t i = 0; i < sizeof before_memory / sizeof *before_memory && !done; i++)
        done = try_count(&s, &before_memory[i]);
    done = done || try_memory(&s) || try_count(&s, &nodes);
    (void)done;
    if (holds)
        pool_restore(&planner_queue(p)->pool, &u->slot.use);
}
