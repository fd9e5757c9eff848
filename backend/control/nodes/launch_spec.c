#include "backend/control/nodes/launch_spec.h"

#include <errno.h>
#include <stdlib.h>

#include "backend/control/nodes/attempt_state.h"
#include "backend/control/nodes/node_peers.h"
#include "backend/control/nodes/output_order.h"
#include "backend/control/nodes/time_limit.h"
#include "backend/control/payload_cache.h"
#include "src/jobenv/filename.h"
#include "src/jobenv/jobenv.h"
#include "src/model/need.h"
#include "src/model/task_parts.h"
#include "src/os/log.h"
#include "src/proto/codec.h"
#include "src/values/units.h"

static uint32_t launch_spec_digits(uint32_t n)
{
    uint32_t d = 1;
    while (n >= 10) {
        n /= 10;
        d++;
    }
    return d;
}

static uint32_t launch_spec_backstop_s(struct control *c, const struct job *j, const struct step *s)
{
    uint32_t limit = time_limit_backstop_s(c, j);
    /* A step's own limit has no timer in the controller: the node keeps it exactly. */
    bool own = s->time_limit_s && s->time_limit_s < DURATION_NOT_SET;
    return own && s->time_limit_s < limit ? s->time_limit_s : limit;
}

/* --signal: to the processes of the steps, or with B: to the batch shell alone. The node counts it back
 * from its own limit, which is later than the job's. Without a limit it is known there for when one is
 * given. */
static void launch_spec_set_early_signal(struct control *c, const struct job *j, const struct step *s,
                                         struct launch *l)
{
    bool limited = j->time_limit_s < DURATION_NOT_SET;
    int64_t early_s = 0;
    if (!time_limit_signals_early(j, s) || (!limited && l->limit_own))
        return;
    if (limited) {
        int64_t left_s = (int64_t)j->time_limit_s - time_limit_ran_ms(c, j) / MS_PER_S;
        early_s = (int64_t)l->time_limit_s - left_s + req_rare(&j->req)->signal_at_s;
    }
    if (early_s < 0)
        return; /* the step's own limit ends it before */
    l->early_signal = req_rare(&j->req)->signal;
    l->early_signal_s = (uint32_t)early_s;
    l->early_signal_leader = req_detail(&j->req)->signal_batch;
}

/* Each rank has its own CPUs where the step divides them evenly and asked for exclusive ones; else all of
 * the task's. */
static bool launch_spec_binds_ranks(const struct job *j, const struct step *s, const struct task *t)
{
    uint32_t per = s->cpus_per_rank == NOT_GIVEN || !s->cpus_per_rank ? 1 : s->cpus_per_rank;
    if (s->id < 0 || s->overlap || s->overcommit || t->n_ranks * per != cpuset_count(&t->alloc.cpus))
        return false;
    return s->exclusive || j->kind == JOB_KIND_STEPS || s->cpus_per_rank != NOT_GIVEN ||
           s->n_ranks * per == job_cpus(j);
}

/* A step that does not ask for exclusive CPUs may use every CPU that its job has on the node. */
static void launch_spec_widen_cpus(const struct job *j, const struct step *s, struct launch *l)
{
    if (s->id < 0 || s->exclusive || j->kind == JOB_KIND_STEPS || s->cpus_per_rank != NOT_GIVEN)
        return;
    const struct alloc *a = job_alloc_on(j, l->alloc.node);
    if (a)
        l->alloc.cpus = a->cpus;
}

/* What the node keeps the job to, whatever its steps ask for: all its tasks there together. A task of a
 * step job has its allocation for itself. */
static void launch_spec_set_job_bounds(const struct job *j, struct launch *l)
{
    const struct alloc *a = j->kind == JOB_KIND_STEPS ? NULL : job_alloc_on(j, l->alloc.node);
    if (!a)
        return;
    rec_copy(&alloc_rec, &l->job_alloc, a);
    l->restarts = j->restarts;
    if (!job_limits_memory(&j->req))
        l->job_alloc.mem_mib = 0;
}

/* A step that names none has its job's limit for itself; --mem=0 is all that the job has. */
static void launch_spec_limit_memory(const struct job *j, const struct step *s, struct launch *l)
{
    bool named = s->mem_mib != MEM_NOT_GIVEN && s->id >= 0;
    if (named && s->mem_mib == 0 && l->job_alloc.node)
        l->alloc.mem_mib = l->job_alloc.mem_mib;
    else if (named ? s->mem_mib == 0 : !job_limits_memory(&j->req))
        l->alloc.mem_mib = 0;
}

