/* textedit.c - a text of several lines that is typed into. */
#include "ui/widget/textedit.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"

#define TAB_CELLS 4

void textedit_init(struct textedit *e)
{
    *e = (struct textedit){.want = -1};
    edit_init(&e->buf);
    e->buf.max = TEXTEDIT_MAX;
}

void textedit_fini(struct textedit *e)
{
    edit_fini(&e->buf);
}

void textedit_set(struct textedit *e, const char *text)
{
    str_clear(&e->buf.text);
    str_append(&e->buf.text, text);
    e->buf.at = e->top = 0;
    e->left = 0;
    e->want = -1;
}

void textedit_replace(struct textedit *e, const char *text)
{
    size_t same = 0, len = strlen(text);
    while (same < len && e->buf.text.s[same] == text[same])
        same++;
    if (e->buf.at > same) /* behind the change: as far from the end as before */
        e->buf.at = len + e->buf.at > e->buf.text.len + same ? len + e->buf.at - e->buf.text.len : same;
    str_clear(&e->buf.text);
    str_append(&e->buf.text, text);
    if (e->buf.at > len)
        e->buf.at = len;
    e->buf.at = utf8_before(text, e->buf.at + 1); /* not within a character */
}

/* --- places --- */

/* Cells of the bytes from..to of one line; a tab goes to the next stop. */
static int cells(const struct textedit *e, size_t from, size_t to)
{
    int n = 0;
    for (size_t i = from; i < to;) {
        uint32_t cp = 0;
        size_t len = utf8_decode(e->buf.text.s + i, to - i, &cp);
        int w = len ? utf8_width(cp) : 1;
        n += len && cp == '\t' ? TAB_CELLS - n % TAB_CELLS : w > 0 ? w : w < 0 ? 1 : 0;
        i += len ? len : 1;
    }
    return n;
}

static void go_line(struct textedit *e, int by)
{
    size_t start = edit_line_start(&e->buf, e->buf.at), to;
    int want = e->want >= 0 ? e->want : cells(e, start, e->buf.at);
    if (by < 0 && start == 0)
        return;
    if (by > 0 && edit_line_end(&e->buf, e->buf.at) == e->buf.text.len)
        return;
    to = by < 0 ? edit_line_start(&e->buf, start - 1) : edit_line_end(&e->buf, e->buf.at) + 1;
    size_t end = edit_line_end(&e->buf, to), at = to;
    while (at < end && cells(e, to, at) < want)
        at = utf8_after(e->buf.text.s, e->buf.text.len, at);
    e->buf.at = at;
    e->want = want;
}

/* --- changes --- */

/* A new line begins where the one before does. */
static void new_line(struct textedit *e)
{
    size_t start = edit_line_start(&e->buf, e->buf.at), n = strspn(e->buf.text.s + start, " \t");
    char *indent = xstrndup(e->buf.text.s + start, start + n < e->buf.at ? n : e->buf.at - start);
    edit_insert(&e->buf, "\n", 1);
    edit_insert(&e->buf, indent, strlen(indent));
    free(indent);
}

static void textedit_paste(struct textedit *e, const char *s)
{
    for (size_t n = strlen(s), i = 0, len; i < n; i += len) {
        uint32_t cp = 0;
        len = utf8_decode(s + i, n - i, &cp);
        if (!len)
            len = 1;
        else if (cp == '\r' && s[i + 1] != '\n')
            edit_insert(&e->buf, "\n", 1); /* as terminals give line ends */
        else if (cp == '\n' || cp == '\t' || utf8_width(cp) >= 0)
            edit_insert(&e->buf, s + i, len);
    }
}

static bool line_key(struct textedit *e, uint32_t key)
{
    int page = e->height > 1 ? e->height - 1 : 1;
    switch (key) {
    case KEYNAME_UP:
    case CTRL_KEY('p'): go_line(e, -1); return true;
    case KEYNAME_DOWN:
    case CTRL_KEY('n'): go_line(e, 1); return true;
    case KEYNAME_PGUP:
        for (int i = 0; i < page; i++)
            go_line(e, -1);
        return true;
    case KEYNAME_PGDN:
        for (int i = 0; i < page; i++)
            go_line(e, 1);
        return true;
    default: break;
    }
    e->want = -1;
    return false;
}

