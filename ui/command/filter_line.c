/* filter_line.c - suggestions and earlier filters for the filter line. */
#include "ui/command/filter_line.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "ui/command/complete.h"
#include "ui/command/word_candidates.h"
#include "ui/frame/dialogs.h"
#include "ui/frame/outbox.h"
#include "ui/frame/stack.h"

#define NAME_FROM 2 /* letters from which on names of columns are suggested */

/* The text of ui->cmd->filter->edit is the one that the suggestions are for. */
void filter_line_new(struct ui *ui)
{
    ui->cmd->filter = xcalloc(1, sizeof *ui->cmd->filter);
    edit_init(&ui->cmd->filter->edit);
    ui->cmd->filter->chosen = -1;
}

void filter_line_free(struct ui *ui)
{
    struct cmdline *fl = ui->cmd->filter;
    candidates_clear(fl);
    vec_fini(&fl->candidates);
    edit_fini(&fl->edit);
    free(fl->typed);
    free(fl);
    ui->cmd->filter = NULL;
}

static struct table *filter_line_table(const struct ui *ui)
{
    struct view *v = ui_view(ui);
    struct table *t = v->ops->table ? v->ops->table(v) : NULL;
    return t && t->typing && !dialogs_top(ui) ? t : NULL;
}

bool filter_line_is_open(const struct ui *ui)
{
    return filter_line_table(ui) != NULL;
}

/* Where the word under the cursor begins. */
static size_t word_start(const struct edit *e)
{
    size_t at = e->at;
    while (at && e->text.s[at - 1] != ' ')
        at--;
    return at;
}

static void filter_line_suggest(struct ui *ui, const struct table *t)
{
    struct cmdline *fl = ui->cmd->filter;
    candidates_clear(fl);
    fl->word = word_start(&t->edit);
    char *word = xstrndup(t->edit.text.s + fl->word, t->edit.at - fl->word);
    const char *name = word + (*word == '!');
    bool is_text = strchr(word, '"') || strchr(word, '/');
    if (!t->edit.selected && !is_text && (strchr(name, ':') || strlen(name) >= NAME_FROM))
        complete_filter(ui, fl, word);
    if (fl->candidates.n == 1 && str_eq(fl->candidates.v[0].text, t->edit.text.s + fl->word))
        candidates_clear(fl); /* it is there already */
    free(word);
}

/* Puts the i-th suggestion in the place of the word. */
static void filter_line_take(struct ui *ui, struct table *t, int i)
{
    struct cmdline *fl = ui->cmd->filter;
    struct str s = STR_INIT;
    str_append_n(&s, t->edit.text.s, fl->word);
    str_append(&s, fl->candidates.v[i].text);
    size_t at = s.len;
    str_append(&s, t->edit.text.s + t->edit.at);
    table_type_filter(t, s.s, at);
    edit_set(&fl->edit, t->edit.text.s);
    str_fini(&s);
}

static void filter_line_choose(struct ui *ui, struct table *t, int by)
{
    struct cmdline *fl = ui->cmd->filter;
    int n = (int)fl->candidates.n;
    if (n == 1) {
        filter_line_take(ui, t, 0);
        filter_line_suggest(ui, t);
        return;
    }
    fl->chosen = fl->chosen < 0 ? (by > 0 ? 0 : n - 1) : (fl->chosen + by + n) % n;
    filter_line_take(ui, t, fl->chosen);
}

/* Up and Down through the filters that were kept; below the newest stands what was typed. */
static bool filter_line_walk(struct ui *ui, struct table *t, int by)
{
    struct cmdline *fl = ui->cmd->filter;
    const struct strv *h = &ui->o.prefs->filters;
    size_t at = fl->history;
    if (!at) {
        xstrset(&fl->typed, t->edit.text.s);
    }
    do {
        if ((by < 0 && at == h->n) || (by > 0 && at == 0))
            return false;
        at = by < 0 ? at + 1 : at - 1;
    } while (at && str_eq(h->v[h->n - at], t->edit.text.s)); /* that one is on already */
    fl->history = at;
    const char *text = at ? h->v[h->n - at] : fl->typed;
    table_type_filter(t, text, strlen(text));
    candidates_clear(fl);
    edit_set(&fl->edit, t->edit.text.s);
    return true;
}

bool filter_line_input(struct ui *ui, const struct input *in)
{
    struct table *t = filter_line_table(ui);
    struct cmdline *fl = ui->cmd->filter;
    uint32_t key = t && in->kind == INPUT_KEY ? in->key : 0;
    bool took = false;
    if (key == KEYNAME_TAB || key == KEYNAME_STAB || (key == KEYNAME_DOWN && !fl->history)) {
        took = fl->candidates.n || key != KEYNAME_DOWN; /* Tab never becomes text */
        if (fl->candidates.n)
            filter_line_choose(ui, t, key == KEYNAME_STAB ? -1 : 1);
    } else if (key == KEYNAME_UP && fl->chosen >= 0) {
        filter_line_choose(ui, t, -1);
        took = true;
    } else if (key == KEYNAME_UP || key == KEYNAME_DOWN) {
        took = filter_line_walk(ui, t, key == KEYNAME_UP ? -1 : 1) || key == KEYNAME_UP;
    } else if (key == KEYNAME_ENTER && t->edit.text.len && filter_line_is_open(ui)) {
        prefs_remember_filter(ui->o.prefs, t->edit.text.s);
        outbox_wish(ui, WISH_SAVE);
    }
    ui->dirty = ui->dirty || took;
    return took;
}

void filter_line_follow(struct ui *ui)
{
    struct cmdline *fl = ui->cmd->filter;
    const struct table *t = filter_line_table(ui);
    if (!t) {
        if (fl->open)
            candidates_clear(fl);
        fl->open = false;
        return;
    }
    bool typed = !fl->open || !str_eq(fl->edit.text.s, t->edit.text.s);
    if (!fl->open || typed)
        fl->history = 0;
    fl->open = true;
    if (!typed)
        return;
    edit_set(&fl->edit, t->edit.text.s);
    filter_line_suggest(ui, t);
}

void filter_line_draw(const struct ui *ui, struct canvas *c, const struct screen_layout *l)
{
    const struct table *t = filter_line_table(ui);
    const struct cmdline *fl = ui->cmd->filter;
    struct rect line = rect_is_empty(l->title) ? rect_make(l->body.y, l->body.x, 1, l->body.w) : l->title;
    if (!t || !fl->candidates.n)
        return;
    char *before = xstrndup(t->edit.text.s, fl->word);
    int x = cell_width(before) + (int)strlen("filter ") - 2;
    free(before);
    x = x > line.w / 2 ? line.w / 2 : x;
    line.x += x;
    line.w -= x;
    candidates_draw(fl, c, line, c->rows - line.y - 2);
}
