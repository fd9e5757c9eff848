/* output_view.h - the output of a job, read where the job writes it. */
#ifndef UI_OUTPUT_OUTPUT_VIEW_H
#define UI_OUTPUT_OUTPUT_VIEW_H

#include "ui/output/output_files.h"
#include "ui/state/view.h"

extern const struct view_ops output_view; /* arg: const struct output_at * */

/* Opens the output of a job: of the script, else of its first failed or newest task. A toast if there is
 * none. */
void output_open(struct ui *ui, const struct job *j);
/* Opens the outputs of all elements of an array in one. A toast if none has started. */
void output_open_array(struct ui *ui, uint32_t array);

#endif
