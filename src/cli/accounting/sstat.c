/* sstat.c - what running steps use now: measured on their nodes, by the agents. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/cli/accounting/acctfields.h"
#include "src/cli/ask.h"
#include "src/jobspec/jobtargets.h"
#include "src/lang/lang.h"
#include "src/model/model.h"
#include "src/os/clock.h"

#define FORMAT_DEFAULT                                                                                       \
    "jobid,maxvmsize,maxvmsizenode,maxvmsizetask,avevmsize,maxrss,maxrssnode,maxrsstask,averss,maxpages,"    \
    "maxpagesnode,maxpagestask,avepages,mincpu,mincpunode,mincputask,avecpu,ntasks,avecpufreq,"              \
    "reqcpufreqmin,reqcpufreqmax,reqcpufreqgov,consumedenergy,maxdiskread,maxdiskreadnode,maxdiskreadtask,"  \
    "avediskread,maxdiskwrite,maxdiskwritenode,maxdiskwritetask,avediskwrite,tresusageinave,tresusageinmax," \
    "tresusageintot"
#define FORMAT_PIDS "jobid,nodes,pids"
#define WAIT_MS     2500 /* for the nodes to measure */

struct sstat {
    struct target_list targets;
    struct acct_format format;
    char *fields, *delimiter;
    bool all_steps, no_header, parsable, parsable2, help_format;
};

enum { O_IGNORED = 1, O_JOBS, O_PIDS };

static const struct opt table[] = {
    /* clang-format off */
    {OPT_SETS(struct sstat, all_steps), .name = "allsteps", .letter = 'a', .help = "all running steps, the batch script too"},
    {OPT_TEXT(struct sstat, delimiter), .name = "delimiter", .meta = "TEXT", .help = "between the fields of -p and -P"},
    {OPT_TEXT(struct sstat, fields), .name = "format", .letter = 'o', .meta = "FIELDS", .help = "what to print: name[%[-]width],..."},
    {OPT_TEXT(struct sstat, fields), .name = "fields"},
    {OPT_SETS(struct sstat, help_format), .name = "helpformat", .letter = 'e', .help = "list the fields"},
    {.id = O_JOBS, .name = "jobs", .letter = 'j', .arg = OPT_REQUIRED, .meta = "LIST", .help = "these jobs or steps: N, N.step"},
    {.id = O_IGNORED, .name = "noconvert"},
    {OPT_SETS(struct sstat, no_header), .name = "noheader", .letter = 'n', .help = "no header"},
    {OPT_SETS(struct sstat, parsable), .name = "parsable", .letter = 'p', .help = "fields with '|' behind each"},
    {OPT_SETS(struct sstat, parsable2), .name = "parsable2", .letter = 'P', .help = "fields with '|' between them"},
    {.id = O_PIDS, .name = "pidformat", .letter = 'i', .help = "nodes and processes alone"},
    {.id = O_IGNORED, .name = "verbose", .letter = 'v', .help = "say more"},
    /* clang-format on */
};

static int sstat_set_option(void *ctx, const struct opt *o, const char *arg, struct errtext *err)
{
    struct sstat *s = ctx;
    switch (o->id) {
    case O_JOBS:
        return targets_add_list(&s->targets, arg, NULL) < 0
                   ? err_set(err, -EINVAL, "Bad job/step specified: %s", arg)
                   : 0;
    case O_PIDS: xstrset(&s->fields, FORMAT_PIDS); break;
    default: break;
    }
    return 0;
}

static const struct opts options = OPTS(table, sstat_set_option);

/* Those of a step. */
static void list_fields(struct str *out)
{
    static const char *const names[] = {
        "AveCPU",
        "AveCPUFreq",
        "AveDiskRead",
        "AveDiskWrite",
        "AvePages",
        "AveRSS",
        "AveVMSize",
        "ConsumedEnergy",
        "ConsumedEnergyRaw",
        "JobID",
        "MaxDiskRead",
        "MaxDiskReadNode",
        "MaxDiskReadTask",
        "MaxDiskWrite",
        "MaxDiskWriteNode",
        "MaxDiskWriteTask",
        "MaxPages",
        "MaxPagesNode",
        "MaxPagesTask",
        "MaxRSS",
        "MaxRSSNode",
        "MaxRSSTask",
        "MaxVMSize",
        "MaxVMSizeNode",
        "MaxVMSizeTask",
        "MinCPU",
        "MinCPUNode",
        "MinCPUTask",
        "Nodelist",
        "NTasks",
        "Pids",
        "ReqCPUFreq",
        "ReqCPUFreqMin",
        "ReqCPUFreqMax",
        "ReqCPUFreqGov",
        "TRESUsageInAve",
        "TRESUsageInMax",
        "TRESUsageInMaxNode",
        "TRESUsageInMaxTask",
        "TRESUsageInMin",
        "TRESUsageInMinNode",
        "TRESUsageInMinTask",
        "TRESUsageInTot",
        "TRESUsageOutAve",
        "TRESUsageOutMax",
        "TRESUsageOutMaxNode",
        "TRESUsageOutMaxTask",
        "TRESUsageOutMin",
        "TRESUsageOutMinNode",
        "TRESUsageOutMinTask",
        "TRESUsageOutTot",
    };
    size_t n = sizeof names / sizeof names[0];
    for (size_t i = 0; i < n; i++)
        str_appendf(out, "%-19s%s", names[i], i % 4 == 3 || i + 1 == n ? "\n" : " ");
}

