/* sacct.c - what jobs and their steps have used: those that are over as well.
 *
 * Texts, defaults and exit codes are those of sacct(1); scripts parse them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/cli/accounting/acctfields.h"
#include "src/cli/accounting/acctsizes.h"
#include "src/cli/accounting/acctsource.h"
#include "src/cli/accounting/acctvalues.h"
#include "src/cli/listing/jobjson.h"
#include "src/lang/lang.h"
#include "src/model/model.h"
#include "src/model/stepstate.h"
#include "src/os/clock.h"
#include "src/values/time_parse.h"

#define FORMAT_DEFAULT    "jobid,jobname,partition,account,alloccpus,state,exitcode"
#define FORMAT_COMPLETION "jobid,uid,jobname,partition,nnodes,nodelist,state,start,end,timelimit"
#define FORMAT_BRIEF      "jobid,state,exitcode"
#define FORMAT_LONG                                                                                          \
    "jobid,jobidraw,jobname,partition,maxvmsize,maxvmsizenode,maxvmsizetask,avevmsize,maxrss,maxrssnode,"    \
    "maxrsstask,averss,maxpages,maxpagesnode,maxpagestask,avepages,mincpu,mincpunode,mincputask,avecpu,"     \
    "ntasks,alloccpus,elapsed,state,exitcode,avecpufreq,reqcpufreqmin,reqcpufreqmax,reqcpufreqgov,reqmem,"   \
    "consumedenergy,maxdiskread,maxdiskreadnode,maxdiskreadtask,avediskread,maxdiskwrite,maxdiskwritenode,"  \
    "maxdiskwritetask,avediskwrite,reqtres,alloctres,tresusageinave,tresusageinmax,tresusageinmaxn,"         \
    "tresusageinmaxt,tresusageinmin,tresusageinminn,tresusageinmint,tresusageintot,tresusageoutmax,"         \
    "tresusageoutmaxn,tresusageoutmaxt,tresusageoutave,tresusageouttot"
#define FLUSH_SIZE (1u << 20)
#define SCRIPT_RULE \
    "--------------------------------------------------------------------------------"

struct script_asked {
    uint32_t job;
    char *text; /* the job's id as rows have it */
};

struct sacct {
    struct acct_query q;
    struct acct_sizes sizes;
    struct acct_format format;
    struct acct_cx cx;
    char *fields, *delimiter, *cluster;
    struct strv unknown_users;
    struct errtext fatal; /* sacct says "fatal" where others say "error" */
    bool completion, all_users, allocations, no_header, json, help_format, parsable, parsable2;
    bool truncate, since_given, until_given;
    char units;
    size_t n; /* jobs printed */
    bool scripts;
    VEC(struct script_asked) asked; /* -B: whose scripts are printed instead of rows */
};

enum {
    O_ACCOUNTS = 1,
    O_BRIEF,
    O_CLUSTERS,
    O_ASSOCIATIONS,
    O_END,
    O_GROUPS,
    O_IGNORED,
    O_JOBS,
    O_LONG,
    O_NAMES,
    O_NODES,
    O_NNODES,
    O_NCPUS,
    O_LIMIT_MIN,
    O_LIMIT_MAX,
    O_PARTITIONS,
    O_QOS,
    O_START,
    O_STATES,
    O_UNITS,
    O_USERS,
    O_WCKEYS,
};

