#include "backend/slurm/why/slurm_try.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "backend/slurm/slurm_trial.h"
#include "src/base/xalloc.h"
#include "src/jobattr/jobattr.h"

static void try_clear_text(char **text)
{
    free(*text);
    *text = NULL;
}

/* "TimeLimit=1:00:00" */
static int try_change(struct job_req *r, const char *change, struct wall now, struct errtext *err)
{
    const char *equals = strchr(change, '=');
    char *key = xstrndup(change, equals ? (size_t)(equals - change) : 0);
    const struct job_attr *a = equals ? job_attr_by_key(key) : NULL;
    free(key);
    if (!a)
        return err_set(err, -EINVAL, "this change cannot be tested: %s", change);
    return job_attr_set(a, r, equals + 1, now, err);
}

int slurm_try_submission(const struct job *j, const struct strv *changes, struct wall now,
                         struct msg_submit *ret, struct errtext *err)
{
    static const char script[] = "#!/bin/sh\n";
    *ret = (struct msg_submit){.kind = JOB_KIND_BATCH, .test_only = true};
    rec_copy(&job_req_rec, &ret->req, &j->req);
    try_clear_text(&ret->req.workdir);
    try_clear_text(&ret->req.std_out);
    try_clear_text(&ret->req.dependency);
    try_clear_text(&req_detail_mut(&ret->req)->array_spec);
    try_clear_text(&req_detail_mut(&ret->req)->std_err);
    try_clear_text(&req_rare_mut(&ret->req)->comment);
    ret->req.array_throttle = 0;
    ret->payload.script.p = (uint8_t *)xstrdup(script);
    ret->payload.script.n = sizeof script - 1;
    for (size_t i = 0; i < changes->n; i++)
        if (try_change(&ret->req, changes->v[i], now, err) < 0) {
            rec_fini(&msg_submit_rec, ret);
            *ret = (struct msg_submit){0};
            return -EINVAL;
        }
    return 0;
}

void slurm_try(struct slurm_session *s, uint64_t tag, const struct msg_update *m)
{
    const struct model *model = slurm_mirror_model(s->mirror);
    const struct job *j = model_get_job(model, m->target.job);
    struct msg_submit submit;
    struct errtext err = {""};
    if (!j || j->state != JOB_PENDING) {
        slurm_session_refuse(s, tag, REFUSAL_NO_JOB, "the job does not wait");
        return;
    }
    if (slurm_try_submission(j, &m->changes, loop_wall(s->hub->loop), &submit, &err) < 0) {
        slurm_session_refuse(s, tag, REFUSAL_BAD_REQUEST, err.s);
        return;
    }
    for (size_t i = 0; i < s->hub->env.n; i++)
        if (!str_starts(s->hub->env.v[i], "SLURM_TIME_FORMAT=")) /* its words are for people */
            strv_push(&submit.payload.env, s->hub->env.v[i]);
    slurm_trial(s, tag, &submit);
    rec_fini(&msg_submit_rec, &submit);
}
