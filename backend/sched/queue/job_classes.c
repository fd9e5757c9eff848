/* job_classes.c - what waiting jobs ask for, each demand once: eligible nodes, request shapes, job classes.
 */
#include <stdlib.h>

#include "backend/sched/limits/limits.h"
#include "backend/sched/queue/queue.h"
#include "src/base/siphash.h"

/* --- keys: equal bytes for equal requests --- */

static void job_classes_key_text(struct str *k, const char *s)
{
    str_append(k, s ? s : "");
    str_append_n(k, "", 1); /* its end */
}

static void job_classes_key_number(struct str *k, uint64_t n)
{
    str_append_n(k, (const char *)&n, sizeof n);
}

static void job_classes_key_need(struct str *k, const struct job_need *n)
{
    const uint64_t numbers[] = {n->nodes,
                                n->nodes_max,
                                n->tasks,
                                n->cpus_per_task,
                                n->tasks_per_node,
                                n->gpus_per_node,
                                n->gpus,
                                n->whole_nodes,
                                n->gpus_per_task,
                                n->gpus_anywhere | (uint64_t)n->most_nodes << 1,
                                n->mem_per_cpu_mib,
                                n->mem_per_gpu_mib,
                                n->mem_per_node_mib};
    str_append_n(k, (const char *)numbers, sizeof numbers);
}

static bool job_classes_same_key(const char *key, size_t len, const struct str *k)
{
    return len == k->len && memcmp(key, k->s, len) == 0;
}

/* --- sets --- */

uint32_t queue_find_node(const struct queue *q, const char *name)
{
    uintptr_t at = (uintptr_t)idmap_get(&q->nodes.node_at, hash_bytes(name, strlen(name)));
    if (!at || at > q->view->model->n_nodes || !str_eq(q->view->model->nodes[at - 1]->spec.name, name))
        return UINT32_MAX;
    return (uint32_t)(at - 1);
}

/* What a request says about nodes besides its partition. */
struct nodes_asked {
    const struct job_req *req;
    const char *gpu_type;
    const struct window *reservation; /* that it asks for; NULL: none */
    uint32_t uid;
    bool one_task;
    uint32_t nodes_max;
};

static void job_classes_keep_listed(const struct queue *q, struct nodeset *s, const struct strv *names,
                                    bool all, bool only)
{
    struct nodeset listed;
    nodeset_init(&listed, q->pool.n_nodes);
    bool missing = false;
    for (size_t i = 0; i < names->n; i++) {
        uint32_t at = queue_find_node(q, names->v[i]);
        if (at != UINT32_MAX && nodeset_has(s, at)) {
            nodeset_add(&listed, at);
            nodeset_add_listed(&listed, at);
        } else {
            missing = true;
        }
    }
    for (uint32_t i = 0; i < s->words; i++)
        s->bits[i] = all && missing ? 0 : only ? listed.bits[i] : s->bits[i];
    nodeset_count(s);
    if (all && !missing) {
        s->listed = listed.listed;
        s->n_listed = listed.n_listed;
        listed.listed = NULL;
    }
    nodeset_fini(&listed);
}

/* all: with nodes that do not start jobs of this user for now. */
static void job_classes_eligible_nodes_fill(const struct queue *q, uint32_t part,
                                            const struct nodes_asked *a, bool all, struct nodeset *s)
{
    struct node_rules r;
    node_rules_init(&r, a->req, a->gpu_type, a->reservation);
    nodeset_init(s, q->pool.n_nodes);
    for (uint32_t i = 0; i < q->pool.n_nodes; i++)
        if (nodeset_has(&q->nodes.part_nodes[part], i) && node_rules_meet(&r, q->view->model->nodes[i]) &&
            (all || !node_avoids(q->view->model->nodes[i], a->uid)))
            nodeset_add(s, i);
    if (r.only.n)
        job_classes_keep_listed(q, s, &r.only, !a->one_task, a->one_task || r.only.n >= a->nodes_max);
    node_rules_fini(&r);
}

