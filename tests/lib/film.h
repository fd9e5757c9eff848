/* film.h - a recording of the screens as one SVG that plays by itself: frames with their times, each
 * different row stored once. */
#ifndef STOKER_TESTS_LIB_FILM_H
#define STOKER_TESTS_LIB_FILM_H

#include "src/base/vec.h"
#include "ui/term/canvas.h"

struct film_frame {
    uint32_t ms;    /* it is shown for so long */
    uint32_t *rows; /* numbers of film.different */
};

struct film {
    int rows, cols;
    const struct theme *theme;
    VEC(char *) different;
    VEC(struct film_frame) frames;
};

/* t must live as long as the film. */
void film_init(struct film *f, int rows, int cols, const struct theme *t);
void film_fini(struct film *f);
/* A frame that looks like the one before is that one for longer. drawn: of the film's size. */
void film_add(struct film *f, const struct canvas *drawn, uint32_t ms);
void film_to_svg(const struct film *f, struct str *out);

#endif
