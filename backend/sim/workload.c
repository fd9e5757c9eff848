/* workload.c - a workload, and how one comes of a trace. */
#include "backend/sim/workload.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/idmap.h"
#include "src/base/xalloc.h"
#include "src/model/spec.h"
#include "src/values/units.h"

#define BEGIN_MS INT64_C(1767571200000) /* 2026-01-05, a Monday: where nothing says otherwise */

void workload_init(struct workload *w, const char *name)
{
    *w = (struct workload){.name = xstrdup(name), .begin = {.ms = BEGIN_MS}};
}

void workload_fini(struct workload *w)
{
    free(w->name);
    vec_for_each (&w->users, i) {
        free(w->users.v[i].name);
        free(w->users.v[i].group);
        free(w->users.v[i].account);
        free(w->users.v[i].qos);
    }
    vec_for_each (&w->shapes, i) {
        free(w->shapes.v[i].name);
        rec_fini(&job_req_rec, &w->shapes.v[i].req);
    }
    vec_fini(&w->users);
    vec_fini(&w->shapes);
    vec_fini(&w->jobs);
    *w = (struct workload){0};
}

struct workload_reader {
    struct workload *w;
    const struct cluster_spec *cluster;
    struct idmap users, shapes; /* number + 1 -> position + 1 */
};

static uint32_t workload_position(struct idmap *m, int64_t number, size_t next)
{
    uint64_t key = (uint64_t)number + 2;
    void *at = idmap_get(m, key);
    if (!at)
        idmap_set(m, key, (void *)(uintptr_t)(next + 1));
    return at ? (uint32_t)(uintptr_t)at - 1 : (uint32_t)next;
}

static uint32_t workload_user_of(struct workload_reader *r, const struct swf_job *j)
{
    uint32_t at = workload_position(&r->users, j->user, r->w->users.n);
    if (at == r->w->users.n)
        vec_push(&r->w->users,
                 (struct sim_user){
                     .name = j->user < 0 ? xstrdup("unknown") : xasprintf("user%" PRId64, j->user),
                     .group = j->group < 0 ? xstrdup("unknown") : xasprintf("group%" PRId64, j->group)});
    return at;
}

/* One for each queue of the trace: its partition, where there is one. */
static uint32_t workload_shape_of(struct workload_reader *r, const struct swf_job *j)
{
    uint32_t at = workload_position(&r->shapes, j->queue, r->w->shapes.n);
    if (at < r->w->shapes.n)
        return at;
    struct sim_shape s = {.name = j->queue < 0 ? xstrdup("job") : xasprintf("queue%" PRId64, j->queue)};
    job_req_init(&s.req);
    s.req.name = xstrdup(s.name);
    if (spec_find_part(r->cluster, s.name))
        xstrset(&s.req.partition, s.name);
    vec_push(&r->w->shapes, s);
    return at;
}

static uint32_t workload_clamp(int64_t v, uint32_t most)
{
    return v > most ? most : (uint32_t)v;
}

static void workload_take(struct workload_reader *r, const struct swf_job *j)
{
    int64_t procs = j->procs_asked > 0 ? j->procs_asked : j->procs_used;
    if (j->submit < 0 || j->run < 0 || procs <= 0) {
        r->w->n_dropped++;
        return;
    }
    int64_t run = j->run ? j->run : 1, limit = j->estimate > 0 ? j->estimate : run;
    struct sim_job out = {.id = j->id,
                          .submit_s = j->submit,
                          .run_s = run,
                          .user = workload_user_of(r, j),
                          .shape = workload_shape_of(r, j),
                          .limit_s = workload_clamp(limit, DURATION_NOT_SET - 1),
                          .tasks = workload_clamp(procs, NOT_GIVEN - 1),
                          .mem_cpu_mib = MEM_NOT_GIVEN};
    if (j->mem_asked_kib > 0)
        out.mem_cpu_mib = ((uint64_t)j->mem_asked_kib + 1023) / 1024;
    vec_push(&r->w->jobs, out);
}

static int workload_by_submission(const void *a, const void *b)
{
    const struct swf_job *x = a, *y = b;
    if (x->submit != y->submit)
        return x->submit < y->submit ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

void workload_from_trace(struct workload *ret, const char *name, const struct swf *s,
                         const struct cluster_spec *cluster, size_t first)
{
    struct workload_reader r = {.w = ret, .cluster = cluster};
    workload_init(ret, name);
    if (s->unix_start)
        ret->begin.ms = s->unix_start * MS_PER_S;
    struct swf_job *sorted = xreallocarray(NULL, s->jobs.n + 1, sizeof *sorted);
    if (s->jobs.n)
        memcpy(sorted, s->jobs.v, s->jobs.n * sizeof *sorted);
    qsort(sorted, s->jobs.n, sizeof *sorted, workload_by_submission);
    for (size_t i = 0; i < s->jobs.n && (!first || ret->jobs.n < first); i++)
        workload_take(&r, &sorted[i]);
    free(sorted);
    idmap_fini(&r.users);
    idmap_fini(&r.shapes);
}
