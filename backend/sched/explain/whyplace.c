/* whyplace.c - why there is no place for a job in a partition now: nodes refused by cause, who holds what
 * is short, windows, places held for others. */
#include <stdio.h>
#include <stdlib.h>

#include "backend/sched/explain/refused.h"
#include "backend/sched/explain/why_internal.h"
#include "src/base/hostlist.h"
#include "src/model/window.h"

#define BLOCKERS_MAX 5

struct ender {
    int64_t end;
    uint32_t job;
};

static int by_end(const void *pa, const void *pb)
{
    const struct ender *a = pa, *b = pb;
    if (a->end != b->end)
        return a->end > b->end ? -1 : 1;
    return a->job < b->job ? -1 : a->job > b->job;
}

static bool ends_by(const struct pool_use *use, const struct pool_parts *parts, int64_t t)
{
    for (size_t i = 0; use->end <= t && i < parts->v.n; i++)
        for (uint32_t k = 0; k < use->n_parts; k++)
            if (use->parts[k].node == parts->v.v[i].node)
                return true;
    return false;
}

/* Those whose ends make the room: on the nodes where it is to start, over by then; the last of them first.
 */
static void add_blockers(const struct question *q, const struct pool_parts *parts, int64_t t,
                         struct str *out)
{
    VEC(struct ender) v = VEC_INIT;
    char id[16];
    list_for_each (r, &q->queue->active.list, struct active_job, link) {
        int64_t end = -1;
        vec_for_each (&r->v, i)
            if (ends_by(&r->v.v[i]->use, parts, t) && r->v.v[i]->use.end > end)
                end = r->v.v[i]->use.end;
        if (end >= 0)
            vec_push(&v, (struct ender){end, r->job});
    }
    if (v.n)
        qsort(v.v, v.n, sizeof *v.v, by_end);
    for (size_t i = 0; i < v.n && i < BLOCKERS_MAX; i++) {
        snprintf(id, sizeof id, "%u", v.v[i].job);
        strv_push(&q->w->blockers, id);
    }
    if (v.n)
        str_appendf(out, "; room comes when job %u reaches its limit", v.v[0].job);
    vec_fini(&v);
}

/* One that is in its way for ever, as far as is known. */
static void add_endless(const struct question *q, const struct nodeset *s, struct str *out)
{
    list_for_each (r, &q->queue->active.list, struct active_job, link)
        vec_for_each (&r->v, i) {
            const struct pool_use *use = &r->v.v[i]->use;
            for (uint32_t k = 0; use->end == WHEN_NEVER && k < use->n_parts; k++)
                if (nodeset_has(s, use->parts[k].node)) {
                    char id[16];
                    snprintf(id, sizeof id, "%u", r->job);
                    strv_push(&q->w->blockers, id);
                    str_appendf(out, "; job %u runs without a time limit", r->job);
                    return;
                }
        }
}

/* When there is room for it: by the time limits of what runs and planned starts, with and without windows.
 */
struct room {
    int64_t at, with_windows;
    struct pool_parts parts; /* where, at `at` */
};

/* Its own reservation is set aside already. */
static void suspend_windows(const struct question *q, bool lift)
{
    vec_for_each (&q->queue->windows, i) {
        struct pool_use *use = &q->queue->windows.v[i]->use;
        if (!use->parts || use == q->u->class->own)
            continue;
        if (lift)
            pool_suspend(&q->queue->pool, use);
        else
            pool_restore(&q->queue->pool, use);
    }
}

static void find_room(const struct question *q, const struct plan_choice *c, struct room *ret)
{
    struct pool_span span = {.from = q->queue->pool.now, .before = WHEN_NEVER, .len = c->len_min};
    *ret = (struct room){.parts = {VEC_INIT}};
    ret->with_windows = pool_earliest(&q->queue->pool, c->demand, c->set, span, &ret->parts);
    ret->at = ret->with_windows;
    if (!q->queue->windows.n)
        return;
    suspend_windows(q, true);
    ret->at = pool_earliest(&q->queue->pool, c->demand, c->set, span, &ret->parts);
    suspend_windows(q, false);
}

/* Whose end makes the room, and when that is. */
static struct wall explain_room(const struct question *q, const struct plan_choice *c,
                                const struct room *room, struct str *out)
{
    if (room->at == WHEN_NEVER)
        add_endless(q, c->set, out);
    else
        add_blockers(q, &room->parts, room->at, out);
    return (struct wall){.ms = room->at == WHEN_NEVER || room->at <= q->now.ms ? 0 : room->at};
}

