/* generate_spec.c - the keys of a workload's description. */
#include <errno.h>

#include "backend/sim/generate.h"
#include "src/conf/option.h"
#include "src/values/units.h"

#define N(table)     (sizeof(table) / sizeof *(table))
#define MEMBER(s, m) .offset = offsetof(struct s, m)

/* clang-format off */
#define MADE_USER_FIELDS(F, G, S) \
    F(S, STR, name) F(S, STR, group) F(S, STR, account) F(S, STR, qos) F(S, STR, partition) F(S, F64, demand) F(S, STRV, shapes)
#define MADE_SHAPE_FIELDS(F, G, S) \
    F(S, STR, name) F(S, STR, partition) F(S, STR, qos) F(S, STR, gpu_type) F(S, STRV, features) F(S, F64, weight) \
    F(S, U32, nodes) F(S, U32, tasks) F(S, U32, cpus) F(S, U64, mem_mib) F(S, U32, gpus) F(S, BOOL, exclusive) \
    F(S, BOOL, keeps_work) F(S, U32, burst) F(S, U32, run_s) F(S, F64, spread) F(S, U32, limit_s) F(S, F64, over_factor) \
    F(S, F64, overruns)
#define MADE_SPEC_FIELDS(F, G, S) \
    F(S, F64, days) F(S, U64, seed) F(S, F64, load) F(S, F64, jobs_per_day) F(S, F64, day_night) F(S, BOOL, drain) \
    G(S, LISTOF, users, made_user) G(S, LISTOF, shapes, made_shape)

REC_DEFINE(made_user, MADE_USER_FIELDS)
REC_DEFINE(made_shape, MADE_SHAPE_FIELDS)
REC_DEFINE(made_spec, MADE_SPEC_FIELDS)

static const struct conf_option user_options[] = {
    {.name = "name", .type = CONF_NAME, MEMBER(made_user, name), .required = true, .help = "Login name."},
    {.name = "group", .type = CONF_NAME, MEMBER(made_user, group), .def = "users", .help = "Unix group."},
    {.name = "account", .type = CONF_NAME, MEMBER(made_user, account), .def_help = "the user's default", .help = "What jobs are charged to."},
    {.name = "qos", .type = CONF_NAME, MEMBER(made_user, qos), .def_help = "the shape's", .help = "QOS of the jobs."},
    {.name = "partition", .type = CONF_STR, MEMBER(made_user, partition), .def_help = "the shape's", .help = "Where the jobs go: a name or a list with commas."},
    {.name = "demand", .type = CONF_FLOAT, MEMBER(made_user, demand), .def = "1.0", .min = 0, .max = 1000000,
     .help = "How much is submitted, beside the demands of the others."},
    {.name = "shapes", .type = CONF_STRV, MEMBER(made_user, shapes), .def_help = "all", .help = "What is submitted."},
};

static const struct conf_section user_section = {
    .what = "a user", .title = "users", .intro = "Who submits.",
    .options = user_options, .n = N(user_options), .size = sizeof(struct made_user)};

