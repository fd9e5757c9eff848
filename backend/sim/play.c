/* play.c - the full simulation's clock. */
#include "backend/sim/play.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "backend/sched/explain/explain.h"
#include "backend/sched/limits/limits.h"
#include "src/base/heap.h"
#include "src/base/xalloc.h"
#include "src/model/default_memory.h"
#include "src/text/cause_text.h"
#include "src/values/units.h"

#define PREEMPTED_MAX  1000 /* times that a job may go for others before it is taken for a circle */
#define UID_FIRST      100000
#define ROUNDS_MAX     64  /* passes in one instant: starts and ends make room for one another */
#define TELL_EVERY     64  /* instants */
#define FORECAST_SHARE 256 /* jobs in a forecast for each that began to wait since the last one */

enum due { DUE_END, DUE_LIMIT, DUE_GRACE }; /* what happens to a running job next */

struct played_job { /* of a job of the workload */
    struct heap_node by_time;
    enum due due;
    int64_t done_s; /* work kept from runs that were preempted */
    double cpus, mem_mib, gpus;
};

struct play_clock {
    const struct workload *w;
    struct model m;
    struct planner *planner;
    struct limits *limits;
    struct sched_view view;
    struct played_job *runs; /* one for each job of the workload */
    VEC(uint32_t) index_of;  /* job id -> job of the workload */
    struct heap due;
    size_t n_submitted, n_over;
    struct wall now, wake;
    double free_gpus, split_gpus; /* now; split: free on nodes whose other GPUs are in use */
    size_t untold;                /* jobs that came or came back since the last forecast */
    bool told_last;               /* a forecast has followed the last submission */
    uint32_t stuck;               /* a job that is preempted again and again; 0: none */
    struct play *out;
};

/* --- events --- */

static int play_emit(struct play_clock *c, enum event_kind kind, uint32_t job, void *body)
{
    struct event ev = {.seq = c->m.seq + 1, .t = c->now, .kind = kind, .job = job, .body = body};
    int rc = model_apply(&c->m, &ev);
    if (rc == 0 && c->limits)
        limits_note(c->limits, &c->m, &ev);
    rec_fini(event_body_rec(kind), body);
    if (rc == 0 && job)
        planner_note_job(c->planner, job);
    c->out->events++;
    return rc;
}

/* What follows from the state itself always fits it. */
static void play_must_emit(struct play_clock *c, enum event_kind kind, uint32_t job, void *body)
{
    bug_on(play_emit(c, kind, job, body) < 0);
}

static uint32_t play_index_of(const struct play_clock *c, uint32_t id)
{
    bug_on(id >= c->index_of.n);
    return c->index_of.v[id];
}

static int64_t play_seconds(const struct play_clock *c, struct wall t)
{
    return (t.ms - c->w->begin.ms) / MS_PER_S;
}

static struct wall play_instant(const struct play_clock *c, int64_t s)
{
    return wall_add_s(c->w->begin, s);
}

static bool play_in_groups(void *ctx, uint32_t uid, const struct strv *groups)
{
    const struct play_clock *c = ctx;
    return uid >= UID_FIRST && uid - UID_FIRST < c->w->users.n &&
           strv_has(groups, c->w->users.v[uid - UID_FIRST].group);
}

static int play_set_up(struct play_clock *c, const struct cluster_spec *cluster, struct errtext *err)
{
    struct ev_epoch epoch = {.uuid = xstrdup("simulation"), .epoch = 1, .next_job = 1};
    struct cluster_spec spec;
    play_must_emit(c, EV_EPOCH, 0, &epoch);
    rec_copy(&cluster_spec_rec, &spec, cluster);
    if (play_emit(c, EV_CONFIG, 0, &spec) < 0)
        return err_set(err, -EINVAL, "the state does not take this configuration");
    for (size_t i = 0; i < cluster->nodes.n; i++) {
        struct ev_node up = {.node = xstrdup(cluster->nodes.v[i].name), .state = NODE_UP};
        play_must_emit(c, EV_NODE, 0, &up);
    }
    for (size_t i = 0; i < c->m.n_nodes; i++)
        c->free_gpus += c->m.nodes[i]->gpus;
    c->limits = limits_new(&c->m);
    c->view =
        (struct sched_view){.model = &c->m, .in_groups = play_in_groups, .ctx = c, .limits = c->limits};
    return 0;
}

