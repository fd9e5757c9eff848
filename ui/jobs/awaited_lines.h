/* awaited_lines.h - which jobs wait for a running one: by a dependency, or by a planned start on its nodes.
 */
#ifndef UI_JOBS_AWAITED_LINES_H
#define UI_JOBS_AWAITED_LINES_H

#include "src/answers/answer_plan.h"
#include "src/model/dep.h"
#include "ui/state/view.h"

/* Whether a dependency of by names j or its array: then *ret is that one. */
bool awaited_depends_on(const struct job *by, const struct job *j, struct dep *ret);

/* Two sections, each only where it has a line; one line where neither has. plan NULL: not known yet.
 * Cost: O(pending jobs) + O(rows of the plan). */
void awaited_lines(struct lines *l, const struct ui *ui, const struct job *j, const struct msg_plan *plan);

#endif
