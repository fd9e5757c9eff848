/* outbox.c - what the frame wants of the terminal around it. */
#include "ui/frame/outbox.h"

#include <stdlib.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "ui/frame/later.h"
#include "ui/state/ui_state.h"

struct outbox {
    unsigned wishes;
    char *copied, *title, *news;
    struct strv program;
    struct str program_where;
};

void outbox_new(struct ui *ui)
{
    ui->outbox = xcalloc(1, sizeof *ui->outbox);
    str_init(&ui->outbox->program_where);
}

void outbox_free(struct ui *ui)
{
    struct outbox *o = ui->outbox;
    free(o->copied);
    free(o->title);
    free(o->news);
    strv_fini(&o->program);
    str_fini(&o->program_where);
    free(o);
    ui->outbox = NULL;
}

void outbox_wish(struct ui *ui, unsigned bits)
{
    ui->outbox->wishes |= bits;
}

unsigned outbox_take(struct ui *ui)
{
    unsigned bits = ui->outbox->wishes;
    ui->outbox->wishes = 0;
    return bits;
}

void outbox_ring(struct ui *ui, char *take_title, const char *news)
{
    free(ui->outbox->title);
    ui->outbox->title = take_title;
    xstrset(&ui->outbox->news, news);
    outbox_wish(ui, WISH_BELL | WISH_TITLE | WISH_NOTIFY);
}

const char *outbox_news(const struct ui *ui)
{
    return ui->outbox->news;
}

void ui_copy(struct ui *ui, const char *text, const char *what)
{
    xstrset(&ui->outbox->copied, text);
    outbox_wish(ui, WISH_COPY);
    ui_toast(ui, ROLE_GOOD, tr("copied %s"), what);
}

void ui_run(struct ui *ui, const char *where, struct strv *take_argv)
{
    struct outbox *o = ui->outbox;
    str_clear(&o->program_where);
    cell_text(&o->program_where, where, -1, false, ui->o.ascii);
    strv_fini(&o->program);
    o->program = *take_argv;
    *take_argv = (struct strv){0};
    later_run(ui); /* its line would stand still */
    outbox_wish(ui, WISH_RUN);
}

void ui_quit(struct ui *ui)
{
    later_run(ui); /* what was confirmed is done before the program ends */
    outbox_wish(ui, WISH_QUIT);
}

const char *outbox_copied(const struct ui *ui)
{
    return ui->outbox->copied;
}

const char *outbox_title(const struct ui *ui)
{
    return ui->outbox->title;
}

const struct strv *outbox_program(const struct ui *ui)
{
    return &ui->outbox->program;
}

const char *outbox_program_where(const struct ui *ui)
{
    return ui->outbox->program_where.s;
}
