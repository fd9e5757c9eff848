/* apply.c - the fold: one event into the state.
 *
 * Dispatch and the events about the cluster itself; those about jobs are in apply_job.c and apply_task.c.
 * Every fold checks first and changes afterwards, so that an event which does not fit leaves no trace.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/model/fold/apply_taking.h"
#include "src/model/fold/jobevents.h"
#include "src/model/fold/nodeevents.h"
#include "src/model/model.h"
#include "src/model/model_private.h"

static void set_str(char **dst, const char *src)
{
    char *copy = xstrdup(src);
    free(*dst);
    *dst = copy;
}

static int apply_epoch(struct model *m, const struct ev_epoch *b)
{
    if (b->epoch < m->epoch)
        return -EINVAL;
    set_str(&m->uuid, b->uuid);
    m->epoch = b->epoch;
    m->incarnation = b->incarnation;
    if (b->next_job > m->next_job)
        m->next_job = b->next_job;
    return 0;
}

/* What is in force: the configured figure, else what the agent found. */
static void node_settle(struct node *n, uint32_t cpus, uint32_t gpus, uint64_t mem_mib,
                        const char *gpu_type)
{
    n->cpus = n->spec.cpus ? n->spec.cpus : cpus;
    n->gpus = n->spec.gpus != UINT32_MAX ? n->spec.gpus : gpus;
    if (n->gpus > CPUSET_MAX && n->gpus != UINT32_MAX) /* of a log from before such figures were refused */
        n->gpus = CPUSET_MAX;
    n->mem_mib = n->spec.mem_mib ? n->spec.mem_mib : mem_mib;
    set_str(&n->gpu_type, n->spec.gpu_type ? n->spec.gpu_type : gpu_type);
}

/* What administrators have said of a node goes with it, also where it is carried on for a job: whether
 * there was one cannot be told any more once that job has left the log. */
static void forget_avoids(struct model *m, struct node *n)
{
    rec_list_free(&node_avoid_rec, &n->avoids);
    m->n_avoids++;
}

static void forget_words(struct node *n)
{
    n->drain = false;
    n->t_drain = n->t_note = (struct wall){0};
    set_str(&n->drain_reason, NULL);
    set_str(&n->drain_user, NULL);
    set_str(&n->note, NULL);
    set_str(&n->note_user, NULL);
    rec_list_free(&node_event_rec, &n->events);
}

static void drop_unconfigured(struct model *m)
{
    for (size_t i = m->n_nodes; i-- > 0;) {
        struct node *n = m->nodes[i];
        bool configured = spec_find_node(&m->spec, n->spec.name);
        if (!configured && !n->gone)
            forget_words(n);
        if (!configured && n->avoids.n)
            forget_avoids(m, n);
        n->gone = !configured;
        if (n->gone && !n->n_jobs)
            model_drop_node(m, i);
    }
}

static size_t node_position(const struct model *m, const struct node *n)
{
    size_t i = 0;
    while (m->nodes[i] != n)
        i++;
    return i;
}

/* Nodes and partitions are known by their names: each has one, and no node's is given twice. */
static bool names_are_sound(const struct cluster_spec *b)
{
    struct idmap seen = {0};
    bool ok = true;
    for (size_t i = 0; i < b->nodes.n && ok; i++) {
        const char *name = b->nodes.v[i].name;
        uint64_t key = str_is_empty(name) ? 0 : hash_bytes(name, strlen(name));
        ok = !str_is_empty(name) && !idmap_get(&seen, key);
        idmap_set(&seen, key, &b->nodes.v[i]);
    }
    idmap_fini(&seen);
    for (size_t i = 0; i < b->parts.n && ok; i++)
        ok = !str_is_empty(b->parts.v[i].name) && b->parts.v[i].state <= PART_INACTIVE;
    return ok;
}

