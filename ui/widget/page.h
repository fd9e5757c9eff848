/* page.h - what a pager shows at one time: rows of text with their ink, ready to be drawn by a view that
 * has a canvas. It holds no pointer into the file: it may travel between threads.
 */
#ifndef UI_WIDGET_PAGE_H
#define UI_WIDGET_PAGE_H

#include "src/base/vec.h"
#include "ui/term/canvas.h"
#include "ui/widget/linetext.h"

struct page_row {
    char *text;
    struct text_span *spans;
    size_t n_spans;
    bool found; /* the line that was looked for */
};

struct page {
    VEC(struct page_row) rows;
    char *pattern; /* of the user's search, to be shown wherever it is; NULL: none */
    bool fold_case;
};

void page_fini(struct page *p);
/* Adds a row: the bytes from..to of a line, spans and all. */
void page_add(struct page *p, const struct linetext *line, size_t from, size_t to, bool found);
void page_draw(const struct page *p, struct canvas *c, struct rect r);

#endif
