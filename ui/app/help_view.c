/* help_view.c - the help of a screen. */
#include "ui/app/help_view.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "ui/widget/edit.h"
#include "ui/widget/motion.h"

#define COLUMN_MIN  62 /* cells that a column has at least */
#define COLUMNS_MAX 4
#define GAP         3 /* cells between columns */

struct help_screen {
    struct view v;
    struct lines all, shown; /* shown: filtered and broken */
    struct edit edit;        /* the filter */
    bool typing;
    int columns, height;
    size_t from[COLUMNS_MAX + 1]; /* of each column its first line of `shown`, and the end of the last */
    size_t rows;                  /* of the longest column */
    size_t top;
};

static struct help_screen *help_screen_of(struct view *v)
{
    return (struct help_screen *)(void *)v;
}

static struct view *help_view_open(struct ui *ui, const void *arg)
{
    struct help_screen *h = xcalloc(1, sizeof *h);
    h->v = (struct view){.ops = &help_view, .ui = ui};
    h->all = *(const struct lines *)arg; /* the opener keeps nothing of it */
    edit_init(&h->edit);
    return &h->v;
}

static void help_view_close(struct view *v)
{
    struct help_screen *h = help_screen_of(v);
    lines_fini(&h->all);
    lines_fini(&h->shown);
    edit_fini(&h->edit);
    free(h);
}

static void help_view_sync(struct view *v)
{
    (void)v;
}

static void help_view_title(struct view *v, struct rich *out)
{
    struct help_screen *h = help_screen_of(v);
    rich_add(out, ROLE_TITLE, tr("Help"));
    if (h->edit.text.len && !h->typing)
        rich_addf(out, ROLE_WARN, tr("  filter %s"), h->edit.text.s);
}

/* --- the lines --- */

static bool is_title(const struct rich *r)
{
    return r->n_runs && r->runs[0].role == ROLE_TITLE;
}

static void help_copy(struct lines *out, const struct rich *r)
{
    struct rich *copy = lines_add(out);
    rich_append(copy, r);
    copy->hang = r->hang;
}

/* The lines with the text, each section below its title. */
static void help_filter(const struct help_screen *h, struct lines *ret)
{
    const struct rich *title = NULL;
    for (size_t i = 0; i < h->all.n; i++) {
        const struct rich *r = &h->all.v[i];
        if (is_title(r))
            title = r;
        if (h->edit.text.len && (is_title(r) || !strcasestr(r->text.s, h->edit.text.s)))
            continue;
        if (h->edit.text.len && title) {
            if (ret->n)
                lines_add(ret);
            rich_append(lines_add(ret), title);
            title = NULL;
        }
        help_copy(ret, r);
    }
}

/* Where a column that may end with line `to` ends: a title stays with what it is the title of. */
static size_t column_end(const struct lines *l, size_t to)
{
    if (to >= l->n)
        return l->n;
    return to && is_title(&l->v[to - 1]) ? to - 1 : to;
}

/* A column that begins within a section has its title. Returns whether there is a line for it now. */
static bool help_title_again(struct help_screen *h, const struct lines *flowed, size_t at)
{
    size_t title = at;
    while (title && at < flowed->n && !is_title(&flowed->v[title]))
        title--;
    if (title == at || at >= flowed->n || !is_title(&flowed->v[title]))
        return false;
    rich_addf(lines_add(&h->shown), ROLE_TITLE, tr("%s, continued"), flowed->v[title].text.s);
    return true;
}

static void help_layout(struct help_screen *h, struct rect r)
{
    struct lines kept = {0}, flowed = {0};
    int columns = (r.w + GAP) / (COLUMN_MIN + GAP);
    h->columns = columns < 1 ? 1 : columns > COLUMNS_MAX ? COLUMNS_MAX : columns;
    h->height = r.h > 0 ? r.h : 1;
    lines_clear(&h->shown);
    help_filter(h, &kept);
    lines_flow(&kept, (r.w + GAP) / h->columns - GAP, &flowed);
    lines_fini(&kept);
    size_t each = (flowed.n + (size_t)h->columns - 1) / (size_t)h->columns, at = 0;
    each = each < (size_t)h->height ? (size_t)h->height : each;
    h->rows = 0;
    for (int i = 0; i < h->columns; i++) {
        h->from[i] = h->shown.n;
        while (at < flowed.n && i && !flowed.v[at].text.len)
            at++;
        bool titled = i && help_title_again(h, &flowed, at);
        size_t end = i == h->columns - 1 ? flowed.n : column_end(&flowed, at + each - titled);
        for (; at < end; at++)
            help_copy(&h->shown, &flowed.v[at]);
        h->rows = h->shown.n - h->from[i] > h->rows ? h->shown.n - h->from[i] : h->rows;
    }
    h->from[h->columns] = h->shown.n;
    lines_fini(&flowed);
}

