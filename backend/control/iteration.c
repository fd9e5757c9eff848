/* iteration.c - the end of a turn: derive actions, ask the policy, hand the batch to the store; and what
 * follows a commit. */
#include <stdlib.h>

#include "backend/control/private.h"
#include "src/base/log.h"
#include "src/text/eventtext.h"

#define PREPARE_UNITS 2000    /* between two looks at the clock */
#define PASS_LOOKS    30000   /* the same */
#define SLICE_NS      4000000 /* of a turn, for planning */
#define ROUNDS_MAX    64      /* actions make events that ask for actions: settles in a few rounds */

static bool in_groups(void *ctx, uint32_t uid, const struct strv *groups)
{
    struct control *c = ctx;
    return user_in_groups(c->users, uid, groups);
}

struct sched_view ctl_view(struct control *c)
{
    return (struct sched_view){.model = &c->model, .in_groups = in_groups, .ctx = c, .limits = c->limits};
}

static void add_reason(struct control *c, struct msg_reasons *rows, uint32_t id)
{
    const struct job *j = model_get_job(&c->model, id);
    if (!j || j->state != JOB_PENDING)
        return;
    struct job_reason *r = rec_list_push(&rows->rows);
    *r = (struct job_reason){.job = id, .reason = planner_reason_of(c->planner, j)};
}

/* New jobs, and those whose reason is another now. */
static void tell_reasons(struct control *c, const struct sched_result *r)
{
    struct msg_reasons rows = {0};
    vec_for_each (&c->fresh, i)
        add_reason(c, &rows, c->fresh.v[i]);
    vec_clear(&c->fresh);
    vec_for_each (&r->changed, i)
        add_reason(c, &rows, r->changed.v[i]);
    if (rows.rows.n)
        ctl_push_reasons(c, &rows);
    rec_fini(&msg_reasons_rec, &rows);
}

static void start_job(struct control *c, struct sched_start *s)
{
    const struct job *j = model_get_job(&c->model, s->job);
    if (!j)
        return;
    uint32_t id = s->job;
    /* The last element keeps the array's own id. */
    uint32_t new_id = s->array_index != ARRAY_NONE && job_pending_elements(j) > 1 ? c->model.next_job : 0;
    s->start.new_id = new_id;
    if (ctl_emit(c, EV_START, id, &s->start) < 0) {
        log_error("job=%u the policy's start does not fit the state", id);
        return;
    }
    if (new_id)
        ctl_touch(c, new_id);
    c->stats.starts++;
}

/* The others are asked to go; the job that they go for has its side of it in its own story. */
static void preempt(struct control *c, const struct sched_result *r)
{
    for (size_t i = 0; i < r->preempts.n;) {
        uint32_t by_job = r->preempts.v[i].by_job, n = 0;
        struct str who = STR_INIT;
        for (; i < r->preempts.n && r->preempts.v[i].by_job == by_job; i++) {
            const struct sched_preempt *v = &r->preempts.v[i];
            const struct job *by = model_get_job(&c->model, by_job);
            struct ev_kill kill = {.step = STEP_ALL,
                                   .cause = KILL_PREEMPT,
                                   .grace_s = v->grace_s,
                                   .fate = v->fate,
                                   .by_job = by_job,
                                   .text = xstrdup(v->text),
                                   .user = by ? xstrdup(by->user) : NULL};
            if (ctl_emit(c, EV_KILL, v->job, &kill) < 0)
                continue;
            const struct job *victim = model_get_job(&c->model, v->job);
            str_appendf(&who, "%s%u", n++ ? ", " : "job ", v->job);
            if (victim && !str_is_empty(victim->user))
                str_appendf(&who, " of %s", victim->user);
            if (n == 1)
                str_appendf(&who, " (%s)", jobtext_preempt_rule(v->text, by_job));
        }
        if (n) {
            struct ev_preempt body = {.n_jobs = n, .text = str_take(&who)};
            ctl_emit(c, EV_PREEMPT, by_job, &body);
        }
        str_fini(&who);
    }
}

void ctl_forget_pass(struct control *c)
{
    planner_free(c->planner);
    c->planner = planner_new();
    answers_clear(c->answers);
}

/* One piece of what there is to plan: something to read from the beginning, or of a pass. True: a decision.
 */