/* The names of such nodes. Usually there are none. */
static bool job_classes_key_avoids(const struct queue *q, const struct nodes_asked *a, struct str *k)
{
    bool any = false;
    for (size_t i = 0; q->nodes.n_avoids && i < q->view->model->n_nodes; i++) {
        const struct node *n = q->view->model->nodes[i];
        if (!n->avoids.n || !node_avoids(n, a->uid))
            continue;
        job_classes_key_text(k, n->spec.name);
        any = true;
    }
    return any;
}

static struct eligible_nodes *job_classes_eligible_nodes_intern(struct queue *q, uint32_t part,
                                                                const struct nodes_asked *r)
{
    struct str k = STR_INIT;
    job_classes_key_number(&k, part);
    job_classes_key_text(&k, req_detail(r->req)->features);
    job_classes_key_text(&k, req_rare(r->req)->nodelist);
    job_classes_key_text(&k, req_rare(r->req)->exclude);
    job_classes_key_number(&k, req_rare(r->req)->min_tmp_mib);
    job_classes_key_text(&k, r->gpu_type);
    job_classes_key_text(&k, r->reservation ? r->reservation->name : NULL);
    for (size_t i = 0; r->reservation && i < r->reservation->nodes.n; i++)
        job_classes_key_text(&k, r->reservation->nodes.v[i]);
    job_classes_key_number(&k, req_rare(r->req)->nodelist ? (uint64_t)r->nodes_max << 1 | r->one_task : 0);
    bool avoids = job_classes_key_avoids(q, r, &k);
    uint64_t hash = hash_text(k.s, k.len);
    struct eligible_nodes *first = idmap_get(&q->classes.sets, hash), *s = first;
    while (s && !job_classes_same_key(s->key, s->key_len, &k))
        s = s->next;
    if (!s) {
        s = xcalloc(1, sizeof *s);
        *s = (struct eligible_nodes){.next = first, .hash = hash, .key_len = k.len, .part = part};
        s->key = str_take(&k);
        job_classes_eligible_nodes_fill(q, part, r, false, &s->nodes);
        s->avoids = avoids;
        if (avoids)
            job_classes_eligible_nodes_fill(q, part, r, true, &s->all);
        idmap_set(&q->classes.sets, hash, s);
    }
    str_fini(&k);
    s->refs++;
    return s;
}

#define UNCHAIN(map, item)                                              \
    do {                                                                \
        __typeof__(item) it_ = (item), at_ = idmap_get(map, it_->hash); \
        if (at_ == it_ && it_->next)                                    \
            idmap_set(map, it_->hash, it_->next);                       \
        else if (at_ == it_)                                            \
            idmap_remove(map, it_->hash);                               \
        while (at_ != it_ && at_->next != it_)                          \
            at_ = at_->next;                                            \
        if (at_ != it_)                                                 \
            at_->next = it_->next;                                      \
    } while (0)

static void job_classes_eligible_nodes_drop(struct queue *q, struct eligible_nodes *s)
{
    if (--s->refs)
        return;
    UNCHAIN(&q->classes.sets, s);
    nodeset_fini(&s->nodes);
    if (s->avoids)
        nodeset_fini(&s->all);
    free(s->key);
    free(s);
}

/* --- shapes --- */

/* The partitions that j asks for, or the one that it runs in already. */
static struct strv job_classes_partitions_of(const struct queue *q, const struct job *j)
{
    if (j->state == JOB_PENDING)
        return eligible_partitions(q->view->model, j);
    struct strv names = {0};
    if (j->partition)
        strv_push(&names, j->partition);
    return names;
}

static int64_t job_classes_length_ms(uint32_t s)
{
    return s == DURATION_UNLIMITED || s == DURATION_NOT_SET ? WHEN_NEVER : (int64_t)s * MS_PER_S;
}

int64_t queue_job_length(const struct queue *q, const struct job *j)
{
    const struct pending_entry *u = idmap_get(&q->entries.by_job, j->id);
    if (u && u->class)
        return u->class->choices[0].len;
    struct strv names = job_classes_partitions_of(q, j);
    const struct part_spec *part = names.n ? model_get_part(q->view->model, names.v[0]) : NULL;
    int64_t len = part ? job_classes_length_ms(deadline_limit_s(j, part)) : WHEN_NEVER;
    strv_fini(&names);
    return len;
}