static const struct opt table[] = {
    /* clang-format off */
    {.id = O_ACCOUNTS, .name = "accounts", .letter = 'A', .arg = OPT_REQUIRED, .meta = "LIST", .help = "jobs of these accounts"},
    {.id = O_ACCOUNTS, .name = "account", .arg = OPT_REQUIRED},
    {.id = O_CLUSTERS, .name = "allclusters", .letter = 'L', .help = "of all clusters: there is one"},
    {OPT_SETS(struct sacct, allocations), .name = "allocations", .letter = 'X', .help = "jobs alone, not their steps"},
    {OPT_SETS(struct sacct, all_users), .name = "allusers", .letter = 'a', .help = "jobs of all users"},
    {.id = O_IGNORED, .name = "array", .help = "one line for each element of an array: elements that ran have their own"},
    {OPT_SETS(struct sacct, scripts), .name = "batch-script", .letter = 'B', .help = "the scripts of the jobs instead of rows: one's own"},
    {.id = O_BRIEF, .name = "brief", .letter = 'b', .help = "id, state and exit code"},
    {.id = O_ASSOCIATIONS, .name = "associations", .letter = 'x', .arg = OPT_REQUIRED, .meta = "LIST", .help = "jobs of these associations: their ids, as sacctmgr show associations format=id has them"},
    {OPT_SETS(struct sacct, completion), .name = "completion", .letter = 'c', .help = "ended jobs alone, with other columns and without steps"},
    {.id = O_CLUSTERS, .name = "clusters", .letter = 'M', .arg = OPT_REQUIRED, .meta = "NAME", .env = "SLURM_CLUSTERS", .help = "of this cluster: there is one"},
    {.id = O_CLUSTERS, .name = "cluster", .arg = OPT_REQUIRED},
    {OPT_TEXT(struct sacct, delimiter), .name = "delimiter", .meta = "TEXT", .help = "between the fields of -p and -P"},
    {OPT_SETS(struct sacct, q.duplicates), .name = "duplicates", .letter = 'D', .help = "every run of a job that was queued again (the last one)"},
    {.id = O_END, .name = "endtime", .letter = 'E', .arg = OPT_REQUIRED, .meta = "TIME", .help = "jobs that were there before (now)"},
    {.id = O_IGNORED, .name = "federation"},
    {OPT_TEXT(struct sacct, fields), .name = "format", .letter = 'o', .meta = "FIELDS", .env = "SACCT_FORMAT", .help = "what to print: name[%[-]width],..."},
    {.id = O_GROUPS, .name = "gid", .letter = 'g', .arg = OPT_REQUIRED, .meta = "LIST", .help = "jobs of these groups"},
    {.id = O_GROUPS, .name = "group", .arg = OPT_REQUIRED},
    {OPT_SETS(struct sacct, help_format), .name = "helpformat", .letter = 'e', .help = "list the fields"},
    {.id = O_JOBS, .name = "jobs", .letter = 'j', .arg = OPT_REQUIRED, .meta = "LIST", .help = "these jobs: N, N_k, N.step"},
    {OPT_SETS(struct sacct, json), .name = "json", .arg = OPT_OPTIONAL, .meta = "FORM", .help = "print JSON"},
    {.id = O_IGNORED, .name = "local"},
    {.id = O_LONG, .name = "long", .letter = 'l', .help = "many fields"},
    {.id = O_NAMES, .name = "name", .arg = OPT_REQUIRED, .meta = "LIST", .help = "jobs of these names"},
    {.id = O_IGNORED, .name = "noconvert", .help = "keep units as they are"},
    {.id = O_NCPUS, .name = "ncpus", .letter = 'I', .arg = OPT_REQUIRED, .meta = "MIN[-MAX]", .help = "jobs with MIN to MAX CPUs"},
    {.id = O_NNODES, .name = "nnodes", .letter = 'i', .arg = OPT_REQUIRED, .meta = "MIN[-MAX]", .help = "jobs on MIN to MAX nodes"},
    {.id = O_NODES, .name = "nodelist", .letter = 'N', .arg = OPT_REQUIRED, .meta = "NODES", .help = "jobs that ran on these nodes"},
    {OPT_SETS(struct sacct, no_header), .name = "noheader", .letter = 'n', .help = "no header"},
    {OPT_SETS(struct sacct, parsable), .name = "parsable", .letter = 'p', .help = "fields with '|' behind each"},
    {OPT_SETS(struct sacct, parsable2), .name = "parsable2", .letter = 'P', .help = "fields with '|' between them"},
    {.id = O_PARTITIONS, .name = "partition", .letter = 'r', .arg = OPT_REQUIRED, .meta = "LIST", .help = "jobs of these partitions"},
    {.id = O_QOS, .name = "qos", .letter = 'q', .arg = OPT_REQUIRED, .meta = "LIST", .help = "jobs of these QOS"},
    {.id = O_START, .name = "starttime", .letter = 'S', .arg = OPT_REQUIRED, .meta = "TIME", .help = "jobs that were there after (today 0:00)"},
    {.id = O_STATES, .name = "state", .letter = 's', .arg = OPT_REQUIRED, .meta = "LIST", .help = "jobs that were in these states then"},
    {.id = O_LIMIT_MAX, .name = "timelimit-max", .letter = 'K', .arg = OPT_REQUIRED, .meta = "LIMIT", .help = "with -k: no longer time limit than this"},
    {.id = O_LIMIT_MIN, .name = "timelimit-min", .letter = 'k', .arg = OPT_REQUIRED, .meta = "LIMIT", .help = "jobs with this time limit; with -K at least this"},
    {OPT_SETS(struct sacct, truncate), .name = "truncate", .letter = 'T', .help = "times cut to the range asked for"},
    {.id = O_UNITS, .name = "units", .arg = OPT_REQUIRED, .meta = "KMGTP", .help = "sizes in this unit"},
    {.id = O_IGNORED, .name = "use-local-uid"},
    {.id = O_USERS, .name = "user", .letter = 'u', .arg = OPT_REQUIRED, .meta = "LIST", .help = "jobs of these users (mine)"},
    {.id = O_USERS, .name = "uid", .arg = OPT_REQUIRED},
    {.id = O_IGNORED, .name = "verbose", .letter = 'v', .help = "say more"},
    {.id = O_WCKEYS, .name = "wckeys", .letter = 'W', .arg = OPT_REQUIRED, .meta = "LIST", .help = "jobs of these keys"},
    {OPT_SETS(struct sacct, json), .name = "yaml", .arg = OPT_OPTIONAL},
    /* clang-format on */
};