static const struct conf_option shape_options[] = {
    {.name = "name", .type = CONF_NAME, MEMBER(made_shape, name), .required = true, .help = "What `shapes` of a user names."},
    {.name = "weight", .type = CONF_FLOAT, MEMBER(made_shape, weight), .def = "1.0", .min = 0, .max = 1000000,
     .help = "How often it is submitted, beside the other shapes of a user."},
    {.name = "partition", .type = CONF_STR, MEMBER(made_shape, partition), .def_help = "the default one", .help = "A name or a list with commas."},
    {.name = "qos", .type = CONF_NAME, MEMBER(made_shape, qos), .def_help = "none", .help = "QOS."},
    {.name = "nodes", .type = CONF_U32, MEMBER(made_shape, nodes), .def = "any", .min = 1, .max = INT32_MAX, .special = "any",
     .special_value = 0, .help = "Nodes."},
    {.name = "tasks", .type = CONF_U32, MEMBER(made_shape, tasks), .def = "1", .min = 1, .max = 1000000, .help = "Tasks."},
    {.name = "cpus", .type = CONF_U32, MEMBER(made_shape, cpus), .def = "1", .min = 1, .max = 100000, .help = "CPUs of each task."},
    {.name = "memory", .type = CONF_MEM, MEMBER(made_shape, mem_mib), .def = "share", .special = "share", .special_value = 0,
     .help = "Memory on each node."},
    {.name = "gpus", .type = CONF_U32, MEMBER(made_shape, gpus), .def = "0", .min = 0, .max = 100000,
     .help = "GPUs: on each node where `nodes` is given, else in all."},
    {.name = "gpu_type", .type = CONF_NAME, MEMBER(made_shape, gpu_type), .def_help = "any", .help = "Type of the GPUs."},
    {.name = "features", .type = CONF_STRV, MEMBER(made_shape, features), .help = "Features that the nodes must have."},
    {.name = "exclusive", .type = CONF_BOOL, MEMBER(made_shape, exclusive), .def = "false", .help = "Whole nodes."},
    {.name = "burst", .type = CONF_U32, MEMBER(made_shape, burst), .def = "1", .min = 1, .max = 100000,
     .help = "This many alike jobs are submitted at once."},
    {.name = "run", .type = CONF_DURATION, MEMBER(made_shape, run_s), .def = "1h", .help = "Median of the run times."},
    {.name = "spread", .type = CONF_FLOAT, MEMBER(made_shape, spread), .def = "1.0", .min = 0, .max = 4,
     .help = "Deviation of the run times' logarithm; `0.0`: all alike."},
    {.name = "limit", .type = CONF_DURATION, MEMBER(made_shape, limit_s), .def = "made up", .special = "made up",
     .special_value = DURATION_NOT_SET, .help = "Time limit of all its jobs; else round values, as people write them."},
    {.name = "over_factor", .type = CONF_FLOAT, MEMBER(made_shape, over_factor), .def = "5.0", .min = 1, .max = 1000,
     .help = "A limit that is made up allows for up to this many times the run time, before it is rounded up."},
    {.name = "overruns", .type = CONF_FLOAT, MEMBER(made_shape, overruns), .def = "0.02", .min = 0, .max = 1,
     .help = "Share of the jobs whose limit is too short for them."},
    {.name = "keeps_work", .type = CONF_BOOL, MEMBER(made_shape, keeps_work), .def = "false",
     .help = "A preempted job continues where it was; otherwise it begins again."},
};

static const struct conf_section shape_section = {
    .what = "a shape", .title = "shapes", .intro = "What jobs ask for, and how long they run.",
    .options = shape_options, .n = N(shape_options), .size = sizeof(struct made_shape)};

static const struct conf_option spec_options[] = {
    {.name = "days", .type = CONF_FLOAT, MEMBER(made_spec, days), .def = "30.0", .min = 0, .max = 36500, .help = "Length of the workload."},
    {.name = "seed", .type = CONF_U64, MEMBER(made_spec, seed), .def = "1", .min = 0, .max = INT64_MAX,
     .help = "Of the random numbers; `--seed` goes before it."},
    {.name = "load", .type = CONF_FLOAT, MEMBER(made_spec, load), .def = "0.8", .min = 0, .max = 1000,
     .help = "What is asked for, as a part of what the cluster has: of whichever of CPUs, memory and GPUs is asked for most."},
    {.name = "jobs_per_day", .type = CONF_FLOAT, MEMBER(made_spec, jobs_per_day), .def = "0.0", .def_help = "as `load` says", .min = 0,
     .max = 100000000, .help = "Submissions in a day on average, a burst counting as one; goes before `load`."},
    {.name = "day_night", .type = CONF_FLOAT, MEMBER(made_spec, day_night), .def = "0.0", .min = 0, .max = 1,
     .help = "`0.0`: as many by night as by day; `1.0`: most at two in the afternoon, none at two in the night."},
    {.name = "drain", .type = CONF_BOOL, MEMBER(made_spec, drain), .def = "false",
     .help = "`true`: after the last submission the simulation goes on until all jobs have ended."},
    {.name = "users", .type = CONF_LIST, MEMBER(made_spec, users), .sub = &user_section, .help = "Who submits."},
    {.name = "shapes", .type = CONF_LIST, MEMBER(made_spec, shapes), .sub = &shape_section, .help = "What is submitted."},
};

