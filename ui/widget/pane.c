/* pane.c - lines to read. */
#include "ui/widget/pane.h"

#include <string.h>

#include "src/base/utf8.h"
#include "ui/widget/did.h"
#include "ui/widget/motion.h"

void pane_fini(struct pane *p)
{
    lines_fini(&p->lines);
    lines_fini(&p->flowed);
}

size_t pane_height(struct pane *p, int width)
{
    lines_flow(&p->lines, width, &p->flowed);
    return p->flowed.n;
}

static void limit_top(struct pane *p)
{
    size_t h = p->height > 0 ? (size_t)p->height : 1;
    if (p->flowed.n <= h)
        p->top = 0;
    else if (p->top > p->flowed.n - h)
        p->top = p->flowed.n - h;
}

void pane_draw(struct pane *p, struct canvas *c, struct rect r)
{
    if (rect_is_empty(r))
        return;
    struct rect old = canvas_clip(c, r);
    p->height = r.h;
    int width = r.w;
    if (pane_height(p, width) > (size_t)r.h && width > 12)
        pane_height(p, width -= 2);
    limit_top(p);
    for (int i = 0; i < r.h && p->top + (size_t)i < p->flowed.n; i++)
        rich_draw(&p->flowed.v[p->top + (size_t)i], c, r.y + i, r.x, width);
    canvas_scrollbar(c, r.y, r.x + r.w - 1, r.h, (long long)p->top, r.h, (long long)p->flowed.n);
    canvas_unclip(c, old);
}

void pane_scroll(struct pane *p, long by)
{
    long top = (long)p->top + by;
    p->top = top < 0 ? 0 : (size_t)top;
    limit_top(p);
}

const char *pane_text_at(const struct pane *p, struct rect r, int y)
{
    size_t at = p->top + (size_t)(y - r.y);
    return y >= r.y && y < r.y + r.h && at < p->flowed.n ? p->flowed.v[at].text.s : NULL;
}

void pane_word_in(const char *text, int x, struct str *out)
{
    const char *word = text;
    int cell = 0;
    for (const char *s = text; *s && cell <= x;) {
        uint32_t cp;
        size_t n = utf8_decode(s, strlen(s), &cp);
        if (*s == ' ')
            word = s + 1;
        cell += utf8_width(cp);
        s += n ? n : 1;
    }
    str_append_n(out, word, cell > x ? strcspn(word, " ,:") : 0);
}

unsigned pane_act(struct pane *p, enum action a)
{
    long by;
    if (!motion_of(a, p->height, (long)p->flowed.n, &by))
        return 0;
    pane_scroll(p, by);
    return DID_HANDLE | DID_REDRAW;
}
