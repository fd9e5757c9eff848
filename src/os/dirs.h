/* dirs.h - directories and those above them. */
#ifndef STOKER_OS_DIRS_H
#define STOKER_OS_DIRS_H

#include <stdbool.h>
#include <sys/types.h>

/* Makes the directories above path with that mode; those that are there are left alone. Returns 0 or a
 * negative errno. */
int dirs_above(const char *path, mode_t mode);

/* The same, and path itself with the mode own where it is not there. */
int dirs_make(const char *path, mode_t above, mode_t own) __attribute__((warn_unused_result));

/* Whether path is root or below it, by their names alone; false where it goes up again by "..". */
bool dirs_is_below(const char *path, const char *root);

#endif
