#include "backend/control/requests/req_check.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/jobattr/jobattr.h"
#include "src/model/dep.h"
#include "src/model/need.h"
#include "src/model/task_parts.h"
#include "src/proto/codec.h"

#define NAME_MAX_BYTES       128
#define RANK_NODES_MAX_BYTES (1u << 20)
#define LIMITS_MAX           32
#define TEXT_MAX_BYTES       4096
#define COMMAND_MAX_CELLS    4096
#define SCRIPT_MAX           (4u << 20)
#define ENV_MAX              4096
#define ENV_BYTES_MAX        (1u << 20)
#define STEPS_MAX            10000u
#define TASKS_MAX            100000u /* of all steps of a job */
#define COUNT_MAX            1000000u
#define ARRAY_MAX_BYTES      65536
#define STEPS_BYTES_MAX      (2u << 20) /* of the declared steps, as they are kept */

#define SHOWN_CELLS 240 /* of what the user wrote, in a refusal */

void req_check_refuse(struct request_check *k, enum refusal r, struct cause *why)
{
    if (k->refusal != REFUSAL_NONE) {
        cause_clear(why);
        return;
    }
    k->refusal = r;
    k->cause = *why;
}

char *req_check_shown(const char *s)
{
    struct str b = STR_INIT;
    cell_text(&b, s ? s : "", SHOWN_CELLS, true, false);
    return str_take(&b);
}

static void req_check_words(struct request_check *k, const char *what, const char *s, size_t max)
{
    if (!s || utf8_is_clean_name(s, max))
        return;
    size_t n = strlen(s);
    enum cause_code code = !n                     ? CAUSE_VALUE_EMPTY
                           : n > max              ? CAUSE_VALUE_LONG
                           : !utf8_is_valid(s, n) ? CAUSE_VALUE_NOT_UTF8
                                                  : CAUSE_VALUE_INVISIBLE;
    req_check_refuse(k, REFUSAL_BAD_REQUEST,
                     &(struct cause){.code = code, .name = xstrdup(what), .most = max});
}

/* A refusal of one step of a step job. */
static void req_check_refuse_step(struct request_check *k, const struct step *s, enum cause_code code,
                                  uint64_t most)
{
    struct cause why = {.code = CAUSE_IN_STEP, .name = req_check_shown(s->name)};
    cause_add(&why, code)->most = most;
    req_check_refuse(k, REFUSAL_BAD_REQUEST, &why);
}

/* A text of a parser, which names what the user wrote. */
static void req_check_refuse_words(struct request_check *k, enum refusal r, const struct errtext *text)
{
    req_check_refuse(k, r, &(struct cause){.code = CAUSE_WORDS, .text = req_check_shown(text->s)});
}

static void req_check_name(struct request_check *k, const char *what, const char *s)
{
    req_check_words(k, what, s, NAME_MAX_BYTES);
}

static void req_check_text(struct request_check *k, const char *what, const char *s)
{
    req_check_words(k, what, s, TEXT_MAX_BYTES);
}

/* A directory may have any name: it is shown escaped. */
static void req_check_dir(struct request_check *k, const char *s)
{
    if (s && strlen(s) > TEXT_MAX_BYTES)
        req_check_refuse(k, REFUSAL_BAD_REQUEST,
                         &(struct cause){.code = CAUSE_VALUE_LONG,
                                         .name = xstrdup("working directory"),
                                         .most = TEXT_MAX_BYTES});
}

/* Commands are shown, never run from this text: what does not suit a terminal is escaped, not refused. */
char *req_check_shown_command(const char *s)
{
    if (!s)
        return NULL;
    struct str b = STR_INIT;
    cell_text(&b, s, COMMAND_MAX_CELLS, true, false);
    return str_take(&b);
}

static void req_check_env(struct request_check *k, const struct strv *env)
{
    size_t bytes = 0;
    for (size_t i = 0; i < env->n; i++)
        bytes += strlen(env->v[i]) + 1;
    if (env->n > ENV_MAX || bytes > ENV_BYTES_MAX)
        req_check_refuse(
            k, REFUSAL_TOO_BIG,
            &(struct cause){.code = CAUSE_ENVIRONMENT_LARGE, .n = ENV_MAX, .most = ENV_BYTES_MAX});
}

