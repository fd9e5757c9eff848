/* path_search.h - files by their names in the directories of a PATH. */
#ifndef STOKER_OS_PATH_SEARCH_H
#define STOKER_OS_PATH_SEARCH_H

#include <stdbool.h>

/* Calls look with each file that the name may mean until it returns true: in the directories of path
 * ("/usr/bin:/bin"; NULL: none; an empty one is the current directory), or the name alone if it has a
 * slash. Returns what look returned last. */
typedef bool path_look_fn(void *ctx, const char *file);
bool path_search(const char *path, const char *name, path_look_fn *look, void *ctx);

/* The first file of that name that may be executed and is not a directory, NULL: there is none. Caller
 * frees. */
char *path_find_program(const char *path, const char *name) __attribute__((warn_unused_result));

#endif
