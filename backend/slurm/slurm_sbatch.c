#include "backend/slurm/slurm_sbatch.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/jobspec/batchopts.h"
#include "src/os/ulimit.h"

/* --- options --- */

/* The script's own request: what its #SBATCH lines come to. One that cannot be read says nothing. */
static void sbatch_read_script(const struct msg_submit *m, struct batch *ret)
{
    struct script s = {.text = m->payload.script, .name = (char *)(uintptr_t) "script"};
    struct errtext err;
    batch_init(ret);
    if (batch_take_header(ret, &s, &err) < 0 || jobopts_finish(&ret->job, &err) < 0) {
        batch_fini(ret);
        batch_init(ret);
    }
}

static const struct opt *sbatch_find_option(enum job_attr_id id)
{
    for (size_t i = 0; i < jobopts_table.n; i++)
        if (jobopts_table.v[i].id == (int)id)
            return &jobopts_table.v[i];
    return NULL;
}

static bool is_flag(const struct job_attr *a, const char *value)
{
    return a->kind == JOB_ATTR_SWITCH || a->kind == JOB_ATTR_REQUEUE || a->kind == JOB_ATTR_NO_REQUEUE ||
           (a->kind == JOB_ATTR_EXCLUSIVE && str_eq(value, "exclusive"));
}

/* Not an option of sbatch, or a text that follows from other members, or treated apart. */
static bool is_left_out(enum job_attr_id id)
{
    return id == ATTR_GRES || id == ATTR_LOST_NODE || id == ATTR_RESTART_AT_LIMIT || id == ATTR_CHDIR ||
           id == ATTR_ARRAY_THROTTLE;
}

static void sbatch_add_attr(struct strv *words, const struct job_attr *a, const struct job_req *is,
                            const struct job_req *says)
{
    struct str want = STR_INIT, had = STR_INIT;
    const struct opt *o = sbatch_find_option(a->id);
    const char *name = a->id == ATTR_ARRAY ? "array" : o ? o->name : NULL;
    job_attr_append(&want, a, is);
    job_attr_append(&had, a, says);
    if (name && want.len && !str_eq(want.s, had.s))
        strv_push_take(words,
                       is_flag(a, want.s) ? xasprintf("--%s", name) : xasprintf("--%s=%s", name, want.s));
    str_fini(&want);
    str_fini(&had);
}

/* Those that go along because they were named; the others go by the rules of the site. */
static void sbatch_add_propagate(const struct msg_submit *m, struct strv *words)
{
    struct str names = STR_INIT;
    for (size_t i = 0; i < m->payload.limits.n; i++) {
        const struct resource_limit *l = &m->payload.limits.v[i];
        if (l->must)
            str_appendf(&names, "%s%s", names.len ? "," : "", ulimit_name((enum ulimit_kind)l->kind));
    }
    if (names.len)
        strv_push_take(words, xasprintf("--propagate=%s", names.s));
    str_fini(&names);
}

void slurm_sbatch_words(const struct msg_submit *m, struct strv *ret)
{
    const char *export_spec = strv_getenv(&m->payload.env, "SLURM_EXPORT_ENV"),
               *how = strv_getenv(&m->payload.env, "SLURM_DISTRIBUTION"), *dir = slurm_sbatch_dir(m);
    struct batch script;
    sbatch_read_script(m, &script);
    strv_push(ret, "sbatch");
    strv_push(ret, m->test_only ? "--test-only" : "--parsable");
    job_attr_for_each (a)
        if (!is_left_out(a->id))
            sbatch_add_attr(ret, a, &m->req, &script.job.req);
    if (m->req.workdir && !str_eq(m->req.workdir, dir))
        strv_push_take(ret, xasprintf("--chdir=%s", m->req.workdir));
    if (m->hold)
        strv_push(ret, "--hold");
    if (export_spec)
        strv_push_take(ret, xasprintf("--export=%s", export_spec));
    if (how)
        strv_push_take(ret, xasprintf("--distribution=%s", how));
    sbatch_add_propagate(m, ret);
    batch_fini(&script);
}

/* --- the environment --- */

/* Variables that are options of sbatch, or were made for the controller. */
static bool is_sbatchs(const char *entry)
{
    static const char *const names[] = {"SLURM_CLUSTERS=",     "SLURM_CONF=",  "SLURM_CONF_SERVER=",
                                        "SLURM_EXPORT_ENV=",   "SLURM_UMASK=", "SLURM_SUBMIT_DIR=",
                                        "SLURM_DISTRIBUTION=", "PWD=",         "SLURM_PRIO_PROCESS="};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_starts(entry, names[i]))
            return true;
    return str_starts(entry, "SBATCH_");
}

struct strv slurm_sbatch_env(const struct msg_submit *m, const struct strv *own)
{
    static const char *const confs[] = {"SLURM_CONF", "SLURM_CONF_SERVER"};
    const char *export_spec = strv_getenv(&m->payload.env, "SLURM_EXPORT_ENV");
    /* With NONE the job gets a login's environment, and sbatch still needs one of its own. */
    const struct strv *from = str_ieq(export_spec, "NONE") ? own : &m->payload.env;
    const char *dir = slurm_sbatch_dir(m);
    struct strv env = {0};
    for (size_t i = 0; i < from->n; i++)
        if (!is_sbatchs(from->v[i]))
            strv_push(&env, from->v[i]);
    for (size_t i = 0; i < sizeof confs / sizeof *confs; i++)
        if (strv_getenv(own, confs[i]))
            strv_setenv(&env, confs[i], strv_getenv(own, confs[i]));
    if (dir)
        strv_setenv(&env, "PWD", dir);
    return env;
}

const char *slurm_sbatch_dir(const struct msg_submit *m)
{
    const char *dir = strv_getenv(&m->payload.env, "SLURM_SUBMIT_DIR");
    return str_is_empty(dir) ? NULL : dir;
}

/* --- its errors --- */

/* "sbatch: error: Batch job submission failed: Invalid qos specification" without what all of them have;
 * the lines before it, of the site's plugins, stay. */
char *slurm_sbatch_says(const char *says)
{
    static const char *const noise[] = {"sbatch: error: ", "sbatch: ", "Batch job submission failed: "};
    struct str s = STR_INIT;
    for (const char *at = says; *at;) {
        bool skipped = false;
        for (size_t i = 0; !skipped && i < sizeof noise / sizeof *noise; i++)
            if (str_starts(at, noise[i])) {
                at += strlen(noise[i]);
                skipped = true;
            }
        if (!skipped)
            str_append_char(&s, *at++);
    }
    char *text = str_take(&s), *copy = xstrdup(str_trim(text));
    free(text);
    return copy;
}
