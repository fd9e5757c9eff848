/* rich.h - text in several roles: what a table's cell, a line of a panel and a bar are made of. */
#ifndef UI_WIDGET_RICH_H
#define UI_WIDGET_RICH_H

#include "src/base/str.h"
#include "ui/term/canvas.h"

#define RICH_RUNS 32

struct rich {
    struct str text;
    struct {
        size_t end;         /* of the run, in bytes of text */
        uint8_t role, fill; /* fill: as canvas_fill_with has it */
    } runs[RICH_RUNS];
    size_t n_runs;
    bool mute; /* nothing is added: the caller wants the number of a field and not its text */
    int hang;  /* cells that its lines are set in by, from the second on, where it is broken */
};

void rich_init(struct rich *r);
void rich_fini(struct rich *r);
void rich_clear(struct rich *r);
/* Beyond RICH_RUNS the last role goes on. */
void rich_add(struct rich *r, enum role role, const char *s);
void rich_addf(struct rich *r, enum role role, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The sign of a state that has that letter: see ui/term/signs.h. */
void rich_sign(struct rich *r, enum role role, char letter);
/* Ends a run with what has been appended to r->text directly. */
void rich_role(struct rich *r, enum role role);
/* The same with a part of a bar, on the colour of a role: see canvas_fill_with. */
void rich_filled(struct rich *r, enum role role, enum role fill);
/* Whether a part of it is of a bar. */
bool rich_has_bar(const struct rich *r);
/* Appends all of other, with its roles. */
void rich_append(struct rich *r, const struct rich *other);
/* Draws in at most max cells, with a mark where it was cut. Returns the cells used. */
int rich_draw(const struct rich *r, struct canvas *c, int y, int x, int max);

/* The same, but what is cut is cut in its middle: of names that begin alike the ends tell them apart. */
int rich_draw_ends(const struct rich *r, struct canvas *c, int y, int x, int max);

/* Lines of rich text that grow at the end. */
struct lines {
    struct rich *v;
    size_t n, cap;
};

void lines_fini(struct lines *l);
void lines_clear(struct lines *l);
/* A new empty line. */
struct rich *lines_add(struct lines *l);
struct rich *lines_addf(struct lines *l, enum role role, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* "label    value" with the value in a column of its own; gives the line, to be added to. */
struct rich *lines_pair(struct lines *l, const char *label, int label_width);
/* Makes out the same lines broken at blanks to width cells. */
void lines_flow(const struct lines *l, int width, struct lines *out);

#endif
