#include "backend/control/nodes/held_jobs_answer.h"

#include "backend/control/emit.h"

static bool held_job_is_over(const struct control *c, const char *node, const struct node_held_job *h)
{
    const struct job *j = model_get_job(&c->model, h->job);
    if (!j || (h->nonce && j->nonce && h->nonce != j->nonce))
        return true;
    return job_state_is_final(j->state) || j->restarts != h->restarts || !job_alloc_on(j, node);
}

void held_jobs_answer(struct control *c, struct nodeconn *conn, const struct msg_held_jobs *m)
{
    struct msg_held_jobs over = {0};
    for (size_t i = 0; i < m->jobs.n; i++)
        if (held_job_is_over(c, nodeconn_node(conn), &m->jobs.v[i]))
            *rec_list_push(&over.jobs) = m->jobs.v[i];
    if (over.jobs.n)
        nodeconn_send(conn, ctl_ticket(c), MSG_OVER_JOBS, 0, &over);
    rec_fini(&msg_held_jobs_rec, &over);
}
