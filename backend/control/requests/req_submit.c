/* req_submit.c - a job comes in: checked, made, acknowledged once it is on disk. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "backend/control/private.h"
#include "backend/sched/explain/explain.h"
#include "backend/sched/limits/limits.h"
#include "src/base/units.h"
#include "src/base/utf8.h"
#include "src/jobenv/mailtype.h"
#include "src/model/array.h"
#include "src/model/dep.h"
#include "src/model/need.h"
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
#define TASKS_ALL_MAX        2000000u /* of all jobs: each is some hundred bytes of the controller's memory */
#define COUNT_MAX            1000000u
#define ARRAY_MAX_BYTES      65536
#define STEPS_BYTES_MAX      (2u << 20) /* of the declared steps, as they are kept */

struct check {
    enum refusal refusal;
    struct errtext text;
};

static void refuse(struct check *k, enum refusal r, const char *fmt, const char *arg)
{
    if (k->refusal != REFUSAL_NONE)
        return;
    k->refusal = r;
    /* fmt is one of the literals below with at most one %s */
    struct str b = STR_INIT;
    const char *at = strstr(fmt, "%s");
    str_append_n(&b, fmt, at ? (size_t)(at - fmt) : strlen(fmt));
    if (at) {
        cell_text(&b, arg ? arg : "", 240, true, false);
        str_append(&b, at + 2);
    }
    err_set(&k->text, 0, "%s", b.s);
    str_fini(&b);
}

/* long_text: what is said where it is longer than max bytes. */
static void check_words(struct check *k, const char *what, const char *s, size_t max, const char *long_text)
{
    if (!s || utf8_is_clean_name(s, max))
        return;
    size_t n = strlen(s);
    refuse(k, REFUSAL_BAD_REQUEST,
           !n                     ? "%s: it is empty"
           : n > max              ? long_text
           : !utf8_is_valid(s, n) ? "%s: it is not UTF-8"
                                  : "%s: neither control characters nor invisible ones are allowed",
           what);
}

static void check_name(struct check *k, const char *what, const char *s)
{
    check_words(k, what, s, NAME_MAX_BYTES, "%s: more than 128 bytes");
}

static void check_text(struct check *k, const char *what, const char *s)
{
    check_words(k, what, s, TEXT_MAX_BYTES, "%s: more than 4096 bytes");
}

/* Where somebody works is what it is called, whatever that is: shown escaped. */
static void check_dir(struct check *k, const char *s)
{
    if (s && strlen(s) > TEXT_MAX_BYTES)
        refuse(k, REFUSAL_BAD_REQUEST, "working directory: more than 4096 bytes", NULL);
}

/* Commands are shown, never run from this text: what does not suit a terminal is escaped, not refused. */
char *ctl_shown_command(const char *s)
{
    if (!s)
        return NULL;
    struct str b = STR_INIT;
    cell_text(&b, s, COMMAND_MAX_CELLS, true, false);
    return str_take(&b);
}

static void check_env(struct check *k, const struct strv *env)
{
    size_t bytes = 0;
    for (size_t i = 0; i < env->n; i++)
        bytes += strlen(env->v[i]) + 1;
    if (env->n > ENV_MAX || bytes > ENV_BYTES_MAX)
        refuse(k, REFUSAL_TOO_BIG,
               "the environment is over 4096 variables or 1 MiB: use --export to choose", NULL);
}

static void check_payload(struct check *k, const struct step_payload *p)
{
    if (p->script.n > SCRIPT_MAX)
        refuse(k, REFUSAL_TOO_BIG, "the script is over 4 MiB", NULL);
    check_env(k, &p->env);
    if (p->limits.n > LIMITS_MAX)
        refuse(k, REFUSAL_BAD_REQUEST, "more than 32 resource limits", NULL);
}

static void check_dependency(struct check *k, const char *s)
{
    struct deps d;
    struct errtext text = {""};
    if (dep_parse(s, &d, &text) < 0)
        refuse(k, REFUSAL_DEPENDENCY, "%s", text.s);
    else
        deps_fini(&d);
}

/* How many: more than any machine has is a slip or worse. */
static void check_count(struct check *k, const char *what, uint32_t n)
{
    if (n != NOT_GIVEN && n > COUNT_MAX)
        refuse(k, REFUSAL_BAD_REQUEST, "%s: no more than 1000000", what);
}

