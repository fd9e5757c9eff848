/* demo_output.h - what a made-up task prints, piece by piece: training logs with progress bars, tables,
 * steps of a computation.
 *
 * The text follows from the task alone, so that it may be made again at any time.
 */
#ifndef STOKER_BACKEND_DEMO_OUTPUT_H
#define STOKER_BACKEND_DEMO_OUTPUT_H

#include "backend/demo/demo_task.h"
#include "src/base/str.h"

/* When the piece of that number, from 0, is printed: ms since the task began, never less than that of the
 * one before; INT64_MAX: there is none. */
int64_t demo_output_at(const struct demo_task *t, uint32_t piece);
void demo_output_append(const struct demo_task *t, uint32_t piece, struct str *out);

#endif