static bool plan_some(struct control *c, const struct sched_view *v, struct sched_result *ret)
{
    struct wall now = loop_wall(c->loop);
    return (planner_is_deciding(c->planner) || planner_prepare(c->planner, v, now, PREPARE_UNITS)) &&
           planner_decide_some(c->planner, v, now, PASS_LOOKS, ret);
}

static void count_slice(struct control *c, int64_t ns, bool done)
{
    uint64_t us = (uint64_t)ns / 1000;
    c->pass_us += us;
    c->stats.pass_us_sum += us;
    c->stats.slice_us_max = us > c->stats.slice_us_max ? us : c->stats.slice_us_max;
    if (!done)
        return;
    c->stats.passes++;
    c->stats.pass_us_max = c->pass_us > c->stats.pass_us_max ? c->pass_us : c->stats.pass_us_max;
    c->pass_us = 0;
}

/* Planning goes in slices, between which everybody is served. */
static bool plan(struct control *c, struct sched_result *ret)
{
    struct sched_view v = ctl_view(c);
    struct mono t0 = mono_read();
    bool done = false;
    int64_t ns = 0;
    while (!done && ns < SLICE_NS) {
        done = plan_some(c, &v, ret);
        ns = mono_read().ns - t0.ns;
    }
    count_slice(c, ns, done);
    return done;
}

static void schedule(struct control *c)
{
    struct sched_result r;
    sched_result_init(&r);
    if (!plan(c, &r)) {
        loop_timer_set(c->loop, &c->wake, 0);
        return;
    }
    vec_for_each (&r.starts, i)
        start_job(c, &r.starts.v[i]);
    vec_for_each (&r.places, i)
        ctl_emit(c, EV_PLACE, r.places.v[i].job, &r.places.v[i].place);
    vec_clear(&r.starts);
    vec_clear(&r.places);
    preempt(c, &r);
    tell_reasons(c, &r);
    if (wall_is_set(r.next)) {
        int64_t ms = r.next.ms - loop_wall(c->loop).ms;
        loop_timer_set(c->loop, &c->wake, ms < 1 ? 1 : ms > 3600000 ? 3600000 : ms);
    } else {
        loop_timer_cancel(c->loop, &c->wake);
    }
    sched_result_fini(&r);
    ctl_want_forecast(c);
}

static void act_on_touched(struct control *c)
{
    while (c->touched.n) {
        __typeof__(c->touched) now = c->touched;
        c->touched.v = NULL;
        c->touched.n = c->touched.cap = 0;
        vec_for_each (&now, i) {
            struct job *j = model_get_job(&c->model, now.v[i]);
            if (j)
                ctl_act_on_job(c, j);
        }
        vec_fini(&now);
    }
}

void ctl_turn(void *ctx)
{
    struct control *c = ctx;
    if (c->read_only) {
        vec_clear(&c->touched);
        share_pool_next_batch(&c->share_pool);
        ctl_serve_looks(c);
        return;
    }
    uint32_t looks = 0;
    bool left = ctl_open_gates(c, &looks);
    for (int round = 0; round < ROUNDS_MAX && (c->touched.n || c->sched_dirty); round++) {
        act_on_touched(c);
        left = ctl_open_gates(c, &looks);
        if (c->sched_dirty) {
            c->sched_dirty = false;
            schedule(c);
        }
    }
    ctl_drop_left_nodes(c);
    if (store_turn(c->store))
        share_pool_next_batch(&c->share_pool);
    ctl_serve_looks(c); /* beside the commit */
    if (left || c->touched.n || c->sched_dirty)
        loop_timer_set(c->loop, &c->wake, 1);
}

void ctl_on_commit(void *ctx, uint64_t gate, int r, const char *text)
{
    struct control *c = ctx;
    if (r < 0) {
        ctl_go_read_only(c, text);
        return;
    }
    crash_point("after_commit");
    if (c->epoch_gate && gate >= c->epoch_gate) {
        c->epoch_gate = 0;
        ctl_note_lineage(c);
    }
    list_for_each (s, &c->sessions, struct session, link)
        conn_release(s->conn, gate);
    crash_point("after_reply");
    list_for_each (n, &c->nodes, struct node_link, link)
        nodeconn_release(n->conn, gate);
    crash_point("after_launch");
    ctl_mail_committed(c);
}
