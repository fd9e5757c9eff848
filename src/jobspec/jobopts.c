/* jobopts.c - what each option of a job says. */
#include "src/jobspec/jobopts.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/hostlist.h"
#include "src/base/ulimit.h"
#include "src/base/units.h"
#include "src/base/xalloc.h"
#include "src/jobenv/mailtype.h"
#include "src/jobspec/jobopts_check.h"
#include "src/jobspec/nodefile.h"
#include "src/jobspec/signame.h"

#define NICE_MAX       2147483645LL
#define NICE_DEFAULT   100
#define SIGNAL_DEFAULT 60 /* seconds before the end */

static const uint8_t mem_options[] = {J_MEM, J_MEM_PER_CPU, J_MEM_PER_GPU};
static const uint8_t gpu_options[] = {J_GRES, J_GPUS, J_GPUS_PER_NODE, J_GPUS_PER_TASK};

void jobopts_init(struct jobopts *o)
{
    *o = (struct jobopts){.cpus_per_gpu = NOT_GIVEN, .ntasks_per_gpu = NOT_GIVEN, .mincpus = NOT_GIVEN};
    job_req_init(&o->req);
    o->now = wall_read();
    o->cwd = getcwd(NULL, 0);
}

void jobopts_fini(struct jobopts *o)
{
    rec_fini(&job_req_rec, &o->req);
    free(o->distribution_text);
    free(o->export_spec);
    free(o->cluster);
    free(o->cwd);
    *o = (struct jobopts){.cwd = NULL};
}

/* --- options that are one text or one number --- */

static char **text_of(struct jobopts *o, enum jobopt id)
{
    struct job_req *r = &o->req;
    struct job_req_rare *rare = req_rare_mut(r);
    char **const at[J_N] = {
        [J_ACCOUNT] = &r->account,
        [J_CLUSTERS] = &o->cluster,
        [J_COMMENT] = &rare->comment,
        [J_CONSTRAINT] = &r->features,
        [J_DEPENDENCY] = &r->dependency,
        [J_ERROR] = &r->std_err,
        [J_EXPORT] = &o->export_spec,
        [J_INPUT] = &rare->std_in,
        [J_JOB_NAME] = &r->name,
        [J_LICENSES] = &r->licenses,
        [J_MAIL_TYPE] = &rare->mail_type,
        [J_MAIL_USER] = &rare->mail_user,
        [J_OUTPUT] = &r->std_out,
        [J_PARTITION] = &r->partition,
        [J_QOS] = &r->qos,
        [J_RESERVATION] = &rare->reservation,
        [J_WCKEY] = &rare->wckey,
    };
    return at[id];
}

static uint32_t *count_of(struct jobopts *o, enum jobopt id)
{
    struct job_req *r = &o->req;
    uint32_t *const at[J_N] = {
        [J_CPUS_PER_GPU] = &o->cpus_per_gpu,
        [J_CPUS_PER_TASK] = &r->cpus_per_task,
        [J_MINCPUS] = &o->mincpus,
        [J_NTASKS] = &r->ntasks,
        [J_NTASKS_PER_GPU] = &o->ntasks_per_gpu,
        [J_NTASKS_PER_NODE] = &r->ntasks_per_node,
    };
    return at[id];
}

static void set_text(char **at, const char *value)
{
    free(*at);
    *at = str_is_empty(value) ? NULL : xstrdup(value);
}

static int bad(struct errtext *err, const struct opt *opt)
{
    return err_set(err, -EINVAL, "Invalid --%s specification", opt->name);
}

static int set_count(uint32_t *at, const struct opt *opt, const char *arg, struct errtext *err)
{
    int64_t n;
    if (int_parse(arg, 1, NOT_GIVEN - 1, &n, NULL))
        return err_set(err, -EDOM, "Invalid numeric value \"%s\" for --%s.", arg, opt->name);
    *at = (uint32_t)n;
    return 0;
}

/* --- memory and GPUs: groups --- */

static enum jobopt_level group_level(const struct jobopts *o, const uint8_t *group, size_t n)
{
    uint8_t level = LEVEL_DEFAULT;
    for (size_t i = 0; i < n; i++)
        level = o->given[group[i]] > level ? o->given[group[i]] : level;
    return (enum jobopt_level)level;
}

