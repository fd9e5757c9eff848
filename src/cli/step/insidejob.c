/* insidejob.c - into a job that runs. */
#include "src/cli/step/insidejob.h"

#include <signal.h>

#include "src/cli/step/submission.h"

static int cannot_confirm(const struct cli *cli, uint32_t job, const char *why)
{
    cli_error(cli, "Unable to confirm allocation for job %u: %s", job, why);
    return 1;
}

/* Waits for the job's record. Returns 0 where a step may be asked for. */
static int insidejob_confirm(struct follow *f)
{
    while (!f->known) {
        struct follow_turn t;
        unsigned bits = follow_wait(f, -1, -1, &t);
        if (bits & FOLLOW_MESSAGE)
            msg_free(t.in.kind, t.in.body);
        if ((bits & FOLLOW_SIGNAL) && (t.signal.ssi_signo == SIGINT || t.signal.ssi_signo == SIGTERM))
            return 128 + (int)t.signal.ssi_signo;
    }
    const struct job *j = follow_job(f);
    if (!j) {
        cannot_confirm(f->cli, f->job, refusal_slurm(REFUSAL_NO_JOB));
        cli_say(f->cli, "Check SLURM_JOB_ID environment variable. Expired or invalid job %u", f->job);
        return 1;
    }
    if (j->state == JOB_PENDING)
        return cannot_confirm(f->cli, f->job, "Job is pending execution");
    if (job_state_is_final((enum job_state)j->state) || j->state == JOB_COMPLETING)
        return cannot_confirm(f->cli, f->job, refusal_slurm(REFUSAL_ENDED));
    if (j->kind == JOB_KIND_STEPS)
        return cannot_confirm(f->cli, f->job, "its steps are declared, none can be added");
    return 0;
}

int insidejob_open(const struct cli *cli, uint32_t job, struct follow *f)
{
    struct client *c;
    struct errtext err = {0};
    bool own_job = submission_inside_job();
    int rc = client_connect(cli->cmd->name, own_job ? CLIENT_EAGER : 0, &c, &err);
    if (rc && !own_job)
        return submission_away(cli, "Unable to create step", &err);
    follow_init(f, cli, rc ? NULL : c, job, false);
    follow_take_signals(f, false);
    int code = insidejob_confirm(f);
    if (code)
        follow_fini(f);
    return code;
}
