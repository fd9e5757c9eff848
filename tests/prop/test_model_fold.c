/* test_model_fold.c - random histories of a cluster: whatever happens, the fold holds its promises.
 *
 * Events are made from what the state offers, with a share of nonsense among them. After each: the
 * invariants hold, and a refused event has changed nothing (both in tests/lib/lab.c). At the end: the
 * stored events, read back, give the same state; so does a snapshot taken on the way and the events after
 * it, and so do the rows of the jobs and nodes that have changed, told now and then.
 */
#include "src/base/strpool.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/model/task_parts.h"
#include "src/model/touched.h"
#include "src/proto/codec.h"
#include "src/values/units.h"
#include "tests/lib/lab.h"

#define RUNS    60
#define LENGTH  250
#define N_NODES 4
#define CPUS    8
#define GPUS    2
#define MEM_MIB 16000

struct stored {      /* as it lies on disk */
    struct event ev; /* body NULL */
    struct str bytes;
};

struct world {
    struct lab l;
    uint64_t rand;
    VEC(struct stored) log;
    struct model mirror; /* shares its texts, as that of the screens does */
    struct strpool *texts;
    bool mirrored;
    size_t mirrored_at;
    struct model rows; /* a mirror that is told rows */
    struct strpool *row_texts;
    VEC(uint32_t) touched; /* jobs that it has not been told of */
    unsigned done[EV_N_KINDS], refused[EV_N_KINDS];
};

static uint32_t below(struct world *w, uint32_t n)
{
    return n ? (uint32_t)(check_rand(&w->rand) % n) : 0;
}

static bool one_in(struct world *w, uint32_t n)
{
    return below(w, n) == 0;
}

/* --- nonsense --- */

static char *random_text(struct world *w)
{
    static const char *const texts[] = {"", "n0", "n1", "n3", "ghost", "main", "main,other", "%x", "a\nb"};
    return one_in(w, 4) ? NULL : xstrdup(texts[below(w, N_OF(texts))]);
}

static void fill(struct world *w, const struct rec_desc *d, void *rec, int depth)
{
    for (size_t i = 0; i < d->n_fields; i++) {
        void *p = rec_at_mut(&d->fields[i], rec);
        uint64_t n = one_in(w, 3) ? check_rand(&w->rand) >> below(w, 64) : below(w, 5);
        n = one_in(w, 12) ? UINT64_MAX : n;
        switch (d->fields[i].type) {
        case REC_BOOL: *(bool *)p = n & 1; break;
        case REC_U8: *(uint8_t *)p = (uint8_t)n; break;
        case REC_U32: *(uint32_t *)p = (uint32_t)n; break;
        case REC_I32: *(int32_t *)p = (int32_t)n - 2; break;
        case REC_U64: *(uint64_t *)p = n; break;
        case REC_I64: *(int64_t *)p = (int64_t)n; break;
        case REC_F64: *(double *)p = (double)n; break;
        case REC_STR: *(char **)p = random_text(w); break;
        case REC_WALL: ((struct wall *)p)->ms = (int64_t)(n >> 11); break; /* as far as times are read */
        case REC_BLOB: break;
        case REC_STRV:
            for (n = below(w, 3); n; n--)
                strv_push(p, "x");
            break;
        case REC_CPUSET:
            for (n = below(w, 4); n; n--)
                cpuset_add(p, below(w, CPUSET_MAX));
            break;
        case REC_SUB: fill(w, d->fields[i].sub, p, depth); break;
        case REC_LISTOF:
            for (n = depth < 4 ? below(w, 3) : 0; n; n--)
                fill(w, d->fields[i].sub, rec_list_push_any(p, d->fields[i].sub->size), depth + 1);
            break;
        }
    }
}

/* --- storing, reading back, mirroring --- */

static void decode(const struct rec_desc *d, const struct str *bytes, void *ret)
{
    struct errtext err = {""};
    if (codec_decode(d, bytes->s, bytes->len, ret, &err) < 0)
        fail_msg("%s", err.s);
}

