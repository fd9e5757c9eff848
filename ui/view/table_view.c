/* table_view.c - what all screens with a table do alike. */
#include "ui/view/table_view.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "ui/view/export_list.h"
#include "ui/widget/bar.h"

#define BELOW_FROM 15  /* lines of a body that has room for details below the table */
#define ROWS_MANY  999 /* more than any screen has */

/* --- the sort menu --- */

/* The items: the natural order, then each column up and down. */
static void sort_chosen(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    (void)ui;
    struct table *t = arg;
    if (outcome != DIALOG_YES)
        return;
    size_t item = dialog_choice(d);
    if (!item)
        table_sort(t, -1, false);
    else
        table_sort(t, (int)(item - 1), t->sort == (int)(item - 1) ? !t->reverse : false);
}

static void open_sort_menu(struct ui *ui, struct table *t)
{
    struct dialog *d = dialog_new(DIALOG_MENU, tr("sort by"));
    d->verb = xstrdup(tr("sort; again: reverse"));
    strv_push(&d->items, tr("natural order"));
    for (size_t i = 0; i < t->n_cols; i++) {
        struct str s = STR_INIT;
        char word[COLUMN_WORD_SIZE];
        str_append(&s, table_column_word(&t->cols[i], word));
        if (t->sort == (int)i)
            str_append(&s, t->reverse ? tr(" (down)") : tr(" (up)"));
        strv_push_take(&d->items, str_take(&s));
    }
    dialog_choose(d, (size_t)(t->sort + 1));
    ui_take_dialog(ui, d, sort_chosen, t, NULL);
}

/* --- the columns --- */

static void columns_chosen(struct ui *ui, struct dialog *d, enum dialog_outcome outcome, void *arg)
{
    (void)ui;
    struct table *t = arg;
    for (size_t i = 0; outcome == DIALOG_YES && i < t->n_cols; i++)
        table_show_column(t, i, d->checked[i]);
}

static void open_columns(struct ui *ui, struct table *t)
{
    struct dialog *d = dialog_new(DIALOG_CHECKS, tr("columns"));
    d->verb = xstrdup(tr("apply"));
    d->checked = xcalloc(t->n_cols, sizeof *d->checked);
    for (size_t i = 0; i < t->n_cols; i++) {
        char word[COLUMN_WORD_SIZE];
        strv_push(&d->items, table_column_word(&t->cols[i], word));
        d->checked[i] = table_shows_column(t, i);
    }
    ui_take_dialog(ui, d, columns_chosen, t, NULL);
}

/* --- copying --- */

static void copy_id(struct ui *ui, struct table *t)
{
    char *name = table_current_name(t);
    if (name)
        ui_copy(ui, name, name);
    free(name);
}

static void copy_all(struct ui *ui, struct table *t)
{
    struct str s = STR_INIT, what = STR_INIT;
    size_t n = table_export(t, UI_COPY_MAX, &s);
    if (n < t->shown.n)
        str_appendf(&what, tr("the first %zu of %zu rows (limit of terminals)"), n, t->shown.n);
    else
        str_appendf(&what, trn("%zu row", "%zu rows", n), n);
    ui_copy(ui, s.s, what.s);
    str_fini(&s);
    str_fini(&what);
}

unsigned tableview_act(struct ui *ui, struct table *t, enum action a, const struct input *in)
{
    if (a == ACTION_SORT)
        open_sort_menu(ui, t);
    else if (a == ACTION_COLUMNS)
        open_columns(ui, t);
    else if (a == ACTION_COPY)
        copy_id(ui, t);
    else if (a == ACTION_COPY_ALL)
        copy_all(ui, t);
    else if (a == ACTION_EXPORT)
        export_list_ask(ui, t);
    else
        return table_act(t, a, in);
    return DID_HANDLE | DID_REDRAW;
}

/* --- drawing --- */

