/* owner_file.h - files that a user has named, read by root.
 *
 * The name of an output comes from the owner of the job. Root must not open what that user could not, nor a
 * device or a FIFO before it is known to be one.
 */
#ifndef STOKER_OS_OWNER_FILE_H
#define STOKER_OS_OWNER_FILE_H

#include <stdbool.h>
#include <sys/types.h>

/* Opens a regular file for reading. Root opens a file of another user as that user, with the groups of that
 * user: in a process of its own, which is killed after five seconds. Any other process opens it as itself.
 * Safe in threads. Returns a descriptor (close-on-exec, non-blocking) or a negative errno; -EINVAL: not a
 * regular file; -EACCES also where there is no such user. */
int owner_file_open(const char *path, uid_t owner) __attribute__((warn_unused_result));
/* Whether this process opens files of that user as itself. */
bool owner_file_is_direct(uid_t owner);

#endif
