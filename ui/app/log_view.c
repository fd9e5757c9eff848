/* log_view.c - the command lines behind the user's actions.
 *
 *      TIME      COMMAND                                         RESULT
 *      14:20:11  scancel '8_[3-5]'                               accepted: 3
 *      14:19:02  scontrol update JobId=52 TimeLimit=8-00:00:00   refused: the longest time of gpu is 7 days
 */
#include "ui/app/log_view.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "ui/frame/action_log.h"
#include "ui/frame/stack.h"
#include "ui/info/job_info.h"
#include "ui/text/view_text.h"
#include "ui/view/table_view.h"

static struct tablescreen *log_screen_of(struct view *v)
{
    return (struct tablescreen *)(void *)v;
}

/* --- columns --- */

static void log_get_time(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct action_record *r = row;
    char iso[WALL_TEXT_SIZE];
    const char *text = wall_format_iso(r->t, iso), *clock = strchr(text, 'T');
    f->has_num = true;
    f->num = (double)r->number;
    rich_add(&f->text, ROLE_DIM, clock ? clock + 1 : text);
}

/* "done: 3", "refused: the limit of gpu is 7 days". */
static void log_result(const struct action_record *r, struct rich *out)
{
    switch (r->result) {
    case ACTION_RESULT_SENT: rich_add(out, ROLE_DIM, tr("sent, no answer yet")); return;
    case ACTION_RESULT_LOST: rich_add(out, ROLE_ERROR, tr("connection lost before the answer")); return;
    case ACTION_RESULT_NOTHING: rich_add(out, ROLE_WARN, tr("accepted, nothing was left to do")); return;
    case ACTION_RESULT_REFUSED:
        rich_addf(out, ROLE_ERROR, tr("refused: %s"), r->text ? r->text : "");
        return;
    case ACTION_RESULT_DONE: break;
    }
    if (r->text)
        rich_addf(out, ROLE_GOOD, tr("accepted: %s"), r->text);
    else if (r->count > 1)
        rich_addf(out, ROLE_GOOD, tr("accepted: %u"), r->count);
    else
        rich_add(out, ROLE_GOOD, tr("accepted"));
}

static void log_get_result(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    log_result(row, &f->text);
}

/* A script has many lines, of which the first is shown. */
static void log_get_command(const void *ctx, const void *row, struct table_field *f)
{
    (void)ctx;
    const struct action_record *r = row;
    const char *end = strchr(r->line, '\n');
    if (!end || !field_is_seen(f)) {
        rich_add(&f->text, ROLE_STRONG, r->line);
        return;
    }
    char *first = xstrndup(r->line, (size_t)(end - r->line));
    size_t more = 0;
    for (const char *s = end; s; s = strchr(s + 1, '\n'))
        more++;
    rich_add(&f->text, ROLE_STRONG, first);
    rich_addf(&f->text, ROLE_DIM, trn("  and %zu line", "  and %zu lines", more), more);
    free(first);
}

static const struct table_column columns[] = {
    {.name = "time", .title = N_("TIME"), .min = 8, .want = 8, .get = log_get_time},
    {.name = "command",
     .title = N_("COMMAND"),
     .min = 30,
     .want = 90,
     .fit = 44,
     .flags = COLUMN_WORDS | COLUMN_TREE,
     .get = log_get_command},
    {.name = "result",
     .title = N_("RESULT"),
     .min = 20,
     .fit = 60,
     .flags = COLUMN_WORDS,
     .get = log_get_result},
};

/* --- the view --- */

/* The newest first. */
static void log_fill(void *ctx, struct table *t)
{
    const struct ui *ui = ((const struct tablescreen *)ctx)->v.ui;
    for (size_t i = action_log_n(ui); i-- > 0;) {
        const struct action_record *r = action_log_at(ui, i);
        table_add(t, (struct trow){.id = r->number, .data = r});
    }
}

static struct view *log_view_open(struct ui *ui, const void *arg)
{
    (void)arg;
    struct tablescreen *s = xcalloc(1, sizeof *s);
    s->v = (struct view){.ops = &log_view, .ui = ui};
    table_init(&s->table, columns, sizeof columns / sizeof columns[0], log_fill, s);
    table_refill(&s->table);
    return &s->v;
}

static void log_view_close(struct view *v)
{
    tablescreen_fini(log_screen_of(v));
    free(v);
}

static void log_view_title(struct view *v, struct rich *out)
{
    rich_add(out, ROLE_TITLE, tr("Command lines"));
    tableview_title(v->ui, &log_screen_of(v)->table, action_log_n(v->ui), out);
}

static void log_fill_side(struct tablescreen *s, const struct action_record *r)
{
    struct lines *l = &s->side.lines;
    lines_clear(l);
    log_result(r, lines_add(l));
    lines_add(l);
    for (const char *at = r->line; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
        char *line = xstrndup(at, strcspn(at, "\n"));
        rich_add(lines_add(l), ROLE_NORMAL, line);
        free(line);
    }
}

static void log_view_draw(struct view *v, struct canvas *c, const struct screen_layout *l)
{
    struct tablescreen *s = log_screen_of(v);
    struct lines empty = {0};
    table_refill(&s->table); /* answers come without a change of the model */
    lines_addf(
        &empty, ROLE_NORMAL,
        tr("Nothing was changed from these screens yet. Each change will be listed here as the command "
           "line that does the same in a shell."));
    const struct trow *row = tablescreen_draw(s, c, l, &empty);
    lines_fini(&empty);
    if (!row)
        return;
    log_fill_side(s, row->data);
    side_draw(&s->side, c, l);
}

static int log_pane_lines(struct view *v, int h, int w)
{
    (void)w;
    return tablescreen_lines_below(log_screen_of(v), h, h / 2 - 1);
}

static unsigned log_view_act(struct view *v, enum action a, const struct input *in)
{
    struct tablescreen *s = log_screen_of(v);
    const struct trow *row = table_current(&s->table);
    if (a != ACTION_LOG_COPY && a != ACTION_COPY)
        return tableview_act(v->ui, &s->table, a, in);
    if (row)
        ui_copy(v->ui, ((const struct action_record *)row->data)->line, tr("the command line"));
    return DID_HANDLE | DID_REDRAW;
}

static const enum scope scopes[] = {SCOPE_LOG, SCOPE_LIST, SCOPE_MOVE};

const struct view_ops log_view = {
    .name = "log",
    .scopes = scopes,
    .n_scopes = sizeof scopes / sizeof scopes[0],
    .wants_side = true,
    .open = log_view_open,
    .close = log_view_close,
    .sync = tablescreen_sync,
    .title = log_view_title,
    .draw = log_view_draw,
    .input = tablescreen_input,
    .act = log_view_act,
    .table = tablescreen_table,
    .pane = tablescreen_pane,
    .pane_lines = log_pane_lines,
};

void log_open(struct ui *ui)
{
    if (ui_view(ui)->ops == &log_view)
        stack_pop(ui);
    else
        ui_push(ui, &log_view, NULL);
}
