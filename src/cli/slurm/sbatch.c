/* sbatch.c - submits a batch script. */
#include <stdlib.h>
#include <unistd.h>

#include "src/cli/ask.h"
#include "src/cli/step/batch.h"
#include "src/lang/lang.h"

#define EXIT_BAD_OPTION 255

struct call { /* what the command line says before the script is known */
    struct strv operands;
    char *wrap;
};

/* The first pass finds the script, whose options are weaker than those of the command line. */
static bool find_operands(const struct cli *cli, int argc, char **argv, struct call *call, int *ret_exit)
{
    struct batch scratch;
    struct errtext err = {0};
    batch_init(&scratch);
    scratch.job.level = LEVEL_COMMAND_LINE;
    enum opt_result r =
        opt_parse(cli->cmd->options, &scratch, argc, argv, OPT_STOP_AT_OPERAND, &call->operands, &err);
    call->wrap = scratch.wrap;
    scratch.wrap = NULL;
    batch_fini(&scratch);
    return cli_parsed(cli, r, &err, ret_exit);
}

static int sbatch_get_script(const struct cli *cli, const struct call *call, struct script *ret)
{
    if (call->wrap && call->operands.n) {
        cli_error(cli, "Script arguments not permitted with --wrap option");
        return 1;
    }
    if (call->wrap) {
        script_wrap(call->wrap, ret);
        return 0;
    }
    struct errtext err;
    if (!call->operands.n && isatty(STDIN_FILENO))
        cli_say(cli, "reading the script from standard input; give a file, or --wrap=COMMAND");
    if (script_read(call->operands.n ? call->operands.v[0] : NULL, ret, &err)) {
        cli_error_lines(cli, err.s);
        return 1;
    }
    return 0;
}

static void print_submitted(const struct cli *cli, const struct batch *b, const struct msg_result *r)
{
    if (b->test_only)
        cli_say(cli, "Job %u %s", r->job, r->text ? r->text : "fits");
    else if (b->parsable && b->job.cluster)
        printf("%u;%s\n", r->job, b->job.cluster);
    else if (b->parsable)
        printf("%u\n", r->job);
    else if (!b->job.quiet && b->job.cluster)
        printf("Submitted batch job %u on cluster %s\n", r->job, b->job.cluster);
    else if (!b->job.quiet)
        printf("Submitted batch job %u\n", r->job);
    fflush(stdout);
}

/* Before anything is queued: a job for another cluster is none for this one. */
static int check_cluster(const struct cli *cli, const char *name)
{
    struct client *c;
    struct errtext err = {0};
    if (!name)
        return 0;
    if (client_connect(cli->cmd->name, CLIENT_START | ask_flags(cli), &c, &err))
        return submission_away(cli, "Batch job submission failed", &err);
    bool ours = submission_cluster_is(cli, c, name);
    client_free(c);
    return ours ? 0 : 1;
}

static int submit(const struct cli *cli, const struct batch *b, const struct msg_submit *m)
{
    struct client *c;
    struct msg_result r;
    struct errtext err = {0};
    if (check_cluster(cli, b->job.cluster))
        return 1;
    if (submission_send(cli, m, &c, &r, &err))
        return submission_away(cli, "Batch job submission failed", &err);
    int code = 0;
    submission_warn(cli, &r);
    if (r.refusal != REFUSAL_NONE)
        code = submission_refused(cli, b->test_only ? "allocation failure" : "Batch job submission failed",
                                  &r);
    else
        print_submitted(cli, b, &r);
    if (!code && b->wait && !b->test_only)
        code = batch_wait(cli, c, r.job);
    else
        client_free(c);
    rec_fini(&msg_result_rec, &r);
    return code;
}

static int sbatch_submit_script(const struct cli *cli, struct script *s, const struct call *call, int argc,
                                char **argv)
{
    struct batch b;
    struct msg_submit m;
    struct errtext err;
    int code;
    batch_init(&b);
    size_t n_args = call->operands.n > 1 ? call->operands.n - 1 : 0;
    if (batch_parse(cli, &b, s, argc, argv, OPT_STOP_AT_OPERAND, &code)) {
        if (batch_message(&b, s, n_args ? call->operands.v + 1 : NULL, n_args, &m, &err)) {
            cli_error(cli, "%s", err.s);
            code = 1;
        } else {
            code = submit(cli, &b, &m);
            rec_fini(&msg_submit_rec, &m);
        }
    }
    batch_fini(&b);
    return code;
}

static int sbatch_run(struct cli *cli, int argc, char **argv)
{
    struct call call = {.wrap = NULL};
    struct script s = {.path = NULL};
    int code;
    if (find_operands(cli, argc, argv, &call, &code)) {
        code = sbatch_get_script(cli, &call, &s);
        if (!code)
            code = sbatch_submit_script(cli, &s, &call, argc, argv);
    }
    script_fini(&s);
    strv_fini(&call.operands);
    free(call.wrap);
    return code;
}

const struct command cmd_sbatch = {
    .name = "sbatch",
    .reach = REACH_HERE,
    .summary = N_("Submit a batch script to the queue"),
    .usage = "[OPTIONS] [SCRIPT [ARGS...]]",
    .options = &batch_opts,
    .slurm = true,
    .bad_usage_exit = EXIT_BAD_OPTION,
    .bad_value_exit = EXIT_BAD_OPTION,
    .run = sbatch_run,
};
