/* node_free.c - what a node could give to another job now. */
#include "ui/info/node_free.h"

#include "src/lang/lang.h"
#include "src/values/units.h"
#include "ui/text/view_text.h"

/* How many of n are in neither set. */
static uint32_t node_free_count(uint32_t n, const struct cpuset *used, const struct cpuset *out,
                                const struct cpuset *unknown)
{
    struct cpuset taken = *used;
    cpuset_or(&taken, out);
    cpuset_or(&taken, unknown);
    uint32_t k = cpuset_count(&taken);
    return n > k ? n - k : 0;
}

struct node_room node_free_of(const struct ui *ui, const struct node *n)
{
    static const struct cpuset none;
    const struct node_rare *rare = node_rare(n);
    uint64_t used_mib = n->mem_used_mib + rare->unknown_mem_mib;
    if (ui_node_is_out(ui, n) || n->exclusive || str_eq(n->spec.role, "login"))
        return (struct node_room){0};
    return (struct node_room){
        .cpus = node_free_count(n->cpus, &n->cpus_used, &none, &rare->unknown_cpus),
        .gpus = node_free_count(n->gpus, &n->gpus_used, &rare->gpus_out, &rare->unknown_gpus),
        .mem_mib = n->mem_mib > used_mib ? n->mem_mib - used_mib : 0,
    };
}

void node_free_text(struct rich *r, const struct ui *ui, const struct node *n)
{
    struct node_room f = node_free_of(ui, n);
    if (!f.cpus || (n->mem_mib && !f.mem_mib)) {
        rich_add(r, ROLE_DIM, tr("nothing"));
        return;
    }
    rich_addf(r, ROLE_NORMAL, trn("%u CPU", "%u CPUs", f.cpus), f.cpus);
    if (n->mem_mib) {
        str_append(&r->text, ", ");
        mem_text(&r->text, f.mem_mib);
        rich_role(r, ROLE_NORMAL);
    }
    if (n->gpus)
        rich_addf(r, f.gpus ? ROLE_NORMAL : ROLE_DIM, trn(", %u GPU", ", %u GPUs", f.gpus), f.gpus);
}
