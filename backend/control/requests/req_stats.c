#include "backend/control/requests/req_stats.h"

#include "backend/control/clients/privacy.h"
#include "backend/control/clients/sessions.h"
#include "backend/control/emit.h"
#include "backend/control/nodes/node_peers.h"
#include "backend/control/shortage.h"
#include "src/model/cluster_totals.h"

static void req_stats_keep_own(const struct session *s, struct msg_stats *m)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->users.n; i++)
        if (m->users.v[i].uid != s->uid)
            rec_fini(&user_stats_rec, &m->users.v[i]);
        else
            m->users.v[kept++] = m->users.v[i];
    m->users.n = kept;
}

void req_stats(struct session *s, uint64_t tag, void *body)
{
    (void)body;
    struct control *c = s->ctl;
    struct store_stats st;
    store_get_stats(c->store, &st);
    struct msg_stats m = c->stats;
    m.commits = st.commits;
    m.commit_us_max = st.commit_us_max;
    m.commit_us_sum = st.commit_us_sum;
    m.commit_bytes_max = st.batch_bytes_max;
    m.db_bytes = st.db_bytes;
    m.rss_kib = shortage_memory_taken_kib();
    list_for_each (other, sessions(c), struct session, link)
        m.sessions++;
    list_for_each (n, node_peers(c), struct node_peer, link)
        m.nodes_up += nodeconn_is_up(n->conn);
    struct cluster_totals t = model_totals(&c->model, loop_wall(c->loop));
    uint64_t taken =
        (uint64_t)t.gpus_used + t.gpus_out; /* more than there are, where a node has lost some */
    m.gpus_free = t.gpus > taken ? t.gpus - taken : 0;
    m.gpus_split = t.gpus_split;
    user_quota_tell(c, &m);
    if (privacy_of(s) & (PRIVATE_JOBS | PRIVATE_USAGE))
        req_stats_keep_own(s, &m);
    shortage_tell(c, &m);
    forecast_scores_save(planner_forecaster(c->planner)->scores, &m.forecasts);
    session_send(s, MSG_STATS_DATA, tag, &m);
    rec_fini(&msg_stats_rec, &m);
}

void req_ping(struct session *s, uint64_t tag, void *body)
{
    (void)body;
    session_send(s, MSG_PONG, tag, NULL);
}

/* n: jobs that it stood for: waiting elements of an array are one record. */
static void req_stats_count_end(struct msg_stats *m, enum job_state state, uint32_t n)
{
    if (state == JOB_COMPLETED)
        m->completed += n;
    else if (state == JOB_CANCELLED)
        m->cancelled += n;
    else if (job_state_is_final(state))
        m->failed += n;
}

static void req_stats_after(struct control *c, const struct emission *e)
{
    if (e->job && !job_state_is_final(e->state_before))
        req_stats_count_end(&c->stats, e->job->state, e->elements_before);
    c->stats.events++;
}

const struct module_ops req_stats_module = {.after = req_stats_after};