static void check_counts_asked(struct check *k, const struct job_req *r)
{
    check_count(k, "nodes", r->nodes_min);
    check_count(k, "nodes", r->nodes_max);
    check_count(k, "tasks", r->ntasks);
    check_count(k, "tasks of a node", r->ntasks_per_node);
    check_count(k, "CPUs of a task", r->cpus_per_task);
    check_count(k, "GPUs", r->gpus);
    check_count(k, "GPUs of a node", r->gpus_per_node);
    check_count(k, "GPUs of a task", r->gpus_per_task);
}

static void check_request(struct check *k, const struct job_req *r)
{
    check_counts_asked(k, r);
    const struct job_req_rare *rare = req_rare(r);
    check_name(k, "job name", r->name);
    check_name(k, "account", r->account);
    check_name(k, "QOS", r->qos);
    check_name(k, "wckey", rare->wckey);
    check_text(k, "partition", r->partition);
    check_text(k, "comment", rare->comment);
    check_text(k, "output file", r->std_out);
    check_text(k, "error file", r->std_err);
    check_text(k, "input file", rare->std_in);
    check_text(k, "features", r->features);
    check_text(k, "node list", rare->nodelist);
    check_text(k, "excluded nodes", rare->exclude);
    check_text(k, "dependency", r->dependency);
    check_text(k, "licenses", r->licenses);
    check_text(k, "reservation", rare->reservation);
    check_text(k, "mail type", rare->mail_type);
    check_text(k, "mail user", rare->mail_user);
    check_text(k, "GPU type", r->gpu_type);
    check_text(k, "gres", r->gres);
    check_words(k, "array", r->array_spec, ARRAY_MAX_BYTES, "%s: more than 65536 bytes");
    check_dir(k, r->workdir);
    if (str_is_empty(r->workdir) || r->workdir[0] != '/')
        refuse(k, REFUSAL_BAD_REQUEST, "working directory %s is not an absolute path",
               r->workdir ? r->workdir : "(none)");
    check_dependency(k, r->dependency);
    struct errtext gpus = {""};
    if (job_need_check_gpus(r, &gpus) < 0)
        refuse(k, REFUSAL_GRES, "%s", gpus.s);
    if (rare->lost_node >= LOST_N || r->requeue > 2 || rare->signal < 0 || rare->signal > 64)
        refuse(k, REFUSAL_BAD_REQUEST, "malformed request", NULL);
}

static void check_step(struct check *k, const struct step *s, const struct step_payload *p)
{
    check_name(k, "step name", s->name);
    check_name(k, "request id", s->request_id);
    check_text(k, "output file", s->std_out);
    check_text(k, "error file", s->std_err);
    check_text(k, "input file", s->std_in);
    check_text(k, "node list", s->nodelist);
    check_text(k, "GPU type", s->gpu_type);
    check_dir(k, s->workdir);
    check_dir(k, p->workdir);
    check_count(k, "CPUs of a process", s->cpus_per_rank);
    check_count(k, "GPUs", s->gpus);
    check_count(k, "GPUs of a process", s->gpus_per_rank);
    check_count(k, "nodes", s->nodes);
    check_payload(k, p);
    bool begun = s->tasks.n || s->done || s->killing || s->kill_cause || s->code || s->signal ||
                 wall_is_set(s->t_start) || wall_is_set(s->t_end);
    check_words(k, "nodes of the tasks", s->rank_nodes, RANK_NODES_MAX_BYTES, "%s: more than 1 MiB");
    if (begun || s->distribution > 2 || (s->distribution == 2) != (s->rank_nodes != NULL))
        refuse(k, REFUSAL_BAD_REQUEST, "step %s: malformed", s->name);
}

enum refusal ctl_check_request(const struct job_req *r, struct errtext *text)
{
    struct check k = {.refusal = REFUSAL_NONE};
    check_request(&k, r);
    if (k.refusal != REFUSAL_NONE)
        *text = k.text;
    return k.refusal;
}

enum refusal ctl_check_step(const struct step *s, const struct step_payload *p, struct errtext *text)
{
    struct check k = {.refusal = REFUSAL_NONE};
    check_step(&k, s, p);
    if (k.refusal != REFUSAL_NONE)
        *text = k.text;
    return k.refusal;
}

