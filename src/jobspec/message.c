/* message.c - options, script and environment as what is submitted. */
#include "src/jobspec/message.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/jobspec/exportenv.h"
#include "src/os/given_env.h"
#include "src/os/ulimit.h"

/* As the kernel tells it: setting it to see what it was would be seen by other threads. */
static uint32_t current_umask(void)
{
    char line[256];
    unsigned mask = 022;
    FILE *f = fopen("/proc/self/status", "re");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "Umask: %o", &mask) == 1)
            break;
    if (f)
        fclose(f);
    return mask;
}

void message_add_limits(const struct jobopts *o, struct step_payload *p)
{
    bool said = o->given[J_PROPAGATE] != LEVEL_DEFAULT;
    for (unsigned k = 0; k < ULIMIT_N; k++) {
        uint64_t soft;
        if ((said && !(o->propagate & 1u << k)) || !ulimit_get(k, &soft))
            continue;
        *(struct resource_limit *)rec_list_push(&p->limits) =
            (struct resource_limit){.kind = k, .soft = soft, .must = said};
    }
}

void submission_init(struct msg_submit *m, struct jobopts *o, enum job_kind kind)
{
    *m = (struct msg_submit){.kind = kind, .req = o->req, .hold = o->hold};
    job_req_init(&o->req);
    m->request_id = client_request_id();
    char host[HOST_NAME_MAX + 1] = "";
    gethostname(host, sizeof host - 1);
    m->host = xstrdup(host);
    m->payload.umask = current_umask();
    message_add_limits(o, &m->payload);
    m->payload.workdir = xstrdup(m->req.workdir);
}

/* What describes this machine or its clusters means nothing on another one. */
static void clean_far(struct strv *env)
{
    static const char *const gone[] = {"STOKER_", "SLURM_", "SPANK_"};
    size_t kept = 0;
    for (size_t i = 0; i < env->n; i++) {
        bool goes = str_starts(env->v[i], gone[0]) || str_starts(env->v[i], gone[1]) ||
                    str_starts(env->v[i], gone[2]);
        if (goes)
            free(env->v[i]);
        else
            env->v[kept++] = env->v[i];
    }
    if (env->v)
        env->v[kept] = NULL;
    env->n = kept;
}

int submission_env(const char *spec, const char *cwd, const struct strv *far_env, struct strv *ret,
                   struct errtext *err)
{
    struct strv env = {0};
    for (char **e = given_env(); *e; e++)
        strv_push(&env, *e);
    export_clean_job(&env);
    if (far_env)
        clean_far(&env);
    bool all = !spec || strcasecmp(spec, "ALL") == 0;
    int rc = export_env(far_env && all ? "NONE" : spec, &env, far_env, ret, err);
    strv_fini(&env);
    if (rc)
        return rc;
    strv_unsetenv(ret, "SLURM_EXPORT_ENV");
    /* so that srun in the job hands on as much */
    if (spec && strcasecmp(spec, "NIL") == 0)
        strv_setenv(ret, "SLURM_EXPORT_ENV", "NONE");
    else if (!str_is_empty(spec) && strcasecmp(spec, "ALL") != 0)
        strv_setenv(ret, "SLURM_EXPORT_ENV", spec);
    if (cwd)
        strv_setenv(ret, "SLURM_SUBMIT_DIR", cwd);
    return 0;
}

void message_set_env(const struct jobopts *o, struct strv *env)
{
    if (o->distribution_text)
        strv_setenv(env, "SLURM_DISTRIBUTION", o->distribution_text);
    strv_setenvf(env, "SLURM_PRIO_PROCESS", "%d", getpriority(PRIO_PROCESS, 0));
}

/* --- batch jobs --- */

static char *default_name(const struct script *s)
{
    if (!s->path)
        return xstrdup(str_eq(s->name, "wrap") ? "wrap" : "sbatch");
    const char *slash = strrchr(s->path, '/');
    return xstrdup(slash ? slash + 1 : s->path);
}

int message_of_script(struct jobopts *o, struct script *s, char *const *args, size_t n_args,
                      struct msg_submit *ret, struct errtext *err)
{
    struct strv env;
    int rc = submission_env(o->export_spec, o->cwd, o->far_env, &env, err);
    if (rc)
        return rc;
    submission_init(ret, o, JOB_KIND_BATCH);
    ret->payload.env = env;
    message_set_env(o, &ret->payload.env);
    ret->payload.script = s->text;
    s->text = (struct blob){.n = 0};
    for (size_t i = 0; i < n_args; i++)
        strv_push(&ret->payload.argv, args[i]);
    ret->command = xstrdup(s->path);
    if (!ret->req.name)
        ret->req.name = default_name(s);
    return 0;
}

/* --- step jobs --- */

static void make_absolute(char **path, const char *dir)
{
    if (!*path || **path == '/' || !dir)
        return;
    char *whole = xasprintf("%s/%s", dir, *path);
    free(*path);
    *path = whole;
}

static void merge_env(struct strv *env, const struct strv *over)
{
    for (size_t i = 0; i < over->n; i++) {
        const char *value = strchr(over->v[i], '=');
        char *name = xstrndup(over->v[i], (size_t)(value - over->v[i]));
        strv_setenv(env, name, value + 1);
        free(name);
    }
}

/* A step with variables of its own gets all of them; one without has the job's. */
static void message_add_step(struct msg_submit *m, struct jobfile_step *s)
{
    struct step *step = rec_list_push(&m->steps);
    *step = s->step;
    s->step = (struct step){.id = 0};
    make_absolute(&step->workdir, m->req.workdir);
    struct step_payload *p = rec_list_push(&m->step_payloads);
    p->argv = s->argv;
    p->script = s->script;
    s->argv = (struct strv){0};
    s->script = (struct blob){0};
    p->workdir = xstrdup(step->workdir ? step->workdir : m->req.workdir);
    p->umask = m->payload.umask;
    for (size_t i = 0; i < m->payload.limits.n; i++)
        *(struct resource_limit *)rec_list_push(&p->limits) = m->payload.limits.v[i];
    if (s->env.n) {
        p->env = strv_copy(&m->payload.env);
        merge_env(&p->env, &s->env);
    }
}

void message_take_jobfile(struct jobopts *o, struct jobfile *f)
{
    rec_fini(&job_req_rec, &o->req);
    o->req = f->req;
    f->req = (struct job_req){0};
    o->hold = f->hold;
    make_absolute(&o->req.workdir, o->cwd);
}

int message_of_jobfile(struct jobopts *o, struct jobfile *f, struct msg_submit *ret, struct errtext *err)
{
    struct strv env;
    int rc = submission_env(o->export_spec, o->cwd, o->far_env, &env, err);
    if (rc)
        return rc;
    merge_env(&env, &f->env);
    submission_init(ret, o, JOB_KIND_STEPS);
    ret->payload.env = env;
    ret->command = realpath(f->path, NULL);
    for (size_t i = 0; i < f->steps.n; i++)
        message_add_step(ret, &f->steps.v[i]);
    return 0;
}