/* --- what is measured --- */

struct measured { /* of one task */
    struct launch_key key;
    char *node;
    uint64_t rss_kib, cpu_ms;
};

struct measures {
    VEC(struct measured) tasks;
    struct strv nodes; /* that have spoken */
};

static void measures_fini(struct measures *m)
{
    vec_for_each (&m->tasks, i)
        free(m->tasks.v[i].node);
    vec_fini(&m->tasks);
    strv_fini(&m->nodes);
}

static void sstat_take(struct measures *m, const struct msg_util *u)
{
    if (!u->node || strv_has(&m->nodes, u->node))
        return;
    strv_push(&m->nodes, u->node);
    for (size_t i = 0; i < u->tasks.n; i++) {
        const struct task_util *t = &u->tasks.v[i];
        struct measured row = {
            .key = t->key, .node = xstrdup(u->node), .rss_kib = t->rss_kib, .cpu_ms = t->cpu_ms};
        vec_push(&m->tasks, row);
    }
}

static bool sstat_is_named(const struct sstat *s, const struct job *j, int32_t step)
{
    for (size_t i = 0; i < s->targets.list.n; i++)
        if (job_is_named(j, s->targets.list.v[i].job, s->targets.list.v[i].array_index) &&
            (s->targets.list.v[i].step == STEP_ALL || s->targets.list.v[i].step == step))
            return true;
    return false;
}

/* Nodes on which something runs that is asked for and that have not spoken yet. */
static bool sstat_lacks_nodes(const struct sstat *s, const struct model *m, const struct measures *got)
{
    list_for_each (j, &m->all, struct job, in_all)
        for (size_t i = 0; i < j->steps.n; i++)
            for (size_t k = 0; k < j->steps.v[i].tasks.n; k++) {
                const struct task *t = &j->steps.v[i].tasks.v[k];
                if (t->state == TASK_RUNNING && sstat_is_named(s, j, j->steps.v[i].id) &&
                    !strv_has(&got->nodes, t->alloc.node))
                    return true;
            }
    return false;
}

static void sstat_measure(const struct sstat *s, struct client *c, const struct model *m,
                          struct measures *ret)
{
    struct msg_watch_util on = {.on = true};
    int64_t deadline = mono_ms() + WAIT_MS;
    if (!sstat_lacks_nodes(s, m, ret) || client_send(c, MSG_WATCH_UTIL, &on, NULL, NULL) < 0)
        return;
    while (sstat_lacks_nodes(s, m, ret) && mono_ms() < deadline) {
        struct incoming in;
        int r = client_next(c, (int)(deadline - mono_ms()), &in, NULL);
        if (r < 0)
            return;
        if (r == 0)
            continue;
        if (in.kind == MSG_UTIL)
            sstat_take(ret, in.body);
        msg_free(in.kind, in.body);
    }
}

static struct acct_live live_of(const struct measures *m, const struct job *j, const struct step *st)
{
    struct acct_live live = {0};
    uint64_t largest = 0;
    vec_for_each (&m->tasks, i) {
        const struct measured *t = &m->tasks.v[i];
        if (t->key.job != j->id || t->key.step != st->id)
            continue;
        live.known = true;
        live.rss_kib += t->rss_kib;
        live.cpu_ms += t->cpu_ms;
        if (t->rss_kib >= largest) {
            largest = t->rss_kib;
            live.node = t->node;
        }
    }
    return live;
}

/* --- rows --- */

/* Without -a: the first step of the job that srun has started, as Slurm does it; with a step's name
 * that. */
