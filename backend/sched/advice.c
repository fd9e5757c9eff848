/* advice.c - the one smallest change with which a waiting job could start now. */
#include "backend/sched/advice.h"

#include <stdlib.h>

#include "backend/sched/deadline.h"
#include "backend/sched/forecast.h"
#include "backend/sched/planner_private.h"

#define SHORTEST_S 60 /* no limit below that is proposed */
#define STEP_S     60 /* and they are whole minutes */

struct search {
    struct planner *p;
    const struct sched_view *v;
    const struct job *j;
    const struct part_spec *part; /* the first that admits it */
    struct wall now;
    struct msg_why *w;
};

/* With this request in place of its own. */
static bool starts_with(const struct search *s, const struct job_req *req, struct trial *ret)
{
    struct job probe = *s->j;
    probe.req = *req;
    planner_try(s->p, s->v, &probe, s->now, ret);
    bool now = ret->now;
    if (!now)
        trial_fini(ret);
    return now;
}

static bool found(const struct search *s, struct trial *t, const char *key, char *value_taken,
                  char *text_taken)
{
    s->w->advice_key = xstrdup(key);
    s->w->advice_value = value_taken;
    s->w->advice = text_taken;
    trial_fini(t);
    return true;
}

/* The longest limit with which it fits before whoever holds its place. */
static bool try_time(const struct search *s)
{
    uint32_t asked = deadline_limit_s(s->j, s->part), low = 0;
    struct job_req r = s->j->req;
    struct trial t;
    char buf[UNITS_TEXT_SIZE];
    if (asked <= SHORTEST_S || asked == DURATION_NOT_SET)
        return false;
    uint32_t high = (asked == DURATION_UNLIMITED ? s->v->model->spec.window_s : asked) / STEP_S;
    r.time_min_s = DURATION_NOT_SET;
    while (low < high) { /* in whole minutes; low fits, or is 0 */
        uint32_t mid = low + (high - low + 1) / 2;
        r.time_limit_s = mid * STEP_S;
        if (starts_with(s, &r, &t)) {
            trial_fini(&t);
            low = mid;
        } else {
            high = mid - 1;
        }
    }
    r.time_limit_s = low * STEP_S;
    if (!low || r.time_limit_s >= asked || !starts_with(s, &r, &t))
        return false;
    duration_format(r.time_limit_s, buf);
    return found(s, &t, "TimeLimit", xstrdup(buf),
                 xasprintf("with --time=%s it could start now on %s", buf, t.nodes));
}

static bool try_partition(const struct search *s)
{
    struct job_req r = s->j->req;
    struct trial t;
    for (size_t i = 0; i < s->v->model->spec.parts.n; i++) {
        char *name = s->v->model->spec.parts.v[i].name;
        struct strv asked = strv_split(s->j->req.partition ? s->j->req.partition : s->j->partition, ",");
        bool is_asked = strv_has(&asked, name);
        strv_fini(&asked);
        r.partition = name;
        if (is_asked || s->v->model->spec.parts.v[i].state != PART_UP || !starts_with(s, &r, &t))
            continue;
        return found(s, &t, "Partition", xstrdup(name),
                     xasprintf("in partition %s it could start now on %s", name, t.nodes));
    }
    return false;
}

struct count {      /* of the request */
    size_t at;      /* where it is in the record */
    size_t also_at; /* and what else has to be the same */
    const char *option, *key;
};

static void set_count(struct job_req *r, const struct count *c, uint32_t n)
{
    *(uint32_t *)(void *)((char *)r + c->at) = n;
    *(uint32_t *)(void *)((char *)r + c->also_at) = n;
}

static bool try_count(const struct search *s, const struct count *c)
{
    struct job_req r = s->j->req;
    uint32_t asked = *(uint32_t *)(void *)((char *)&r + c->at), low = 0;
    struct trial t;
    if (asked == NOT_GIVEN || asked < 2)
        return false;
    for (uint32_t high = asked - 1; low < high;) {
        uint32_t mid = low + (high - low + 1) / 2;
        set_count(&r, c, mid);
        if (starts_with(s, &r, &t)) {
            trial_fini(&t);
            low = mid;
        } else {
            high = mid - 1;
        }
    }
    set_count(&r, c, low);
    if (!low || !starts_with(s, &r, &t))
        return false;
    return found(
        s, &t, c->key, xasprintf("%u", low),
        xasprintf("with %s%u instead of %u it could start now on %s", c->option, low, asked, t.nodes));
}

static bool try_memory(const struct search *s)
{
    struct job_req r = s->j->req;
    char buf[UNITS_TEXT_SIZE];
    struct trial t;
    uint64_t low = 0, high = r.mem_node_mib == MEM_NOT_GIVEN ? 0 : r.mem_node_mib;
    if (high < 2)
        return false;
    for (high--; low < high;) {
        uint64_t mid = low + (high - low + 1) / 2;
        r.mem_node_mib = mid;
        if (starts_with(s, &r, &t)) {
            trial_fini(&t);
            low = mid;
        } else {
            high = mid - 1;
        }
    }
    r.mem_node_mib = low;
    if (!low || !starts_with(s, &r, &t))
        return false;
    mem_format_slurm(low, buf);
    return found(s, &t, "MinMemoryNode", xasprintf("%llu", (unsigned long long)low),
                 xasprintf("with --mem=%s it could start now on %s", buf, t.nodes));
}

/* Only what starts by itself can start sooner: nothing helps against a hold but a release. */
static bool is_about_resources(const struct msg_why *w)
{
    for (size_t i = 0; i < w->causes.n; i++)
        if (w->causes.v[i].cls != WHY_BUSY && w->causes.v[i].cls != WHY_BEHIND &&
            w->causes.v[i].cls != WHY_WINDOW && w->causes.v[i].cls != WHY_NO_FIT &&
            w->causes.v[i].cls != WHY_NODE_OUT && w->causes.v[i].cls != WHY_FOREIGN_GPU)
            return false;
    return w->causes.n > 0;
}

void advice_find(struct planner *p, const struct sched_view *v, const struct job *j, struct wall now,
                 struct msg_why *ret)
{
    struct search s = {.p = p, .v = v, .j = j, .now = now, .w = ret};
    struct unit *u = idmap_get(&p->units, j->id);
#define AT(member) offsetof(struct job_req, member), offsetof(struct job_req, member)
    static const struct count before_memory[] = {
        {AT(gpus), "--gpus=", "Gpus"},
        {AT(gpus_per_node), "--gres=gpu:", "GpusPerNode"},
        {AT(cpus_per_task), "--cpus-per-task=", "CpusPerTask"},
    };
#undef AT
    static const struct count nodes = {offsetof(struct job_req, nodes_min),
                                       offsetof(struct job_req, nodes_max), "--nodes=", "NumNodes"};
    if (!u || !u->group || j->kind == JOB_KIND_STEPS || !is_about_resources(ret) ||
        planner_makes_way_for(p, u))
        return;
    bool holds = u->hold.use.parts != NULL; /* what is held for it is not in its own way */
    if (holds)
        pool_lift(&p->pool, &u->hold.use);
    s.part = &v->model->spec.parts.v[u->group->choices[0].lane];
    bool done = try_time(&s) || try_partition(&s);
    for (size_t i = 0; i < sizeof before_memory / sizeof *before_memory && !done; i++)
        done = try_count(&s, &before_memory[i]);
    done = done || try_memory(&s) || try_count(&s, &nodes);
    (void)done;
    if (holds)
        pool_lay(&p->pool, &u->hold.use);
}
