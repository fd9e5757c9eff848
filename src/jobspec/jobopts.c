/* jobopts.c - what each option of a job says. */
#include "src/jobspec/jobopts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/jobenv/mailtype.h"
#include "src/jobspec/jobopts_check.h"
#include "src/jobspec/nodefile.h"
#include "src/jobspec/signame.h"
#include "src/lang/lang.h"
#include "src/os/clock.h"
#include "src/os/ulimit.h"
#include "src/values/hostlist.h"
#include "src/values/time_parse.h"
#include "src/values/units.h"

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

/* Takes what arg says into the member at `at`, or into o where no member of the request is meant. */
typedef int jobopt_set_fn(struct jobopts *o, const struct opt *opt, const char *arg, void *at,
                          struct errtext *err);
#define SETTER(NAME)                                                                                \
    static int jobopt_##NAME(__attribute__((unused)) struct jobopts *o,                             \
                             __attribute__((unused)) const struct opt *opt,                         \
                             __attribute__((unused)) const char *arg, __attribute__((unused)) void *at, \
                             __attribute__((unused)) struct errtext *err)

static void jobopts_replace(char **at, const char *value)
{
    xstrset(at, str_is_empty(value) ? NULL : value);
}

static int jobopts_bad(struct errtext *err, const struct opt *opt)
{
    return err_set(err, -EINVAL, tr("Invalid --%s specification"), opt->name);
}

SETTER(text)
{
    jobopts_replace(at, arg);
    return 0;
}

SETTER(switch)
{
    *(bool *)at = true;
    return 0;
}

SETTER(count)
{
    int64_t n;
    if (int_parse(arg, 1, NOT_GIVEN - 1, &n, NULL))
        return err_set(err, -EDOM, tr("Invalid numeric value \"%s\" for --%s."), arg, opt->name);
    *(uint32_t *)at = (uint32_t)n;
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

SETTER(memory)
{
    uint64_t mib;
    if (mem_parse_mib(arg, &mib, NULL))
        return jobopts_bad(err, opt);
    for (size_t i = 0; i < sizeof mem_options; i++)
        if (mem_options[i] != opt->id && o->given[mem_options[i]] == o->level)
            return err_set(err, -EINVAL,
                           tr("--mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive."));
    struct job_req *r = &o->req;
    r->mem_node_mib = req_detail_mut(r)->mem_cpu_mib = req_detail_mut(r)->mem_gpu_mib = MEM_NOT_GIVEN;
    *(uint64_t *)at = mib;
    return 0;
}

static void gpus_begin(struct jobopts *o)
{
    if (group_level(o, gpu_options, sizeof gpu_options) >= o->level)
        return;
    o->req.gpus = o->req.gpus_per_node = req_detail_mut(&o->req)->gpus_per_task = NOT_GIVEN;
    jobopts_replace(&req_detail_mut(&o->req)->gpu_type, NULL);
}

static int set_gpu_type(struct jobopts *o, const char *type, size_t len, struct errtext *err)
{
    char *text = xstrndup(type, len);
    int rc = 0;
    if (req_detail(&o->req)->gpu_type && strcmp(req_detail(&o->req)->gpu_type, text) != 0)
        rc = err_set(err, -EINVAL, tr("one type of GPU in a job: %s or %s"), req_detail(&o->req)->gpu_type,
                     text);
    else
        jobopts_replace(&req_detail_mut(&o->req)->gpu_type, text);
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
            return err_set(err, -EINVAL, tr("\"%s\" is not a number of GPUs"), arg);
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
    return err_set(err, -EDOM, tr("%s\nInvalid generic resource (gres) specification"), why.s);
}

SETTER(gpus)
{
    gpus_begin(o);
    uint32_t n;
    int rc = parse_gpus(o, arg, false, &n, err);
    if (rc)
        return bad_gres(err);
    *(uint32_t *)at = n;
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
        return err_set(err, -EINVAL, tr("\"%s\": only gpu is known here"), item);
    int rc = s[3] ? parse_gpus(o, s + 4, true, &n, err) : 0;
    *total += n;
    return rc;
}

SETTER(gres)
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
        rc = err_set(err, -EINVAL, tr("it is empty"));
    strv_fini(&items);
    if (rc)
        return bad_gres(err);
    o->req.gpus_per_node = total;
    return 0;
}

