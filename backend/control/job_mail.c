#include "backend/control/job_mail.h"

#include "backend/control/emit.h"
#include "backend/mail/mailer.h"

static uint64_t job_mail_ticket(void *ctx)
{
    return ctl_ticket(ctx);
}

static void job_mail_serving(struct control *c)
{
    c->state[MODULE_MAIL] = mailer_new(c->loop, &c->model, job_mail_ticket, c);
}

static void job_mail_stop(struct control *c)
{
    if (c->state[MODULE_MAIL])
        mailer_free(c->state[MODULE_MAIL]);
}

static void job_mail_after(struct control *c, const struct emission *e)
{
    struct mailer *q = c->state[MODULE_MAIL];
    if (q && e->job)
        mailer_note_change(q, e->job, e->state_before);
    const struct job *element =
        e->ev->kind == EV_START && e->element ? model_get_job(&c->model, e->element) : NULL;
    if (q && element)
        mailer_note_change(q, element, JOB_PENDING);
}

static void job_mail_released(struct control *c)
{
    mailer_commit(c->state[MODULE_MAIL], store_committed(c->store));
}

static void job_mail_reset(struct control *c)
{
    mailer_drop_uncommitted(c->state[MODULE_MAIL]);
}

const struct module_ops job_mail_module = {.serving = job_mail_serving,
                                           .stop = job_mail_stop,
                                           .after = job_mail_after,
                                           .released = job_mail_released,
                                           .reset = job_mail_reset};
