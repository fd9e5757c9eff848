/* attach.c - stoker attach: back to a session that goes on without its terminal, or beside a running srun.
 *
 * A step on a terminal gets this one's keys and window; of any other step the output is shown, from the
 * beginning of what its nodes keep. Going away ends neither.
 */
#include "src/cli/step/attach.h"

#include <stdlib.h>
#include <unistd.h>

#include "src/cli/lookup.h"
#include "src/cli/pty.h"
#include "src/lang/lang.h"

struct attach {
    bool take;
};

static const struct opt table[] = {
    {OPT_SETS(struct attach, take), .name = "take", .letter = 't',
     .help = N_("take it from the terminal that has it now, which is told")},
};

static const struct opts options = OPTS(table, NULL);

/* The newest that lives: rather one on a terminal. */
static const struct step *attach_find_step(const struct job *j)
{
    const struct step *found = NULL;
    for (size_t i = 0; i < j->steps.n; i++) {
        const struct step *s = &j->steps.v[i];
        if (s->id >= 0 && !s->done && s->tasks.n && (!found || s->pty >= found->pty))
            found = s;
    }
    return found;
}

static int say_nothing_there(const struct cli *cli, const struct job *j)
{
    if (j->state != JOB_RUNNING)
        cli_error(cli, tr("job %u is %s"), j->id, job_state_long((enum job_state)j->state));
    else if (j->kind == JOB_KIND_STEPS)
        cli_error(cli, tr("job %u declares its steps: stoker output -f %u shows what they print"), j->id,
                  j->id);
    else
        cli_error(
            cli,
            tr("job %u has no session: stoker output -f %u shows what it prints, srun --jobid=%u --overlap "
               "--pty bash begins one"),
            j->id, j->id, j->id);
    return 1;
}

int attach_step(const struct cli *cli, struct client *c, uint32_t job, const struct step *s,
                const struct steprun_options *how)
{
    struct follow f;
    struct steprun_options opt = *how;
    opt.attach = opt.disable_status = true;
    opt.step = s->id;
    opt.pty = opt.unbuffered = s->pty;
    follow_init(&f, cli, c, job, false);
    follow_take_signals(&f, false);
    if (opt.pty)
        pty_raw();
    int code = steprun(&f, NULL, &opt);
    pty_restore();
    follow_fini(&f);
    return code == STEPRUN_LEFT ? 0 : code;
}

static int attach_found(const struct attach *a, const struct cli *cli, struct job_lookup *l,
                        const struct step *s)
{
    struct client *c = l->client;
    struct steprun_options how = {.take = a->take};
    l->client = NULL;
    return attach_step(cli, c, l->job->id, s, &how);
}

static int attach_run(struct cli *cli, int argc, char **argv)
{
    struct attach a = {0};
    struct strv operands = {0};
    int rc = 0;
    if (cli_parse(cli, &a, argc, argv, 0, &operands, &rc)) {
        struct job_lookup l;
        rc = lookup_open_one(&l, cli, &operands);
        if (rc == 0) {
            const struct step *s = l.step ? l.step : attach_find_step(l.job);
            bool live = s && s->id >= 0 && !s->done && l.job->kind != JOB_KIND_STEPS;
            rc = live ? attach_found(&a, cli, &l, s) : say_nothing_there(cli, l.job);
        }
        lookup_fini(&l);
    }
    strv_fini(&operands);
    return rc;
}

const struct command cmd_attach = {
    .name = "attach",
    .reach = REACH_HERE,
    .summary = N_("Go back to a session: srun --pty whose terminal has gone"),
    .usage = "[--take] JOB[.STEP]",
    .options = &options,
    .run = attach_run,
};
