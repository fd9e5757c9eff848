/* output_view.h - the output of a job, read where it is being written. */
#ifndef UI_OUTPUT_OUTPUT_VIEW_H
#define UI_OUTPUT_OUTPUT_VIEW_H

#include "ui/frame/view.h"
#include "ui/output/output_files.h"

extern const struct view_ops output_view; /* arg: const struct output_at * */

/* The output of a job: of the script, else of the task that there is most to see of. A toast where it has
 * none. */
void output_open(struct ui *ui, const struct job *j);

#endif