static int set_mem(struct jobopts *o, const struct opt *opt, const char *arg, struct errtext *err)
{
    uint64_t mib;
    if (mem_parse_mib(arg, &mib, NULL))
        return bad(err, opt);
    for (size_t i = 0; i < sizeof mem_options; i++)
        if (mem_options[i] != opt->id && o->given[mem_options[i]] == o->level)
            return err_set(err, -EINVAL, "--mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive.");
    struct job_req *r = &o->req;
    r->mem_node_mib = r->mem_cpu_mib = r->mem_gpu_mib = MEM_NOT_GIVEN;
    *(opt->id == J_MEM           ? &r->mem_node_mib
      : opt->id == J_MEM_PER_CPU ? &r->mem_cpu_mib
                                 : &r->mem_gpu_mib) = mib;
    return 0;
}

static void gpus_begin(struct jobopts *o)
{
    if (group_level(o, gpu_options, sizeof gpu_options) >= o->level)
        return;
    o->req.gpus = o->req.gpus_per_node = o->req.gpus_per_task = NOT_GIVEN;
    set_text(&o->req.gpu_type, NULL);
}

static int set_gpu_type(struct jobopts *o, const char *type, size_t len, struct errtext *err)
{
    char *text = xstrndup(type, len);
    int rc = 0;
    if (o->req.gpu_type && strcmp(o->req.gpu_type, text) != 0)
        rc = err_set(err, -EINVAL, "one type of GPU in a job: %s or %s", o->req.gpu_type, text);
    else
        set_text(&o->req.gpu_type, text);
    free(text);
    return rc;
}

/* "2", "a100:2"; "a100" alone (one) only where it follows "gpu:". */
static int parse_gpus(struct jobopts *o, const char *arg, bool type_alone, uint32_t *ret,
                      struct errtext *err)
{
    const char *colon = strrchr(arg, ':');
    const char *number = colon ? colon + 1 : arg;
    int64_t n;
    if (int_parse(number, 0, NOT_GIVEN - 1, &n, NULL)) {
        if (colon || !type_alone || !*arg)
            return err_set(err, -EINVAL, "\"%s\" is no number of GPUs", arg);
        *ret = 1;
        return set_gpu_type(o, arg, strlen(arg), err);
    }
    *ret = (uint32_t)n;
    return colon ? set_gpu_type(o, arg, (size_t)(colon - arg), err) : 0;
}

/* What is wrong, which err says already, and then Slurm's words for it. */
static int bad_gres(struct errtext *err)
{
    struct errtext why = err ? *err : (struct errtext){""};
    return err_set(err, -EDOM, "%s\nInvalid generic resource (gres) specification", why.s);
}

static int set_gpus(struct jobopts *o, const struct opt *opt, const char *arg, struct errtext *err)
{
    struct job_req *r = &o->req;
    gpus_begin(o);
    uint32_t n;
    int rc = parse_gpus(o, arg, false, &n, err);
    if (rc)
        return bad_gres(err);
    *(opt->id == J_GPUS            ? &r->gpus
      : opt->id == J_GPUS_PER_NODE ? &r->gpus_per_node
                                   : &r->gpus_per_task) = n;
    return 0;
}

/* "gpu", "gpu:2", "gpu:a100", "gpu:a100:2", and a "(S:0-1)" behind it that says nothing here. */
static int set_gres_item(struct jobopts *o, char *item, uint32_t *total, struct errtext *err)
{
    item[strcspn(item, "(")] = '\0';
    const char *s = str_starts(item, "gres/") || str_starts(item, "gres:") ? item + 5 : item;
    uint32_t n = 1;
    const char *count = strrchr(s, ':');
    if (count && str_eq(count, ":0") && !str_starts(s, "gpu:")) /* none of what is not here */
        return 0;
    if (!str_starts(s, "gpu") || (s[3] && s[3] != ':'))
        return err_set(err, -EINVAL, "\"%s\": only gpu is known here", item);
    int rc = s[3] ? parse_gpus(o, s + 4, true, &n, err) : 0;
    *total += n;
    return rc;
}

static int set_gres(struct jobopts *o, const char *arg, struct errtext *err)
{
    gpus_begin(o);
    if (strcasecmp(arg, "none") == 0) {
        o->req.gpus_per_node = 0;
        return 0;
    }
    uint32_t total = 0;
    int rc = 0;
    struct strv items = strv_split(arg, ",");
    for (size_t i = 0; i < items.n && !rc; i++)
        rc = set_gres_item(o, items.v[i], &total, err);
    if (!items.n)
        rc = err_set(err, -EINVAL, "it is empty");
    strv_fini(&items);
    if (rc)
        return bad_gres(err);
    o->req.gpus_per_node = total;
    return 0;
}

