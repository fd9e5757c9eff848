/* lab.c - a cluster made of events. */
#include "tests/lib/lab.h"

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/values/hostlist.h"
#include "src/values/units.h"

#define T0_MS 1700000000000LL

void lab_init(struct lab *l)
{
    *l = (struct lab){.now = {.ms = T0_MS}};
    model_init(&l->m);
    l->spec.name = xstrdup("lab");
}

void lab_fini(struct lab *l)
{
    model_fini(&l->m);
    rec_fini(&cluster_spec_rec, &l->spec);
}

struct node_spec *lab_node(struct lab *l, const char *name, uint32_t cpus, uint64_t mem_mib, uint32_t gpus,
                           const char *gpu_type)
{
    struct node_spec *n = rec_list_push(&l->spec.nodes);
    *n = (struct node_spec){.name = xstrdup(name),
                            .cpus = cpus,
                            .mem_mib = mem_mib,
                            .gpus = gpus,
                            .gpu_type = xstrdup(gpu_type),
                            .weight = 1};
    return n;
}

struct part_spec *lab_part(struct lab *l, const char *name, const char *nodes)
{
    struct strv names = {0};
    struct errtext err = {""};
    if (hostlist_expand(nodes, &names, &err) < 0)
        fail_msg("%s", err.s);
    struct part_spec *p = rec_list_push(&l->spec.parts);
    *p = (struct part_spec){.name = xstrdup(name),
                            .nodes = names,
                            .is_default = l->spec.parts.n == 1,
                            .max_time_s = DURATION_UNLIMITED,
                            .default_time_s = DURATION_NOT_SET,
                            .max_nodes = UINT32_MAX,
                            .requeue_after_grace = true};
    return p;
}

void lab_configure(struct lab *l)
{
    struct cluster_spec spec;
    rec_copy(&cluster_spec_rec, &spec, &l->spec);
    lab_must(l, EV_CONFIG, 0, &spec);
    for (size_t i = 0; i < l->spec.nodes.n; i++) {
        struct ev_node up = {.node = xstrdup(l->spec.nodes.v[i].name), .state = NODE_UP};
        lab_must(l, EV_NODE, 0, &up);
    }
}

/* Applies and checks the state; does not look at what a refusal has changed. */
static int lab_apply_checked(struct lab *l, enum event_kind kind, uint32_t job, void *body)
{
    struct errtext err = {""};
    uint64_t rejected = l->m.n_rejected;
    l->now.ms += MS_PER_S;
    struct event ev = {.seq = l->m.seq + 1, .t = l->now, .kind = kind, .job = job, .body = body};
    int r = model_apply(&l->m, &ev);
    rec_fini(event_body_rec(kind), body);
    if (model_check(&l->m, &err) < 0)
        fail_msg("%s of job %u (%d) broke the state: %s", event_name(kind), job, r, err.s);
    if (l->m.n_rejected != rejected + (r < 0))
        fail_msg("%s of job %u (%d) was counted wrongly", event_name(kind), job, r);
    return r;
}

int lab_apply(struct lab *l, enum event_kind kind, uint32_t job, void *body)
{
    struct lab_copy *before = lab_copy_new(&l->m);
    int r = lab_apply_checked(l, kind, job, body);
    if (r < 0) {
        struct lab_copy *after = lab_copy_new(&l->m);
        const char *what = lab_differs(before, after, true);
        if (what)
            fail_msg("%s of job %u was refused (%d) and changed %s", event_name(kind), job, r, what);
        lab_copy_free(after);
    }
    lab_copy_free(before);
    return r;
}

void lab_must(struct lab *l, enum event_kind kind, uint32_t job, void *body)
{
    int r = lab_apply_checked(l, kind, job, body); /* no copy of a large state for a refusal that fails */
    if (r < 0)
        fail_msg("%s of job %u was refused: %d", event_name(kind), job, r);
}

struct job *lab_job(const struct lab *l, enum job_kind kind)
{
    struct job *j = job_new();
    j->kind = (uint8_t)kind;
    j->req.name = xstrdup("work");
    j->req.workdir = xstrdup("/home/alice");
    j->uid = 1000;
    j->user = xstrdup("alice");
    j->t_submit = j->t_eligible = l->now;
    return j;
}

uint32_t lab_submit(struct lab *l, struct job *j)
{
    uint32_t id = j->id = l->m.next_job;
    if (job_rare(j)->array_pending.n)
        j->array_job = id;
    if (!j->partition)
        j->partition = xstrdup(j->req.partition);
    lab_must(l, EV_SUBMIT, id, j);
    free(j);
    return id;
}

uint32_t lab_submit_kind(struct lab *l, enum job_kind kind)
{
    return lab_submit(l, lab_job(l, kind));
}