struct request_shape *request_shape_in(struct queue *q, const struct job *j, const struct step *s,
                                       uint32_t part_at)
{
    const struct part_spec *part = &q->view->model->spec.parts.v[part_at];
    struct demand d;
    demand_of_job(j, s, part, &d);
    queue_bind_groups(q, j, &d);
    const char *gpu_type = s && s->gpu_type ? s->gpu_type : req_detail(&j->req)->gpu_type;
    struct nodes_asked r = {.req = &j->req,
                            .gpu_type = d.need.gpus ? gpu_type : NULL,
                            .uid = j->uid,
                            .one_task = d.one_task,
                            .nodes_max = d.nodes_max};
    if (!str_is_empty(req_rare(&j->req)->reservation))
        r.reservation = model_get_window(q->view->model, req_rare(&j->req)->reservation);
    struct eligible_nodes *set = job_classes_eligible_nodes_intern(q, part_at, &r);
    int64_t len = job_classes_length_ms(deadline_limit_s(j, part)),
            len_min = job_classes_length_ms(deadline_least_s(j, part));
    if (j->state != JOB_PENDING) /* a task of a job that has begun runs until the job ends */
        len = len_min = job_classes_length_ms(j->time_limit_s);
    struct str k = STR_INIT;
    job_classes_key_need(&k, &d.need);
    job_classes_key_number(&k, d.nodes_max | (uint64_t)d.overcommit << 32 | (uint64_t)d.tasks_given << 33 |
                                   (uint64_t)d.one_task << 34 | (uint64_t)d.groups_max << 35);
    job_classes_key_number(&k, (uint64_t)d.groups_until);
    job_classes_key_number(&k, (uint64_t)len);
    job_classes_key_number(&k, (uint64_t)len_min);
    /* These last: REQUEST_KEY_OF_QUEUE. */
    job_classes_key_number(&k, q->by_user || d.who.alone ? d.who.user | (uint64_t)d.who.alone << 32 : 0);
    job_classes_key_number(&k, (uint64_t)(uintptr_t)set);
    uint64_t hash = hash_text(k.s, k.len);
    struct request_shape *first = idmap_get(&q->classes.shapes, hash), *sh = first;
    while (sh && !job_classes_same_key(sh->key, sh->key_len, &k))
        sh = sh->next;
    if (!sh) {
        sh = xcalloc(1, sizeof *sh);
        *sh = (struct request_shape){.next = first,
                                     .hash = hash,
                                     .key_len = k.len,
                                     .demand = d,
                                     .set = set,
                                     .len = len,
                                     .len_min = len_min};
        sh->key = str_take(&k);
        idmap_set(&q->classes.shapes, hash, sh);
    } else {
        set->refs--; /* the shape has its own */
    }
    str_fini(&k);
    sh->refs++;
    return sh;
}

void request_shape_drop(struct queue *q, struct request_shape *s)
{
    if (--s->refs)
        return;
    UNCHAIN(&q->classes.shapes, s);
    job_classes_eligible_nodes_drop(q, s->set);
    vec_fini(&s->futile_searches);
    free(s->key);
    free(s);
}

bool request_could_run(struct queue *q, const struct job *j, const struct step *s, uint32_t part)
{
    struct request_shape *sh = request_shape_in(q, j, s, part);
    bool yes = request_shape_could_ever(q, sh);
    request_shape_drop(q, sh);
    return yes;
}

void request_describe(const struct job *j, const struct step *s, struct cause *ret)
{
    struct job_need n;
    if (s)
        step_task_need(s, &n);
    else
        job_need(&j->req, &n);
    struct cause *c = cause_add(ret, CAUSE_WANTS);
    c->cpus = n.cpus;
    c->gpus = n.gpus;
    c->type = xstrdup(s && s->gpu_type ? s->gpu_type : req_detail(&j->req)->gpu_type);
    c->mem_mib = n.mem_per_node_mib == MEM_NOT_GIVEN ? 0 : n.mem_per_node_mib;
    c->nodes_n = n.nodes;
    c->whole = n.whole_nodes;
}

/* --- classes --- */

