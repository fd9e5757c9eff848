/* dependency_index.c - the index of jobs that wait for others. */
#include "backend/sched/limits/dependency_index.h"
#include "src/base/siphash.h"

#include <stdlib.h>
#include <string.h>

#define NAMED_MAX 8 /* jobs that a text names one by one */

struct dep_timer {
    struct heap_node node;
    uint32_t job;
};

void dep_index_init(struct dep_index *x)
{
    *x = (struct dep_index){0};
}

void dep_index_fini(struct dep_index *x)
{
    idmap_for_each (&x->waiting, slot) {
        vec_fini(&((struct dep_waiting *)slot->value)->v);
        free(slot->value);
    }
    idmap_fini(&x->waiting);
    heap_fini(&x->due);
    idmap_for_each (&x->timers, slot)
        free(slot->value);
    idmap_fini(&x->timers);
    dep_index_init(x);
}

/* --- keys --- */

#define KEY_EACH  (UINT64_C(1) << 32) /* | array: element by element (aftercorr) */
#define KEY_ANY   (UINT64_C(1) << 33) /* | array: for some of it, whichever; not to be retired meanwhile */
#define KEY_MIXED (UINT64_C(1) << 63) /* what does not fit into 32 bits; two of one key cost a query */

static uint64_t dep_index_element_key(uint32_t array, uint32_t index)
{
    return (((uint64_t)array << 32 | index) * UINT64_C(0x9e3779b97f4a7c15) << 1) | KEY_MIXED | 1;
}

/* Of all jobs of that user and name; for those that have been split off from an array, which stand in the
 * queue where their array does and not where their ids say, another one. */
static uint64_t dep_index_name_key(uint32_t uid, const char *name, bool element)
{
    name = name ? name : "";
    uint64_t h = hash_text(name, strlen(name)) ^ (uint64_t)uid * UINT64_C(0x9e3779b97f4a7c15);
    return (h << 2) | KEY_MIXED | (element ? 2u : 0);
}

static bool dep_index_is_split_off(const struct job *j)
{
    return j->array_job && j->array_job != j->id;
}

/* Under how many keys a dependency stands: at most two. */
static size_t dep_index_keys_of(const struct job *j, const struct dep *d, uint64_t keys[static 2])
{
    if (d->type == DEP_TYPE_SINGLETON) {
        keys[0] = dep_index_name_key(j->uid, j->req.name, dep_index_is_split_off(j));
        return 1;
    }
    if (j->dep_met)
        return 0;
    keys[0] = d->job;
    keys[1] = d->job | KEY_ANY;
    if (d->index != ARRAY_NONE)
        keys[0] = dep_index_element_key(d->job, d->index);
    else if (d->type == DEP_TYPE_CORR)
        keys[0] = d->job | KEY_EACH;
    else
        return 1;
    return 2;
}

/* --- who waits --- */

/* How far an array is, for those that wait for the whole of it. */
static uint32_t dep_index_stage_of(const struct model *m, uint64_t key)
{
    const struct array_tally *t = key <= UINT32_MAX ? model_get_tally(m, (uint32_t)key) : NULL;
    const struct job *j = t ? model_get_job(m, (uint32_t)key) : NULL;
    if (!j)
        return 0;
    return (t->pending ? 0 : 1u) | (t->pending || t->active ? 0 : 2u) |
           (t->bad || job_rare(j)->array_failed.n ? 4u : 0);
}

/* Where id stands or belongs. */
static size_t dep_index_place_of(const struct dep_waiting *l, uint32_t id)
{
    size_t from = 0, to = l->v.n;
    if (to && l->v.v[to - 1] < id) /* ids grow, mostly */
        return to;
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        if (l->v.v[mid] < id)
            from = mid + 1;
        else
            to = mid;
    }
    return from;
}

static struct dep_waiting *dep_index_wait_for(struct dep_index *x, const struct model *m, uint64_t key,
                                              uint32_t job)
{
    struct dep_waiting *l = idmap_get(&x->waiting, key);
    if (!l) {
        l = xcalloc(1, sizeof *l);
        l->stage = dep_index_stage_of(m, key);
        idmap_set(&x->waiting, key, l);
    }
    size_t at = dep_index_place_of(l, job);
    if (at < l->v.n && l->v.v[at] == job)
        return l;
    vec_push(&l->v, job);
    memmove(&l->v.v[at + 1], &l->v.v[at], (l->v.n - 1 - at) * sizeof *l->v.v);
    l->v.v[at] = job;
    return l;
}

