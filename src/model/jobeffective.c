#include "src/model/jobeffective.h"

#include "src/base/str.h"

enum lost_node job_lost_node(const struct model *m, const struct job *j)
{
    if (req_rare(&j->req)->lost_node != LOST_NOT_SAID && req_rare(&j->req)->lost_node < LOST_N)
        return (enum lost_node)req_rare(&j->req)->lost_node;
    for (size_t i = 0; i < m->spec.parts.n; i++) {
        const struct part_spec *p = &m->spec.parts.v[i];
        if (str_eq(p->name, j->partition) && p->lost_node != LOST_NOT_SAID && p->lost_node < LOST_N)
            return (enum lost_node)p->lost_node;
    }
    if (m->spec.lost_node != LOST_NOT_SAID && m->spec.lost_node < LOST_N)
        return (enum lost_node)m->spec.lost_node;
    return m->spec.lost_node_requeue ? LOST_REQUEUE : LOST_HOLD;
}

uint32_t job_lease_s(const struct model *m, const struct job *j)
{
    return job_lost_node(m, j) == LOST_LEASE ? m->spec.lease_s : 0;
}