/* What sacct calls so; it is said once the whole line is read. */
static int fatal(struct sacct *s, int r, const struct errtext *err)
{
    if (r < 0)
        s->fatal = *err;
    return 0;
}

static int64_t this_second(void)
{
    return wall_read().ms / MS_PER_S;
}

static int sacct_set_time(struct wall *at, bool *given, const char *arg, struct errtext *err)
{
    struct wall now = {.ms = this_second() * MS_PER_S};
    if (wall_parse_past(arg, now, at, NULL) < 0)
        return err_set(err, -EINVAL, "Invalid time specification (pos=0): %s", arg);
    *given = true;
    return 0;
}

/* The whole of that second. */
static int set_end(struct sacct *s, const char *arg, struct errtext *err)
{
    int r = sacct_set_time(&s->q.until, &s->until_given, arg, err);
    s->q.until.ms += MS_PER_S - 1;
    return r;
}

static int set_units(struct sacct *s, const char *arg, struct errtext *err)
{
    if (strlen(arg) != 1 || !strchr("KMGTP", arg[0]))
        return fatal(s, err_set(err, -EINVAL, "Invalid unit type"), err);
    s->units = arg[0];
    return 0;
}

/* Names and numbers; sacct takes what --json=... of later releases may say. */
static int sacct_set_filter(struct sacct *s, int id, const char *arg, struct errtext *err)
{
    struct job_filter *f = &s->q.filter;
    switch (id) {
    case O_ACCOUNTS: filter_set_list(&f->accounts, arg); break;
    case O_JOBS:
        if (targets_add_list(&f->targets, arg, NULL) < 0)
            err_set(&s->fatal, 0, "Bad job/step specified: %s", arg);
        break;
    case O_NAMES: filter_set_list(&f->names, arg); break;
    case O_NODES: return filter_set_nodes(f, arg, err);
    case O_PARTITIONS: filter_set_list(&f->partitions, arg); break;
    case O_QOS: filter_set_list(&f->qos, arg); break;
    case O_STATES:
        if (filter_parse_states(arg, &s->q.states, NULL) < 0)
            err_set(&s->fatal, 0, "unrecognized job state value '%s'", arg);
        break;
    case O_USERS: filter_set_users(f, arg, &s->unknown_users); break;
    case O_WCKEYS: filter_set_list(&f->wckeys, arg); break;
    case O_GROUPS: return acct_sizes_set_groups(&s->sizes, arg, err);
    default: break;
    }
    return 0;
}

