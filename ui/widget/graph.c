/* graph.c - a percentage over the last minutes as a picture. */
#include "ui/widget/graph.h"

#include "src/base/utf8.h"
#include "ui/term/signs.h"

#define CELL_DOTS 4 /* one above the other */

/* How many of the dots are set, of a cell whose lowest dot has below of them under it. */
static int graph_level(uint8_t percent, int height, int below)
{
    int dots = percent == RECENT_NONE ? 0 : (percent * height * CELL_DOTS + 50) / 100;
    if (percent != RECENT_NONE && !dots) /* it was measured */
        dots = 1;
    dots -= below;
    return dots < 0 ? 0 : dots > CELL_DOTS ? CELL_DOTS : dots;
}

/* Cells of two columns each, behind blanks for those that the columns do not reach. */
static void graph_cells(struct rich *r, const uint8_t *v, int cells, int width, int height, int line,
                        enum role role)
{
    static const uint32_t bits[2][CELL_DOTS] = {{0x40, 0x04, 0x02, 0x01}, {0x80, 0x20, 0x10, 0x08}};
    for (int i = cells; i < width; i++)
        str_append_char(&r->text, ' ');
    for (int i = 0; i < cells; i++) {
        uint32_t dots = 0;
        char b[4];
        for (int side = 0; side < 2; side++)
            for (int k = graph_level(v[2 * i + side], height, (height - 1 - line) * CELL_DOTS); k > 0; k--)
                dots |= bits[side][k - 1];
        if (dots)
            str_append_n(&r->text, b, utf8_encode(SIGN_BRAILLE | dots, b));
        else
            str_append_char(&r->text, ' ');
    }
    rich_role(r, role);
}

static int graph_cells_of(int width)
{
    int most = RECENT_SLOTS / 2;
    return width > most ? most : width;
}

void graph_add(struct rich *r, const struct recent *p, struct mono now, int width, int height, int line,
               enum role role)
{
    uint8_t v[RECENT_SLOTS];
    int cells = graph_cells_of(width);
    if (width < 1 || r->mute)
        return;
    recent_read(p, now, v, (size_t)cells * 2);
    graph_cells(r, v, cells, width, height, line, role);
}

void graph_add_span(struct rich *r, const struct recent *p, enum recent_span span, struct mono now,
                    int width, enum role role)
{
    uint8_t v[RECENT_SLOTS];
    int cells = graph_cells_of(width);
    if (width < 1 || r->mute)
        return;
    recent_columns(p, span, now, v, (size_t)cells * 2);
    graph_cells(r, v, cells, width, 1, 0, role);
}

void graph_draw(const struct recent *p, struct mono now, struct canvas *c, struct rect at, enum role role)
{
    struct rich r;
    rich_init(&r);
    for (int i = 0; i < at.h; i++) {
        rich_clear(&r);
        graph_add(&r, p, now, at.w, at.h, i, role);
        rich_draw(&r, c, at.y + i, at.x, at.w);
    }
    rich_fini(&r);
}

void graph_draw_span(const struct recent *p, enum recent_span span, struct mono now, struct canvas *c,
                     struct rect at, enum role role)
{
    uint8_t v[RECENT_SLOTS];
    int cells = graph_cells_of(at.w);
    struct rich r;
    if (rect_is_empty(at))
        return;
    rich_init(&r);
    recent_columns(p, span, now, v, (size_t)cells * 2);
    for (int i = 0; i < at.h; i++) {
        rich_clear(&r);
        graph_cells(&r, v, cells, at.w, at.h, i, role);
        rich_draw(&r, c, at.y + i, at.x, at.w);
    }
    rich_fini(&r);
}