static int fold_stored(struct model *m, const struct stored *s)
{
    struct event ev = s->ev;
    const struct rec_desc *d = event_body_rec(ev.kind);
    ev.body = xcalloc(1, d->size);
    decode(d, &s->bytes, ev.body);
    int r = model_apply(m, &ev);
    event_fini(&ev);
    return r;
}

static void through_codec(const struct rec_desc *d, const void *rec, void *ret)
{
    struct str b = STR_INIT;
    codec_encode(d, rec, &b);
    decode(d, &b, ret);
    str_fini(&b);
}

static void take_snapshot(struct world *w)
{
    const struct model *m = &w->l.m;
    model_init(&w->mirror);
    w->texts = strpool_new();
    model_intern_texts(&w->mirror, w->texts);
    struct cluster_spec spec;
    through_codec(&cluster_spec_rec, &m->spec, &spec);
    model_take_spec(&w->mirror, &spec);
    for (size_t i = 0; i < m->n_nodes; i++) {
        struct node n;
        through_codec(&node_rec, m->nodes[i], &n);
        model_take_node(&w->mirror, &n);
    }
    list_for_each (j, &m->all, struct job, in_all) {
        struct job *copy = job_new();
        rec_fini(&job_rec, copy);
        through_codec(&job_rec, j, copy);
        model_take_job(&w->mirror, copy);
    }
    REC_LIST(struct window) windows = {0};
    for (size_t i = 0; i < m->windows.n; i++)
        through_codec(&window_rec, &m->windows.v[i], rec_list_push(&windows));
    model_take_windows(&w->mirror, windows.v, windows.n);
    w->mirror.uuid = xstrdup(m->uuid);
    w->mirror.epoch = m->epoch;
    w->mirror.seq = m->seq;
    w->mirror.now = m->now;
    w->mirror.next_job = m->next_job;
    w->mirrored = true;
}

static void must_equal(const struct model *a, const struct model *b, bool lists, const char *what)
{
    struct errtext err = {""};
    if (model_check(b, &err) < 0)
        fail_msg("%s: %s", what, err.s);
    struct lab_copy *ca = lab_copy_new(a), *cb = lab_copy_new(b);
    const char *where = lab_differs(ca, cb, lists);
    if (where)
        fail_msg("%s: %s differs", what, where);
    lab_copy_free(ca);
    lab_copy_free(cb);
}

/* --- rows --- */

static void tell_row(struct world *w, enum event_kind kind, uint32_t job, const void *row)
{
    struct stored s = {.ev = {.kind = kind, .job = job, .seq = w->l.m.seq, .t = w->l.m.now},
                       .bytes = STR_INIT};
    codec_encode(event_body_rec(kind), row, &s.bytes);
    if (fold_stored(&w->rows, &s) < 0)
        fail_msg("%s of job %u is refused", event_name(kind), job);
    w->done[kind]++;
    str_fini(&s.bytes);
}

static void tell_nodes(struct world *w)
{
    const struct model *m = &w->l.m;
    for (size_t i = w->rows.n_nodes; i-- > 0;)
        if (!model_get_node(m, w->rows.nodes[i]->spec.name)) {
            struct node gone;
            rec_copy(&node_rec, &gone, w->rows.nodes[i]);
            gone.gone = true;
            gone.n_jobs = 0;
            tell_row(w, EV_NODE_ROW, 0, &gone);
            rec_fini(&node_rec, &gone);
        }
    for (size_t i = 0; i < m->n_nodes; i++) {
        const struct node *known = model_get_node(&w->rows, m->nodes[i]->spec.name);
        if (!known || !rec_eq(&node_rec, known, m->nodes[i]))
            tell_row(w, EV_NODE_ROW, 0, m->nodes[i]);
    }
}

