/* jobtext.c - what a job looks like in words. */
#include "src/text/jobtext.h"

#include <stdlib.h>
#include <string.h>

#include "src/lang/lang.h"
#include "src/model/dep.h"
#include "src/model/fold/jobevents.h"
#include "src/model/jobeffective.h"
#include "src/model/private_data.h"
#include "src/text/exit_text.h"
#include "src/text/requesttext.h"
#include "src/text/state_text.h"
#include "src/text/steptext.h"
#include "src/values/hostlist.h"
#include "src/values/units.h"

const char *jobtext_name(const struct job *j)
{
    return job_is_masked(j) ? tr("another user's job") : j->req.name ? j->req.name : "";
}

const char *jobtext_user(const struct job *j)
{
    return job_is_masked(j) ? tr("another user") : j->user ? j->user : "";
}

void jobtext_id(struct str *out, const struct job *j, size_t max)
{
    if (!j->array_job) {
        text_append_u64(out, j->id);
        return;
    }
    if (j->array_index != ARRAY_NONE) {
        text_append_u64(out, j->array_job);
        str_append_char(out, '_');
        text_append_u64(out, j->array_index);
        return;
    }
    char *id = job_format_id(j, max);
    str_append(out, id);
    free(id);
}

char job_state_glyph(enum job_state s)
{
    static const char glyphs[JOB_N_STATES] = {
        [JOB_PENDING] = 'P',   [JOB_RUNNING] = 'R',   [JOB_SUSPENDED] = 'S',     [JOB_COMPLETING] = 'c',
        [JOB_COMPLETED] = 'D', [JOB_CANCELLED] = 'X', [JOB_FAILED] = '!',        [JOB_TIMEOUT] = 'T',
        [JOB_NODE_FAIL] = 'N', [JOB_PREEMPTED] = '~', [JOB_OUT_OF_MEMORY] = 'M', [JOB_DEADLINE] = 'L'};
    return (unsigned)s < JOB_N_STATES ? glyphs[s] : '?';
}

char job_glyph(const struct job *j)
{
    if (j->state == JOB_PENDING && j->hold)
        return 'H';
    if (job_waits_preempted(j))
        return job_state_glyph(JOB_PREEMPTED);
    return job_state_glyph(job_is_in_grace(j) ? JOB_RUNNING : (enum job_state)j->state);
}

void jobtext_restarts(struct str *out, const struct job *j)
{
    const struct job_rare *rare = job_rare(j);
    uint32_t preempted = 0;
    if (!j->restarts)
        return;
    for (size_t i = 0; i < rare->runs.n; i++)
        preempted += rare->runs.v[i].kill_cause == KILL_PREEMPT;
    str_append(out, " (");
    if (preempted)
        str_appendf(out, trn("preempted once", "preempted %u times", preempted), preempted);
    if (preempted && preempted < j->restarts)
        str_append(out, ", ");
    if (preempted < j->restarts)
        str_appendf(out, trn("restarted once", "restarted %u times", j->restarts), j->restarts);
    str_append_char(out, ')');
}

static void jobtext_append_list(struct str *out, char *list_taken)
{
    if (list_taken)
        str_append(out, list_taken);
    free(list_taken);
}

void jobtext_nodes(struct str *out, const struct job *j)
{
    jobtext_append_list(out, job_node_list(j));
}

void steptext_nodes(struct str *out, const struct step *s)
{
    struct strv names = {0};
    for (size_t k = 0; k < s->tasks.n; k++)
        if (s->tasks.v[k].alloc.node && !strv_has(&names, s->tasks.v[k].alloc.node))
            strv_push(&names, s->tasks.v[k].alloc.node);
    jobtext_append_list(out, node_list_of(&names));
    strv_fini(&names);
}

/* A hold shows at once, not only after the next pass has looked at the job. */
static enum reason job_reason_now(const struct job *j)
{
    if (j->state == JOB_PENDING && j->hold != HOLD_NONE && j->reason != REASON_HELD_REQUEUE &&
        j->reason != REASON_LAUNCH_FAILURE)
        return j->hold == HOLD_ADMIN ? REASON_HELD_ADMIN : REASON_HELD_USER;
    if (j->state == JOB_RUNNING || j->state == JOB_SUSPENDED)
        return REASON_NONE;
    return j->reason < REASON_N ? (enum reason)j->reason : REASON_NONE;
}

