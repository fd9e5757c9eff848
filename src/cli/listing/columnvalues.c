/* columnvalues.c - extractions from jobs and steps.
 *
 * Source of what each letter means: squeue(1), -o and -O.
 */
#include "src/cli/listing/columnvalues.h"

#include <stdlib.h>
#include <string.h>

#include "src/cli/listing/columns.h"
#include "src/jobenv/filename.h"
#include "src/model/jobeffective.h"
#include "src/model/usage.h"
#include "src/text/jobtext.h"
#include "src/values/units.h"

/* A column's two functions: NAME gets j, r, cx and out; unused ones cost nothing. */
#define GET(NAME)                                                                                 \
    static void get_##NAME##_(struct str *out, const struct job_row *r, const struct job *j,      \
                              const struct job_cx *cx);                                           \
    void value_##NAME(struct str *out, const void *row, const void *ctx)                     \
    {                                                                                             \
        const struct job_row *r_ = row;                                                           \
        get_##NAME##_(out, r_, r_->job, ctx);                                                     \
    }                                                                                             \
    static void get_##NAME##_(                                                                    \
        __attribute__((unused)) struct str *out, __attribute__((unused)) const struct job_row *r, \
        __attribute__((unused)) const struct job *j, __attribute__((unused)) const struct job_cx *cx)

#define NUMBER(NAME, EXPR)                                      \
    int64_t number_##NAME(const void *row, const void *ctx) \
    {                                                           \
        const struct job_row *r = row;                          \
        const struct job *j = r->job;                           \
        const struct job_cx *cx = ctx;                          \
        (void)j;                                                \
        (void)cx;                                               \
        return (int64_t)(EXPR);                                 \
    }