static int apply_config(struct model *m, const struct event *ev, const struct cluster_spec *b)
{
    if (!names_are_sound(b))
        return -EINVAL;
    usage_settle(m, ev->t);
    rec_fini(&cluster_spec_rec, &m->spec);
    rec_copy(&cluster_spec_rec, &m->spec, b);
    drop_unconfigured(m);
    for (size_t i = 0; i < m->spec.nodes.n; i++) {
        const struct node_spec *spec = &m->spec.nodes.v[i];
        struct node *n = model_get_node(m, spec->name);
        if (!n)
            n = model_add_node(m, spec->name);
        uint32_t cpus = n->cpus, gpus = n->gpus;
        uint64_t mem = n->mem_mib;
        char *type = n->gpu_type;
        n->gpu_type = NULL;
        rec_fini(&node_spec_rec, &n->spec);
        rec_copy(&node_spec_rec, &n->spec, spec);
        node_settle(n, cpus, gpus, mem, type);
        free(type);
        /* The order of the configuration is the order of the screens; nodes that are gone stand behind. */
        size_t at = node_position(m, n);
        for (; at > i; at--)
            m->nodes[at] = m->nodes[at - 1];
        m->nodes[i] = n;
    }
    return 0;
}

static int apply_node(struct model *m, const struct event *ev, const struct ev_node *b)
{
    struct node *n = model_get_node(m, b->node);
    if (!n)
        return -ENOENT;
    if (b->state >= NODE_N_STATES)
        return -EINVAL;
    if (n->state != b->state &&
        !(n->state == NODE_SUSPECT && b->state == NODE_LOST)) /* silent since then */
        n->t_state = wall_is_set(b->t_heard) ? b->t_heard : ev->t;
    if (!n->gone)
        nodeevents_note(n, ev);
    n->state = b->state;
    if (n->state == NODE_UP || n->state == NODE_UNKNOWN)
        set_str(&n->trouble, NULL);
    else if (b->trouble)
        set_str(&n->trouble, b->trouble);
    if (!b->boot_id) /* reachability alone */
        return 0;
    set_str(&n->boot_id, b->boot_id);
    set_str(&n->arch, b->arch);
    set_str(&n->os, b->os);
    set_str(&n->version, b->version);
    strv_fini(&n->notes);
    n->notes = strv_copy(&b->notes);
    strv_fini(&n->gpu_notes);
    n->gpu_notes = strv_copy(&b->gpu_notes);
    if (n->rare || !cpuset_is_empty(&b->gpus_out) || !cpuset_is_empty(&b->gpus_lost)) {
        node_rare_mut(n)->gpus_out = b->gpus_out;
        node_rare_mut(n)->gpus_lost = b->gpus_lost;
    }
    n->gpus_found = b->gpus;
    n->tmp_mib = b->tmp_mib;
    n->t_boot = b->t_boot;
    n->t_agent = b->t_agent;
    node_settle(n, b->cpus, b->gpus, b->mem_mib, b->gpu_type);
    return 0;
}

static int apply_drain(struct model *m, const struct event *ev, const struct ev_drain *b)
{
    struct node *n = model_get_node(m, b->node);
    if (!n || n->gone)
        return -ENOENT;
    n->drain = b->drain;
    n->t_drain = b->drain ? ev->t : (struct wall){0};
    set_str(&n->drain_reason, b->drain ? b->reason : NULL);
    set_str(&n->drain_user, b->drain ? b->user : NULL);
    nodeevents_note(n, ev);
    return 0;
}

static int apply_note(struct model *m, const struct event *ev, const struct ev_note *b)
{
    struct node *n = model_get_node(m, b->node);
    if (!n || n->gone)
        return -ENOENT;
    bool any = !str_is_empty(b->text);
    set_str(&n->note, any ? b->text : NULL);
    set_str(&n->note_user, any ? b->user : NULL);
    n->t_note = any ? ev->t : (struct wall){0};
    nodeevents_note(n, ev);
    return 0;
}

