/* array_failures.c - the failed elements of an array, grouped by how they ended. */
#include <ctype.h>
#include <stdlib.h>

#include "src/base/str.h"
#include "ui/array/array_elements.h"

#define GROUPS_MAX 200 /* beyond that, elements that ended alike are one group whatever they wrote */

void array_failures_fini(struct array_failures *f)
{
    vec_for_each (&f->v, i)
        vec_fini(&f->v.v[i].places);
    vec_fini(&f->v);
    *f = (struct array_failures){.n = 0};
}

/* The same text but for numbers: line 12 of this file, 2.5 GiB in that element. */
static bool reads_alike(const char *a, const char *b)
{
    while (*a && *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            a += strspn(a, "0123456789.");
            b += strspn(b, "0123456789.");
        } else if (*a++ != *b++) {
            return false;
        }
    }
    return !*a && !*b;
}

static bool is_like(const struct array_failure *g, const struct job *j, const char *line, bool full)
{
    const struct job *k = g->like;
    if (k->state != j->state || k->exit_code != j->exit_code || k->exit_signal != j->exit_signal)
        return false;
    return full || g->line == line || (g->line && line && reads_alike(g->line, line));
}

static int by_size(const void *pa, const void *pb)
{
    const struct array_failure *a = pa, *b = pb;
    if (a->places.n != b->places.n)
        return (a->places.n < b->places.n) - (a->places.n > b->places.n);
    return (a->places.v[0] > b->places.v[0]) - (a->places.v[0] < b->places.v[0]);
}

void array_failures_fill(struct array_failures *f, const struct array_elements *e, array_line_fn *line,
                         const void *ctx)
{
    size_t last = 0; /* mostly like the one before */
    array_failures_fini(f);
    for (size_t i = 0; i < e->v.n; i++) {
        const struct array_element *x = &e->v.v[i];
        if (x->is != ELEMENT_FAILED)
            continue;
        f->unknown += !x->job;
        if (!x->job)
            continue;
        bool by_itself = x->job->state == JOB_FAILED; /* else its last line does not say why it ended */
        const char *text = line && by_itself ? line(ctx, x->job->id) : NULL;
        bool full = f->v.n >= GROUPS_MAX;
        size_t k = last < f->v.n && is_like(&f->v.v[last], x->job, text, full) ? last : 0;
        while (k < f->v.n && !is_like(&f->v.v[k], x->job, text, full))
            k++;
        if (k == f->v.n)
            vec_push(&f->v, (struct array_failure){.like = x->job, .line = text});
        vec_push(&f->v.v[k].places, i);
        f->n++;
        last = k;
    }
    if (f->v.n > 1)
        qsort(f->v.v, f->v.n, sizeof *f->v.v, by_size);
}