/* --- the others --- */

/* Resolution is one minute, rounded up. */
static int set_limit(uint32_t *at, const struct opt *opt, const char *arg, struct errtext *err)
{
    uint32_t s;
    if (duration_parse_slurm(arg, &s, NULL))
        return bad(err, opt);
    *at = s < DURATION_NOT_SET - 60 ? (s + 59) / 60 * 60 : s;
    return 0;
}

/* "2", "2-4", "1k". */
static int parse_nodes_number(const char *s, size_t len, uint32_t *ret)
{
    char *text = xstrndup(s, len);
    int64_t unit = 1;
    if (len > 1 && strchr("kKmM", text[len - 1])) {
        unit = text[len - 1] == 'k' || text[len - 1] == 'K' ? 1024 : 1024 * 1024;
        text[len - 1] = '\0';
    }
    int64_t n;
    int rc = int_parse(text, 1, (NOT_GIVEN - 1) / unit, &n, NULL);
    free(text);
    if (!rc)
        *ret = (uint32_t)(n * unit);
    return rc;
}

static int set_nodes(struct job_req *r, const char *arg, struct errtext *err)
{
    const char *dash = strchr(arg, '-');
    size_t len = dash ? (size_t)(dash - arg) : strlen(arg);
    uint32_t min, max;
    if (parse_nodes_number(arg, len, &min) ||
        (dash && parse_nodes_number(dash + 1, strlen(dash + 1), &max)))
        return err_set(err, -EINVAL, "\"%s\" is not a valid node count", arg);
    max = dash ? max : min;
    if (max < min)
        return err_set(err, -EINVAL, "Maximum node count %u is less than minimum node count %u", max, min);
    r->nodes_min = min;
    r->nodes_max = max;
    return 0;
}

/* A list, or a file of them: a name with a slash in it. */
static int set_node_list(char **at, const struct opt *opt, const char *arg, struct errtext *err)
{
    struct strv names = {0};
    bool is_file = strchr(arg, '/') != NULL;
    int rc = is_file ? nodefile_read(arg, &names, err) : hostlist_expand(arg, &names, err);
    char *list = is_file && !rc ? strv_join(&names, ",") : xstrdup(arg);
    strv_fini(&names);
    if (rc)
        rc = err_prefix(err, rc, "Invalid --%s specification", opt->name);
    else
        set_text(at, list);
    free(list);
    return rc;
}

/* [{R|B}:]SIG[@seconds] */
static int set_signal(struct job_req *r, const struct opt *opt, const char *arg, struct errtext *err)
{
    const char *s = arg;
    bool batch = false;
    for (const char *colon = strchr(s, ':'); s < colon; s++) {
        if (!strchr("RrBb", *s))
            return bad(err, opt);
        batch = batch || *s == 'B' || *s == 'b';
    }
    s += *s == ':';
    size_t len = strcspn(s, "@");
    char *name = xstrndup(s, len);
    int number = signal_by_name(name);
    free(name);
    int64_t at_s = SIGNAL_DEFAULT;
    if (number < 0 || (s[len] && int_parse(s + len + 1, 0, 65535, &at_s, NULL)))
        return bad(err, opt);
    struct job_req_rare *rare = req_rare_mut(r);
    rare->signal = number;
    rare->signal_at_s = (uint32_t)at_s;
    r->signal_batch = batch;
    return 0;
}

static int set_nice(struct job_req *r, const struct opt *opt, const char *arg, struct errtext *err)
{
    int64_t n = NICE_DEFAULT;
    if (arg && int_parse(arg, -NICE_MAX, NICE_MAX, &n, NULL))
        return err_set(err, -EINVAL, "Invalid --%s value, out of range (+/- %lld)", opt->name, NICE_MAX);
    r->nice = (int32_t)n;
    return 0;
}

static int set_open_mode(struct job_req *r, const struct opt *opt, const char *arg, struct errtext *err)
{
    if (*arg != 'a' && *arg != 'A' && *arg != 't' && *arg != 'T')
        return bad(err, opt);
    r->append = *arg == 'a' || *arg == 'A';
    r->truncate = !r->append;
    return 0;
}

