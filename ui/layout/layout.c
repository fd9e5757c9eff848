/* layout.c - where things are on the screen. */
#include "ui/layout/layout.h"

#define TWO_LINE_HEADER_ROWS 14
#define TITLE_ROWS           5 /* below, what is listed needs the line more */
#define RULE_COLS            2 /* a blank and the line */
#define SIDE_MIN             38
#define SIDE_MAX             76

static int side_width(int cols, int body)
{
    int w = cols * 2 / 5, spare = cols - RULE_COLS - body;
    w = w < SIDE_MIN ? SIDE_MIN : w > SIDE_MAX ? SIDE_MAX : w;
    return w < spare ? w : spare;
}

struct screen_layout layout_screen(int rows, int cols, bool want_side, int body)
{
    struct screen_layout l = {0};
    struct rect rest = rect_make(0, 0, rows, cols);
    l.header = rect_take_top(&rest, rows >= TWO_LINE_HEADER_ROWS ? 2 : rows >= 3 ? 1 : 0);
    l.footer = rect_take_bottom(&rest, rows >= 4 ? 1 : 0);
    l.title = rect_take_top(&rest, rows >= TITLE_ROWS ? 1 : 0);
    int side = side_width(cols, body);
    if (want_side && cols >= LAYOUT_SIDE_COLS && side >= SIDE_MIN) {
        l.body = rect_take_left(&rest, cols - side - RULE_COLS);
        l.rule = rect_take_left(&rest, RULE_COLS);
        l.side = rest;
    } else {
        l.body = rest;
        l.rule = l.side = rect_make(rest.y, rest.x + rest.w, rest.h, 0);
    }
    return l;
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
