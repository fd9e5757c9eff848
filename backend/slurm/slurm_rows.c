#include "backend/slurm/slurm_rows.h"

#include <stdlib.h>
#include <unistd.h>

#include "backend/slurm/live/slurm_live.h"
#include "backend/slurm/live/slurm_named.h"
#include "src/base/xalloc.h"
#include "src/model/cluster_totals.h"

#define ROWS_MAX 128 /* of a frame */

static const struct model *slurm_rows_model(const struct slurm_session *s)
{
    return slurm_mirror_model(s->mirror);
}

/* --- what is needed --- */

static enum slurm_need slurm_rows_get_need(const struct slurm_session *s)
{
    const struct msg_get *g = &s->get;
    if (g->own || g->jobs.n) /* jobs that the list does not have are asked for by their ids */
        return SLURM_NEED_OWN;
    return g->what & (GET_JOBS | GET_NODES) ? SLURM_NEED_ALL : SLURM_NEED_OWN;
}

enum slurm_need slurm_rows_need(const struct slurm_session *s)
{
    enum slurm_need need = s->follow == SLURM_FOLLOW_ALL    ? SLURM_NEED_ALL
                           : s->follow != SLURM_FOLLOW_NONE ? SLURM_NEED_OWN
                                                            : SLURM_NEED_NOTHING;
    if (!s->waits)
        return need;
    enum slurm_need get = slurm_rows_get_need(s);
    return get > need ? get : need;
}

/* --- snapshots --- */

static bool slurm_rows_is_target(const struct msg_get *g, const struct job *j)
{
    for (size_t i = 0; i < g->jobs.n; i++) {
        const struct job_target *t = &g->jobs.v[i];
        bool same = t->job == j->id || t->job == j->array_job;
        if (t->array_index == ARRAY_NONE
                ? same
                : t->job == j->array_job && (j->array_index == t->array_index || job_is_array_record(j)))
            return true;
    }
    return !g->jobs.n;
}

static bool slurm_rows_is_wanted(const struct msg_get *g, const struct job *j)
{
    return (!g->own || j->uid == geteuid()) && (!g->states || g->states & 1u << j->state) &&
           (!g->users.n || strv_has(&g->users, j->user)) && slurm_rows_is_target(g, j);
}

/* Shallow copies of the rows go out, a frame at a time. */
static void slurm_rows_send_jobs(struct slurm_session *s)
{
    struct job rows[ROWS_MAX];
    struct msg_jobs m = {.rows = {.v = rows}};
    list_for_each (j, &slurm_rows_model(s)->all, struct job, in_all) {
        if (!slurm_rows_is_wanted(&s->get, j))
            continue;
        rows[m.rows.n++] = *j;
        if (m.rows.n == ROWS_MAX) {
            slurm_session_send(s, MSG_JOBS, s->get_tag, &m);
            m.rows.n = 0;
        }
    }
    if (m.rows.n)
        slurm_session_send(s, MSG_JOBS, s->get_tag, &m);
}

static void slurm_rows_send_nodes(struct slurm_session *s)
{
    const struct model *m = slurm_rows_model(s);
    struct msg_nodes nodes;
    nodes.rows.n = m->n_nodes;
    nodes.rows.v = xcalloc(m->n_nodes + 1, sizeof *nodes.rows.v);
    for (size_t i = 0; i < m->n_nodes; i++)
        nodes.rows.v[i] = *m->nodes[i];
    slurm_session_send(s, MSG_NODES, s->get_tag, &nodes);
    free(nodes.rows.v);
}

static void slurm_rows_send_totals(struct slurm_session *s, uint64_t tag)
{
    struct cluster_totals totals = model_totals(slurm_rows_model(s), slurm_rows_model(s)->now);
    slurm_session_send(s, MSG_TOTALS, tag, &totals);
}

static void slurm_rows_send_engine(struct slurm_session *s, uint64_t tag)
{
    struct msg_engine m;
    slurm_poll_report(s->poll, &m);
    rec_list_free(&engine_calls_rec, &m.calls);
    slurm_session_send(s, MSG_ENGINE_DATA, tag, &m);
    rec_fini(&msg_engine_rec, &m);
}

static void slurm_rows_send_snapshot(struct slurm_session *s)
{
    const struct model *m = slurm_rows_model(s);
    const struct msg_get *g = &s->get;
    struct msg_windows windows = {.rows = {.v = m->windows.v, .n = m->windows.n}};
    if (g->what & GET_SPEC)
        slurm_session_send(s, MSG_SPEC, s->get_tag, &m->spec);
    if (g->what & GET_JOBS)
        slurm_rows_send_jobs(s);
    if (g->what & GET_NODES)
        slurm_rows_send_nodes(s);
    if (g->what & GET_WINDOWS)
        slurm_session_send(s, MSG_WINDOWS, s->get_tag, &windows);
    if (g->own)
        slurm_rows_send_totals(s, s->get_tag);
    if (g->follow)
        slurm_rows_send_engine(s, s->get_tag);
    struct msg_snapshot end = {.seq = m->seq,
                               .epoch = m->epoch,
                               .next_job = m->next_job,
                               .now = m->now,
                               .n_jobs = (uint32_t)m->jobs.n,
                               .uuid = m->uuid,
                               .own = g->own};
    slurm_session_send(s, MSG_SNAPSHOT, s->get_tag, &end);
    if (!g->follow)
        return;
    s->follow = g->own ? SLURM_FOLLOW_OWN : g->jobs.n ? SLURM_FOLLOW_JOB : SLURM_FOLLOW_ALL;
    s->follow_tag = s->get_tag;
    s->follow_job = g->jobs.n ? g->jobs.v[0].job : 0;
}