static int set_propagate(struct jobopts *o, const struct opt *opt, const char *arg, struct errtext *err)
{
    const char *bad_name;
    int len;
    o->propagate = ULIMIT_ALL;
    if (!arg || ulimit_parse(arg, &o->propagate, &bad_name, &len) == 0)
        return 0;
    return err_set(err, -EDOM, "Bad rlimit name: %.*s\n--%s=%s is not valid.", len, bad_name, opt->name,
                   arg);
}

static int set_chdir(struct jobopts *o, const char *arg, struct errtext *err)
{
    if (!*arg)
        return err_set(err, -EINVAL, "Invalid --chdir specification");
    free(o->req.workdir);
    o->req.workdir = *arg == '/' || !o->cwd ? xstrdup(arg) : xasprintf("%s/%s", o->cwd, arg);
    return 0;
}

static int set_time_point(struct jobopts *o, struct wall *at, const struct opt *opt, const char *arg,
                          struct errtext *err)
{
    if (wall_parse(arg, o->now, at, NULL) == 0)
        return 0;
    return err_set(err, -EINVAL, "Invalid time specification (pos=0): %s\nInvalid --%s specification", arg,
                   opt->name);
}

static int set_priority(struct job_req *r, const struct opt *opt, const char *arg, struct errtext *err)
{
    int64_t n;
    if (int_parse(arg, 0, UINT32_MAX - 1, &n, NULL))
        return bad(err, opt);
    r->has_priority = true;
    r->priority = (uint32_t)n;
    return 0;
}

/* Only oneself: who submits is the kernel's word. */
static int check_user(const struct opt *opt, const char *arg, struct errtext *err)
{
    const struct passwd *pw = getpwnam(arg);
    int64_t n;
    unsigned id = opt->id == J_UID ? getuid() : getgid();
    if ((opt->id == J_UID && pw && pw->pw_uid == id) ||
        (!int_parse(arg, 0, UINT32_MAX, &n, NULL) && n == id))
        return 0;
    if (opt->id == J_UID && !pw && int_parse(arg, 0, UINT32_MAX, &n, NULL))
        return err_set(err, -EINVAL, "Invalid --%s specification", opt->name);
    if (getuid() == 0) /* Slurm's words would be untrue */
        return err_set(err, -EINVAL, "--%s: jobs are submitted for oneself, by root too", opt->name);
    return err_set(err, -EINVAL, "--%s only permitted by root user", opt->name);
}

static int set_kill_on_invalid_dep(struct job_req *r, const struct opt *opt, const char *arg,
                                   struct errtext *err)
{
    if (strcasecmp(arg, "yes") != 0 && strcasecmp(arg, "no") != 0)
        return bad(err, opt);
    r->kill_on_invalid_dep = strcasecmp(arg, "yes") == 0;
    return 0;
}

static int set_lost_node(struct job_req *r, const struct opt *opt, const char *arg, struct errtext *err)
{
    enum lost_node l;
    if (!lost_node_parse(arg, &l))
        return bad(err, opt);
    req_rare_mut(r)->lost_node = l;
    return 0;
}

static int set_tmp(struct job_req *r, const struct opt *opt, const char *arg, struct errtext *err)
{
    uint64_t mib;
    if (mem_parse_mib(arg, &mib, NULL) || mib > UINT32_MAX)
        return bad(err, opt);
    req_rare_mut(r)->min_tmp_mib = (uint32_t)mib;
    return 0;
}

/* --exclusive=user|mcs: the node is not to be shared with others; nobody here shares more than that, so
 * whole nodes it is. */
static int set_exclusive(struct job_req *r, const struct opt *opt, const char *arg, struct errtext *err)
{
    if (arg && strcasecmp(arg, "user") != 0 && strcasecmp(arg, "mcs") != 0 &&
        strcasecmp(arg, "exclusive") != 0)
        return bad(err, opt);
    r->exclusive = true;
    return 0;
}

