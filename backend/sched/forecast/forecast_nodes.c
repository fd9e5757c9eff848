/* forecast_nodes.c - on which nodes the first jobs of a forecast are planned to start.
 *
 * The timeline needs nodes; everything else needs only times. A forecast over node classes says how much of
 * each class a job takes. Here the first jobs are put on nodes of these classes that are free for them
 * then, beside what runs, what is planned, and the jobs that were put there before. Sums over a class may
 * promise a little more than single nodes have: then nothing is said of a job's nodes.
 */
#include <stdlib.h>

#include "backend/sched/forecast/forecast_internal.h"

#define PLACES_MAX 512    /* jobs whose nodes are kept: more do not fit on a screen */
#define NODES_MAX  4096   /* nodes of all these jobs together */
#define LOOKS_MAX  500000 /* nodes looked at for them, which takes about 25 ms */

struct forecast_place { /* in place_nodes */
    uint32_t first, n;
};

/* Free on the node throughout [t, end); less, where jobs that were put there follow one another. */
static struct amount places_free(const struct forecaster *p, const struct forecasts *f, uint32_t node,
                                 int64_t t, int64_t end)
{
    struct amount free = timeline_min(&p->queue->pool.nodes[node].line, t, end);
    uintptr_t at = (uintptr_t)idmap_get(&f->placed_on, node);
    for (; at; at = f->placed.v[at - 1].before) {
        const struct placed_part *b = &f->placed.v[at - 1];
        if (b->start < end && t < b->end)
            free = amount_minus(free, b->amount);
    }
    return free;
}

static void places_put(struct forecasts *f, struct placed_part part)
{
    part.before = (uint32_t)(uintptr_t)idmap_get(&f->placed_on, part.node);
    vec_push(&f->placed, part);
    idmap_set(&f->placed_on, part.node, (void *)(uintptr_t)f->placed.n);
}

/* Puts the job's part of a node class on nodes of it, those first that the request names. */
static bool places_put_part(const struct forecaster *p, struct forecasts *f, const struct plan_choice *c,
                            const struct pool_part *part, int64_t t, int64_t end)
{
    const struct node_class *class = &f->classes[part->node];
    struct demand_pieces w;
    int64_t left = forecast_pieces_taken(c->demand, class, part->amount, &w);
    int64_t most = demand_is_uniform(c->demand) ? w.each : INT32_MAX;
    for (int pass = c->set->n_listed ? 0 : 1; pass < 2; pass++)
        for (uint32_t i = 0; i < p->queue->pool.n_nodes && left > 0 && f->looks; i++) {
            if (f->class_of[i] != part->node || (!pass) != nodeset_is_listed(c->set, i))
                continue;
            f->looks--;
            int64_t here = forecast_pieces_in_amount(places_free(p, f, i, t, end), &w);
            here = here < most ? here : most;
            here = here < left ? here : left;
            if (here <= 0)
                continue;
            places_put(f, (struct placed_part){i, 0, t, end, forecast_amount_of(&w, here)});
            left -= here;
        }
    return left <= 0;
}

static bool places_put_all(const struct forecaster *p, struct forecasts *f, const struct job_class *g,
                           const struct forecast_start *at)
{
    const struct plan_choice *c = &g->choices[at->choice];
    int64_t end = forecast_on_grid(f, when_plus(at->t, c->len), true);
    if (f->by_node) {
        vec_for_each (&at->parts, i)
            vec_push(&f->placed, (struct placed_part){.node = f->classes[at->parts.v[i].node].first});
        return true;
    }
    if (g->own) /* on the timelines of its nodes they are taken */
        return false;
    vec_for_each (&at->parts, i)
        if (!places_put_part(p, f, c, &at->parts.v[i], at->t, end))
            return false;
    return true;
}

static void places_take_back(struct forecasts *f, size_t first)
{
    for (; f->placed.n > first; f->placed.n--) {
        const struct placed_part *b = &f->placed.v[f->placed.n - 1];
        if (b->before)
            idmap_set(&f->placed_on, b->node, (void *)(uintptr_t)b->before);
        else
            idmap_remove(&f->placed_on, b->node);
    }
}

static void forecast_place_add(struct forecasts *f, struct forecast_place *l, uint32_t node)
{
    for (uint32_t i = l->first; i < l->first + l->n; i++)
        if (f->place_nodes.v[i] == node)
            return;
    vec_push(&f->place_nodes, node);
    l->n++;
}

void forecast_places_add(const struct forecaster *p, struct forecasts *f, const struct job_class *g,
                         uint32_t job, const struct forecast_start *at, bool same)
{
    struct forecast_place *l = idmap_get(&f->places, job);
    bool has_room = f->place_nodes.n + at->parts.n <= NODES_MAX && (l || f->places.n < PLACES_MAX);
    size_t first = f->placed.n;
    if (!has_room || (same && !l))
        return;
    if (!places_put_all(p, f, g, at) || f->place_nodes.n + f->placed.n - first > NODES_MAX) {
        places_take_back(f, first);
        return;
    }
    if (!l) {
        l = xcalloc(1, sizeof *l);
        idmap_set(&f->places, job, l);
    }
    if (!same) /* a start that is found later, in another tier, replaces the former one */
        *l = (struct forecast_place){.first = (uint32_t)f->place_nodes.n};
    for (size_t i = first; i < f->placed.n; i++)
        forecast_place_add(f, l, f->placed.v[i].node);
    if (f->by_node)
        f->placed.n = first;
}

void forecast_places_begin(struct forecasts *f)
{
    f->looks = LOOKS_MAX;
}

void forecast_places_clear(struct forecasts *f)
{
    idmap_for_each (&f->places, slot)
        free(slot->value);
    idmap_fini(&f->places);
    idmap_fini(&f->placed_on);
    vec_fini(&f->place_nodes);
    vec_fini(&f->placed);
}

const uint32_t *forecast_nodes(const struct forecaster *p, uint32_t job, uint32_t *ret_n)
{
    const struct pending_entry *u = idmap_get(&p->queue->entries.by_job, job);
    const struct forecasts *both[] = {p->making,
                                      p->made}; /* the entry has the start of the newer forecast */
    for (size_t i = 0; u && i < 2; i++) {
        if (!both[i] || both[i]->t.ms != u->forecast.made)
            continue;
        const struct forecast_place *l = idmap_get(&both[i]->places, job);
        if (!l || !l->n)
            continue;
        *ret_n = l->n;
        return &both[i]->place_nodes.v[l->first];
    }
    *ret_n = 0;
    return NULL;
}