/* --- submissions --- */

static void play_fill_request(struct job_req *r, const struct workload *w, const struct sim_job *s)
{
    rec_fini(&job_req_rec, r);
    rec_copy(&job_req_rec, r, &w->shapes.v[s->shape].req);
    r->time_limit_s = s->limit_s;
    if (s->tasks != NOT_GIVEN)
        r->ntasks = s->tasks;
    if (s->mem_cpu_mib != MEM_NOT_GIVEN)
        req_detail_mut(r)->mem_cpu_mib = s->mem_cpu_mib;
}

static struct job *play_make_job(const struct play_clock *c, const struct sim_job *s)
{
    const struct sim_user *u = &c->w->users.v[s->user];
    struct job *j = job_new();
    play_fill_request(&j->req, c->w, s);
    model_settle_memory(&c->m, &j->req, NULL, 0);
    if (u->qos)
        xstrset(&req_detail_mut(&j->req)->qos, u->qos);
    xstrset(&j->req.account, u->account ? u->account : spec_default_account(&c->m.spec, u->name, u->group));
    struct strv parts = strv_split(j->req.partition, ",");
    const struct part_spec *fallback = model_default_part(&c->m);
    j->partition = xstrdup(parts.n ? parts.v[0] : fallback ? fallback->name : NULL);
    strv_fini(&parts);
    j->id = c->m.next_job;
    j->uid = job_origin_mut(j)->gid = UID_FIRST + s->user;
    j->user = xstrdup(u->name);
    job_origin_mut(j)->group = xstrdup(u->group);
    j->t_submit = j->t_eligible = c->now;
    return j;
}

static enum refusal play_admit(struct play_clock *c, const struct job *j)
{
    struct sched_admit_how how = {0};
    struct submitter by = {
        .uid = j->uid, .user = j->user, .group = job_origin(j)->group, .is_simulated = true};
    enum refusal r = account_check(&c->view, &by, j->req.account, req_detail(&j->req)->qos, NULL);
    if (r == REFUSAL_NONE)
        r = sched_admit(c->planner, &c->view, j, NULL);
    return r == REFUSAL_NONE ? sched_admit_counts(c->planner, &c->view, j, how, c->now, NULL) : r;
}

static void play_submit(struct play_clock *c, uint32_t at)
{
    struct job *j = play_make_job(c, &c->w->jobs.v[at]);
    struct play_job *out = &c->out->jobs[at];
    out->refusal = play_admit(c, j);
    if (out->refusal != REFUSAL_NONE) {
        job_free(j);
        c->n_over++;
        return;
    }
    out->id = j->id;
    out->partition = spec_part_position(&c->m.spec, j->partition);
    while (c->index_of.n <= j->id)
        vec_push(&c->index_of, UINT32_MAX);
    c->index_of.v[j->id] = at;
    play_must_emit(c, EV_SUBMIT, out->id, j);
    free(j);
    c->untold++;
}

static void play_submit_due(struct play_clock *c)
{
    int64_t now_s = play_seconds(c, c->now);
    for (; c->n_submitted < c->w->jobs.n && c->w->jobs.v[c->n_submitted].submit_s <= now_s;
         c->n_submitted++)
        play_submit(c, (uint32_t)c->n_submitted);
}

/* --- runs --- */

static void play_set_due(struct play_clock *c, struct played_job *r, enum due due, struct wall t)
{
    heap_remove(&c->due, &r->by_time);
    r->due = due;
    heap_insert(&c->due, &r->by_time, t.ms);
}

/* Adds (1) or takes away (-1) what the nodes of an allocation have free; around a change of it. */
static void play_count_gpus(struct play_clock *c, const struct alloc *v, size_t n, int sign)
{
    for (size_t i = 0; i < n; i++) {
        const struct node *node = model_get_node(&c->m, v[i].node);
        uint32_t left = node->gpus - cpuset_count(&node->gpus_used);
        c->free_gpus += (double)sign * left;
        c->split_gpus += left < node->gpus ? (double)sign * left : 0;
    }
}

