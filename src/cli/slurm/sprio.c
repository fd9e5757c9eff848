/* sprio.c - what the priorities of waiting jobs are made of, as Slurm's sprio prints it.
 *
 * Source of options, letters and titles: sprio(1). SITE is what an administrator's value adds or takes, so
 * that the columns of -l add up: PRIORITY = SITE + AGE + FAIRSHARE + JOBSIZE + PARTITION + QOS + TRES -
 * NICE.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/cli/ask.h"
#include "src/cli/jobfilter.h"
#include "src/cli/listing/format.h"
#include "src/lang/lang.h"
#include "src/record/json.h"

#define FORMAT_LONG      "%.15i %9r %.8u %.10o %.10Y %.10S %.10A %.10B %.10F %.10J %.10P %.10n %.10Q %.11N %.20T"
#define FORMAT_LONG_NORM "%.15i %9r %.8u %.10o %.10y %.10S %.10a %.10b %.10f %.10j %.10p %.10n %.10q %.20t"

struct sprio {
    struct job_filter filter;
    struct strv unknown_users;
    char *letters, *sort;
    bool no_header, long_form, norm, weights, json, by_user;
};

/* One line: a job in a partition, or the weights (job 0: all factors are 1, their points the weights). */
struct sprio_cx {
    const char *cluster;
};

/* --- columns --- */

#define GET(NAME, ...)                                                                               \
    static void get_##NAME(struct str *out, const void *row, __attribute__((unused)) const void *cx) \
    {                                                                                                \
        const struct prio_row *r = row;                                                              \
        __VA_ARGS__;                                                                                 \
    }
#define NUM(NAME, expr)                                                                \
    static int64_t num_##NAME(const void *row, __attribute__((unused)) const void *cx) \
    {                                                                                  \
        const struct prio_row *r = row;                                                \
        return (int64_t)(expr);                                                        \
    }