static void check_steps(struct check *k, const struct msg_submit *m)
{
    if (m->kind != JOB_KIND_STEPS) {
        if (m->steps.n)
            refuse(k, REFUSAL_BAD_REQUEST, "only a step job declares its steps", NULL);
        return;
    }
    if (m->req.array_spec)
        refuse(k, REFUSAL_ARRAY, "a step job cannot be an array: its steps have tasks", NULL);
    if (!m->steps.n || m->steps.n > STEPS_MAX || m->steps.n != m->step_payloads.n)
        refuse(k, REFUSAL_BAD_REQUEST, "a step job has between 1 and 10000 steps", NULL);
    uint64_t tasks = 0;
    for (size_t i = 0; i < m->steps.n && k->refusal == REFUSAL_NONE; i++) {
        const struct step *s = &m->steps.v[i];
        tasks += s->n_tasks;
        check_step(k, s, &m->step_payloads.v[i]);
        if (s->id != (int32_t)i || s->rank_nodes)
            refuse(k, REFUSAL_BAD_REQUEST, "step %s: malformed", s->name);
        if (!s->n_ranks || s->n_ranks > NODE_RANKS_MAX)
            refuse(k, REFUSAL_BAD_REQUEST, "step %s: between 1 and 4096 processes in a task", s->name);
        if (!s->n_tasks || s->n_tasks > TASKS_MAX)
            refuse(k, REFUSAL_BAD_REQUEST, "step %s: between 1 and 100000 tasks", s->name);
    }
    if (tasks > TASKS_MAX)
        refuse(k, REFUSAL_TOO_BIG, "a step job has no more than 100000 tasks in all", NULL);
}

/* The record is read by everybody who looks at the queue: scripts and environments are not in it. */
static void check_size(const struct job *j, struct check *k)
{
    struct str b = STR_INIT;
    for (size_t i = 0; k->refusal == REFUSAL_NONE && i < j->steps.n && b.len <= STEPS_BYTES_MAX; i++)
        codec_encode(&step_rec, &j->steps.v[i], &b);
    if (b.len > STEPS_BYTES_MAX)
        refuse(k, REFUSAL_TOO_BIG, "the names, commands and files of its steps are over 2 MiB in all",
               NULL);
    str_fini(&b);
}

static uint64_t tasks_of(const struct job *j)
{
    uint64_t n = 0;
    for (size_t i = 0; j->kind == JOB_KIND_STEPS && i < j->steps.n; i++)
        n += j->steps.v[i].n_tasks;
    return n;
}

/* Counted anew only where the sum of what came in, of which much may have left, is too large. */
static void check_all_tasks(struct control *c, const struct job *j, struct check *k)
{
    uint64_t tasks = tasks_of(j);
    if (!tasks || k->refusal != REFUSAL_NONE)
        return;
    if (!c->tasks_counted || c->n_tasks + tasks > TASKS_ALL_MAX) {
        c->n_tasks = 0;
        c->tasks_counted = true;
        list_for_each (other, &c->model.all, struct job, in_all)
            c->n_tasks += tasks_of(other);
    }
    if (c->n_tasks + tasks > TASKS_ALL_MAX)
        refuse(k, REFUSAL_POLICY, "the queue is full: 2000000 tasks of step jobs", NULL);
}

/* Whose share it is charged to, by which QOS, and what only administrators may say about its turn. */
static void check_standing(struct session *s, const struct msg_submit *m, struct check *k)
{
    struct control *c = s->ctl;
    if (m->req.has_priority && !s->admin)
        refuse(k, REFUSAL_NOT_ALLOWED, "only administrators give a job its priority", NULL);
    if (m->req.nice < 0 && !s->admin)
        refuse(k, REFUSAL_NOT_ALLOWED, "only administrators ask for a negative nice value", NULL);
    if (k->refusal == REFUSAL_NONE)
        k->refusal = account_check(&c->model.spec, user_name(c->users, s->uid),
                                   group_name(c->users, s->gid), m->req.account, m->req.qos, &k->text);
}