static void play_begin(struct play_clock *c, const struct job *j)
{
    uint32_t at = play_index_of(c, j->id);
    struct played_job *r = &c->runs[at];
    struct play_job *out = &c->out->jobs[at];
    out->partition = spec_part_position(&c->m.spec, j->partition);
    if (out->start_s < 0)
        out->start_s = play_seconds(c, c->now);
    r->cpus = r->mem_mib = r->gpus = 0;
    play_count_gpus(c, j->alloc.v, j->alloc.n, 1);
    for (size_t i = 0; i < j->alloc.n; i++) {
        r->cpus += cpuset_count(&j->alloc.v[i].cpus);
        r->gpus += cpuset_count(&j->alloc.v[i].gpus);
        r->mem_mib += (double)j->alloc.v[i].mem_mib;
    }
    int64_t left = c->w->jobs.v[at].run_s - r->done_s;
    bool cut = j->time_limit_s < DURATION_NOT_SET && j->time_limit_s < left;
    play_set_due(c, r, cut ? DUE_LIMIT : DUE_END, wall_add_s(c->now, cut ? j->time_limit_s : left));
}

/* What it has held since its start goes to the books. */
static double play_charge(struct play_clock *c, uint32_t at, const struct job *j)
{
    const struct played_job *r = &c->runs[at];
    struct play_job *out = &c->out->jobs[at];
    double held = (double)(c->now.ms - j->t_start.ms) / MS_PER_S;
    out->cpu_s += held * r->cpus;
    out->gpu_s += held * r->gpus;
    c->out->cpu_s += held * r->cpus;
    c->out->gpu_s += held * r->gpus;
    c->out->mem_mib_s += held * r->mem_mib;
    return held;
}

/* It has ended for good: it leaves the state. */
static void play_retire(struct play_clock *c, uint32_t at, const struct job *j)
{
    struct play_job *out = &c->out->jobs[at];
    struct ev_none none = {0};
    out->state = j->state;
    out->end_s = play_seconds(c, c->now);
    c->n_over++;
    planner_note_end(c->planner, j);
    play_must_emit(c, EV_RETIRE, j->id, &none);
}

static void play_end_run(struct play_clock *c, uint32_t at, enum end_kind kind)
{
    uint32_t id = c->out->jobs[at].id;
    const struct job *j = model_get_job(&c->m, id);
    const struct step *s = job_find_step(j, STEP_BATCH);
    bug_on(!s || !s->tasks.n);
    struct ev_end body = {.step = STEP_BATCH,
                          .task = s->tasks.v[0].index,
                          .attempt = s->tasks.v[0].attempt,
                          .end_kind = kind,
                          .t_start = j->t_start,
                          .t_end = c->now};
    *rec_list_push(&body.ranks) = (struct rank_end){.signal = kind == END_EXITED ? 0 : 9};
    struct played_job *r = &c->runs[at];
    struct play_job *out = &c->out->jobs[at];
    double held = play_charge(c, at, j);
    struct ev_start had = {0}; /* the event takes the allocation from the job */
    for (size_t i = 0; i < j->alloc.n; i++)
        *rec_list_push(&had.alloc) = (struct alloc){.node = xstrdup(j->alloc.v[i].node)};
    play_count_gpus(c, had.alloc.v, had.alloc.n, -1);
    play_must_emit(c, EV_END, id, &body);
    play_count_gpus(c, had.alloc.v, had.alloc.n, 1);
    rec_fini(&ev_start_rec, &had);
    c->untold += !job_state_is_final(j->state);
    if (job_state_is_final(j->state)) {
        out->ran_s = r->done_s + (int64_t)held;
        play_retire(c, at, j);
    } else if (c->w->shapes.v[c->w->jobs.v[at].shape].keeps_work) {
        r->done_s += (int64_t)held;
        if (r->done_s >= c->w->jobs.v[at].run_s)
            r->done_s = c->w->jobs.v[at].run_s - 1; /* a second to find out that it is done */
    } else {
        out->lost_cpu_s += held * r->cpus;
        out->lost_gpu_s += held * r->gpus;
    }
}

