#include "backend/control/clients/privacy.h"

#include <stdlib.h>
#include <string.h>

#include "backend/control/emit.h"
#include "backend/control/users/user_cache.h"
#include "src/proto/codec.h"

uint32_t privacy_of(const struct session *s)
{
    const struct strv *words = &s->ctl->model.spec.private_words;
    return s->admin || !words->n ? 0 : private_data_of(words, NULL);
}

bool privacy_hides_job(const struct session *s, const struct job *j)
{
    return j->uid != s->uid && (privacy_of(s) & PRIVATE_JOBS);
}

/* --- rows of jobs --- */

/* What a picture of the cluster is made of: a member that is not named here is not told. */
static void privacy_mask_job(const struct job *j, struct private_row *room)
{
    static char user[] = PRIVATE_USER, name[] = PRIVATE_NAME;
    room->job = (struct job){.id = j->id,
                             .kind = j->kind,
                             .state = j->state,
                             .holding = j->holding,
                             .array_job = j->array_job,
                             .array_index = j->array_index,
                             .hold = j->hold,
                             .uid = UINT32_MAX,
                             .alloc.v = j->alloc.v,
                             .alloc.n = j->alloc.n,
                             .user = user,
                             .partition = j->partition,
                             .reason = j->reason,
                             .priority = j->priority,
                             .t_submit = j->t_submit,
                             .t_eligible = j->t_eligible,
                             .t_start = j->t_start,
                             .t_end = j->t_end,
                             .time_limit_s = j->time_limit_s,
                             .fate = j->fate,
                             .kill_cause = j->kill_cause,
                             .rare = &room->rare,
                             .origin = &room->origin};
    room->rare = (struct job_rare){.array_pending.v = job_rare(j)->array_pending.v,
                                   .array_pending.n = job_rare(j)->array_pending.n};
    const struct job_origin *origin = job_origin(j);
    room->origin = (struct job_origin){.gid = UINT32_MAX,
                                       .array_count = origin->array_count,
                                       .array_min = origin->array_min,
                                       .array_max = origin->array_max,
                                       .array_step = origin->array_step};
    const struct job_req_detail *detail = req_detail(&j->req);
    room->detail = (struct job_req_detail){.ntasks_per_node = detail->ntasks_per_node,
                                           .gpus_per_task = detail->gpus_per_task,
                                           .mem_cpu_mib = detail->mem_cpu_mib,
                                           .mem_gpu_mib = detail->mem_gpu_mib,
                                           .exclusive = detail->exclusive,
                                           .exclusive_user = detail->exclusive_user,
                                           .time_min_s = detail->time_min_s};
    struct job_req *r = &room->job.req;
    *r = (struct job_req){.detail = &room->detail,
                          .name = name,
                          .partition = j->req.partition,
                          .nodes_min = j->req.nodes_min,
                          .nodes_max = j->req.nodes_max,
                          .ntasks = j->req.ntasks,
                          .cpus_per_task = j->req.cpus_per_task,
                          .gpus = j->req.gpus,
                          .gpus_per_node = j->req.gpus_per_node,
                          .mem_node_mib = j->req.mem_node_mib,
                          .time_limit_s = j->req.time_limit_s,
                          .array_throttle = j->req.array_throttle};
    room->steps.v = j->steps.n ? xcalloc(j->steps.n, sizeof *room->steps.v) : NULL;
    room->steps.n = j->steps.n;
    for (size_t i = 0; i < j->steps.n; i++) {
        const struct step *st = &j->steps.v[i];
        room->steps.v[i] = (struct step){.id = st->id,
                                         .n_tasks = st->n_tasks,
                                         .n_ranks = st->n_ranks,
                                         .nodes = st->nodes,
                                         .cpus_per_rank = st->cpus_per_rank,
                                         .mem_mib = st->mem_mib,
                                         .gpus = st->gpus,
                                         .t_start = st->t_start,
                                         .t_end = st->t_end,
                                         .done = st->done,
                                         .tasks.v = st->tasks.v,
                                         .tasks.n = st->tasks.n};
    }
    room->job.steps.v = room->steps.v;
    room->job.steps.n = room->steps.n;
}