/* One user leaves room in the queue for the others. */
static void check_room(struct session *s, struct check *k)
{
    uint32_t n = s->party->n_jobs, most = ctl_jobs_most(s->ctl);
    if (k->refusal != REFUSAL_NONE || s->admin || n < most)
        return;
    k->refusal = REFUSAL_POLICY;
    err_set(&k->text, 0,
            "%u jobs of yours are in the queue, and no user may have more than %u (max_user_jobs)", n,
            most);
}

static void check_submit(struct session *s, const struct msg_submit *m, struct check *k)
{
    struct control *c = s->ctl;
    check_request(k, &m->req);
    check_payload(k, &m->payload);
    check_steps(k, m);
    check_name(k, "submitting host", m->host);
    check_name(k, "request id", m->request_id);
    if (m->force && !s->admin)
        refuse(k, REFUSAL_NOT_ALLOWED, "only administrators queue what can never start", NULL);
    if (m->req.ntasks_per_node != NOT_GIVEN && m->req.ntasks_per_node > NODE_RANKS_MAX)
        refuse(k, REFUSAL_BAD_REQUEST, "no more than 4096 tasks on a node", NULL);
    if (m->kind > JOB_KIND_INTERACTIVE || str_is_empty(m->request_id) || strlen(m->request_id) > 64)
        refuse(k, REFUSAL_BAD_REQUEST, "malformed submission", NULL);
    if (m->kind == JOB_KIND_BATCH && !m->payload.script.n && !m->payload.argv.n)
        refuse(k, REFUSAL_BAD_REQUEST, "no script and no command", NULL);
    if (!c->everyone && s->uid != geteuid())
        refuse(k, REFUSAL_NOT_ALLOWED,
               "this controller runs as user %s and can start jobs of that user alone",
               user_name(c->users, geteuid()));
    if (c->stopping)
        refuse(k, REFUSAL_SHUTTING_DOWN, "the controller is stopping", NULL);
    if (c->model.spec.max_jobs && c->model.n_pending + c->model.n_active >= c->model.spec.max_jobs)
        refuse(k, REFUSAL_POLICY, "the queue is full", NULL);
    check_room(s, k);
    check_standing(s, m, k);
    if (k->refusal == REFUSAL_NONE && !m->force)
        k->refusal = ctl_check_names(&c->model, &m->req, &k->text);
    if (k->refusal != REFUSAL_NONE || m->force || (m->hold && !m->test_only))
        return;
    struct sched_view v = ctl_view(c);
    k->refusal = sched_admit(c->planner, &v, s->uid, &m->req, m->kind == JOB_KIND_STEPS ? m->steps.v : NULL,
                             m->steps.n, &k->text);
}

static void set_array(struct control *c, struct job *j, struct check *k)
{
    struct array_spec a;
    if (!j->req.array_spec)
        return;
    if (array_parse(j->req.array_spec, c->model.spec.max_array_size, &a, &k->text) < 0) {
        k->refusal = REFUSAL_ARRAY;
        return;
    }
    j->array_job = j->id;
    j->array_pending.v = a.ranges.v;
    j->array_pending.n = a.ranges.n;
    a.ranges.v = NULL;
    a.ranges.n = 0;
    j->array_count = a.count;
    j->array_min = a.min;
    j->array_max = a.max;
    j->array_step = a.step;
    if (!j->req.array_throttle)
        j->req.array_throttle = a.throttle;
    array_spec_fini(&a);
}

