/* depend.c - who waits for whom, and the words for it. */
#include "backend/sched/depend.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/units.h"

#define NAMED_MAX 8 /* jobs that a text names one by one */

void dep_index_init(struct dep_index *x)
{
    *x = (struct dep_index){0};
}

void dep_index_fini(struct dep_index *x)
{
    idmap_for_each (&x->waiting, slot) {
        vec_fini(&((struct dep_list *)slot->value)->v);
        free(slot->value);
    }
    idmap_fini(&x->waiting);
    vec_fini(&x->timers);
    dep_index_init(x);
}

/* Of all jobs of that user and name: beyond the ids. */
static uint64_t name_key(const struct job *j)
{
    const char *name = j->req.name ? j->req.name : "";
    return (hash_bytes(name, strlen(name)) ^ (uint64_t)j->uid * UINT64_C(0x9e3779b97f4a7c15)) | UINT64_C(1)
                                                                                                    << 63;
}

static void wait_for(struct dep_index *x, uint64_t key, uint32_t job)
{
    struct dep_list *l = idmap_get(&x->waiting, key);
    if (!l) {
        l = xcalloc(1, sizeof *l);
        idmap_set(&x->waiting, key, l);
    }
    /* One that comes again later stands there twice, which costs a look: searching would cost more. */
    if (!l->v.n || l->v.v[l->v.n - 1] != job)
        vec_push(&l->v, job);
}

void dep_index_add(struct dep_index *x, const struct model *m, const struct job *j)
{
    struct deps d;
    (void)m;
    if (j->state != JOB_PENDING || str_is_empty(j->req.dependency) ||
        dep_parse(j->req.dependency, &d, NULL) < 0)
        return;
    for (size_t i = 0; i < d.n; i++) {
        if (d.v[i].type == DEP_TYPE_SINGLETON)
            wait_for(x, name_key(j), j->id);
        else if (!j->dep_met)
            wait_for(x, d.v[i].job, j->id);
    }
    deps_fini(&d);
}

void dep_index_build(struct dep_index *x, const struct model *m)
{
    dep_index_fini(x);
    list_for_each (j, &m->pending, struct job, in_queue)
        dep_index_add(x, m, j);
}

/* Whether that job still waits for the key. */
static bool still_waits(const struct model *m, uint32_t job, uint64_t key)
{
    const struct job *j = model_get_job(m, job);
    struct deps d;
    if (!j || j->state != JOB_PENDING || dep_parse(j->req.dependency, &d, NULL) < 0)
        return false;
    bool found = false;
    for (size_t i = 0; i < d.n && !found; i++)
        found = d.v[i].type == DEP_TYPE_SINGLETON ? key == name_key(j) : !j->dep_met && key == d.v[i].job;
    deps_fini(&d);
    return found;
}

static void drop_if_empty(struct dep_index *x, uint64_t key, struct dep_list *l)
{
    if (l->v.n)
        return;
    vec_fini(&l->v);
    free(idmap_remove(&x->waiting, key));
}

/* Those that wait for it, forgetting the others. */
static void append_all(struct dep_index *x, const struct model *m, uint64_t key, struct dep_list *ret)
{
    struct dep_list *l = idmap_get(&x->waiting, key);
    size_t n = 0;
    if (!l)
        return;
    vec_for_each (&l->v, i) {
        if (!still_waits(m, l->v.v[i], key))
            continue;
        l->v.v[n++] = l->v.v[i];
        vec_push(&ret->v, l->v.v[i]);
    }
    l->v.n = n;
    drop_if_empty(x, key, l);
}

void dep_index_touched(struct dep_index *x, const struct model *m, const struct job *j,
                       struct dep_list *ret)
{
    if (!x->waiting.n)
        return;
    append_all(x, m, j->id, ret);
    if (j->array_job && j->array_job != j->id)
        append_all(x, m, j->array_job, ret);
    append_all(x, m, name_key(j), ret);
}

/* The last one tells, mostly. */
bool dep_index_names(struct dep_index *x, const struct model *m, const struct job *j)
{
    struct dep_list *l = x->waiting.n ? idmap_get(&x->waiting, j->id) : NULL;
    if (!l)
        return false;
    while (l->v.n && !still_waits(m, l->v.v[l->v.n - 1], j->id))
        l->v.n--;
    bool any = l->v.n > 0;
    drop_if_empty(x, j->id, l);
    return any;
}

void dep_index_remind(struct dep_index *x, uint32_t job, struct wall at)
{
    vec_for_each (&x->timers, i)
        if (x->timers.v[i].job == job) {
            x->timers.v[i].at = at;
            return;
        }
    vec_push(&x->timers, (struct dep_timer){.at = at, .job = job});
}