/* Texts of nodes about the ends of tasks may name files of the owner. Only with steps of its own. */
static void privacy_mask_tasks(struct private_row *room)
{
    size_t n = 0, at = 0;
    for (size_t i = 0; i < room->steps.n; i++)
        n += room->steps.v[i].tasks.n;
    struct task *all = room->tasks = n ? xcalloc(n, sizeof *all) : NULL;
    for (size_t i = 0; i < room->steps.n; i++) {
        struct step *st = &room->steps.v[i];
        for (size_t k = 0; k < st->tasks.n; k++) {
            const struct task *t = &st->tasks.v[k];
            all[at + k] = (struct task){.index = t->index,
                                        .state = t->state,
                                        .alloc = t->alloc,
                                        .attempt = t->attempt,
                                        .rank_base = t->rank_base,
                                        .n_ranks = t->n_ranks,
                                        .t_start = t->t_start,
                                        .t_end = t->t_end,
                                        .part = t->part};
        }
        size_t count = st->tasks.n;
        st->tasks.v = count ? all + at : NULL;
        at += count;
    }
}

/* Who ended one's own job: root may be named. */
static void privacy_mask_killer(const struct session *s, char **user, uint32_t *uid)
{
    if (*uid == s->uid || !*uid)
        return;
    free(*user);
    *user = NULL;
    *uid = UID_PRIVATE;
}

/* Whose job it was preempted for, and who ended it: the names of other users in one's own job. */
static void privacy_mask_preemptors(const struct session *s, struct job_rare *r)
{
    const char *own = user_name(s->ctl->users, s->uid);
    if (r->preempted_by && !str_eq(r->kill_user, own)) {
        free(r->kill_user);
        r->kill_user = NULL;
        r->kill_uid = 0;
    }
    privacy_mask_killer(s, &r->kill_user, &r->kill_uid);
    free(r->preempt_text);
    r->preempt_text = NULL;
    for (size_t i = 0; i < r->preempt_why.n; i++)
        privacy_mask_cause(s, &r->preempt_why.v[i]);
    for (size_t i = 0; i < r->runs.n; i++) {
        struct past_run *p = &r->runs.v[i];
        free(p->preempt_text);
        p->preempt_text = NULL;
        if (p->preempted_by && !str_eq(p->kill_user, own)) {
            free(p->kill_user);
            p->kill_user = NULL;
            p->kill_uid = 0;
        }
        privacy_mask_killer(s, &p->kill_user, &p->kill_uid);
        for (size_t k = 0; k < p->preempt_why.n; k++)
            privacy_mask_cause(s, &p->preempt_why.v[k]);
    }
    for (size_t i = 0; i < r->events.n; i++) {
        struct job_event *e = &r->events.v[i];
        if (e->by_job && !str_eq(e->user, own)) {
            free(e->user);
            e->user = NULL;
            e->uid = 0;
        } else if (e->kind == EV_KILL) {
            privacy_mask_killer(s, &e->user, &e->uid);
        }
        for (size_t k = 0; k < e->why.n; k++)
            privacy_mask_cause(s, &e->why.v[k]);
    }
}

const struct job *privacy_row(const struct session *s, const struct job *j, bool commands,
                              struct private_row *room)
{
    *room = (struct private_row){.used = false};
    if (privacy_hides_job(s, j)) {
        privacy_mask_job(j, room);
        privacy_mask_tasks(room);
        return &room->job;
    }
    bool own_rare = j->rare && j->uid == s->uid && (privacy_of(s) & PRIVATE_JOBS);
    bool cut = (!commands || (!s->admin && s->uid != j->uid)) && job_has_arguments(j);
    if (!own_rare && !cut)
        return j;
    rec_copy(&job_rec, &room->job, j);
    room->used = true;
    if (cut)
        job_cut_arguments(&room->job);
    if (own_rare)
        privacy_mask_preemptors(s, room->job.rare);
    return &room->job;
}

void privacy_end_row(struct private_row *room)
{
    if (room->used)
        rec_fini(&job_rec, &room->job);
    free(room->tasks);
    free(room->steps.v);
    *room = (struct private_row){.used = false};
}

/* --- nodes --- */

void privacy_mask_node(const struct node *n, struct node *ret, struct node_rare *ret_rare)
{
    *ret = *n;
    ret->avoids.v = NULL;
    ret->avoids.n = 0;
    ret->gpu_notes = (struct strv){0};
    ret->events.v = NULL;
    ret->events.n = 0;
    if (n->rare) {
        *ret_rare = *n->rare;
        ret_rare->unknown.v = NULL;
        ret_rare->unknown.n = 0;
        ret->rare = ret_rare;
    }
}

/* --- events --- */

static void *privacy_decode(const struct emission *e)
{
    const struct rec_desc *d = event_body_rec(e->ev->kind);
    void *body = xcalloc(1, d->size);
    if (codec_decode_own(d, e->bytes, e->n, body, NULL) < 0) {
        free(body);
        return NULL;
    }
    return body;
}