static int set_one(struct jobopts *o, const struct opt *opt, const char *arg, struct errtext *err)
{
    struct job_req *r = &o->req;
    switch ((enum jobopt)opt->id) {
    case J_BEGIN: return set_time_point(o, &r->begin, opt, arg, err);
    case J_DEADLINE: return set_time_point(o, &req_rare_mut(r)->deadline, opt, arg, err);
    case J_CHDIR: return set_chdir(o, arg, err);
    case J_EXCLUDE: return set_node_list(&req_rare_mut(r)->exclude, opt, arg, err);
    case J_NODELIST: return set_node_list(&req_rare_mut(r)->nodelist, opt, arg, err);
    case J_NODES: return set_nodes(r, arg, err);
    case J_EXCLUSIVE: return set_exclusive(r, opt, arg, err);
    case J_UID:
    case J_GID: return check_user(opt, arg, err);
    case J_GPUS:
    case J_GPUS_PER_NODE:
    case J_GPUS_PER_TASK: return set_gpus(o, opt, arg, err);
    case J_GRES: return set_gres(o, arg, err);
    case J_MEM:
    case J_MEM_PER_CPU:
    case J_MEM_PER_GPU: return set_mem(o, opt, arg, err);
    case J_NICE: return set_nice(r, opt, arg, err);
    case J_OPEN_MODE: return set_open_mode(r, opt, arg, err);
    case J_PRIORITY: return set_priority(r, opt, arg, err);
    case J_PROPAGATE: return set_propagate(o, opt, arg, err);
    case J_SIGNAL: return set_signal(r, opt, arg, err);
    case J_TIME: return set_limit(&r->time_limit_s, opt, arg, err);
    case J_TIME_MIN: return set_limit(&r->time_min_s, opt, arg, err);
    case J_TMP: return set_tmp(r, opt, arg, err);
    case J_KILL_ON_INVALID_DEP: return set_kill_on_invalid_dep(r, opt, arg, err);
    case J_CONTIGUOUS: r->contiguous = true; return 0;
    case J_DISTRIBUTION:
        free(o->distribution_text);
        o->distribution_text = xstrdup(arg);
        o->distribution = strncasecmp(arg, "cyclic", 6) == 0      ? 1
                          : strncasecmp(arg, "arbitrary", 9) == 0 ? 2
                                                                  : 0;
        return jobopts_check_distribution(arg, err);
    case J_HOLD: o->hold = true; return 0;
    case J_LOST_NODE: return set_lost_node(r, opt, arg, err);
    case J_NO_REQUEUE: r->requeue = 2; return 0;
    case J_REQUEUE: r->requeue = 1; return 0;
    case J_OVERCOMMIT: r->overcommit = true; return 0;
    case J_QUIET: o->quiet = true; return 0;
    case J_VERBOSE: o->verbose++; return 0;
    case J_HARMLESS: return jobopts_check(opt, arg, err);
    case J_UNSUPPORTED: return err_set(err, -EINVAL, "--%s is not supported here", opt->name);
    case J_ACCOUNT:
    case J_CLUSTERS:
    case J_COMMENT:
    case J_CONSTRAINT:
    case J_DEPENDENCY:
    case J_ERROR:
    case J_EXPORT:
    case J_INPUT:
    case J_JOB_NAME:
    case J_LICENSES:
    case J_MAIL_USER:
    case J_OUTPUT:
    case J_PARTITION:
    case J_QOS:
    case J_RESERVATION:
    case J_WCKEY: set_text(text_of(o, (enum jobopt)opt->id), arg); return 0;
    case J_MAIL_TYPE: {
        uint32_t types;
        if (!mail_types_parse(arg, &types))
            return err_set(err, -EINVAL, "Invalid --mail-type specification");
        set_text(text_of(o, J_MAIL_TYPE), arg);
        return 0;
    }
    case J_CPUS_PER_GPU:
    case J_CPUS_PER_TASK:
    case J_MINCPUS:
    case J_NTASKS:
    case J_NTASKS_PER_GPU:
    case J_NTASKS_PER_NODE: return set_count(count_of(o, (enum jobopt)opt->id), opt, arg, err);
    case J_NONE:
    case J_N: break;
    }
    bug_on(true);
    return 0;
}

int jobopts_set(void *ctx, const struct opt *opt, const char *arg, struct errtext *err)
{
    struct jobopts *o = ctx;
    int rc = set_one(o, opt, arg, err);
    if (!rc)
        o->given[opt->id] = (uint8_t)o->level;
    return rc;
}

/* --- what follows from several options --- */

static uint32_t given_or(uint32_t n, uint32_t otherwise)
{
    return n == NOT_GIVEN ? otherwise : n;
}