static bool play_end_due(struct play_clock *c)
{
    bool any = false;
    for (struct heap_node *h; (h = heap_peek(&c->due)) && h->key <= c->now.ms; any = true) {
        heap_pop(&c->due);
        struct played_job *r = container_of(h, struct played_job, by_time);
        uint32_t at = (uint32_t)(r - c->runs);
        /* One that has been asked to go is at its limit before its grace time is over: it ends all the
         * same. */
        if (r->due == DUE_LIMIT && model_get_job(&c->m, c->out->jobs[at].id)->state != JOB_COMPLETING) {
            struct ev_kill body = {.step = STEP_ALL, .cause = KILL_TIMEOUT, .fate = FATE_END};
            play_must_emit(c, EV_KILL, c->out->jobs[at].id, &body);
        }
        play_end_run(c, at, r->due == DUE_END ? END_EXITED : END_KILLED);
    }
    return any;
}

/* --- the policy --- */

static void play_start_all(struct play_clock *c, struct sched_result *r)
{
    vec_for_each (&r->starts, i) {
        uint32_t id = r->starts.v[i].job;
        const struct ev_start *start = &r->starts.v[i].start;
        play_count_gpus(c, start->alloc.v, start->alloc.n, -1);
        play_must_emit(c, EV_START, id, &r->starts.v[i].start);
        play_begin(c, model_get_job(&c->m, id));
    }
    vec_clear(&r->starts);
}

static void play_preempt_all(struct play_clock *c, const struct sched_result *r)
{
    vec_for_each (&r->preempts, i) {
        const struct sched_preempt *v = &r->preempts.v[i];
        uint32_t at = play_index_of(c, v->job);
        struct ev_kill body = {.step = STEP_ALL,
                               .cause = KILL_PREEMPT,
                               .grace_s = v->grace_s,
                               .fate = v->fate,
                               .by_job = v->by_job};
        causes_add_copy(&body.why, &v->why);
        play_must_emit(c, EV_KILL, v->job, &body);
        if (++c->out->jobs[at].preempted >= PREEMPTED_MAX)
            c->stuck = at + 1;
        struct wall end = wall_add_s(c->now, v->grace_s);
        if (end.ms < c->runs[at].by_time.key) /* else it ends by itself before */
            play_set_due(c, &c->runs[at], DUE_GRACE, end);
    }
}

/* One cycle. True: a job is preempted, and another cycle may use what it leaves. */
static bool play_pass(struct play_clock *c)
{
    struct sched_result r;
    sched_result_init(&r);
    planner_cycle(c->planner, &c->view, c->now, &r);
    c->out->passes++;
    play_start_all(c, &r);
    play_preempt_all(c, &r);
    bool preempts = r.preempts.n > 0;
    c->wake = r.next;
    if (wall_is_set(c->wake) && c->wake.ms <= c->now.ms)
        c->wake = wall_add_s(c->now, 1);
    sched_result_fini(&r);
    return preempts;
}

/* --- time --- */

/* False: nothing is to come, or the end has been reached. */
static bool play_next_instant(struct play_clock *c)
{
    int64_t next = INT64_MAX;
    const struct heap_node *due = heap_peek(&c->due);
    if (due)
        next = due->key;
    if (c->n_submitted < c->w->jobs.n) {
        int64_t t = play_instant(c, c->w->jobs.v[c->n_submitted].submit_s).ms;
        next = t < next ? t : next;
    }
    bool waits = c->m.n_pending > 0;
    if (waits && wall_is_set(c->wake) && c->wake.ms < next)
        next = c->wake.ms;
    if (next == INT64_MAX)
        return false;
    if (c->w->until_s && next >= play_instant(c, c->w->until_s).ms)
        return false;
    double passed_s = (double)(next - c->now.ms) / MS_PER_S;
    c->out->free_gpu_s += passed_s * c->free_gpus;
    c->out->split_gpu_s += passed_s * c->split_gpus;
    c->now = (struct wall){next};
    return true;
}

