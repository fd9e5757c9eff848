/* acctvalues.h - what the fields of sacct and sstat say: one extraction each. */
#ifndef STOKER_CLI_ACCTVALUES_H
#define STOKER_CLI_ACCTVALUES_H

#include "src/cli/accounting/acctfields.h"

/* void acct_value_NAME(out, row, context): appends the cell. */
/* clang-format off */
#define ACCT_VALUES(X) \
    X(nothing) X(job_id) X(job_id_raw) X(job_name) X(partition) X(account) X(assoc_id) X(user) \
    X(uid) X(group) X(gid) X(cluster) X(qos) X(system_comment) \
    X(priority) X(restarts) X(reason) X(submit_line) X(flags) X(std_out) \
    X(std_err) X(std_in) X(state) X(exit_code) X(derived_exit_code) X(submit) X(eligible) X(start) \
    X(end) X(elapsed) X(elapsed_raw) X(suspended) X(planned) X(planned_cpu) X(planned_cpu_raw) \
    X(limit) X(limit_raw) X(alloc_cpus) X(ncpus) X(req_cpus) X(alloc_nodes) X(nnodes) X(req_nodes) \
    X(ntasks) X(node_list) X(req_mem) X(alloc_tres) X(req_tres) X(layout) X(total_cpu) X(ave_cpu) \
    X(min_cpu) X(min_cpu_node) X(min_cpu_task) X(max_rss) X(max_rss_node) X(max_rss_task) \
    X(ave_rss) X(cpu_time) X(cpu_time_raw) X(tres_usage) X(pids)
/* clang-format on */

#define X(NAME) void acct_value_##NAME(struct str *out, const struct acct_row *r, const struct acct_cx *cx);
ACCT_VALUES(X)
#undef X

/* What one of them begins with where it is defined. */
#define ACCT_VALUE(NAME)                                                                           \
    void acct_value_##NAME(                                                                        \
        __attribute__((unused)) struct str *out, __attribute__((unused)) const struct acct_row *r, \
        __attribute__((unused)) const struct acct_cx *cx)

/* "01:02:03", "1-02:03:04"; what is longer than can be said is cut. */
void acct_append_padded(struct str *out, int64_t s);

#endif
