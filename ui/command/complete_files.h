/* complete_files.h - the files of the directory in the command line. */
#ifndef UI_COMMAND_COMPLETE_FILES_H
#define UI_COMMAND_COMPLETE_FILES_H

#include "ui/command/cmdline.h"

/* The paths in a directory, "" or with its slash; NULL while it is being listed: then listed is called
 * later. */
const struct strv *files_in(struct ui *ui, const char *dir, void (*listed)(struct ui *ui));
void files_forget(struct cmdline *cl);

#endif
