/* whyplace.c - why there is no place for a job in a partition now: nodes refused by cause, who holds what
 * is short, windows, places held for others. */
#include <stdio.h>
#include <stdlib.h>

#include "backend/sched/refused.h"
#include "backend/sched/why_private.h"

#define BLOCKERS_MAX 5

struct ender {
    int64_t end;
    uint32_t job;
};

static int by_end(const void *pa, const void *pb)
{
    const struct ender *a = pa, *b = pb;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return a->job < b->job ? -1 : a->job > b->job;
}

/* Whether it holds something that is short. */
static bool has_short(const struct refused *r, const struct amount *a)
{
    bool none_short = !r->gpus && !r->cpus && !r->mem;
    return (r->gpus && a->gpus) || (r->cpus && a->cpus) || (r->mem && a->mem_mib) || none_short;
}

static bool is_in_way(const struct runs *r, const struct nodeset *s, const struct refused *short_of)
{
    vec_for_each (&r->v, i)
        for (uint32_t k = 0; k < r->v.v[i]->use.n_parts; k++)
            if (nodeset_has(s, r->v.v[i]->use.parts[k].node) &&
                has_short(short_of, &r->v.v[i]->use.parts[k].amount))
                return true;
    return false;
}

/* The jobs on its nodes that hold what it is short of, those whose limits come first. */
static struct wall add_blockers(const struct question *q, const struct nodeset *s,
                                const struct refused *short_of, struct str *out)
{
    VEC(struct ender) v = VEC_INIT;
    char id[16];
    list_for_each (r, &q->p->running, struct runs, link)
        if (r->v.n && is_in_way(r, s, short_of))
            vec_push(&v, (struct ender){r->v.v[0]->use.end, r->job});
    if (v.n)
        qsort(v.v, v.n, sizeof *v.v, by_end);
    for (size_t i = 0; i < v.n && i < BLOCKERS_MAX; i++) {
        snprintf(id, sizeof id, "%u", v.v[i].job);
        strv_push(&q->w->blockers, id);
    }
    struct wall clears = {0};
    if (v.n && v.v[0].end != WHEN_NEVER) {
        str_appendf(out, "; job %u reaches its limit first", v.v[0].job);
        clears.ms = v.v[0].end;
    } else if (v.n) {
        str_appendf(out, "; job %u runs without a time limit", v.v[0].job);
    }
    vec_fini(&v);
    return clears;
}

static void append_wanted(const struct question *q, uint32_t lane, const char *then, struct str *out)
{
    planner_describe(q->j, q->step, out);
    str_appendf(out, " wanted in %s%s; ", q->v->model->spec.parts.v[lane].name, then);
}

/* " in 2 h": how an instant reads as text is for the client to say, who knows the time zone. */
static void append_when(const struct question *q, int64_t ms, struct str *out)
{
    char buf[UNITS_TEXT_SIZE];
    if (ms > q->now.ms)
        str_appendf(out, " in %s",
                    duration_format_words(wall_elapsed_s(q->now, (struct wall){.ms = ms}), buf));
    else
        str_append(out, " now");
}

static void explain_window(const struct question *q, const struct refused *r)
{
    const struct window *w = r->first_window;
    struct str b = STR_INIT;
    if (!w)
        return;
    str_appendf(&b, "%u node%s kept for %s %s", r->window, r->window == 1 ? " is" : "s are",
                w->kind == WINDOW_MAINTENANCE ? "the maintenance window" : "the reservation", w->name);
    append_when(q, w->start.ms, &b);
    str_append(&b, w->start.ms > q->now.ms ? ": it would not end before that" : "");
    why_add_cause(q->w, WHY_WINDOW, w->end, str_take(&b));
}

static bool lies_in(const struct pool_use *use, const struct nodeset *s)
{
    for (uint32_t i = 0; i < use->n_parts; i++)
        if (nodeset_has(s, use->parts[i].node))
            return true;
    return false;
}

struct first { /* of places that are held */
    int64_t start, end;
};

static void note_first(struct first *f, const struct pool_use *use)
{
    f->start = use->start < f->start ? use->start : f->start;
    f->end = use->end < f->end ? use->end : f->end;
}

/* Whether there are places for it there: its own, and those of the elements behind the next one. */
static bool has_places_in(const struct unit *u, const struct nodeset *s, struct first *ret)
{
    bool any = lies_in(&u->hold.use, s);
    if (any)
        note_first(ret, &u->hold.use);
    for (uint32_t i = 0; i < u->n_more; i++)
        if (lies_in(&u->more[i].use, s)) {
            note_first(ret, &u->more[i].use);
            any = true;
        }
    return any;
}