/* In no particular order, as many were changed by one event or by several. */
static void tell_rows(struct world *w)
{
    struct ev_none none = {0};
    for (size_t i = w->touched.n; i-- > 0;) {
        uint32_t id = w->touched.v[i];
        const struct job *j = model_get_job(&w->l.m, id);
        if (j)
            tell_row(w, EV_JOB_ROW, id, j);
        else if (model_get_job(&w->rows, id))
            tell_row(w, EV_JOB_GONE, id, &none);
    }
    vec_clear(&w->touched);
    tell_nodes(w);
}

static void check_rows(struct world *w)
{
    tell_rows(w);
    w->rows.next_job =
        w->l.m.next_job; /* no row tells of a job that came and went, and no screen shows it */
    must_equal(&w->l.m, &w->rows, false, "rows");
}

static void note_touched(void *ctx, uint32_t job)
{
    struct world *w = ctx;
    vec_push(&w->touched, job);
}

/* What concerns neither jobs nor nodes is told as it is. */
static void tell_cluster(struct world *w, const struct stored *s)
{
    if (s->ev.kind != EV_EPOCH && s->ev.kind != EV_CONFIG && s->ev.kind != EV_WINDOW &&
        s->ev.kind != EV_USAGE)
        return;
    if (s->ev.kind == EV_CONFIG) /* which drops nodes that carry nothing */
        tell_rows(w);
    if (fold_stored(&w->rows, s) < 0)
        fail_msg("the mirror of rows refuses %s", event_name(s->ev.kind));
}

static void happen(struct world *w, enum event_kind kind, uint32_t job, void *body)
{
    struct stored s = {.ev = {.kind = kind, .job = job}, .bytes = STR_INIT};
    codec_encode(event_body_rec(kind), body, &s.bytes);
    event_each_touched(&w->l.m, &(struct event){.kind = kind, .job = job, .body = body}, note_touched, w);
    int r = lab_apply(&w->l, kind, job, body);
    s.ev.seq = w->l.m.seq;
    s.ev.t = w->l.m.now;
    if (r < 0) {
        w->refused[kind]++;
        if (w->mirrored && fold_stored(&w->mirror, &s) >= 0)
            fail_msg("the mirror takes %s of job %u, which was refused", event_name(kind), job);
        str_fini(&s.bytes);
        return;
    }
    w->done[kind]++;
    vec_push(&w->log, s);
    tell_cluster(w, &s);
    if (one_in(w, 3))
        check_rows(w);
    if (!w->mirrored)
        return;
    if (fold_stored(&w->mirror, &s) < 0)
        fail_msg("the mirror refuses %s of job %u", event_name(kind), job);
    must_equal(&w->l.m, &w->mirror, false, "mirror");
}

/* --- what could happen --- */

static struct job *any_job(struct world *w)
{
    uint32_t n = 0, total = w->l.m.n_pending + w->l.m.n_active + w->l.m.n_ended;
    uint32_t pick = below(w, total);
    list_for_each (j, &w->l.m.all, struct job, in_all)
        if (n++ == pick)
            return j;
    return NULL;
}

/* A random part of a random node: free for the most part, now and then taken or elsewhere. */
static struct alloc random_alloc(struct world *w)
{
    char name[16];
    snprintf(name, sizeof name, one_in(w, 40) ? "gone%u" : "n%u", below(w, N_NODES));
    struct alloc a = {.node = xstrdup(name), .mem_mib = below(w, 1000)};
    const struct node *n = model_get_node(&w->l.m, name);
    unsigned cpus = 1 + below(w, 3), gpus = below(w, 2);
    for (unsigned i = 0; i < CPUS && cpus; i++)
        if (!n || !cpuset_has(&n->cpus_used, i) || one_in(w, 30)) {
            cpuset_add(&a.cpus, i);
            cpus--;
        }
    for (unsigned i = 0; i < GPUS && gpus; i++)
        if (!n || !cpuset_has(&n->gpus_used, i) || one_in(w, 30)) {
            cpuset_add(&a.gpus, i);
            gpus--;
        }
    return a;
}

