/* requests.c - requests find their answers by tag. */
#include "ui/frame/requests.h"

#include <stdlib.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "ui/frame/action_log.h"
#include "ui/state/ui_state.h"

struct request {
    uint64_t tag;
    struct view *owner;
    bool has_owner;
    ui_reply_fn *reply;
    uint64_t arg;
};

struct requests {
    VEC(struct request) asked;
};

bool ui_send(struct ui *ui, enum msg_kind kind, const void *body, struct view *owner, ui_reply_fn *reply,
             uint64_t arg)
{
    uint64_t tag = 0;
    if (!ui->session.online || ui->o.send(ui->o.ctx, kind, body, &tag) < 0) {
        ui_toast(ui, ROLE_ERROR, tr(NOT_CONNECTED));
        return false;
    }
    action_log_sent(ui, kind, body, tag);
    if (reply)
        vec_push(&ui->requests->asked,
                 ((struct request){
                     .tag = tag, .owner = owner, .has_owner = owner != NULL, .reply = reply, .arg = arg}));
    return true;
}

struct told_request { /* what comes with a request of ui_ask */
    ui_told_fn *told;
    void *arg;
    void (*free_arg)(void *);
};

static void told_free(struct told_request *h)
{
    if (h->free_arg)
        h->free_arg(h->arg);
    free(h);
}

static void requests_tell(struct ui *ui, struct view *owner, uint64_t at, const struct incoming *in)
{
    (void)owner;
    struct told_request *h = (struct told_request *)(uintptr_t)at;
    h->told(ui, in, h->arg);
    told_free(h);
}

bool ui_ask(struct ui *ui, enum msg_kind kind, const void *body, ui_told_fn *told, void *take_arg,
            void (*free_arg)(void *))
{
    struct told_request *h = xcalloc(1, sizeof *h);
    *h = (struct told_request){.told = told, .arg = take_arg, .free_arg = free_arg};
    bool sent = ui_send(ui, kind, body, NULL, requests_tell, (uint64_t)(uintptr_t)h);
    if (!sent)
        told_free(h);
    return sent;
}

void requests_new(struct ui *ui)
{
    ui->requests = xcalloc(1, sizeof *ui->requests);
}

void requests_free(struct ui *ui)
{
    vec_for_each (&ui->requests->asked, i)
        if (ui->requests->asked.v[i].reply == requests_tell)
            told_free((struct told_request *)(uintptr_t)ui->requests->asked.v[i].arg);
    vec_fini(&ui->requests->asked);
    free(ui->requests);
    ui->requests = NULL;
}

void requests_forget(struct ui *ui, const struct view *owner)
{
    for (size_t i = ui->requests->asked.n; i-- > 0;)
        if (ui->requests->asked.v[i].owner == owner && ui->requests->asked.v[i].has_owner)
            vec_remove(&ui->requests->asked, i);
}

bool requests_take_answer(struct ui *ui, const struct incoming *in)
{
    action_log_answered(ui, in->tag, in);
    vec_for_each (&ui->requests->asked, i)
        if (ui->requests->asked.v[i].tag == in->tag && in->tag) {
            struct request q = ui->requests->asked.v[i];
            if (in->kind != MSG_JOBS) /* more follows, up to the end of the history */
                vec_remove(&ui->requests->asked, i);
            q.reply(ui, q.owner, q.arg, in);
            return true;
        }
    return false;
}

void requests_fail(struct ui *ui)
{
    action_log_lose(ui);
    while (ui->requests->asked.n) {
        struct request q = ui->requests->asked.v[ui->requests->asked.n - 1];
        ui->requests->asked.n--;
        q.reply(ui, q.owner, q.arg, NULL);
    }
}
