/* plan_info.h - what the timeline says about the place of its cursor: a lane and an instant. */
#ifndef UI_PLAN_PLAN_INFO_H
#define UI_PLAN_PLAN_INFO_H

#include "ui/frame/view.h"
#include "ui/plan/plan_lanes.h"

/* "4711"; of one element of an array "4711_3", of several of them the array's number. */
void planinfo_id(struct str *out, const struct ui *ui, const struct plan_row *r);
/* Two lines: what is there, and what one has to know about it. Appended. */
void planinfo_brief(struct lines *l, const struct ui *ui, const struct planlanes *p,
                    const struct lane *lane, struct wall at);
/* The same, the job that is there, and what comes after it: for the pane beside the plan. */
void planinfo_lines(struct lines *l, struct ui *ui, const struct planlanes *p, const struct lane *lane,
                    struct wall at);

#endif