static const struct conf_section spec_section = {
    .what = "a workload", .title = "the workload", .intro = "",
    .options = spec_options, .n = N(spec_options), .size = sizeof(struct made_spec)};
/* clang-format on */

static bool generate_spec_has_shape(const struct made_spec *m, const char *name)
{
    for (size_t i = 0; i < m->shapes.n; i++)
        if (str_eq(m->shapes.v[i].name, name))
            return true;
    return false;
}

static double generate_spec_weight_of(const struct made_spec *m, const struct made_user *u)
{
    double sum = 0;
    for (size_t i = 0; i < m->shapes.n; i++)
        if (!u->shapes.n || strv_has(&u->shapes, m->shapes.v[i].name))
            sum += m->shapes.v[i].weight;
    return sum;
}

/* What the tables cannot say. */
static int generate_spec_check(const struct conf_parse *c, const config_setting_t *root,
                               const struct made_spec *m)
{
    if (!m->users.n || !m->shapes.n)
        return conf_error(c, root, "at least one user and one shape are needed");
    const config_setting_t *users = config_setting_get_member(root, "users");
    double demand = 0;
    for (size_t i = 0; i < m->users.n; i++) {
        const struct made_user *u = &m->users.v[i];
        const config_setting_t *at = config_setting_get_elem(users, (unsigned)i);
        demand += u->demand;
        for (size_t k = 0; k < u->shapes.n; k++)
            if (!generate_spec_has_shape(m, u->shapes.v[k]))
                return conf_error(c, at, "user %s: there is no shape \"%s\"", u->name, u->shapes.v[k]);
        if (generate_spec_weight_of(m, u) <= 0)
            return conf_error(c, at, "user %s: no shape with any weight is left", u->name);
        for (size_t k = 0; k < i; k++)
            if (str_eq(m->users.v[k].name, u->name))
                return conf_error(c, at, "user %s is there twice", u->name);
    }
    return demand > 0 ? 0 : conf_error(c, users, "no user has any demand");
}

static int generate_spec_parse(const struct conf_source *src, struct made_spec *ret, struct errtext *err)
{
    struct conf_parse c = {.src = src, .err = err};
    struct made_spec m = {0};
    config_t cfg;
    config_init(&cfg);
    conf_set_defaults(&spec_section, &m);
    int rc = source_parse(src, &cfg, err);
    const config_setting_t *root = config_root_setting(&cfg);
    if (rc == 0)
        rc = conf_read_group(&c, &spec_section, root, &m);
    if (rc == 0)
        rc = generate_spec_check(&c, root, &m);
    config_destroy(&cfg);
    if (rc < 0)
        rec_fini(&made_spec_rec, &m);
    else
        *ret = m;
    return rc;
}

int generate_load(const char *path, struct made_spec *ret, struct errtext *err)
{
    struct conf_source src;
    int rc = source_read(path, &src, err);
    if (rc < 0)
        return rc;
    rc = generate_spec_parse(&src, ret, err);
    source_fini(&src);
    return rc;
}

int generate_parse(const char *name, const char *text, struct made_spec *ret, struct errtext *err)
{
    struct conf_source src;
    int rc = source_from_text(name, text, &src, err);
    if (rc < 0)
        return rc;
    rc = generate_spec_parse(&src, ret, err);
    source_fini(&src);
    return rc;
}

void generate_reference(struct str *out)
{
    conf_write_reference(&spec_section, out);
}
