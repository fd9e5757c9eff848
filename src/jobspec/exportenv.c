/* exportenv.c - --export, and the calling job's variables. */
#include "src/jobspec/exportenv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/os/exe_path.h"
#include "src/os/user_record.h"

#define DEFAULT_PATH "/usr/local/bin:/usr/bin:/bin"

/* What a controller sets in jobs; a '*' stands for any rest. SLURM_CONF, SLURM_TIME_FORMAT and the like are
 * the user's. */
static const char *const job_variables[] = {
    "SLURM_JOB_*",
    "SLURM_JOBID",
    "SLURM_STEP_*",
    "SLURM_STEPID",
    "SLURM_ARRAY_*",
    "SLURM_NTASKS*",
    "SLURM_NPROCS",
    "SLURM_NNODES",
    "SLURM_NODELIST",
    "SLURM_NODEID",
    "SLURM_PROCID",
    "SLURM_LOCALID",
    "SLURM_GTIDS",
    "SLURM_TASK_PID",
    "SLURM_TASKS_PER_NODE",
    "SLURM_CPUS_*",
    "SLURM_MEM_PER_*",
    "SLURM_GPUS*",
    "SLURM_CLUSTER_NAME",
    "SLURM_SUBMIT_*",
    "SLURM_RESTART_COUNT",
    "SLURM_LABELIO",
    "SLURM_EXPORT_ENV",
    "SLURMD_*",
    "SLURM_DISTRIBUTION",
    "SLURM_CPU_BIND*",
    "SLURM_UMASK",
    "SLURM_PRIO_PROCESS",
    "SLURM_TRES_PER_TASK",
    "SRUN_CPUS_PER_TASK",
    "STOKER_JOB_ID",
    "STOKER_STEP_ID",
    "STOKER_TASK_*",
    "STOKER_RESTART_COUNT",
    "SLURM_OVERCOMMIT",
    "SLURM_DIST_PLANESIZE",
    "SLURM_TOPOLOGY_*",
    "SLURM_NODE_ALIASES",
    "SLURM_LAUNCH_NODE_*",
    "SLURM_SRUN_COMM_*",
    "SLURM_OOM_KILL_STEP",
    "SLURM_SCRIPT_CONTEXT",
    "SLURM_WORKING_CLUSTER",
    "SLURM_MPI_TYPE",
    "PMIX_*",
    "PMI_*",
};

static bool matches(const char *pattern, const char *name, size_t len)
{
    if (*pattern != *name) /* the most common answer */
        return false;
    size_t n = strlen(pattern);
    if (pattern[n - 1] == '*')
        return len >= n - 1 && strncmp(pattern, name, n - 1) == 0;
    return len == n && strncmp(pattern, name, n) == 0;
}

static bool is_job_variable(const char *entry)
{
    size_t len = strcspn(entry, "=");
    for (size_t i = 0; i < sizeof job_variables / sizeof job_variables[0]; i++)
        if (matches(job_variables[i], entry, len))
            return true;
    return false;
}

void export_clean_job(struct strv *env)
{
    size_t kept = 0;
    for (size_t i = 0; i < env->n; i++)
        if (is_job_variable(env->v[i]))
            free(env->v[i]);
        else
            env->v[kept++] = env->v[i];
    if (env->v)
        env->v[kept] = NULL;
    env->n = kept;
}

static bool always_goes_along(const char *entry)
{
    return str_starts(entry, "SLURM_") || str_starts(entry, "SPANK_") || str_starts(entry, "STOKER_");
}

/* Items at commas outside quotes; the quotes go. */
static struct strv split_list(const char *spec)
{
    struct strv items = {0};
    struct str item = STR_INIT;
    char quote = '\0';
    for (const char *s = spec;; s++) {
        if (*s == '\0' || (*s == ',' && !quote)) {
            if (item.len)
                strv_push(&items, item.s);
            str_clear(&item);
            if (!*s)
                break;
        } else if (quote ? *s == quote : *s == '"' || *s == '\'')
            quote = quote ? '\0' : *s;
        else
            str_append_char(&item, *s);
    }
    str_fini(&item);
    return items;
}