static uint32_t capped(uint64_t n)
{
    return n < NOT_GIVEN ? (uint32_t)n : NOT_GIVEN - 1;
}

/* --ntasks-per-gpu with one of the two counts gives the other. */
static void tasks_from_gpus(struct jobopts *o)
{
    struct job_req *r = &o->req;
    if (r->ntasks == NOT_GIVEN && r->gpus != NOT_GIVEN && r->gpus_per_task != NOT_GIVEN && r->gpus_per_task)
        r->ntasks = r->gpus / r->gpus_per_task ? r->gpus / r->gpus_per_task : 1;
    uint32_t per_gpu = o->ntasks_per_gpu;
    if (per_gpu == NOT_GIVEN)
        return;
    if (r->gpus != NOT_GIVEN && r->ntasks == NOT_GIVEN)
        r->ntasks = capped((uint64_t)r->gpus * per_gpu);
    else if (r->gpus_per_node != NOT_GIVEN && r->ntasks_per_node == NOT_GIVEN)
        r->ntasks_per_node = capped((uint64_t)r->gpus_per_node * per_gpu);
    else if (r->gpus == NOT_GIVEN && r->ntasks != NOT_GIVEN)
        r->gpus = (r->ntasks + per_gpu - 1) / per_gpu;
}

/* GPUs that a task has its share of, as far as the request tells. */
static uint32_t gpus_of_a_task(const struct job_req *r)
{
    if (r->gpus_per_task != NOT_GIVEN)
        return r->gpus_per_task;
    uint32_t nodes = given_or(r->nodes_min, 1);
    uint64_t gpus = r->gpus != NOT_GIVEN ? r->gpus : (uint64_t)given_or(r->gpus_per_node, 0) * nodes;
    uint64_t tasks = r->ntasks != NOT_GIVEN ? r->ntasks : (uint64_t)given_or(r->ntasks_per_node, 1) * nodes;
    return capped((gpus + tasks - 1) / tasks);
}

static void cpus_from_gpus(struct jobopts *o)
{
    struct job_req *r = &o->req;
    uint32_t gpus = gpus_of_a_task(r);
    if (o->cpus_per_gpu != NOT_GIVEN && o->given[J_CPUS_PER_TASK] < o->given[J_CPUS_PER_GPU] && gpus)
        r->cpus_per_task = capped((uint64_t)o->cpus_per_gpu * gpus);
    if (o->mincpus != NOT_GIVEN && given_or(r->ntasks_per_node, 1) == 1 &&
        o->mincpus > given_or(r->cpus_per_task, 1))
        r->cpus_per_task = o->mincpus;
}

static void gres_for_display(struct job_req *r)
{
    uint32_t n = r->gpus_per_node != NOT_GIVEN   ? r->gpus_per_node
                 : r->gpus_per_task != NOT_GIVEN ? r->gpus_per_task
                                                 : r->gpus;
    free(r->gres);
    r->gres = n == NOT_GIVEN || n == 0 ? NULL
              : r->gpu_type            ? xasprintf("gpu:%s:%u", r->gpu_type, n)
                                       : xasprintf("gpu:%u", n);
}

int jobopts_finish(struct jobopts *o, struct errtext *err)
{
    struct job_req *r = &o->req;
    if (!r->workdir && !o->cwd)
        return err_set(err, -ENOENT, "the current directory is gone; give one with --chdir");
    if (!r->workdir)
        r->workdir = xstrdup(o->cwd);
    if (wall_is_set(r->begin) && wall_is_set(req_rare(r)->deadline) &&
        req_rare(r)->deadline.ms < r->begin.ms)
        return err_set(err, -EINVAL, "Incompatible begin and deadline time specification");
    tasks_from_gpus(o);
    cpus_from_gpus(o);
    gres_for_display(r);
    if (r->ntasks != NOT_GIVEN && r->nodes_min != NOT_GIVEN && r->ntasks < r->nodes_min &&
        r->ntasks_per_node == NOT_GIVEN) {
        if (o->given[J_NODES] >
            o->given[J_NTASKS]) /* more nodes than the weaker source had tasks: its count is not meant */
            r->ntasks = r->nodes_min;
        else
            r->nodes_min = r->ntasks;
        r->nodes_max = r->nodes_max < r->nodes_min ? r->nodes_min : r->nodes_max;
    }
    return 0;
}
