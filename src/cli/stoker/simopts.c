/* simopts.c - the options of stoker sim. */
#include "src/cli/stoker/simopts.h"

#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/values/units.h"

enum { O_JOBS = 1, O_SEED };

static const struct opt table[] = {
    {OPT_TEXT(struct sim_options, config), .name = "config", .letter = 'c', .meta = "FILE",
     .help = N_(
         "the cluster: a stoker.cfg whose nodes have their figures (default: one partition as large as the "
         "trace's machine)")},
    {OPT_TEXT(struct sim_options, generate), .name = "generate", .letter = 'g', .meta = "FILE",
     .help = N_("make up a workload as FILE describes it, instead of reading a trace")},
    {.id = O_SEED,
     .name = "seed",
     .arg = OPT_REQUIRED,
     .meta = "N",
     .help = N_("of the random numbers, over the one in the file")},
    {OPT_TEXT(struct sim_options, policy), .name = "policy", .letter = 'p', .meta = "NAME",
     .help = N_("fcfs, easy, cons; with --procs-only also replan, easy-sjbf, easy-sjf, easy-wfp3, "
                "easy-unicep and easy-f1 (default: as configured; easy)")},
    {OPT_SETS(struct sim_options, procs_only), .name = "procs-only",
     .help = N_("processors alone, by conventions that other simulators keep too")},
    {.id = O_JOBS,
     .name = "jobs",
     .letter = 'n',
     .arg = OPT_REQUIRED,
     .meta = "N",
     .help = N_("the first N usable jobs of the trace only")},
    {OPT_TEXT(struct sim_options, starts), .name = "starts", .meta = "FILE",
     .help = N_(
         "write a line \"ID START\" for each job, in seconds of the trace's clock; - is standard output")},
    {OPT_SETS(struct sim_options, json), .name = "json", .help = N_("print JSON")},
};

static int simopts_count(const char *arg, int64_t least, uint64_t *ret, struct errtext *err)
{
    int64_t v;
    int rc = int_parse(arg, least, INT64_MAX, &v, err);
    if (rc == 0)
        *ret = (uint64_t)v;
    return rc;
}

static int simopts_set_option(void *ctx, const struct opt *o, const char *arg, struct errtext *err)
{
    struct sim_options *s = ctx;
    switch (o->id) {
    case O_JOBS: return simopts_count(arg, 1, &s->first, err);
    case O_SEED: s->has_seed = true; return simopts_count(arg, 0, &s->seed, err);
    }
    return 0;
}

const struct opts sim_opts = OPTS(table, simopts_set_option);

/* What cannot stand together; NULL: nothing. */
static const char *contradiction(const struct sim_options *o, size_t n_operands)
{
    if (o->generate ? n_operands > 0 : n_operands != 1)
        return tr("one trace or --generate=FILE is needed");
    if (o->procs_only && o->generate)
        return tr("--procs-only replays a trace, it generates nothing");
    if (o->procs_only && o->config)
        return tr("--procs-only knows no cluster, only the processors of the trace's header");
    if (o->has_seed && !o->generate)
        return tr("--seed is for --generate");
    return NULL;
}

bool sim_options_parse(struct sim_options *ret, const struct cli *cli, int argc, char **argv, int *ret_exit)
{
    struct strv operands = {0};
    *ret = (struct sim_options){0};
    bool ok = cli_parse(cli, ret, argc, argv, 0, &operands, ret_exit);
    const char *wrong = ok ? contradiction(ret, operands.n) : NULL;
    if (wrong) {
        cli_say(cli, tr("%s\nTry \"%s --help\" for more information"), wrong, cli->name);
        *ret_exit = 2;
        ok = false;
    }
    if (ok && operands.n)
        ret->trace = xstrdup(operands.v[0]);
    strv_fini(&operands);
    if (!ok)
        sim_options_fini(ret);
    return ok;
}

void sim_options_fini(struct sim_options *o)
{
    free(o->policy);
    free(o->starts);
    free(o->config);
    free(o->generate);
    free(o->trace);
    *o = (struct sim_options){0};
}
