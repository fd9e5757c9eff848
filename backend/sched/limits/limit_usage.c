/* limit_usage.c - the counters: who is counted where, and what is held. What a job asks for:
 * limit_request.c; what is checked: limit_check.c; the causes: limit_cause.c.
 */
#include <stdlib.h>
#include <string.h>

#include "backend/sched/limits/limit_usage_internal.h"
#include "src/base/siphash.h"
#include "src/values/units.h"

#define ACCOUNTS_DEEP 64 /* a chain of parents longer than that runs in circles */

/* --- who is counted where --- */

uint64_t limits_most(const struct limit_set *s, enum limit_what what)
{
    switch (what) {
#define X(name, member) \
    case LIMIT_OF_##name: return s->member;
        LIMIT_WHATS(X)
#undef X
    case LIMIT_OF_ARRAY_SIZE: return s->array_size;
    case LIMIT_N_WHATS: break;
    }
    return LIMIT_NONE;
}

static bool limits_is_each(const char *name)
{
    return str_is_empty(name) || str_eq(name, "*");
}

static const char *limits_parent_of(const struct model *m, const char *account)
{
    const struct account_spec *a = spec_find_account(&m->spec, account);
    if (a)
        return a->parent ? a->parent : "root";
    return str_eq(account, "root") ? NULL : "root";
}

static bool limits_is_under(const struct model *m, const char *account, const char *above)
{
    for (int depth = 0; account && depth < ACCOUNTS_DEEP; depth++) {
        if (str_eq(account, above))
            return true;
        account = limits_parent_of(m, account);
    }
    return false;
}

struct limit_names {
    const char *user, *account, *qos, *partition;
};

/* For whom the limit counts these; NULL: it does not concern them. */
static const char *limits_counted_for(const struct model *m, const struct limit_spec *s,
                                      const struct limit_names *n)
{
    if (s->partition && !str_eq(s->partition, n->partition))
        return NULL;
    const char *own = NULL;
    switch ((enum limit_scope)s->scope) {
    case LIMIT_USER: own = n->user; break;
    case LIMIT_ACCOUNT: own = n->account; break;
    case LIMIT_QOS: own = n->qos; break;
    case LIMIT_PARTITION: own = n->partition; break;
    case LIMIT_CLUSTER: return "";
    }
    if (!own || limits_is_each(s->name))
        return own;
    if (s->scope == LIMIT_ACCOUNT)
        return limits_is_under(m, own, s->name) ? s->name : NULL;
    return str_eq(own, s->name) ? s->name : NULL;
}

