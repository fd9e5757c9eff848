/* rect.h - rectangles of cells, in the coordinates of the whole screen. */
#ifndef UI_LAYOUT_RECT_H
#define UI_LAYOUT_RECT_H

#include <stdbool.h>

struct rect {
    int y, x, h, w; /* h and w are never negative */
};

static inline struct rect rect_make(int y, int x, int h, int w)
{
    return (struct rect){.y = y, .x = x, .h = h > 0 ? h : 0, .w = w > 0 ? w : 0};
}

static inline bool rect_is_empty(struct rect r)
{
    return r.h <= 0 || r.w <= 0;
}

static inline bool rect_has(struct rect r, int y, int x)
{
    return y >= r.y && y < r.y + r.h && x >= r.x && x < r.x + r.w;
}

static inline bool rect_overlaps(struct rect a, struct rect b)
{
    return !rect_is_empty(a) && !rect_is_empty(b) && a.y < b.y + b.h && b.y < a.y + a.h &&
           a.x < b.x + b.w && b.x < a.x + a.w;
}

/* What both have in common. */
static inline struct rect rect_cut(struct rect a, struct rect b)
{
    int y = a.y > b.y ? a.y : b.y, x = a.x > b.x ? a.x : b.x;
    int ye = a.y + a.h < b.y + b.h ? a.y + a.h : b.y + b.h;
    int xe = a.x + a.w < b.x + b.w ? a.x + a.w : b.x + b.w;
    return rect_make(y, x, ye - y, xe - x);
}

/* Takes n lines from the top, or n columns from the left, of *r; less where there is less. */
static inline struct rect rect_take_top(struct rect *r, int n)
{
    struct rect top = rect_make(r->y, r->x, n < r->h ? n : r->h, r->w);
    *r = rect_make(r->y + top.h, r->x, r->h - top.h, r->w);
    return top;
}

static inline struct rect rect_take_bottom(struct rect *r, int n)
{
    int h = n < r->h ? n : r->h;
    *r = rect_make(r->y, r->x, r->h - h, r->w);
    return rect_make(r->y + r->h, r->x, h, r->w);
}

static inline struct rect rect_take_left(struct rect *r, int n)
{
    struct rect left = rect_make(r->y, r->x, r->h, n < r->w ? n : r->w);
    *r = rect_make(r->y, r->x + left.w, r->h, r->w - left.w);
    return left;
}

#endif
