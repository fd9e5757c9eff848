/* reversal.c - the change that was made last, and what takes it back. */
#include "ui/frame/reversal.h"

#include <stdlib.h>

#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "ui/state/ui_state.h"

#define OFFERED_MS 60000

struct reversal_request {
    enum msg_kind kind;
    void *body;
};

struct reversal {
    VEC(struct reversal_request) requests; /* without a body: left out */
    bool done;                             /* it was made */
    struct mono until;
};

void reversal_drop(struct ui *ui)
{
    struct reversal *r = ui->around.reversal;
    if (!r)
        return;
    vec_for_each (&r->requests, i)
        msg_free(r->requests.v[i].kind, r->requests.v[i].body);
    vec_fini(&r->requests);
    free(r);
    ui->around.reversal = NULL;
}

void reversal_begin(struct ui *ui)
{
    reversal_drop(ui);
    ui->around.reversal = xcalloc(1, sizeof *ui->around.reversal);
}

void reversal_add(struct ui *ui, enum msg_kind kind, const void *body)
{
    void *copy = xmalloc(msg_rec(kind)->size);
    rec_copy(msg_rec(kind), copy, body);
    vec_push(&ui->around.reversal->requests, (struct reversal_request){kind, copy});
}

void reversal_leave_out(struct ui *ui, size_t nth)
{
    struct reversal *r = ui->around.reversal;
    if (!r || nth >= r->requests.n)
        return;
    msg_free(r->requests.v[nth].kind, r->requests.v[nth].body);
    r->requests.v[nth].body = NULL;
}

void reversal_offer(struct ui *ui, const char *done)
{
    struct reversal *r = ui->around.reversal;
    if (!r || r->done || !r->requests.n) {
        ui_toast(ui, ROLE_GOOD, "%s", done);
        return;
    }
    struct str key = STR_INIT;
    keymap_format(&ui->o.keys, ACTION_UNDO, true, &key);
    ui_toast(ui, ROLE_GOOD, tr("%s   %s takes it back"), done, key.s);
    str_fini(&key);
    r->done = true;
    r->until = mono_add_ms(ui->mono, OFFERED_MS);
}

bool reversal_is_offered(const struct ui *ui)
{
    const struct reversal *r = ui->around.reversal;
    return r && r->done && ui->mono.ns < r->until.ns;
}

bool reversal_run(struct ui *ui, ui_told_fn *answered)
{
    struct reversal *r = ui->around.reversal;
    if (!reversal_is_offered(ui))
        return false;
    if (!ui_read_only(ui, true))
        vec_for_each (&r->requests, i)
            if (r->requests.v[i].body)
                ui_ask(ui, r->requests.v[i].kind, r->requests.v[i].body, answered, NULL, NULL);
    reversal_drop(ui);
    return true;
}