/* --- the others --- */

/* Resolution is one minute, rounded up. */
SETTER(limit)
{
    uint32_t s;
    if (duration_parse_slurm(arg, &s, NULL))
        return jobopts_bad(err, opt);
    *(uint32_t *)at = s < DURATION_NOT_SET - 60 ? (s + 59) / 60 * 60 : s;
    return 0;
}

/* "2", "2-4", "1k", "-4": up to four. Source: verify_node_count() of Slurm, which takes no least as 0. */
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

SETTER(nodes)
{
    const char *dash = strchr(arg, '-');
    size_t len = dash ? (size_t)(dash - arg) : strlen(arg);
    uint32_t min = 1, max;
    bool least = len || !dash;
    if ((least && parse_nodes_number(arg, len, &min)) ||
        (dash && parse_nodes_number(dash + 1, strlen(dash + 1), &max)))
        return err_set(err, -EINVAL, tr("\"%s\" is not a valid node count"), arg);
    max = dash ? max : min;
    if (max < min)
        return err_set(err, -EINVAL, tr("Maximum node count %u is less than minimum node count %u"), max,
                       min);
    o->req.nodes_min = min;
    o->req.nodes_max = max;
    return 0;
}

/* A list, or a file of them: a name with a slash in it. */
SETTER(hosts)
{
    struct strv names = {0};
    bool is_file = strchr(arg, '/') != NULL;
    int rc = is_file ? nodefile_read(arg, &names, err) : hostlist_expand(arg, &names, err);
    char *list = is_file && !rc ? strv_join(&names, ",") : xstrdup(arg);
    strv_fini(&names);
    if (rc)
        rc = err_prefix(err, rc, tr("Invalid --%s specification"), opt->name);
    else
        jobopts_replace(at, list);
    free(list);
    return rc;
}

SETTER(signal)
{
    struct signal_spec spec;
    if (signal_spec_parse(arg, &spec) < 0)
        return jobopts_bad(err, opt);
    req_rare_mut(&o->req)->signal = spec.number;
    req_rare_mut(&o->req)->signal_at_s = spec.at_s;
    req_detail_mut(&o->req)->signal_batch = spec.batch;
    return 0;
}

SETTER(restarts)
{
    const char *comma = strrchr(arg, ',');
    int64_t n;
    if (int_parse(comma ? comma + 1 : arg, 1, LIMIT_RESTARTS_MAX, &n, NULL))
        return jobopts_bad(err, opt);
    char *sig = comma ? xstrndup(arg, (size_t)(comma - arg)) : NULL;
    int rc = sig ? jobopt_signal(o, opt, sig, at, err) : 0;
    free(sig);
    req_rare_mut(&o->req)->limit_restarts = rc ? 0 : (uint32_t)n;
    return rc;
}

SETTER(nice)
{
    int64_t n = 100; /* Slurm's, of --nice alone */
    if (arg && int_parse(arg, -JOB_NICE_MAX, JOB_NICE_MAX, &n, NULL))
        return err_set(err, -EINVAL, tr("Invalid --%s value, out of range (+/- %lld)"), opt->name,
                       JOB_NICE_MAX);
    *(int32_t *)at = (int32_t)n;
    return 0;
}

SETTER(open_mode)
{
    if (*arg != 'a' && *arg != 'A' && *arg != 't' && *arg != 'T')
        return jobopts_bad(err, opt);
    req_detail_mut(&o->req)->append = *arg == 'a' || *arg == 'A';
    req_detail_mut(&o->req)->truncate = !req_detail(&o->req)->append;
    return 0;
}

SETTER(propagate)
{
    const char *bad_name;
    int len;
    o->propagate = ULIMIT_ALL;
    if (!arg || ulimit_parse(arg, &o->propagate, &bad_name, &len) == 0)
        return 0;
    return err_set(err, -EDOM, tr("Bad rlimit name: %.*s\n--%s=%s is not valid."), len, bad_name, opt->name,
                   arg);
}