static void req_check_payload(struct request_check *k, const struct step_payload *p)
{
    if (p->script.n > SCRIPT_MAX)
        req_check_refuse(k, REFUSAL_TOO_BIG,
                         &(struct cause){.code = CAUSE_SCRIPT_LARGE, .most = SCRIPT_MAX});
    req_check_env(k, &p->env);
    if (p->limits.n > LIMITS_MAX)
        req_check_refuse(k, REFUSAL_BAD_REQUEST,
                         &(struct cause){.code = CAUSE_RESOURCE_LIMITS, .most = LIMITS_MAX});
}

static void req_check_dependency(struct request_check *k, const char *s)
{
    struct deps d;
    struct errtext text = {""};
    if (dep_parse(s, &d, &text) < 0)
        req_check_refuse_words(k, REFUSAL_DEPENDENCY, &text);
    else
        deps_fini(&d);
}

/* A count beyond any machine is a mistake or an attack. */
static void req_check_count(struct request_check *k, const char *what, uint32_t n)
{
    if (n != NOT_GIVEN && n > COUNT_MAX)
        req_check_refuse(
            k, REFUSAL_BAD_REQUEST,
            &(struct cause){.code = CAUSE_VALUE_COUNT, .name = xstrdup(what), .most = COUNT_MAX});
}

static void req_check_attr(struct request_check *k, const struct job_attr *a, const struct job_req *r)
{
    if (a->kind == JOB_ATTR_DIR)
        req_check_dir(k, job_attr_text(a, r));
    else if (a->kind == JOB_ATTR_ARRAY)
        req_check_words(k, a->label, job_attr_text(a, r), ARRAY_MAX_BYTES);
    else if (a->kind == JOB_ATTR_NAME)
        req_check_name(k, a->label, job_attr_text(a, r));
    else if (job_attr_is_text(a))
        req_check_text(k, a->label, job_attr_text(a, r));
    else
        req_check_count(k, a->label, (uint32_t)job_attr_number(a, r));
}

static void req_check_members(struct request_check *k, const struct job_req *r)
{
    const struct job_req_rare *rare = req_rare(r);
    job_attr_for_each (a)
        if (a->label)
            req_check_attr(k, a, r);
    req_check_count(k, "nodes", r->nodes_max);
    req_check_text(k, "GPU type", req_detail(r)->gpu_type);
    if (str_is_empty(r->workdir) || r->workdir[0] != '/')
        req_check_refuse(k, REFUSAL_BAD_REQUEST,
                         &(struct cause){.code = CAUSE_WORKDIR_RELATIVE,
                                         .name = req_check_shown(r->workdir ? r->workdir : "(none)")});
    req_check_dependency(k, r->dependency);
    struct errtext gpus = {""}, nodes = {""};
    if (job_need_check_nodes(r, &nodes) < 0)
        req_check_refuse_words(k, REFUSAL_NODE_COUNT, &nodes);
    if (job_need_check_gpus(r, &gpus) < 0)
        req_check_refuse_words(k, REFUSAL_GRES, &gpus);
    if (rare->lost_node >= LOST_N || req_detail(r)->requeue > 2 || rare->signal < 0 || rare->signal > 64 ||
        rare->limit_restarts > LIMIT_RESTARTS_MAX)
        req_check_refuse(k, REFUSAL_BAD_REQUEST, &(struct cause){.code = CAUSE_MALFORMED});
}