static int apply_avoid(struct model *m, const struct ev_avoid *b)
{
    struct node *n = model_get_node(m, b->node);
    if (!n || n->gone)
        return -ENOENT;
    struct ev_avoid copy;
    rec_copy(&ev_avoid_rec, &copy, b);
    forget_avoids(m, n);
    n->avoids.v = copy.rows.v;
    n->avoids.n = copy.rows.n;
    free(copy.node);
    return 0;
}

static int apply_unknown(struct model *m, const struct ev_unknown *b)
{
    struct node *n = model_get_node(m, b->node);
    if (!n)
        return -ENOENT;
    if (!n->rare && !b->n && !b->rows.n) /* the same as before: none */
        return 0;
    struct ev_unknown copy;
    rec_copy(&ev_unknown_rec, &copy, b);
    struct node_rare *rare = node_rare_mut(n);
    rec_list_free(&unknown_task_rec, &rare->unknown);
    rare->unknown.v = copy.rows.v;
    rare->unknown.n = copy.rows.n;
    rare->n_unknown = b->n;
    rare->unknown_cpus = b->cpus;
    rare->unknown_gpus = b->gpus;
    rare->unknown_mem_mib = b->mem_mib;
    free(copy.node);
    return 0;
}

static int apply_to_job(struct model *m, struct job *j, const struct event *ev)
{
    switch ((enum event_kind)ev->kind) {
    case EV_START: return apply_start(m, j, ev, ev->body);
    case EV_SPLIT: return apply_split(m, j, ev, ev->body);
    case EV_STEP: return apply_step(m, j, ev, ev->body);
    case EV_PLACE: return apply_place(m, j, ev, ev->body);
    case EV_RUNNING: return apply_running(m, j, ev, ev->body);
    case EV_END: return apply_end(m, j, ev, ev->body);
    case EV_KILL: return apply_kill(m, j, ev, ev->body);
    case EV_SIGNAL:
    case EV_PREEMPT: return 0;
    case EV_HOLD: return apply_hold(m, j, ev, ev->body);
    case EV_REQUEUE: return apply_requeue(m, j, ev, ev->body);
    case EV_UPDATE: return apply_update(m, j, ev, ev->body);
    case EV_COMPLETE: return apply_complete(m, j, ev, ev->body);
    case EV_RETIRE: return apply_retire(m, j);
    case EV_JOB_GONE: return apply_job_gone(m, j);
    case EV_ELIGIBLE: return apply_eligible(m, j, ev, ev->body);
    case EV_SUSPEND: return apply_suspend(m, j, ev, ev->body);
    case EV_UNPLACE: return apply_unplace(m, j, ev, ev->body);
    case EV_JOB_ROW:
    case EV_NODE_ROW:
    case EV_UNKNOWN:
    case EV_AVOID:
    case EV_WINDOW:
    case EV_USAGE:
    case EV_EPOCH:
    case EV_CONFIG:
    case EV_NODE:
    case EV_DRAIN:
    case EV_NOTE:
    case EV_SUBMIT:
    case EV_N_KINDS: break;
    }
    return -EINVAL;
}