struct step *lab_step(struct job *j, const char *name, uint32_t tasks)
{
    int32_t id = (int32_t)j->steps.n;
    struct step *s = rec_list_push(&j->steps);
    *s = (struct step){.id = id,
                       .name = xstrdup(name),
                       .n_tasks = tasks,
                       .n_ranks = 1,
                       .cpus_per_rank = NOT_GIVEN,
                       .mem_mib = MEM_NOT_GIVEN,
                       .gpus = NOT_GIVEN,
                       .time_limit_s = DURATION_NOT_SET};
    return s;
}

struct alloc lab_alloc(const char *node, unsigned first_cpu, unsigned cpus, unsigned first_gpu,
                       unsigned gpus, uint64_t mem_mib)
{
    struct alloc a = {.node = xstrdup(node), .mem_mib = mem_mib};
    cpuset_add_range(&a.cpus, first_cpu, cpus);
    cpuset_add_range(&a.gpus, first_gpu, gpus);
    return a;
}

int lab_start(struct lab *l, uint32_t job, uint32_t index, uint32_t new_id, struct alloc a)
{
    struct ev_start body = {
        .array_index = index, .new_id = new_id, .partition = xstrdup("main"), .time_limit_s = 3600};
    *rec_list_push(&body.alloc) = a;
    return lab_apply(l, EV_START, job, &body);
}

int lab_place(struct lab *l, uint32_t job, int32_t step, uint32_t task, struct alloc a)
{
    struct ev_place body = {
        .step = step, .task = task, .alloc = a, .partition = xstrdup("main"), .time_limit_s = 3600};
    return lab_apply(l, EV_PLACE, job, &body);
}

/* The attempt that a task is at; 0 where there is none. */
static uint32_t attempt_of(const struct lab *l, uint32_t job, int32_t step, uint32_t task)
{
    const struct job *j = model_get_job(&l->m, job);
    const struct step *s = j ? job_find_step(j, step) : NULL;
    const struct task *t = s ? step_find_task(s, task) : NULL;
    return t ? t->attempt : 0;
}

int lab_running(struct lab *l, uint32_t job, int32_t step, uint32_t task)
{
    struct ev_running body = {
        .step = step, .task = task, .attempt = attempt_of(l, job, step, task), .t = l->now, .pid = 4242};
    return lab_apply(l, EV_RUNNING, job, &body);
}

int lab_end_part(struct lab *l, uint32_t job, int32_t step, const struct task *t, enum end_kind kind,
                 int32_t code)
{
    struct ev_end body = {
        .step = step, .task = t->index, .attempt = t->attempt, .end_kind = kind, .t_end = l->now};
    *rec_list_push(&body.ranks) = (struct rank_end){.code = code};
    return lab_apply(l, EV_END, job, &body);
}

int lab_end(struct lab *l, uint32_t job, int32_t step, uint32_t task, enum end_kind kind, int32_t code,
            int32_t sig)
{
    struct ev_end body = {.step = step,
                          .task = task,
                          .attempt = attempt_of(l, job, step, task),
                          .end_kind = kind,
                          .t_end = l->now};
    *rec_list_push(&body.ranks) = (struct rank_end){.code = code, .signal = sig};
    return lab_apply(l, EV_END, job, &body);
}

int lab_kill(struct lab *l, uint32_t job, int32_t step, enum kill_cause cause, enum job_fate fate)
{
    struct ev_kill body = {.step = step, .cause = cause, .uid = 1000, .grace_s = 30, .fate = fate};
    return lab_apply(l, EV_KILL, job, &body);
}

int lab_hold(struct lab *l, uint32_t job, enum job_hold hold)
{
    struct ev_hold body = {.hold = hold, .uid = 1000};
    return lab_apply(l, EV_HOLD, job, &body);
}

int lab_requeue(struct lab *l, uint32_t job, bool hold)
{
    struct ev_requeue body = {.hold = hold, .uid = 1000};
    return lab_apply(l, EV_REQUEUE, job, &body);
}

struct job *lab_get(const struct lab *l, uint32_t job)
{
    struct job *j = model_get_job(&l->m, job);
    if (!j)
        fail_msg("there is no job %u", job);
    return j;
}

struct task *lab_task(const struct lab *l, uint32_t job, int32_t step, uint32_t task)
{
    const struct step *s = job_find_step(lab_get(l, job), step);
    struct task *t = s ? step_find_task(s, task) : NULL;
    if (!t)
        fail_msg("job %u has no task %d.%u", job, step, task);
    return t;
}

const char *lab_ids(const struct list *head)
{
    static char text[4096];
    size_t n = 0;
    text[0] = '\0';
    list_for_each (j, head, struct job, in_queue)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%u", n ? " " : "", j->id);
    return text;
}

/* --- copies --- */

struct lab_copy {
    char *uuid;
    uint64_t epoch;
    uint32_t next_job;
    struct cluster_spec spec;
    VEC(struct node) nodes;
    VEC(struct job) jobs;
    VEC(struct window) windows;
    VEC(uint32_t) pending, active, ended;
    struct ev_usage usage;
};

