/* shim_files.h - files of the task, opened with the rights of its user and no others. */
#ifndef STOKER_BACKEND_SHIM_SHIM_FILES_H
#define STOKER_BACKEND_SHIM_SHIM_FILES_H

#include "backend/shim/shim_state.h"

/* Becomes the user for good, or returns a text. Called in a child. */
const char *shim_files_drop(const struct shim *s);
/* The first half of it: takes the groups of the user. */
const char *shim_files_drop_groups(const struct shim *s);
/* Enters the working directory. 0 or -errno. */
int shim_files_enter_workdir(const struct shim *s, char *text, size_t size);
/* Opens an output as the user that the process is. Descriptor or -errno with a text. */
int shim_files_open_output(const char *path, bool append, char *text, size_t size);
/* Whether k's file is appended to; else truncated. */
bool shim_files_appends(const struct shim *s, const struct sink *k);
/* Makes the table of sinks and opens the spooled ones. */
int shim_files_prepare(struct shim *s);
/* True where sinks must be opened before the ranks start. */
bool shim_files_need_opener(const struct shim *s);
int shim_files_start_opener(struct shim *s);
/* Takes descriptors from the opener; true when it is done. */
bool shim_files_read_opener(struct shim *s);
/* Writes a line to the task's standard error; waits a moment at most, once in the life of a task. */
void shim_files_note(struct shim *s, const char *line);

#endif
