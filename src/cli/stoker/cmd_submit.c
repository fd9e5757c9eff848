/* cmd_submit.c - stoker submit: a job file, a batch script, or a command. */
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/cli/ask.h"
#include "src/cli/step/batch.h"
#include "src/cli/stoker/stepjob.h"
#include "src/lang/lang.h"

/* Runs its arguments: what was typed reaches the program byte for byte, no shell reads it again. */
#define COMMAND_SCRIPT "#!/bin/sh\nexec \"$@\"\n"

#define SCHEMA 1

struct submit {
    struct batch batch; /* first: its options' context is ours */
    bool json;
};

static const struct opt submit_table[] = {
    {OPT_SETS(struct submit, json), .name = "json", .help = N_("print {\"schema\":1,\"job\":ID}")},
};
static const struct opts submit_opts = OPTS_ALSO(submit_table, NULL, &batch_opts);

/* What the operands are. */
struct submit_source {
    struct strv operands;
    bool is_command; /* "--" stands in front of them */
    char *wrap;
};

static bool find_source(const struct cli *cli, int argc, char **argv, struct submit_source *src,
                        int *ret_exit)
{
    struct submit scratch = {.json = false};
    struct errtext err = {0};
    batch_init(&scratch.batch);
    scratch.batch.job.level = LEVEL_COMMAND_LINE;
    enum opt_result r =
        opt_parse(&submit_opts, &scratch, argc, argv, OPT_STOP_AT_OPERAND, &src->operands, &err);
    src->wrap = scratch.batch.wrap;
    scratch.batch.wrap = NULL;
    batch_fini(&scratch.batch);
    int before = argc - (int)src->operands.n - 1;
    src->is_command = src->operands.n && before > 0 && str_eq(argv[before], "--");
    return cli_parsed(cli, r, &err, ret_exit);
}

static int submit_get_script(const struct cli *cli, const struct submit_source *src, struct script *ret)
{
    struct errtext err;
    if (src->is_command) {
        *ret = (struct script){.name = xstrdup(src->operands.v[0])};
        ret->text.n = strlen(COMMAND_SCRIPT);
        ret->text.p = xmemdup(COMMAND_SCRIPT, ret->text.n);
        return 0;
    }
    if (src->wrap) {
        script_wrap(src->wrap, ret);
        return 0;
    }
    if (script_read(src->operands.n ? src->operands.v[0] : NULL, ret, &err)) {
        cli_error_lines(cli, err.s);
        return 1;
    }
    return 0;
}

static void name_command(const struct submit_source *src, struct msg_submit *m)
{
    const char *slash = strrchr(src->operands.v[0], '/');
    free(m->command);
    m->command = strv_join(&src->operands, " ");
    if (str_eq(m->req.name, "sbatch")) {
        xstrset(&m->req.name, slash ? slash + 1 : src->operands.v[0]);
    }
}

static int submit_refused(const struct cli *cli, const struct msg_result *r)
{
    enum refusal why = r->refusal < REFUSAL_N ? (enum refusal)r->refusal : REFUSAL_BAD_REQUEST;
    cli_error_lines(cli, str_is_empty(r->text) ? refusal_slurm(why) : r->text);
    return refusal_exit_code(why);
}

static void submit_print_job(const struct submit *s, const struct msg_result *r)
{
    if (s->batch.test_only)
        printf("%s\n", r->text ? r->text : tr("it can be run"));
    else if (s->json)
        printf("{\"schema\":%d,\"job\":%u}\n", SCHEMA, r->job);
    else
        printf("%u\n", r->job);
    fflush(stdout);
}

static int hand_in(const struct cli *cli, const struct submit *s, const struct msg_submit *m)
{
    struct client *c;
    struct msg_result r;
    struct errtext err = {0};
    if (submission_send(cli, m, &c, &r, &err)) {
        cli_error_lines(cli, err.s);
        return EXIT_AWAY;
    }
    int code = 0;
    submission_warn(cli, &r);
    if (r.refusal != REFUSAL_NONE)
        code = submit_refused(cli, &r);
    else
        submit_print_job(s, &r);
    if (!code && s->batch.wait && !s->batch.test_only)
        code = batch_wait(cli, c, r.job);
    else
        client_free(c);
    rec_fini(&msg_result_rec, &r);
    return code;
}

static int submit_submit_script(const struct cli *cli, const struct submit_source *src,
                                struct script *script, int argc, char **argv)
{
    struct submit s = {.json = false};
    struct msg_submit m;
    struct errtext err;
    int code;
    batch_init(&s.batch);
    size_t skip = src->is_command ? 0 : 1;
    size_t n_args = src->operands.n > skip ? src->operands.n - skip : 0;
    if (batch_parse(cli, &s.batch, script, argc, argv, OPT_STOP_AT_OPERAND, &code)) {
        if (batch_message(&s.batch, script, n_args ? src->operands.v + skip : NULL, n_args, &m, &err)) {
            cli_error_lines(cli, err.s);
            code = 1;
        } else {
            if (src->is_command)
                name_command(src, &m);
            code = hand_in(cli, &s, &m);
            rec_fini(&msg_submit_rec, &m);
        }
    }
    batch_fini(&s.batch);
    return code;
}

static bool is_job_file(const struct submit_source *src)
{
    return !src->is_command && !src->wrap && src->operands.n && str_ends(src->operands.v[0], ".job");
}

static int submit_job_file(const struct cli *cli, const struct submit_source *src, int argc, char **argv)
{
    struct submit s = {.json = false};
    struct msg_submit m;
    int code = 2;
    batch_init(&s.batch);
    if (src->operands.n > 1)
        cli_error(cli, tr("%s: a job file takes no arguments"), src->operands.v[0]);
    else if (stepjob_message(cli, &s.batch, src->operands.v[0], argc, argv, &m, &code)) {
        code = hand_in(cli, &s, &m);
        rec_fini(&msg_submit_rec, &m);
    }
    batch_fini(&s.batch);
    return code;
}

static int submit_run(struct cli *cli, int argc, char **argv)
{
    struct submit_source src = {.wrap = NULL};
    struct script script = {.path = NULL};
    int code;
    if (find_source(cli, argc, argv, &src, &code)) {
        if (is_job_file(&src))
            code = submit_job_file(cli, &src, argc, argv);
        else if (!(code = submit_get_script(cli, &src, &script)))
            code = submit_submit_script(cli, &src, &script, argc, argv);
    }
    script_fini(&script);
    strv_fini(&src.operands);
    free(src.wrap);
    return code;
}

const struct command cmd_submit = {
    .name = "submit",
    .reach = REACH_HERE,
    .summary = N_("Put a job file, a batch script or a command into the queue"),
    .usage = "[OPTIONS] FILE.job | SCRIPT [ARGS...] | -- COMMAND [ARGS...]",
    .options = &submit_opts,
    .run = submit_run,
};