/* The points of a factor, and the factor itself. */
#define FACTOR(NAME, member)                                                \
    GET(NAME, str_appendf(out, "%u", r->parts.member##_points))             \
    NUM(NAME, r->parts.member##_points)                                     \
    GET(NAME##_norm, if (r->job) str_appendf(out, "%.7f", r->parts.member); \
        else str_appendf(out, "%u", r->parts.member##_points))              \
    NUM(NAME##_norm, r->parts.member * 1e9)

FACTOR(age, age)
FACTOR(fairshare, fairshare)
FACTOR(job_size, job_size)
FACTOR(partition, partition)
FACTOR(qos, qos)

GET(job, if (r->job) str_appendf(out, "%u", r->job); else str_append(out, "Weights"))
NUM(job, r->job)
GET(part_name, text_append_foreign(out, r->partition, ""))
GET(user, text_append_foreign(out, r->user, ""))
GET(account, text_append_foreign(out, r->account, ""))
GET(qos_name, text_append_foreign(out, r->qos, r->job ? "normal" : ""))
GET(priority, if (r->job) str_appendf(out, "%u", r->parts.total))
NUM(priority, r->parts.total)
GET(priority_norm, if (r->job) str_appendf(out, "%.8f", r->parts.total / (double)UINT32_MAX))
GET(nice, if (r->job) str_appendf(out, "%d", r->parts.nice))
NUM(nice, r->parts.nice)
GET(site, str_appendf(out, "%lld", r->job ? (long long)r->parts.admin : 1LL))
NUM(site, r->parts.admin)
GET(assoc, (void)r; str_append(out, "0"))

static void get_cluster(struct str *out, const void *row, const void *cx)
{
    (void)row;
    text_append_foreign(out, ((const struct sprio_cx *)cx)->cluster, "");
}

static void add_tres(struct str *out, const char *name, uint32_t points, double factor, bool norm)
{
    if (!points)
        return;
    str_append(out, out->len && out->s[out->len - 1] != ' ' ? "," : "");
    str_appendf(out, "%s=", name);
    if (norm)
        str_appendf(out, "%.2f", factor);
    else
        str_appendf(out, "%u", points);
}

static void sprio_append_tres(struct str *out, const struct prio_row *r, bool norm)
{
    struct str b = STR_INIT;
    add_tres(&b, "cpu", r->parts.cpu_points, r->parts.cpu, norm && r->job);
    add_tres(&b, "mem", r->parts.mem_points, r->parts.mem, norm && r->job);
    add_tres(&b, "gres/gpu", r->parts.gpu_points, r->parts.gpu, norm && r->job);
    str_append(out, b.len ? b.s : "");
    str_fini(&b);
}
GET(tres, sprio_append_tres(out, r, false))
GET(tres_norm, sprio_append_tres(out, r, true))
NUM(tres, (int64_t)r->parts.cpu_points + r->parts.mem_points + r->parts.gpu_points)

#define C(l, name, text, fn, num)                                                         \
    {                                                                                     \
        .letter = (l), .names = (name), .title = (text), .get = get_##fn, .number = (num) \
    }
static const struct column column_table[] = {
    /* clang-format off */
    C('a', "age_norm",       "AGE",       age_norm,       num_age_norm),
    C('A', "age",            "AGE",       age,            num_age),
    C('b', "assoc_norm",     "ASSOC",     assoc,          NULL),
    C('B', "assoc",          "ASSOC",     assoc,          NULL),
    C('c', "cluster",        "CLUSTER",   cluster,        NULL),
    C('f', "fairshare_norm", "FAIRSHARE", fairshare_norm, num_fairshare_norm),
    C('F', "fairshare",      "FAIRSHARE", fairshare,      num_fairshare),
    C('i', "jobid",          "JOBID",     job,            num_job),
    C('j', "jobsize_norm",   "JOBSIZE",   job_size_norm,  num_job_size_norm),
    C('J', "jobsize",        "JOBSIZE",   job_size,       num_job_size),
    C('n', "qosname",        "QOSNAME",   qos_name,       NULL),
    C('N', "nice",           "NICE",      nice,           num_nice),
    C('o', "account",        "ACCOUNT",   account,        NULL),
    C('p', "partition_norm", "PARTITION", partition_norm, num_partition_norm),
    C('P', "partitionprio",  "PARTITION", partition,      num_partition),
    C('q', "qos_norm",       "QOS",       qos_norm,       num_qos_norm),
    C('Q', "qos",            "QOS",       qos,            num_qos),
    C('r', "partition",      "PARTITION", part_name,      NULL),
    C('S', "site",           "SITE",      site,           num_site),
    C('t', "tres_norm",      "TRES",      tres_norm,      num_tres),
    C('T', "tres",           "TRES",      tres,           num_tres),
    C('u', "user",           "USER",      user,           NULL),
    C('y', "priority_norm",  "PRIORITY",  priority_norm,  num_priority),
    C('Y', "priority",       "PRIORITY",  priority,       num_priority),
    /* clang-format on */
};
static const struct columns columns = COLUMNS(column_table);

/* --- options --- */

enum {
    O_JOBS = 1,
    O_CLUSTERS,
    O_USERS,
    O_IGNORED,
};

static const struct opt table[] = {
    /* clang-format off */
    {.id = O_CLUSTERS, .name = "clusters", .letter = 'M', .arg = OPT_REQUIRED, .meta = "NAME", .help = "of this cluster: there is one"},
    {.id = O_CLUSTERS, .name = "cluster", .arg = OPT_REQUIRED},
    {.id = O_IGNORED, .name = "federation"},
    {OPT_TEXT(struct sprio, letters), .name = "format", .letter = 'o', .meta = "FORMAT", .env = "SPRIO_FORMAT", .help = "what to print, as %[[.]width]letter"},
    {.id = O_JOBS, .name = "jobs", .letter = 'j', .arg = OPT_REQUIRED, .meta = "LIST", .help = "these jobs: N, N_k"},
    {OPT_SETS(struct sprio, json), .name = "json", .help = "print JSON"},
    {.id = O_IGNORED, .name = "local"},
    {OPT_SETS(struct sprio, long_form), .name = "long", .letter = 'l', .help = "all factors, users and accounts"},
    {OPT_SETS(struct sprio, no_header), .name = "noheader", .letter = 'h', .help = "no header line"},
    {OPT_SETS(struct sprio, norm), .name = "norm", .letter = 'n', .help = "factors from 0 to 1 instead of points"},
    {OPT_NAMES(struct sprio, filter.partitions), .name = "partition", .letter = 'p', .meta = "LIST", .env = "SPRIO_PARTITION", .help = "in these partitions"},
    {OPT_TEXT(struct sprio, sort), .name = "sort", .letter = 'S', .meta = "KEYS", .env = "SPRIO_SORT", .help = "letters or names of -o, '-' for falling order"},
    {.id = O_USERS, .name = "user", .letter = 'u', .arg = OPT_REQUIRED, .meta = "LIST", .help = "jobs of these users"},
    {.id = O_IGNORED, .name = "verbose", .letter = 'v'},
    {OPT_SETS(struct sprio, weights), .name = "weights", .letter = 'w', .help = "the weights in force"},
    /* clang-format on */
};

static int sprio_set_jobs(struct sprio *s, const char *arg, struct errtext *err)
{
    target_list_fini(&s->filter.targets);
    return targets_add_list(&s->filter.targets, arg, NULL) < 0
               ? err_set(err, -EINVAL, "Invalid job id: %s", arg)
               : 0;
}

static int sprio_set(void *ctx, const struct opt *o, const char *arg, struct errtext *err)
{
    struct sprio *s = ctx;
    switch (o->id) {
    case O_JOBS: return sprio_set_jobs(s, arg, err);
    case O_USERS: filter_set_users(&s->filter, arg, &s->unknown_users); return 0;
    default: return 0;
    }
}

static const struct opts options = OPTS(table, sprio_set);

static void sprio_fini(struct sprio *s)
{
    job_filter_fini(&s->filter);
    strv_fini(&s->unknown_users);
    free(s->letters);
    free(s->sort);
}

/* --- printing --- */

/* Factors that weigh nothing have no column, but in the long form. */
static char *sprio_usual_format(const struct sprio *s, const struct priority_spec *w)
{
    if (s->long_form)
        return xstrdup(s->norm ? FORMAT_LONG_NORM : FORMAT_LONG);
    struct str f = STR_INIT;
    str_append(&f, "%.15i %9r ");
    if (s->by_user)
        str_append(&f, "%.8u ");
    str_append(&f, s->norm ? "%.10y %.10S" : "%.10Y %.10S");
    const struct {
        uint32_t weight;
        const char *points, *norm;
    } factors[] = {
        {w->weight_age, " %.10A", " %.10a"},
        {w->weight_fairshare, " %.10F", " %.10f"},
        {w->weight_job_size, " %.10J", " %.10j"},
        {w->weight_partition, " %.10P", " %.10p"},
        {w->weight_qos, " %.10Q", " %.10q"},
        {w->weight_cpu | w->weight_mem | w->weight_gpu, " %.20T", " %.20t"},
    };
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++)
        if (factors[i].weight)
            str_append(&f, s->norm ? factors[i].norm : factors[i].points);
    return str_take(&f);
}

struct sprio_lines {
    VEC(const struct prio_row *) v;
};

static int sort_lines(const struct sprio *s, const struct cli *cli, struct sprio_lines *l,
                      const struct sprio_cx *cx)
{
    struct sorting by = {.items = VEC_INIT};
    struct errtext err = {0};
    int rc = s->sort ? sorting_parse(&by, &columns, s->sort, &err) : 0;
    if (rc < 0)
        cli_error(cli, "Invalid sort specification: %s", err.s);
    else if (s->sort && l->v.n)
        sorting_apply(&by, (const void **)(void *)l->v.v, l->v.n, cx);
    sorting_fini(&by);
    return rc < 0;
}

static void print_lines(const struct sprio *s, const struct cli *cli, const struct sprio_lines *l,
                        const struct priority_spec *w, const struct sprio_cx *cx)
{
    struct format f = {.items = VEC_INIT};
    struct strv unknown = {0};
    struct str out = STR_INIT;
    char *usual = sprio_usual_format(s, w);
    format_parse_letters(&f, &columns, s->letters ? s->letters : usual, &unknown);
    for (size_t i = 0; i < unknown.n; i++)
        cli_error(cli, "Invalid job format specification: %s", unknown.v[i]);
    if (!s->no_header) {
        format_header(&out, &f);
        str_append_char(&out, '\n');
    }
    vec_for_each (&l->v, i) {
        format_row(&out, &f, l->v.v[i], cx);
        str_append_char(&out, '\n');
    }
    out_flush(&out);
    str_fini(&out);
    strv_fini(&unknown);
    format_fini(&f);
    free(usual);
}

static void sprio_print_json(const struct sprio_lines *l, const struct priority_spec *w)
{
    struct str out = STR_INIT;
    json_begin_document(&out, 1);
    json_key(&out, "weights");
    rec_to_json(&priority_spec_rec, w, &out);
    json_begin_array(&out, "jobs");
    vec_for_each (&l->v, i)
        rec_to_json(&prio_row_rec, l->v.v[i], &out);
    json_end_array(&out);
    json_end_document(&out);
    out_flush(&out);
    str_fini(&out);
}

static void print_weights(const struct sprio *s, const struct cli *cli, const struct priority_spec *w,
                          const struct sprio_cx *cx)
{
    struct prio_row row = {0};
    struct sprio_lines l = {.v = VEC_INIT};
#define X(factor, weight) row.parts.factor##_points = w->weight;
    PRIO_FACTORS(X)
#undef X
    vec_push(&l.v, &row);
    print_lines(s, cli, &l, w, cx);
    vec_fini(&l.v);
}

/* --- asking --- */

static void move_rows(struct msg_prio_rows *all, struct msg_prio_rows *piece)
{
    for (size_t i = 0; i < piece->rows.n; i++) {
        *rec_list_push(&all->rows) = piece->rows.v[i];
        piece->rows.v[i] = (struct prio_row){0};
    }
    all->weights = piece->weights;
    all->more = piece->more;
    all->after = piece->after;
}

static int sprio_ask_rows(const struct sprio *s, const struct cli *cli, struct client *c,
                          struct msg_prio_rows *all)
{
    struct msg_prio m = {.users = s->filter.users, .partitions = s->filter.partitions};
    struct errtext err = {0};
    m.jobs.v = s->filter.targets.list.v;
    m.jobs.n = s->filter.targets.list.n;
    do {
        enum refusal refusal = REFUSAL_NONE;
        struct msg_prio_rows *piece = ask_call(c, MSG_PRIO, &m, MSG_PRIO_ROWS, &refusal, &err);
        if (!piece) {
            cli_error(cli, "Couldn't get priority factors from controller: %s",
                      *err.s ? err.s : SLURM_TIMEOUT);
            return 1;
        }
        move_rows(all, piece);
        msg_free(MSG_PRIO_ROWS, piece);
        m.after = all->after;
    } while (all->more && !s->weights);
    return 0;
}

static int sprio_show(const struct sprio *s, const struct cli *cli, struct client *c)
{
    struct msg_prio_rows all = {0};
    struct sprio_cx cx = {.cluster = client_welcome(c)->name};
    struct sprio_lines l = {.v = VEC_INIT};
    bool chosen = s->filter.targets.list.n || s->by_user || s->filter.partitions.n;
    /* Unknown users have no jobs; without any list all users would be meant. */
    bool no_user = s->filter.by_user && !s->filter.users.n;
    int rc = sprio_ask_rows(s, cli, c, &all);
    for (size_t i = 0; rc == 0 && !no_user && i < all.rows.n; i++)
        vec_push(&l.v, &all.rows.v[i]);
    rc = rc ? rc : sort_lines(s, cli, &l, &cx);
    if (rc == 0 && s->weights)
        print_weights(s, cli, &all.weights, &cx);
    else if (rc == 0 && s->json)
        sprio_print_json(&l, &all.weights);
    else if (rc == 0 && chosen && !l.v.n)
        puts("Unable to find jobs matching user/id(s) specified");
    else if (rc == 0)
        print_lines(s, cli, &l, &all.weights, &cx);
    vec_fini(&l.v);
    rec_fini(&msg_prio_rows_rec, &all);
    return rc;
}

static int sprio_run(struct cli *cli, int argc, char **argv)
{
    struct sprio s = {.filter = {.states = 0}};
    struct strv env = cli_environ(), operands = {0};
    struct errtext err = {0};
    const char *away = NULL;
    int rc = 0;
    bool go = cli_parsed(cli, opt_env(&options, &s, &env, "SPRIO_", &err), &err, &rc) &&
              cli_parse(cli, &s, argc, argv, 0, &operands, &rc);
    filter_name_uids(&s.filter);
    s.by_user = s.filter.by_user;
    if (go && operands.n) {
        cli_error(cli, "Unrecognized option: %s", operands.v[0]);
        rc = 1;
    }
    for (size_t i = 0; i < s.unknown_users.n; i++)
        cli_error(cli, "Invalid user: %s", s.unknown_users.v[i]);
    if (go && rc == 0) {
        struct client *c = ask_connect_slurm(cli, &away);
        if (c)
            rc = sprio_show(&s, cli, c);
        else
            cli_error(cli, "%s", away);
        rc = c ? rc : 1;
        client_free(c);
    }
    strv_fini(&operands);
    strv_fini(&env);
    sprio_fini(&s);
    return rc;
}

const struct command cmd_sprio = {
    .name = "sprio",
    .summary = N_("Show what the priorities of waiting jobs are made of"),
    .usage = "[OPTIONS]",
    .options = &options,
    .slurm = true,
    .run = sprio_run,
};