/* --- drawing --- */

static void help_keep_inside(struct help_screen *h)
{
    size_t most = h->rows > (size_t)h->height ? h->rows - (size_t)h->height : 0;
    h->top = h->top < most ? h->top : most;
}

static void mark_found(const struct help_screen *h, const struct rich *line, struct canvas *c, int y, int x)
{
    size_t n = h->edit.text.len;
    for (const char *s = line->text.s; n && (s = strcasestr(s, h->edit.text.s)); s += n) {
        char *before = xstrndup(line->text.s, (size_t)(s - line->text.s));
        canvas_over(c, rect_make(y, x + cell_width(before), 1, cell_width(h->edit.text.s)), ROLE_MATCH);
        free(before);
    }
}

static void help_view_draw(struct view *v, struct canvas *c, const struct screen_layout *l)
{
    struct help_screen *h = help_screen_of(v);
    struct rect r = l->body;
    r.x += 1;
    r.w -= 2;
    if (rect_is_empty(r))
        return;
    help_layout(h, r);
    help_keep_inside(h);
    int each = (r.w + GAP) / h->columns;
    for (int i = 0; i < h->columns; i++) {
        size_t end = i + 1 < h->columns ? h->from[i + 1] : h->shown.n;
        for (int y = 0; y < r.h && h->from[i] + h->top + (size_t)y < end; y++) {
            const struct rich *line = &h->shown.v[h->from[i] + h->top + (size_t)y];
            rich_draw(line, c, r.y + y, r.x + i * each, each - GAP);
            mark_found(h, line, c, r.y + y, r.x + i * each);
        }
    }
    if (!h->shown.n)
        canvas_text(c, r.y + 1, r.x, ROLE_DIM, tr("No line has this text."), r.w);
    canvas_scrollbar(c, r.y, r.x + r.w, r.h, (long long)h->top, h->height, (long long)h->rows);
    if (h->typing && !rect_is_empty(l->title)) {
        canvas_fill(c, l->title, ROLE_NORMAL);
        int x = l->title.x + 1;
        x += canvas_text(c, l->title.y, x, ROLE_TITLE, tr("search "), l->title.w);
        edit_draw(&h->edit, c, l->title.y, x, l->title.x + l->title.w - 1 - x);
    }
}

/* --- keys --- */

static void help_scroll(struct help_screen *h, long by)
{
    long top = (long)h->top + by;
    h->top = top < 0 ? 0 : (size_t)top;
    help_keep_inside(h);
}

static bool help_view_typing(struct view *v)
{
    return help_screen_of(v)->typing;
}

static unsigned help_view_input(struct view *v, const struct input *in)
{
    struct help_screen *h = help_screen_of(v);
    uint32_t key = in->kind == INPUT_KEY ? in->key : 0;
    if (in->kind == INPUT_MOUSE) {
        help_scroll(h, in->what == MOUSE_WHEEL_UP ? -3 : in->what == MOUSE_WHEEL_DOWN ? 3 : 0);
        return DID_HANDLE | DID_REDRAW;
    }
    if (key == KEYNAME_ESC && (h->typing || h->edit.text.len)) { /* all lines again */
        h->typing = false;
        edit_set(&h->edit, "");
    } else if (h->typing && key == KEYNAME_ENTER) {
        h->typing = false;
    } else if (h->typing) {
        edit_input(&h->edit, in);
        h->top = 0;
    } else {
        return 0;
    }
    return DID_HANDLE | DID_REDRAW;
}

static unsigned help_view_act(struct view *v, enum action a, const struct input *in)
{
    (void)in;
    struct help_screen *h = help_screen_of(v);
    long by = 0;
    if (a == ACTION_HELP_FIND)
        h->typing = true;
    else if (a == ACTION_TOP || a == ACTION_BOTTOM) /* it may not have been drawn yet: drawing bounds it */
        h->top = a == ACTION_TOP ? 0 : SIZE_MAX / 2;
    else if (motion_of(a, h->height, (long)h->rows, &by))
        help_scroll(h, by);
    else
        return 0;
    return DID_HANDLE | DID_REDRAW;
}

static const enum scope help_scopes[] = {SCOPE_HELP, SCOPE_MOVE};

const struct view_ops help_view = {
    .name = "help",
    .scopes = help_scopes,
    .n_scopes = sizeof help_scopes / sizeof help_scopes[0],
    .open = help_view_open,
    .close = help_view_close,
    .sync = help_view_sync,
    .title = help_view_title,
    .draw = help_view_draw,
    .input = help_view_input,
    .typing = help_view_typing,
    .act = help_view_act,
};
