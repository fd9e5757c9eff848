/* totals.h - the sums of the header; counted when the model changes. */
#ifndef UI_FRAME_TOTALS_H
#define UI_FRAME_TOTALS_H

#include "ui/frame/view.h"

struct header_totals {
    uint32_t running, waiting, nodes, nodes_used, nodes_out;
    uint64_t cpus, cpus_used, cpus_out, gpus, gpus_used, gpus_out;
    struct wall edge; /* a window begins or ends then; unset: none does */
};

void totals_new(struct ui *ui);
void totals_free(struct ui *ui);
void totals_count(struct ui *ui);
const struct header_totals *totals_get(const struct ui *ui);

#endif
