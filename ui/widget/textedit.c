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
    str_init(&e->text);
}

void textedit_fini(struct textedit *e)
{
    str_fini(&e->text);
}

void textedit_set(struct textedit *e, const char *text)
{
    str_clear(&e->text);
    str_append(&e->text, text);
    e->at = e->top = 0;
    e->left = 0;
    e->want = -1;
}

void textedit_replace(struct textedit *e, const char *text)
{
    size_t same = 0, len = strlen(text);
    while (same < len && e->text.s[same] == text[same])
        same++;
    if (e->at > same) /* behind the change: as far from the end as before */
        e->at = len + e->at > e->text.len + same ? len + e->at - e->text.len : same;
    str_clear(&e->text);
    str_append(&e->text, text);
    if (e->at > len)
        e->at = len;
    e->at = utf8_before(text, e->at + 1); /* not within a character */
}

/* --- places --- */

static size_t line_start(const struct textedit *e, size_t at)
{
    while (at > 0 && e->text.s[at - 1] != '\n')
        at--;
    return at;
}

static size_t line_end(const struct textedit *e, size_t at)
{
    return at + strcspn(e->text.s + at, "\n");
}

/* Cells of the bytes from..to of one line; a tab goes to the next stop. */
static int cells(const struct textedit *e, size_t from, size_t to)
{
    int n = 0;
    for (size_t i = from; i < to;) {
        uint32_t cp = 0;
        size_t len = utf8_decode(e->text.s + i, to - i, &cp);
        int w = len ? utf8_width(cp) : 1;
        n += len && cp == '\t' ? TAB_CELLS - n % TAB_CELLS : w > 0 ? w : w < 0 ? 1 : 0;
        i += len ? len : 1;
    }
    return n;
}

static void go_line(struct textedit *e, int by)
{
    size_t start = line_start(e, e->at), to;
    int want = e->want >= 0 ? e->want : cells(e, start, e->at);
    if (by < 0 && start == 0)
        return;
    if (by > 0 && line_end(e, e->at) == e->text.len)
        return;
    to = by < 0 ? line_start(e, start - 1) : line_end(e, e->at) + 1;
    size_t end = line_end(e, to), at = to;
    while (at < end && cells(e, to, at) < want)
        at = utf8_after(e->text.s, e->text.len, at);
    e->at = at;
    e->want = want;
}

/* --- changes --- */

static void textedit_insert(struct textedit *e, const char *s, size_t n)
{
    if (e->text.len + n > TEXTEDIT_MAX)
        return;
    char *rest = xstrdup(e->text.s + e->at);
    str_truncate(&e->text, e->at);
    str_append_n(&e->text, s, n);
    str_append(&e->text, rest);
    e->at += n;
    free(rest);
}

static void textedit_cut(struct textedit *e, size_t from, size_t to)
{
    memmove(e->text.s + from, e->text.s + to, e->text.len - to);
    str_truncate(&e->text, e->text.len - (to - from));
    e->at = from;
}

/* A new line begins where the one before does. */
static void new_line(struct textedit *e)
{
    size_t start = line_start(e, e->at), n = strspn(e->text.s + start, " \t");
    char *indent = xstrndup(e->text.s + start, start + n < e->at ? n : e->at - start);
    textedit_insert(e, "\n", 1);
    textedit_insert(e, indent, strlen(indent));
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
            textedit_insert(e, "\n", 1); /* as terminals give line ends */
        else if (cp == '\n' || cp == '\t' || utf8_width(cp) >= 0)
            textedit_insert(e, s + i, len);
    }
}

static bool textedit_edit_key(struct textedit *e, uint32_t key)
{
    char b[4];
    switch (key) {
    case KEYNAME_ENTER: new_line(e); return true;
    case KEYNAME_BACKSPACE:
    case CTRL_KEY('h'): textedit_cut(e, utf8_before(e->text.s, e->at), e->at); return true;
    case KEYNAME_DELETE:
    case CTRL_KEY('d'): textedit_cut(e, e->at, utf8_after(e->text.s, e->text.len, e->at)); return true;
    case CTRL_KEY('k'): {
        size_t end = line_end(e, e->at);
        textedit_cut(e, e->at, end > e->at ? end : utf8_after(e->text.s, e->text.len, end));
        return true;
    }
    case CTRL_KEY('u'): textedit_cut(e, line_start(e, e->at), e->at); return true;
    default: break;
    }
    if (!key_is_text(key))
        return false;
    textedit_insert(e, b, utf8_encode(key, b));
    return true;
}

static bool move_key(struct textedit *e, uint32_t key)
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
    switch (key) {
    case KEYNAME_LEFT:
    case CTRL_KEY('b'): e->at = utf8_before(e->text.s, e->at); return true;
    case KEYNAME_RIGHT:
    case CTRL_KEY('f'): e->at = utf8_after(e->text.s, e->text.len, e->at); return true;
    case KEYNAME_HOME:
    case CTRL_KEY('a'): e->at = line_start(e, e->at); return true;
    case KEYNAME_END:
    case CTRL_KEY('e'): e->at = line_end(e, e->at); return true;
    default: return false;
    }
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
    if (move_key(e, in->key))
        return true;
    return *changed = textedit_edit_key(e, in->key);
}

/* --- drawing --- */

static size_t line_number(const struct textedit *e, size_t at)
{
    size_t n = 0;
    for (size_t i = 0; i < at; i++)
        n += e->text.s[i] == '\n';
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
        size_t len = utf8_decode(e->text.s + i, to - i, &cp);
        int width = len ? utf8_width(cp) : 1, step = len && cp == '\t' ? TAB_CELLS - n % TAB_CELLS
                                                     : width > 0       ? width
                                                     : width < 0       ? 1
                                                                       : 0;
        if (n >= e->left) {
            if (!len || width < 0)
                for (int k = 0; k < step; k++)
                    str_append_char(&s, len && cp == '\t' ? ' ' : '?');
            else
                str_append_n(&s, e->text.s + i, len);
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
    size_t line = line_number(e, e->at), all = line_number(e, e->text.len) + 1;
    int x = cells(e, line_start(e, e->at), e->at);
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
        at = line_end(e, at) + 1;
    for (int y = 0; y < r.h && at <= e->text.len; y++) {
        size_t end = line_end(e, at);
        textedit_draw_line(e, c, r.y + y, r.x, w, at, end,
                           role_of ? role_of(e->text.s + at, end - at) : ROLE_NORMAL);
        at = end + 1;
    }
    canvas_scrollbar(c, r.y, r.x + r.w - 1, r.h, (long long)e->top, r.h, (long long)all);
    if (focused) {
        c->cur_y = r.y + (int)(line - e->top);
        c->cur_x = r.x + x - e->left;
    }
}