SETTER(dir)
{
    if (!*arg)
        return err_set(err, -EINVAL, tr("Invalid --chdir specification"));
    free(o->req.workdir);
    o->req.workdir = *arg == '/' || !o->cwd ? xstrdup(arg) : xasprintf("%s/%s", o->cwd, arg);
    return 0;
}

SETTER(time_point)
{
    if (wall_parse(arg, o->now, at, NULL) == 0)
        return 0;
    return err_set(err, -EINVAL, tr("Invalid time specification (pos=0): %s\nInvalid --%s specification"),
                   arg, opt->name);
}

SETTER(priority)
{
    int64_t n;
    if (int_parse(arg, 0, UINT32_MAX - 1, &n, NULL))
        return jobopts_bad(err, opt);
    req_detail_mut(&o->req)->has_priority = true;
    *(uint32_t *)at = (uint32_t)n;
    return 0;
}

/* Only oneself: who submits is the kernel's word. */
SETTER(user)
{
    unsigned named;
    bool is_name = jobopts_find_user(arg, &named);
    int64_t n;
    unsigned id = opt->id == J_UID ? getuid() : getgid();
    if ((opt->id == J_UID && is_name && named == id) ||
        (!int_parse(arg, 0, UINT32_MAX, &n, NULL) && n == id))
        return 0;
    if (opt->id == J_UID && !is_name && int_parse(arg, 0, UINT32_MAX, &n, NULL))
        return err_set(err, -EINVAL, tr("Invalid --%s specification"), opt->name);
    if (getuid() == 0) /* Slurm's words would be untrue */
        return err_set(err, -EINVAL, tr("--%s: jobs are submitted for oneself, by root too"), opt->name);
    return err_set(err, -EINVAL, tr("--%s only permitted by root user"), opt->name);
}

SETTER(yes_no)
{
    if (strcasecmp(arg, "yes") != 0 && strcasecmp(arg, "no") != 0)
        return jobopts_bad(err, opt);
    *(bool *)at = strcasecmp(arg, "yes") == 0;
    return 0;
}

SETTER(lost_node)
{
    enum lost_node l;
    if (!lost_node_parse(arg, &l))
        return jobopts_bad(err, opt);
    *(uint32_t *)at = l;
    return 0;
}

SETTER(disk)
{
    uint64_t mib;
    if (mem_parse_mib(arg, &mib, NULL) || mib > UINT32_MAX)
        return jobopts_bad(err, opt);
    *(uint32_t *)at = (uint32_t)mib;
    return 0;
}

/* --exclusive=mcs: there are no labels to share nodes by, so whole nodes it is. */
SETTER(exclusive)
{
    bool user = arg && strcasecmp(arg, "user") == 0;
    if (arg && !user && strcasecmp(arg, "mcs") != 0 && strcasecmp(arg, "exclusive") != 0)
        return jobopts_bad(err, opt);
    *(bool *)at = !user;
    req_detail_mut(&o->req)->exclusive_user = user;
    return 0;
}

SETTER(requeue)
{
    *(uint32_t *)at = opt->id == J_REQUEUE ? 1 : 2;
    return 0;
}

SETTER(mail_types)
{
    uint32_t types;
    if (!mail_types_parse(arg, &types))
        return jobopts_bad(err, opt);
    jobopts_replace(at, arg);
    return 0;
}

/* --- options that no member of the request stands for --- */

SETTER(distribution)
{
    xstrset(&o->distribution_text, arg);
    o->distribution = strncasecmp(arg, "cyclic", 6) == 0      ? 1
                      : strncasecmp(arg, "arbitrary", 9) == 0 ? 2
                                                              : 0;
    return jobopts_check_distribution(arg, err);
}

SETTER(harmless)
{
    return jobopts_check(opt, arg, err);
}

SETTER(unsupported)
{
    return err_set(err, -EINVAL, tr("--%s is not supported here"), opt->name);
}

SETTER(loudness)
{
    o->quiet = o->quiet || opt->id == J_QUIET;
    o->verbose += opt->id == J_VERBOSE;
    return 0;
}

