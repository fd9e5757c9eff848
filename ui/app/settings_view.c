/* settings_view.c - the settings as a screen.
 *
 *      theme           dark            default
 *        (*) dark
 *        ( ) light
 *      mouse           on              ui.cfg, line 3
 */
#include "ui/app/settings_view.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "ui/app/settings.h"
#include "ui/app/settings_file.h"
#include "ui/frame/outbox.h"
#include "ui/state/ui_state.h"
#include "ui/widget/list.h"
#include "ui/widget/motion.h"

#define NAME_WIDTH   16
#define VALUE_WIDTH  18 /* at least: as wide as the values where there is room */
#define SOURCE_WIDTH 22

struct settings_row {
    enum setting which;
    const char *theme; /* of a theme's row; NULL: the option itself */
};

struct settings_screen {
    struct view v;
    VEC(struct settings_row) rows;
    struct list_state list;
    struct rect body;
};

static struct settings_screen *settings_screen_of(struct view *v)
{
    return (struct settings_screen *)(void *)v;
}

static uint64_t settings_row_id(const void *ctx, size_t i)
{
    (void)ctx;
    return i + 1;
}

static struct view *settings_view_open(struct ui *ui, const void *arg)
{
    (void)arg;
    if (!ui->o.settings)
        return NULL;
    struct settings_screen *s = xcalloc(1, sizeof *s);
    s->v = (struct view){.ops = &settings_view, .ui = ui};
    for (int i = 0; i < SETTING_N; i++) {
        vec_push(&s->rows, (struct settings_row){.which = (enum setting)i});
        for (size_t k = 0; i == SETTING_THEME && k < ui->o.themes.n; k++)
            vec_push(&s->rows, (struct settings_row){.which = (enum setting)i, .theme = ui->o.themes.v[k]});
    }
    list_sync(&s->list, s->rows.n, settings_row_id, s);
    return &s->v;
}

/* The theme under the cursor is in use as long as the cursor is there. */
static void settings_preview(struct settings_screen *s, const char *theme)
{
    struct ui *ui = s->v.ui;
    if (str_eq(ui->o.preview_theme, theme))
        return;
    ui->o.preview_theme = theme;
    outbox_wish(ui, WISH_THEME);
}

static void settings_view_close(struct view *v)
{
    struct settings_screen *s = settings_screen_of(v);
    settings_preview(s, NULL);
    list_state_fini(&s->list);
    vec_fini(&s->rows);
    free(s);
}

static void settings_view_sync(struct view *v)
{
    (void)v;
}

static void settings_view_title(struct view *v, struct rich *out)
{
    char *path = settings_path();
    const char *home = getenv("HOME");
    bool own = !str_is_empty(home) && str_starts(path, home);
    (void)v;
    rich_add(out, ROLE_TITLE, tr("Settings"));
    rich_addf(out, ROLE_DIM, "  %s%s", own ? "~" : "", own ? path + strlen(home) : path);
    free(path);
}

/* --- drawing --- */

static void draw_source(const struct settings *s, enum setting which, struct canvas *c, int y, int x, int w)
{
    if (s->from[which] == SETTING_BY_FILE)
        canvas_printf(c, y, x, ROLE_NORMAL, w, tr("ui.cfg, line %d"), s->lines[which]);
    else
        canvas_text(c, y, x, ROLE_DIM,
                    s->from[which] == SETTING_BY_OPTION ? tr("command line") : tr("default"), w);
}

static int settings_value_width(const struct settings *now, int width)
{
    int most = width - 1 - NAME_WIDTH - SOURCE_WIDTH, w = VALUE_WIDTH;
    for (int i = 0; i < SETTING_N; i++) {
        struct str value = STR_INIT;
        setting_format(now, (enum setting)i, &value);
        int n = cell_width(value.s) + 2;
        w = n > w ? n : w;
        str_fini(&value);
    }
    return w <= most ? w : most > VALUE_WIDTH ? most : VALUE_WIDTH;
}

