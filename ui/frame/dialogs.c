/* dialogs.c - the stack of open dialogs, and keys that are typed while one of them waits for an answer. */
#include "ui/frame/dialogs.h"

#include <stdlib.h>

#include "src/base/xalloc.h"
#include "ui/state/ui_state.h"

#define AHEAD_MAX 64

struct open_dialog {
    uint64_t number;
    struct dialog *d;
    ui_done_fn *done;
    void *arg;
    void (*free_arg)(void *);
};

struct dialogs {
    VEC(struct open_dialog) open;
    uint64_t next_number;
    uint64_t doing; /* whose outcome is being told; 0: none */
    struct typed_keys ahead;
    bool replay; /* the one that waited has gone: they are for what lies under it */
};

void dialogs_new(struct ui *ui)
{
    ui->dialogs = xcalloc(1, sizeof *ui->dialogs);
    ui->dialogs->next_number = 1;
}

struct dialog *dialogs_top(const struct ui *ui)
{
    const struct dialogs *s = ui->dialogs;
    return s->open.n ? s->open.v[s->open.n - 1].d : NULL;
}

uint64_t dialogs_top_number(const struct ui *ui)
{
    const struct dialogs *s = ui->dialogs;
    return s->open.n ? s->open.v[s->open.n - 1].number : 0;
}

/* What was typed ahead was meant for after a yes. */
static void dialogs_forget_typed(struct ui *ui)
{
    vec_clear(&ui->dialogs->ahead);
}

static void dialogs_drop_at(struct ui *ui, size_t i)
{
    struct open_dialog od = ui->dialogs->open.v[i];
    vec_remove(&ui->dialogs->open, i);
    if (od.d->waiting && !ui->dialogs->replay)
        dialogs_forget_typed(ui);
    dialog_free(od.d);
    if (od.free_arg)
        od.free_arg(od.arg);
}

void dialogs_free(struct ui *ui)
{
    while (ui->dialogs->open.n)
        dialogs_drop_at(ui, ui->dialogs->open.n - 1);
    vec_fini(&ui->dialogs->open);
    vec_fini(&ui->dialogs->ahead);
    free(ui->dialogs);
    ui->dialogs = NULL;
}

void dialogs_drop_others(struct ui *ui)
{
    for (size_t i = ui->dialogs->open.n; i-- > 0;)
        if (ui->dialogs->open.v[i].number != ui->dialogs->doing)
            dialogs_drop_at(ui, i);
}

uint64_t ui_take_dialog(struct ui *ui, struct dialog *d, ui_done_fn *done, void *arg,
                        void (*free_arg)(void *))
{
    uint64_t number = ui->dialogs->next_number++;
    vec_push(
        &ui->dialogs->open,
        (struct open_dialog){.number = number, .d = d, .done = done, .arg = arg, .free_arg = free_arg});
    ui->dirty = true;
    return number;
}

struct dialog *ui_find_dialog(struct ui *ui, uint64_t number)
{
    vec_for_each (&ui->dialogs->open, i)
        if (ui->dialogs->open.v[i].number == number) {
            ui->dirty = true;
            return ui->dialogs->open.v[i].d;
        }
    return NULL;
}

void *ui_dialog_arg(struct ui *ui, uint64_t number)
{
    vec_for_each (&ui->dialogs->open, i)
        if (ui->dialogs->open.v[i].number == number)
            return ui->dialogs->open.v[i].arg;
    return NULL;
}

uint64_t ui_keep_dialog(struct ui *ui)
{
    struct dialog *d = ui_find_dialog(ui, ui->dialogs->doing);
    bug_on(!d);
    d->kept = true;
    return ui->dialogs->doing;
}

void ui_dialog_waits(struct ui *ui, uint64_t number)
{
    struct dialog *d = ui_find_dialog(ui, number);
    if (d)
        dialog_wait(d);
}

static bool dialogs_type_ahead(struct ui *ui, const struct dialog *d, const struct input *in)
{
    if (!d->waiting || in->kind != INPUT_KEY || in->key == KEYNAME_ESC)
        return false;
    if (ui->dialogs->ahead.n < AHEAD_MAX)
        vec_push(&ui->dialogs->ahead, in->key);
    return true;
}

struct typed_keys dialogs_take_typed(struct ui *ui)
{
    struct typed_keys keys = {.v = NULL};
    if (!ui->dialogs->replay)
        return keys;
    keys = ui->dialogs->ahead; /* they may make another one wait */
    ui->dialogs->ahead = (struct typed_keys){.v = NULL};
    ui->dialogs->replay = false;
    return keys;
}

bool ui_refuse_dialog(struct ui *ui, uint64_t number, const char *fmt, ...)
{
    struct dialog *d = ui_find_dialog(ui, number);
    struct str s = STR_INIT;
    va_list ap;
    if (!d)
        return false;
    dialogs_forget_typed(ui);
    va_start(ap, fmt);
    str_vappendf(&s, fmt, ap);
    va_end(ap);
    dialog_refuse(d, s.s);
    str_fini(&s);
    return true;
}

void ui_drop_dialog(struct ui *ui, uint64_t number)
{
    vec_for_each (&ui->dialogs->open, i)
        if (ui->dialogs->open.v[i].number == number) {
            ui->dialogs->replay |= ui->dialogs->open.v[i].d->waiting;
            dialogs_drop_at(ui, i);
            ui->dirty = true;
            return;
        }
}

void dialogs_input(struct ui *ui, const struct input *in)
{
    uint64_t number = ui->dialogs->open.v[ui->dialogs->open.n - 1].number;
    struct open_dialog od = ui->dialogs->open.v[ui->dialogs->open.n - 1];
    ui->dirty = true;
    if (dialogs_type_ahead(ui, od.d, in))
        return;
    enum dialog_outcome outcome = dialog_input(od.d, in, &ui->o.keys);
    if (outcome == DIALOG_OPEN)
        return;
    /* done may open another dialog: this one goes by its number. */
    ui->dialogs->doing = number;
    od.d->kept = false;
    if (od.done)
        od.done(ui, od.d, outcome, od.arg);
    ui->dialogs->doing = 0;
    struct dialog *d = ui_find_dialog(ui, number);
    if (d && d->kept)
        return;
    if (d)
        d->waiting = false; /* it is left */
    dialogs_forget_typed(ui);
    ui_drop_dialog(ui, number);
}
