/* time_bars.h - the plan as the rows of a table, by node or by job: the node or job, its user, its start,
 * and the bars on a time axis, with the scale above and the legend below. */
#ifndef UI_PLAN_TIME_BARS_H
#define UI_PLAN_TIME_BARS_H

#include "ui/frame/view.h"
#include "ui/plan/plan_lanes.h"

struct timebars {
    struct ui *ui;
    struct msg_plan plan; /* the scheduler's */
    struct planlanes lanes;
    bool by_job;
    uint32_t span_s; /* of time that the axis shows, part of it past */
    int room;        /* cells of the line, as last drawn */
};

void timebars_fini(struct timebars *b);
/* A table of lanes, by node or by job; it is filled as b->by_job says then. */
void timebars_init_table(struct timebars *b, struct table *t, bool by_job);

/* The time in the middle of a column of the axis, and the column of now. */
struct wall timebars_time(const struct timebars *b, int column);
int timebars_now(const struct timebars *b);

/* The hours above the bars, as many as fit. head: one line, above the axis. */
void timebars_draw_scale(const struct timebars *b, struct canvas *c, struct rect head);
void timebars_draw_legend(struct canvas *c, struct rect line);

#endif