static void draw_option(const struct settings_screen *s, const struct settings_row *row, struct canvas *c,
                        struct rect line)
{
    const struct settings *now = s->v.ui->o.settings;
    const struct setting_info *info = setting_info(row->which);
    struct str value = STR_INIT;
    int x = line.x + 1, values = settings_value_width(now, line.w);
    if (row->theme) {
        bool on = str_eq(row->theme, now->theme ? now->theme : info->usual);
        canvas_printf(c, line.y, x + 2, on ? ROLE_STRONG : ROLE_NORMAL, line.w - 4, "(%s) %s",
                      on ? "*" : " ", row->theme);
        return;
    }
    setting_format(now, row->which, &value);
    canvas_text(c, line.y, x, ROLE_KEY, info->name, NAME_WIDTH - 1);
    x += NAME_WIDTH;
    canvas_text(c, line.y, x, ROLE_STRONG, value.s, values - 1);
    x += values;
    draw_source(now, row->which, c, line.y, x, line.x + line.w - x);
    str_fini(&value);
}

static void settings_view_draw(struct view *v, struct canvas *c, const struct screen_layout *l)
{
    struct settings_screen *s = settings_screen_of(v);
    struct rect r = l->body;
    if (r.h < 3)
        return;
    struct rect foot = rect_take_bottom(&r, 2);
    s->body = r;
    list_fit(&s->list, r.h);
    for (size_t i = s->list.top; i < s->rows.n && i < s->list.top + (size_t)r.h; i++) {
        struct rect line = rect_make(r.y + (int)(i - s->list.top), r.x, 1, r.w);
        draw_option(s, &s->rows.v[i], c, line);
        if (i == s->list.cursor)
            canvas_over(c, line, ROLE_CURSOR);
    }
    const struct settings_row *row = &s->rows.v[s->list.cursor];
    canvas_hline(c, foot.y, foot.x, foot.w, ROLE_RULE);
    canvas_text(c, foot.y + 1, foot.x + 1, ROLE_DIM, tr(setting_info(row->which)->help), foot.w - 2);
}

/* --- changes --- */

struct setting_change {
    char *name, *value;
    int rc;
    struct errtext err;
};

static void setting_change_free(void *arg)
{
    struct setting_change *w = arg;
    free(w->name);
    free(w->value);
    free(w);
}

static void setting_change_write(void *arg)
{
    struct setting_change *w = arg;
    char *path = settings_path();
    w->rc = settings_file_set(path, w->name, w->value, &w->err);
    free(path);
}

static void setting_change_done(struct ui *ui, struct view *owner, void *arg)
{
    (void)owner;
    const struct setting_change *w = arg;
    if (w->rc < 0)
        ui_toast(ui, ROLE_ERROR, "%s", w->err.s);
    else
        outbox_wish(ui, WISH_RELOAD);
}

/* value: as it stands in the file; NULL: the option goes out of it. */
static void settings_change(struct settings_screen *s, enum setting which, char *take_value)
{
    struct ui *ui = s->v.ui;
    if (ui->o.settings->from[which] == SETTING_BY_OPTION)
        ui_toast(ui, ROLE_WARN, tr("the command line has set %s: it counts until the screens are left"),
                 setting_info(which)->name);
    struct setting_change *w = xcalloc(1, sizeof *w);
    *w = (struct setting_change){.name = xstrdup(setting_info(which)->name), .value = take_value};
    ui_aside(ui, NULL, setting_change_write, setting_change_done, w, setting_change_free);
}

static void setting_typed(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    struct settings_screen *s = arg;
    (void)ui;
    if (outcome != DIALOG_YES)
        return;
    const struct settings_row *row = &s->rows.v[s->list.cursor];
    settings_change(s, row->which, settings_file_quote(d->edit.text.s));
}