static void slurm_rows_end_get(struct slurm_session *s)
{
    s->waits = false;
    rec_fini(&msg_get_rec, &s->get);
    slurm_session_need(s);
}

/* One job is asked for: its steps are needed too, and no row has them. */
static bool slurm_rows_misses_steps(struct slurm_session *s)
{
    const struct msg_get *g = &s->get;
    return g->jobs.n == 1 && !g->follow && slurm_live_must_wait(s->live, g->jobs.v[0].job);
}

static bool slurm_rows_misses_named(struct slurm_session *s)
{
    bool misses = false;
    for (size_t i = 0; i < s->get.jobs.n; i++) /* all of them go into one question */
        misses |= slurm_named_must_wait(s->named, &s->get.jobs.v[i], s->get_at);
    return misses;
}

static bool slurm_rows_knows_all_named(const struct slurm_session *s)
{
    for (size_t i = 0; i < s->get.jobs.n; i++)
        if (!slurm_named_is_known(s->named, &s->get.jobs.v[i]))
            return false;
    return true;
}

static void slurm_rows_refuse(struct slurm_session *s, const char *trouble)
{
    slurm_session_refuse(s, s->get_tag, REFUSAL_NOT_SUPPORTED, trouble);
    slurm_rows_end_get(s);
}

void slurm_rows_try(struct slurm_session *s)
{
    if (!s->waits)
        return;
    const char *trouble = slurm_poll_trouble(s->poll);
    bool known = slurm_poll_has(s->poll, slurm_rows_get_need(s)) &&
                 (s->get.follow || s->has_list || slurm_poll_is_fresh(s->poll));
    s->has_list = known; /* else it could wait for steps and for young rows in turn */
    if (known && !trouble && (slurm_rows_misses_named(s) || slurm_rows_misses_steps(s)))
        return;
    const char *no_word = trouble ? trouble : slurm_named_trouble(s->named);
    if (known && no_word && !slurm_rows_knows_all_named(s)) {
        slurm_rows_refuse(s, no_word);
    } else if (known || (trouble && slurm_poll_has_jobs(s->poll))) {
        slurm_rows_send_snapshot(s);
        slurm_rows_end_get(s);
    } else if (trouble) {
        /* The client is told to ask again when there is something to be had. */
        s->missed = s->get.follow;
        s->follow_tag = s->get_tag;
        slurm_rows_refuse(s, trouble);
    }
}

void slurm_rows_get(struct slurm_session *s, uint64_t tag, struct msg_get *get)
{
    if (get->jobs.n > GET_NAMES_MAX || get->users.n > GET_NAMES_MAX) {
        slurm_session_refuse(s, tag, REFUSAL_TOO_BIG, "too many names in one question");
        return;
    }
    rec_fini(&msg_get_rec, &s->get);
    s->get = *get;
    *get = (struct msg_get){0};
    s->get.own = s->get.own && s->get.follow && !s->get.jobs.n;
    s->get_tag = tag;
    s->get_at = loop_now(s->hub->loop);
    s->has_list = false;
    if (s->get.follow)
        s->follow = SLURM_FOLLOW_NONE;
    s->missed = false;
    s->waits = true;
    slurm_session_need(s);
    bool follows = s->get.follow, fresh = slurm_poll_is_fresh(s->poll);
    bool known = slurm_poll_has(s->poll, slurm_rows_get_need(s)) && (follows || fresh);
    if (known)
        slurm_rows_try(s);
    if (!known || !fresh) /* a screen is shown what is older at once, and then brought up to date */
        slurm_poll_hurry(s->poll);
}

/* --- changes --- */

bool slurm_rows_follows(const struct slurm_session *s, const struct event *ev)
{
    if (ev->kind == EV_NODE_ROW)
        return s->follow == SLURM_FOLLOW_ALL;
    const struct job *j = ev->kind == EV_JOB_ROW ? ev->body : NULL;
    switch (s->follow) {
    case SLURM_FOLLOW_NONE: return false;
    case SLURM_FOLLOW_JOB: return ev->job == s->follow_job;
    case SLURM_FOLLOW_OWN: return !j || j->uid == geteuid();
    case SLURM_FOLLOW_ALL: return true;
    }
    return false;
}

void slurm_rows_tell_round(struct slurm_session *s)
{
    if (s->follow == SLURM_FOLLOW_NONE)
        return;
    if (s->follow == SLURM_FOLLOW_OWN)
        slurm_rows_send_totals(s, s->follow_tag);
    slurm_rows_send_engine(s, s->follow_tag);
}
