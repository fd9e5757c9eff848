/* programs.h - the directories of this node's programs: named by their contents, one for each release that
 * was here.
 *
 * Agent and shims hold a lock on the directory that they run from; an agent of another release removes
 * those that no process holds. A shim outlives its agent, and its task finds srun in that directory.
 */
#ifndef STOKER_BACKEND_TASK_PROGRAMS_H
#define STOKER_BACKEND_TASK_PROGRAMS_H

/* From now on until this process ends, and its copies, the directory of its program is in use. */
void programs_hold(void);

/* Removes the siblings of program's directory that have names like it, have not been used for a while, and
 * are held by no process. Its own counts as used now. No-op for programs that are installed in another
 * way. */
void programs_clean(const char *program);

#endif