static void append_wanted(const struct question *q, uint32_t partition, const char *then, struct str *out)
{
    request_describe(q->j, q->step, out);
    str_appendf(out, " wanted in %s%s; ", q->v->model->spec.parts.v[partition].name, then);
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

/* The same window may be in the way in several partitions. */
static bool names_window(const struct question *q, const char *text)
{
    for (size_t i = 0; i < q->w->causes.n; i++)
        if (q->w->causes.v[i].cls == WHY_WINDOW && str_eq(q->w->causes.v[i].text, text))
            return true;
    return false;
}

/* n nodes, by these names, are kept for w. */
static void add_window(const struct question *q, const struct window *w, uint32_t n, const char *names)
{
    struct str b = STR_INIT;
    bool ahead = w->start.ms > q->now.ms, maintenance = w->kind == WINDOW_MAINTENANCE;
    str_appendf(&b, "%u node%s kept for %s %s", n, n == 1 ? " is" : "s are",
                maintenance ? "the maintenance window" : "the reservation", w->name);
    append_when(q, w->start.ms, &b);
    str_append(&b, ahead ? ": it would not end before that" : "");
    if (names_window(q, b.s)) {
        str_fini(&b);
        return;
    }
    why_add_cause(q->w, WHY_WINDOW, w->end, str_take(&b));
    str_init(&b);
    if (ahead)
        str_appendf(&b, "would run into %s", maintenance ? "maintenance" : "reservation ");
    else
        str_appendf(&b, "%s%sin %s", names, *names ? " " : "",
                    maintenance ? "maintenance" : "reservation ");
    str_append(&b, maintenance ? "" : w->name);
    why_set_head(q->w, str_take(&b), ahead ? " at " : " until ", ahead ? w->start : w->end);
}

static void explain_window(const struct question *q, const struct refused *r)
{
    struct str names = STR_INIT;
    if (!r->first_window)
        return;
    refused_append_names(q->queue, r, &r->window, &names);
    add_window(q, r->first_window, r->window, names.len ? names.s : "");
    str_fini(&names);
}

/* Its nodes are busy now, and when they are free a window is in the way. */
static void explain_window_then(const struct question *q, const struct plan_choice *c,
                                const struct room *room)
{
    const char *reservation = req_rare(&q->j->req)->reservation;
    struct wall from = {.ms = room->at}, until = {.ms = when_plus(room->at, c->len_min)};
    const struct window *first = NULL;
    struct strv names = {0};
    if (room->at == WHEN_NEVER || room->at >= room->with_windows)
        return;
    vec_for_each (&room->parts.v, i) {
        const struct node *n = q->v->model->nodes[room->parts.v.v[i].node];
        const struct window *w = window_in_way(q->v->model, n->spec.name, reservation, from, until);
        if (w)
            strv_push(&names, n->spec.name);
        first = w && (!first || w->start.ms < first->start.ms) ? w : first;
    }
    if (first) {
        char *list = hostlist_compress(&names);
        add_window(q, first, (uint32_t)names.n, list);
        free(list);
    }
    strv_fini(&names);
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
static bool has_places_in(const struct pending_entry *u, const struct nodeset *s, struct first *ret)
{
    bool any = lies_in(&u->slot.use, s);
    if (any)
        note_first(ret, &u->slot.use);
    for (uint32_t i = 0; i < u->extra.n; i++)
        if (lies_in(&u->extra.v[i].use, s)) {
            note_first(ret, &u->extra.v[i].use);
            any = true;
        }
    return any;
}

/* Nodes are free, but those for whom a place is held come first. False: nobody is. */
static bool explain_holds(const struct question *q, const struct plan_choice *c)
{
    uint32_t n = 0, head = 0;
    struct first first = {WHEN_NEVER, WHEN_NEVER};
    struct str b = STR_INIT;
    list_for_each (h, &q->queue->slots.list, struct plan_slot, link) {
        const struct pending_entry *u = container_of(h, struct pending_entry, slot);
        if (u != q->u && has_places_in(u, c->set, &first) && n++ < BLOCKERS_MAX)
            str_appendf(&b, "%s%u", n == 1 ? "job " : ", ", u->job);
        if (n == 1 && !head)
            head = u->job;
    }
    if (n > BLOCKERS_MAX)
        str_appendf(&b, " and %u more", n - BLOCKERS_MAX);
    if (n) {
        str_append(&b, n == 1 ? " is planned to start there" : " are planned to start there");
        append_when(q, first.start, &b);
        str_append(&b, ": this job would not have ended by then");
        why_add_cause(q->w, WHY_BEHIND, (struct wall){.ms = first.end == WHEN_NEVER ? 0 : first.end},
                      str_take(&b));
        why_set_head(q->w, xasprintf("would delay job %u, which starts", head), " ~",
                     (struct wall){.ms = first.start});
    }
    str_fini(&b);
    return n > 0;
}

static bool is_late(const struct question *q, const struct plan_choice *c)
{
    int64_t deadline = q->u->class->deadline;
    bool endless = c->len_min == WHEN_NEVER;
    return deadline != WHEN_NEVER &&
           (endless ? q->now.ms : when_plus(q->now.ms, c->len_min)) >= deadline + !endless;
}

bool why_all_late(const struct question *q)
{
    const struct job_class *g = q->u->class;
    for (uint32_t i = 0; i < g->n_choices; i++)
        if (request_shape_could_ever(q->queue, g->shapes[i]) && !is_late(q, &g->choices[i]))
            return false;
    return g->n_choices > 0;
}

/* Whether it would end too late there if it started now. */
static bool explain_late(const struct question *q, const struct plan_choice *c)
{
    int64_t deadline = q->u->class->deadline;
    struct str b = STR_INIT;
    bool endless = c->len_min == WHEN_NEVER; /* it gets what is left until then */
    const char *part = q->v->model->spec.parts.v[c->partition].name;
    if (!is_late(q, c))
        return false;
    const struct job_req_rare *rare = req_rare(&q->j->req);
    bool own = wall_is_set(rare->deadline) && rare->deadline.ms == deadline;
    str_appendf(
        &b, endless ? "there is no time left in %s until " : "by its time limit in %s it would end after ",
        part);
    if (own)
        str_append(&b, "its deadline, which is");
    else
        str_appendf(&b, "the end of its reservation %s, which is", rare->reservation);
    append_when(q, deadline, &b);
    why_add_cause(q->w, WHY_NOT_ALLOWED, (struct wall){0}, str_take(&b));
    why_set_head(q->w,
                 own ? xstrdup("cannot end before its deadline")
                     : xasprintf("cannot end before reservation %s ends", rare->reservation),
                 " at ", (struct wall){.ms = deadline});
    return true;
}

/* It would get more there than it has asked for: whole nodes, a share of memory. */
static void explain_limit_there(const struct question *q, uint32_t at, const struct pool_parts *parts)
{
    const struct job_class *g = q->u->class;
    struct limit_request request = g->requests[at];
    struct limit_verdict v;
    struct str b = STR_INIT;
    limit_request_set_placement(parts, g->choices[at].len_min, &request);
    if (limits_check(q->queue->limits, &request, &v) == LIMIT_OK || why_names_limit(q->w))
        return;
    limit_text(&v, &b);
    why_add_cause(q->w, limit_why_class(&v), q->brief ? (struct wall){0} : why_limit_clears(q, &request, 1),
                  str_take(&b));
    str_init(&b);
    limit_head(&v, &b);
    why_set_head(q->w, str_take(&b), NULL, (struct wall){0});
}

static void append_amount(struct str *out, uint64_t n, const char *one, const char *many)
{
    str_appendf(out, "%llu %s", (unsigned long long)n, n == 1 ? one : many);
}

/* "needs 4 GPUs (2 free)", of what is short; "on one node" where the nodes together would have it. */
static void append_short(const struct question *q, const struct refused *r, struct str *out)
{
    struct job_need need;
    char a[UNITS_TEXT_SIZE], b[UNITS_TEXT_SIZE];
    job_need(&q->j->req, &need);
    uint32_t nodes = q->step ? 1 : need.nodes;
    const char *list = req_rare(&q->j->req)->nodelist;
    bool one = nodes <= 1 && !r->spread;
    const struct amount *have = one ? &r->free_most : &r->free_all;
    uint64_t gpus = q->step ? (uint64_t)r->asked.gpus : job_gpus(q->j);
    uint64_t cpus = q->step ? (uint64_t)r->asked.cpus : job_cpus(q->j);
    uint64_t free_n, asked;
    if (r->busy_whole) {
        append_amount(out, nodes, "whole node", "whole nodes");
        str_appendf(out, " (%u free)", r->fit);
        return;
    }
    bool by_gpus = r->gpus || (r->asked.gpus && !r->cpus && !r->mem);
    if (!by_gpus && !r->cpus && r->mem) {
        asked = (uint64_t)r->asked.mem_mib;
        str_appendf(out, "%s of memory%s", mem_format_slurm(asked, a), one ? "" : " a node");
        str_appendf(out, " (%s free)", mem_format_slurm((uint64_t)r->free_most.mem_mib, b));
        return;
    }
    asked = by_gpus ? gpus : cpus;
    free_n = (uint64_t)(by_gpus ? have->gpus : have->cpus);
    uint64_t sum = (uint64_t)(by_gpus ? r->free_all.gpus : r->free_all.cpus);
    str_appendf(out, "%llu ", (unsigned long long)asked);
    if (by_gpus && q->j->req.gpu_type)
        str_appendf(out, "%s ", q->j->req.gpu_type);
    str_appendf(out, "%s%s", by_gpus ? "GPU" : "CPU", asked == 1 ? "" : "s");
    if (!str_is_empty(list))
        str_appendf(out, " on %s", list);
    else if (one && sum >= asked)
        str_append(out, " on one node");
    else if (nodes > 1)
        str_appendf(out, " on %u nodes", nodes);
    if (free_n < asked)
        str_appendf(out, " (%llu free)", (unsigned long long)free_n);
}

static void append_need(const struct question *q, const struct refused *r, struct str *out)
{
    str_append(out, q->w->rank == 1 && q->w->rank_of > 1 ? "next in line, needs " : "needs ");
    append_short(q, r, out);
}

void why_no_place(const struct question *q, uint32_t at)
{
    const struct plan_choice *c = &q->u->class->choices[at];
    struct refused r;
    struct pool_parts parts = {VEC_INIT};
    struct str b = STR_INIT;
    struct wall clears = {0};
    struct room room;
    if (explain_late(q, c))
        return;
    bool fits = pool_place(&q->queue->pool, c->demand, c->set, q->queue->pool.now, c->len_min, &parts);
    if (fits)
        explain_limit_there(q, at, &parts);
    vec_fini(&parts.v);
    if (fits)
        return;
    refused_count(q->queue, q->j, q->step, c->partition, false, &r);
    if (r.window)
        explain_window(q, &r);
    bool told = (r.held && explain_holds(q, c)) || r.window;
    bool is_free = !refused_is_busy(&r) && !r.out && !r.drained && !r.avoided && !r.cards;
    if (is_free && told)
        return;
    append_wanted(q, c->partition, "", &b);
    refused_text_named(q->queue, &r, &b);
    if (r.first_cards && r.first_cards->gpu_notes.n)
        str_appendf(&b, "; on %s: %s", r.first_cards->spec.name, r.first_cards->gpu_notes.v[0]);
    if (r.first_avoided)
        str_appendf(&b, "; %s: %s", r.first_avoided->spec.name,
                    node_avoids(r.first_avoided, q->j->uid)->text);
    enum why_class cls = refused_is_out(&r)     ? WHY_NODE_OUT
                         : refused_is_cards(&r) ? WHY_FOREIGN_GPU
                                                : WHY_BUSY;
    if (cls == WHY_BUSY && (!q->brief || q->queue->windows.n)) {
        find_room(q, c, &room);
        explain_window_then(q, c, &room);
        clears = q->brief ? clears : explain_room(q, c, &room, &b);
        vec_fini(&room.parts.v);
    }
    why_add_cause(q->w, cls, clears, str_take(&b));
    str_init(&b);
    if (cls == WHY_NODE_OUT)
        refused_append_out(q->queue, &r, &b);
    else if (cls == WHY_BUSY)
        append_need(q, &r, &b);
    if (b.len)
        why_set_head(q->w, str_take(&b), NULL, (struct wall){0});
    str_fini(&b);
}

void why_never(const struct question *q, const struct plan_choice *c)
{
    struct refused r;
    struct str b = STR_INIT;
    refused_count(q->queue, q->j, q->step, c->partition, true, &r);
    append_wanted(q, c->partition, ", not to be had even with every node empty", &b);
    refused_text_named(q->queue, &r, &b);
    why_add_cause(q->w, WHY_NO_FIT, (struct wall){0}, str_take(&b));
    str_init(&b);
    str_append(&b, "can never run: ");
    request_describe(q->j, q->step, &b);
    str_appendf(&b, " not to be had in %s", q->v->model->spec.parts.v[c->partition].name);
    why_set_head(q->w, str_take(&b), NULL, (struct wall){0});
}