/* Nodes are free, but those for whom a place is held come first. False: nobody is. */
static bool explain_holds(const struct question *q, const struct backfill_choice *c)
{
    uint32_t n = 0;
    struct first first = {WHEN_NEVER, WHEN_NEVER};
    struct str b = STR_INIT;
    list_for_each (h, &q->p->backfill.holds, struct backfill_hold, link) {
        const struct unit *u = container_of(h, struct unit, hold);
        if (u != q->u && has_places_in(u, c->set, &first) && n++ < BLOCKERS_MAX)
            str_appendf(&b, "%s%u", n == 1 ? "a place is held for job " : ", ", u->job);
    }
    if (n > BLOCKERS_MAX)
        str_appendf(&b, " and %u more", n - BLOCKERS_MAX);
    if (n) {
        append_when(q, first.start, &b);
        str_append(&b, ": it would not have ended by then");
        why_add_cause(q->w, WHY_BEHIND, (struct wall){.ms = first.end == WHEN_NEVER ? 0 : first.end},
                      str_take(&b));
    }
    str_fini(&b);
    return n > 0;
}

/* Whether it would end too late there if it started now. */
static bool explain_late(const struct question *q, const struct backfill_choice *c)
{
    int64_t deadline = q->u->group->deadline;
    struct str b = STR_INIT;
    bool endless = c->len_min == WHEN_NEVER; /* it gets what is left until then */
    if (deadline == WHEN_NEVER ||
        (endless ? q->now.ms : when_plus(q->now.ms, c->len_min)) < deadline + !endless)
        return false;
    str_appendf(&b,
                endless ? "there is no time left in %s until its deadline, which is"
                        : "by its time limit in %s it would end after its deadline, which is",
                q->v->model->spec.parts.v[c->lane].name);
    append_when(q, deadline, &b);
    why_add_cause(q->w, WHY_NOT_ALLOWED, (struct wall){0}, str_take(&b));
    return true;
}

/* It would get more there than it has asked for: whole nodes, a share of memory. */
static void explain_limit_there(const struct question *q, uint32_t at, const struct pool_parts *parts)
{
    const struct group *g = q->u->group;
    struct limit_ask ask = g->asks[at];
    struct limit_verdict v;
    struct str b = STR_INIT;
    planner_ask_exactly(parts, g->choices[at].len_min, &ask);
    if (limits_check(q->p->limits, &ask, &v) == LIMIT_OK || why_names_limit(q->w))
        return;
    limit_text(&v, &b);
    why_add_cause(q->w, limit_why_class(&v), why_limit_clears(q, &ask, 1), str_take(&b));
}

void why_no_place(const struct question *q, uint32_t at)
{
    const struct backfill_choice *c = &q->u->group->choices[at];
    struct refused r;
    struct pool_parts parts = {VEC_INIT};
    struct str b = STR_INIT;
    struct wall clears = {0};
    if (explain_late(q, c))
        return;
    bool fits = pool_place(&q->p->pool, c->demand, c->set, q->p->pool.now, c->len_min, &parts);
    if (fits)
        explain_limit_there(q, at, &parts);
    vec_fini(&parts.v);
    if (fits)
        return;
    refused_count(q->p, q->j, q->step, c->lane, false, &r);
    if (r.window)
        explain_window(q, &r);
    bool told = (r.held && explain_holds(q, c)) || r.window;
    bool is_free = !refused_is_busy(&r) && !r.out && !r.drained && !r.avoided && !r.cards;
    if (is_free && told)
        return;
    append_wanted(q, c->lane, "", &b);
    refused_text(&r, &b);
    if (r.first_cards && r.first_cards->gpu_notes.n)
        str_appendf(&b, "; on %s: %s", r.first_cards->spec.name, r.first_cards->gpu_notes.v[0]);
    if (r.first_avoided)
        str_appendf(&b, "; %s: %s", r.first_avoided->spec.name,
                    node_avoids(r.first_avoided, q->j->uid)->text);
    enum why_class cls = refused_is_out(&r)     ? WHY_NODE_OUT
                         : refused_is_cards(&r) ? WHY_FOREIGN_GPU
                                                : WHY_BUSY;
    if (cls == WHY_BUSY)
        clears = add_blockers(q, c->set, &r, &b);
    why_add_cause(q->w, cls, clears, str_take(&b));
}

void why_never(const struct question *q, const struct backfill_choice *c)
{
    struct refused r;
    struct str b = STR_INIT;
    refused_count(q->p, q->j, q->step, c->lane, true, &r);
    append_wanted(q, c->lane, ", not to be had even with every node empty", &b);
    refused_text(&r, &b);
    why_add_cause(q->w, WHY_NO_FIT, (struct wall){0}, str_take(&b));
}
