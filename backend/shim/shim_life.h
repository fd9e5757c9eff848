/* shim_life.h - the whole life of a supervisor: a task, and others after it where it may stay. */
#ifndef STOKER_BACKEND_SHIM_SHIM_LIFE_H
#define STOKER_BACKEND_SHIM_SHIM_LIFE_H

#include <stddef.h>

/* title: the place of its command line, where the name of each task's directory is put; NULL: none. Returns
 * the exit status. */
int shim_main(const char *dir, char *title, size_t title_size);

#endif
