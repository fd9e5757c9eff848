#include "backend/slurm/slurm_session.h"

#include <stdlib.h>

#include "src/base/xalloc.h"

#define COMMAND_WAIT_MS 60000

struct hub_command { /* that a client has asked for */
    struct list link;
    struct slurm_hub *hub;
    struct slurm_command *command;
    uint64_t session; /* its number */
    uint64_t tag;
    slurm_done_fn *fn;
    void *arg;
};

/* --- sending --- */

static void slurm_session_check_sent(struct slurm_session *s, bool sent)
{
    if (sent)
        return;
    s->missed = true;
    s->follow = SLURM_FOLLOW_NONE;
}

void slurm_session_send(struct slurm_session *s, enum msg_kind kind, uint64_t tag, const void *body)
{
    slurm_session_check_sent(s, conn_send(s->conn, 0, kind, tag, body));
}

void slurm_session_send_encoded(struct slurm_session *s, enum msg_kind kind, uint64_t tag,
                                const struct str *bytes)
{
    slurm_session_check_sent(s, conn_send_encoded(s->conn, 0, kind, tag, bytes->s, bytes->len));
}

void slurm_session_refuse(struct slurm_session *s, uint64_t tag, enum refusal refusal, const char *text)
{
    char *copy = xstrdup(text);
    struct msg_result r = {.refusal = refusal, .text = copy};
    slurm_session_send(s, MSG_RESULT, tag, &r);
    free(copy);
}

/* --- commands of clients --- */

struct slurm_session *slurm_hub_find(struct slurm_hub *hub, uint64_t number)
{
    list_for_each (s, &hub->sessions, struct slurm_session, link)
        if (s->number == number)
            return s;
    return NULL;
}

static void hub_command_free(struct hub_command *c)
{
    list_unlink(&c->link);
    slurm_command_free(c->command);
    free(c);
}

static void hub_on_command(void *ctx, const struct slurm_output *o)
{
    struct hub_command *c = ctx;
    struct slurm_hub *hub = c->hub;
    c->fn(slurm_hub_find(hub, c->session), c->tag, o, c->arg);
    hub_command_free(c);
    hub->changed(hub->ctx);
}

static void hub_run_for(struct slurm_hub *hub, uint64_t session, uint64_t tag, const struct strv *argv,
                        slurm_done_fn *fn, void *arg)
{
    struct hub_command *c = xcalloc(1, sizeof *c);
    *c = (struct hub_command){.hub = hub, .session = session, .tag = tag, .fn = fn, .arg = arg};
    list_init(&c->link);
    list_append(&hub->commands, &c->link);
    c->command = slurm_command_new(
        hub->loop,
        &(struct slurm_command_spec){
            .dir = hub->dir, .argv = argv, .env = &hub->env, .timeout_ms = COMMAND_WAIT_MS},
        hub_on_command, c);
}

void slurm_session_run(struct slurm_session *s, uint64_t tag, const struct strv *argv, slurm_done_fn *fn,
                       void *arg)
{
    hub_run_for(s->hub, s->number, tag, argv, fn, arg);
}

void slurm_hub_run(struct slurm_hub *hub, const struct strv *argv, slurm_done_fn *fn, void *arg)
{
    hub_run_for(hub, 0, 0, argv, fn, arg);
}

void slurm_hub_fini(struct slurm_hub *hub)
{
    list_for_each (c, &hub->commands, struct hub_command, link)
        hub_command_free(c);
    strv_fini(&hub->env);
    free(hub->dir);
}

void slurm_session_need(struct slurm_session *s)
{
    s->hub->changed(s->hub->ctx);
}