static int jobopts_set_other(struct jobopts *o, const struct opt *opt, const char *arg, struct errtext *err)
{
    const struct {
        jobopt_set_fn *set;
        void *at;
    } by_option[J_N] = {
        [J_CLUSTERS] = {jobopt_text, &o->cluster},
        [J_CPUS_PER_GPU] = {jobopt_count, &o->cpus_per_gpu},
        [J_DISTRIBUTION] = {jobopt_distribution, NULL},
        [J_EXPORT] = {jobopt_text, &o->export_spec},
        [J_GID] = {jobopt_user, NULL},
        [J_HARMLESS] = {jobopt_harmless, NULL},
        [J_HOLD] = {jobopt_switch, &o->hold},
        [J_MINCPUS] = {jobopt_count, &o->mincpus},
        [J_NTASKS_PER_GPU] = {jobopt_count, &o->ntasks_per_gpu},
        [J_PROPAGATE] = {jobopt_propagate, NULL},
        [J_QUIET] = {jobopt_loudness, NULL},
        [J_UID] = {jobopt_user, NULL},
        [J_UNSUPPORTED] = {jobopt_unsupported, NULL},
        [J_VERBOSE] = {jobopt_loudness, NULL},
    };
    bug_on(!by_option[opt->id].set);
    return by_option[opt->id].set(o, opt, arg, by_option[opt->id].at, err);
}

static int jobopts_set_one(struct jobopts *o, const struct opt *opt, const char *arg, struct errtext *err)
{
    static jobopt_set_fn *const by_kind[] = {
        [JOB_ATTR_NAME] = jobopt_text,
        [JOB_ATTR_TEXT] = jobopt_text,
        [JOB_ATTR_HOSTS] = jobopt_hosts,
        [JOB_ATTR_MAIL_TYPES] = jobopt_mail_types,
        [JOB_ATTR_DIR] = jobopt_dir,
        [JOB_ATTR_GRES] = jobopt_gres,
        [JOB_ATTR_COUNT] = jobopt_count,
        [JOB_ATTR_NUMBER] = jobopt_count,
        [JOB_ATTR_GPUS] = jobopt_gpus,
        [JOB_ATTR_NODES] = jobopt_nodes,
        [JOB_ATTR_PRIORITY] = jobopt_priority,
        [JOB_ATTR_DISK] = jobopt_disk,
        [JOB_ATTR_MEMORY] = jobopt_memory,
        [JOB_ATTR_LIMIT] = jobopt_limit,
        [JOB_ATTR_TIME_POINT] = jobopt_time_point,
        [JOB_ATTR_NICE] = jobopt_nice,
        [JOB_ATTR_SIGNAL] = jobopt_signal,
        [JOB_ATTR_SWITCH] = jobopt_switch,
        [JOB_ATTR_EXCLUSIVE] = jobopt_exclusive,
        [JOB_ATTR_YES_NO] = jobopt_yes_no,
        [JOB_ATTR_OPEN_MODE] = jobopt_open_mode,
        [JOB_ATTR_REQUEUE] = jobopt_requeue,
        [JOB_ATTR_NO_REQUEUE] = jobopt_requeue,
        [JOB_ATTR_LOST_NODE] = jobopt_lost_node,
        [JOB_ATTR_RESTARTS] = jobopt_restarts,
    };
    const struct job_attr *a = job_attr_get(opt->id);
    return !a                             ? jobopts_set_other(o, opt, arg, err)
           : a->kind == JOB_ATTR_SWITCHES ? job_attr_set(a, &o->req, arg, o->now, err)
                                          : by_kind[a->kind](o, opt, arg, job_attr_at_mut(a, &o->req), err);
}