static void do_submit(struct world *w)
{
    struct job *j = lab_job(&w->l, (enum job_kind)below(w, 3));
    j->id = w->l.m.next_job;
    j->partition = xstrdup("main");
    req_detail_mut(&j->req)->exclusive = one_in(w, 20);
    req_detail_mut(&j->req)->requeue = below(w, 3);
    j->hold = one_in(w, 8) ? HOLD_USER : HOLD_NONE;
    j->reason = j->hold ? REASON_HELD_USER : REASON_NONE;
    j->request_id = xasprintf("r%u", j->id);
    if (j->kind == JOB_KIND_STEPS) {
        for (uint32_t n = 1 + below(w, 3); n; n--) {
            struct step *s = lab_step(j, "s", 1 + below(w, 3));
            s->keep_going = one_in(w, 3);
            s->nodes = below(w, 3);
            s->kill_on_bad_exit = one_in(w, 4);
        }
    } else if (one_in(w, 3)) {
        j->array_job = j->id;
        uint32_t first = below(w, 5), step = 1 + below(w, 3);
        *rec_list_push(&job_rare_mut(j)->array_pending) =
            (struct index_range){first, first + step * below(w, 4), step};
        *rec_list_push(&job_rare_mut(j)->array_pending) = (struct index_range){100, 100, 1};
    }
    happen(w, EV_SUBMIT, j->id, j);
    free(j);
}

static uint32_t pick_element(struct world *w, const struct job *j, uint32_t *ret_new_id)
{
    *ret_new_id = 0;
    if (!job_is_array_record(j) || !job_rare(j)->array_pending.n)
        return ARRAY_NONE;
    const struct index_range *r =
        &job_rare(j)->array_pending.v[below(w, (uint32_t)job_rare(j)->array_pending.n)];
    bool last = job_pending_elements(j) == 1;
    *ret_new_id = one_in(w, 15) ? below(w, 6) : last ? 0 : w->l.m.next_job;
    return r->first + r->step * below(w, (r->last - r->first) / r->step + 1) + one_in(w, 20);
}

static void do_start(struct world *w, const struct job *j)
{
    struct ev_start b = {.partition = xstrdup("main"), .time_limit_s = 60};
    b.array_index = pick_element(w, j, &b.new_id);
    for (uint32_t n = req_detail(&j->req)->exclusive || !one_in(w, 4) ? 1 : 2; n; n--) {
        struct alloc a = random_alloc(w);
        *rec_list_push(&b.alloc) = a;
    }
    happen(w, EV_START, j->id, &b);
}

static void do_split(struct world *w, const struct job *j)
{
    struct ev_split b = {0};
    b.array_index = pick_element(w, j, &b.new_id);
    happen(w, EV_SPLIT, j->id, &b);
}

static void do_step(struct world *w, const struct job *j)
{
    struct ev_step b = {.step = {.id = (int32_t)j->next_step - (int32_t)one_in(w, 10),
                                 .name = xstrdup("srun"),
                                 .kill_on_bad_exit = one_in(w, 3),
                                 .n_ranks = 1}};
    for (uint32_t n = 1 + below(w, 2); n; n--) {
        struct task *t = rec_list_push(&b.step.tasks);
        t->index = (uint32_t)b.step.tasks.n - 1;
    }
    happen(w, EV_STEP, j->id, &b);
}

/* A task in one of the two states; false where the job has none. */
static bool pick_task(struct world *w, const struct job *j, enum task_state one, enum task_state other,
                      const struct step **ret_step, const struct task **ret_task)
{
    uint32_t seen = 0;
    for (size_t i = 0; i < j->steps.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++) {
            const struct task *t = &j->steps.v[i].tasks.v[k];
            if ((t->state == one || t->state == other || one_in(w, 60)) && one_in(w, ++seen)) {
                *ret_step = &j->steps.v[i];
                *ret_task = t;
            }
        }
    return seen > 0;
}

