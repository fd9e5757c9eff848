/* totals.h - the sums of the header: counted when the model changes, or, where the mirror has the user's
 * own jobs alone, as the controller pushes them. */
#ifndef UI_FRAME_TOTALS_H
#define UI_FRAME_TOTALS_H

#include "src/model/cluster_totals.h"
#include "ui/state/view.h"

void totals_new(struct ui *ui);
void totals_free(struct ui *ui);
void totals_count(struct ui *ui);
/* As the controller says. */
void totals_take(struct ui *ui, const struct cluster_totals *told);
const struct cluster_totals *totals_get(const struct ui *ui);

#endif