/* Whether that job still waits for the key. */
static bool dep_index_still_waits(const struct model *m, uint32_t job, uint64_t key)
{
    const struct job *j = model_get_job(m, job);
    struct deps d;
    if (!j || j->state != JOB_PENDING || dep_parse(j->req.dependency, &d, NULL) < 0)
        return false;
    bool found = false;
    for (size_t i = 0; i < d.n && !found; i++) {
        uint64_t keys[2];
        for (size_t k = dep_index_keys_of(j, &d.v[i], keys); k-- > 0;)
            found = found || keys[k] == key;
    }
    deps_fini(&d);
    return found;
}

static void dep_index_drop_if_empty(struct dep_index *x, uint64_t key, struct dep_waiting *l)
{
    if (l->v.n)
        return;
    vec_fini(&l->v);
    free(idmap_remove(&x->waiting, key));
}

/* Those that wait for it, forgetting the others. */
static void dep_index_append_all(struct dep_index *x, const struct model *m, uint64_t key,
                                 struct dep_list *ret)
{
    struct dep_waiting *l = idmap_get(&x->waiting, key);
    size_t n = 0;
    if (!l)
        return;
    vec_for_each (&l->v, i) {
        if (!dep_index_still_waits(m, l->v.v[i], key))
            continue;
        l->v.v[n++] = l->v.v[i];
        vec_push(&ret->v, l->v.v[i]);
    }
    l->v.n = n;
    dep_index_drop_if_empty(x, key, l);
}

/* The same for an array: where it is as far as it was, nothing has changed for them. */
static void dep_index_append_at_stage(struct dep_index *x, const struct model *m, uint32_t array,
                                      struct dep_list *ret)
{
    struct dep_waiting *l = idmap_get(&x->waiting, array);
    uint32_t stage = dep_index_stage_of(m, array);
    if (!l || (l->stage == stage && model_get_tally(m, array)))
        return;
    l->stage = stage;
    dep_index_append_all(x, m, array, ret);
}

/* Of those of one name: who has been met before and waits for the one that runs, and the first that has
 * not. Those in front of it that no longer wait are forgotten. */
static void dep_index_append_first(struct dep_index *x, const struct model *m, uint64_t key,
                                   struct dep_list *ret)
{
    struct dep_waiting *l = idmap_get(&x->waiting, key);
    size_t at = 0, n = 0;
    if (!l)
        return;
    for (bool met = true; met && at < l->v.n; at++) {
        uint32_t id = l->v.v[at];
        if (!dep_index_still_waits(m, id, key))
            continue;
        met = model_get_job(m, id)->dep_met;
        l->v.v[n++] = id;
        vec_push(&ret->v, id);
    }
    memmove(&l->v.v[n], &l->v.v[at], (l->v.n - at) * sizeof *l->v.v);
    l->v.n -= at - n;
    dep_index_drop_if_empty(x, key, l);
}

void dep_index_renamed(struct dep_index *x, const struct model *m, uint32_t uid, const char *name,
                       struct dep_list *ret)
{
    dep_index_append_first(x, m, dep_index_name_key(uid, name, false), ret);
    dep_index_append_all(x, m, dep_index_name_key(uid, name, true), ret);
}

/* --- in and out --- */

/* Whether it is the first of its name that waits. */
static bool dep_index_leads(struct dep_index *x, const struct model *m, const struct job *j)
{
    struct dep_list first = {VEC_INIT};
    dep_index_append_first(x, m, dep_index_name_key(j->uid, j->req.name, false), &first);
    bool found = dep_index_is_split_off(j) || j->dep_met;
    vec_for_each (&first.v, i)
        found = found || first.v.v[i] == j->id;
    vec_fini(&first.v);
    return found;
}