static void do_place(struct world *w, const struct job *j)
{
    const struct step *s;
    const struct task *t;
    if (!pick_task(w, j, TASK_WAITING, TASK_WAITING, &s, &t))
        return;
    struct ev_place b = {.step = s->id,
                         .task = t->index + one_in(w, 40),
                         .alloc = random_alloc(w),
                         .partition = xstrdup("main"),
                         .time_limit_s = 60,
                         .n_ranks = below(w, 3)};
    size_t at = task_parts_of(s, t), nodes = task_parts_end(s, at) - at;
    for (nodes += one_in(w, 20); nodes > 1; nodes--)
        *(struct alloc *)rec_list_push(&b.more) = random_alloc(w);
    happen(w, EV_PLACE, j->id, &b);
}

static void do_running(struct world *w, const struct job *j)
{
    const struct step *s;
    const struct task *t;
    if (!pick_task(w, j, TASK_LAUNCHING, TASK_LAUNCHING, &s, &t))
        return;
    struct ev_running b = {
        .step = s->id, .task = t->index, .attempt = t->attempt + one_in(w, 20), .t = w->l.now, .pid = 7};
    happen(w, EV_RUNNING, j->id, &b);
}

static void do_unplace(struct world *w, const struct job *j)
{
    const struct step *s;
    const struct task *t;
    if (!pick_task(w, j, TASK_LAUNCHING, TASK_RUNNING, &s, &t))
        return;
    struct ev_unplace b = {.step = s->id, .task = t->index, .attempt = t->attempt};
    happen(w, EV_UNPLACE, j->id, &b);
}

static void do_end(struct world *w, const struct job *j)
{
    const struct step *s;
    const struct task *t;
    if (!pick_task(w, j, TASK_LAUNCHING, TASK_RUNNING, &s, &t))
        return;
    struct ev_end b = {.step = s->id,
                       .task = t->index,
                       .attempt = t->attempt - one_in(w, 20),
                       .end_kind = one_in(w, 2) ? END_EXITED : below(w, END_N_KINDS + 1),
                       .t_end = w->l.now,
                       .message = one_in(w, 5) ? xstrdup("no such file") : NULL};
    *rec_list_push(&b.ranks) =
        (struct rank_end){.code = one_in(w, 3) ? 1 : 0, .signal = one_in(w, 8) ? 9 : 0};
    happen(w, EV_END, j->id, &b);
}

static void do_kill(struct world *w, const struct job *j)
{
    struct ev_kill b = {.step = one_in(w, 3) && j->steps.n ? j->steps.v[below(w, (uint32_t)j->steps.n)].id
                                                           : STEP_ALL,
                        .cause = below(w, KILL_N_CAUSES + 1),
                        .uid = 1000,
                        .grace_s = 5,
                        .fate = one_in(w, 3) ? below(w, 4) : FATE_END};
    happen(w, EV_KILL, j->id, &b);
}

static void do_small(struct world *w, const struct job *j)
{
    struct ev_signal sig = {.step = STEP_ALL, .signal = 10};
    struct ev_hold hold = {.hold = below(w, 4)};
    struct ev_requeue requeue = {.hold = one_in(w, 2)};
    struct ev_complete complete = {.code = (int32_t)below(w, 2)};
    struct ev_update update = {.time_limit_s = one_in(w, 2) ? DURATION_NOT_SET : 120};
    struct ev_suspend suspend = {.on = j->state != JOB_SUSPENDED};
    struct ev_eligible eligible = {.dep_met = one_in(w, 2)};
    struct ev_none none = {0};
    switch (below(w, 8)) {
    case 0: happen(w, EV_SIGNAL, j->id, &sig); break;
    case 1: happen(w, EV_HOLD, j->id, &hold); break;
    case 2: happen(w, EV_REQUEUE, j->id, &requeue); break;
    case 3: happen(w, EV_COMPLETE, j->id, &complete); break;
    case 4:
        rec_copy(&job_req_rec, &update.req, &j->req);
        req_detail_mut(&update.req)->nice++;
        if (one_in(w, 3)) {
            free(update.req.dependency);
            update.req.dependency = one_in(w, 2) ? xasprintf("afterok:%u", below(w, 50) + 1) : NULL;
        }
        happen(w, EV_UPDATE, j->id, &update);
        break;
    case 5:
        if (one_in(w, 3))
            happen(w, EV_RETIRE, j->id, &none);
        break;
    case 6: happen(w, EV_SUSPEND, j->id, &suspend); break;
    case 7: happen(w, EV_ELIGIBLE, j->id, &eligible); break;
    }
}