int jobopts_set(void *ctx, const struct opt *opt, const char *arg, struct errtext *err)
{
    struct jobopts *o = ctx;
    int rc = jobopts_set_one(o, opt, arg, err);
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
    if (r->ntasks == NOT_GIVEN && r->gpus != NOT_GIVEN && req_detail(r)->gpus_per_task != NOT_GIVEN &&
        req_detail(r)->gpus_per_task)
        r->ntasks = r->gpus / req_detail(r)->gpus_per_task ? r->gpus / req_detail(r)->gpus_per_task : 1;
    uint32_t per_gpu = o->ntasks_per_gpu;
    if (per_gpu == NOT_GIVEN)
        return;
    if (r->gpus != NOT_GIVEN && r->ntasks == NOT_GIVEN)
        r->ntasks = capped((uint64_t)r->gpus * per_gpu);
    else if (r->gpus_per_node != NOT_GIVEN && req_detail(r)->ntasks_per_node == NOT_GIVEN)
        req_detail_mut(r)->ntasks_per_node = capped((uint64_t)r->gpus_per_node * per_gpu);
    else if (r->gpus == NOT_GIVEN && r->ntasks != NOT_GIVEN)
        r->gpus = (r->ntasks + per_gpu - 1) / per_gpu;
}

/* GPUs that a task has its share of, as far as the request tells. */
static uint32_t gpus_of_a_task(const struct job_req *r)
{
    if (req_detail(r)->gpus_per_task != NOT_GIVEN)
        return req_detail(r)->gpus_per_task;
    uint32_t nodes = given_or(r->nodes_min, 1);
    uint64_t gpus = r->gpus != NOT_GIVEN ? r->gpus : (uint64_t)given_or(r->gpus_per_node, 0) * nodes;
    uint64_t tasks =
        r->ntasks != NOT_GIVEN ? r->ntasks : (uint64_t)given_or(req_detail(r)->ntasks_per_node, 1) * nodes;
    return capped((gpus + tasks - 1) / tasks);
}

static void cpus_from_gpus(struct jobopts *o)
{
    struct job_req *r = &o->req;
    uint32_t gpus = gpus_of_a_task(r);
    if (o->cpus_per_gpu != NOT_GIVEN && o->given[J_CPUS_PER_TASK] < o->given[J_CPUS_PER_GPU] && gpus)
        r->cpus_per_task = capped((uint64_t)o->cpus_per_gpu * gpus);
    if (o->mincpus != NOT_GIVEN && given_or(req_detail(r)->ntasks_per_node, 1) == 1 &&
        o->mincpus > given_or(r->cpus_per_task, 1))
        r->cpus_per_task = o->mincpus;
}

static void gres_for_display(struct job_req *r)
{
    uint32_t n = r->gpus_per_node != NOT_GIVEN               ? r->gpus_per_node
                 : req_detail(r)->gpus_per_task != NOT_GIVEN ? req_detail(r)->gpus_per_task
                                                             : r->gpus;
    free(req_detail(r)->gres);
    req_detail_mut(r)->gres = n == NOT_GIVEN || n == 0  ? NULL
                              : req_detail(r)->gpu_type ? xasprintf("gpu:%s:%u", req_detail(r)->gpu_type, n)
                                                        : xasprintf("gpu:%u", n);
}

int jobopts_finish(struct jobopts *o, struct errtext *err)
{
    struct job_req *r = &o->req;
    if (!r->workdir && !o->cwd)
        return err_set(err, -ENOENT, tr("the current directory is gone; give one with --chdir"));
    if (!r->workdir)
        r->workdir = xstrdup(o->cwd);
    if (wall_is_set(req_detail(r)->begin) && wall_is_set(req_rare(r)->deadline) &&
        req_rare(r)->deadline.ms < req_detail(r)->begin.ms)
        return err_set(err, -EINVAL, tr("Incompatible begin and deadline time specification"));
    tasks_from_gpus(o);
    cpus_from_gpus(o);
    gres_for_display(r);
    if (r->ntasks != NOT_GIVEN && r->nodes_min != NOT_GIVEN && r->ntasks < r->nodes_min &&
        req_detail(r)->ntasks_per_node == NOT_GIVEN) {
        if (o->given[J_NODES] >
            o->given[J_NTASKS]) /* more nodes than the weaker source had tasks: its count is not meant */
            r->ntasks = r->nodes_min;
        else
            r->nodes_min = r->ntasks;
        r->nodes_max = r->nodes_max < r->nodes_min ? r->nodes_min : r->nodes_max;
    }
    return 0;
}