static int apply_any(struct model *m, const struct event *ev)
{
    switch ((enum event_kind)ev->kind) {
    case EV_EPOCH: return apply_epoch(m, ev->body);
    case EV_CONFIG: return apply_config(m, ev, ev->body);
    case EV_NODE: return apply_node(m, ev, ev->body);
    case EV_DRAIN: return apply_drain(m, ev, ev->body);
    case EV_NOTE: return apply_note(m, ev, ev->body);
    case EV_AVOID: return apply_avoid(m, ev->body);
    case EV_UNKNOWN: return apply_unknown(m, ev->body);
    case EV_SUBMIT: return apply_submit(m, ev, ev->body);
    case EV_WINDOW: return apply_window(m, ev->body);
    case EV_USAGE: return apply_usage(m, ev, ev->body);
    case EV_JOB_ROW: return apply_job_row(m, ev, ev->body);
    case EV_NODE_ROW: return apply_node_row(m, ev->body);
    case EV_JOB_GONE:
    case EV_SUSPEND:
    case EV_UNPLACE:
    case EV_ELIGIBLE:
    case EV_START:
    case EV_SPLIT:
    case EV_STEP:
    case EV_PLACE:
    case EV_RUNNING:
    case EV_END:
    case EV_KILL:
    case EV_SIGNAL:
    case EV_PREEMPT:
    case EV_HOLD:
    case EV_REQUEUE:
    case EV_UPDATE:
    case EV_COMPLETE:
    case EV_RETIRE:
    case EV_N_KINDS: break;
    }
    struct job *j = model_get_job(m, ev->job);
    int r = j ? apply_to_job(m, j, ev) : -ENOENT;
    if (r >= 0 && ev->kind != EV_RETIRE && ev->kind != EV_JOB_GONE) /* which free it */
        jobevents_note(j, ev);
    return r;
}

/* The job that the event makes of an array's element; 0: none. */
static uint32_t new_element(const struct event *ev)
{
    if (ev->kind == EV_START)
        return ((const struct ev_start *)ev->body)->new_id;
    if (ev->kind == EV_SPLIT)
        return ((const struct ev_split *)ev->body)->new_id;
    return 0;
}

/* The node that the event changes, or NULL. Of a row model_take_node thinks of it itself. */
static struct node *changed_node(const struct model *m, const struct event *ev)
{
    const char *name = ev->kind == EV_NODE      ? ((const struct ev_node *)ev->body)->node
                       : ev->kind == EV_DRAIN   ? ((const struct ev_drain *)ev->body)->node
                       : ev->kind == EV_NOTE    ? ((const struct ev_note *)ev->body)->node
                       : ev->kind == EV_AVOID   ? ((const struct ev_avoid *)ev->body)->node
                       : ev->kind == EV_UNKNOWN ? ((const struct ev_unknown *)ev->body)->node
                                                : NULL;
    return name ? model_get_node(m, name) : NULL;
}

/* Nodes have their texts alone before the event, and share them after it. */
static void each_changed_node(struct model *m, const struct event *ev,
                              void (*fn)(struct model *m, struct node *n))
{
    for (size_t i = 0; ev->kind == EV_CONFIG && i < m->n_nodes; i++)
        fn(m, m->nodes[i]);
    struct node *n = changed_node(m, ev);
    if (n)
        fn(m, n);
}

/* The same fold for a model that shares texts: what it changes owns its own meanwhile. */
static int apply_sharing(struct model *m, const struct event *ev)
{
    uint32_t element = new_element(ev);
    struct job *j = model_get_job(m, ev->job), *e = model_get_job(m, element);
    bool makes_element = !e;
    if (j)
        unintern_job(m, j);
    each_changed_node(m, ev, unintern_node);
    int r = apply_any(m, ev);
    each_changed_node(m, ev, intern_node);
    j = model_get_job(m, ev->job);
    e = model_get_job(m, element);
    if (j)
        intern_job(m, j);
    if (e && e != j && makes_element)
        intern_job(m, e);
    return r;
}

static int apply_noted(struct model *m, const struct event *ev, int r)
{
    if (r < 0)
        m->n_rejected++;
    m->seq = ev->seq;
    m->now = ev->t;
    return r;
}

int model_apply(struct model *m, const struct event *ev)
{
    return apply_noted(m, ev, !ev->body ? -EINVAL : m->texts ? apply_sharing(m, ev) : apply_any(m, ev));
}

/* A model that shares texts copies: it looks at the body before and after the fold. */
int model_apply_taking(struct model *m, struct event *ev)
{
    if (ev->kind != EV_SUBMIT || !ev->body || m->texts)
        return model_apply(m, ev);
    return apply_noted(m, ev, apply_submit_taking(m, ev, ev->body));
}
