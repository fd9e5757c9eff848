/* time_bars.h - the plan as the rows of a table, by node, by GPU or by job: what it is by, its user, its
 * start, and the bars on a time axis from now on, with the scale above and the legend below. */
#ifndef UI_PLAN_TIME_BARS_H
#define UI_PLAN_TIME_BARS_H

#include "ui/frame/view.h"
#include "ui/nodes/owner_roles.h"
#include "ui/plan/plan_lanes.h"

struct timebars {
    struct ui *ui;
    struct msg_plan plan; /* the scheduler's */
    struct planlanes lanes;
    struct ownerroles owners;
    enum plan_by by;
    uint32_t span_s; /* of time that the axis shows */
    int room;        /* cells of the line, as last drawn */
};

void timebars_fini(struct timebars *b);
/* A table of lanes; it is filled as b->by says then. It leaves the column of the axis blank. */
void timebars_init_table(struct timebars *b, struct table *t, enum plan_by by);
/* The bars of the rows of t that are on the screen, a line of axis each. */
void timebars_draw(const struct timebars *b, const struct table *t, struct canvas *c, struct rect axis);

/* The time in the middle of a column of the axis. */
struct wall timebars_time(const struct timebars *b, int column);

/* Now, and the hours above the bars, as many as fit. head: one line, above the axis. */
void timebars_draw_scale(const struct timebars *b, struct canvas *c, struct rect head);
void timebars_draw_legend(struct canvas *c, struct rect line);

#endif