/* Of the nodes that it names those that take no jobs. */
static void jobtext_unavailable(struct str *out, const char *named, const struct model *m)
{
    struct strv names = {0}, gone = {0};
    if (hostlist_expand(named, &names, NULL) < 0)
        return;
    for (size_t i = 0; i < names.n; i++) {
        const struct node *n = model_get_node(m, names.v[i]);
        if (n && (n->drain || n->gone || (n->state != NODE_UP && n->state != NODE_SUSPECT)))
            strv_push(&gone, names.v[i]);
    }
    if (gone.n) {
        str_append(out, ", UnavailableNodes:");
        jobtext_append_list(out, hostlist_compress(&gone));
    }
    strv_fini(&names);
    strv_fini(&gone);
}

void jobtext_reason(struct str *out, const struct job *j, const struct model *m)
{
    enum reason r = job_reason_now(j);
    if (r == REASON_NONE && job_rare(j)->reason_detail) {
        str_append(out, job_rare(j)->reason_detail);
        return;
    }
    str_append(out, reason_slurm(r));
    if (r == REASON_RAISED_SIGNAL)
        str_appendf(out, ":%d", j->exit_signal);
    const char *named = req_rare(&j->req)->nodelist;
    if (r != REASON_NODE_NOT_AVAIL || str_is_empty(named))
        return;
    if (!strpbrk(named, ",[")) /* it is this one */
        str_appendf(out, ", UnavailableNodes:%s", named);
    else if (m)
        jobtext_unavailable(out, named, m);
}

/* Source: squeue(1), %R: failed jobs show why, others where they were. */
static bool shows_reason(enum job_state s)
{
    switch (s) {
    case JOB_PENDING:
    case JOB_FAILED:
    case JOB_TIMEOUT:
    case JOB_NODE_FAIL:
    case JOB_OUT_OF_MEMORY:
    case JOB_DEADLINE: return true;
    case JOB_RUNNING:
    case JOB_SUSPENDED:
    case JOB_COMPLETING:
    case JOB_COMPLETED:
    case JOB_CANCELLED:
    case JOB_PREEMPTED:
    case JOB_N_STATES: return false;
    }
    return false;
}

void jobtext_nodes_or_reason(struct str *out, const struct job *j, const struct model *m)
{
    if (!shows_reason((enum job_state)j->state)) {
        jobtext_nodes(out, j);
        return;
    }
    str_append_char(out, '(');
    jobtext_reason(out, j, m);
    str_append_char(out, ')');
}

/* "it exited with code 127 (command not found)" */
static void append_exited(struct str *out, int code)
{
    const char *meaning = exit_text_meaning(code);
    str_appendf(out, tr("it exited with code %d"), code);
    if (meaning)
        str_appendf(out, " (%s)", meaning);
}

void jobtext_reason_words(struct str *out, const struct job *j)
{
    enum reason r = job_reason_now(j);
    const char *detail = job_rare(j)->reason_detail;
    if (r == REASON_NONE && detail && shows_reason((enum job_state)j->state)) {
        str_append(out, detail);
        return;
    }
    if (r == REASON_NONE && j->state != JOB_PENDING)
        return;
    if (j->state == JOB_PENDING && requesttext_wait(out, j, r))
        return;
    if (j->state == JOB_FAILED && jobtext_failure(out, j))
        return;
    if (r == REASON_NON_ZERO_EXIT)
        append_exited(out, j->exit_code);
    else if (r == REASON_RAISED_SIGNAL)
        str_appendf(out, tr("signal %d ended it"), j->exit_signal);
    else
        str_append(out, reason_text(r));
}

static bool jobtext_is_bounded(uint32_t limit_s)
{
    return limit_s != DURATION_UNLIMITED && limit_s != DURATION_NOT_SET;
}

void jobtext_elapsed(struct str *out, const struct job *j, struct wall now)
{
    text_append_duration(out, j->state == JOB_PENDING ? 0 : job_run_s(j, now));
}

void jobtext_limit(struct str *out, const struct job *j, const struct model *m)
{
    text_append_duration(out, job_limit_s(j, m));
}

void jobtext_left(struct str *out, const struct job *j, const struct model *m, struct wall now)
{
    uint32_t limit = job_limit_s(j, m), used = j->state == JOB_PENDING ? 0 : job_run_s(j, now);
    if (!jobtext_is_bounded(limit))
        text_append_duration(out, limit);
    else if (used > limit && !job_state_is_final((enum job_state)j->state))
        str_append(out, "INVALID"); /* squeue's word for a job that runs over its limit */
    else
        text_append_duration(out, used < limit ? limit - used : 0);
}

