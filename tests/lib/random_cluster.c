/* random_cluster.c - random clusters and queues. */
#include "tests/lib/random_cluster.h"

#include "backend/sched/explain/explain.h"
#include "src/base/xalloc.h"
#include "src/model/window.h"
#include "src/values/units.h"

static uint64_t rnd;

void any_seed(uint64_t seed)
{
    rnd = seed;
}

uint32_t any_below(uint32_t n)
{
    return n ? (uint32_t)(check_rand(&rnd) % n) : 0;
}

bool any_one_in(uint32_t n)
{
    return any_below(n) == 0;
}

static void add_limits(struct lab *l)
{
    if (!any_one_in(2))
        return;
    struct limit_spec *s = rec_list_push(&l->spec.limits);
    *s = (struct limit_spec){.scope = LIMIT_USER, .name = xstrdup("*")};
    memset(&s->soft, 0xff, sizeof s->soft);
    s->hard = s->soft;
    if (any_one_in(2))
        s->soft.cpus = 1 + any_below(8);
    if (any_one_in(2))
        s->soft.gpus = 1 + any_below(4);
    if (any_one_in(2))
        s->hard.running_jobs = 1 + any_below(6);
}

void any_cluster(struct lab *l)
{
    static const char *const groups[] = {"left", "middle", "right"};
    char name[16];
    uint32_t n = 1 + any_below(6);
    bool grouped = any_one_in(2);
    lab_init(l);
    for (uint32_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "n%u", i);
        uint32_t gpus = any_below(5);
        struct node_spec *s = lab_node(l, name, 1 + any_below(16), 1000 + any_below(64) * 500, gpus,
                                       gpus && any_one_in(2) ? "a100" : NULL);
        s->weight = any_below(3);
        if (grouped && !any_one_in(4))
            s->group = xstrdup(groups[any_below(3)]);
        if (any_one_in(2))
            strv_push(&s->features, "fast");
    }
    for (uint32_t p = 0; p < 3; p++) {
        struct str nodes = STR_INIT;
        for (uint32_t i = 0; i < n; i++)
            if (any_one_in(2) || i == p % n)
                str_appendf(&nodes, "%sn%u", nodes.len ? "," : "", i);
        snprintf(name, sizeof name, "p%u", p);
        struct part_spec *part = lab_part(l, name, nodes.s);
        part->max_nodes = any_one_in(4) ? 2 : UINT32_MAX;
        part->max_time_s = any_one_in(4) ? 3600 : DURATION_UNLIMITED;
        part->state = any_one_in(8) ? any_below(4) : PART_UP;
        part->priority_tier = any_one_in(2) ? 1 : any_below(3);
        part->preempt_mode = any_one_in(2) ? PREEMPT_OFF : any_one_in(2) ? PREEMPT_REQUEUE : PREEMPT_CANCEL;
        part->grace_s = any_one_in(2) ? 0 : any_below(60);
        part->preempt_exempt_s = any_one_in(3) ? any_below(900) : 0;
        part->requeue_after_grace = any_one_in(2);
        part->exclusive_user = any_one_in(12);
        str_fini(&nodes);
    }
    *rec_list_push(&l->spec.licenses) = (struct license_spec){xstrdup("lic"), 1 + any_below(3)};
    *rec_list_push(&l->spec.qos) = (struct qos_spec){.name = xstrdup("low")};
    struct qos_spec *high = rec_list_push(&l->spec.qos);
    *high = (struct qos_spec){.name = xstrdup("high"), .grace_s = any_below(30), .priority = 10};
    if (any_one_in(2))
        strv_push(&high->preempt, "low");
    add_limits(l);
    l->spec.priority.weight_qos = any_one_in(2) ? 100 : 0;
    l->spec.priority.weight_age = any_one_in(2) ? 100 : 0;
    l->spec.priority.max_age_s = 100;
    l->spec.backfill = any_below(3);
    l->spec.reservations = 1 + any_below(4);
    l->spec.max_switch_wait_s = any_below(600);
    lab_configure(l);
}

uint32_t any_maybe(uint32_t n, uint32_t value)
{
    return any_one_in(n) ? value : NOT_GIVEN;
}