bool dep_index_add(struct dep_index *x, const struct model *m, const struct job *j)
{
    struct deps d;
    bool may = true;
    if (j->state != JOB_PENDING || str_is_empty(j->req.dependency) ||
        dep_parse(j->req.dependency, &d, NULL) < 0)
        return false;
    for (size_t i = 0; i < d.n; i++) {
        uint64_t keys[2];
        for (size_t k = dep_index_keys_of(j, &d.v[i], keys); k-- > 0;)
            dep_index_wait_for(x, m, keys[k], j->id);
        if (d.v[i].type == DEP_TYPE_SINGLETON && !d.any)
            may = dep_index_leads(x, m, j);
    }
    may = may && d.n;
    deps_fini(&d);
    return may;
}

void dep_index_touched(struct dep_index *x, const struct model *m, const struct job *j,
                       struct dep_list *ret)
{
    if (!x->waiting.n)
        return;
    bool over = job_state_is_final(j->state);
    if (!j->array_job) {
        dep_index_append_all(x, m, j->id, ret);
        dep_index_append_all(x, m, j->id | KEY_EACH, ret); /* the whole of a job without elements */
    } else {
        dep_index_append_at_stage(x, m, j->array_job, ret);
        if (j->id != j->array_job) {
            dep_index_append_all(x, m, j->id, ret);
            dep_index_append_all(x, m, j->id | KEY_EACH, ret);
        }
        if (j->array_index != ARRAY_NONE)
            dep_index_append_all(x, m, dep_index_element_key(j->array_job, j->array_index), ret);
        if (over || (j->state == JOB_PENDING && j->array_index != ARRAY_NONE))
            dep_index_append_all(x, m, j->array_job | KEY_EACH, ret);
        if (over && j->array_index == ARRAY_NONE) /* what had not started will never */
            dep_index_append_all(x, m, j->array_job | KEY_ANY, ret);
    }
    dep_index_renamed(x, m, j->uid, j->req.name, ret);
}

/* The last one tells, mostly. */
static bool dep_index_is_waited_for(struct dep_index *x, const struct model *m, uint64_t key)
{
    struct dep_waiting *l = x->waiting.n ? idmap_get(&x->waiting, key) : NULL;
    if (!l)
        return false;
    while (l->v.n && !dep_index_still_waits(m, l->v.v[l->v.n - 1], key))
        l->v.n--;
    bool any = l->v.n > 0;
    dep_index_drop_if_empty(x, key, l);
    return any;
}

bool dep_index_names(struct dep_index *x, const struct model *m, const struct job *j)
{
    return dep_index_is_waited_for(x, m, j->id) || dep_index_is_waited_for(x, m, j->id | KEY_ANY);
}

/* --- times --- */

void dep_index_remind(struct dep_index *x, uint32_t job, struct wall at)
{
    struct dep_timer *t = idmap_get(&x->timers, job);
    if (!t) {
        t = xcalloc(1, sizeof *t);
        t->job = job;
        idmap_set(&x->timers, job, t);
    }
    heap_remove(&x->due, &t->node);
    heap_insert(&x->due, &t->node, at.ms);
}

struct wall dep_index_due(struct dep_index *x, struct wall now, struct dep_list *ret)
{
    struct heap_node *first;
    while ((first = heap_peek(&x->due)) && first->key <= now.ms) {
        struct dep_timer *t = container_of(heap_pop(&x->due), struct dep_timer, node);
        vec_push(&ret->v, t->job);
        free(idmap_remove(&x->timers, t->job));
    }
    return (struct wall){.ms = first ? first->key : 0};
}

/* --- as causes --- */

static bool dep_index_never_starts(const struct model *m, const struct job *j, struct wall now)
{
    struct deps deps;
    if (str_is_empty(j->req.dependency) || dep_parse(j->req.dependency, &deps, NULL) < 0)
        return false;
    bool never = dep_state(m, j, &deps, ARRAY_NONE, now, NULL) == DEP_NEVER;
    deps_fini(&deps);
    return never;
}

