/* submission.c - handing a job to the controller. */
#include "src/cli/step/submission.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/ask.h"
#include "src/os/clock.h"

#define RETRY_MS        10000  /* how long an unanswered submission is repeated */
#define RETRY_IN_JOB_MS 300000 /* ... from inside a job */

bool submission_inside_job(void)
{
    return getenv("SLURM_JOB_ID") != NULL;
}

/* Whether to wait for a controller that has not greeted, r says why: inside a job; outside of jobs only for
 * one that was there and went away meanwhile. */
static bool waits_for_greeting(const struct cli *cli, int r)
{
    if (submission_inside_job())
        cli_error(cli, SUBMISSION_AWAY ", waiting for it");
    return submission_inside_job() || r == -ECONNRESET;
}

/* The first connection. The submission goes with the greeting: the answer to that is not waited for. */
static int connect_first(const struct cli *cli, struct client **ret, struct errtext *err)
{
    int wait_ms = submission_inside_job() ? RETRY_IN_JOB_MS : RETRY_MS;
    unsigned flags = submission_inside_job() ? 0 : CLIENT_START | ask_flags(cli);
    int rc = client_connect(cli->cmd->name, flags | CLIENT_EAGER, ret, err);
    if (rc && waits_for_greeting(cli, rc))
        rc = client_connect_wait(cli->cmd->name, ask_flags(cli), wait_ms, ret, err);
    return rc;
}

static int answer_take(enum msg_kind kind, void *body, struct msg_result *ret, struct errtext *err)
{
    if (kind != MSG_RESULT) {
        msg_free(kind, body);
        return err_set(err, -EPROTO, "the controller answers with %s", msg_name(kind));
    }
    struct msg_result *result = body;
    *ret = *result;
    *result = (struct msg_result){.text = NULL};
    msg_free(kind, body);
    return 0;
}

/* An answer that the next controller is to give. */
static bool goes_away(enum msg_kind kind, const void *body)
{
    return kind == MSG_RESULT && ((const struct msg_result *)body)->refusal == REFUSAL_SHUTTING_DOWN;
}

int submission_send(const struct cli *cli, const struct msg_submit *m, struct client **ret_client,
                    struct msg_result *ret, struct errtext *err)
{
    struct client *c;
    int rc = connect_first(cli, &c, err);
    int64_t deadline = mono_ms() + (submission_inside_job() ? RETRY_IN_JOB_MS : RETRY_MS);
    while (!rc) {
        enum msg_kind kind;
        void *body;
        rc = client_call(c, MSG_SUBMIT, m, &kind, &body, err);
        if (!rc && goes_away(kind, body)) {
            msg_free(kind, body);
            rc = err_set(err, -ECONNRESET, "the controller shuts down");
        }
        if (!rc) {
            rc = answer_take(kind, body, ret, err);
            if (rc || !ret_client)
                client_free(c);
            else
                *ret_client = c;
            return rc;
        }
        bool greeted = client_welcome(c) != NULL;
        client_free(c);
        int64_t left = deadline - mono_ms();
        if (left <= 0 || (!greeted && !waits_for_greeting(cli, rc)))
            break;
        rc = client_connect_wait(cli->cmd->name, ask_flags(cli), (int)left, &c, err);
    }
    return rc;
}

void submission_warn(const struct cli *cli, const struct msg_result *r)
{
    for (size_t i = 0; i < r->warnings.n; i++)
        cli_say(cli, "warning: %s", r->warnings.v[i]);
}

int submission_refused(const struct cli *cli, const char *what, const struct msg_result *r)
{
    enum refusal refusal = r->refusal < REFUSAL_N ? (enum refusal)r->refusal : REFUSAL_BAD_REQUEST;
    const char *cause = refusal_slurm(refusal);
    /* Slurm has no words for what is only malformed: the text says it alone. */
    bool alone = refusal == REFUSAL_BAD_REQUEST && !str_is_empty(r->text) && !strchr(r->text, '\n');
    if (alone)
        cause = r->text;
    else if (!str_is_empty(r->text) && !str_eq(r->text, cause))
        cli_error_lines(cli, r->text);
    cli_error(cli, "%s: %s", what, cause);
    return 1;
}

int submission_away(const struct cli *cli, const char *what, const struct errtext *err)
{
    if (!str_is_empty(err->s))
        cli_error_lines(cli, err->s);
    cli_error(cli, "%s: %s", what, SUBMISSION_AWAY);
    return 1;
}

bool submission_cluster_is(const struct cli *cli, const struct client *c, const char *name)
{
    const char *own = client_welcome(c)->name;
    if (!name || str_eq(name, own) || str_ieq(name, "all"))
        return true;
    cli_error(cli, "No cluster '%s' known here; this one is '%s'", name, own ? own : "");
    return false;
}