/* The record of a new job, moved out of the message where it can be. */
static void make_job(struct session *s, struct msg_submit *m, struct job *j, struct check *k)
{
    struct control *c = s->ctl;
    struct strv parts = strv_split(m->req.partition, ",");
    const struct part_spec *fallback = model_default_part(&c->model);
    *j = (struct job){
        .id = c->model.next_job,
        .kind = m->kind,
        .state = JOB_PENDING,
        .req = m->req,
        .uid = s->uid,
        .gid = s->gid,
        .user = xstrdup(user_name(c->users, s->uid)),
        .group = xstrdup(group_name(c->users, s->gid)),
        .partition = xstrdup(parts.n    ? parts.v[0]
                             : fallback ? fallback->name
                                        : NULL),
        .submit_host = xstrdup(m->host),
        .command = ctl_shown_command(m->command),
        .request_id = xstrdup(m->request_id),
        .array_index = ARRAY_NONE,
        .hold = m->hold ? HOLD_USER : HOLD_NONE,
        .reason = m->hold ? REASON_HELD_USER : REASON_NONE,
        .t_submit = loop_wall(c->loop),
        .nonce = ctl_random(),
        .t_eligible = loop_wall(c->loop),
        .time_limit_s = DURATION_NOT_SET,
        .script_size = (uint32_t)m->payload.script.n,
        .detached = m->detached,
    };
    m->req = (struct job_req){0};
    if (!j->req.name)
        j->req.name = xstrdup(m->kind == JOB_KIND_INTERACTIVE ? "interactive" : "sbatch");
    j->steps.v = m->steps.v;
    j->steps.n = m->steps.n;
    m->steps.v = NULL;
    m->steps.n = 0;
    for (size_t i = 0; i < j->steps.n; i++) {
        char *command = j->steps.v[i].command;
        j->steps.v[i].command = ctl_shown_command(command);
        free(command);
    }
    set_array(c, j, k);
    strv_fini(&parts);
}

/* Since when it could start but for resources: not yet where a dependency is open. */
static void set_eligible(struct control *c, struct job *j)
{
    struct deps d;
    struct wall now = loop_wall(c->loop);
    j->t_eligible = j->req.begin.ms > now.ms ? j->req.begin : now;
    if (str_is_empty(j->req.dependency) || dep_parse(j->req.dependency, &d, NULL) < 0)
        return;
    if (dep_state(&c->model, j, &d, ARRAY_NONE, now, NULL) == DEP_MET)
        j->dep_met = dep_is_final(&c->model, j, &d);
    else
        j->t_eligible = (struct wall){0};
    deps_fini(&d);
}

/* The rules that count. Held and forced ones are looked at when they are released. */
static void check_counts(struct control *c, const struct msg_submit *m, const struct job *j,
                         struct check *k)
{
    struct sched_view v = ctl_view(c);
    struct sched_admit_how how = {.as_is = m->force || (m->hold && !m->test_only)};
    k->refusal = sched_admit_counts(c->planner, &v, j, how, loop_wall(c->loop), &k->text);
}

static void keep_payload(struct control *c, uint32_t job, int32_t step, const struct step_payload *p)
{
    struct str b = STR_INIT;
    codec_encode(&step_payload_rec, p, &b);
    store_add_payload(c->store, job, step, b.s, b.len);
    payload_cache_put(c->payloads, job, step, b.s, b.len);
    str_fini(&b);
}

/* Why a job that is not in the queue would wait. */
static void append_wait(struct control *c, const struct job *j, const struct trial *t, struct str *out)
{
    char window[UNITS_TEXT_SIZE];
    if (t->reason == REASON_LICENSES)
        licence_explain(&c->model, NULL, j, out);
    else if (t->reason != REASON_NONE && t->verdict.spec)
        limit_text(&t->verdict, out);
    else if (t->reason != REASON_NONE)
        str_appendf(out, "waits: %s", reason_text(t->reason));
    else if (t->forecast.kind == FORECAST_BEYOND)
        str_appendf(out, "waits, and not within the next %s will it start by today's plan",
                    duration_format_words(c->model.spec.window_s, window));
    else
        str_append(out, "waits for resources; when they come free is not known yet");
}

/* What is asked for and has no effect in this cluster. */
static struct strv warnings_of(const struct control *c, const struct job_req *r)
{
    struct strv list = {0};
    uint32_t types = 0;
    if (mail_types_parse(req_rare(r)->mail_type, &types) && types &&
        str_is_empty(c->model.spec.mail_program))
        strv_push(&list, "--mail-type: no mail is sent, because mail_program is not set in this cluster's "
                         "configuration");
    return list;
}

static void answer_job(struct session *s, uint64_t tag, const struct job_req *r, struct msg_result *m)
{
    m->warnings = warnings_of(s->ctl, r);
    session_send(s, MSG_RESULT, tag, m);
    strv_fini(&m->warnings);
}

/* --test-only: when it would start and where, in Slurm's words, which scripts read. count is 1 where that
 * is now. */
