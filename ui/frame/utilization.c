/* utilization.c - the last measurement of each node, and those of the last hour. */
#include "ui/frame/utilization.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "ui/frame/job_load.h"
#include "ui/state/ui_state.h"

#define UTIL_FRESH_MS 4000

struct node_sample {
    struct msg_util util;
    struct mono at;
    struct util_past past;
};

struct node_samples {
    VEC(struct node_sample *) nodes;
    struct idmap by_name;
    struct job_loads *jobs;
    struct msg_watch_util wanted; /* what the view on top shows */
    struct msg_watch_util asked;  /* what the controller sends */
    struct mono began;            /* of all measurements; 0: there has been none */
    struct mono summed;           /* the last one of the GPUs of all nodes together */
    struct recent gpus_busy;      /* their mean */
};

void utilization_new(struct ui *ui)
{
    ui->utilization = xcalloc(1, sizeof *ui->utilization);
    ui->utilization->jobs = job_loads_new();
}

static void utilization_ask(struct ui *ui)
{
    struct node_samples *z = ui->utilization;
    struct msg_watch_util want = z->wanted;
    want.on &= ui->session.online;
    if (want.on == z->asked.on && (!want.on || want.job == z->asked.job))
        return;
    z->asked = want;
    uint64_t tag;
    if (ui->session.online && ui->o.send(ui->o.ctx, MSG_WATCH_UTIL, &want, &tag) < 0)
        z->asked.on = false;
}

void utilization_want(struct ui *ui, bool want, uint32_t job)
{
    ui->utilization->wanted = (struct msg_watch_util){.on = want, .job = job};
    if (want && job)
        job_loads_keep(ui->utilization->jobs, job);
    utilization_ask(ui);
}

void ui_measure(struct ui *ui, uint32_t job)
{
    struct msg_watch_util want = {.on = true, .job = job, .probe = true};
    uint64_t tag;
    if (ui->session.online)
        (void)ui->o.send(ui->o.ctx, MSG_WATCH_UTIL, &want, &tag);
}

void utilization_take_use(struct ui *ui, struct msg_job_use *use)
{
    if (ui->frozen)
        return;
    if (use->lack == USE_PROBE_REFUSED)
        ui_toast(ui, ROLE_WARN, "%s", use->says ? use->says : "srun");
    else
        job_loads_take_use(ui, ui->utilization->jobs, use);
    ui->dirty = true;
}

void utilization_connected(struct ui *ui)
{
    ui->utilization->asked.on = false;
    utilization_ask(ui);
}

const struct job_loads *utilization_jobs(const struct ui *ui)
{
    return ui->utilization->jobs;
}

static uint64_t utilization_id(const char *node)
{
    return hash_bytes(node, strlen(node));
}

static struct node_sample *utilization_find(const struct ui *ui, const char *node)
{
    struct node_sample *at = idmap_get(&ui->utilization->by_name, utilization_id(node));
    return at && str_eq(at->util.node, node) ? at : NULL;
}

static void utilization_add_gpus(struct util_past *p, struct mono t, const struct msg_util *u)
{
    uint64_t busy = 0;
    for (size_t i = 0; i < u->gpus.n; i++) {
        const struct gpu_util *g = &u->gpus.v[i];
        if (g->index >= CPUSET_MAX)
            continue;
        if (g->index >= p->n_gpus) {
            p->gpus = xreallocarray(p->gpus, g->index + 1u, sizeof *p->gpus);
            memset(p->gpus + p->n_gpus, 0, (g->index + 1u - p->n_gpus) * sizeof *p->gpus);
            p->n_gpus = g->index + 1u;
        }
        recent_add(&p->gpus[g->index], t, g->busy_pct);
        busy += g->busy_pct;
    }
    if (u->gpus.n)
        recent_add(&p->gpu_mean, t, busy / u->gpus.n);
}

static void utilization_keep(struct util_past *p, struct mono t, const struct msg_util *u)
{
    utilization_add_gpus(p, t, u);
    recent_add(&p->cpu, t, u->cpu_permille / 10);
    if (u->mem_mib)
        recent_add(&p->mem, t, u->mem_used_mib * 100 / u->mem_mib);
}