static void settings_type(struct settings_screen *s, enum setting which)
{
    struct dialog *d = dialog_new(DIALOG_PROMPT, setting_info(which)->name);
    struct str now = STR_INIT;
    if (which != SETTING_NOTIFY_COMMAND || s->v.ui->o.settings->notify_command)
        setting_format(s->v.ui->o.settings, which, &now);
    edit_set(&d->edit, now.s);
    lines_addf(&d->body.lines, ROLE_NORMAL, "%s", tr(setting_info(which)->help));
    d->verb = xstrdup(tr("set"));
    d->may_be_empty = which == SETTING_NOTIFY_COMMAND;
    ui_take_dialog(s->v.ui, d, setting_typed, s, NULL);
    str_fini(&now);
}

/* The next of the words of a choice. */
static void settings_next_choice(struct settings_screen *s, enum setting which)
{
    struct str now = STR_INIT;
    setting_format(s->v.ui->o.settings, which, &now);
    settings_change(s, which, settings_file_quote(setting_next_choice(which, now.s)));
    str_fini(&now);
}

static void settings_open_row(struct settings_screen *s)
{
    const struct settings_row *row = &s->rows.v[s->list.cursor];
    struct ui *ui = s->v.ui;
    struct str now = STR_INIT;
    setting_format(ui->o.settings, row->which, &now);
    if (row->theme) {
        xstrset(&ui->o.prefs->theme, NULL); /* of :theme */
        outbox_wish(ui, WISH_SAVE | WISH_KEEP);
        settings_change(s, row->which, settings_file_quote(row->theme));
    } else if (setting_info(row->which)->kind == SETTING_BOOL) {
        settings_change(s, row->which, xstrdup(str_eq(now.s, "on") ? "false" : "true"));
    } else if (setting_info(row->which)->kind == SETTING_CHOICE) {
        settings_next_choice(s, row->which);
    } else {
        settings_type(s, row->which);
    }
    str_fini(&now);
}

/* --- inputs --- */

static unsigned settings_view_input(struct view *v, const struct input *in)
{
    struct settings_screen *s = settings_screen_of(v);
    if (in->kind != INPUT_MOUSE || !rect_has(s->body, in->y, in->x))
        return 0;
    size_t at = s->list.top + (size_t)(in->y - s->body.y);
    if (in->what == MOUSE_WHEEL_UP || in->what == MOUSE_WHEEL_DOWN)
        list_scroll(&s->list, in->what == MOUSE_WHEEL_UP ? -3 : 3, settings_row_id, s);
    else if (at < s->rows.n)
        list_set_cursor(&s->list, at, settings_row_id, s);
    settings_preview(s, s->rows.v[s->list.cursor].theme);
    return in->what == MOUSE_DOUBLE ? DID_REDRAW : DID_HANDLE | DID_REDRAW;
}

static unsigned settings_view_act(struct view *v, enum action a, const struct input *in)
{
    struct settings_screen *s = settings_screen_of(v);
    (void)in;
    if (a == ACTION_SET_CHANGE)
        settings_open_row(s);
    else if (a == ACTION_SET_DEFAULT)
        settings_change(s, s->rows.v[s->list.cursor].which, NULL);
    else if (!list_move(&s->list, a, settings_row_id, s))
        return 0;
    settings_preview(s, s->rows.v[s->list.cursor].theme);
    return DID_HANDLE | DID_REDRAW;
}

static const enum scope settings_scopes[] = {SCOPE_SETTINGS, SCOPE_MOVE};

const struct view_ops settings_view = {
    .name = "settings",
    .scopes = settings_scopes,
    .n_scopes = sizeof settings_scopes / sizeof settings_scopes[0],
    .open = settings_view_open,
    .close = settings_view_close,
    .sync = settings_view_sync,
    .title = settings_view_title,
    .draw = settings_view_draw,
    .input = settings_view_input,
    .act = settings_view_act,
};
