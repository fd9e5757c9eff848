/* The parsers of what gates are made of, and the gates themselves on what they accept: dependencies that
 * are printed and read back the same, whatever they name; licences. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "backend/sched/limits/limits.h"
#include "src/base/xalloc.h"
#include "tests/fuzz/driver.h"

static struct job *new_job(uint32_t id)
{
    struct job *j = job_new();
    j->id = id;
    j->array_index = ARRAY_NONE;
    j->req.name = xstrdup("work");
    return j;
}

/* Jobs 1, 2 (an array, waiting), 3 (an array, ended but for one) and 4, who waits for whatever it is. */
static void fill(struct model *m, const char *dependency)
{
    model_init(m);
    struct job *a = new_job(1), *b = new_job(2), *c = new_job(3), *d = new_job(4);
    a->state = JOB_COMPLETED;
    b->array_job = 2;
    *(struct index_range *)rec_list_push(&job_rare_mut(b)->array_pending) =
        (struct index_range){.last = 8, .step = 2};
    job_origin_mut(b)->array_max = 8;
    job_origin_mut(b)->array_step = 2;
    job_origin_mut(b)->array_count = 5;
    c->array_job = 3;
    c->array_index = 4;
    job_origin_mut(c)->array_max = 4;
    job_origin_mut(c)->array_step = 1;
    c->state = JOB_RUNNING;
    *(struct index_range *)rec_list_push(&job_rare_mut(c)->array_failed) =
        (struct index_range){.last = 1, .step = 1};
    d->array_job = 4;
    *(struct index_range *)rec_list_push(&job_rare_mut(d)->array_pending) =
        (struct index_range){.last = 3, .step = 1};
    job_origin_mut(d)->array_max = 3;
    job_origin_mut(d)->array_step = 1;
    job_origin_mut(d)->array_count = 4;
    d->req.dependency = xstrdup(dependency);
    struct job *all[] = {a, b, c, d};
    for (size_t i = 0; i < 4; i++)
        model_take_job(m, all[i]);
}

static void dependencies(const char *s)
{
    struct deps d, back;
    struct model m;
    struct str text = STR_INIT;
    struct wall now = {.ms = 1795185010123}, clears = {0};
    if (dep_parse(s, &d, NULL) < 0)
        return;
    dep_format(&d, &text);
    int r = dep_parse(text.s, &back, NULL);
    assert(r == 0 && back.n == d.n && (d.n < 2 || back.any == d.any));
    for (size_t i = 0; i < d.n; i++)
        assert(back.v[i].type == d.v[i].type && back.v[i].job == d.v[i].job &&
               back.v[i].index == d.v[i].index && back.v[i].delay_s == d.v[i].delay_s);
    fill(&m, s);
    const struct job *j = model_get_job(&m, 4);
    for (uint32_t k = 0; k < 5; k++)
        assert(dep_state(&m, j, &d, k < 4 ? k : ARRAY_NONE, now, &clears) <= DEP_NEVER);
    struct cause cause = {0};
    dep_explain(&m, j, now, &cause);
    cause_clear(&cause);
    struct dep_index x;
    struct dep_list touched = {VEC_INIT};
    dep_index_init(&x);
    list_for_each (waiting, &m.pending, struct job, in_queue)
        dep_index_add(&x, &m, waiting);
    dep_index_touched(&x, &m, model_get_job(&m, 1), &touched);
    assert(touched.v.n <= 3); /* by the job, by its elements, by its name */
    vec_fini(&touched.v);
    dep_index_fini(&x);
    str_fini(&text);
    model_fini(&m);
    deps_fini(&d);
    deps_fini(&back);
}

static void licences(const char *s)
{
    struct license_spec specs[] = {{.name = xstrdup("matlab"), .count = 4},
                                   {.name = xstrdup("x"), .count = 0}};
    struct model m = {.spec.licenses = {.v = specs, .n = 2}};
    struct licence_list l;
    if (licence_parse(&m, s, &l, NULL) == 0) {
        vec_for_each (&l.v, i)
            assert(l.v.v[i].count <= l.v.v[i].spec->count);
        licence_fini(&l);
    }
    free(specs[0].name);
    free(specs[1].name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *s = xstrndup((const char *)data, size);
    dependencies(s);
    licences(s);
    free(s);
    return 0;
}