static int sacct_set_option(void *ctx, const struct opt *o, const char *arg, struct errtext *err)
{
    struct sacct *s = ctx;
    switch (o->id) {
    case O_BRIEF: xstrset(&s->fields, FORMAT_BRIEF); break;
    case O_ASSOCIATIONS: return acct_sizes_set_assocs(&s->sizes, arg, err);
    case O_NNODES: return acct_sizes_set_range(&s->sizes.nodes_min, &s->sizes.nodes_max, "node", arg, err);
    case O_NCPUS: return acct_sizes_set_range(&s->sizes.cpus_min, &s->sizes.cpus_max, "cpu", arg, err);
    case O_LIMIT_MIN: return fatal(s, acct_sizes_set_limit(&s->sizes.limit_min_s, arg, err), err);
    case O_LIMIT_MAX: return fatal(s, acct_sizes_set_limit(&s->sizes.limit_max_s, arg, err), err);
    case O_CLUSTERS: xstrset(&s->cluster, arg); break;
    case O_END: return set_end(s, arg, err);
    case O_LONG: xstrset(&s->fields, FORMAT_LONG); break;
    case O_START: return sacct_set_time(&s->q.since, &s->since_given, arg, err);
    case O_UNITS: return set_units(s, arg, err);
    default: return sacct_set_filter(s, o->id, arg, err);
    }
    return 0;
}

static const struct opts options = OPTS(table, sacct_set_option);

/* --- what is meant where nothing is said --- */

static struct wall today(void)
{
    time_t now = this_second();
    struct tm tm = {0};
    localtime_r(&now, &tm);
    tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
    tm.tm_isdst = -1;
    return (struct wall){.ms = (int64_t)mktime(&tm) * MS_PER_S};
}

/* Source: sacct(1), DEFAULT TIME WINDOW. */
static void set_window(struct sacct *s)
{
    struct wall now = {.ms = this_second() * MS_PER_S + 999};
    bool ids = s->q.filter.targets.list.n > 0;
    if (!s->until_given)
        s->q.until = ids && !s->since_given ? (struct wall){0} : now;
    if (s->since_given || ids)
        return;
    /* states alone: what is so now */
    s->q.since = s->q.states ? (s->until_given ? s->q.until : now) : today();
    if (s->until_given && s->q.since.ms > s->q.until.ms)
        s->q.since = s->q.until;
}

static int set_defaults(struct sacct *s, const struct cli *cli)
{
    struct errtext err = {0};
    for (size_t i = 0; i < s->unknown_users.n; i++)
        cli_error(cli, "Invalid user id: %s", s->unknown_users.v[i]);
    if (s->unknown_users.n)
        return 1;
    if (s->all_users) {
        s->q.filter.by_user = false;
        strv_fini(&s->q.filter.users);
        s->q.filter.users = (struct strv){0};
    } else if (!s->q.filter.by_user && !s->q.filter.targets.list.n && geteuid() != 0) {
        filter_set_user_me(&s->q.filter);
    }
    set_window(s);
    if (wall_is_set(s->q.since) && wall_is_set(s->q.until) && s->q.since.ms > s->q.until.ms) {
        char from[WALL_TEXT_SIZE], to[WALL_TEXT_SIZE];
        cli_error(cli, "Start time (%s) requested is after end time (%s).",
                  wall_format_iso(s->q.since, from), wall_format_iso(s->q.until, to));
        return 1;
    }
    s->format.parsable = s->parsable || s->parsable2;
    s->format.ending = s->parsable && !s->parsable2;
    s->format.delimiter = s->delimiter ? s->delimiter : "|";
    if (s->completion)
        s->allocations = true;
    const char *usual = s->completion ? FORMAT_COMPLETION : FORMAT_DEFAULT;
    if (acct_format_parse(&s->format, s->fields ? s->fields : usual, &err) < 0) {
        cli_error(cli, "%s", err.s);
        return 1;
    }
    return 0;
}

/* --- rows --- */

struct row_cx {
    struct sacct *s;
    struct str *out;
};

static int32_t sacct_step_of(const struct acct_row *r)
{
    return r->kind == ACCT_STEP ? r->step->id : STEP_ALL;
}

