/* ever.c - could a request run if nothing else did? Asked at submission, and of what waits in front of
 * others. */
#include <stdlib.h>

#include "backend/sched/fit.h"

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

bool fit_ever(const struct model *m, const struct part_spec *part, const struct fit_request *r,
              struct errtext *text)
{
    if (!figures_known(m, part))
        return true;
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