static const struct launch_rank *launch_spec_payload_rank(const struct step_payload *p, uint32_t rank)
{
    for (size_t i = 0; i < p->ranks.n; i++)
        if (p->ranks.v[i].rank == rank)
            return &p->ranks.v[i];
    return NULL;
}

static void launch_spec_rank_gpus(const struct step *s, const struct task *t, uint32_t localid,
                                  struct strv *env)
{
    if (!s->gpus_per_rank)
        return;
    struct alloc own = {.node = t->alloc.node};
    struct cpuset left = t->alloc.gpus;
    for (uint32_t i = 0; i <= localid && cpuset_count(&left) >= s->gpus_per_rank; i++)
        own.gpus = cpuset_take_lowest(&left, s->gpus_per_rank);
    jobenv_gpus(env, &own);
}

static void launch_spec_add_rank(const struct job *j, const struct step *s, const struct task *t,
                                 const struct step_payload *p, uint32_t localid, struct cpuset *cpus_left,
                                 struct launch *l)
{
    uint32_t rank = step_rank(s, t, localid);
    uint32_t per = s->cpus_per_rank == NOT_GIVEN || !s->cpus_per_rank ? 1 : s->cpus_per_rank;
    const struct launch_rank *own = launch_spec_payload_rank(p, rank);
    const char *in = s->id == STEP_BATCH ? req_rare(&j->req)->std_in : s->std_in;
    struct filename_args args = {.job = j, .step = s->id, .rank = rank, .node = t->alloc.node};
    struct launch_rank *r = rec_list_push(&l->ranks);
    r->rank = rank;
    if (own)
        r->argv = strv_copy(&own->argv);
    if (launch_spec_binds_ranks(j, s, t))
        r->cpus = cpuset_take_lowest(cpus_left, per);
    jobenv_rank(&r->env, s, t, rank, localid);
    launch_spec_rank_gpus(s, t, localid, &r->env);
    bool deaf = s->input_rank && s->input_rank - 1 != rank;
    r->std_in = in ? filename_expand(in, l->workdir, &args) : deaf ? xstrdup("/dev/null") : NULL;
    r->std_out = step_stdout_path(j, s, t, rank);
    r->std_err = step_stderr_path(j, s, t, rank);
}

/* On another machine commands reach the controller through the agent, and are found beside it if the user's
 * PATH has none; before all others where the node is part of another cluster, whose commands have the same
 * names. */
static void launch_spec_set_way_back(struct control *c, const struct task *t, struct strv *env)
{
    const struct node_peer *peer = node_peer_find(c, t->alloc.node);
    strv_unsetenv(env, "STOKER_SOCKET");
    if (!peer || !peer->client_socket)
        return;
    strv_setenv(env, "STOKER_SOCKET", peer->client_socket);
    const struct node *n = model_get_node(&c->model, t->alloc.node);
    bool first = n && str_eq(n->spec.transport, "socket");
    const char *given = strv_getenv(env, "PATH");
    const char *path = str_is_empty(given) ? "/usr/local/bin:/usr/bin:/bin" : given;
    if (peer->bin_dir && first)
        strv_setenvf(env, "PATH", "%s:%s", peer->bin_dir, path);
    else if (peer->bin_dir)
        strv_setenvf(env, "PATH", "%s:%s", path, peer->bin_dir);
}

/* Numbers become the names that the node's GPUs have there. */
static void launch_spec_name_gpus(const struct strv *names, struct strv *env)
{
    static const char *const variables[] = {"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
                                            "ZE_AFFINITY_MASK"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = strv_getenv(env, variables[i]);
        struct strv numbers = strv_split(value ? value : "", ","), out = {0};
        for (size_t k = 0; k < numbers.n; k++) {
            size_t n = strtoul(numbers.v[k], NULL, 10);
            strv_push(&out, n < names->n ? names->v[n] : numbers.v[k]);
        }
        char *text = strv_join(&out, ",");
        if (out.n)
            strv_setenv(env, variables[i], text);
        free(text);
        strv_fini(&numbers);
        strv_fini(&out);
    }
}

static void launch_spec_set_env(struct control *c, const struct job *j, const struct step *s,
                                const struct task *t, struct strv *env)
{
    struct strv counts = s->preserve_env ? jobenv_take_counts(env) : (struct strv){0};
    jobenv_launch(env, c->model.spec.name, j, s, t);
    if (c->settings.home)
        strv_setenv(env, "STOKER_HOME", c->settings.home);
    launch_spec_set_way_back(c, t, env);
    jobenv_put_counts(env, &counts);
    strv_fini(&counts);
}

/* "(vector,(first node,nodes,ranks on each),...)": ranks follow one another from task to task. Source: the
 * PMI_process_mapping of MPICH's process managers. */