/* All nodes report once a second, each at its own time: one mean is taken in a second. */
static void utilization_keep_all(struct ui *ui)
{
    struct node_samples *z = ui->utilization;
    struct util_gpus all;
    if (!z->began.ns)
        z->began = ui->mono;
    if (z->summed.ns && ui->mono.ns - z->summed.ns < NS_PER_S)
        return;
    z->summed = ui->mono;
    ui_util_gpus(ui, &all);
    if (all.measured)
        recent_add(&z->gpus_busy, ui->mono, all.busy_pct);
}

static struct node_sample *utilization_get(struct ui *ui, const char *node)
{
    struct node_sample *at = utilization_find(ui, node);
    if (at)
        return at;
    at = xcalloc(1, sizeof *at);
    at->util.node = xstrdup(node);
    vec_push(&ui->utilization->nodes, at);
    idmap_set(&ui->utilization->by_name, utilization_id(node), at);
    return at;
}

void utilization_take(struct ui *ui, struct msg_util *util)
{
    if (!util->node || ui->frozen)
        return;
    struct node_sample *at = utilization_get(ui, util->node);
    struct mono t = mono_add_ms(ui->mono, -(int64_t)util->age_ms);
    utilization_keep(&at->past, t, util);
    job_loads_take(ui, ui->utilization->jobs, util, t);
    if (!util->age_ms) {
        rec_fini(&msg_util_rec, &at->util);
        at->util = *util;
        at->at = t;
        *util = (struct msg_util){0};
    }
    if (ui->utilization->wanted.on && !ui->utilization->wanted.job) /* all nodes are measured */
        utilization_keep_all(ui);
    if (ui->utilization->wanted.on)
        ui->dirty = true;
}

void utilization_free(struct ui *ui)
{
    vec_for_each (&ui->utilization->nodes, i) {
        rec_fini(&msg_util_rec, &ui->utilization->nodes.v[i]->util);
        free(ui->utilization->nodes.v[i]->past.gpus);
        free(ui->utilization->nodes.v[i]);
    }
    vec_fini(&ui->utilization->nodes);
    job_loads_free(ui->utilization->jobs);
    idmap_fini(&ui->utilization->by_name);
    free(ui->utilization);
    ui->utilization = NULL;
}

static const struct node_sample *utilization_fresh(const struct ui *ui, const char *node)
{
    const struct node_sample *at = utilization_find(ui, node);
    int64_t good_ms = at && at->util.good_ms ? at->util.good_ms : UTIL_FRESH_MS;
    return at && at->at.ns && ui->mono.ns - at->at.ns < good_ms * NS_PER_MS ? at : NULL;
}

const struct msg_util *ui_util(const struct ui *ui, const char *node)
{
    const struct node_sample *at = utilization_fresh(ui, node);
    return at ? &at->util : NULL;
}

const struct util_past *ui_util_past(const struct ui *ui, const char *node)
{
    const struct node_sample *at = utilization_find(ui, node);
    return at ? &at->past : NULL;
}

void ui_util_gpus(const struct ui *ui, struct util_gpus *ret)
{
    uint64_t busy = 0;
    *ret = (struct util_gpus){0};
    if (ui->utilization->asked.job) /* only its nodes are measured */
        return;
    vec_for_each (&ui->utilization->nodes, i) {
        const struct node_sample *at = ui->utilization->nodes.v[i];
        const struct node *n = model_get_node(ui->m, at->util.node);
        if (!n || ui->mono.ns - at->at.ns >= UTIL_FRESH_MS * NS_PER_MS)
            continue;
        for (size_t k = 0; k < at->util.gpus.n; k++) {
            const struct gpu_util *g = &at->util.gpus.v[k];
            busy += g->busy_pct > 100 ? 100 : g->busy_pct;
            ret->measured++;
            ret->idle += g->index < CPUSET_MAX && cpuset_has(&n->gpus_used, g->index) &&
                         g->busy_pct < GPU_IDLE_PERCENT;
        }
    }
    ret->busy_pct = ret->measured ? (unsigned)(busy / ret->measured) : 0;
}

const struct recent *ui_util_gpus_past(const struct ui *ui)
{
    return &ui->utilization->gpus_busy;
}

enum recent_span ui_util_span(const struct ui *ui)
{
    struct mono began = ui->utilization->began;
    return recent_span_of(began.ns ? (ui->mono.ns - began.ns) / NS_PER_S : 0);
}
