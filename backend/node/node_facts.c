#include "backend/node/node_facts.h"

#include <stdlib.h>

#include "src/base/xalloc.h"

bool node_facts_binds_cpus(const struct node_facts *n)
{
    return !n->has_spec || n->spec.cpus <= n->probe.n_cpus;
}

void node_facts_describe_gpus(const struct node_facts *n, struct msg_agent *m)
{
    const struct node_spec *s = &n->spec;
    bool declared = n->has_spec && !s->detect;
    m->gpus = declared && s->gpus != UINT32_MAX ? s->gpus : n->probe.gpus;
    const char *type = declared && s->gpu_type ? s->gpu_type : n->probe.gpu_type;
    m->gpu_type = *type ? xstrdup(type) : NULL;
}

void node_facts_describe(const struct node_facts *n, struct msg_agent *m)
{
    const struct node_spec *s = &n->spec;
    bool declared = n->has_spec && !s->detect;
    m->boot_id = xstrdup(n->probe.boot_id);
    m->arch = xstrdup(n->probe.arch);
    m->os = xstrdup(n->probe.os);
    m->cpus = declared && s->cpus ? s->cpus : n->probe.n_cpus;
    m->mem_mib = declared && s->mem_mib ? s->mem_mib : n->probe.mem_mib;
    node_facts_describe_gpus(n, m);
    for (size_t i = 0; i < n->notes.n; i++)
        strv_push(&m->notes, n->notes.v[i]);
    if (!node_facts_binds_cpus(n))
        strv_push(&m->notes, "cpus: not bound (more are declared than there are)");
    m->t_boot = n->probe.t_boot;
    m->t_agent = n->t_agent;
    m->t_policy = n->t_policy;
    m->tmp_mib = n->probe.tmp_mib;
}

void node_facts_fini(struct node_facts *n)
{
    strv_fini(&n->notes);
    rec_fini(&node_spec_rec, &n->spec);
    free(n->cpu_order.p);
}
