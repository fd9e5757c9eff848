/* licence.c - licences: counters of the cluster. */
#include "backend/sched/limits/licence.h"

#include <errno.h>
#include <stdlib.h>

#include "src/values/units.h"

#define COUNT_MAX   1000000
#define HOLDERS_MAX 8 /* that a text names */

/* why NULL: no-op. Returns code. */
static int licence_fault(struct cause *why, int error, enum cause_code code, const char *name)
{
    if (cause_set(why, code))
        why->name = xstrdup(name);
    return error;
}

static int licence_take_item(const struct model *m, char *item, struct licence_list *ret, struct cause *why)
{
    struct errtext err;
    int64_t n = 1;
    char *number = strpbrk(item, ":*=");
    if (number)
        *number++ = '\0';
    if (number && int_parse(number, 0, COUNT_MAX, &n, &err) < 0) {
        licence_fault(why, -EINVAL, CAUSE_LICENCE_UNREADABLE, item);
        if (why)
            why->text = xstrdup(err.s);
        return -EINVAL;
    }
    const struct license_spec *spec = spec_find_license(&m->spec, item);
    if (!spec)
        return licence_fault(why, -ENOENT, CAUSE_NO_LICENCE, item);
    struct licence *l = NULL;
    vec_for_each (&ret->v, i)
        if (ret->v.v[i].spec == spec)
            l = &ret->v.v[i];
    if (!l) {
        vec_push(&ret->v, (struct licence){.spec = spec});
        l = &ret->v.v[ret->v.n - 1];
    }
    l->count += (uint32_t)n;
    if (l->count <= spec->count)
        return 0;
    licence_fault(why, -ERANGE, CAUSE_LICENCE_COUNT, spec->name);
    if (why) {
        why->asked = l->count;
        why->most = spec->count;
    }
    return -ERANGE;
}

int licence_parse(const struct model *m, const char *text, struct licence_list *ret, struct cause *why)
{
    struct licence_list l = {VEC_INIT};
    struct strv items = strv_split(text, ",;");
    int r = 0;
    for (size_t i = 0; i < items.n && r == 0; i++)
        r = licence_take_item(m, str_trim(items.v[i]), &l, why);
    strv_fini(&items);
    if (r < 0)
        licence_fini(&l);
    else
        *ret = l;
    return r;
}

void licence_fini(struct licence_list *l)
{
    vec_fini(&l->v);
}

/* --- what is in use --- */

static bool licence_wants_any(const struct job *j)
{
    return !str_is_empty(req_detail(&j->req)->licenses);
}

bool licence_holds(const struct job *j)
{
    return licence_wants_any(j) && j->state != JOB_PENDING && !job_state_is_final(j->state);
}

static size_t licence_position(const struct model *m, const struct license_spec *spec)
{
    return (size_t)(spec - m->spec.licenses.v);
}

void licence_list_held(const struct model *m, const char *text, struct licence_list *ret)
{
    struct strv items = strv_split(text, ",;");
    *ret = (struct licence_list){VEC_INIT};
    for (size_t i = 0; i < items.n; i++)
        (void)licence_take_item(m, str_trim(items.v[i]), ret, NULL);
    strv_fini(&items);
}

void licence_book(struct licence_use *u, const struct model *m, const char *text, bool give)
{
    struct licence_list l;
    licence_list_held(m, text, &l);
    for (size_t i = 0; i < l.v.n && u->used.n; i++) {
        uint32_t *used = &u->used.v[licence_position(m, l.v.v[i].spec)];
        *used = give ? *used - l.v.v[i].count : *used + l.v.v[i].count;
    }
    licence_fini(&l);
}

void licence_copy(struct licence_use *to, const struct licence_use *from)
{
    vec_clear(&to->used);
    vec_for_each (&from->used, i)
        vec_push(&to->used, from->used.v[i]);
}

void licence_use_init(struct licence_use *u, const struct model *m)
{
    *u = (struct licence_use){VEC_INIT};
    for (size_t i = 0; i < m->spec.licenses.n; i++)
        vec_push(&u->used, 0);
    if (!u->used.n)
        return;
    list_for_each (j, &m->active, struct job, in_queue)
        if (licence_holds(j))
            licence_book(u, m, req_detail(&j->req)->licenses, false);
}

void licence_use_fini(struct licence_use *u)
{
    vec_fini(&u->used);
}

bool licence_list_fits(const struct licence_use *u, const struct model *m, const struct licence_list *l)
{
    bool fits = true;
    vec_for_each (&l->v, i)
        fits = fits &&
               u->used.v[licence_position(m, l->v.v[i].spec)] + l->v.v[i].count <= l->v.v[i].spec->count;
    return fits;
}

bool licence_fits(const struct licence_use *u, const struct model *m, const struct job *j)
{
    struct licence_list l = {VEC_INIT};
    if (!licence_wants_any(j))
        return true;
    if (licence_parse(m, req_detail(&j->req)->licenses, &l, NULL) < 0)
        return false;
    bool fits = licence_list_fits(u, m, &l);
    licence_fini(&l);
    return fits;
}

void licence_take(struct licence_use *u, const struct model *m, const struct job *j)
{
    if (licence_wants_any(j))
        licence_book(u, m, req_detail(&j->req)->licenses, false);
}

/* --- as a cause --- */

static uint32_t licence_count_of(const struct model *m, const struct job *j,
                                 const struct license_spec *spec)
{
    struct licence_list l = {VEC_INIT};
    uint32_t n = 0;
    if (licence_parse(m, req_detail(&j->req)->licenses, &l, NULL) < 0)
        return 0;
    vec_for_each (&l.v, i)
        n += l.v.v[i].spec == spec ? l.v.v[i].count : 0;
    licence_fini(&l);
    return n;
}

static void licence_add_holders(const struct model *m, const struct license_spec *spec, struct cause *ret)
{
    list_for_each (j, &m->active, struct job, in_queue) {
        if (!licence_holds(j) || !licence_count_of(m, j, spec))
            continue;
        if (ret->jobs.n < HOLDERS_MAX)
            strv_push_take(&ret->jobs, model_job_name(m, j->id));
        else
            ret->more++;
    }
}

bool licence_explain(const struct model *m, const struct licence_use *counted, const struct job *j,
                     struct cause *ret)
{
    struct licence_list l = {VEC_INIT};
    cause_set(ret, CAUSE_NONE);
    if (!licence_wants_any(j))
        return true;
    if (licence_parse(m, req_detail(&j->req)->licenses, &l, ret) < 0)
        return false;
    struct licence_use u;
    licence_use_init(&u, m);
    vec_for_each (&l.v, i) {
        const struct licence *w = &l.v.v[i];
        size_t at = licence_position(m, w->spec);
        uint32_t held = u.used.v[at];
        uint32_t used = counted && at < counted->used.n ? counted->used.v[at] : held;
        if (used + w->count <= w->spec->count)
            continue;
        ret->code = CAUSE_LICENCES;
        struct cause *one = cause_add(ret, CAUSE_LICENCE_SHORT);
        one->name = xstrdup(w->spec->name);
        one->asked = w->count;
        one->used = used;
        one->of = w->spec->count;
        one->n = used > held ? used - held : 0;
        licence_add_holders(m, w->spec, one);
    }
    licence_use_fini(&u);
    licence_fini(&l);
    return true;
}