static void answer_test(struct session *s, uint64_t tag, const struct job *j)
{
    struct control *c = s->ctl;
    struct sched_view v = ctl_view(c);
    struct trial t;
    struct str b = STR_INIT;
    char start[WALL_TEXT_SIZE];
    planner_try(c->planner, &v, j, loop_wall(c->loop), &t);
    bool knows = wall_is_set(t.forecast.start);
    if (knows)
        str_appendf(&b, "to start at %s", wall_format_iso(t.forecast.start, start));
    if (t.now)
        str_appendf(&b, " using %u processors on nodes %s in partition %s", t.cpus, t.nodes, t.partition);
    else if (knows)
        str_appendf(&b, " at the latest, in partition %s, by the time limits of the jobs before it",
                    t.partition);
    if (knows && t.reason != REASON_NONE)
        str_append(&b, "; ");
    if (!knows || t.reason != REASON_NONE)
        append_wait(c, j, &t, &b);
    answer_job(s, tag, &j->req, &(struct msg_result){.text = b.s, .job = j->id, .count = t.now});
    str_fini(&b);
    trial_fini(&t);
}

void req_submit(struct session *s, uint64_t tag, struct msg_submit *m)
{
    struct control *c = s->ctl;
    struct job *old = m->request_id ? model_get_request(&c->model, m->request_id) : NULL;
    if (old && old->uid == s->uid) { /* the answer was lost, not the job */
        if (old->kind == JOB_KIND_INTERACTIVE && !old->detached)
            idmap_set(&c->owners, old->id, s);
        session_reply(s, tag, REFUSAL_NONE, old->array_job ? old->array_job : old->id, 1, "%s", "");
        return;
    }
    struct check k = {.refusal = old ? REFUSAL_BAD_REQUEST : REFUSAL_NONE};
    if (str_is_empty(m->req.account)) {
        free(m->req.account);
        m->req.account = xstrdup(
            account_default(&c->model.spec, user_name(c->users, s->uid), group_name(c->users, s->gid)));
    }
    ctl_settle_names(&c->model, &m->req, NULL);
    check_submit(s, m, &k);
    if (k.refusal == REFUSAL_NONE && past_must_wait(s, tag, m))
        return;
    if (k.refusal == REFUSAL_NONE)
        k.refusal = past_settle(c, &m->req, 0, &k.text);
    struct job j = {0};
    if (k.refusal == REFUSAL_NONE)
        make_job(s, m, &j, &k);
    check_size(&j, &k);
    check_all_tasks(c, &j, &k);
    if (k.refusal == REFUSAL_NONE)
        check_counts(c, m, &j, &k);
    if (k.refusal == REFUSAL_NONE)
        set_eligible(c, &j);
    if (k.refusal != REFUSAL_NONE || m->test_only) {
        if (k.refusal != REFUSAL_NONE)
            session_reply(s, tag, k.refusal, 0, 0, "%s", k.text.s);
        else
            answer_test(s, tag, &j);
        rec_fini(&job_rec, &j);
        return;
    }
    uint32_t id = j.id;
    bool steps = j.kind == JOB_KIND_STEPS;
    c->n_tasks += tasks_of(&j);
    int r = ctl_emit(c, EV_SUBMIT, id, &j);
    if (r < 0) { /* read-only since it was parked, or no id is left */
        session_reply(s, tag, r == -EROFS ? REFUSAL_READ_ONLY : REFUSAL_POLICY, 0, 0, "%s",
                      r == -EROFS ? "the controller is read-only"
                                  : "the state refuses it: no number is left for it");
        return;
    }
    if (m->kind == JOB_KIND_BATCH)
        keep_payload(c, id, STEP_BATCH, &m->payload);
    if (steps) /* the environment of all that have none: what is stored is no larger than what came in */
        keep_payload(c, id, STEP_ALL, &m->payload);
    for (size_t i = 0; steps && i < m->step_payloads.n; i++)
        keep_payload(c, id, (int32_t)i, &m->step_payloads.v[i]);
    if (m->kind == JOB_KIND_INTERACTIVE && !m->detached)
        idmap_set(&c->owners, id, s);
    c->stats.submits++;
    if (!m->hold) /* the reason of a held one is part of it */
        vec_push(&c->fresh, id);
    const struct job *made = model_get_job(&c->model, id);
    answer_job(s, tag, &made->req, &(struct msg_result){.job = id, .count = 1});
    crash_point("before_commit");
}
