/* why.c - why a job waits: the short reason, and the whole answer. */
#include <stdlib.h>

#include "backend/sched/fit.h"
#include "backend/sched/gate.h"
#include "backend/sched/planner_private.h"
#include "src/base/units.h"

/* Whose turn it is in a partition and what does not fit; 0: nobody's. */
static uint32_t blocker_of(const struct planner *p, const struct model *m, const struct part_spec *part)
{
    size_t at = (size_t)(part - m->spec.parts.v);
    return at < p->n_parts && p->first_blocked ? p->first_blocked[at] : 0;
}

static bool throttled(const struct model *m, const struct job *j, uint32_t *ret_running)
{
    *ret_running = 0;
    if (!j->array_job || !j->req.array_throttle)
        return false;
    list_for_each (a, &m->active, struct job, in_queue)
        *ret_running += a->array_job == j->array_job;
    return *ret_running >= j->req.array_throttle;
}

static void add_cause(struct msg_why *w, enum why_class cls, struct wall clears, char *text_taken)
{
    struct why_cause *c = rec_list_push(&w->causes);
    c->cls = cls;
    c->class_name = xstrdup(why_class_name(cls));
    c->text = text_taken;
    c->clears = clears;
}

/* The job's own demand, or that of the first waiting task of a step job. */
static void request_of(const struct job *j, struct fit_request *r)
{
    *r = (struct fit_request){.req = &j->req, .gpu_type = j->req.gpu_type};
    job_need(&j->req, &r->need);
    for (size_t i = 0; i < j->steps.n && j->kind == JOB_KIND_STEPS; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++)
            if (j->steps.v[i].tasks.v[k].state == TASK_WAITING) {
                step_task_need(&j->steps.v[i], &r->need);
                r->one_task = true;
                r->gpu_type = j->steps.v[i].gpu_type ? j->steps.v[i].gpu_type : r->gpu_type;
                return;
            }
}

/* When the first of the jobs in the way reaches its limit: nothing earlier is certain. */
static struct wall first_end(const struct model *m, const struct part_spec *part, uint32_t *ret_job)
{
    struct wall first = {0};
    *ret_job = 0;
    list_for_each (a, &m->active, struct job, in_queue) {
        if (!str_eq(a->partition, part->name) || a->time_limit_s >= DURATION_NOT_SET || !a->alloc.n)
            continue;
        struct wall end = wall_add_s(a->t_start, a->time_limit_s);
        if (!*ret_job || end.ms < first.ms) {
            first = end;
            *ret_job = a->id;
        }
    }
    return first;
}

static bool stands_in(const struct model *m, const struct job *j, const char *part)
{
    const char *single = gate_single(m, j);
    if (single)
        return str_eq(single, part);
    struct strv names = gate_partitions(m, j);
    bool found = strv_has(&names, part);
    strv_fini(&names);
    return found;
}

static void rank_in_queue(const struct model *m, const struct job *j, const struct part_spec *part,
                          struct msg_why *w)
{
    list_for_each (p, &m->pending, struct job, in_queue) {
        if (!stands_in(m, p, part->name))
            continue;
        if (p == j)
            w->rank = w->rank_of + 1;
        w->rank_of += job_pending_elements(p);
    }
}

static void explain_resources(const struct sched_view *v, const struct job *j, const struct part_spec *part,
                              struct msg_why *w)
{
    const struct model *m = v->model;
    struct fit_request r;
    request_of(j, &r);
    struct fit_node *nodes = fit_nodes_new(m, false);
    struct alloc *alloc = NULL;
    size_t n = 0;
    struct fit_refusals why;
    bool fits = fit_place(m, nodes, part, &r, &alloc, &n, &why) == 0;
    for (size_t i = 0; i < n; i++)
        rec_fini(&alloc_rec, &alloc[i]);
    free(alloc);
    free(nodes);
    uint32_t ender;
    struct wall clears = first_end(m, part, &ender);
    if (fits)
        return;
    struct str b = STR_INIT;
    str_appendf(&b, "%u CPU%s", r.need.cpus, r.need.cpus == 1 ? "" : "s");
    if (r.need.gpus)
        str_appendf(&b, " and %u GPU%s", r.need.gpus, r.need.gpus == 1 ? "" : "s");
    str_appendf(&b, " wanted in %s; ", part->name);
    fit_describe(&why, false, &b);
    if (ender)
        str_appendf(&b, "; job %u reaches its limit first", ender);
    bool node_out = why.out + why.drained && !why.gpus && !why.cpus && !why.mem && !why.busy_whole;
    add_cause(w, node_out ? WHY_NODE_OUT : WHY_BUSY, clears, str_take(&b));
}

static void explain_queue(const struct sched_view *v, const struct job *j, const struct part_spec *part,
                          struct planner *p, struct msg_why *w)
{
    struct fit_request r;
    struct errtext text;
    request_of(j, &r);
    if (gate_single(v->model, j) && !fit_ever(v->model, part, &r, &text)) {
        add_cause(w, WHY_NO_FIT, (struct wall){0}, xstrdup(text.s));
        return;
    }
    rank_in_queue(v->model, j, part, w);
    uint32_t blocker = blocker_of(p, v->model, part);
    if (blocker && blocker != j->id && w->rank > 1)
        add_cause(w, WHY_BEHIND, (struct wall){0},
                  xasprintf("%u job%s ahead in %s; the first of them, %u, waits for resources", w->rank - 1,
                            w->rank == 2 ? " is" : "s are", part->name, blocker));
    explain_resources(v, j, part, w);
}

void sched_why(struct planner *p, const struct sched_view *v, const struct job *j, struct wall now,
               struct msg_why *ret)
{
    *ret = (struct msg_why){.job = j->id, .state = j->state};
    if (j->state != JOB_PENDING) {
        ret->reason = j->reason;
        ret->summary = xasprintf("job %u does not wait: it is %s", j->id, job_state_long(j->state));
        return;
    }
    ret->reason = planner_reason(p, j->id);
    gate_explain(v, j, now, ret);
    bool open = !ret->causes.n;
    uint32_t running;
    if (throttled(v->model, j, &running))
        add_cause(
            ret, WHY_ARRAY_THROTTLE, (struct wall){0},
            xasprintf("its array may run %u elements at once and %u run", j->req.array_throttle, running));
    struct strv names = gate_partitions(v->model, j);
    const struct part_spec *part = names.n ? model_get_part(v->model, names.v[0]) : NULL;
    if (part && open)
        explain_queue(v, j, part, p, ret);
    strv_fini(&names);
    if (!ret->causes.n) { /* it fits: the next pass, at the end of this turn, starts it */
        add_cause(ret, WHY_BEHIND, now, xstrdup("it fits now and starts with the next pass"));
        ret->start_est = now;
        ret->start_basis = xstrdup("free resources");
    }
    ret->summary = xasprintf("job %u waits: %s", j->id, ret->causes.v[0].text);
}