static void launch_spec_set_pmi(const struct job *j, const struct step *s, const struct task *t,
                                struct launch *l)
{
    struct str map = STR_INIT;
    if (s->mpi != 1)
        return;
    bool declared = j->kind == JOB_KIND_STEPS; /* each task is a world of its own */
    size_t begin = declared ? task_parts_of(s, t) : 0;
    size_t tasks = declared ? task_parts_end(s, begin) - begin : s->tasks.n;
    const struct task *v = s->tasks.v + begin;
    str_append(&map, "(vector");
    for (size_t i = 0, n; i < tasks; i += n) {
        for (n = 1; i + n < tasks && v[i + n].n_ranks == v[i].n_ranks; n++)
            ;
        str_appendf(&map, ",(%zu,%zu,%u)", i, n, v[i].n_ranks);
    }
    str_append_char(&map, ')');
    l->pmi = true;
    l->pmi_size = declared ? step_task_ranks(s) : s->n_ranks;
    l->pmi_tasks = (uint32_t)tasks;
    l->pmi_mapping = str_take(&map);
}

/* The configuration says which limits are propagated, unless the user did. */
static void launch_spec_add_limits(struct control *c, const struct step_payload *p, struct launch *l)
{
    uint32_t kinds = spec_propagated_limits(&c->model.spec);
    for (size_t i = 0; i < p->limits.n; i++) {
        const struct resource_limit *r = &p->limits.v[i];
        if (r->must || (r->kind < 32 && kinds & 1u << r->kind))
            *(struct resource_limit *)rec_list_push(&l->limits) = *r;
    }
}

/* A requeued job appends, unless the user asked for truncation. */
static bool launch_spec_appends(const struct job *j, const struct step *s)
{
    if (s->id >= 0 && (s->append || s->truncate))
        return s->append;
    return req_detail(&j->req)->append || (j->restarts > 0 && !req_detail(&j->req)->truncate);
}

/* A step without an environment of its own has its job's, which is kept once for all of them. */
static bool launch_spec_add_job_env(struct control *c, const struct job *j, struct step_payload *p)
{
    struct step_payload all;
    struct errtext err;
    size_t n = 0;
    if (j->kind != JOB_KIND_STEPS || p->env.n)
        return true;
    uint32_t owner = payload_owner(j, STEP_ALL);
    const struct step_payload *decoded = payload_cache_decoded(c->payloads, owner, STEP_ALL);
    if (decoded) {
        p->env = strv_copy(&decoded->env);
        return true;
    }
    const uint8_t *bytes = payload_cache_get(c->payloads, owner, STEP_ALL, &n);
    if (!bytes || codec_decode(&step_payload_rec, bytes, n, &all, &err) < 0)
        return false;
    p->env = all.env;
    all.env = (struct strv){0};
    rec_fini(&step_payload_rec, &all);
    return true;
}

static size_t launch_spec_text_size(const char *s)
{
    return s ? strlen(s) : 0;
}

static size_t launch_spec_rank_size(const struct launch_rank *r)
{
    size_t n = launch_spec_text_size(r->std_in) + launch_spec_text_size(r->std_out) +
               launch_spec_text_size(r->std_err);
    for (size_t i = 0; i < r->argv.n; i++)
        n += strlen(r->argv.v[i]);
    for (size_t i = 0; i < r->env.n; i++)
        n += strlen(r->env.v[i]);
    return n;
}

/* False where they are more than a message can hold. */
static bool launch_spec_add_ranks(const struct job *j, const struct step *s, const struct task *t,
                                  const struct step_payload *p, struct launch *l)
{
    struct cpuset cpus_left = t->alloc.cpus;
    size_t bytes = 0;
    for (uint32_t i = 0; i < t->n_ranks && bytes <= FRAME_MAX; i++) {
        launch_spec_add_rank(j, s, t, p, i, &cpus_left, l);
        bytes += launch_spec_rank_size(&l->ranks.v[i]);
    }
    return bytes <= FRAME_MAX;
}

/* The launch takes its own copy: variables of the task are set in it. */
static int launch_spec_read_payload(struct control *c, const struct job *j, const struct step *s,
                                    const uint8_t *payload, size_t n, struct step_payload *ret,
                                    struct errtext *err)
{
    const struct step_payload *decoded = payload_cache_decoded(c->payloads, payload_owner(j, s->id), s->id);
    if (!decoded)
        return codec_decode(&step_payload_rec, payload, n, ret, err);
    rec_copy(&step_payload_rec, ret, decoded);
    return 0;
}

