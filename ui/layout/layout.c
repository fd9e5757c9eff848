/* layout.c - where things are on the screen. */
#include "ui/layout/layout.h"

#define TWO_LINE_HEADER_ROWS 14
#define TITLE_ROWS           5 /* below, what is listed needs the line more */
#define RULE_COLS            2 /* a blank and the line */
#define SIDE_MIN             38
#define SIDE_MAX             76

#define SIDE_LEAST       24 /* of a pane that was made narrow */
#define BODY_LEAST_COLS  24
#define BODY_LEAST_LINES 4
#define BELOW_LEAST      4   /* lines of a pane below, its rule among them */
#define BELOW_PART       450 /* of PANE_WHOLE, where the user has not said how much */

static int side_width(int cols, int body)
{
    int w = cols * 2 / 5, spare = cols - RULE_COLS - body;
    w = w < SIDE_MIN ? SIDE_MIN : w > SIDE_MAX ? SIDE_MAX : w;
    return w < spare ? w : spare;
}

static int between(int n, int least, int most)
{
    n = n > most ? most : n;
    return n < least ? least : n;
}

/* Cells of the pane beside the body; 0: it does not stand there. */
static int beside_width(int cols, int body, const struct pane_wish *wish)
{
    int most = cols - RULE_COLS - BODY_LEAST_COLS;
    if (wish->place == PANE_AUTO && !wish->width) {
        int w = side_width(cols, body);
        return cols >= LAYOUT_SIDE_COLS && w >= SIDE_MIN ? w : 0;
    }
    if (wish->place == PANE_AUTO ? cols < LAYOUT_SIDE_COLS
                                 : wish->place != PANE_BESIDE || cols < LAYOUT_BESIDE_COLS)
        return 0;
    int w = wish->width ? cols * wish->width / PANE_WHOLE : between(cols * 2 / 5, SIDE_MIN, SIDE_MAX);
    return between(w, SIDE_LEAST, most);
}

void layout_put_below(struct screen_layout *l, int lines)
{
    int most = l->body.h - BODY_LEAST_LINES;
    if (most < BELOW_LEAST)
        return;
    struct rect low = rect_take_bottom(&l->body, between(lines, BELOW_LEAST, most));
    l->rule = rect_take_top(&low, 1);
    l->side = low;
    l->below = true;
}

static struct screen_layout layout_frame(int rows, int cols)
{
    struct screen_layout l = {0};
    struct rect rest = rect_make(0, 0, rows, cols);
    l.header = rect_take_top(&rest, rows >= TWO_LINE_HEADER_ROWS ? 2 : rows >= 3 ? 1 : 0);
    l.footer = rect_take_bottom(&rest, rows >= 4 ? 1 : 0);
    l.title = rect_take_top(&rest, rows >= TITLE_ROWS ? 1 : 0);
    l.room = l.body = rest;
    l.rule = l.side = rect_make(rest.y, rest.x + rest.w, rest.h, 0);
    return l;
}

struct screen_layout layout_with_pane(int rows, int cols, int body, const struct pane_wish *wish)
{
    struct screen_layout l = layout_frame(rows, cols);
    if (wish->zoomed) {
        l.side = l.room;
        l.body = rect_make(l.room.y, l.room.x, 0, l.room.w);
        l.rule = rect_make(l.room.y, l.room.x, 0, 0);
        return l;
    }
    int w = wish->place == PANE_HIDDEN ? 0 : beside_width(cols, body, wish);
    if (w) {
        struct rect rest = l.room;
        l.body = rect_take_left(&rest, cols - w - RULE_COLS);
        l.rule = rect_take_left(&rest, RULE_COLS);
        l.side = rest;
    } else if (wish->place == PANE_BELOW || wish->place == PANE_BESIDE) {
        layout_put_below(&l, l.body.h * (wish->height ? wish->height : BELOW_PART) / PANE_WHOLE);
    }
    return l;
}

struct screen_layout layout_screen(int rows, int cols, bool want_side, int body)
{
    return layout_with_pane(rows, cols, body,
                            &(struct pane_wish){.place = want_side ? PANE_AUTO : PANE_HIDDEN});
}

static int fit(int want, int have)
{
    int most = have > 4 ? have - 2 : have;
    return want > most ? most : want < 0 ? 0 : want;
}

struct rect layout_popup(int rows, int cols, int h, int w)
{
    h = fit(h, rows);
    w = fit(w, cols);
    return rect_make((rows - h) / 2, (cols - w) / 2, h, w);
}