static bool sstat_is_wanted(const struct sstat *s, const struct job *j, const struct step *st, bool any)
{
    if (st->done || !st->tasks.n || !sstat_is_named(s, j, st->id))
        return false;
    for (size_t i = 0; i < s->targets.list.n; i++)
        if (s->targets.list.v[i].step == st->id &&
            job_is_named(j, s->targets.list.v[i].job, s->targets.list.v[i].array_index))
            return true;
    return s->all_steps || (st->id >= 0 && !any);
}

static size_t sstat_print_job(const struct sstat *s, const struct job *j, const struct measures *got,
                              const struct acct_cx *cx, struct str *out)
{
    size_t n = 0;
    for (size_t i = 0; i < j->steps.n; i++) {
        const struct step *st = &j->steps.v[i];
        if (!sstat_is_wanted(s, j, st, n > 0))
            continue;
        struct acct_live live = live_of(got, j, st);
        struct acct_row row = {.kind = ACCT_STEP, .job = j, .step = st, .live = &live};
        acct_format_row(out, &s->format, &row, cx);
        n++;
    }
    return n;
}

static int sstat_print(const struct sstat *s, const struct cli *cli, const struct model *m,
                       const struct measures *got)
{
    struct str out = STR_INIT;
    struct acct_cx cx = {.m = m, .now = m->now, .time = timetext_from(getenv("SLURM_TIME_FORMAT"), m->now)};
    int rc = 0;
    if (!s->no_header)
        acct_format_header(&out, &s->format);
    for (size_t i = 0; i < s->targets.list.n; i++) {
        const struct job_target *t = &s->targets.list.v[i];
        size_t n = 0;
        list_for_each (j, &m->all, struct job, in_all)
            if (job_is_named(j, t->job, t->array_index))
                n += sstat_print_job(s, j, got, &cx, &out);
        if (!n) {
            cli_error(cli, "No steps running for job %u", t->job); /* and no failure */
        }
    }
    out_flush(&out);
    str_fini(&out);
    return rc;
}

static int sstat_ask(const struct sstat *s, const struct cli *cli)
{
    const char *away = NULL;
    struct client *c = ask_connect_slurm(cli, &away);
    struct msg_get get = {.what = GET_SPEC | GET_JOBS};
    struct measures got = {.tasks = VEC_INIT};
    struct model m;
    int rc = 1;
    for (size_t i = 0; i < s->targets.list.n && i < GET_NAMES_MAX; i++)
        *rec_list_push(&get.jobs) = s->targets.list.v[i];
    model_init(&m);
    if (!c || client_fetch(c, &get, &m, NULL) < 0) {
        cli_error(cli, "slurm_job_step_stat: %s", c ? SLURM_TIMEOUT : away);
    } else {
        sstat_measure(s, c, &m, &got);
        rc = sstat_print(s, cli, &m, &got);
    }
    measures_fini(&got);
    model_fini(&m);
    rec_fini(&msg_get_rec, &get);
    client_free(c);
    return rc;
}

static int sstat_prepare(struct sstat *s, const struct cli *cli)
{
    struct errtext err = {0};
    s->format.parsable = s->parsable || s->parsable2;
    s->format.ending = s->parsable && !s->parsable2;
    s->format.delimiter = s->delimiter ? s->delimiter : "|";
    if (!s->targets.list.n)
        cli_error(cli, "You didn't give me any jobs to stat.");
    else if (acct_format_parse(&s->format, s->fields ? s->fields : FORMAT_DEFAULT, &err) < 0)
        cli_error(cli, "%s", err.s);
    else
        return 0;
    return 1;
}

static int sstat_run(struct cli *cli, int argc, char **argv)
{
    struct sstat s = {.format.items = VEC_INIT};
    struct strv operands = {0};
    struct errtext err = {0};
    int rc = 0;
    if (cli_parse(cli, &s, argc, argv, 0, &operands, &rc)) {
        for (size_t i = 0; i < operands.n && rc == 0; i++)
            if (targets_add_list(&s.targets, operands.v[i], &err) < 0) {
                cli_error(cli, "%s", err.s);
                rc = 1;
            }
        if (s.help_format) {
            struct str out = STR_INIT;
            list_fields(&out);
            out_flush(&out);
            str_fini(&out);
        } else {
            rc = rc ? rc : sstat_prepare(&s, cli);
            rc = rc ? rc : sstat_ask(&s, cli);
        }
    }
    strv_fini(&operands);
    target_list_fini(&s.targets);
    acct_format_fini(&s.format);
    free(s.fields);
    free(s.delimiter);
    return rc;
}

const struct command cmd_sstat = {
    .name = "sstat",
    .summary = N_("Show what running steps use"),
    .usage = "[OPTIONS] [JOB[.STEP]...]",
    .options = &options,
    .slurm = true,
    .run = sstat_run,
};
