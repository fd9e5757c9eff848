/* admit.c - could a request ever run? Asked at submission, with every node pretended empty. */
#include <errno.h>
#include <stdlib.h>

#include "backend/sched/fit.h"
#include "backend/sched/gate.h"
#include "src/base/units.h"

/* A partition that is down takes jobs, they wait; one that is inactive, or that does not admit the request,
 * does not. */
static enum refusal refusal_of(enum reason r)
{
    if (r == REASON_NONE || r == REASON_PART_DOWN)
        return REFUSAL_NONE;
    if (r == REASON_PART_INACTIVE)
        return REFUSAL_PART_DOWN;
    if (r == REASON_PART_TIME)
        return REFUSAL_TIME_LIMIT;
    return r == REASON_PART_NODES ? REFUSAL_NODE_COUNT : REFUSAL_NOT_ALLOWED;
}

/* What the request comes to, for the text. */
static void describe_need(const struct job_need *n, struct str *out)
{
    str_appendf(out, "%u CPU%s", n->cpus, n->cpus == 1 ? "" : "s");
    if (n->gpus)
        str_appendf(out, ", %u GPU%s", n->gpus, n->gpus == 1 ? "" : "s");
    if (n->mem_per_node_mib != MEM_NOT_GIVEN && n->mem_per_node_mib)
        str_appendf(out, ", %llu MiB of memory a node", (unsigned long long)n->mem_per_node_mib);
    if (n->nodes > 1)
        str_appendf(out, " on %u nodes", n->nodes);
}

static bool fits_empty(const struct model *m, const struct part_spec *part, const struct fit_request *r,
                       struct errtext *text)
{
    struct fit_node *nodes = fit_nodes_new(m, true);
    struct alloc *alloc = NULL;
    size_t n = 0;
    struct fit_refusals why;
    bool ok = fit_place(m, nodes, part, r, &alloc, &n, &why) == 0;
    for (size_t i = 0; i < n; i++)
        rec_fini(&alloc_rec, &alloc[i]);
    free(alloc);
    free(nodes);
    if (!ok && text) {
        struct str b = STR_INIT;
        describe_need(&r->need, &b);
        str_appendf(&b, " can never be had in partition %s (", part->name);
        fit_describe(&why, true, &b);
        str_append(&b, ")");
        err_set(text, 0, "%s", b.s);
        str_fini(&b);
    }
    return ok;
}

/* Nodes whose figures are not known yet (no agent has answered since they were configured) may turn out
 * large enough. */
static bool figures_known(const struct model *m, const struct part_spec *part)
{
    for (size_t i = 0; i < part->nodes.n; i++) {
        const struct node *n = model_get_node(m, part->nodes.v[i]);
        if (n && !n->boot_id && (!n->spec.cpus || !n->spec.mem_mib || n->spec.gpus == UINT32_MAX))
            return false;
    }
    return true;
}

/* In which every task of every step, or the whole job, would fit one day. */
static bool could_fit(const struct sched_view *v, const struct part_spec *part, const struct job_req *req,
                      const struct step *steps, size_t n_steps, struct errtext *text)
{
    if (!figures_known(v->model, part))
        return true;
    for (size_t i = 0; i < n_steps; i++) {
        struct fit_request r = {.req = req,
                                .gpu_type = steps[i].gpu_type ? steps[i].gpu_type : req->gpu_type,
                                .one_task = true};
        step_task_need(&steps[i], &r.need);
        if (!fits_empty(v->model, part, &r, text)) {
            err_prefix(text, 0, "step %s", steps[i].name ? steps[i].name : "?");
            return false;
        }
    }
    struct fit_request r = {.req = req, .gpu_type = req->gpu_type};
    job_need(req, &r.need);
    return n_steps || fits_empty(v->model, part, &r, text);
}

static enum refusal admit_to(const struct sched_view *v, uint32_t uid, const char *name,
                             const struct job_req *req, const struct step *steps, size_t n_steps,
                             struct errtext *text)
{
    const struct part_spec *part = model_get_part(v->model, name);
    if (!part) {
        err_set(text, 0, "there is no partition %s", name);
        return REFUSAL_NO_PARTITION;
    }
    enum refusal r = refusal_of(gate_partition(v, uid, req, part, text));
    if (r != REFUSAL_NONE)
        return r;
    if (part->state == PART_DRAIN) { /* what waits there already still runs */
        err_set(text, 0, "partition %s takes no new jobs", part->name);
        return REFUSAL_PART_DOWN;
    }
    return could_fit(v, part, req, steps, n_steps, text) ? REFUSAL_NONE : REFUSAL_NEVER_FITS;
}

/* Of several partitions one is enough, but a name that does not exist is a mistake even beside one that
 * does. */
enum refusal sched_admit(const struct sched_view *v, uint32_t uid, const struct job_req *req,
                         const struct step *steps, size_t n_steps, struct errtext *text)
{
    struct job probe = {.req = *req, .uid = uid};
    struct strv names = gate_partitions(v->model, &probe);
    enum refusal last = REFUSAL_NO_PARTITION;
    bool ok = false;
    if (!names.n)
        err_set(text, 0, "no partition given and no default partition configured");
    for (size_t i = 0; i < names.n; i++) {
        last = admit_to(v, uid, names.v[i], req, steps, n_steps, text);
        if (last == REFUSAL_NO_PARTITION) {
            ok = false;
            break;
        }
        ok = ok || last == REFUSAL_NONE;
    }
    strv_fini(&names);
    if (ok)
        err_set(text, 0, "%s", "");
    return ok ? REFUSAL_NONE : last;
}
