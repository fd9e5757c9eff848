#include "src/text/requesttext.h"

#include <string.h>

#include "src/model/dep.h"
#include "src/model/need.h"
#include "src/text/amount_text.h"
#include "src/text/state_text.h"

static void requesttext_count(struct str *out, uint64_t n, const char *one, const char *many)
{
    text_append_u64(out, n);
    str_append(out, n == 1 ? one : many);
}

/* "needs 2 nodes, 8 GPUs a100, 32 CPUs, 64G with bigmem on n[1-4]": what is scarce first. */
static bool resources(struct str *out, const struct job *j)
{
    struct job_need need;
    if (j->kind == JOB_KIND_STEPS) /* it is one of its tasks that waits */
        return false;
    job_need(&j->req, &need);
    str_append(out, "needs ");
    if (need.whole_nodes)
        requesttext_count(out, need.nodes, " whole node", " whole nodes");
    else if (need.nodes > 1)
        requesttext_count(out, need.nodes, " nodes", " nodes");
    if (need.gpus) {
        str_append(out, need.whole_nodes || need.nodes > 1 ? ", " : "");
        requesttext_count(out, need.gpus, " GPU", " GPUs");
        if (j->req.gpu_type)
            str_appendf(out, " %s", j->req.gpu_type);
    }
    if (!need.whole_nodes) {
        str_append(out, need.gpus || need.nodes > 1 ? ", " : "");
        requesttext_count(out, need.cpus, " CPU", " CPUs");
    }
    if (job_limits_memory(&j->req) && job_mem_mib(j)) {
        str_append(out, ", ");
        jobtext_mem(out, job_mem_mib(j), false);
    }
    if (!str_is_empty(j->req.features))
        str_appendf(out, " with %s", j->req.features);
    if (!str_is_empty(req_rare(&j->req)->nodelist))
        str_appendf(out, " on %s", req_rare(&j->req)->nodelist);
    return true;
}

static void one_job(struct str *out, const struct dep *d, const struct job *j)
{
    if (!d->job) {
        str_appendf(out, "another job named \"%s\" (singleton)", j->req.name ? j->req.name : "");
        return;
    }
    text_append_u64(out, d->job);
    if (d->index != ARRAY_NONE) {
        str_append_char(out, '_');
        text_append_u64(out, d->index);
    }
}

/* "waits for 33, 34 to succeed and 35 to end". */
static bool dependency(struct str *out, const struct job *j)
{
    struct deps deps;
    if (str_is_empty(j->req.dependency) || dep_parse(j->req.dependency, &deps, NULL) < 0)
        return false;
    for (size_t i = 0; i < deps.n; i++) {
        const struct dep *d = &deps.v[i], *next = i + 1 < deps.n ? d + 1 : NULL;
        bool goes_on = next && next->type == d->type;
        if (!i)
            str_append(out, "waits for ");
        one_job(out, d, j);
        if (!goes_on && d->job)
            str_appendf(out, " %s", dep_type_text(d->type));
        if (next)
            str_append(out, deps.any ? " or " : goes_on ? ", " : " and ");
    }
    bool said = deps.n > 0;
    deps_fini(&deps);
    return said;
}

/* "partition night is down"; of one among several nothing is known here. */
static bool partition(struct str *out, const struct job *j, const char *what)
{
    const char *name = j->req.partition;
    if (str_is_empty(name) || strchr(name, ','))
        return false;
    str_appendf(out, "partition %s is %s", name, what);
    return true;
}

static bool array_limit(struct str *out, const struct job *j)
{
    if (!j->req.array_throttle)
        return false;
    str_append(out, "array limit: ");
    text_append_u64(out, j->req.array_throttle);
    str_append(out, " at a time");
    return true;
}

bool requesttext_wait(struct str *out, const struct job *j, enum reason r)
{
    if (r == REASON_RESOURCES)
        return resources(out, j);
    if (r == REASON_DEPENDENCY)
        return dependency(out, j);
    if (r == REASON_PART_DOWN)
        return partition(out, j, "down");
    if (r == REASON_PART_INACTIVE)
        return partition(out, j, "inactive");
    if (r == REASON_ARRAY_LIMIT)
        return array_limit(out, j);
    if (r == REASON_LICENSES && !str_is_empty(j->req.licenses)) {
        str_appendf(out, "needs %s %s", strchr(j->req.licenses, ',') ? "licences" : "licence",
                    j->req.licenses);
        return true;
    }
    if (r == REASON_RESERVATION && !str_is_empty(req_rare(&j->req)->reservation)) {
        str_appendf(out, "reservation %s has not started", req_rare(&j->req)->reservation);
        return true;
    }
    return false;
}
