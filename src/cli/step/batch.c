/* batch.c - a batch job from a command line. */
#include "src/cli/step/batch.h"

#include <stdlib.h>

#include "src/cli/step/follow.h"

bool batch_parse(const struct cli *cli, struct batch *b, const struct script *s, int argc, char **argv,
                 unsigned flags, int *ret_exit)
{
    struct errtext err = {0};
    struct strv env = cli_environ();
    enum opt_result r = batch_take_header(b, s, &err) ? OPT_BAD_VALUE : OPT_OK;
    b->job.level = LEVEL_ENV;
    if (r == OPT_OK)
        r = opt_env(&batch_opts, b, &env, "SBATCH_", &err);
    b->job.level = LEVEL_COMMAND_LINE;
    if (r == OPT_OK)
        r = opt_parse(cli->cmd->options, b, argc, argv, flags, NULL, &err);
    if (r == OPT_OK && jobopts_finish(&b->job, &err))
        r = OPT_BAD_VALUE;
    strv_fini(&env);
    return cli_parsed(cli, r, &err, ret_exit);
}

int batch_message(struct batch *b, struct script *s, char *const *args, size_t n_args,
                  struct msg_submit *ret, struct errtext *err)
{
    int rc = message_of_script(&b->job, s, args, n_args, ret, err);
    if (!rc)
        ret->test_only = b->test_only;
    return rc;
}

/* --- waiting for the end --- */

static int exit_code_of(const struct job *j)
{
    if (j->exit_signal)
        return 1;
    return j->exit_code ? j->exit_code : j->state != JOB_COMPLETED;
}

/* The highest code of what there is; *ret_open: something of it has not ended. An empty answer means that
 * all is forgotten. */
static int collect_codes(const struct model *m, bool *ret_open)
{
    int code = 0;
    *ret_open = false;
    list_for_each (j, &m->all, struct job, in_all) {
        int own = job_state_is_final((enum job_state)j->state) ? exit_code_of(j) : 0;
        *ret_open = *ret_open || !job_state_is_final((enum job_state)j->state);
        code = own > code ? own : code;
    }
    return code;
}

int batch_wait(const struct cli *cli, struct client *c, uint32_t job)
{
    struct follow f;
    int code = 1;
    bool open = true;
    follow_init(&f, cli, c, job, false);
    while (open) {
        struct follow_turn t;
        if (follow_wait(&f, -1, -1, &t) & FOLLOW_MESSAGE)
            msg_free(t.in.kind, t.in.body);
        if (!f.known)
            continue;
        if (list_empty(&f.m.all))
            open = false; /* ended so long ago that it is forgotten: what was known of it stands */
        else
            code = collect_codes(&f.m, &open);
    }
    follow_fini(&f);
    return code;
}
