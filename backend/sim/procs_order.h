/* procs_order.h - orders of the queue to compare with in the equality mode: EASY backfill over a queue that
 * is sorted again at each instant.
 *
 * w: time waited, r: estimate, n: processors, s: submission since that of the first job (all seconds).
 *
 *     fifo     submission
 *     sjbf     submission, but backfill candidates by r: shortest job backfilled first (Tsafrir, Etsion and
 *              Feitelson, "Backfilling using system-generated predictions", TPDS 18(6), 2007)
 *     sjf      r, shortest first
 *     wfp3     (w / r)^3 x n, largest first, and
 *     unicep   w / (log2(n) x r), largest first (both of Tang, Lan, Desai and Buettner, "Fault-aware,
 *              utility-based job scheduling on Blue Gene/P systems", CLUSTER 2009)
 *     f1       log10(r) x n + 870 x log10(s), smallest first (Carastan-Santos and de Camargo, "Obtaining
 *              dynamic scheduling policies with simulation and machine learning", SC 2017)
 */
#ifndef STOKER_SIM_PROCS_ORDER_H
#define STOKER_SIM_PROCS_ORDER_H

#include "backend/sim/procs.h"

/* What a job is sorted by, smallest first; first_submit: of the trace. 0 for orders by submission. */
double procs_score(enum procs_order order, const struct procs_job *j, int64_t first_submit, int64_t now);

#endif
