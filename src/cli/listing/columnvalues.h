/* columnvalues.h - what the columns of jobs and steps say: one extraction each, and the numbers that they
 * sort by. Rows and contexts as in columns.h. */
#ifndef STOKER_CLI_COLUMNVALUES_H
#define STOKER_CLI_COLUMNVALUES_H

#include "src/base/str.h"
#include "src/model/model.h"

#define NULL_TEXT "(null)" /* what is not set */

/* void value_NAME(out, row, context): appends the cell. */
/* clang-format off */
#define COLUMN_VALUES(X) \
    X(id) X(raw_id) X(array_id) X(array_index) X(user) X(uid) X(group) X(gid) \
    X(qos) X(partition) X(command) \
    X(submit_host) X(cluster) X(null) X(na) X(star) X(sct) X(zero) X(zero_time) \
    X(not_set) X(not_any) X(state_short) X(state) X(reason) X(reason_words) X(nodes_or_reason) \
    X(priority_long) X(priority) X(dependency) X(exit_code) X(derived_code) X(restarts) \
    X(batch_flag) X(requeue) X(hold) X(start) X(end) X(submit) X(eligible) X(deadline) X(elapsed) \
    X(limit) X(left) X(time_min) X(pending_s) X(cpus) X(gpus) X(node_count) X(tasks) \
    X(cpus_per_task) X(min_cpus) X(max_nodes) X(min_memory) X(mem) \
    X(tres_per_node) X(tres_alloc) X(tres_per_job) X(tres_per_task) X(tasks_per_node) \
    X(over_subscribe) X(nodes) X(batch_host) X(req_nodes) X(exc_nodes) X(stdout) X(stderr) \
    X(stdin) X(step_id) X(step_name) X(step_nodes) X(step_elapsed) X(step_start) X(step_cpus) \
    X(step_tasks) X(step_node_count) X(step_limit) X(step_state) X(step_command)

/* int64_t number_NAME(row, context). Times are in milliseconds, INT64_MAX where there is none yet. */
#define COLUMN_NUMBERS(X) \
    X(id) X(raw_id) X(array_id) X(uid) X(gid) X(state) X(priority) X(restarts) \
    X(batch_flag) X(requeue) X(start) X(end) X(submit) X(eligible) X(elapsed) X(limit) X(left) \
    X(pending_s) X(cpus) X(gpus) X(node_count) X(mem) X(tasks) X(cpus_per_task) X(min_cpus) \
    X(max_nodes) X(min_memory) X(step_elapsed) X(step_start) X(step_cpus) \
    X(step_tasks) X(step_node_count)
/* clang-format on */

#define X(NAME) void value_##NAME(struct str *out, const void *row, const void *ctx);
COLUMN_VALUES(X)
#undef X
#define X(NAME) int64_t number_##NAME(const void *row, const void *ctx);
COLUMN_NUMBERS(X)
#undef X

/* As the columns print their numbers. */
void value_append_number(struct str *out, int64_t v);

#endif
