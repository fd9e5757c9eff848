/* node_rules.c - what a request says about nodes. */
#include "backend/sched/limits/node_rules.h"

#include "src/model/window.h"
#include "src/values/hostlist.h"

bool node_has_features(const struct node *n, const struct strv *wanted)
{
    for (size_t i = 0; i < wanted->n; i++) {
        struct strv any = strv_split(wanted->v[i], "|");
        bool found = false;
        for (size_t k = 0; k < any.n; k++)
            found = found || strv_has(&n->spec.features, any.v[k]);
        strv_fini(&any);
        if (!found)
            return false;
    }
    return true;
}

bool node_has_tmp(const struct node *n, const struct job_req *req)
{
    return !n->tmp_mib || n->tmp_mib >= req_rare(req)->min_tmp_mib;
}

bool node_is_unknown(const struct node *n)
{
    return !n->boot_id && (!n->spec.cpus || !n->spec.mem_mib || n->spec.gpus == UINT32_MAX);
}

void node_rules_init(struct node_rules *r, const struct job_req *req, const char *gpu_type,
                     const struct window *reservation)
{
    *r = (struct node_rules){.req = req, .gpu_type = gpu_type, .reservation = reservation};
    if (req_detail(req)->features)
        r->features = strv_split(req_detail(req)->features, "&,");
    r->never_met =
        (req_rare(req)->nodelist && hostlist_expand(req_rare(req)->nodelist, &r->only, NULL) < 0) ||
        (req_rare(req)->exclude && hostlist_expand(req_rare(req)->exclude, &r->never, NULL) < 0);
}

void node_rules_fini(struct node_rules *r)
{
    strv_fini(&r->features);
    strv_fini(&r->only);
    strv_fini(&r->never);
}

bool node_rules_meet(const struct node_rules *r, const struct node *n)
{
    if (r->never_met || strv_has(&r->never, n->spec.name))
        return false;
    if (r->gpu_type && n->gpus && !str_ieq(r->gpu_type, n->gpu_type))
        return false;
    if (r->reservation && !window_has_node(r->reservation, n->spec.name))
        return false;
    if (!node_has_tmp(n, r->req))
        return false;
    return node_has_features(n, &r->features);
}