void tableview_title(const struct ui *ui, const struct table *t, size_t total, struct rich *out)
{
    size_t n = t->n_top;
    if (!ui_has_data(ui))
        return;
    if (n != total)
        rich_addf(out, ROLE_NORMAL, tr(" %zu of %zu"), n, total);
    else
        rich_addf(out, ROLE_NORMAL, " %zu", n);
    if (t->flat)
        rich_add(out, ROLE_NORMAL, tr("   flat"));
    if (t->typing || t->edit.text.len) {
        rich_add(out, ROLE_LABEL, tr("   filter "));
        rich_add(out, ROLE_INPUT, t->edit.text.s);
    }
    if (t->filter.fuzzy && t->shown.n)
        rich_add(out, ROLE_WARN, tr(" no match, similar rows"));
    if (t->sort >= 0) {
        rich_add(out, ROLE_LABEL, tr("   sort "));
        char word[COLUMN_WORD_SIZE];
        rich_addf(out, ROLE_NORMAL, "%s%s", table_column_word(&t->cols[t->sort], word),
                  t->reverse ? tr(", down") : "");
    }
    if (t->list.range)
        rich_add(out, ROLE_MARK, tr("   marking a range, v ends it"));
    else if (list_n_marks(&t->list))
        rich_addf(out, ROLE_MARK, tr("   %zu marked"), list_n_marks(&t->list));
}

#define FILTER_LABEL "filter "
#define FILTER_NOTE \
    34 /* cells right of the filter, where the line has room for them; more in some languages */

/* What is wrong with a word, or how many rows match. Returns the role. */
static enum role filter_note(const struct table *t, struct str *ret)
{
    const struct term_word *wrong = filter_wrong(&t->filter);
    if (wrong)
        str_append(ret, wrong->error);
    else if (t->filter.fuzzy)
        str_appendf(ret, tr("no match, %zu similar"), t->n_top);
    else
        str_appendf(ret, tr("%zu match  Enter keep, Esc clear"), t->n_top);
    return wrong ? ROLE_ERROR : t->filter.fuzzy ? ROLE_WARN : ROLE_DIM;
}

/* The filter line takes the title's place from its own label on while it is typed. */
static void draw_filter_line(struct table *t, struct canvas *c, struct rect r)
{
    if (rect_is_empty(r))
        return;
    struct str note = STR_INIT;
    enum role role = filter_note(t, &note);
    int note_w = r.w > 60 ? cell_width(note.s) + 3 : 0;
    note_w = note_w && note_w < FILTER_NOTE ? FILTER_NOTE : note_w < r.w / 2 ? note_w : r.w / 2;
    canvas_fill(c, r, ROLE_NORMAL);
    int x = r.x + 1 + canvas_text(c, r.y, r.x + 1, ROLE_TITLE, FILTER_LABEL, r.w - 2),
        w = r.w - (note_w ? note_w : 1) - x;
    edit_draw(&t->edit, c, r.y, x, w);
    const struct term_word *wrong = filter_wrong(&t->filter);
    if (wrong && cell_width(t->edit.text.s) < w) {
        char *before = xstrndup(t->edit.text.s, wrong->at),
             *word = xstrndup(t->edit.text.s + wrong->at, wrong->to - wrong->at);
        canvas_text(c, r.y, x + cell_width(before), ROLE_ERROR, word, w);
        free(before);
        free(word);
    }
    if (note_w)
        canvas_text(c, r.y, r.x + r.w - note_w + 2, role, note.s, note_w - 3);
    str_fini(&note);
}

/* A word like "usr:bob" is looked for as it stands, which is seldom what was meant. */
static void say_nothing_matches(const struct table *t, struct lines *l)
{
    const struct term_word *wrong = filter_wrong(&t->filter);
    lines_addf(l, ROLE_NORMAL, tr("No row matches the filter. Esc clears it."));
    if (t->elsewhere)
        lines_addf(l, ROLE_DIM, "%s", t->elsewhere);
    if (wrong)
        lines_addf(l, ROLE_WARN, "/%s/ is not a regular expression: %s", wrong->text, wrong->error);
    for (size_t i = 0; i < t->filter.n; i++) {
        const struct term_word *w = &t->filter.v[i];
        if (filter_wants_number(w))
            lines_addf(l, ROLE_WARN, tr("\"%.*s\": a number is missing, as in 2, 2h or 16G."),
                       (int)(w->to - w->at), t->edit.text.s + w->at);
    }
    struct strv words = strv_split(t->edit.text.s, " |");
    for (size_t i = 0; i < words.n; i++) {
        const char *word = words.v[i] + (words.v[i][0] == '!');
        size_t n = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
        if (!n || word[n] != ':')
            continue;
        char *name = xstrndup(word, n);
        if (table_find_column(t, name) < 0) {
            struct rich *r = lines_addf(l, ROLE_WARN, tr("There is no column \"%s\" here, but "), name);
            char heading[COLUMN_WORD_SIZE];
            for (size_t k = 0; k < t->n_cols; k++)
                rich_addf(r, ROLE_NORMAL, "%s%s", k ? ", " : "", table_column_word(&t->cols[k], heading));
        }
        free(name);
    }
    strv_fini(&words);
}

