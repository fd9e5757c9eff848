/* plan_bars.h - the plan as bars on a time axis from now on: a line for each lane, each user's jobs in a
 * colour, with the scale above and the legend below. The timeline draws the whole cluster with it, other
 * screens the few lanes that they are about. */
#ifndef UI_INFO_PLAN_BARS_H
#define UI_INFO_PLAN_BARS_H

#include "ui/info/owner_roles.h"
#include "ui/info/plan_lanes.h"
#include "ui/state/view.h"

struct planbars {
    struct ui *ui;
    struct planlanes lanes;
    struct ownerroles owners;
    uint32_t span_s;            /* of time that the axis shows */
    int room;                   /* cells of the axis */
    const struct plan_row *own; /* the row that stands out, with its name as it is; NULL: none */
};

/* Makes the lanes for the time that the axis shows, and the colours, again. span_s must be set, and plan
 * must live as long as the lanes are drawn. */
void planbars_fill(struct planbars *b, const struct msg_plan *plan, enum plan_by by);
void planbars_fini(struct planbars *b);

/* The bars of a lane; the line has b->room cells. */
void planbars_draw_lane(const struct planbars *b, struct canvas *c, struct rect line, const struct lane *l);
/* Now, and the hours above the bars, as many as fit. head: one line, above the axis. */
void planbars_draw_scale(const struct planbars *b, struct canvas *c, struct rect head);
void planbars_draw_legend(struct canvas *c, struct rect line);
/* The time in the middle of a column of the axis. */
struct wall planbars_time(const struct planbars *b, int column);

#endif