static void do_cluster(struct world *w)
{
    char name[16];
    snprintf(name, sizeof name, "n%u", below(w, N_NODES + 1));
    struct ev_node node = {.node = xstrdup(name), .state = below(w, NODE_N_STATES + 1)};
    struct ev_drain drain = {
        .node = xstrdup(name), .drain = one_in(w, 2), .reason = xstrdup("fan"), .user = xstrdup("root")};
    struct ev_epoch epoch = {
        .uuid = xstrdup("c0ffee"), .epoch = w->l.m.epoch + below(w, 2), .next_job = below(w, 50)};
    struct cluster_spec spec;
    rec_copy(&cluster_spec_rec, &spec, &w->l.spec);
    if (one_in(w, 2)) { /* without its first node */
        rec_fini(&node_spec_rec, &spec.nodes.v[0]);
        memmove(spec.nodes.v, spec.nodes.v + 1, --spec.nodes.n * sizeof *spec.nodes.v);
    } else if (one_in(w, 4)) { /* one twice */
        free(spec.nodes.v[1].name);
        spec.nodes.v[1].name = xstrdup("n0");
    }
    if (one_in(w, 3)) {
        node.boot_id = xstrdup("boot");
        node.cpus = CPUS;
        node.mem_mib = MEM_MIB;
    }
    struct ev_window window = {.window = {.name = xasprintf("w%u", below(w, 4)),
                                          .nodes = strv_split(one_in(w, 2) ? "ALL" : name, ","),
                                          .start = w->l.now,
                                          .end = wall_add_s(w->l.now, below(w, 3))},
                               .remove = one_in(w, 3)};
    uint32_t what = below(w, 5);
    enum event_kind kinds[] = {EV_NODE, EV_DRAIN, EV_EPOCH, EV_CONFIG, EV_WINDOW};
    void *bodies[] = {&node, &drain, &epoch, &spec, &window};
    happen(w, kinds[what], 0, bodies[what]);
    for (uint32_t i = 0; i < 5; i++)
        if (i != what)
            rec_fini(event_body_rec(kinds[i]), bodies[i]);
}

static void do_save_usage(struct world *w)
{
    struct ev_usage b;
    usage_save(&w->l.m, w->l.now, &b);
    happen(w, EV_USAGE, 0, &b);
}

static void do_nonsense(struct world *w)
{
    enum event_kind kind = (enum event_kind)below(w, EV_JOB_ROW); /* rows are believed */
    const struct rec_desc *d = event_body_rec(kind);
    void *body = xcalloc(1, d->size);
    fill(w, d, body, 0);
    struct job *j = any_job(w);
    if (kind == EV_SUBMIT && one_in(w, 2)) {
        ((struct job *)body)->state = JOB_PENDING;
        ((struct job *)body)->id = w->l.m.next_job;
    }
    if (kind != EV_CONFIG) /* one that fits would leave us with another cluster */
        happen(w, kind, kind == EV_SUBMIT ? ((struct job *)body)->id : j ? j->id : 3, body);
    else
        rec_fini(d, body);
    free(body);
}

