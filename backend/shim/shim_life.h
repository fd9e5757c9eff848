/* shim_life.h - the whole life of a supervisor: one task, and others after it if the supervisor may
 * stay. */
#ifndef STOKER_BACKEND_SHIM_SHIM_LIFE_H
#define STOKER_BACKEND_SHIM_SHIM_LIFE_H

#include <stddef.h>

/* pmi_program: see shim_state.h. title: the memory of the command line, into which the name of each task's
 * directory is written; NULL: none. Returns the exit status. */
int shim_main(const char *dir, int pmi_program, char *title, size_t title_size);

#endif
