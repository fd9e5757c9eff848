#include "src/model/jobeffective.h"

#include "src/base/str.h"
#include "src/values/units.h"

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

uint32_t job_limit_restarts(const struct model *m, const struct job *j)
{
    const struct job_req_rare *rare = req_rare(&j->req);
    const struct part_spec *p = rare->signal ? model_job_part(m, j) : NULL;
    if (j->kind == JOB_KIND_INTERACTIVE || req_detail(&j->req)->requeue == 2)
        return 0;
    return rare->limit_restarts ? rare->limit_restarts : p ? p->limit_restarts : 0;
}

uint32_t job_lease_s(const struct model *m, const struct job *j)
{
    return job_lost_node(m, j) == LOST_LEASE ? m->spec.lease_s : 0;
}

uint32_t job_limit_s(const struct job *j, const struct model *m)
{
    if (wall_is_set(j->t_start) && j->time_limit_s != DURATION_NOT_SET)
        return j->time_limit_s;
    if (j->req.time_limit_s != DURATION_NOT_SET)
        return j->req.time_limit_s;
    const struct part_spec *p = m ? model_job_part(m, j) : NULL;
    if (!p)
        return DURATION_NOT_SET;
    return p->default_time_s != DURATION_NOT_SET ? p->default_time_s : p->max_time_s;
}

static bool jobeffective_is_bounded(uint32_t limit_s)
{
    return limit_s != DURATION_UNLIMITED && limit_s != DURATION_NOT_SET;
}

struct wall job_end_time(const struct job *j, const struct model *m)
{
    uint32_t limit = job_limit_s(j, m);
    if (wall_is_set(j->t_end))
        return j->t_end;
    struct wall start = j->state == JOB_PENDING ? job_rare(j)->t_expected : j->t_start;
    if (!wall_is_set(start) || !jobeffective_is_bounded(limit))
        return (struct wall){0};
    struct wall end = wall_add_s(start, limit);
    end.ms += (int64_t)job_rare(j)->suspended_ms;
    return end;
}
