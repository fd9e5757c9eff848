/* jobjson.c - jobs as Slurm's --json has them. */
#include "src/cli/listing/jobjson.h"

#include <inttypes.h>
#include <stdlib.h>

#include "src/jobattr/jobattr.h"
#include "src/jobenv/filename.h"
#include "src/model/jobeffective.h"
#include "src/model/runs.h"
#include "src/model/usage.h"
#include "src/text/jobtext.h"
#include "src/values/units.h"

/* {"set":true,"infinite":false,"number":5} */
static void append_optional(struct str *out, const char *key, bool set, bool infinite, uint64_t v)
{
    json_key(out, key);
    str_appendf(out, "{\"set\":%s,\"infinite\":%s,\"number\":%" PRIu64 "}", set ? "true" : "false",
                infinite ? "true" : "false", set ? v : 0);
}

void slurm_json_begin(struct str *out)
{
    json_begin_object(out, NULL);
    json_key(out, "meta");
    str_append(out,
               "{\"schema\":1,\"plugin\":{\"type\":\"openapi/"
               "dbv0.0.39\",\"name\":\"Stoker\",\"data_parser\":\"v0.0.39\"},"
               "\"Slurm\":{\"version\":{\"major\":23,\"micro\":7,\"minor\":2},\"release\":\"23.02.7\"}}");
    json_int(out, "schema", 1);
}

void slurm_json_end(struct str *out)
{
    json_begin_array(out, "warnings");
    json_end_array(out);
    json_begin_array(out, "errors");
    json_end_array(out);
    json_end_document(out);
}

void job_json_open(struct str *out)
{
    slurm_json_begin(out);
    json_begin_array(out, "jobs");
}

void job_json_close(struct str *out)
{
    json_end_array(out);
    slurm_json_end(out);
}

/* A text that a jobtext function appends, as a member. */
#define JSON_BY(out, key, call)      \
    do {                             \
        str_clear(&text);            \
        call;                        \
        json_text(out, key, text.s); \
    } while (0)

static void json_limit(struct str *out, const char *key, uint32_t s)
{
    bool unlimited = s == DURATION_UNLIMITED;
    append_optional(out, key, s != DURATION_NOT_SET && !unlimited, unlimited, s / 60);
}

static void json_path(struct str *out, const char *key, char *path)
{
    json_text(out, key, path);
    free(path);
}

static void append_identity(struct str *out, const struct job_row *r)
{
    const struct job *j = r->job;
    uint32_t index = r->element != ARRAY_NONE ? r->element : j->array_index;
    json_int(out, "job_id", j->id);
    append_optional(out, "array_job_id", true, false, j->array_job);
    append_optional(out, "array_task_id", index != ARRAY_NONE, false, index);
    append_optional(out, "array_max_tasks", true, false, j->req.array_throttle);
    json_text(out, "user_name", j->user);
    json_int(out, "user_id", j->uid);
    json_text(out, "group_name", job_origin(j)->group);
    json_int(out, "group_id", job_origin(j)->gid);
    json_text(out, "qos", job_qos(&j->req));
    json_text(out, "partition", job_partition_text(j));
    json_text(out, "command", job_origin(j)->command);
}

static void jobjson_append_times(struct str *out, const struct job *j, const struct job_cx *cx)
{
    json_int(out, "submit_time", j->t_submit.ms / MS_PER_S);
    json_int(out, "eligible_time", j->t_eligible.ms / MS_PER_S);
    json_int(out, "start_time", j->state == JOB_PENDING ? 0 : j->t_start.ms / MS_PER_S);
    json_int(out, "end_time", job_end_time(j, cx->m).ms / MS_PER_S);
    json_int(out, "suspend_time", job_rare(j)->t_suspend.ms / MS_PER_S);
    json_limit(out, "time_limit", job_limit_s(j, cx->m));
}

/* The attributes of the request, by their kinds. */
static void append_attrs(struct str *out, const struct job_req *q)
{
    job_attr_for_each (a) {
        int64_t n = job_attr_number(a, q);
        if (!a->json)
            continue;
        if (job_attr_is_text(a))
            json_text(out, a->json, job_attr_text(a, q));
        else if (a->kind == JOB_ATTR_LIMIT)
            json_limit(out, a->json, (uint32_t)n);
        else if (a->kind == JOB_ATTR_COUNT || a->kind == JOB_ATTR_GPUS)
            append_optional(out, a->json, n != NOT_GIVEN, false, (uint64_t)n);
        else if (a->kind == JOB_ATTR_MEMORY)
            append_optional(out, a->json, (uint64_t)n != MEM_NOT_GIVEN, false, (uint64_t)n);
        else
            json_int(out, a->json, a->kind == JOB_ATTR_TIME_POINT ? n / MS_PER_S : n);
    }
}

void job_json_append(struct str *out, const struct job_row *r, const struct job_cx *cx)
{
    const struct job *j = r->job;
    struct str text = STR_INIT;
    json_begin_object(out, NULL);
    append_identity(out, r);
    json_text(out, "cluster", cx->m->spec.name);
    JSON_BY(out, "array_task_string",
            if (job_is_array_record(j) && r->element == ARRAY_NONE) jobtext_id(&text, j, 0));
    json_text(out, "job_state",
              run_was_requeued(j) ? "REQUEUED" : job_state_long((enum job_state)j->state));
    JSON_BY(out, "state_reason", jobtext_reason(&text, j, cx->m));
    JSON_BY(out, "state_description", jobtext_reason_words(&text, j));
    append_optional(out, "priority", true, false, j->priority);
    json_bool(out, "hold", j->hold != HOLD_NONE);
    JSON_BY(out, "dependency", jobtext_dependency(&text, j, cx->m));
    jobjson_append_times(out, j, cx);
    JSON_BY(out, "nodes", jobtext_nodes(&text, j));
    json_text(out, "batch_host", job_batch_host(j));
    json_bool(out, "batch_flag", j->kind == JOB_KIND_BATCH);
    append_optional(out, "cpus", true, false, job_cpus(j));
    append_optional(out, "node_count", true, false, job_nodes(j));
    JSON_BY(out, "tres_req_str", jobtext_tres(&text, j, cx->m));
    JSON_BY(out, "tres_alloc_str", if (j->state != JOB_PENDING) jobtext_tres(&text, j, cx->m));
    JSON_BY(out, "tres_per_node", jobtext_tres_per_node(&text, j));
    append_attrs(out, &j->req);
    json_path(out, "standard_output", j->kind == JOB_KIND_BATCH ? job_stdout_path(j) : NULL);
    json_path(out, "standard_error", j->kind == JOB_KIND_BATCH ? job_stderr_path(j) : NULL);
    json_text(out, "standard_input", req_rare(&j->req)->std_in ? req_rare(&j->req)->std_in : "/dev/null");
    json_int(out, "exit_code", (int64_t)j->exit_code << 8 | j->exit_signal);
    json_int(out, "derived_exit_code", (int64_t)job_rare(j)->derived_code << 8);
    json_int(out, "restart_cnt", j->restarts);
    json_bool(out, "requeue", req_detail(&j->req)->requeue != 2);
    json_end_object(out);
    str_fini(&text);
}
