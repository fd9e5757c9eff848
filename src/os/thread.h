/* thread.h - a detached thread. */
#ifndef STOKER_OS_THREAD_H
#define STOKER_OS_THREAD_H

#include <stddef.h>

/* Runs fn(arg) in a thread of its own with all signals blocked but SIGSYS: they are the loop's. What fn
 * returns is lost. stack: its bytes, 0 for the usual. Returns 0 or a negative errno. */
int thread_start(void *(*fn)(void *), void *arg, size_t stack) __attribute__((warn_unused_result));

#endif
