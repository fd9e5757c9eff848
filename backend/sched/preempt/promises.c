/* promises.c - what other jobs were preempted for counts in limits, licences and the throttle of its array,
 * like a start.
 *
 * Between the warning and the end of the grace time the preemptor has nothing yet. If its planned start did
 * not count, another job could take the limit or the licence meanwhile: the victims would have ended for
 * nothing. In the preemptor's own turn its promises do not count: it asks for them there.
 */
#include "backend/sched/queue/planner_private.h"

static void add(struct planner *p, const struct unit *u, uint32_t lane, const struct pool_use *use)
{
    const struct job *j = planner_job(p, u->job); /* NULL: it has gone, and that is not read yet */
    struct promise made = {
        .job = u->job, .array_job = j ? j->array_job : 0, .ask = claims_ask(u, lane, use)};
    limits_charge(p->limits, &made.ask);
    made.licensed = j && u->group->licensed;
    if (made.licensed)
        licence_take(&p->licences, p->view->model, j);
    vec_push(&p->promises, made);
}

void promise_make(struct planner *p, const struct unit *u)
{
    if (!u->hold.use.parts || !u->hold.claim || !u->group)
        return;
    add(p, u, u->hold.lane, &u->hold.use);
    for (uint32_t i = 0; i < u->n_more; i++)
        add(p, u, u->more[i].lane, &u->more[i].use);
}

void promises_begin(struct planner *p)
{
    vec_clear(&p->promises);
    licence_copy(&p->licences, &p->licences_held);
    list_for_each (h, &p->backfill.holds, struct backfill_hold, link)
        promise_make(p, container_of(h, struct unit, hold));
}

/* The licences of a job that has gone come back with the next cycle, which counts from what runs. */
static void drop(struct planner *p, const struct promise *made)
{
    const struct job *j = made->licensed ? planner_job(p, made->job) : NULL;
    limits_uncharge(p->limits, &made->ask);
    if (j)
        licence_book(&p->licences, p->view->model, j->req.licenses, true);
}

static bool drop_of(struct planner *p, uint32_t job)
{
    size_t n = 0, before = p->promises.n;
    vec_for_each (&p->promises, i) {
        if (p->promises.v[i].job == job)
            drop(p, &p->promises.v[i]);
        else
            p->promises.v[n++] = p->promises.v[i];
    }
    p->promises.n = n;
    return n < before;
}

void promise_withdraw(struct planner *p, const struct unit *u)
{
    if (p->promises.n)
        drop_of(p, u->job);
}

uint32_t promises_of_array(const struct planner *p, uint32_t array)
{
    uint32_t n = 0;
    vec_for_each (&p->promises, i)
        n += array && p->promises.v[i].array_job == array;
    return n;
}

bool promises_sweep(struct planner *p)
{
    bool any = false;
    for (size_t i = 0; i < p->promises.n;) {
        const struct unit *u = idmap_get(&p->units, p->promises.v[i].job);
        bool stands = u && u->hold.use.parts && u->hold.claim;
        if (!stands)
            any = drop_of(p, p->promises.v[i].job);
        else
            i++;
    }
    return any;
}