/* "-j 12.0" means that step alone. */
static bool sacct_is_wanted(const struct sacct *s, const struct acct_row *r)
{
    const struct target_list *t = &s->q.filter.targets;
    bool any = !t->list.n;
    for (size_t i = 0; i < t->list.n && !any; i++)
        any = job_is_named(r->job, t->list.v[i].job, t->list.v[i].array_index) &&
              (t->list.v[i].step == STEP_ALL ||
               (r->kind == ACCT_STEP && t->list.v[i].step == sacct_step_of(r)));
    return any;
}

static void print_row(void *ctx, const struct acct_row *r)
{
    struct row_cx *x = ctx;
    if (sacct_is_wanted(x->s, r))
        acct_format_row(x->out, &x->s->format, r, &x->s->cx);
}

static void sacct_step_json(void *ctx, const struct acct_row *r)
{
    struct str *out = ((struct row_cx *)ctx)->out;
    struct acct_cx *cx = &((struct row_cx *)ctx)->s->cx;
    if (r->kind == ACCT_JOB)
        return;
    static const struct {
        const char *key, *field;
    } texts[] = {{"id", "JobID"},          {"name", "JobName"},   {"state", "State"},
                 {"nodes", "NodeList"},    {"tres", "AllocTRES"}, {"max_rss", "MaxRSS"},
                 {"total_cpu", "TotalCPU"}};
    json_begin_object(out, NULL);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct str text = STR_INIT;
        acct_field_find(texts[i].field, strlen(texts[i].field))->get(&text, r, cx);
        json_text(out, texts[i].key, text.s);
        str_fini(&text);
    }
    bool step = r->kind == ACCT_STEP;
    json_int(out, "start_time", (step ? r->step->t_start : r->job->t_start).ms / MS_PER_S);
    json_int(out, "end_time", (step ? r->step->t_end : r->job->t_end).ms / MS_PER_S);
    json_int(out, "return_code", step ? step_exit(r->job, r->step).code : 0);
    json_int(out, "signal", step ? r->step->signal : 0);
    json_int(out, "tasks", step ? r->step->n_ranks : job_nodes(r->job));
    json_end_object(out);
}

/* A job of accounting is a job of squeue with its steps. */
static void job_json(struct sacct *s, struct str *out, const struct job *j, const struct model *m)
{
    struct job_row row = {.job = j, .element = ARRAY_NONE};
    struct job_cx cx = job_cx_from_env(m);
    struct row_cx x = {.s = s, .out = out};
    job_json_append(out, &row, &cx);
    str_truncate(out, out->len - 1);
    json_begin_array(out, "steps");
    acct_rows(j, !s->allocations, sacct_step_json, &x);
    json_end_array(out);
    json_end_object(out);
}

/* --- -B --- */

static void note_script(struct sacct *s, const struct job *j)
{
    struct acct_row row = {.kind = ACCT_JOB, .job = j};
    struct str id = STR_INIT;
    acct_value_job_id(&id, &row, &s->cx);
    vec_push(&s->asked, (struct script_asked){.job = j->id, .text = str_take(&id)});
}

static void append_script(struct client *c, const struct script_asked *a, struct str *out)
{
    struct msg_job body = {.target = {.job = a->job, .array_index = ARRAY_NONE, .step = STEP_ALL}};
    enum refusal refusal;
    struct errtext err = {""};
    struct msg_script *m = ask_call(c, MSG_SCRIPT, &body, MSG_SCRIPT_TEXT, &refusal, &err);
    str_appendf(out, "Batch Script for %s\n" SCRIPT_RULE "\n", a->text);
    if (m && m->script.n)
        str_append_n(out, (const char *)m->script.p, m->script.n);
    else
        str_append(out, "NONE\n");
    if (out->len && out->s[out->len - 1] != '\n')
        str_append_char(out, '\n');
    msg_free(MSG_SCRIPT_TEXT, m);
}

static void print_scripts(struct sacct *s, struct client *c)
{
    struct str out = STR_INIT;
    vec_for_each (&s->asked, i) {
        append_script(c, &s->asked.v[i], &out);
        out_flush(&out);
        str_clear(&out);
    }
    str_fini(&out);
}

