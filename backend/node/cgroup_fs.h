/* cgroup_fs.h - the files of control groups: where a process's own group is, what is written to a group and
 * read from it, its end. It knows nothing of jobs.
 *
 * A group is named by its directory. Whatever is written as a limit is read back: in a container a write
 * may succeed without any effect.
 */
#ifndef STOKER_BACKEND_NODE_CGROUP_FS_H
#define STOKER_BACKEND_NODE_CGROUP_FS_H

#include <stdbool.h>
#include <stdint.h>

/* This process's group in the v1 hierarchy of the controller (NULL: in the v2 one); NULL: there is none.
 * Caller frees. */
char *cgroup_fs_own(const char *controller);
/* The same from the texts of /proc/self/mountinfo and /proc/self/cgroup. */
char *cgroup_fs_find(const char *mounts, const char *groups, const char *controller);
/* The path of this process in the v2 hierarchy, as /proc/self/cgroup says it; NULL: none. Caller frees. */
char *cgroup_fs_path(void);

/* 0 or -errno. */
int cgroup_fs_put(const char *dir, const char *file, const char *text);
/* -EIO: the file does not say so afterwards. */
int cgroup_fs_put_number(const char *dir, const char *file, uint64_t n);
bool cgroup_fs_has_word(const char *dir, const char *file, const char *word);
/* The number behind word, NULL: at the beginning. */
bool cgroup_fs_number(const char *dir, const char *file, const char *word, uint64_t *ret);
/* The first line of a file, without its newline; NULL: not there. Caller frees. */
char *cgroup_fs_line(const char *dir, const char *file);

/* Whether a process that is put into the group is there then; tried with a child. */
bool cgroup_fs_takes_processes(const char *dir);
/* SIGKILL to all processes of the group; in v2 also to those of the groups below it. */
void cgroup_fs_kill(const char *dir);
/* True where it is gone, or was never there. NULL: true. */
bool cgroup_fs_remove(const char *dir);

#endif
