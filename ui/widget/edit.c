/* edit.c - a line that is typed into. */
#include "ui/widget/edit.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"

void edit_init(struct edit *e)
{
    *e = (struct edit){.max = EDIT_MAX};
    str_init(&e->text);
}

void edit_fini(struct edit *e)
{
    str_fini(&e->text);
}

void edit_set(struct edit *e, const char *text)
{
    str_clear(&e->text);
    str_append(&e->text, text);
    e->at = e->text.len;
    e->selected = false;
}

/* What is typed or deleted next takes the place of what is selected. */
static void edit_drop_selected(struct edit *e)
{
    if (e->selected) {
        str_clear(&e->text);
        e->at = 0;
    }
    e->selected = false;
}

void edit_insert(struct edit *e, const char *s, size_t n)
{
    if (e->text.len + n > e->max)
        return;
    char *rest = xstrdup(e->text.s + e->at);
    str_truncate(&e->text, e->at);
    str_append_n(&e->text, s, n);
    str_append(&e->text, rest);
    e->at += n;
    free(rest);
}

size_t edit_line_start(const struct edit *e, size_t at)
{
    while (at > 0 && e->text.s[at - 1] != '\n')
        at--;
    return at;
}

size_t edit_line_end(const struct edit *e, size_t at)
{
    return at + strcspn(e->text.s + at, "\n");
}

/* A word ends at its line. */
static size_t word_before(const struct edit *e, size_t at)
{
    size_t start = edit_line_start(e, at);
    while (at > start && e->text.s[at - 1] == ' ')
        at--;
    while (at > start && e->text.s[at - 1] != ' ')
        at--;
    return at;
}

static void edit_cut(struct edit *e, size_t from, size_t to)
{
    memmove(e->text.s + from, e->text.s + to, e->text.len - to);
    str_truncate(&e->text, e->text.len - (to - from));
    e->at = from;
}

static void edit_paste(struct edit *e, const char *s)
{
    for (size_t n = strlen(s), i = 0, len; i < n; i += len) {
        uint32_t cp = 0;
        len = utf8_decode(s + i, n - i, &cp);
        if (!len)
            len = 1;
        else if (cp == '\n' || cp == '\r' || cp == '\t')
            edit_insert(e, " ", 1);
        else if (utf8_width(cp) >= 0)
            edit_insert(e, s + i, len);
    }
}

static bool edit_move_key(struct edit *e, uint32_t key)
{
    switch (key) {
    case KEYNAME_LEFT:
    case CTRL_KEY('b'): e->at = utf8_before(e->text.s, e->at); return true;
    case KEYNAME_RIGHT:
    case CTRL_KEY('f'): e->at = utf8_after(e->text.s, e->text.len, e->at); return true;
    case KEYNAME_HOME:
    case CTRL_KEY('a'): e->at = edit_line_start(e, e->at); return true;
    case KEYNAME_END:
    case CTRL_KEY('e'): e->at = edit_line_end(e, e->at); return true;
    default: return false;
    }
}

/* To the end of the line; at its end the line break. */
static void cut_to_end(struct edit *e)
{
    size_t end = edit_line_end(e, e->at);
    edit_cut(e, e->at, end > e->at ? end : utf8_after(e->text.s, e->text.len, end));
}

bool edit_key(struct edit *e, uint32_t key, bool *changed)
{
    char b[4];
    *changed = false;
    if (edit_move_key(e, key)) {
        e->selected = false;
        return true;
    }
    if (e->selected && (key == KEYNAME_BACKSPACE || key == KEYNAME_DELETE || key_is_text(key))) {
        edit_drop_selected(e);
        if (!key_is_text(key))
            return *changed = true;
    }
    e->selected = false;
    switch (key) {
    case KEYNAME_BACKSPACE:
    case CTRL_KEY('h'): edit_cut(e, utf8_before(e->text.s, e->at), e->at); break;
    case KEYNAME_DELETE:
    case CTRL_KEY('d'): edit_cut(e, e->at, utf8_after(e->text.s, e->text.len, e->at)); break;
    case CTRL_KEY('w'): edit_cut(e, word_before(e, e->at), e->at); break;
    case CTRL_KEY('u'): edit_cut(e, edit_line_start(e, e->at), e->at); break;
    case CTRL_KEY('k'): cut_to_end(e); break;
    default:
        if (!key_is_text(key))
            return false;
        edit_insert(e, b, utf8_encode(key, b));
    }
    return *changed = true;
}

bool edit_input(struct edit *e, const struct input *in)
{
    bool changed;
    if (in->kind == INPUT_PASTE) {
        edit_drop_selected(e);
        edit_paste(e, in->text);
        return true;
    }
    return in->kind == INPUT_KEY && edit_key(e, in->key, &changed);
}

void edit_draw(const struct edit *e, struct canvas *c, int y, int x, int w)
{
    if (w < 2)
        return;
    struct str head = STR_INIT;
    size_t from = 0;
    for (;;) {
        str_clear(&head);
        str_append_n(&head, e->text.s + from, e->at - from);
        if (cell_width(head.s) < w)
            break;
        from = utf8_after(e->text.s, e->text.len, from);
    }
    canvas_fill(c, rect_make(y, x, 1, w), ROLE_INPUT);
    int drawn = canvas_text(c, y, x, ROLE_INPUT, e->text.s + from, w);
    if (e->selected)
        canvas_over(c, rect_make(y, x, 1, drawn), ROLE_MATCH);
    c->cur_y = y;
    c->cur_x = x + cell_width(head.s);
    str_fini(&head);
}
