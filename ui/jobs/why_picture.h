/* why_picture.h - where a waiting job will find room, as bars: what is on those nodes, when that ends, and
 * the job's own run from the moment when there is room for it. */
#ifndef UI_JOBS_WHY_PICTURE_H
#define UI_JOBS_WHY_PICTURE_H

#include "src/answers/answer_why.h"
#include "ui/info/plan_bars.h"

struct why_picture {
    struct planbars bars;
    struct msg_plan plan;           /* the rows of the answer */
    VEC(const struct lane *) shown; /* of the nodes of the place */
    size_t n_more;                  /* lanes that are left out */
    int label;                      /* cells of the widest name of a lane */
    struct str ahead;               /* "3 jobs go first" */
};

/* Takes the rows of the answer over; none of them: nothing is drawn. ui is kept. */
void why_picture_fill(struct why_picture *p, struct ui *ui, const struct msg_why *w);
void why_picture_fini(struct why_picture *p);

/* Lines that it takes; 0: there is nothing to draw. */
int why_picture_height(const struct why_picture *p);
void why_picture_draw(struct why_picture *p, struct canvas *c, struct rect r);

#endif
