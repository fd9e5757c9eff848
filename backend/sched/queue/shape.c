/* shape.c - what waiting jobs ask for, each demand once: sets of nodes, shapes, groups. */
#include <stdlib.h>

#include "backend/sched/forecast/forecast.h"
#include "backend/sched/limits/deadline.h"
#include "backend/sched/limits/gate.h"
#include "backend/sched/limits/noderules.h"
#include "backend/sched/queue/planner_private.h"

/* --- keys: bytes that are equal where two ask for the same --- */

static void key_text(struct str *k, const char *s)
{
    str_append(k, s ? s : "");
    str_append_n(k, "", 1); /* its end */
}

static void key_number(struct str *k, uint64_t n)
{
    str_append_n(k, (const char *)&n, sizeof n);
}

static void key_need(struct str *k, const struct job_need *n)
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
                                n->gpus_anywhere,
                                n->mem_per_cpu_mib,
                                n->mem_per_gpu_mib,
                                n->mem_per_node_mib};
    str_append_n(k, (const char *)numbers, sizeof numbers);
}

static bool same_key(const char *key, size_t len, const struct str *k)
{
    return len == k->len && memcmp(key, k->s, len) == 0;
}

/* --- sets --- */

uint32_t planner_find_node(const struct planner *p, const char *name)
{
    uintptr_t at = (uintptr_t)idmap_get(&p->node_at, hash_bytes(name, strlen(name)));
    if (!at || at > p->view->model->n_nodes || !str_eq(p->view->model->nodes[at - 1]->spec.name, name))
        return UINT32_MAX;
    return (uint32_t)(at - 1);
}

/* What a request says about nodes beside its partition. */
struct nodes_asked {
    const struct job_req *req;
    const char *gpu_type;
    const struct window *reservation; /* that it asks for; NULL: none */
    uint32_t uid;
    bool one_task;
    uint32_t nodes_max;
};

