/* plan_info.h - the details of the timeline's cursor: a lane and a time. */
#ifndef UI_INFO_PLAN_INFO_H
#define UI_INFO_PLAN_INFO_H

#include "ui/info/plan_lanes.h"
#include "ui/state/view.h"

/* "4711"; of one element of an array "4711_3", of several of them the array's number. */
void planinfo_id(struct str *out, const struct ui *ui, const struct plan_row *r);
/* Whether it is a job of the user of these screens. */
bool planinfo_is_own(const struct ui *ui, const struct plan_row *r);
/* Appends two lines: the job there, and its details. */
void planinfo_brief(struct lines *l, const struct ui *ui, const struct planlanes *p,
                    const struct lane *lane, struct wall at);

#endif