static void do_something(struct world *w)
{
    uint32_t dice = below(w, 100);
    const struct job *j = any_job(w);
    if (dice < 10 || !j)
        do_submit(w);
    else if (dice < 14 && one_in(w, 5))
        do_save_usage(w);
    else if (dice < 14)
        do_cluster(w);
    else if (dice < 18)
        do_nonsense(w);
    else if (dice < 21)
        do_split(w, j);
    else if (dice < 26)
        do_step(w, j);
    else if (dice < 31)
        do_kill(w, j);
    else if (dice < 39)
        do_small(w, j);
    else if (dice < 55 && j->kind != JOB_KIND_STEPS)
        do_start(w, j);
    else if (dice < 70)
        do_place(w, j);
    else if (dice < 81)
        do_running(w, j);
    else if (dice < 82)
        do_unplace(w, j);
    else
        do_end(w, j);
}

static void run(uint64_t seed, unsigned *done, unsigned *refused)
{
    struct world w = {.rand = seed, .log = VEC_INIT};
    lab_init(&w.l);
    model_init(&w.rows);
    w.row_texts = strpool_new();
    model_intern_texts(&w.rows, w.row_texts);
    for (unsigned i = 0; i < N_NODES; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%u", i);
        lab_node(&w.l, name, i % 2 ? 0 : CPUS, MEM_MIB, GPUS, NULL);
    }
    lab_part(&w.l, "main", "n[0-3]");
    w.l.spec.priority =
        (struct priority_spec){.billing_cpu = 1, .billing_gpu = 16, .decay_half_life_s = 60};
    struct cluster_spec spec;
    rec_copy(&cluster_spec_rec, &spec, &w.l.spec);
    happen(&w, EV_CONFIG, 0, &spec);
    unsigned snapshot_at = below(&w, LENGTH);
    for (unsigned i = 0; i < LENGTH; i++) {
        if (i == snapshot_at)
            take_snapshot(&w);
        do_something(&w);
    }
    struct model again, once_more;
    model_init(&again);
    model_init(&once_more);
    vec_for_each (&w.log, i) {
        if (fold_stored(&again, &w.log.v[i]) < 0 || fold_stored(&once_more, &w.log.v[i]) < 0)
            fail_msg("what was stored as %s does not fit any more", event_name(w.log.v[i].ev.kind));
        str_fini(&w.log.v[i].bytes);
    }
    must_equal(&w.l.m, &again, true, "restart");
    must_equal(&again, &once_more, true, "the second fold");
    model_fini(&again);
    model_fini(&once_more);
    model_fini(&w.mirror);
    assert_int_equal(strpool_count(w.texts), 0); /* each text that was taken has been let go */
    strpool_unref(w.texts);
    check_rows(&w);
    model_fini(&w.rows);
    assert_int_equal(strpool_count(w.row_texts), 0);
    strpool_unref(w.row_texts);
    vec_fini(&w.touched);
    vec_fini(&w.log);
    lab_fini(&w.l);
    for (size_t i = 0; i < EV_N_KINDS; i++) {
        done[i] += w.done[i];
        refused[i] += w.refused[i];
    }
}

/* Histories are worth something where each kind has happened, and has been refused at times. The kind that
 * was not; EV_N_KINDS: none. */
static size_t missing(const unsigned *done, const unsigned *refused)
{
    size_t i = 0;
    while (i < EV_N_KINDS && done[i] &&
           (refused[i] || i == EV_SIGNAL || i == EV_PREEMPT || i >= EV_JOB_ROW))
        i++;
    return i;
}

static void test_any_history(void **state)
{
    (void)state;
    uint64_t seed = check_seed();
    unsigned done[EV_N_KINDS] = {0}, refused[EV_N_KINDS] = {0};
    for (unsigned i = 0; i < RUNS || (i < RUNS * 20 && missing(done, refused) < EV_N_KINDS); i++)
        run(seed + i * 0x51ed2701u, done, refused);
    size_t none = missing(done, refused);
    if (none < EV_N_KINDS)
        fail_msg("%s was folded %u times and refused %u times", event_name((enum event_kind)none),
                 done[none], refused[none]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_history),
    };
    return cmocka_run_group_tests_name("model fold", tests, NULL, NULL);
}