static void keep_listed(const struct planner *p, struct nodeset *s, const struct strv *names, bool all,
                        bool only)
{
    struct nodeset listed;
    nodeset_init(&listed, p->pool.n_nodes);
    bool missing = false;
    for (size_t i = 0; i < names->n; i++) {
        uint32_t at = planner_find_node(p, names->v[i]);
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

/* all: with nodes that do not start this user's jobs for now. */
static void fill_set(const struct planner *p, uint32_t part, const struct nodes_asked *a, bool all,
                     struct nodeset *s)
{
    struct node_rules r;
    node_rules_init(&r, a->req, a->gpu_type, a->reservation);
    nodeset_init(s, p->pool.n_nodes);
    for (uint32_t i = 0; i < p->pool.n_nodes; i++)
        if (nodeset_has(&p->part_nodes[part], i) && node_rules_meet(&r, p->view->model->nodes[i]) &&
            (all || !node_avoids(p->view->model->nodes[i], a->uid)))
            nodeset_add(s, i);
    if (r.only.n)
        keep_listed(p, s, &r.only, !a->one_task, a->one_task || r.only.n >= a->nodes_max);
    node_rules_fini(&r);
}

/* The names of such nodes. There are none as a rule. */
static bool key_avoids(const struct planner *p, const struct nodes_asked *a, struct str *k)
{
    bool any = false;
    for (size_t i = 0; p->n_avoids && i < p->view->model->n_nodes; i++) {
        const struct node *n = p->view->model->nodes[i];
        if (!n->avoids.n || !node_avoids(n, a->uid))
            continue;
        key_text(k, n->spec.name);
        any = true;
    }
    return any;
}

static struct set *intern_set(struct planner *p, uint32_t part, const struct nodes_asked *r)
{
    struct str k = STR_INIT;
    key_number(&k, part);
    key_text(&k, r->req->features);
    key_text(&k, req_rare(r->req)->nodelist);
    key_text(&k, req_rare(r->req)->exclude);
    key_number(&k, req_rare(r->req)->min_tmp_mib);
    key_text(&k, r->gpu_type);
    key_text(&k, r->reservation ? r->reservation->name : NULL);
    for (size_t i = 0; r->reservation && i < r->reservation->nodes.n; i++)
        key_text(&k, r->reservation->nodes.v[i]);
    key_number(&k, req_rare(r->req)->nodelist ? (uint64_t)r->nodes_max << 1 | r->one_task : 0);
    bool avoids = key_avoids(p, r, &k);
    uint64_t hash = hash_bytes(k.s, k.len);
    struct set *first = idmap_get(&p->sets, hash), *s = first;
    while (s && !same_key(s->key, s->key_len, &k))
        s = s->next;
    if (!s) {
        s = xcalloc(1, sizeof *s);
        *s = (struct set){.next = first, .hash = hash, .key_len = k.len, .part = part};
        s->key = str_take(&k);
        fill_set(p, part, r, false, &s->nodes);
        s->avoids = avoids;
        if (avoids)
            fill_set(p, part, r, true, &s->all);
        idmap_set(&p->sets, hash, s);
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

static void drop_set(struct planner *p, struct set *s)
{
    if (--s->refs)
        return;
    UNCHAIN(&p->sets, s);
    nodeset_fini(&s->nodes);
    if (s->avoids)
        nodeset_fini(&s->all);
    free(s->key);
    free(s);
}

/* --- shapes --- */

/* The partitions that j may run in: those it asks for, or the one that it runs in already. */
static struct strv partitions_of(const struct planner *p, const struct job *j)
{
    if (j->state == JOB_PENDING)
        return gate_partitions(p->view->model, j);
    struct strv names = {0};
    if (j->partition)
        strv_push(&names, j->partition);
    return names;
}

static int64_t length_ms(uint32_t s)
{
    return s == DURATION_UNLIMITED || s == DURATION_NOT_SET ? WHEN_NEVER : (int64_t)s * MS_PER_S;
}

int64_t planner_length(const struct planner *p, const struct job *j)
{
    const struct unit *u = idmap_get(&p->units, j->id);
    if (u && u->group)
        return u->group->choices[0].len;
    struct strv names = partitions_of(p, j);
    const struct part_spec *part = names.n ? model_get_part(p->view->model, names.v[0]) : NULL;
    int64_t len = part ? length_ms(deadline_limit_s(j, part)) : WHEN_NEVER;
    strv_fini(&names);
    return len;
}

void planner_demand(const struct job *j, const struct step *s, const struct part_spec *part,
                    struct demand *ret)
{
    *ret = (struct demand){.overcommit = j->req.overcommit && !s,
                           .tasks_given = j->req.ntasks != NOT_GIVEN || s,
                           .one_task = s != NULL};
    if (s)
        step_task_need(s, &ret->need);
    else
        job_need(&j->req, &ret->need);
    ret->nodes_max = ret->need.nodes_max < part->max_nodes ? ret->need.nodes_max : part->max_nodes;
}

static struct shape *intern_shape(struct planner *p, const struct job *j, const struct step *s,
                                  uint32_t part_at)
{
    const struct part_spec *part = &p->view->model->spec.parts.v[part_at];
    struct demand d;
    planner_demand(j, s, part, &d);
    const char *gpu_type = s && s->gpu_type ? s->gpu_type : j->req.gpu_type;
    struct nodes_asked r = {.req = &j->req,
                            .gpu_type = d.need.gpus ? gpu_type : NULL,
                            .uid = j->uid,
                            .one_task = d.one_task,
                            .nodes_max = d.nodes_max};
    if (!str_is_empty(req_rare(&j->req)->reservation))
        r.reservation = model_get_window(p->view->model, req_rare(&j->req)->reservation);
    struct set *set = intern_set(p, part_at, &r);
    int64_t len = length_ms(deadline_limit_s(j, part)), len_min = length_ms(deadline_least_s(j, part));
    if (j->state != JOB_PENDING) /* a task of what has begun goes on until that ends */
        len = len_min = length_ms(j->time_limit_s);
    struct str k = STR_INIT;
    key_need(&k, &d.need);
    key_number(&k, (uint64_t)(uintptr_t)set);
    key_number(&k, d.nodes_max | (uint64_t)d.overcommit << 32 | (uint64_t)d.tasks_given << 33 |
                       (uint64_t)d.one_task << 34);
    key_number(&k, (uint64_t)len);
    key_number(&k, (uint64_t)len_min);
    uint64_t hash = hash_bytes(k.s, k.len);
    struct shape *first = idmap_get(&p->shapes, hash), *sh = first;
    while (sh && !same_key(sh->key, sh->key_len, &k))
        sh = sh->next;
    if (!sh) {
        sh = xcalloc(1, sizeof *sh);
        *sh = (struct shape){.next = first,
                             .hash = hash,
                             .key_len = k.len,
                             .demand = d,
                             .set = set,
                             .len = len,
                             .len_min = len_min};
        sh->key = str_take(&k);
        idmap_set(&p->shapes, hash, sh);
    } else {
        set->refs--; /* the shape has its own */
    }
    str_fini(&k);
    sh->refs++;
    return sh;
}

static void drop_shape(struct planner *p, struct shape *s)
{
    if (--s->refs)
        return;
    UNCHAIN(&p->shapes, s);
    drop_set(p, s->set);
    vec_fini(&s->hunted);
    free(s->key);
    free(s);
}

bool planner_could_run(struct planner *p, const struct job *j, const struct step *s, uint32_t part)
{
    struct shape *sh = intern_shape(p, j, s, part);
    bool yes = planner_could_ever(p, sh);
    drop_shape(p, sh);
    return yes;
}

void planner_describe(const struct job *j, const struct step *s, struct str *out)
{
    struct job_need n;
    char buf[UNITS_TEXT_SIZE];
    if (s)
        step_task_need(s, &n);
    else
        job_need(&j->req, &n);
    str_appendf(out, "%u CPU%s", n.cpus, n.cpus == 1 ? "" : "s");
    const char *type = s && s->gpu_type ? s->gpu_type : j->req.gpu_type;
    if (n.gpus)
        str_appendf(out, ", %u %s%sGPU%s", n.gpus, type ? type : "", type ? " " : "",
                    n.gpus == 1 ? "" : "s");
    if (n.mem_per_node_mib != MEM_NOT_GIVEN && n.mem_per_node_mib)
        str_appendf(out, ", %s of memory a node", mem_format_slurm(n.mem_per_node_mib, buf));
    if (n.nodes > 1)
        str_appendf(out, " on %u %snodes", n.nodes, n.whole_nodes ? "whole " : "");
    else if (n.whole_nodes)
        str_append(out, " on a whole node");
}

/* --- groups --- */

static uint32_t part_position(const struct model *m, const char *name)
{
    for (uint32_t i = 0; i < m->spec.parts.n; i++)
        if (str_eq(m->spec.parts.v[i].name, name))
            return i;
    return UINT32_MAX;
}

static struct pool_use *reservation_use(const struct planner *p, const struct job *j)
{
    if (str_is_empty(req_rare(&j->req)->reservation))
        return NULL;
    vec_for_each (&p->windows, i)
        if (str_eq(p->windows.v[i]->name, req_rare(&j->req)->reservation))
            return &p->windows.v[i]->use;
    return NULL;
}

/* Of what has begun its limit alone counts: it was cut down to this then, and may have been raised. */
static int64_t deadline_of(const struct planner *p, const struct job *j)
{
    if (j->state != JOB_PENDING)
        return WHEN_NEVER;
    int64_t t = wall_is_set(req_rare(&j->req)->deadline) ? req_rare(&j->req)->deadline.ms : WHEN_NEVER;
    vec_for_each (&p->windows, i)
        if (str_eq(p->windows.v[i]->name, req_rare(&j->req)->reservation) && p->windows.v[i]->end < t)
            t = p->windows.v[i]->end;
    return t;
}

/* A step job that runs takes its tasks along when it ends. */
static int64_t end_of_begun(const struct job *j)
{
    bool limited = j->state != JOB_PENDING && j->time_limit_s != DURATION_UNLIMITED &&
                   j->time_limit_s != DURATION_NOT_SET;
    return limited
               ? j->t_start.ms + (int64_t)job_rare(j)->suspended_ms + (int64_t)j->time_limit_s * MS_PER_S
               : 0;
}

/* From its submission until it begins to age. */
static int64_t age_delay(const struct job *j)
{
    int64_t from = j->t_eligible.ms > j->req.begin.ms ? j->t_eligible.ms : j->req.begin.ms;
    return from - j->t_submit.ms;
}

static void key_owner(struct str *k, const struct planner *p, const struct job *j, bool begun)
{
    key_text(k, j->user);
    key_text(k, j->req.account);
    key_text(k, job_qos(&j->req));
    key_text(k, j->req.licenses);
    key_number(k, j->uid);
    key_number(k, (uint64_t)(uint32_t)j->req.nice | (uint64_t)j->req.has_priority << 32 |
                      (uint64_t)begun << 33);
    key_number(k, j->req.priority);
    key_number(k, (uint64_t)age_delay(j)); /* so that they age in the order of submission */
    key_number(k, (uint64_t)deadline_of(p, j));
    key_number(k, (uint64_t)end_of_begun(j));
    key_text(k, req_rare(&j->req)->reservation);
}

static void set_choices(struct planner *p, struct group *g, const struct job *j, const struct step *s)
{
    const struct model *m = p->view->model;
    g->choices = xcalloc(g->n_choices, sizeof *g->choices);
    g->asks = xcalloc(g->n_choices, sizeof *g->asks);
    for (uint32_t i = 0; i < g->n_choices; i++) {
        struct shape *sh = g->shapes[i];
        const struct part_spec *part = &m->spec.parts.v[sh->set->part];
        g->choices[i] = (struct backfill_choice){.lane = sh->set->part,
                                                 .demand = &sh->demand,
                                                 .set = &sh->set->nodes,
                                                 .len = sh->len,
                                                 .len_min = sh->len_min,
                                                 .own = g->own};
        if (s)
            limits_ask_task(p->limits, m, j, s, part, &g->asks[i]);
        else
            limits_ask_job(p->limits, m, j, part, &g->asks[i]);
    }
}

static const struct part_spec *part_of(const struct planner *p, const struct shape *s)
{
    return &p->view->model->spec.parts.v[s->set->part];
}

/* Jobs of the one stand before those of the other, or are more urgent. */
static bool comes_first(const struct part_spec *a, const struct part_spec *b)
{
    return a->priority_tier != b->priority_tier ? a->priority_tier > b->priority_tier
                                                : a->priority_job_factor > b->priority_job_factor;
}

/* As the request names them where they are equal. */
static void order_shapes(const struct planner *p, struct shape **v, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = i; k && comes_first(part_of(p, v[k]), part_of(p, v[k - 1])); k--) {
            struct shape *swap = v[k];
            v[k] = v[k - 1];
            v[k - 1] = swap;
        }
}

static void set_entries(const struct planner *p, struct group *g)
{
    g->entries = &g->only;
    for (uint32_t i = 0; i < g->n_choices; i++)
        g->n_entries += i == 0 || comes_first(part_of(p, g->shapes[i - 1]), part_of(p, g->shapes[i]));
    if (g->n_entries > 1)
        g->entries = xcalloc(g->n_entries, sizeof *g->entries);
    struct queue_entry *e = g->entries;
    for (uint32_t i = 0; i < g->n_choices; i++) {
        const struct part_spec *part = part_of(p, g->shapes[i]);
        if (i && comes_first(part_of(p, g->shapes[i - 1]), part))
            e++;
        if (!e->n++) {
            e->first = i;
            e->tier = part->priority_tier;
        }
    }
}

static struct owner *owner_of(struct planner *p, const struct job *j)
{
    struct str k = STR_INIT;
    const char *account = job_account(j);
    key_text(&k, account);
    key_text(&k, j->user);
    uint64_t hash = hash_bytes(k.s, k.len);
    str_fini(&k);
    struct owner *first = idmap_get(&p->owners, hash), *o = first;
    while (o && (!str_eq(o->account, account) || !str_eq(o->user, j->user)))
        o = o->next;
    if (o)
        return o;
    o = xcalloc(1, sizeof *o);
    *o = (struct owner){.next = first, .account = xstrdup(account), .user = xstrdup(j->user)};
    idmap_set(&p->owners, hash, o);
    return o;
}

static struct group *make_group(struct planner *p, const struct job *j, const struct step *s,
                                struct shape **shapes, uint32_t n, uint64_t hash, struct str *key)
{
    struct group *g = xcalloc(1, sizeof *g);
    *g = (struct group){.next = idmap_get(&p->group_map, hash),
                        .hash = hash,
                        .key_len = key->len,
                        .shapes = shapes,
                        .n_choices = n,
                        .begun = j->state != JOB_PENDING,
                        .owner = owner_of(p, j),
                        .is_set = j->req.has_priority,
                        .age_delay_ms = age_delay(j),
                        .qos = planner_qos(p->view->model, job_qos(&j->req)),
                        .licensed = !str_is_empty(j->req.licenses) && j->state == JOB_PENDING,
                        .deadline = deadline_of(p, j),
                        .ends = end_of_begun(j),
                        .own = reservation_use(p, j)};
    g->key = str_take(key);
    if (g->qos)
        g->level = p->qos_levels[g->qos - p->view->model->spec.qos.v];
    list_init(&g->units);
    list_append(&p->groups, &g->link);
    set_choices(p, g, j, s);
    set_entries(p, g);
    idmap_set(&p->group_map, hash, g);
    return g;
}

struct group *planner_group(struct planner *p, const struct job *j, const struct step *s,
                            enum reason *ret_why)
{
    const struct model *m = p->view->model;
    struct strv names = partitions_of(p, j);
    struct shape **shapes = xcalloc(names.n ? names.n : 1, sizeof(struct shape *));
    struct str key = STR_INIT;
    struct group *g = NULL;
    uint32_t n = 0;
    *ret_why = REASON_PART_CONFIG;
    for (size_t i = 0; i < names.n; i++) {
        uint32_t at = part_position(m, names.v[i]);
        const struct part_spec *part = at == UINT32_MAX ? NULL : &m->spec.parts.v[at];
        enum reason r = gate_partition(p->view, j->uid, &j->req, part, NULL);
        if (r != REASON_NONE) {
            *ret_why = i == 0 ? r : *ret_why;
            continue;
        }
        shapes[n++] = intern_shape(p, j, s, at);
    }
    strv_fini(&names);
    if (n) {
        order_shapes(p, shapes, n);
        for (uint32_t i = 0; i < n; i++)
            key_number(&key, (uint64_t)(uintptr_t)shapes[i]);
        key_owner(&key, p, j, j->state != JOB_PENDING);
        uint64_t hash = hash_bytes(key.s, key.len);
        for (g = idmap_get(&p->group_map, hash); g && !same_key(g->key, g->key_len, &key);)
            g = g->next;
        if (!g) {
            g = make_group(p, j, s, shapes, n, hash, &key);
            shapes = NULL;
        }
    }
    for (uint32_t i = 0; shapes && i < n; i++)
        drop_shape(p, shapes[i]);
    free(shapes);
    str_fini(&key);
    return g;
}

static void free_group(struct planner *p, struct group *g)
{
    list_unlink(&g->link);
    for (uint32_t i = 0; i < g->n_choices; i++)
        drop_shape(p, g->shapes[i]);
    if (g->entries != &g->only)
        free(g->entries);
    free(g->shapes);
    free(g->choices);
    free(g->asks);
    free(g->key);
    free(g);
}

void planner_drop_group(struct planner *p, struct group *g)
{
    UNCHAIN(&p->group_map, g);
    if (!forecast_is_running(p)) {
        free_group(p, g);
        return;
    }
    list_unlink(&g->link);
    list_append(&p->buried, &g->link);
}

void planner_bury_groups(struct planner *p)
{
    list_for_each (g, &p->buried, struct group, link)
        free_group(p, g);
}