struct pool_use *queue_reservation_of(const struct queue *q, const struct job *j)
{
    if (str_is_empty(req_rare(&j->req)->reservation))
        return NULL;
    vec_for_each (&q->windows, i)
        if (str_eq(q->windows.v[i]->name, req_rare(&j->req)->reservation))
            return &q->windows.v[i]->use;
    return NULL;
}

/* A job that has begun has its limit alone: it was cut to the deadline then, and may have been raised. */
static int64_t job_classes_deadline_of(const struct queue *q, const struct job *j)
{
    if (j->state != JOB_PENDING)
        return WHEN_NEVER;
    int64_t t = wall_is_set(req_rare(&j->req)->deadline) ? req_rare(&j->req)->deadline.ms : WHEN_NEVER;
    vec_for_each (&q->windows, i)
        if (str_eq(q->windows.v[i]->name, req_rare(&j->req)->reservation) && q->windows.v[i]->end < t)
            t = q->windows.v[i]->end;
    return t;
}

/* The tasks of a step job end with it. */
static int64_t job_classes_end_of_begun(const struct job *j)
{
    bool limited = j->state != JOB_PENDING && j->time_limit_s != DURATION_UNLIMITED &&
                   j->time_limit_s != DURATION_NOT_SET;
    return limited
               ? j->t_start.ms + (int64_t)job_rare(j)->suspended_ms + (int64_t)j->time_limit_s * MS_PER_S
               : 0;
}

/* From its submission until it begins to age. */
static int64_t job_classes_age_delay(const struct job *j)
{
    int64_t from =
        j->t_eligible.ms > req_detail(&j->req)->begin.ms ? j->t_eligible.ms : req_detail(&j->req)->begin.ms;
    return from - j->t_submit.ms;
}

static void job_classes_key_owner(struct str *k, const struct queue *q, const struct job *j, bool begun)
{
    job_classes_key_text(k, j->user);
    job_classes_key_text(k, j->req.account);
    job_classes_key_text(k, job_qos(&j->req));
    job_classes_key_text(k, req_detail(&j->req)->licenses);
    job_classes_key_number(k, j->uid);
    job_classes_key_number(k, (uint64_t)(uint32_t)req_detail(&j->req)->nice |
                                  (uint64_t)req_detail(&j->req)->has_priority << 32 |
                                  (uint64_t)begun << 33);
    job_classes_key_number(k, req_detail(&j->req)->priority);
    job_classes_key_number(
        k, (uint64_t)job_classes_age_delay(j)); /* so that they age in the order of submission */
    job_classes_key_number(k, (uint64_t)job_classes_deadline_of(q, j));
    job_classes_key_number(k, (uint64_t)job_classes_end_of_begun(j));
    job_classes_key_text(k, req_rare(&j->req)->reservation);
    if (q->slots.opts.predicts) /* what is expected of a job depends on its name */
        job_classes_key_text(k, j->req.name);
}

static void job_classes_set_choices(struct queue *q, struct job_class *g, const struct job *j,
                                    const struct step *s)
{
    const struct model *m = q->view->model;
    g->choices = xcalloc(g->n_choices, sizeof *g->choices);
    g->requests = xcalloc(g->n_choices, sizeof *g->requests);
    for (uint32_t i = 0; i < g->n_choices; i++) {
        struct request_shape *sh = g->shapes[i];
        const struct part_spec *part = &m->spec.parts.v[sh->set->part];
        g->choices[i] = (struct plan_choice){.partition = sh->set->part,
                                             .demand = &sh->demand,
                                             .set = &sh->set->nodes,
                                             .len = sh->len,
                                             .len_min = sh->len_min,
                                             .own = g->own};
        if (s)
            limits_request_task(q->limits, m, j, s, part, &g->requests[i]);
        else
            limits_request_job(q->limits, m, j, part, &g->requests[i]);
    }
}

static const struct part_spec *job_classes_part_of(const struct queue *q, const struct request_shape *s)
{
    return &q->view->model->spec.parts.v[s->set->part];
}

/* Jobs in partition a come before jobs in partition b. */
static bool job_classes_comes_first(const struct part_spec *a, const struct part_spec *b)
{
    return a->priority_tier != b->priority_tier ? a->priority_tier > b->priority_tier
                                                : a->priority_job_factor > b->priority_job_factor;
}