static void fill_request(struct job_req *r)
{
    static const char *const parts[] = {NULL, "p0", "p1", "p2", "p0,p1", "p2,p1,p0", "nowhere"};
    r->partition = xstrdup(parts[any_below(any_one_in(10) ? 7 : 6)]);
    r->nodes_min = any_maybe(3, 1 + any_below(3));
    r->nodes_max = r->nodes_min == NOT_GIVEN ? NOT_GIVEN : any_maybe(2, r->nodes_min + any_below(2));
    r->ntasks = any_maybe(2, 1 + any_below(8));
    req_detail_mut(r)->ntasks_per_node = any_maybe(5, 1 + any_below(3));
    r->cpus_per_task = any_maybe(2, any_below(5));
    r->gpus = any_maybe(4, any_below(5));
    r->gpus_per_node = any_maybe(6, any_below(3));
    req_detail_mut(r)->gpus_per_task = any_maybe(6, 1 + any_below(2));
    req_detail_mut(r)->gpu_type = any_one_in(8) ? xstrdup("a100") : NULL;
    r->mem_node_mib = any_one_in(4) ? any_below(20) * 500 : MEM_NOT_GIVEN;
    req_detail_mut(r)->mem_cpu_mib = any_one_in(5) ? any_below(1000) : MEM_NOT_GIVEN;
    req_detail_mut(r)->mem_gpu_mib = any_one_in(8) ? any_below(2000) : MEM_NOT_GIVEN;
    req_detail_mut(r)->exclusive = any_one_in(10);
    req_detail_mut(r)->exclusive_user = !req_detail(r)->exclusive && any_one_in(10);
    req_detail_mut(r)->overcommit = any_one_in(15);
    if (any_one_in(4)) {
        req_rare_mut(r)->switches = 1 + any_below(2);
        req_rare_mut(r)->switch_wait_s = any_one_in(2) ? 0 : any_below(400);
    }
    req_rare_mut(r)->nodelist = any_one_in(12) ? xstrdup("n0") : NULL;
    req_rare_mut(r)->exclude = any_one_in(12) ? xstrdup("n1") : NULL;
    req_detail_mut(r)->features = any_one_in(10) ? xstrdup("fast") : NULL;
    r->time_limit_s = any_one_in(3) ? 1 + any_below(7200) : DURATION_NOT_SET;
    req_detail_mut(r)->time_min_s = any_one_in(5) ? 1 + any_below(600) : DURATION_NOT_SET;
    req_detail_mut(r)->qos = any_one_in(3) ? xstrdup(any_one_in(2) ? "low" : "high") : NULL;
    req_detail_mut(r)->licenses = any_one_in(10) ? xstrdup(any_one_in(3) ? "lic:2" : "lic") : NULL;
    req_rare_mut(r)->reservation = any_one_in(10) ? xasprintf("w%u", any_below(3)) : NULL;
    req_detail_mut(r)->nice = any_one_in(10) ? (int32_t)any_below(5) : 0;
}

/* On something that came in before, whatever became of it. */
static char *any_dependency(const struct lab *l)
{
    static const char *const types[] = {"after", "afterany", "afterok", "afternotok", "aftercorr"};
    if (any_one_in(4))
        return xstrdup("singleton");
    return xasprintf("%s:%u", types[any_below(5)], 1 + any_below(l->m.next_job));
}

void any_submit(struct lab *l, struct planner *p)
{
    struct job *j = lab_job(l, any_one_in(4) ? JOB_KIND_STEPS : JOB_KIND_BATCH);
    fill_request(&j->req);
    if (j->kind == JOB_KIND_STEPS) {
        struct step *s = lab_step(j, "s", 1 + any_below(5));
        s->n_ranks = 1 + any_below(4);
        s->nodes = s->n_ranks == 3 ? 2 : 1;
        s->cpus_per_rank = any_maybe(2, any_below(4));
        s->gpus = any_maybe(2, any_below(3));
        s->mem_mib = any_one_in(3) ? any_below(4000) : MEM_NOT_GIVEN;
    } else if (any_one_in(4)) {
        *rec_list_push(&job_rare_mut(j)->array_pending) = (struct index_range){0, any_below(8), 1};
        j->req.array_throttle = any_one_in(2) ? 1 + any_below(3) : 0;
    }
    if (any_one_in(10)) {
        j->hold = HOLD_USER;
        j->reason = REASON_HELD_USER;
    }
    if (any_one_in(10))
        req_detail_mut(&j->req)->begin = wall_add_s(l->now, any_below(100));
    if (any_one_in(10))
        req_rare_mut(&j->req)->deadline = wall_add_s(l->now, 10 + any_below(1000));
    if (any_one_in(6))
        j->req.dependency = any_dependency(l);
    free(j->user);
    free(j->req.name);
    j->uid = any_one_in(2) ? 1001 : 1002;
    j->user = xstrdup(j->uid == 1001 ? "ann" : "bob");
    j->req.name = xstrdup(any_one_in(2) ? "work" : "play");
    planner_note_job(p, lab_submit(l, j));
}

void any_end(struct lab *l, struct planner *p)
{
    struct job *j = NULL;
    uint32_t seen = 0;
    list_for_each (a, &l->m.active, struct job, in_queue)
        if (any_one_in(++seen))
            j = a;
    if (!j)
        return;
    planner_note_job(p, j->id);
    for (size_t i = 0; i < j->steps.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++) {
            const struct task *t = &j->steps.v[i].tasks.v[k];
            if (t->state == TASK_LAUNCHING || t->state == TASK_RUNNING) {
                enum end_kind end = any_one_in(15) ? END_NODE_REBOOT : END_EXITED;
                assert_int_equal(lab_end_part(l, j->id, j->steps.v[i].id, t, end, (int32_t)any_one_in(8)),
                                 0);
                return;
            }
        }
}