/* A column that prints the number that it sorts by. */
#define GET_NUMBER(NAME, EXPR)                 \
    NUMBER(NAME, EXPR)                         \
    GET(NAME)                                  \
    {                                          \
        value_append_number(out, number_##NAME(r, cx)); \
    }

#define GET_TEXT(NAME, VALUE, NULLS)            \
    GET(NAME)                                   \
    {                                           \
        text_append_foreign(out, VALUE, NULLS); \
    }

#define GET_CONST(NAME, TEXT)  \
    GET(NAME)                  \
    {                          \
        str_append(out, TEXT); \
    }

void value_append_number(struct str *out, int64_t v)
{
    if (v < 0)
        str_append_char(out, '-');
    text_append_u64(out, v < 0 ? (uint64_t)-v : (uint64_t)v);
}

static uint32_t value_given(uint32_t v, uint32_t otherwise)
{
    return v == NOT_GIVEN ? otherwise : v;
}

/* --- who and what --- */

/* Array elements sort behind one another, whatever their raw ids. */
NUMBER(id, (int64_t)(j->array_job ? j->array_job : j->id) << 31 |
               (r->element != ARRAY_NONE       ? r->element
                : j->array_index != ARRAY_NONE ? j->array_index
                                               : 0))
GET(id)
{
    if (r->element == ARRAY_NONE) {
        jobtext_id(out, j, cx->bitstr_len);
        return;
    }
    text_append_u64(out, j->array_job);
    str_append_char(out, '_');
    text_append_u64(out, r->element);
}
GET_NUMBER(raw_id, j->id)
GET_NUMBER(array_id, j->array_job ? j->array_job : j->id)
GET(array_index)
{
    uint32_t index = r->element != ARRAY_NONE ? r->element : j->array_index;
    if (!j->array_job) {
        str_append(out, "N/A");
    } else if (index != ARRAY_NONE) {
        text_append_u64(out, index);
    } else {
        char *id = job_format_id(j, cx->bitstr_len);
        char *open = strchr(id, '[');
        if (open)
            str_append_n(out, open + 1, strlen(open) - 2);
        free(id);
    }
}
GET_TEXT(user, j->user, NULL_TEXT)
GET_NUMBER(uid, j->uid)
GET_TEXT(group, job_origin(j)->group, NULL_TEXT)
GET_NUMBER(gid, job_origin(j)->gid)
GET_TEXT(qos, job_qos(&j->req), NULL_TEXT)
GET_TEXT(partition, job_partition_text(j), NULL_TEXT)
GET_TEXT(command, job_origin(j)->command, NULL_TEXT)
GET_TEXT(submit_host, job_origin(j)->submit_host, NULL_TEXT)
GET_TEXT(cluster, cx->m->spec.name, NULL_TEXT)
GET_CONST(null, NULL_TEXT)
GET_CONST(na, "N/A")
GET_CONST(star, "*")
GET_CONST(sct, "*:*:*")
GET_CONST(zero, "0")
GET_CONST(zero_time, "0:00")
GET_CONST(not_set, "NotSet")
GET_CONST(not_any, "NA")

/* --- state --- */

/* Slurm's order: the flag COMPLETING counts above every base state. */
NUMBER(state, j->state == JOB_COMPLETING ? JOB_N_STATES : j->state)
GET(state_short)
{
    str_append(out, job_state_short((enum job_state)j->state));
}
GET(state)
{
    str_append(out, job_state_long((enum job_state)j->state));
}
GET(reason)
{
    jobtext_reason(out, j, cx->m);
}
GET(reason_words)
{
    jobtext_reason_words(out, j);
}
GET(nodes_or_reason)
{
    jobtext_nodes_or_reason(out, j, cx->m);
}
NUMBER(priority, j->priority)
GET(priority_long)
{
    text_append_u64(out, j->priority);
}
GET(priority)
{
    str_appendf(out, "%.14f", (double)j->priority / (double)UINT32_MAX);
}
GET(dependency)
{
    size_t at = out->len;
    jobtext_dependency(out, j, cx->m);
    if (out->len == at)
        str_append(out, NULL_TEXT);
}
GET(exit_code)
{
    jobtext_exit(out, j);
}
GET(derived_code)
{
    value_append_number(out, job_rare(j)->derived_code);
    str_append(out, ":0");
}
GET_NUMBER(restarts, j->restarts)
GET_NUMBER(batch_flag, j->kind == JOB_KIND_BATCH)
GET_NUMBER(requeue, req_detail(&j->req)->requeue != 2)
GET(hold)
{
    str_append(out, j->hold == HOLD_ADMIN ? "admin" : j->hold == HOLD_USER ? "user" : "none");
}

/* --- times --- */

static void append_time(struct str *out, const struct job_cx *cx, struct wall t)
{
    timetext_append(out, &cx->time, t, "N/A");
}

static struct wall start_time(const struct job *j, const struct job_cx *cx)
{
    if (wall_is_set(j->t_start) && j->state != JOB_PENDING)
        return j->t_start;
    const struct wall *estimate = cx->starts ? idmap_get(cx->starts, j->id) : NULL;
    return estimate ? *estimate : job_rare(j)->t_expected;
}

/* What has no time yet comes after everything that has one. */
static int64_t time_order(struct wall t)
{
    return wall_is_set(t) ? t.ms : INT64_MAX;
}

NUMBER(start, time_order(start_time(j, cx)))
GET(start)
{
    append_time(out, cx, start_time(j, cx));
}
NUMBER(end, time_order(job_end_time(j, cx->m)))
GET(end)
{
    timetext_append(out, &cx->time, job_end_time(j, cx->m), "N/A");
}
NUMBER(submit, j->t_submit.ms)
GET(submit)
{
    append_time(out, cx, j->t_submit);
}
NUMBER(eligible, time_order(j->t_eligible))
GET(eligible)
{
    append_time(out, cx, j->t_eligible);
}
GET(deadline)
{
    append_time(out, cx, req_rare(&j->req)->deadline);
}
NUMBER(elapsed, j->state == JOB_PENDING ? 0 : job_run_s(j, cx->now))
GET(elapsed)
{
    jobtext_elapsed(out, j, cx->now);
}
NUMBER(limit, job_limit_s(j, cx->m))
GET(limit)
{
    jobtext_limit(out, j, cx->m);
}
static int64_t left_s(const struct job *j, const struct job_cx *cx)
{
    uint32_t limit = job_limit_s(j, cx->m), used = j->state == JOB_PENDING ? 0 : job_run_s(j, cx->now);
    return limit >= DURATION_NOT_SET ? limit : (int64_t)limit - used;
}
NUMBER(left, left_s(j, cx))
GET(left)
{
    jobtext_left(out, j, cx->m, cx->now);
}
GET(time_min)
{
    if (req_detail(&j->req)->time_min_s == DURATION_NOT_SET)
        str_append(out, "N/A");
    else
        text_append_duration(out, req_detail(&j->req)->time_min_s);
}
/* Seconds between its submission and its start, or now. */
GET_NUMBER(pending_s,
           wall_elapsed_s(j->t_submit,
                          wall_is_set(j->t_start) && j->state != JOB_PENDING ? j->t_start : cx->now))

/* --- resources --- */

GET_NUMBER(cpus, job_cpus(j))
GET_NUMBER(gpus, job_gpus(j))
GET_NUMBER(node_count, job_nodes(j))
NUMBER(mem, job_mem_mib(j))
GET_NUMBER(tasks, value_given(j->req.ntasks, req_detail(&j->req)->ntasks_per_node != NOT_GIVEN
                                                 ? req_detail(&j->req)->ntasks_per_node * job_nodes(j)
                                                 : 1))
GET_NUMBER(cpus_per_task, value_given(j->req.cpus_per_task, 1))
GET_NUMBER(min_cpus, (int64_t)value_given(j->req.cpus_per_task, 1) *
                         value_given(req_detail(&j->req)->ntasks_per_node, 1))
GET_NUMBER(max_nodes, value_given(j->req.nodes_max, 0))
NUMBER(min_memory, j->req.mem_node_mib != MEM_NOT_GIVEN                ? j->req.mem_node_mib
                   : req_detail(&j->req)->mem_cpu_mib != MEM_NOT_GIVEN ? req_detail(&j->req)->mem_cpu_mib
                                                                       : 0)
GET(min_memory)
{
    jobtext_min_memory(out, j, cx->noconvert);
}
GET(mem)
{
    jobtext_mem(out, job_mem_mib(j), cx->noconvert);
}
GET(tres_per_node)
{
    jobtext_tres_per_node(out, j);
}
GET(tres_alloc)
{
    if (j->state == JOB_PENDING)
        str_append(out, "N/A");
    else
        jobtext_tres(out, j, cx->m);
}
static void append_gpus_per(struct str *out, const struct job *j, uint32_t n)
{
    if (n == NOT_GIVEN || !n)
        str_append(out, "N/A");
    else
        str_appendf(out, "gres:gpu%s%s:%u", req_detail(&j->req)->gpu_type ? ":" : "",
                    req_detail(&j->req)->gpu_type ? req_detail(&j->req)->gpu_type : "", n);
}
GET(tres_per_job)
{
    append_gpus_per(out, j, j->req.gpus);
}
GET(tres_per_task)
{
    append_gpus_per(out, j, req_detail(&j->req)->gpus_per_task);
}
GET(tasks_per_node)
{
    if (req_detail(&j->req)->ntasks_per_node == NOT_GIVEN)
        str_append_char(out, '0');
    else
        text_append_u64(out, req_detail(&j->req)->ntasks_per_node);
}
GET(over_subscribe)
{
    str_append(out, jobtext_sharing(j));
}
GET(nodes)
{
    jobtext_nodes(out, j);
}
GET(batch_host)
{
    const char *host = job_batch_host(j);
    str_append(out, host ? host : "n/a");
}
GET_TEXT(req_nodes, req_rare(&j->req)->nodelist, "")
GET_TEXT(exc_nodes, req_rare(&j->req)->exclude, "")

/* --- files --- */

static void append_taken(struct str *out, char *path)
{
    text_append_foreign(out, path, NULL_TEXT);
    free(path);
}
GET(stdout)
{
    append_taken(out, j->kind == JOB_KIND_BATCH ? job_stdout_path(j) : NULL);
}
GET(stderr)
{
    append_taken(out, j->kind == JOB_KIND_BATCH ? job_stderr_path(j) : NULL);
}
GET_TEXT(stdin, req_rare(&j->req)->std_in ? req_rare(&j->req)->std_in : "/dev/null", "/dev/null")

/* --- steps: squeue -s --- */

GET(step_id)
{
    char buf[16];
    jobtext_id(out, j, cx->bitstr_len);
    str_append_char(out, '.');
    str_append(out, step_format_id(r->step->id, buf));
}
GET_TEXT(step_name, r->step->name, "")
GET(step_nodes)
{
    steptext_nodes(out, r->step);
}
NUMBER(step_elapsed,
       wall_is_set(r->step->t_start)
           ? wall_elapsed_s(r->step->t_start, wall_is_set(r->step->t_end) ? r->step->t_end : cx->now)
           : 0)
GET(step_elapsed)
{
    text_append_duration(out, (uint32_t)number_step_elapsed(r, cx));
}
NUMBER(step_start, time_order(r->step->t_start))
GET(step_start)
{
    append_time(out, cx, r->step->t_start);
}
static int64_t step_cpus(const struct step *s)
{
    int64_t n = 0;
    for (size_t i = 0; i < s->tasks.n; i++)
        n += cpuset_count(&s->tasks.v[i].alloc.cpus);
    return n;
}
GET_NUMBER(step_cpus, step_cpus(r->step))
GET_NUMBER(step_tasks, r->step->n_ranks)
GET_NUMBER(step_node_count, r->step->tasks.n ? r->step->tasks.n : r->step->nodes)
GET(step_limit)
{
    text_append_duration(out, r->step->time_limit_s && r->step->time_limit_s != DURATION_NOT_SET
                                  ? r->step->time_limit_s
                                  : DURATION_UNLIMITED);
}
GET(step_state)
{
    str_append(out, r->step->done ? "COMPLETED" : r->step->killing ? "COMPLETING" : "RUNNING");
}
GET_TEXT(step_command, r->step->command, NULL_TEXT)
