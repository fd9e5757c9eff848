/* time_bars.h - the plan as the rows of a table, by node, by GPU or by job: what it is by, its user, its
 * start, and the bars of ui/info/plan_bars.h in its last column. */
#ifndef UI_PLAN_TIME_BARS_H
#define UI_PLAN_TIME_BARS_H

#include "ui/info/plan_bars.h"

struct timebars {
    struct planbars axis; /* as last drawn */
    struct msg_plan plan; /* the scheduler's */
    enum plan_by by;
};

void timebars_fini(struct timebars *b);
/* A table of lanes; it is filled as b->by says then. It leaves the column of the axis blank. */
void timebars_init_table(struct timebars *b, struct table *t, enum plan_by by);
/* The bars of the rows of t that are on the screen, a line of axis each. */
void timebars_draw(const struct timebars *b, const struct table *t, struct canvas *c, struct rect axis);

#endif