void any_node_change(struct lab *l, struct planner *p)
{
    char name[8];
    snprintf(name, sizeof name, "n%u", any_below((uint32_t)l->m.n_nodes));
    struct ev_node node = {.node = xstrdup(name),
                           .state = any_one_in(2) ? NODE_UP : any_below(NODE_N_STATES)};
    struct ev_drain drain = {.node = xstrdup(name), .drain = any_one_in(2), .reason = xstrdup("fan")};
    bool which = any_one_in(2);
    lab_must(l, which ? EV_NODE : EV_DRAIN, 0, which ? (void *)&node : (void *)&drain);
    planner_note_nodes(p);
    list_for_each (j, &l->m.active, struct job, in_queue) /* a node that is lost may take jobs along */
        planner_note_job(p, j->id);
    rec_fini(which ? &ev_drain_rec : &ev_node_rec, which ? (void *)&drain : (void *)&node);
}

static void fill_window(const struct lab *l, struct window *w)
{
    char node[8];
    w->kind = any_one_in(2) ? WINDOW_MAINTENANCE : WINDOW_RESERVATION;
    w->start = any_one_in(2) ? l->now : wall_add_s(l->now, any_below(200));
    w->end = wall_add_s(w->start, 1 + any_below(300));
    for (uint32_t n = 1 + any_below(2); n; n--) {
        snprintf(node, sizeof node, "n%u", any_below((uint32_t)l->m.n_nodes));
        if (!strv_has(&w->nodes, node))
            strv_push(&w->nodes, node);
    }
    if (any_one_in(10)) {
        strv_fini(&w->nodes);
        strv_push(&w->nodes, WINDOW_ALL_NODES);
    }
    strv_push(&w->users, any_one_in(2) ? "ann" : "bob");
}

void any_window(struct lab *l, struct planner *p)
{
    struct ev_window e = {.window.name = xasprintf("w%u", any_below(3)), .remove = any_one_in(3)};
    if (!e.remove)
        fill_window(l, &e.window);
    if (!e.remove || model_get_window(&l->m, e.window.name)) {
        lab_must(l, EV_WINDOW, 0, &e);
        planner_note_windows(p);
    }
    rec_fini(&ev_window_rec, &e);
}

static struct job *any_of(const struct list *head)
{
    struct job *found = NULL;
    uint32_t seen = 0;
    list_for_each (j, head, struct job, in_queue)
        if (any_one_in(++seen))
            found = j;
    return found;
}

void any_cancel(struct lab *l, struct planner *p)
{
    struct job *j = any_of(any_one_in(2) ? &l->m.pending : &l->m.active);
    if (j &&
        lab_kill(l, j->id, STEP_ALL, KILL_CANCEL, FATE_END) == 0) /* it may be on its way out already */
        planner_note_job(p, j->id);
}

void any_hold(struct lab *l, struct planner *p)
{
    struct job *j = any_of(&l->m.pending);
    if (!j)
        return;
    planner_note_job(p, j->id);
    assert_int_equal(lab_hold(l, j->id, j->hold == HOLD_NONE ? HOLD_USER : HOLD_NONE), 0);
}

static void change(struct job_req *r)
{
    switch (any_below(6)) {
    case 0:
        req_detail_mut(r)->has_priority = any_one_in(2);
        req_detail_mut(r)->priority = any_below(1000);
        break;
    case 1: r->time_limit_s = any_one_in(3) ? DURATION_NOT_SET : 1 + any_below(7200); break;
    case 2:
        free(r->partition);
        r->partition = xstrdup(any_one_in(2) ? "p0" : "p1,p2");
        break;
    case 3: r->cpus_per_task = any_maybe(2, any_below(5)); break;
    case 4: r->array_throttle = any_below(4); break;
    case 5: req_detail_mut(r)->nice = (int32_t)any_below(5); break;
    }
}

void any_update(struct lab *l, struct planner *p)
{
    struct job *j = any_of(any_one_in(2) ? &l->m.pending : &l->m.active);
    struct ev_update e = {.time_limit_s = DURATION_NOT_SET};
    /* One that has just started is known by the length that it was started with. */
    if (!j || (j->state != JOB_PENDING && !idmap_get(&planner_queue(p)->active.by_job, j->id)))
        return;
    rec_copy(&job_req_rec, &e.req, &j->req);
    if (j->state == JOB_PENDING)
        change(&e.req);
    else
        e.time_limit_s = any_one_in(4) ? DURATION_UNLIMITED : 1 + any_below(4000);
    planner_note_job(p, j->id);
    lab_must(l, EV_UPDATE, j->id, &e);
    rec_fini(&job_req_rec, &e.req);
}
