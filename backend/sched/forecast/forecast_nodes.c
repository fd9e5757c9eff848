/* forecast_nodes.c - on which nodes the first jobs of a forecast are planned to start.
 *
 * The timeline needs nodes; everything else needs only times. A forecast over node classes has no nodes.
 *
 */
#include "backend/sched/forecast/forecast_internal.h"

#define PLACES_MAX 512  /* jobs whose nodes are kept: more do not fit on a screen */
#define NODES_MAX  4096 /* nodes of all these jobs together */

struct forecast_place { /* in place_nodes */
    uint32_t first, n;
};

static void forecast_place_add(struct forecasts *f, struct forecast_place *l, uint32_t node)
{
    for (uint32_t i = l->first; i < l->first + l->n; i++)
        if (f->place_nodes.v[i] == node)
            return;
    vec_push(&f->place_nodes, node);
    l->n++;
}

void forecast_places_add(struct forecasts *f, uint32_t job, const struct forecast_start *at, bool same)
{
    struct forecast_place *l = idmap_get(&f->places, job);
    bool has_room = f->place_nodes.n + at->parts.n <= NODES_MAX && (l || f->places.n < PLACES_MAX);
    if (!f->by_node || !has_room || (same && !l))
        return;
    if (!l) {
        l = xcalloc(1, sizeof *l);
        idmap_set(&f->places, job, l);
    }
    if (!same) /* a start that is found later, in another tier, replaces the former one */
        *l = (struct forecast_place){.first = (uint32_t)f->place_nodes.n};
    vec_for_each (&at->parts, i)
        forecast_place_add(f, l, f->classes[at->parts.v[i].node].first);
}

void forecast_places_clear(struct forecasts *f)
{
    idmap_for_each (&f->places, slot)
        free(slot->value);
    idmap_fini(&f->places);
    vec_fini(&f->place_nodes);
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