static enum cause_code dep_index_state_code(const struct model *m, const struct job *j, const struct dep *d,
                                            struct wall now)
{
    if (!j)
        return model_get_job(m, d->job) ? CAUSE_STATE_ENDED : CAUSE_STATE_UNKNOWN;
    if (j->state == JOB_PENDING && wall_is_set(j->t_eligible))
        return j->hold == HOLD_NONE ? CAUSE_STATE_WAITING : CAUSE_STATE_HELD;
    if (j->state == JOB_PENDING)
        return dep_index_never_starts(m, j, now) ? CAUSE_STATE_NEVER : CAUSE_STATE_DEPENDS;
    return job_state_is_final(j->state) && !job_succeeded(j) ? CAUSE_STATE_FAILED : CAUSE_STATE_OTHER;
}

/* The state of the job that is waited for. */
static void dep_index_add_state(const struct model *m, const struct dep *d, struct wall now,
                                struct cause *ret)
{
    const struct job *j =
        d->index == ARRAY_NONE ? model_get_job(m, d->job) : model_get_element(m, d->job, d->index);
    const struct array_tally *t = d->index == ARRAY_NONE ? model_get_tally(m, d->job) : NULL;
    if (t && j && j->array_job == j->id) {
        struct cause *c = cause_add(ret, CAUSE_STATE_ARRAY);
        c->n = t->pending ? job_pending_elements(j) + t->pending - 1 : 0;
        c->of = t->active;
        c->most = t->bad;
        for (size_t i = 0; i < job_rare(j)->array_failed.n; i++)
            c->most += job_rare(j)->array_failed.v[i].last - job_rare(j)->array_failed.v[i].first + 1;
        return;
    }
    struct cause *c = cause_add(ret, dep_index_state_code(m, j, d, now));
    if (!j)
        return;
    ret->state = c->state = j->state;
    c->n = (uint64_t)(int64_t)j->exit_code;
    c->of = (uint64_t)(int64_t)j->exit_signal;
}

static const struct job *dep_index_same_name(const struct model *m, const struct job *j)
{
    list_for_each (a, &m->active, struct job, in_queue)
        if (a != j && a->uid == j->uid && str_eq(a->req.name, j->req.name))
            return a;
    list_for_each (p, &m->pending, struct job, in_queue) {
        if (p == j)
            break;
        if (p->uid == j->uid && str_eq(p->req.name, j->req.name))
            return p;
    }
    return NULL;
}

static void dep_index_explain_one(const struct model *m, const struct job *j, const struct dep *d,
                                  enum dep_state s, struct wall clears, struct wall now, struct cause *ret)
{
    if (d->type == DEP_TYPE_SINGLETON) {
        const struct job *other = dep_index_same_name(m, j);
        struct cause *c = cause_add(ret, CAUSE_DEPENDS_ON_NAME);
        c->id = model_job_name(m, other ? other->id : 0);
        c->name = xstrdup(j->req.name ? j->req.name : "");
        return;
    }
    struct cause *c = cause_add(ret, CAUSE_DEPENDS_ON);
    c->what = d->type;
    c->dead = s == DEP_NEVER;
    c->array = d->index == ARRAY_NONE && model_get_tally(m, d->job);
    c->id = d->index == ARRAY_NONE ? xasprintf("%u", d->job) : xasprintf("%u_%u", d->job, d->index);
    if (wall_is_set(clears))
        c->n = (uint64_t)wall_elapsed_s(now, clears);
    dep_index_add_state(m, d, now, c);
}

void dep_explain(const struct model *m, const struct job *j, struct wall now, struct cause *ret)
{
    struct deps deps;
    if (dep_parse(j->req.dependency, &deps, NULL) < 0) {
        cause_set(ret, CAUSE_DEPENDENCY_UNREADABLE)->text = xstrdup(j->req.dependency);
        return;
    }
    bool dead = dep_state(m, j, &deps, ARRAY_NONE, now, NULL) == DEP_NEVER;
    cause_set(ret, dead ? CAUSE_DEPENDENCY_NEVER : CAUSE_DEPENDENCY)->any = deps.any;
    for (size_t i = 0; i < deps.n; i++) {
        struct wall clears = {0};
        enum dep_state s = dep_one_state(m, j, &deps.v[i], ARRAY_NONE, now, &clears);
        if (s == DEP_MET || (dead && s != DEP_NEVER))
            continue;
        if (ret->parts.n < NAMED_MAX)
            dep_index_explain_one(m, j, &deps.v[i], s, clears, now, ret);
        else
            ret->more++;
    }
    deps_fini(&deps);
}