/* Equal ones stay in the order of the request. */
static void job_classes_order_shapes(const struct queue *q, struct request_shape **v, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = i;
             k && job_classes_comes_first(job_classes_part_of(q, v[k]), job_classes_part_of(q, v[k - 1]));
             k--) {
            struct request_shape *swap = v[k];
            v[k] = v[k - 1];
            v[k - 1] = swap;
        }
}

static void job_classes_set_entries(const struct queue *q, struct job_class *g)
{
    g->tiers = &g->only;
    for (uint32_t i = 0; i < g->n_choices; i++)
        g->n_tiers += i == 0 || job_classes_comes_first(job_classes_part_of(q, g->shapes[i - 1]),
                                                        job_classes_part_of(q, g->shapes[i]));
    if (g->n_tiers > 1)
        g->tiers = xcalloc(g->n_tiers, sizeof *g->tiers);
    struct class_tier *e = g->tiers;
    for (uint32_t i = 0; i < g->n_choices; i++) {
        const struct part_spec *part = job_classes_part_of(q, g->shapes[i]);
        if (i && job_classes_comes_first(job_classes_part_of(q, g->shapes[i - 1]), part))
            e++;
        if (!e->n++) {
            e->first = i;
            e->tier = part->priority_tier;
        }
    }
}

static struct owner *job_classes_owner_of(struct queue *q, const struct job *j)
{
    struct str k = STR_INIT;
    const char *account = job_account(j);
    job_classes_key_text(&k, account);
    job_classes_key_text(&k, j->user);
    uint64_t hash = hash_text(k.s, k.len);
    str_fini(&k);
    struct owner *first = idmap_get(&q->classes.owners, hash), *o = first;
    while (o && (!str_eq(o->account, account) || !str_eq(o->user, j->user)))
        o = o->next;
    if (o)
        return o;
    o = xcalloc(1, sizeof *o);
    *o = (struct owner){.next = first, .account = xstrdup(account), .user = xstrdup(j->user)};
    idmap_set(&q->classes.owners, hash, o);
    return o;
}

static void job_classes_set_licences(const struct queue *q, struct job_class *g, const struct job *j)
{
    const char *text = req_detail(&j->req)->licenses;
    struct licence_list asked = {VEC_INIT};
    g->never_licensed = licence_parse(q->view->model, text, &asked, NULL) < 0;
    licence_fini(&asked);
    licence_list_held(q->view->model, text, &g->licences);
}

static struct job_class *job_classes_job_class_new(struct queue *q, const struct job *j,
                                                   const struct step *s, struct request_shape **shapes,
                                                   uint32_t n, uint64_t hash, struct str *key)
{
    struct job_class *g = xcalloc(1, sizeof *g);
    *g = (struct job_class){.next = idmap_get(&q->classes.by_key, hash),
                            .hash = hash,
                            .key_len = key->len,
                            .shapes = shapes,
                            .n_choices = n,
                            .begun = j->state != JOB_PENDING,
                            .owner = job_classes_owner_of(q, j),
                            .is_set = req_detail(&j->req)->has_priority,
                            .age_delay_ms = job_classes_age_delay(j),
                            .qos = spec_find_qos(&q->view->model->spec, job_qos(&j->req)),
                            .licensed =
                                !str_is_empty(req_detail(&j->req)->licenses) && j->state == JOB_PENDING,
                            .deadline = job_classes_deadline_of(q, j),
                            .ends = job_classes_end_of_begun(j),
                            .own = queue_reservation_of(q, j)};
    g->key = str_take(key);
    if (g->qos)
        g->level = q->qos_levels[g->qos - q->view->model->spec.qos.v];
    if (g->licensed)
        job_classes_set_licences(q, g, j);
    class_number_give(q, g);
    job_classes_set_choices(q, g, j, s);
    job_classes_set_entries(q, g);
    idmap_set(&q->classes.by_key, hash, g);
    return g;
}