static uint64_t limits_counter_hash(uint32_t spec, const char *name)
{
    return hash_text(name, strlen(name)) ^ ((uint64_t)spec + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Position + 1; 0: there is none. */
static uint32_t limits_counter_find(const struct limits *l, uint32_t spec, const char *name)
{
    uint32_t at = (uint32_t)(uintptr_t)idmap_get(&l->counter_by_hash, limits_counter_hash(spec, name));
    while (at && !(l->counters.v[at - 1].spec == spec && str_eq(l->counters.v[at - 1].name, name)))
        at = l->counters.v[at - 1].next;
    return at;
}

static uint32_t limits_counter_get(struct limits *l, uint32_t spec, const char *name)
{
    uint32_t at = limits_counter_find(l, spec, name);
    if (at)
        return at - 1;
    uint64_t hash = limits_counter_hash(spec, name);
    uint32_t first = (uint32_t)(uintptr_t)idmap_get(&l->counter_by_hash, hash);
    vec_push(&l->counters, (struct limit_counter){.spec = spec, .name = xstrdup(name), .next = first});
    vec_push(&l->changed_at, 0);
    idmap_set(&l->counter_by_hash, hash, (void *)(uintptr_t)l->counters.n);
    return (uint32_t)l->counters.n - 1;
}

static char *limits_who_key(const struct limit_names *n)
{
    return xasprintf("%s\n%s\n%s\n%s", n->user ? n->user : "", n->account ? n->account : "",
                     n->qos ? n->qos : "", n->partition ? n->partition : "");
}

bool limits_has_counter(const struct limit_who *w, uint32_t counter)
{
    vec_for_each (&w->counters, i)
        if (w->counters.v[i] == counter)
            return true;
    return false;
}

/* Those that concern these and are not there yet. */
static void limits_add_counters(struct limits *l, const struct model *m, const struct limit_names *n,
                                struct limit_who *w)
{
    for (uint32_t i = 0; i < l->n_specs; i++) {
        const char *name = limits_counted_for(m, &l->specs[i], n);
        uint32_t counter = name ? limits_counter_get(l, i, name) : 0;
        if (name && !limits_has_counter(w, counter))
            vec_push(&w->counters, counter);
    }
}

uint32_t limits_who(struct limits *l, const struct model *m, const char *user, const char *account,
                    const char *qos, const char *partition)
{
    if (!limits_any(l))
        return 0;
    struct limit_names n = {.user = user, .account = account, .qos = qos, .partition = partition};
    char *key = limits_who_key(&n);
    uint64_t hash = hash_text(key, strlen(key));
    uint32_t first = (uint32_t)(uintptr_t)idmap_get(&l->who_by_hash, hash), at = first;
    while (at && !str_eq(l->whos.v[at - 1].key, key))
        at = l->whos.v[at - 1].next;
    if (at) {
        free(key);
        return at - 1;
    }
    struct limit_who w = {.key = key, .next = first};
    struct strv parts = strv_split(partition, ",");
    for (size_t i = 0; i < parts.n; i++) {
        n.partition = parts.v[i];
        limits_add_counters(l, m, &n, &w);
    }
    if (!parts.n)
        limits_add_counters(l, m, &n, &w);
    strv_fini(&parts);
    vec_push(&l->whos, w);
    vec_for_each (&w.counters, i)
        vec_push(&l->counters.v[w.counters.v[i]].whos, (uint32_t)l->whos.n - 1);
    idmap_set(&l->who_by_hash, hash, (void *)(uintptr_t)l->whos.n);
    return (uint32_t)l->whos.n - 1;
}

/* --- what is held --- */

static uint64_t limits_saturating_mul(uint64_t a, uint64_t b)
{
    uint64_t r;
    return __builtin_mul_overflow(a, b, &r) ? UINT64_MAX : r;
}

/* Without a time limit there is no telling: more than any limit. */
static uint64_t limits_gpu_minutes(uint64_t gpus, uint32_t limit_s)
{
    if (!gpus)
        return 0;
    return limit_s >= DURATION_NOT_SET ? UINT64_MAX : (limits_saturating_mul(gpus, limit_s) + 59) / 60;
}

static void limits_add(struct limits *l, uint32_t who, const struct limit_amounts *a, bool take_away)
{
    if (who >= l->whos.n)
        return;
    const struct limit_who *w = &l->whos.v[who];
    vec_for_each (&w->counters, i) {
        struct limit_amounts *used = &l->counters.v[w->counters.v[i]].used;
        l->counters.v[w->counters.v[i]].changes++;
        l->changed_at.v[w->counters.v[i]] = ++l->n_changes;
        for (int k = 0; k < LIMIT_N_WHATS; k++)
            used->of[k] = take_away ? used->of[k] - a->of[k] : used->of[k] + a->of[k];
    }
}

/* Nodes, each once: struct node -> itself. */
static void limits_add_node(const struct model *m, struct idmap *seen, const struct alloc *alloc)
{
    struct node *n = model_get_node(m, alloc->node);
    if (n)
        idmap_set(seen, (uint64_t)(uintptr_t)n, n);
}

static void limits_add_alloc(struct limit_amounts *a, const struct alloc *alloc)
{
    a->of[LIMIT_OF_GPUS] += cpuset_count(&alloc->gpus);
    a->of[LIMIT_OF_CPUS] += cpuset_count(&alloc->cpus);
    a->of[LIMIT_OF_MEMORY] += alloc->mem_mib;
}

static void limits_amounts_of(const struct limits *l, const struct model *m, const struct job *j,
                              struct limit_amounts *ret)
{
    struct idmap nodes = {0};
    *ret = (struct limit_amounts){{0}};
    ret->of[LIMIT_OF_SUBMITTED] = j->state == JOB_PENDING ? job_pending_elements(j) : 1;
    if (j->state == JOB_PENDING)
        return;
    ret->of[LIMIT_OF_RUNNING] = 1;
    for (size_t i = 0; j->holding && i < j->alloc.n; i++)
        limits_add_alloc(ret, &j->alloc.v[i]);
    ret->of[LIMIT_OF_NODES] = j->holding ? j->alloc.n : 0;
    for (size_t i = 0; j->kind == JOB_KIND_STEPS && i < j->steps.n; i++)
        for (size_t k = step_live_begin(&j->steps.v[i]); k < step_live_end(&j->steps.v[i]); k++) {
            const struct task *t = &j->steps.v[i].tasks.v[k];
            if (t->state != TASK_LAUNCHING && t->state != TASK_RUNNING)
                continue;
            limits_add_alloc(ret, &t->alloc);
            if (l->counts_nodes)
                limits_add_node(m, &nodes, &t->alloc);
        }
    ret->of[LIMIT_OF_NODES] += nodes.n;
    idmap_fini(&nodes);
    uint64_t gpus = ret->of[LIMIT_OF_GPUS];
    /* One that came in before there was a limit may have none itself: what it has had so far. */
    ret->of[LIMIT_OF_GPU_MINUTES] =
        j->time_limit_s >= DURATION_NOT_SET
            ? limits_saturating_mul(gpus, (uint64_t)wall_elapsed_s(j->t_start, m->now)) / 60
            : limits_gpu_minutes(gpus, j->time_limit_s);
}

/* Adds the job to the list of running jobs, or removes it. */
static void limits_list_running(struct limits *l, uint32_t job, struct limit_charge *c, bool runs)
{
    if (c->who >= l->whos.n)
        return;
    struct limit_who *w = &l->whos.v[c->who];
    if (runs && !c->listed) {
        vec_push(&w->running, job);
        c->listed = (uint32_t)w->running.n;
    }
    if (runs || !c->listed)
        return;
    uint32_t last = w->running.v[--w->running.n];
    if (last != job) {
        struct limit_charge *moved = idmap_get(&l->charges, last);
        w->running.v[c->listed - 1] = last;
        moved->listed = c->listed;
    }
    c->listed = 0;
}

void limits_recount(struct limits *l, const struct model *m, uint32_t job)
{
    if (!limits_any(l))
        return;
    struct limit_charge *c = idmap_get(&l->charges, job);
    if (c) {
        limits_add(l, c->who, &c->amounts, true);
        limits_list_running(l, job, c, false);
    }
    const struct job *j = model_get_job(m, job);
    if (!j || job_state_is_final(j->state)) {
        free(idmap_remove(&l->charges, job));
        return;
    }
    if (!c) {
        c = xcalloc(1, sizeof *c);
        idmap_set(&l->charges, job, c);
    }
    bool waits = j->state == JOB_PENDING && !str_is_empty(j->req.partition);
    c->who = limits_who(l, m, j->user, job_account(j), job_qos(&j->req),
                        waits ? j->req.partition : j->partition);
    limits_amounts_of(l, m, j, &c->amounts);
    limits_add(l, c->who, &c->amounts, false);
    limits_list_running(l, job, c, j->state != JOB_PENDING);
}

/* --- life --- */

static void limits_clear(struct limits *l)
{
    vec_for_each (&l->counters, i) {
        free(l->counters.v[i].name);
        vec_fini(&l->counters.v[i].whos);
        vec_fini(&l->counters.v[i].planners);
    }
    vec_for_each (&l->whos, i) {
        free(l->whos.v[i].key);
        vec_fini(&l->whos.v[i].counters);
        vec_fini(&l->whos.v[i].running);
    }
    idmap_for_each (&l->charges, slot)
        free(slot->value);
    vec_fini(&l->counters);
    vec_fini(&l->whos);
    vec_fini(&l->journal);
    vec_fini(&l->limited);
    vec_fini(&l->changed_at);
    idmap_fini(&l->counter_by_hash);
    idmap_fini(&l->who_by_hash);
    idmap_fini(&l->charges);
    *l = (struct limits){0};
}

static uint32_t limits_limited_by(const struct limit_spec *s)
{
    uint32_t bits = 0;
    for (enum limit_what k = 0; k < LIMIT_OF_ARRAY_SIZE; k++)
        if (limits_most(&s->soft, k) != LIMIT_NONE || limits_most(&s->hard, k) != LIMIT_NONE)
            bits |= 1u << k;
    return bits;
}

static void limits_take_specs(struct limits *l, const struct model *m)
{
    l->specs = m->spec.limits.v;
    l->n_specs = m->spec.limits.n;
    vec_clear(&l->limited);
    for (size_t i = 0; i < l->n_specs; i++)
        vec_push(&l->limited, limits_limited_by(&l->specs[i]));
    l->counts_nodes = false;
    for (size_t i = 0; i < l->n_specs; i++)
        if (l->specs[i].soft.nodes != LIMIT_NONE || l->specs[i].hard.nodes != LIMIT_NONE)
            l->counts_nodes = true;
}

static void limits_build(struct limits *l, const struct model *m)
{
    limits_take_specs(l, m);
    if (!l->n_specs)
        return;
    list_for_each (j, &m->pending, struct job, in_queue)
        limits_recount(l, m, j->id);
    list_for_each (j, &m->active, struct job, in_queue)
        limits_recount(l, m, j->id);
}

struct limits *limits_new_empty(const struct model *m)
{
    struct limits *l = xcalloc(1, sizeof *l);
    limits_take_specs(l, m);
    return l;
}

struct limits *limits_new(const struct model *m)
{
    struct limits *l = xcalloc(1, sizeof *l);
    limits_build(l, m);
    return l;
}

void limits_reserve(struct limits *l, size_t n_jobs)
{
    if (limits_any(l))
        idmap_reserve(&l->charges, n_jobs);
}

void limits_free(struct limits *l)
{
    if (!l)
        return;
    limits_clear(l);
    free(l);
}

bool limits_any(const struct limits *l)
{
    return l && l->n_specs;
}

bool limits_count_nodes(const struct limits *l)
{
    return l && l->counts_nodes;
}

void limits_note(struct limits *l, const struct model *m, const struct event *ev)
{
    if (ev->kind == EV_CONFIG) {
        limits_clear(l);
        limits_build(l, m);
        return;
    }
    if (!ev->job || !limits_any(l))
        return;
    if (ev->kind == EV_START)
        limits_recount(l, m, ((const struct ev_start *)ev->body)->new_id);
    if (ev->kind == EV_SPLIT)
        limits_recount(l, m, ((const struct ev_split *)ev->body)->new_id);
    limits_recount(l, m, ev->job);
}

/* --- a cycle --- */

static const char *limits_or_null(const char *s)
{
    return str_is_empty(s) ? NULL : s;
}

static void limits_add_usage(struct limits *l, const struct model *m, uint32_t spec, struct wall now)
{
    uint32_t half_life = m->spec.priority.decay_half_life_s;
    for (size_t i = 0; i < m->usage.n; i++) {
        const struct usage_row *r = &m->usage.rows[i];
        struct limit_names n = {limits_or_null(r->user), limits_or_null(r->account),
                                limits_or_null(r->qos) ? r->qos : QOS_DEFAULT,
                                limits_or_null(r->partition)};
        const char *name = limits_counted_for(m, &l->specs[spec], &n);
        uint32_t at = name ? limits_counter_find(l, spec, name) : 0;
        if (at)
            l->counters.v[at - 1].gpu_s += usage_fade(r->gpu_s, r->t, now, half_life);
    }
}

void limits_fade(struct limits *l, const struct model *m, struct wall now)
{
    bool any = false;
    for (uint32_t i = 0; limits_any(l) && i < l->n_specs; i++)
        any =
            any || l->specs[i].soft.gpu_minutes != LIMIT_NONE || l->specs[i].hard.gpu_minutes != LIMIT_NONE;
    if (!any)
        return;
    vec_for_each (&l->counters, i)
        l->counters.v[i].gpu_s = 0;
    for (uint32_t i = 0; i < l->n_specs; i++)
        if (l->specs[i].soft.gpu_minutes != LIMIT_NONE || l->specs[i].hard.gpu_minutes != LIMIT_NONE)
            limits_add_usage(l, m, i, now);
    vec_for_each (&l->counters, i) {
        struct limit_counter *c = &l->counters.v[i];
        uint64_t minutes = (uint64_t)(c->gpu_s / 60);
        if (minutes != c->charged_gpu_minutes)
            l->changed_at.v[i] = ++l->n_changes;
        c->charged_gpu_minutes = minutes;
    }
}

void limits_begin(struct limits *l, const struct model *m, struct wall now)
{
    limits_rewind(l, 0);
    limits_fade(l, m, now);
}

void limits_amounts(const struct limit_request *request, struct limit_amounts *ret)
{
    *ret = (struct limit_amounts){
        {[LIMIT_OF_GPUS] = request->gpus,
         [LIMIT_OF_CPUS] = request->cpus,
         [LIMIT_OF_MEMORY] = request->mem_mib,
         [LIMIT_OF_NODES] = request->nodes,
         [LIMIT_OF_RUNNING] = request->jobs,
         [LIMIT_OF_GPU_MINUTES] = limits_gpu_minutes(request->gpus, request->limit_s)}};
}

static void limits_book(struct limits *l, const struct limit_request *request, bool back)
{
    if (!limits_any(l))
        return;
    struct limit_journal_entry e = {.who = request->who, .back = back};
    limits_amounts(request, &e.amounts);
    /* One without a time limit: nothing sensible can be added up. */
    if (e.amounts.of[LIMIT_OF_GPU_MINUTES] == UINT64_MAX)
        e.amounts.of[LIMIT_OF_GPU_MINUTES] = 0;
    limits_add(l, e.who, &e.amounts, back);
    vec_push(&l->journal, e);
}

void limits_charge(struct limits *l, const struct limit_request *request)
{
    limits_book(l, request, false);
}

void limits_uncharge(struct limits *l, const struct limit_request *request)
{
    limits_book(l, request, true);
}

size_t limits_mark(const struct limits *l)
{
    return l ? l->journal.n : 0;
}

void limits_rewind(struct limits *l, size_t mark)
{
    while (l && l->journal.n > mark) {
        const struct limit_journal_entry *e = &l->journal.v[--l->journal.n];
        limits_add(l, e->who, &e->amounts, !e->back);
    }
}

/* --- at submission --- */

/* What one limit that counts it for that name says of j. */
static enum limit_state limits_judge_entry(const struct limits *l, uint32_t spec, const char *name,
                                           const struct job *j, struct limit_verdict *ret)
{
    const struct limit_spec *s = &l->specs[spec];
    uint32_t at = limits_counter_find(l, spec, name), n_jobs = job_pending_elements(j);
    uint64_t held = at ? l->counters.v[at - 1].used.of[LIMIT_OF_SUBMITTED] : 0;
    const struct limit_charge *c = idmap_get(&l->charges, j->id);
    if (!c && j->array_job) /* an element that is still part of its array's record */
        c = idmap_get(&l->charges, j->array_job);
    if (at && c && limits_has_counter(&l->whos.v[c->who], at - 1)) /* it is in this queue already */
        return LIMIT_OK;
    bool queue = s->hard.submitted_jobs != LIMIT_NONE && held + n_jobs > s->hard.submitted_jobs;
    bool array = s->hard.array_size != LIMIT_NONE && job_origin(j)->array_count > s->hard.array_size;
    if (!queue && !array)
        return LIMIT_OK;
    limits_broken(ret, LIMIT_OVER_HARD, s, queue ? LIMIT_OF_SUBMITTED : LIMIT_OF_ARRAY_SIZE, name);
    ret->used = queue ? held : 0;
    ret->asked = queue ? n_jobs : job_origin(j)->array_count;
    ret->most = queue ? s->hard.submitted_jobs : s->hard.array_size;
    return LIMIT_OVER_HARD;
}

/* The names are not interned: what is refused must leave nothing behind. */
enum refusal limits_submit(const struct limits *l, const struct model *m, const struct job *j,
                           struct cause *why)
{
    struct limit_names n = {.user = j->user, .account = job_account(j), .qos = job_qos(&j->req)};
    struct limit_verdict v = {.state = LIMIT_OK};
    struct strv parts = job_partitions(j);
    for (size_t k = 0; limits_any(l) && k < parts.n && v.state == LIMIT_OK; k++) {
        n.partition = parts.v[k];
        for (uint32_t i = 0; i < l->n_specs && v.state == LIMIT_OK; i++) {
            const char *name = limits_counted_for(m, &l->specs[i], &n);
            if (name)
                limits_judge_entry(l, i, name, j, &v);
        }
    }
    limit_cause(&v, why);
    strv_fini(&parts);
    return v.state == LIMIT_OK ? REFUSAL_NONE : REFUSAL_POLICY;
}