static void sacct_print_job(void *ctx, struct str *out, const struct job *j, const struct model *m)
{
    struct sacct *s = ctx;
    if (!s->cx.assocs)
        s->cx.assocs = assocs_new(&m->spec);
    if (!acct_sizes_take(&s->sizes, j, m, s->cx.assocs) ||
        (s->completion && !job_state_is_final((enum job_state)j->state)))
        return;
    s->cx.m = m;
    s->cx.now = m->now;
    s->cx.time = timetext_from(getenv("SLURM_TIME_FORMAT"), m->now);
    s->n++;
    if (s->scripts)
        note_script(s, j);
    else if (s->json)
        job_json(s, out, j, m);
    else
        acct_rows(j, !s->allocations, print_row, &(struct row_cx){.s = s, .out = out});
}

/* --- the command --- */

static int sacct_away(const struct cli *cli, int r, const struct errtext *err)
{
    if (r == -EACCES)
        cli_error(cli, "%s", err->s);
    else
        cli_error(cli, "Problem talking to the database: %s",
                  r == -ETIMEDOUT ? "Connection timed out" : "Connection refused");
    return 1;
}

static bool cluster_is_ours(const struct sacct *s, const struct client *c)
{
    return !s->cluster || str_ieq(s->cluster, "all") || str_eq(s->cluster, client_welcome(c)->name);
}

static int sacct_ask(struct sacct *s, const struct cli *cli)
{
    struct errtext err = {0};
    struct client *c;
    struct model m;
    struct str out = STR_INIT, rows = STR_INIT;
    int r = client_connect(cli->name, 0, &c, &err);
    if (r < 0)
        return sacct_away(cli, r, &err);
    s->cx.units = s->units;
    s->cx.truncate = s->truncate;
    s->cx.since = s->q.since;
    s->cx.until = s->q.until;
    model_init(&m);
    if (cluster_is_ours(s, c))
        r = acct_each(c, &s->q, &m, &rows, sacct_print_job, s, &err);
    if (r == 0 && s->scripts) {
        print_scripts(s, c);
    } else if (r == 0) {
        if (s->json)
            job_json_open(&out);
        else if (!s->no_header)
            acct_format_header(&out, &s->format);
        str_append_n(&out, rows.s, rows.len);
        if (s->json)
            job_json_close(&out);
        out_flush(&out);
    }
    str_fini(&rows);
    str_fini(&out);
    assocs_free(s->cx.assocs);
    model_fini(&m);
    client_free(c);
    return r < 0 ? sacct_away(cli, r, &err) : 0;
}

static bool sacct_parse(struct sacct *s, const struct cli *cli, int argc, char **argv, int *ret_exit)
{
    struct strv env = cli_environ(), operands = {0};
    struct errtext err = {0};
    bool go = cli_parsed(cli, opt_env(&options, s, &env, "SACCT_ SLURM_", &err), &err, ret_exit) &&
              cli_parse(cli, s, argc, argv, 0, &operands, ret_exit);
    if (go && s->fatal.s[0]) {
        cli_say(cli, "fatal: %s", s->fatal.s);
        *ret_exit = 1;
        go = false;
    }
    strv_fini(&operands);
    strv_fini(&env);
    return go;
}

static int sacct_run(struct cli *cli, int argc, char **argv)
{
    struct sacct s = {.q.filter.uids = VEC_INIT, .format.items = VEC_INIT, .asked = VEC_INIT};
    acct_sizes_init(&s.sizes);
    int rc = 0;
    if (sacct_parse(&s, cli, argc, argv, &rc)) {
        if (s.help_format || (s.fields && str_ieq(s.fields, "help"))) {
            struct str out = STR_INIT;
            acct_fields_list(&out);
            out_flush(&out);
            str_fini(&out);
        } else {
            rc = set_defaults(&s, cli);
            rc = rc ? rc : sacct_ask(&s, cli);
        }
    }
    job_filter_fini(&s.q.filter);
    acct_format_fini(&s.format);
    acct_sizes_fini(&s.sizes);
    vec_for_each (&s.asked, i)
        free(s.asked.v[i].text);
    vec_fini(&s.asked);
    strv_fini(&s.unknown_users);
    free(s.fields);
    free(s.delimiter);
    free(s.cluster);
    return rc;
}

const struct command cmd_sacct = {
    .name = "sacct",
    .summary = N_("Show what jobs and steps have used, ended ones too"),
    .usage = "[OPTIONS]",
    .options = &options,
    .slurm = true,
    .run = sacct_run,
};
