#include "backend/sim/procs_order.h"

#include <math.h>

/* A job that has just come, or has one processor, would divide by zero or take the logarithm of it. */
static double procs_order_at_least_one(double v)
{
    return v < 1 ? 1 : v;
}

double procs_score(enum procs_order order, const struct procs_job *j, int64_t first_submit, int64_t now)
{
    double w = (double)(now - j->submit), r = (double)j->estimate, n = (double)j->procs;
    double s = procs_order_at_least_one((double)(j->submit - first_submit));
    switch (order) {
    case PROCS_FIFO: return 0;
    case PROCS_SJBF:
    case PROCS_SJF: return r;
    case PROCS_WFP3: return -pow(w / r, 3) * n;
    case PROCS_UNICEP: return -w / (procs_order_at_least_one(log2(n)) * r);
    case PROCS_F1: return log10(r) * n + 870 * log10(s);
    }
    return 0;
}