static void set_entry(struct strv *env, const char *entry)
{
    size_t len = strcspn(entry, "=");
    char *name = xstrndup(entry, len);
    strv_setenv(env, name, entry + len + 1);
    free(name);
}

static bool name_is_valid(const char *item)
{
    size_t len = strcspn(item, "=");
    return len > 0 && !memchr(item, ' ', len) && !memchr(item, '\t', len);
}

static int add_items(const struct strv *items, const struct strv *env, struct strv *ret,
                     struct errtext *err)
{
    for (size_t i = 0; i < items->n; i++) {
        const char *item = items->v[i];
        if (strcmp(item, "ALL") == 0)
            continue;
        if (!name_is_valid(item))
            return err_set(err, -EINVAL, "Invalid --export specification: \"%s\" is not a variable", item);
        const char *value = strchr(item, '=') ? NULL : strv_getenv(env, item);
        if (strchr(item, '='))
            set_entry(ret, item);
        else if (value)
            strv_setenv(ret, item, value);
    }
    return 0;
}

static int check_size(const struct strv *env, struct errtext *err)
{
    size_t bytes = 0;
    for (size_t i = 0; i < env->n; i++)
        bytes += strlen(env->v[i]) + 1;
    if (bytes <= EXPORT_BYTES_MAX && env->n <= EXPORT_COUNT_MAX)
        return 0;
    return err_set(err, -E2BIG, "the environment is too large: %zu variables, %zu bytes (at most %u, %u)",
                   env->n, bytes, EXPORT_COUNT_MAX, EXPORT_BYTES_MAX);
}

static struct strv without_list(const struct strv *env, const struct strv *base)
{
    struct strv out = strv_copy(base);
    for (size_t i = 0; i < env->n; i++)
        if (always_goes_along(env->v[i]) && strchr(env->v[i], '='))
            set_entry(&out, env->v[i]);
    return out;
}

/* HOME, USER, LOGNAME, SHELL of the calling user, and a PATH that these commands are in. */
static struct strv login_env(void)
{
    struct strv env = {0};
    const struct passwd *pw = user_record_of_uid(getuid());
    if (pw) {
        strv_setenv(&env, "HOME", pw->pw_dir);
        strv_setenv(&env, "USER", pw->pw_name);
        strv_setenv(&env, "LOGNAME", pw->pw_name);
        strv_setenv(&env, "SHELL", str_is_empty(pw->pw_shell) ? "/bin/sh" : pw->pw_shell);
    }
    char *here = exe_path_dir();
    bool known = !here || strstr(DEFAULT_PATH, here) != NULL;
    strv_setenvf(&env, "PATH", "%s%s%s", DEFAULT_PATH, known ? "" : ":", known ? "" : here);
    free(here);
    return env;
}

int export_env(const char *spec, const struct strv *env, const struct strv *base, struct strv *ret,
               struct errtext *err)
{
    struct strv out, items = {0};
    bool none = spec && (strcasecmp(spec, "NONE") == 0 || strcasecmp(spec, "NIL") == 0);
    if (spec && !none)
        items = split_list(spec);
    bool all = !none && (!items.n || strv_has(&items, "ALL"));
    struct strv login = {0};
    if (!all && !base) { /* only then: the name service is asked for them */
        login = login_env();
        base = &login;
    }
    out = all ? strv_copy(env) : without_list(env, base);
    strv_fini(&login);
    int rc = add_items(&items, env, &out, err);
    rc = rc ? rc : check_size(&out, err);
    strv_fini(&items);
    if (rc) {
        strv_fini(&out);
        return rc;
    }
    *ret = out;
    return 0;
}
