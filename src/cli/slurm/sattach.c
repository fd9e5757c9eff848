/* sattach.c - Slurm's name for going beside a step that runs: see attach.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/ask.h"
#include "src/cli/step/attach.h"
#include "src/jobspec/jobtargets.h"
#include "src/lang/lang.h"
#include "src/values/hostlist.h"
#include "src/values/units.h"

struct sattach {
    const struct cli *cli;
    struct steprun_options how;
    bool layout, usage, err_filter;
};

enum {
    O_ACCEPTED = 1,
    O_ERROR_FILTER,
    O_INPUT_FILTER,
    O_OUTPUT_FILTER,
};

/* clang-format off */
static const struct opt table[] = {
    {.id = O_ERROR_FILTER, .name = "error-filter", .arg = OPT_REQUIRED, .meta = "TASK", .help = "show this task's standard error alone; otherwise as --output-filter"},
    {.id = O_INPUT_FILTER, .name = "input-filter", .arg = OPT_REQUIRED, .meta = "TASK", .help = "not supported: what a step reads comes from its srun"},
    {OPT_SETS(struct sattach, how.label), .name = "label", .letter = 'l', .help = "the task's number in front of each line"},
    {OPT_SETS(struct sattach, layout), .name = "layout", .help = "say where its tasks are, and no more"},
    {.id = O_OUTPUT_FILTER, .name = "output-filter", .arg = OPT_REQUIRED, .meta = "TASK", .help = "show this task's output alone; -: that of all"},
    {.id = O_ACCEPTED, .name = "pty", .help = "a step on a terminal gets this one's keys in any case"},
    {OPT_SETS(struct sattach, how.quiet), .name = "quiet", .letter = 'Q', .help = "do not say how tasks end"},
    {OPT_SETS(struct sattach, usage), .letter = 'u'}, {.id = O_ACCEPTED, .name = "verbose", .letter = 'v'},
};
/* clang-format on */

static int sattach_set_filter(uint32_t *at, const struct opt *o, const char *arg, struct errtext *err)
{
    int64_t n = -1;
    if (!str_eq(arg, "-") && int_parse(arg, 0, UINT32_MAX - 1, &n, NULL))
        return err_set(err, -EDOM, "Invalid numeric value \"%s\" for %s.", arg, o->name);
    *at = (uint32_t)(n + 1);
    return 0;
}

static int sattach_set_option(void *ctx, const struct opt *o, const char *arg, struct errtext *err)
{
    struct sattach *a = ctx;
    switch (o->id) {
    case O_ERROR_FILTER: a->err_filter = true; return sattach_set_filter(&a->how.only[1], o, arg, err);
    case O_INPUT_FILTER:
        return err_set(err, -EDOM,
                       "--input-filter is not supported here: a step reads what its srun reads");
    case O_OUTPUT_FILTER: return sattach_set_filter(&a->how.only[0], o, arg, err);
    default: break;
    }
    return 0;
}

static const struct opts options = OPTS(table, sattach_set_option);

static void print_usage(const struct cli *cli)
{
    opt_print_usage(stdout, cli->name, cli->cmd->options, cli->cmd->usage);
}

/* --- which step --- */

static int bad_operand(const struct cli *cli, const char *text)
{
    cli_error(cli, "%s", text);
    print_usage(cli);
    return 1;
}

static int read_operand(const struct cli *cli, const struct strv *operands, struct job_target *t)
{
    struct errtext err = {0};
    uint32_t task;
    if (operands->n != 1)
        return bad_operand(cli, operands->n ? "too many parameters" : "no job step specified");
    if (!strchr(operands->v[0], '.'))
        return bad_operand(cli, "Did not find a period in the step ID string");
    if (target_parse_one(operands->v[0], t, &task, &err) < 0)
        return bad_operand(cli, err.s);
    if (task != NOT_GIVEN || t->step < 0) {
        err_set(&err, -EINVAL, "\"%s\" does not look like a stepid", strchr(operands->v[0], '.') + 1);
        return bad_operand(cli, err.s);
    }
    return 0;
}