void jobtext_exit(struct str *out, const struct job *j)
{
    text_append_u64(out, (uint64_t)(j->exit_code & 0xff));
    str_append_char(out, ':');
    text_append_u64(out, (uint64_t)(j->exit_signal & 0x7f));
}

void jobtext_min_memory(struct str *out, const struct job *j, bool noconvert)
{
    const struct job_req *r = &j->req;
    uint64_t mib = r->mem_node_mib != MEM_NOT_GIVEN              ? r->mem_node_mib
                   : req_detail(r)->mem_cpu_mib != MEM_NOT_GIVEN ? req_detail(r)->mem_cpu_mib
                   : req_detail(r)->mem_gpu_mib != MEM_NOT_GIVEN ? req_detail(r)->mem_gpu_mib
                                                                 : 0;
    jobtext_mem(out, mib, noconvert);
}

const char *jobtext_sharing(const struct job *j)
{
    const struct job_req_detail *r = req_detail(&j->req);
    return r->exclusive ? "NO" : r->exclusive_user ? "USER" : "OK";
}

void tres_text(struct str *out, const struct tres_amounts *t, const struct model *m)
{
    str_append(out, "cpu=");
    text_append_u64(out, t->cpus);
    if (t->mem_mib) {
        str_append(out, ",mem=");
        jobtext_mem(out, t->mem_mib, false);
    }
    if (t->nodes) {
        str_append(out, ",node=");
        text_append_u64(out, t->nodes);
    }
    if (m) {
        const struct priority_spec *p = &m->spec.priority;
        double billing = p->billing_cpu * t->cpus + p->billing_mem_gb * (double)t->mem_mib / 1024 +
                         p->billing_gpu * t->gpus;
        str_append(out, ",billing=");
        text_append_u64(out, billing > 0 ? (uint64_t)billing : 0);
    }
    if (!t->gpus)
        return;
    str_append(out, ",gres/gpu=");
    text_append_u64(out, t->gpus);
    if (t->gpu_type)
        str_appendf(out, ",gres/gpu:%s=%u", t->gpu_type, t->gpus);
}

void jobtext_tres(struct str *out, const struct job *j, const struct model *m)
{
    tres_text(out,
              &(struct tres_amounts){.cpus = job_cpus(j),
                                     .gpus = job_gpus(j),
                                     .nodes = job_nodes(j),
                                     .mem_mib = job_mem_mib(j),
                                     .gpu_type = req_detail(&j->req)->gpu_type},
              m);
}

void jobtext_tres_per_node(struct str *out, const struct job *j)
{
    const struct job_req *r = &j->req;
    if (r->gpus_per_node != NOT_GIVEN && r->gpus_per_node)
        str_appendf(out, "gres:gpu%s%s:%u", req_detail(r)->gpu_type ? ":" : "",
                    req_detail(r)->gpu_type ? req_detail(r)->gpu_type : "", r->gpus_per_node);
    else if (!str_is_empty(req_detail(r)->gres))
        str_appendf(out, "%s%s",
                    str_starts(req_detail(r)->gres, "gres") ? "" : "gres:", req_detail(r)->gres);
    else
        str_append(out, "N/A");
}

/* As far as it is known here: a mirror may hold that job alone. */
static enum dep_state known_state(const struct job *j, const struct dep *d, const struct model *m)
{
    if (j->reason == REASON_DEPENDENCY_NEVER && (!m || !model_get_job(m, d->job)))
        return DEP_NEVER;
    if (!m || d->type == DEP_TYPE_SINGLETON || !model_get_job(m, d->job))
        return DEP_WAIT;
    return dep_one_state(m, j, d, ARRAY_NONE, m->now, NULL);
}

void jobtext_dependency(struct str *out, const struct job *j, const struct model *m)
{
    struct deps deps;
    size_t before = out->len;
    if (j->state != JOB_PENDING || j->dep_met || dep_parse(j->req.dependency, &deps, NULL) < 0)
        return;
    for (size_t i = 0; i < deps.n; i++) {
        enum dep_state s = known_state(j, &deps.v[i], m);
        if (s == DEP_MET)
            continue;
        if (out->len > before)
            str_append_char(out, deps.any ? '?' : ',');
        dep_format_one(&deps.v[i], out);
        str_append(out, s == DEP_NEVER ? "(failed)" : "(unfulfilled)");
    }
    deps_fini(&deps);
}
