#include "src/text/requesttext.h"

#include <string.h>

#include "src/lang/lang.h"
#include "src/model/dep.h"
#include "src/model/need.h"
#include "src/text/amount_text.h"
#include "src/text/state_text.h"

/* "needs 2 nodes, 8 GPUs a100, 32 CPUs, 64G with bigmem on n[1-4]": what is scarce first. */
static void amounts(struct str *out, const struct job *j, const struct job_need *need)
{
    unsigned long long nodes = need->nodes, gpus = need->gpus, cpus = need->cpus;
    const char *sep = "";
    if (need->whole_nodes || nodes > 1) {
        str_appendf(out,
                    need->whole_nodes ? trn("%llu whole node", "%llu whole nodes", nodes)
                                      : trn("%llu node", "%llu nodes", nodes),
                    nodes);
        sep = ", ";
    }
    if (gpus) {
        str_append(out, sep);
        if (req_detail(&j->req)->gpu_type)
            str_appendf(out, trn("%llu GPU %s", "%llu GPUs %s", gpus), gpus, req_detail(&j->req)->gpu_type);
        else
            str_appendf(out, trn("%llu GPU", "%llu GPUs", gpus), gpus);
        sep = ", ";
    }
    if (!need->whole_nodes) {
        str_append(out, sep);
        str_appendf(out, trn("%llu CPU", "%llu CPUs", cpus), cpus);
    }
    if (job_limits_memory(&j->req) && job_mem_mib(j)) {
        str_append(out, ", ");
        jobtext_mem(out, job_mem_mib(j), false);
    }
}

static bool resources(struct str *out, const struct job *j)
{
    struct job_need need;
    struct str what = STR_INIT;
    if (j->kind == JOB_KIND_STEPS) /* it is one of its tasks that waits */
        return false;
    job_need(&j->req, &need);
    amounts(&what, j, &need);
    str_appendf(out, tr("needs %s"), what.s);
    str_fini(&what);
    if (!str_is_empty(req_detail(&j->req)->features))
        str_appendf(out, tr(" with %s"), req_detail(&j->req)->features);
    if (!str_is_empty(req_rare(&j->req)->nodelist))
        str_appendf(out, tr(" on %s"), req_rare(&j->req)->nodelist);
    return true;
}

static void one_job(struct str *out, const struct dep *d, const struct job *j)
{
    if (!d->job) {
        str_appendf(out, tr("another job named \"%s\" (singleton)"), j->req.name ? j->req.name : "");
        return;
    }
    text_append_u64(out, d->job);
    if (d->index != ARRAY_NONE) {
        str_append_char(out, '_');
        text_append_u64(out, d->index);
    }
}

/* "waits for 33, 34 to succeed", or only "33, 34 to succeed": languages place the two differently. */
static void wait_for(struct str *out, const char *jobs, const struct dep *d, bool first)
{
    if (!d->job)
        str_appendf(out, "%s%s", first ? tr("waits for ") : "", jobs);
    else
        str_appendf(out, first ? tr("waits for %s %s") : tr("%s %s"), jobs, dep_type_text(d->type));
}

/* "waits for 33, 34 to succeed and 35 to end". */
static bool dependency(struct str *out, const struct job *j)
{
    struct deps deps;
    if (str_is_empty(j->req.dependency) || dep_parse(j->req.dependency, &deps, NULL) < 0)
        return false;
    struct str jobs = STR_INIT; /* that wait for the same */
    bool first = true;
    for (size_t i = 0; i < deps.n; i++) {
        const struct dep *d = &deps.v[i], *next = i + 1 < deps.n ? d + 1 : NULL;
        bool goes_on = next && next->type == d->type;
        one_job(&jobs, d, j);
        if (goes_on) {
            str_append(&jobs, deps.any ? tr(" or ") : ", ");
            continue;
        }
        wait_for(out, jobs.s, d, first);
        str_truncate(&jobs, 0);
        first = false;
        if (next)
            str_append(out, deps.any ? tr(" or ") : tr(" and "));
    }
    str_fini(&jobs);
    bool said = deps.n > 0;
    deps_fini(&deps);
    return said;
}

/* "partition night is down"; of one among several nothing is known here. */
static bool partition(struct str *out, const struct job *j, bool is_down)
{
    const char *name = j->req.partition;
    if (str_is_empty(name) || strchr(name, ','))
        return false;
    str_appendf(out, is_down ? tr("partition %s is down") : tr("partition %s is inactive"), name);
    return true;
}

static bool array_limit(struct str *out, const struct job *j)
{
    if (!j->req.array_throttle)
        return false;
    str_appendf(out, tr("array limit: %u at a time"), j->req.array_throttle);
    return true;
}

bool requesttext_wait(struct str *out, const struct job *j, enum reason r)
{
    if (r == REASON_RESOURCES)
        return resources(out, j);
    if (r == REASON_DEPENDENCY)
        return dependency(out, j);
    if (r == REASON_PART_DOWN)
        return partition(out, j, true);
    if (r == REASON_PART_INACTIVE)
        return partition(out, j, false);
    if (r == REASON_ARRAY_LIMIT)
        return array_limit(out, j);
    if (r == REASON_LICENSES && !str_is_empty(req_detail(&j->req)->licenses)) {
        str_appendf(out,
                    strchr(req_detail(&j->req)->licenses, ',') ? tr("needs licences %s")
                                                               : tr("needs licence %s"),
                    req_detail(&j->req)->licenses);
        return true;
    }
    if (r == REASON_RESERVATION && !str_is_empty(req_rare(&j->req)->reservation)) {
        str_appendf(out, tr("reservation %s has not started"), req_rare(&j->req)->reservation);
        return true;
    }
    return false;
}
