/* plan_slots_list.c - the planned starts as lists: all of them, and those that count against each
 * partition.
 */
#include "backend/sched/resources/plan_slots_internal.h"
#include "src/base/idmap.h"

void plan_slots_note_stay(struct plan_slots *b, struct plan_slot *h)
{
    if (h->stays || (!h->by_preemption && h->visited != b->iteration))
        return;
    const int64_t what[] = {h->job, h->use.start, h->use.end};
    h->stays = hash_bytes(what, sizeof what);
    b->stay += h->stays;
}

void plan_slots_count(struct plan_slots *b, struct plan_slot *h, uint32_t partition)
{
    if (h->counts != NO_PARTITION)
        list_unlink(&h->in_count);
    h->counts = partition;
    if (partition != NO_PARTITION)
        list_append(&b->counted[partition], &h->in_count);
}

void plan_slots_link(struct plan_slots *b, struct plan_slot *h, uint32_t counts)
{
    h->nth = b->n_booked++;
    h->counts = NO_PARTITION;
    list_append(&b->list, &h->link);
    plan_slots_count(b, h, counts);
    plan_slots_note_stay(b, h);
}

void plan_slots_unlink(struct plan_slots *b, struct plan_slot *h)
{
    b->stay -= h->stays;
    plan_slots_count(b, h, NO_PARTITION);
    list_unlink(&h->link);
    *h = (struct plan_slot){0};
}

void plan_slots_visit(struct plan_slots *b, struct plan_slot *h)
{
    h->visited = b->iteration;
    if (h->use.parts)
        plan_slots_note_stay(b, h);
}