struct lab_copy *lab_copy_new(const struct model *m)
{
    struct lab_copy *c = xcalloc(1, sizeof *c);
    c->uuid = xstrdup(m->uuid);
    c->epoch = m->epoch;
    c->next_job = m->next_job;
    rec_copy(&cluster_spec_rec, &c->spec, &m->spec);
    for (size_t i = 0; i < m->n_nodes; i++) {
        struct node n;
        rec_copy(&node_rec, &n, m->nodes[i]);
        vec_push(&c->nodes, n);
    }
    for (size_t i = 0; i < m->windows.n; i++) {
        struct window w;
        rec_copy(&window_rec, &w, &m->windows.v[i]);
        vec_push(&c->windows, w);
    }
    list_for_each (j, &m->all, struct job, in_all) {
        struct job copy = {0};
        rec_copy(&job_rec, &copy, j);
        vec_push(&c->jobs, copy);
    }
    list_for_each (j, &m->pending, struct job, in_queue)
        vec_push(&c->pending, j->id);
    list_for_each (j, &m->active, struct job, in_queue)
        vec_push(&c->active, j->id);
    list_for_each (j, &m->ended, struct job, in_queue)
        vec_push(&c->ended, j->id);
    for (size_t i = 0; i < m->usage.n; i++)
        rec_copy(&usage_row_rec, rec_list_push(&c->usage.rows), &m->usage.rows[i]);
    return c;
}

void lab_copy_free(struct lab_copy *c)
{
    free(c->uuid);
    rec_fini(&cluster_spec_rec, &c->spec);
    vec_for_each (&c->nodes, i)
        rec_fini(&node_rec, &c->nodes.v[i]);
    vec_for_each (&c->jobs, i)
        rec_fini(&job_rec, &c->jobs.v[i]);
    vec_for_each (&c->windows, i)
        rec_fini(&window_rec, &c->windows.v[i]);
    vec_fini(&c->windows);
    vec_fini(&c->nodes);
    vec_fini(&c->jobs);
    vec_fini(&c->pending);
    vec_fini(&c->active);
    vec_fini(&c->ended);
    rec_fini(&ev_usage_rec, &c->usage);
    free(c);
}

/* The node to compare with a's node i. Rows tell of nodes that are gone in no order, so without lists a
 * node that is gone may stand elsewhere. */
static const struct node *lab_copy_node(const struct lab_copy *a, size_t i, const struct lab_copy *b,
                                        bool lists)
{
    const struct node *n = &a->nodes.v[i];
    for (size_t k = 0; !lists && n->gone && k < b->nodes.n; k++)
        if (b->nodes.v[k].gone && str_eq(b->nodes.v[k].spec.name, n->spec.name))
            return &b->nodes.v[k];
    return &b->nodes.v[i];
}

#define SAME_IDS(x, y) ((x).n == (y).n && (!(x).n || !memcmp((x).v, (y).v, (x).n * sizeof *(x).v)))

const char *lab_differs(const struct lab_copy *a, const struct lab_copy *b, bool lists)
{
    static char text[64];
    if (!str_eq(a->uuid, b->uuid) || a->epoch != b->epoch || a->next_job != b->next_job)
        return "uuid, epoch or next_job";
    if (!rec_eq(&cluster_spec_rec, &a->spec, &b->spec))
        return "the configuration";
    if (a->nodes.n != b->nodes.n)
        return "the number of nodes";
    if (a->jobs.n != b->jobs.n)
        return "the number of jobs";
    vec_for_each (&a->nodes, i)
        if (!rec_eq(&node_rec, &a->nodes.v[i], lab_copy_node(a, i, b, lists))) {
            snprintf(text, sizeof text, "node %s", a->nodes.v[i].spec.name);
            return text;
        }
    vec_for_each (&a->jobs, i)
        if (!rec_eq(&job_rec, &a->jobs.v[i], &b->jobs.v[i])) {
            snprintf(text, sizeof text, "job %u", a->jobs.v[i].id);
            return text;
        }
    if (a->windows.n != b->windows.n)
        return "the number of windows";
    vec_for_each (&a->windows, i)
        if (!rec_eq(&window_rec, &a->windows.v[i], &b->windows.v[i]))
            return "a window";
    if (!SAME_IDS(a->pending, b->pending))
        return "the order of the pending jobs";
    if (a->active.n != b->active.n || a->ended.n != b->ended.n)
        return "the lengths of the lists";
    if (lists && (!SAME_IDS(a->active, b->active) || !SAME_IDS(a->ended, b->ended)))
        return "the order of the active or the ended jobs";
    if (lists && !rec_eq(&ev_usage_rec, &a->usage, &b->usage))
        return "the usage";
    return NULL;
}