static void req_check_step_members(struct request_check *k, const struct step *s,
                                   const struct step_payload *p)
{
    req_check_name(k, "step name", s->name);
    req_check_name(k, "request id", s->request_id);
    req_check_text(k, "output file", s->std_out);
    req_check_text(k, "error file", s->std_err);
    req_check_text(k, "input file", s->std_in);
    req_check_text(k, "node list", s->nodelist);
    req_check_text(k, "GPU type", s->gpu_type);
    req_check_dir(k, s->workdir);
    req_check_dir(k, p->workdir);
    req_check_count(k, "CPUs of a process", s->cpus_per_rank);
    req_check_count(k, "GPUs", s->gpus);
    req_check_count(k, "GPUs of a process", s->gpus_per_rank);
    req_check_count(k, "nodes", s->nodes);
    req_check_payload(k, p);
    bool begun = s->tasks.n || s->done || s->killing || s->kill_cause || s->code || s->signal ||
                 wall_is_set(s->t_start) || wall_is_set(s->t_end);
    req_check_words(k, "nodes of the tasks", s->rank_nodes, RANK_NODES_MAX_BYTES);
    if (begun || s->distribution > 2 || (s->distribution == 2) != (s->rank_nodes != NULL))
        req_check_refuse_step(k, s, CAUSE_MALFORMED, 0);
}

enum refusal req_check_request(const struct job_req *r, struct cause *why)
{
    struct request_check k = {.refusal = REFUSAL_NONE};
    req_check_members(&k, r);
    if (k.refusal != REFUSAL_NONE)
        *why = k.cause;
    return k.refusal;
}

enum refusal req_check_step(const struct step *s, const struct step_payload *p, struct cause *why)
{
    struct request_check k = {.refusal = REFUSAL_NONE};
    req_check_step_members(&k, s, p);
    if (k.refusal != REFUSAL_NONE)
        *why = k.cause;
    return k.refusal;
}

static void req_check_steps(struct request_check *k, const struct msg_submit *m)
{
    if (m->kind != JOB_KIND_STEPS) {
        if (m->steps.n)
            req_check_refuse(k, REFUSAL_BAD_REQUEST, &(struct cause){.code = CAUSE_STEPS_UNDECLARED});
        return;
    }
    if (req_detail(&m->req)->array_spec)
        req_check_refuse(k, REFUSAL_ARRAY, &(struct cause){.code = CAUSE_STEPS_ARRAY});
    if (!m->steps.n || m->steps.n > STEPS_MAX || m->steps.n != m->step_payloads.n)
        req_check_refuse(k, REFUSAL_BAD_REQUEST,
                         &(struct cause){.code = CAUSE_STEPS_COUNT, .most = STEPS_MAX});
    uint64_t tasks = 0;
    for (size_t i = 0; i < m->steps.n && k->refusal == REFUSAL_NONE; i++) {
        const struct step *s = &m->steps.v[i];
        tasks += (uint64_t)s->n_tasks * step_task_nodes(s); /* each node has a record of its own */
        req_check_step_members(k, s, &m->step_payloads.v[i]);
        if (s->id != (int32_t)i || s->rank_nodes)
            req_check_refuse_step(k, s, CAUSE_MALFORMED, 0);
        if (!s->n_ranks || s->n_ranks > NODE_RANKS_MAX)
            req_check_refuse_step(k, s, CAUSE_STEP_PROCESSES, NODE_RANKS_MAX);
        if (!s->n_tasks || (uint64_t)s->n_tasks * step_task_nodes(s) > TASKS_MAX)
            req_check_refuse_step(k, s, CAUSE_STEP_TASKS, TASKS_MAX);
    }
    if (tasks > TASKS_MAX)
        req_check_refuse(k, REFUSAL_TOO_BIG, &(struct cause){.code = CAUSE_STEPS_TASKS, .most = TASKS_MAX});
}

void req_check_record(struct request_check *k, const struct job *j)
{
    struct str b = STR_INIT;
    for (size_t i = 0; k->refusal == REFUSAL_NONE && i < j->steps.n && b.len <= STEPS_BYTES_MAX; i++)
        codec_encode(&step_rec, &j->steps.v[i], &b);
    if (b.len > STEPS_BYTES_MAX)
        req_check_refuse(k, REFUSAL_TOO_BIG,
                         &(struct cause){.code = CAUSE_STEPS_LARGE, .most = STEPS_BYTES_MAX});
    str_fini(&b);
}

void req_check_submission(struct request_check *k, const struct msg_submit *m)
{
    req_check_members(k, &m->req);
    req_check_payload(k, &m->payload);
    req_check_steps(k, m);
    req_check_name(k, "submitting host", m->host);
    req_check_name(k, "request id", m->request_id);
}
