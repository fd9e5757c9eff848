/* history.c - jobs that have left the controller's state, row by row. */
#include <errno.h>

#include "src/client/client_private.h"

static int each_job(struct msg_jobs *jobs, int (*fn)(void *ctx, struct job *j), void *ctx,
                    struct errtext *err)
{
    for (size_t i = 0; i < jobs->rows.n; i++) {
        struct job *row = &jobs->rows.v[i];
        if (!row->id || row->state >= JOB_N_STATES || row->kind > JOB_KIND_INTERACTIVE)
            return err_set(err, -EBADMSG, "a row that is no job: id %u, state %u", row->id, row->state);
        struct job *j = job_new();
        *j = *row;
        *row = (struct job){0};
        list_init(&j->in_all);
        list_init(&j->in_queue);
        int r = fn(ctx, j);
        if (r < 0)
            return r;
    }
    return 0;
}

static int refused(const struct msg_result *result, struct errtext *err)
{
    return err_set(err, -EACCES, "%s", result->text ? result->text : "the controller refuses the request");
}

int client_history(struct client *c, const struct msg_history *q, int (*fn)(void *ctx, struct job *j),
                   void *ctx, struct errtext *err)
{
    uint64_t tag;
    int r = client_send(c, MSG_HISTORY, q, &tag, err);
    for (bool done = false; r >= 0 && !done;) {
        struct incoming in;
        r = client_wait_tag(c, tag, &in, err);
        if (r < 0)
            return r;
        done = in.kind == MSG_HISTORY_END;
        if (in.kind == MSG_RESULT)
            r = refused(in.body, err);
        else if (in.kind == MSG_JOBS)
            r = each_job(in.body, fn, ctx, err);
        msg_free(in.kind, in.body);
    }
    return r < 0 ? r : 0;
}
