/* forget.c - a planner gives back what it has. */
#include <stdlib.h>

#include "backend/sched/queue/sync_private.h"

void planner_drop_started(struct planner *p)
{
    vec_for_each (&p->started, i) {
        backfill_gain_all(&p->backfill, &p->started.v[i]->use); /* what runs is charged again */
        pool_drop(&p->pool, &p->started.v[i]->use);
        planner_count_element(p, p->started.v[i]->array_job, -1);
        free(p->started.v[i]);
    }
    vec_clear(&p->started);
}

static void forget_ranks(struct planner *p)
{
    if (p->ranked)
        prio_ctx_fini(&p->prio);
    p->ranked = false;
    planner_drop_ranks_anew(p);
    vec_clear(&p->fresh);
}

static void forget_owners(struct planner *p)
{
    idmap_for_each (&p->owners, slot)
        for (struct owner *o = slot->value, *next; o; o = next) {
            next = o->next;
            free(o->account);
            free(o->user);
            free(o);
        }
    idmap_fini(&p->owners);
    p->owners = (struct idmap){0};
}

void planner_forget(struct planner *p)
{
    forecast_forget(p);
    prey_forget(p);
    idmap_fini(&p->awaited);
    p->awaited = (struct idmap){0};
    planner_drop_started(p);
    idmap_for_each (&p->units, slot) {
        struct unit *u = slot->value;
        backfill_give_up(&p->backfill, &u->hold);
        sync_leave_group(p, u);
        free(u);
    }
    idmap_fini(&p->units);
    p->units = (struct idmap){0};
    list_for_each (r, &p->running, struct runs, link)
        sync_drop_runs(p, r);
    idmap_fini(&p->runs);
    p->runs = (struct idmap){0};
    sync_drop_windows(p);
    backfill_fini(&p->backfill);
    for (uint32_t i = 0; i < p->pool.n_nodes; i++) {
        free(p->unknown[i].parts);
        free(p->gpu_types[i]);
    }
    free(p->gpu_types);
    free(p->tmp_mib);
    free(p->taken);
    free(p->qos_levels);
    p->qos_levels = NULL;
    for (uint32_t i = 0; i < p->n_parts; i++)
        nodeset_fini(&p->part_nodes[i]);
    free(p->part_nodes);
    free(p->first_blocked);
    p->first_blocked = NULL;
    pool_fini(&p->pool);
    free(p->unknown); /* the pool's list of ends led into it */
    p->unknown = NULL;
    pool_fini(&p->empty);
    idmap_fini(&p->node_at);
    idmap_fini(&p->array_running);
    idmap_fini(&p->sets);
    idmap_fini(&p->shapes);
    idmap_fini(&p->group_map);
    forget_owners(p);
    forget_ranks(p);
    heap_fini(&p->wakes);
    limits_free(p->limits);
    p->limits = NULL;
    idmap_for_each (&p->licensed, slot)
        free(slot->value);
    idmap_fini(&p->licensed);
    p->licensed = (struct idmap){0};
    licence_use_fini(&p->licences_held);
    licence_use_fini(&p->licences);
    p->node_at = p->array_running = p->sets = p->shapes = p->group_map = (struct idmap){0};
    p->wakes = (struct heap){0};
    p->gpu_types = NULL;
    p->tmp_mib = NULL;
    p->taken = NULL;
    p->part_nodes = NULL;
    p->n_parts = 0;
}