/* A forecast costs as much as the queue is long. In a long queue some jobs begin to wait before one
 * follows, so that a job pays for at most FORECAST_SHARE places of the queue. */
static bool play_forecast_is_due(const struct play_clock *c)
{
    bool last = c->n_submitted == c->w->jobs.n && !c->told_last;
    return c->untold && (last || c->untold >= c->m.n_pending / FORECAST_SHARE);
}

/* Each job is told its start when it begins to wait; later forecasts are not scored. */
static void play_forecast(struct play_clock *c)
{
    struct forecaster *f = planner_forecaster(c->planner);
    if (!play_forecast_is_due(c))
        return;
    c->untold = 0;
    c->told_last = c->n_submitted == c->w->jobs.n;
    if (!c->m.n_pending)
        return;
    forecast_begin(f, &c->view, c->now);
    while (!forecast_step(f, &c->view, UINT32_MAX))
        ;
    c->out->forecast_jobs += c->m.n_pending;
}

static void play_run_clock(struct play_clock *c, struct progress *p)
{
    for (size_t n = 0; !c->stuck && play_next_instant(c); n++) {
        play_end_due(c);
        play_submit_due(c);
        bool again = true;
        for (int round = 0; round < ROUNDS_MAX && again; round++) {
            again = play_pass(c);
            again = play_end_due(c) || again; /* without a time of grace they are gone at once */
        }
        play_forecast(c);
        if (p && n % TELL_EVERY == 0)
            progress_tell(p, c->w->until_s ? c->n_submitted : c->n_over, c->w->jobs.n);
    }
}

/* What still runs has held what it holds; all else waits. */
static void play_close_books(struct play_clock *c)
{
    if (c->w->until_s)
        c->now = play_instant(c, c->w->until_s);
    c->out->end_s = play_seconds(c, c->now);
    forecast_scores_save(planner_forecaster(c->planner)->scores, &c->out->scores);
    for (uint32_t at = 0; at < c->out->n_jobs; at++) {
        struct play_job *out = &c->out->jobs[at];
        const struct job *j = out->id ? model_get_job(&c->m, out->id) : NULL;
        if (!j)
            continue;
        out->state = j->state;
        if (j->holding)
            play_charge(c, at, j);
    }
}

int play_run(const struct cluster_spec *cluster, const struct workload *w, struct progress *p,
             struct play *ret, struct errtext *err)
{
    struct play out = {.n_jobs = w->jobs.n};
    struct play_clock c = {.w = w, .out = &out, .now = w->begin, .planner = planner_new()};
    out.jobs = xcalloc(w->jobs.n + 1, sizeof *out.jobs);
    for (size_t i = 0; i < w->jobs.n; i++)
        out.jobs[i] = (struct play_job){.start_s = -1, .end_s = -1, .partition = UINT32_MAX};
    c.runs = xcalloc(w->jobs.n + 1, sizeof *c.runs);
    model_init(&c.m);
    int rc = play_set_up(&c, cluster, err);
    if (rc == 0)
        play_run_clock(&c, p);
    if (c.stuck)
        rc = err_set(
            err, -ELOOP,
            "job %" PRId64 " of user %s has been preempted %d times: it comes back before those for whom "
            "it goes; look at the tiers of the partitions and the priorities of the QOS",
            w->jobs.v[c.stuck - 1].id, w->users.v[w->jobs.v[c.stuck - 1].user].name, PREEMPTED_MAX);
    if (rc == 0)
        play_close_books(&c);
    planner_free(c.planner);
    limits_free(c.limits);
    model_fini(&c.m);
    heap_fini(&c.due);
    vec_fini(&c.index_of);
    free(c.runs);
    if (rc < 0)
        play_fini(&out);
    else
        *ret = out;
    return rc;
}

void play_fini(struct play *r)
{
    free(r->jobs);
    rec_fini(&msg_scores_rec, &r->scores);
    *r = (struct play){0};
}