struct wall dep_index_due(struct dep_index *x, struct wall now, struct dep_list *ret)
{
    struct wall next = {0};
    for (size_t i = x->timers.n; i-- > 0;) {
        struct dep_timer t = x->timers.v[i];
        if (t.at.ms <= now.ms) {
            vec_push(&ret->v, t.job);
            vec_remove(&x->timers, i);
        } else if (!wall_is_set(next) || t.at.ms < next.ms) {
            next = t.at;
        }
    }
    return next;
}

/* --- in words --- */

static const char *what_words(enum dep_type t)
{
    static const char *const words[DEP_N_TYPES] = {
#define X(name, word, what) [DEP_TYPE_##name] = what,
        DEP_TYPES(X)
#undef X
    };
    return words[t];
}

/* The state of the job waited for, as one says it. */
static void append_state(const struct model *m, const struct dep *d, struct str *out)
{
    const struct job *j =
        d->index == ARRAY_NONE ? model_get_job(m, d->job) : model_get_element(m, d->job, d->index);
    const struct array_tally *t = d->index == ARRAY_NONE ? model_get_tally(m, d->job) : NULL;
    if (t && j && j->array_job == j->id) {
        uint32_t waiting = t->pending ? job_pending_elements(j) + t->pending - 1 : 0;
        str_appendf(out, " (array: %u waiting, %u running", waiting, t->active);
        size_t bad = t->bad;
        for (size_t i = 0; i < j->array_failed.n; i++)
            bad += j->array_failed.v[i].last - j->array_failed.v[i].first + 1;
        str_appendf(out, bad ? ", %zu failed)" : ")", bad);
    } else if (!j) {
        str_append(out, model_get_job(m, d->job) ? " (ended)" : " (no longer known)");
    } else if (j->state == JOB_PENDING && wall_is_set(j->t_eligible)) {
        str_append(out, j->hold == HOLD_NONE ? " (waiting)" : " (held)");
    } else if (j->state == JOB_PENDING) {
        str_append(out, " (waiting itself for another)");
    } else if (job_state_is_final(j->state) && !job_succeeded(j)) {
        str_appendf(out, " (%s, exit %d:%d)", job_state_long(j->state), j->exit_code, j->exit_signal);
    } else {
        str_appendf(out, " (%s)", job_state_long(j->state));
    }
}

static const struct job *namesake(const struct model *m, const struct job *j)
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

static void explain_one(const struct model *m, const struct job *j, const struct dep *d, enum dep_state s,
                        struct wall clears, struct wall now, struct str *out)
{
    char buf[UNITS_TEXT_SIZE];
    if (d->type == DEP_TYPE_SINGLETON) {
        const struct job *other = namesake(m, j);
        str_appendf(out, "job %u of the same name and user to end", other ? other->id : 0);
        return;
    }
    str_appendf(out, "%s %u", d->index == ARRAY_NONE && model_get_tally(m, d->job) ? "array" : "job",
                d->job);
    if (d->index != ARRAY_NONE)
        str_appendf(out, "_%u", d->index);
    append_state(m, d, out);
    str_appendf(out, " %s%s", s == DEP_NEVER ? "had " : "", what_words(d->type));
    if (wall_is_set(clears))
        str_appendf(out, ", which it did; %s more",
                    duration_format_words(wall_elapsed_s(now, clears), buf));
}

void dep_explain(const struct model *m, const struct job *j, struct wall now, struct str *out)
{
    struct deps deps;
    if (dep_parse(j->req.dependency, &deps, NULL) < 0) {
        str_appendf(out, "its dependency %s cannot be read", j->req.dependency);
        return;
    }
    bool dead = dep_state(m, j, &deps, ARRAY_NONE, now, NULL) == DEP_NEVER;
    str_append(out, dead ? "can never start: " : "waits for ");
    size_t n = 0, more = 0;
    for (size_t i = 0; i < deps.n; i++) {
        struct wall clears = {0};
        enum dep_state s = dep_one_state(m, j, &deps.v[i], ARRAY_NONE, now, &clears);
        if (s == DEP_MET || (dead && s != DEP_NEVER))
            continue;
        if (n++ >= NAMED_MAX) {
            more++;
            continue;
        }
        if (n > 1)
            str_append(out, deps.any ? " or " : "; ");
        explain_one(m, j, &deps.v[i], s, clears, now, out);
    }
    if (more)
        str_appendf(out, " and %zu more", more);
    deps_fini(&deps);
}