int launch_spec_build(struct control *c, const struct job *j, const struct step *s, const struct task *t,
                      const uint8_t *payload, size_t n, struct launch *ret)
{
    struct step_payload p;
    struct errtext err;
    if (!payload || launch_spec_read_payload(c, j, s, payload, n, &p, &err) < 0) {
        log_error("job=%u step=%d cannot read its payload: %s", j->id, s->id,
                  payload ? err.s : "not there");
        return -ENOENT;
    }
    if (!launch_spec_add_job_env(c, j, &p)) {
        log_error("job=%u step=%d cannot read the environment of its job", j->id, s->id);
        rec_fini(&step_payload_rec, &p);
        return -ENOENT;
    }
    bool batch = s->id == STEP_BATCH;
    *ret = (struct launch){
        .key = launch_key_of(j, s, t),
        .cluster = xstrdup(c->model.uuid),
        .epoch = c->model.epoch,
        .uid = j->uid,
        .gid = job_origin(j)->gid,
        .user = xstrdup(j->user),
        .workdir = xstrdup(p.workdir    ? p.workdir
                           : s->workdir ? s->workdir
                                        : j->req.workdir),
        .argv = p.argv,
        .script = p.script,
        .script_name =
            p.script.n ? xstrdup(batch && job_origin(j)->command ? job_origin(j)->command : "slurm_script")
                       : NULL,
        .env = p.env,
        .append = launch_spec_appends(j, s),
        .append_out = output_order_opened_before(c, j, s, t, 1) != NULL,
        .append_err = output_order_opened_before(c, j, s, t, 2) != NULL,
        .wait_s = s->wait_s,
        .label = s->label,
        .label_width = launch_spec_digits(s->n_ranks ? s->n_ranks - 1 : 0),
        .stream_in = s->stream_in,
        .pty = s->pty && s->n_ranks == 1 && !s->std_out && !s->std_err,
        .is_batch = batch,
        .time_limit_s = launch_spec_backstop_s(c, j, s),
        .limit_own = s->time_limit_s && s->time_limit_s < DURATION_NOT_SET &&
                     launch_spec_backstop_s(c, j, s) == s->time_limit_s,
        .kill_wait_s = c->model.spec.kill_wait_s,
        .kill_on_bad_exit = s->kill_on_bad_exit,
        .lease_s = t->lease_s,
        .job_name = xstrdup(j->req.name),
        .umask = p.umask,
    };
    const struct node *on = model_get_node(&c->model, t->alloc.node);
    ret->make_workdir = on && on->spec.own_files;
    launch_spec_set_pmi(j, s, t, ret);
    launch_spec_add_limits(c, &p, ret);
    p.argv = p.env = (struct strv){0};
    p.script = (struct blob){0};
    launch_spec_set_early_signal(c, j, s, ret);
    rec_copy(&alloc_rec, &ret->alloc, &t->alloc);
    launch_spec_widen_cpus(j, s, ret);
    launch_spec_set_job_bounds(j, ret);
    launch_spec_limit_memory(j, s, ret);
    launch_spec_set_env(c, j, s, t, &ret->env);
    bool fits = launch_spec_add_ranks(j, s, t, &p, ret);
    if (on && on->spec.gpu_names.n) {
        launch_spec_name_gpus(&on->spec.gpu_names, &ret->env);
        for (size_t i = 0; i < ret->ranks.n; i++)
            launch_spec_name_gpus(&on->spec.gpu_names, &ret->ranks.v[i].env);
    }
    rec_fini(&step_payload_rec, &p);
    if (!fits)
        rec_fini(&launch_rec, ret);
    return fits ? 0 : -E2BIG;
}

char *launch_spec_kill_note(struct control *c, const struct job *j, const struct step *s,
                            const struct task *t)
{
    static const char *const because[KILL_N_CAUSES] = {
        [KILL_CANCEL] = "",
        [KILL_TIMEOUT] = " DUE TO TIME LIMIT",
        [KILL_PREEMPT] = " DUE TO PREEMPTION",
        [KILL_REQUEUE] = " DUE TO JOB REQUEUE",
        [KILL_NODE_FAIL] = " DUE TO NODE FAILURE",
    };
    enum kill_cause cause = j->kill_cause != KILL_NONE ? j->kill_cause : s->kill_cause;
    if (!because[cause])
        return NULL;
    char when[WALL_TEXT_SIZE], step[16];
    wall_format_iso(loop_wall(c->loop), when);
    if (s->id == STEP_BATCH)
        return xasprintf("slurmstepd: error: *** JOB %u ON %s CANCELLED AT %s%s ***", j->id, t->alloc.node,
                         when, because[cause]);
    return xasprintf("slurmstepd: error: *** STEP %u.%s ON %s CANCELLED AT %s%s ***", j->id,
                     step_format_id(s->id, step), t->alloc.node, when, because[cause]);
}