struct job_class *job_class_of(struct queue *q, const struct job *j, const struct step *s,
                               enum reason *ret_why)
{
    const struct model *m = q->view->model;
    struct strv names = job_classes_partitions_of(q, j);
    struct request_shape **shapes = xcalloc(names.n ? names.n : 1, sizeof(struct request_shape *));
    struct str key = STR_INIT;
    struct job_class *g = NULL;
    uint32_t n = 0;
    *ret_why = REASON_PART_CONFIG;
    for (size_t i = 0; i < names.n; i++) {
        uint32_t at = spec_part_position(&m->spec, names.v[i]);
        const struct part_spec *part = at == UINT32_MAX ? NULL : &m->spec.parts.v[at];
        enum reason r = eligibility_in_partition(q->view, j, part, NULL);
        if (r != REASON_NONE) {
            *ret_why = i == 0 ? r : *ret_why;
            continue;
        }
        shapes[n++] = request_shape_in(q, j, s, at);
    }
    strv_fini(&names);
    if (n) {
        job_classes_order_shapes(q, shapes, n);
        for (uint32_t i = 0; i < n; i++)
            job_classes_key_number(&key, (uint64_t)(uintptr_t)shapes[i]);
        job_classes_key_owner(&key, q, j, j->state != JOB_PENDING);
        uint64_t hash = hash_text(key.s, key.len);
        for (g = idmap_get(&q->classes.by_key, hash); g && !job_classes_same_key(g->key, g->key_len, &key);)
            g = g->next;
        if (!g) {
            g = job_classes_job_class_new(q, j, s, shapes, n, hash, &key);
            shapes = NULL;
        }
    }
    for (uint32_t i = 0; shapes && i < n; i++)
        request_shape_drop(q, shapes[i]);
    free(shapes);
    str_fini(&key);
    return g;
}

static void job_classes_job_class_free(struct queue *q, struct job_class *g)
{
    list_unlink(&g->link);
    for (uint32_t i = 0; i < g->n_choices; i++)
        request_shape_drop(q, g->shapes[i]);
    if (g->tiers != &g->only)
        free(g->tiers);
    free(g->shapes);
    free(g->choices);
    free(g->requests);
    licence_fini(&g->licences);
    free(g->key);
    free(g);
}

void job_class_drop(struct queue *q, struct job_class *g)
{
    UNCHAIN(&q->classes.by_key, g);
    class_number_take_back(q, g);
    if (!q->classes.pinned) {
        job_classes_job_class_free(q, g);
        return;
    }
    list_unlink(&g->link);
    list_append(&q->classes.buried, &g->link);
}

void job_classes_free_buried(struct queue *q)
{
    list_for_each (g, &q->classes.buried, struct job_class, link)
        job_classes_job_class_free(q, g);
}

bool request_shape_could_ever(struct queue *q, struct request_shape *s)
{
    if (s->ever != EVER_UNKNOWN)
        return s->ever == EVER_YES;
    struct pool_parts parts = {.v = VEC_INIT};
    const struct nodeset *all = s->set->avoids ? &s->set->all : &s->set->nodes;
    bool ever = pool_place(&q->empty, &s->demand, all, q->now.ms, 1, &parts);
    for (uint32_t i = 0; i < q->pool.n_nodes && !ever; i++)
        ever = nodeset_has(all, i) && node_is_unknown(q->view->model->nodes[i]);
    vec_fini(&parts.v);
    s->ever = ever ? EVER_YES : EVER_NO;
    return ever;
}

/* A partition where it never fits does not count. */
enum limit_state job_class_limit_state(const struct queue *q, const struct job_class *g)
{
    enum limit_state best = LIMIT_OVER_HARD, best_of_all = LIMIT_OVER_HARD;
    bool any = false;
    for (uint32_t i = 0; i < g->n_choices && best != LIMIT_OK; i++) {
        struct limit_verdict v;
        enum limit_state state = limits_check(q->limits, &g->requests[i], &v);
        best_of_all = state < best_of_all ? state : best_of_all;
        if (g->shapes[i]->ever == EVER_NO)
            continue;
        any = true;
        best = state < best ? state : best;
    }
    return any ? best : best_of_all;
}

struct request_shape *request_shape_of(const struct pending_entry *u, const struct plan_choice *c)
{
    for (uint32_t i = 0; i < u->class->n_choices; i++)
        if (&u->class->shapes[i]->demand == c->demand)
            return u->class->shapes[i];
    return NULL;
}