static bool privacy_is_masked_kind(const struct session *s, uint32_t uid, const struct emission *e)
{
    uint32_t kind = e->ev->kind;
    bool own = s->admin || uid == s->uid;
    if (kind == EV_SUBMIT || kind == EV_STEP)
        return !own && e->job && job_has_arguments(e->job);
    return own && (privacy_of(s) & PRIVATE_JOBS) && (kind == EV_KILL || kind == EV_PREEMPT);
}

bool privacy_event(const struct session *s, uint32_t uid, const struct emission *e, struct str *ret_masked)
{
    if (!privacy_is_masked_kind(s, uid, e))
        return false;
    void *body = privacy_decode(e);
    if (!body)
        return false;
    if (e->ev->kind == EV_SUBMIT) {
        job_cut_arguments(body);
    } else if (e->ev->kind == EV_STEP) {
        struct step *st = &((struct ev_step *)body)->step;
        if (st->command)
            st->command[strcspn(st->command, " ")] = '\0';
    } else if (e->ev->kind == EV_KILL && !((struct ev_kill *)body)->by_job) {
        struct ev_kill *k = body;
        privacy_mask_killer(s, &k->user, &k->uid);
    } else if (e->ev->kind == EV_KILL) {
        struct ev_kill *k = body;
        free(k->user);
        free(k->text);
        k->user = k->text = NULL;
        k->uid = 0;
        for (size_t i = 0; i < k->why.n; i++)
            privacy_mask_cause(s, &k->why.v[i]);
    } else if (e->ev->kind == EV_PREEMPT) {
        struct ev_preempt *p = body;
        free(p->text);
        p->text = NULL;
        for (size_t i = 0; i < p->why.n; i++)
            privacy_mask_cause(s, &p->why.v[i]);
    }
    codec_encode(event_body_rec(e->ev->kind), body, ret_masked);
    rec_fini(event_body_rec(e->ev->kind), body);
    free(body);
    return true;
}

/* --- answers --- */

static void privacy_drop(char **text)
{
    free(*text);
    *text = NULL;
}

void privacy_mask_cause(const struct session *s, struct cause *c)
{
    uint32_t hidden = privacy_of(s);
    if (!hidden)
        return;
    if ((hidden & PRIVATE_JOBS) && (c->code == CAUSE_PREEMPTS || c->code == CAUSE_PREEMPTED_JOB) &&
        !str_eq(c->user, user_name(s->ctl->users, s->uid)))
        privacy_drop(&c->user);
    if (hidden & PRIVATE_NODES)
        privacy_drop(&c->nodes);
    for (size_t i = 0; i < c->parts.n; i++)
        privacy_mask_cause(s, &c->parts.v[i]);
}

void privacy_mask_plan(const struct session *s, struct plan_row *rows, size_t n)
{
    uint32_t hidden = privacy_of(s);
    for (size_t i = 0; hidden && i < n; i++) {
        struct plan_row *r = &rows[i];
        const struct job *j = r->job ? model_get_job(&s->ctl->model, r->job) : NULL;
        bool own = j && j->uid == s->uid;
        if (!own && r->job && (hidden & PRIVATE_JOBS)) {
            xstrset(&r->user, PRIVATE_USER);
            xstrset(&r->name, PRIVATE_NAME);
        }
        if (!own && (hidden & PRIVATE_NODES))
            privacy_drop(&r->nodes);
    }
}

void privacy_mask_why(const struct session *s, struct msg_why *w)
{
    uint32_t hidden = privacy_of(s);
    if (!hidden)
        return;
    for (size_t i = 0; i < w->causes.n; i++)
        privacy_mask_cause(s, &w->causes.v[i]);
    privacy_mask_cause(s, &w->basis);
    privacy_mask_cause(s, &w->advice);
    privacy_mask_plan(s, w->plan.v, w->plan.n);
    if (!(hidden & PRIVATE_JOBS))
        return;
    struct past_run *p = &w->run;
    privacy_drop(&p->preempt_text);
    if (p->preempted_by && !str_eq(p->kill_user, user_name(s->ctl->users, s->uid))) {
        privacy_drop(&p->kill_user);
        p->kill_uid = 0;
    }
    privacy_mask_killer(s, &p->kill_user, &p->kill_uid);
    for (size_t i = 0; i < p->preempt_why.n; i++)
        privacy_mask_cause(s, &p->preempt_why.v[i]);
}

bool privacy_own_users(const struct session *s, struct strv *users)
{
    const char *own = user_name(s->ctl->users, s->uid);
    bool named = strv_has(users, own), any = users->n;
    strv_fini(users);
    *users = (struct strv){0};
    strv_push(users, own);
    return named || !any;
}
