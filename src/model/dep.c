/* dep.c - the grammar of --dependency, and whether one is met. */
#include "src/model/dep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/vec.h"
#include "src/model/array.h"
#include "src/values/units.h"

#define WORD_MAX 32 /* longer than any of the words */

static const char *type_word(enum dep_type t)
{
    static const char *const words[DEP_N_TYPES] = {
#define X(name, word) [DEP_TYPE_##name] = word,
        DEP_TYPES(X)
#undef X
    };
    bug_on((unsigned)t >= DEP_N_TYPES);
    return words[t];
}

/* --- the grammar --- */

struct reader {
    const char *at;
    VEC(struct dep) found;
    char joint; /* ',' or '?' once one was seen */
    struct errtext *err;
};

/* What is wrong, and a piece of the text from there on. */
static int complain(const struct reader *r, const char *at, const char *what)
{
    return err_set(r->err, -EINVAL, "dependency \"%.40s\": %s", at, what);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int dep_take_number(struct reader *r, const char *what, uint32_t most, uint32_t *ret)
{
    uint64_t n;
    const char *from = r->at;
    if (!digits_take(&r->at, &n))
        return complain(r, from, what);
    if (n > most)
        return complain(r, from, "the number is too large");
    *ret = (uint32_t)n;
    return 0;
}

/* N, N_k, and behind `after` a +minutes. */
static int take_job(struct reader *r, enum dep_type type)
{
    struct dep d = {.type = type, .index = ARRAY_NONE};
    const char *from = r->at;
    int rc = dep_take_number(r, "a job id is missing", UINT32_MAX - 1, &d.job);
    if (!rc && !d.job)
        return complain(r, from, "there is no job 0");
    if (!rc && *r->at == '_') {
        r->at++;
        rc = dep_take_number(r, "an array index is missing", ARRAY_NONE - 1, &d.index);
    }
    if (!rc && *r->at == '+') {
        if (type != DEP_TYPE_AFTER)
            return complain(r, from, "only after:JOB takes +MINUTES");
        r->at++;
        rc = dep_take_number(r, "the minutes are missing", UINT32_MAX / 120, &d.delay_s);
        d.delay_s *= 60;
    }
    if (!rc)
        vec_push(&r->found, d);
    return rc;
}

static int find_type(const struct reader *r, const char *word, size_t n, enum dep_type *ret)
{
    for (enum dep_type t = 0; t < DEP_N_TYPES; t++)
        if (strlen(type_word(t)) == n && strncasecmp(type_word(t), word, n) == 0) {
            *ret = t;
            return 0;
        }
    if ((n == 6 && !strncasecmp(word, "expand", n)) ||
        (n == 16 && !strncasecmp(word, "afterburstbuffer", n)))
        return complain(r, word, "not supported");
    return complain(r, word, "known are after, afterany, afterok, afternotok, aftercorr and singleton");
}

static int take_item(struct reader *r)
{
    enum dep_type type = DEP_TYPE_ANY;
    if (!is_digit(*r->at)) {
        const char *word = r->at;
        size_t n = strcspn(word, ":,?");
        if (!n || n > WORD_MAX)
            return complain(r, word, n ? "no such kind" : "something is missing here");
        int rc = find_type(r, word, n, &type);
        if (rc)
            return rc;
        r->at += n;
        if (type == DEP_TYPE_SINGLETON) {
            vec_push(&r->found, (struct dep){.type = type, .index = ARRAY_NONE});
            return *r->at == ':' ? complain(r, word, "singleton names no job") : 0;
        }
        if (*r->at != ':')
            return complain(r, word, "it names no job");
        r->at++;
    }
    for (;;) {
        int rc = take_job(r, type);
        if (rc || *r->at != ':')
            return rc;
        r->at++;
    }
}

static int take_list(struct reader *r)
{
    for (;;) {
        int rc = take_item(r);
        if (rc || !*r->at)
            return rc;
        char joint = *r->at;
        if (joint != ',' && joint != '?')
            return complain(r, r->at, "not understood");
        if (r->joint && r->joint != joint)
            return complain(r, r->at, "either ',' (all) or '?' (any) between them, not both");
        r->joint = joint;
        r->at++;
    }
}

int dep_parse(const char *text, struct deps *ret, struct errtext *err)
{
    struct reader r = {.at = text, .err = err};
    int rc = str_is_empty(text) ? 0 : take_list(&r);
    if (rc) {
        vec_fini(&r.found);
        return rc;
    }
    *ret = (struct deps){.v = r.found.v, .n = r.found.n, .any = r.joint == '?'};
    return 0;
}

void deps_fini(struct deps *d)
{
    free(d->v);
    *d = (struct deps){0};
}

void dep_format_one(const struct dep *d, struct str *out)
{
    str_append(out, type_word(d->type));
    if (d->type == DEP_TYPE_SINGLETON)
        return;
    str_appendf(out, ":%u", d->job);
    if (d->index != ARRAY_NONE)
        str_appendf(out, "_%u", d->index);
    if (d->delay_s)
        str_appendf(out, "+%u", d->delay_s / 60);
}

void dep_format(const struct deps *d, struct str *out)
{
    for (size_t i = 0; i < d->n; i++) {
        if (i)
            str_append_char(out, d->any ? '?' : ',');
        dep_format_one(&d->v[i], out);
    }
}

/* --- what has become of the jobs --- */

/* Of one job, or of all elements of an array together. */
struct fate {
    bool known;
    bool started;        /* all of them have, or can no longer */
    bool ended, ok, bad; /* all; all with success so far; one without */
    struct wall last_start;
};

static void add_fate(struct fate *f, const struct job *j)
{
    bool over = job_state_is_final(j->state);
    bool started = over || wall_is_set(j->t_start);
    struct wall t = wall_is_set(j->t_start) ? j->t_start : j->t_end;
    f->started = f->started && started;
    f->ended = f->ended && over;
    f->ok = f->ok && over && job_succeeded(j);
    f->bad = f->bad || (over && !job_succeeded(j));
    if (started && t.ms > f->last_start.ms)
        f->last_start = t;
}

static bool in_ranges(const struct index_range *v, size_t n, uint32_t index)
{
    for (size_t i = 0; i < n; i++)
        if (index >= v[i].first && index <= v[i].last && (index - v[i].first) % v[i].step == 0)
            return true;
    return false;
}

static struct fate fate_of_element(const struct model *m, const struct job *array, uint32_t index)
{
    struct fate f = {.known = true, .started = true, .ended = true, .ok = true};
    const struct job *e = model_get_element(m, array->id, index);
    if (e && job_is_array_record(e)) {
        f.started = f.ended = f.ok = e->state != JOB_PENDING;
        f.bad = job_state_is_final(e->state); /* cancelled before it could start */
        f.ok = false;
    } else if (e) {
        add_fate(&f, e);
    } else { /* retired */
        f.known = array_had(array, index);
        f.bad = in_ranges(job_rare(array)->array_failed.v, job_rare(array)->array_failed.n, index);
        f.ok = !f.bad;
    }
    return f;
}

static struct fate fate_of_array(const struct model *m, const struct job *array)
{
    const struct array_tally *t = model_get_tally(m, array->id);
    struct fate f = {.known = true};
    f.started = !t->pending;
    f.ended = !t->pending && !t->active;
    f.bad = t->bad || job_rare(array)->array_failed.n;
    f.ok = f.ended && !f.bad;
    f.last_start = t->last_start;
    return f;
}

static struct fate fate_of(const struct model *m, const struct dep *d, uint32_t index)
{
    const struct job *j = model_get_job(m, d->job);
    struct fate f = {.known = true, .started = true, .ended = true, .ok = true};
    if (!j)
        return (struct fate){.known = false};
    bool array = j->array_job == j->id;
    if (index != ARRAY_NONE)
        return array ? fate_of_element(m, j, index) : (struct fate){.known = false};
    if (array)
        return fate_of_array(m, j);
    add_fate(&f, j);
    return f;
}

static enum dep_state state_of_after(const struct fate *f, uint32_t delay_s, struct wall now,
                                     struct wall *ret_clears)
{
    if (!f->started)
        return DEP_WAIT;
    struct wall over = wall_add_s(f->last_start, delay_s);
    if (over.ms <= now.ms || !delay_s)
        return DEP_MET;
    if (ret_clears && (!wall_is_set(*ret_clears) || over.ms < ret_clears->ms))
        *ret_clears = over;
    return DEP_WAIT;
}

static bool same_name(const struct job *a, const struct job *b)
{
    return a != b && a->uid == b->uid && str_eq(a->req.name, b->req.name);
}

static bool same_name_is_active(const struct model *m, const struct job *j)
{
    list_for_each (a, &m->active, struct job, in_queue)
        if (same_name(a, j))
            return true;
    return false;
}

/* One at a time, in the order of submission. An element does not wait for its own array's record. */
static enum dep_state state_of_singleton(const struct model *m, const struct job *j)
{
    uint32_t array = j->array_job ? j->array_job : j->id;
    if (same_name_is_active(m, j))
        return DEP_WAIT;
    list_for_each (p, &m->pending, struct job, in_queue) {
        if (p == j)
            break;
        if (same_name(p, j) && p->array_job != array)
            return DEP_WAIT;
    }
    return DEP_MET;
}

static enum dep_state state_of_fate(const struct dep *d, enum dep_type type, const struct fate *f,
                                    struct wall now, struct wall *ret_clears)
{
    if (!f->known)
        return DEP_NEVER;
    switch (type) {
    case DEP_TYPE_AFTER: return state_of_after(f, d->delay_s, now, ret_clears);
    case DEP_TYPE_ANY: return f->ended ? DEP_MET : DEP_WAIT;
    case DEP_TYPE_OK:
    case DEP_TYPE_CORR: return f->bad ? DEP_NEVER : f->ok && f->ended ? DEP_MET : DEP_WAIT;
    case DEP_TYPE_NOT_OK: return !f->ended ? DEP_WAIT : f->bad ? DEP_MET : DEP_NEVER;
    case DEP_TYPE_SINGLETON:
    case DEP_N_TYPES: break;
    }
    return DEP_MET;
}

/* The last index of the other array's waiting elements around k; k itself where that one does not wait. */
static uint32_t waits_until(const struct job *array, uint32_t k)
{
    for (size_t i = 0; array && i < job_rare(array)->array_pending.n; i++) {
        const struct index_range *r = &job_rare(array)->array_pending.v[i];
        if (r->step == 1 && k >= r->first && k <= r->last)
            return r->last;
    }
    return k;
}

/* Element by element: the record may go as soon as one of them may. Where whole ranges of the other array
 * have not started they are passed over. */
static enum dep_state state_of_record(const struct model *m, const struct job *j, const struct dep *d,
                                      struct wall now)
{
    const struct job *array = model_get_job(m, d->job);
    enum dep_state best = DEP_NEVER;
    for (size_t i = 0; i < job_rare(j)->array_pending.n; i++) {
        const struct index_range *r = &job_rare(j)->array_pending.v[i];
        for (uint64_t k = r->first; k <= r->last; k += r->step) {
            struct fate f = fate_of(m, d, (uint32_t)k);
            enum dep_state s = state_of_fate(d, d->type, &f, now, NULL);
            if (s == DEP_MET)
                return s;
            best = s == DEP_WAIT ? s : best;
            uint64_t skip = s == DEP_WAIT ? (waits_until(array, (uint32_t)k) - k) / r->step : 0;
            k += skip * r->step;
        }
    }
    return best;
}

static bool is_by_element(const struct model *m, const struct job *j, const struct dep *d)
{
    const struct job *other = model_get_job(m, d->job);
    return d->type == DEP_TYPE_CORR && d->index == ARRAY_NONE && j->array_job && other &&
           other->array_job == other->id;
}

enum dep_state dep_one_state(const struct model *m, const struct job *j, const struct dep *d,
                             uint32_t index, struct wall now, struct wall *ret_clears)
{
    if (d->type == DEP_TYPE_SINGLETON)
        return state_of_singleton(m, j);
    uint32_t of = d->index;
    if (is_by_element(m, j, d)) {
        of = index != ARRAY_NONE ? index : j->array_index;
        if (of == ARRAY_NONE)
            return state_of_record(m, j, d, now);
    }
    struct fate f = fate_of(m, d, of);
    return state_of_fate(d, d->type, &f, now, ret_clears);
}

/* What was met stays met, but there is only ever one singleton. */
static enum dep_state state_when_met(const struct model *m, const struct job *j, const struct deps *d)
{
    for (size_t i = 0; i < d->n && !d->any; i++)
        if (d->v[i].type == DEP_TYPE_SINGLETON)
            return same_name_is_active(m, j) ? DEP_WAIT : DEP_MET;
    return DEP_MET;
}

enum dep_state dep_state(const struct model *m, const struct job *j, const struct deps *d, uint32_t index,
                         struct wall now, struct wall *ret_clears)
{
    if (j->dep_met || !d->n)
        return state_when_met(m, j, d);
    bool waits = false, dead = false;
    for (size_t i = 0; i < d->n; i++) {
        enum dep_state s = dep_one_state(m, j, &d->v[i], index, now, ret_clears);
        if (s == DEP_MET && d->any)
            return DEP_MET;
        waits = waits || s == DEP_WAIT;
        dead = dead || s == DEP_NEVER;
    }
    if (d->any)
        return waits ? DEP_WAIT : DEP_NEVER;
    return dead ? DEP_NEVER : waits ? DEP_WAIT : DEP_MET;
}

bool dep_is_final(const struct model *m, const struct job *j, const struct deps *d)
{
    for (size_t i = 0; i < d->n && job_is_array_record(j); i++)
        if (is_by_element(m, j, &d->v[i]))
            return false;
    return true;
}

enum dep_state dep_past_state(enum dep_type type, bool succeeded)
{
    struct dep d = {.type = type};
    struct fate f = {.known = true, .started = true, .ended = true, .ok = succeeded, .bad = !succeeded};
    return state_of_fate(&d, type, &f, (struct wall){0}, NULL);
}

bool dep_is_singleton(const struct job *j)
{
    struct deps d;
    if (str_is_empty(j->req.dependency) || dep_parse(j->req.dependency, &d, NULL) < 0)
        return false;
    bool found = false;
    for (size_t i = 0; i < d.n; i++)
        found = found || d.v[i].type == DEP_TYPE_SINGLETON;
    deps_fini(&d);
    return found;
}

enum dep_state dep_job_state(const struct model *m, const struct job *j, uint32_t index, struct wall now,
                             struct wall *ret_clears)
{
    struct deps d;
    if (str_is_empty(j->req.dependency))
        return DEP_MET;
    if (dep_parse(j->req.dependency, &d, NULL) < 0)
        return DEP_NEVER;
    enum dep_state s = dep_state(m, j, &d, index, now, ret_clears);
    deps_fini(&d);
    return s;
}