bool tableview_draw(struct ui *ui, struct table *t, struct canvas *c, const struct screen_layout *l,
                    const struct lines *empty)
{
    bool ticks = table_draw(t, c, l->body, true);
    if (t->typing)
        draw_filter_line(
            t, c, rect_is_empty(l->title) ? rect_make(l->body.y, l->body.x, 1, l->body.w) : l->title);
    if (t->shown.n || l->body.h < 3)
        return ticks;
    struct pane p = {0};
    if (!ui_has_data(ui)) {
        lines_addf(&p.lines, ROLE_DIM, tr("Waiting for the controller ..."));
    } else if (table_is_filtered(t)) {
        say_nothing_matches(t, &p.lines);
    } else {
        lines_flow(empty, l->body.w - 8, &p.lines);
    }
    pane_draw(&p, c, rect_make(l->body.y + 2, l->body.x + 4, l->body.h - 2, l->body.w - 8));
    pane_fini(&p);
    return ticks;
}

/* --- screens of one table --- */

static struct tablescreen *screen_of(struct view *v)
{
    return (struct tablescreen *)(void *)v;
}

void tablescreen_fini(struct tablescreen *s)
{
    table_fini(&s->table);
    pane_fini(&s->side);
}

void tablescreen_sync(struct view *v)
{
    table_refill(&screen_of(v)->table);
}

unsigned tablescreen_input(struct view *v, const struct input *in)
{
    return table_input(&screen_of(v)->table, in, screen_of(v)->body);
}

struct table *tablescreen_table(struct view *v)
{
    return &screen_of(v)->table;
}

const struct trow *tablescreen_draw(struct tablescreen *s, struct canvas *c,
                                    const struct screen_layout *inner, const struct lines *empty)
{
    s->body = inner->body;
    s->v.ticks = tableview_draw(s->v.ui, &s->table, c, inner, empty);
    lines_clear(&s->side.lines);
    return rect_is_empty(inner->side) ? NULL : table_current(&s->table);
}

struct pane *tablescreen_pane(struct view *v)
{
    return &screen_of(v)->side;
}

int tableview_lines_below(const struct table *t, int h, int least)
{
    if (h < BELOW_FROM || !table_current(t))
        return 0;
    int left = h - (int)(t->shown.n < ROWS_MANY ? t->shown.n : ROWS_MANY) - 2;
    return left > least + 1 ? left : least + 1;
}

int tableview_lines_spare(const struct table *t, int h, int from, int least)
{
    int lines = tableview_lines_below(t, h, h < from ? 0 : least);
    return lines > least ? lines : 0;
}

int tablescreen_lines_below(const struct tablescreen *s, int h, int least)
{
    return tableview_lines_below(&s->table, h, least);
}

void tableview_legend(struct rich *r, enum role role, const char *sign, const char *means, int width)
{
    int gap = r->text.len ? 2 : 0;
    if (cell_width(r->text.s) + gap + cell_width(sign) + 1 + cell_width(means) > width)
        return;
    rich_addf(r, ROLE_DIM, "%*s", gap, "");
    rich_add(r, role, sign);
    rich_addf(r, ROLE_DIM, " %s", means);
}

void tableview_legend_bar(struct rich *r, enum role part, enum glyph sign, const char *means, int width)
{
    int gap = r->text.len ? 2 : 0, signs = sign == GLYPH_N ? 1 : 2;
    if (cell_width(r->text.s) + gap + signs + 1 + cell_width(means) > width)
        return;
    rich_addf(r, ROLE_DIM, "%*s", gap, "");
    str_append(&r->text, bar_sign(part));
    rich_filled(r, part, part);
    if (sign != GLYPH_N)
        rich_add(r, part == ROLE_BAR_FREE ? ROLE_DIM : part, glyph_text(sign));
    rich_addf(r, ROLE_DIM, " %s", means);
}

struct rect side_inside(const struct screen_layout *l)
{
    int set_in = l->below ? 2 : 1;
    return rect_make(l->side.y, l->side.x + set_in, l->side.h, l->side.w - 2 * set_in);
}

void side_draw(struct pane *p, struct canvas *c, const struct screen_layout *l)
{
    pane_draw(p, c, side_inside(l));
}