bool textedit_input(struct textedit *e, const struct input *in, bool *changed)
{
    *changed = false;
    if (in->kind == INPUT_PASTE) {
        textedit_paste(e, in->text);
        return *changed = true;
    }
    if (in->kind == INPUT_MOUSE && (in->what == MOUSE_WHEEL_UP || in->what == MOUSE_WHEEL_DOWN)) {
        for (int i = 0; i < 3; i++)
            go_line(e, in->what == MOUSE_WHEEL_UP ? -1 : 1);
        return true;
    }
    if (in->kind != INPUT_KEY)
        return false;
    if (line_key(e, in->key))
        return true;
    if (in->key == KEYNAME_ENTER) {
        new_line(e);
        return *changed = true;
    }
    return edit_key(&e->buf, in->key, changed);
}

/* --- drawing --- */

static size_t line_number(const struct textedit *e, size_t at)
{
    size_t n = 0;
    for (size_t i = 0; i < at; i++)
        n += e->buf.text.s[i] == '\n';
    return n;
}

/* One line from the cell `left` on; tabs as blanks. */
static void textedit_draw_line(const struct textedit *e, struct canvas *c, int y, int x, int w, size_t from,
                               size_t to, enum role role)
{
    struct str s = STR_INIT;
    int n = 0;
    for (size_t i = from; i < to;) {
        uint32_t cp = 0;
        size_t len = utf8_decode(e->buf.text.s + i, to - i, &cp);
        int width = len ? utf8_width(cp) : 1, step = len && cp == '\t' ? TAB_CELLS - n % TAB_CELLS
                                                     : width > 0       ? width
                                                     : width < 0       ? 1
                                                                       : 0;
        if (n >= e->left) {
            if (!len || width < 0)
                for (int k = 0; k < step; k++)
                    str_append_char(&s, len && cp == '\t' ? ' ' : '?');
            else
                str_append_n(&s, e->buf.text.s + i, len);
        } else if (n + step > e->left) {
            for (int k = e->left; k < n + step; k++)
                str_append_char(&s, ' ');
        }
        n += step;
        i += len ? len : 1;
    }
    canvas_text(c, y, x, role, s.s, w);
    str_fini(&s);
}

void textedit_draw(struct textedit *e, struct canvas *c, struct rect r, bool focused,
                   enum role (*role_of)(const char *line, size_t n))
{
    if (rect_is_empty(r))
        return;
    size_t line = line_number(e, e->buf.at), all = line_number(e, e->buf.text.len) + 1;
    int x = cells(e, edit_line_start(&e->buf, e->buf.at), e->buf.at);
    e->height = r.h;
    if (e->top > line)
        e->top = line;
    if (line >= e->top + (size_t)r.h)
        e->top = line - (size_t)r.h + 1;
    if (e->top + (size_t)r.h > all) /* there is more room than before */
        e->top = all > (size_t)r.h ? all - (size_t)r.h : 0;
    int w = all > (size_t)r.h ? r.w - 2 : r.w;
    e->left = x < w ? 0 : x < e->left ? x : x >= e->left + w ? x - w + 1 : e->left;
    size_t at = 0;
    for (size_t i = 0; i < e->top; i++)
        at = edit_line_end(&e->buf, at) + 1;
    for (int y = 0; y < r.h && at <= e->buf.text.len; y++) {
        size_t end = edit_line_end(&e->buf, at);
        textedit_draw_line(e, c, r.y + y, r.x, w, at, end,
                           role_of ? role_of(e->buf.text.s + at, end - at) : ROLE_NORMAL);
        at = end + 1;
    }
    canvas_scrollbar(c, r.y, r.x + r.w - 1, r.h, (long long)e->top, r.h, (long long)all);
    if (focused) {
        c->cur_y = r.y + (int)(line - e->top);
        c->cur_x = r.x + x - e->left;
    }
}
