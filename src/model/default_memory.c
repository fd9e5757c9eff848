#include "src/model/default_memory.h"

#include "src/base/str.h"
#include "src/model/need.h"

/* The first of its partitions that has a default; NULL: none. */
static const struct part_spec *model_part_with_memory(const struct model *m, const char *partitions)
{
    const struct part_spec *found = str_is_empty(partitions) ? model_default_part(m) : NULL;
    struct strv names = strv_split(partitions, ",");
    for (size_t i = 0; i < names.n; i++) {
        const struct part_spec *p = model_get_part(m, names.v[i]);
        bool has = p && (p->default_mem_cpu_mib || p->default_mem_gpu_mib || p->default_mem_node_mib);
        found = !found && has ? p : found;
    }
    strv_fini(&names);
    return found;
}

static uint64_t model_memory_or_none(uint64_t mib)
{
    return mib ? mib : MEM_NOT_GIVEN;
}

static void model_settle_step_memory(const struct part_spec *p, struct step *s)
{
    uint64_t ranks = s->n_ranks ? s->n_ranks : 1,
             cpus = s->cpus_per_rank == NOT_GIVEN ? 1 : s->cpus_per_rank;
    if (s->mem_mib != MEM_NOT_GIVEN)
        return;
    if (s->gpus != NOT_GIVEN && s->gpus && p->default_mem_gpu_mib)
        s->mem_mib = p->default_mem_gpu_mib * s->gpus;
    else if (p->default_mem_cpu_mib)
        s->mem_mib = p->default_mem_cpu_mib * ranks * cpus;
}

void model_settle_memory(const struct model *m, struct job_req *r, struct step *steps, size_t n_steps)
{
    const struct part_spec *p = model_part_with_memory(m, r->partition);
    for (size_t i = 0; p && i < n_steps; i++)
        model_settle_step_memory(p, &steps[i]);
    if (!p || n_steps || r->mem_node_mib != MEM_NOT_GIVEN || req_detail(r)->mem_cpu_mib != MEM_NOT_GIVEN ||
        req_detail(r)->mem_gpu_mib != MEM_NOT_GIVEN)
        return;
    struct job_need need;
    job_need(r, &need);
    if (need.gpus && p->default_mem_gpu_mib)
        req_detail_mut(r)->mem_gpu_mib = p->default_mem_gpu_mib;
    else if (p->default_mem_cpu_mib)
        req_detail_mut(r)->mem_cpu_mib = p->default_mem_cpu_mib;
    else
        r->mem_node_mib = model_memory_or_none(p->default_mem_node_mib);
}