static int no_step(const struct cli *cli, const char *why)
{
    cli_error(cli, "Could not get job step info: %s", why);
    return 1;
}

static const struct job *only_job(struct model *m)
{
    list_for_each (j, &m->all, struct job, in_all)
        return j;
    return NULL;
}

/* --- where its tasks are --- */

static void append_node(struct str *out, const struct step *s, const char *node, size_t number)
{
    struct str ranks = STR_INIT;
    uint32_t n = 0;
    for (size_t i = 0; i < s->tasks.n; i++) {
        const struct task *t = &s->tasks.v[i];
        for (uint32_t k = 0; t->alloc.node && str_eq(t->alloc.node, node) && k < t->n_ranks; k++, n++)
            str_appendf(&ranks, "%u ", step_rank(s, t, k));
    }
    str_appendf(out, "\tNode %zu (%s), %u task(s): %s\n", number, node, n, ranks.s);
    str_fini(&ranks);
}

static void print_layout(const struct step *s)
{
    struct strv nodes = {0};
    struct str text = STR_INIT;
    for (size_t i = 0; i < s->tasks.n; i++) {
        const char *node = s->tasks.v[i].alloc.node;
        if (node && !strv_has(&nodes, node))
            strv_push(&nodes, node);
    }
    char *names = hostlist_compress(&nodes);
    str_appendf(&text, "Job step layout:\n\t%u tasks, %zu nodes (%s)\n\n", s->n_ranks, nodes.n, names);
    for (size_t i = 0; i < nodes.n; i++)
        append_node(&text, s, nodes.v[i], i);
    fputs(text.s, stdout);
    free(names);
    str_fini(&text);
    strv_fini(&nodes);
}

/* --- the command --- */

/* Takes c. */
static int attach_or_print(const struct sattach *a, struct client *c, const struct job_target *t,
                           const struct job *j)
{
    const struct step *s = j ? job_find_step(j, t->step) : NULL;
    const char *why = !s ? refusal_slurm(REFUSAL_NO_JOB) : s->done ? refusal_slurm(REFUSAL_ENDED) : NULL;
    if (s && !s->done && !s->tasks.n)
        why = "the step waits for resources";
    if (s && !why && j->kind == JOB_KIND_STEPS && !a->layout)
        why = "the job declares its steps: stoker output -f shows what they print";
    if (!why && !a->layout)
        return attach_step(a->cli, c, j->id, s, &a->how);
    client_free(c);
    if (why)
        return no_step(a->cli, why);
    print_layout(s);
    return 0;
}

static int ask_and_run(const struct sattach *a, const struct job_target *t)
{
    const char *why = NULL;
    struct errtext err = {0};
    struct job_target job = *t;
    struct msg_get get = {.what = GET_JOBS, .jobs = {.v = &job, .n = 1}};
    struct model m;
    struct client *c = ask_connect_slurm(a->cli, &why);
    if (!c)
        return no_step(a->cli, why);
    job.step = STEP_ALL;
    model_init(&m);
    int rc = client_fetch(c, &get, &m, &err);
    if (rc)
        client_free(c);
    rc = rc ? no_step(a->cli, ask_words_slurm(rc)) : attach_or_print(a, c, t, only_job(&m));
    model_fini(&m);
    return rc;
}

static int sattach_run(struct cli *cli, int argc, char **argv)
{
    struct sattach a = {.cli = cli};
    struct strv operands = {0};
    struct job_target t = {0};
    int rc = 0;
    if (cli_parse(cli, &a, argc, argv, 0, &operands, &rc)) {
        if (!a.err_filter)
            a.how.only[1] = a.how.only[0];
        if (a.usage)
            print_usage(cli);
        else
            rc = read_operand(cli, &operands, &t) ? 1 : ask_and_run(&a, &t);
    }
    strv_fini(&operands);
    return rc;
}

const struct command cmd_sattach = {
    .name = "sattach",
    .reach = REACH_HERE,
    .summary = N_("See what a running step prints; be at it, where it is on a terminal"),
    .usage = "[OPTIONS] JOB.STEP",
    .options = &options,
    .slurm = true,
    .run = sattach_run,
};
