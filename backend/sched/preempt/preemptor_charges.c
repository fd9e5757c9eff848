/* preemptor_charges.c - what other jobs were preempted for counts in limits, licences and the throttle of
 * its array, like a start.
 *
 * Between the warning and the end of the grace time the preemptor has nothing yet. If its planned start did
 * not count, another job could take the limit or the licence meanwhile: the victims would have ended for
 * nothing. In the preemptor's own turn its promises do not count: it asks for them there.
 */
#include "backend/sched/preempt/preempt_internal.h"

static void charges_add(struct preempt *p, const struct pending_entry *u, uint32_t partition,
                        const struct pool_use *use)
{
    const struct job *j =
        queue_job(p->queue, u->job); /* NULL: it has left, which the queue does not know yet */
    struct preemptor_charge made = {.job = u->job,
                                    .array_job = j ? j->array_job : 0,
                                    .request = extra_slots_request(u, partition, use),
                                    .end = use->end};
    limits_charge(p->queue->limits, &made.request);
    made.licensed = j && u->class->licensed;
    if (made.licensed) {
        licence_take(&p->licences, p->queue->view->model, j);
        p->licence_changes++;
    }
    vec_push(&p->preemptor_charges, made);
}

void preemptor_charge_add(struct preempt *p, const struct pending_entry *u)
{
    if (!u->slot.use.parts || !u->slot.by_preemption || !u->class)
        return;
    charges_add(p, u, u->slot.partition, &u->slot.use);
    for (uint32_t i = 0; i < u->extra.n; i++)
        charges_add(p, u, u->extra.v[i].partition, &u->extra.v[i].use);
}

bool preemptor_charge_covers(const struct pending_entry *u, const struct limit_request *request)
{
    if (!u->slot.use.parts || !u->slot.by_preemption || !u->class)
        return false;
    struct limit_request has = extra_slots_request(u, u->slot.partition, &u->slot.use);
    return request->gpus <= has.gpus && request->cpus <= has.cpus && request->mem_mib <= has.mem_mib &&
           request->nodes <= has.nodes;
}

void preemptor_charges_begin(struct preempt *p)
{
    vec_clear(&p->preemptor_charges);
    licence_copy(&p->licences, &p->queue->active.licences);
    list_for_each (h, &p->queue->slots.list, struct plan_slot, link)
        preemptor_charge_add(p, container_of(h, struct pending_entry, slot));
}

/* The licences of a job that has gone come back with the next cycle, which counts from what runs. */
static void charges_drop(struct preempt *p, const struct preemptor_charge *made)
{
    const struct job *j = made->licensed ? queue_job(p->queue, made->job) : NULL;
    limits_uncharge(p->queue->limits, &made->request);
    p->licence_changes += made->licensed;
    if (j)
        licence_book(&p->licences, p->queue->view->model, req_detail(&j->req)->licenses, true);
}

static bool charges_drop_of(struct preempt *p, uint32_t job)
{
    size_t n = 0, before = p->preemptor_charges.n;
    vec_for_each (&p->preemptor_charges, i) {
        if (p->preemptor_charges.v[i].job == job)
            charges_drop(p, &p->preemptor_charges.v[i]);
        else
            p->preemptor_charges.v[n++] = p->preemptor_charges.v[i];
    }
    p->preemptor_charges.n = n;
    return n < before;
}

void preemptor_charge_remove(struct preempt *p, const struct pending_entry *u)
{
    if (p->preemptor_charges.n)
        charges_drop_of(p, u->job);
}

uint32_t preemptor_charges_of_array(const struct preempt *p, uint32_t array)
{
    uint32_t n = 0;
    vec_for_each (&p->preemptor_charges, i)
        n += array && p->preemptor_charges.v[i].array_job == array;
    return n;
}

/* Those of one entry stand together. */
static size_t charges_end_of(const struct preempt *p, size_t at)
{
    uint32_t job = p->preemptor_charges.v[at].job;
    while (at < p->preemptor_charges.n && p->preemptor_charges.v[at].job == job)
        at++;
    return at;
}

bool preemptor_charges_sweep(struct preempt *p)
{
    bool any = false;
    for (size_t i = 0, end; i < p->preemptor_charges.n;) {
        uint32_t job = p->preemptor_charges.v[i].job;
        const struct pending_entry *u = idmap_get(&p->queue->entries.by_job, job);
        bool stands = u && u->slot.use.parts && u->slot.by_preemption;
        end = charges_end_of(p, i);
        if (stands && end - i <= 1 + u->extra.n) {
            i = end;
            continue;
        }
        any = charges_drop_of(p, job) || any;
        if (stands) /* some of its elements have no planned start any more */
            preemptor_charge_add(p, u);
    }
    return any;
}

uint32_t preempt_throttle_left(const struct preempt *p, const struct job *j)
{
    /* The throttle of the array: an element of its own has a copy from when it was split off. */
    bool element = j->array_job && j->array_job != j->id;
    const struct job *record = element ? queue_job(p->queue, j->array_job) : j;
    uint32_t throttle = j->array_job ? (record ? record : j)->req.array_throttle : 0;
    if (!throttle)
        return UINT32_MAX;
    uintptr_t running = (uintptr_t)idmap_get(&p->queue->active.array_running, j->array_job);
    running += preemptor_charges_of_array(p, j->array_job);
    return throttle > running ? throttle - (uint32_t)running : 0;
}
