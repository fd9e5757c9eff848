/* confine.h - what a process gives up once it has started: system calls and capabilities.
 *
 * A fault in a program that reads what others send is worth as much as the process may do. The filter of
 * system calls is a list of what a kind of process needs (seccomp, a classic BPF program made from one
 * table); all else ends the process, with a line on standard error that names the call, so that a filter
 * that is too narrow is seen at once. Calls that are newer than the table fail with ENOSYS, as on an older
 * kernel. Children inherit both: a process that starts tasks cannot have a filter.
 *
 * STOKER_SECCOMP=off in the environment leaves the filters out, to look for a fault; =log lets everything
 * pass and has the kernel log what would have been refused. Builds with a sanitizer have no filters: its
 * own calls are not in the table.
 */
#ifndef STOKER_BACKEND_CONFINE_H
#define STOKER_BACKEND_CONFINE_H

#include <stdint.h>

enum confine_kind {
    CONFINE_SERVICE, /* a daemon: files, sockets, threads, helper programs, the name service */
    CONFINE_NETWORK, /* the same, but it starts no process and no program */
    CONFINE_READER,  /* reads files and answers on a socket that it has */
};

#define CONFINE_VARIABLE "STOKER_SECCOMP"

/* From now on the process, all of its threads and what it starts make only the system calls of its kind.
 * program: for the line that names a refused call; kept. Returns 0; 1 if the environment or the build
 * leaves the filter out; -ENOSYS or another negative errno if the kernel has none. */
int confine_system_calls(enum confine_kind kind, const char *program) __attribute__((warn_unused_result));
/* The same for a reader, without the rows of daemons in the program: it names no call of theirs. */
int confine_reader(const char *program) __attribute__((warn_unused_result));

/* Bits 1 << CAP_*: keeps these of the capabilities that the process has and drops the others, also those of
 * what it starts unless that is a program of uid 0. No-op if it is not root. Returns 0 or -errno. */
int confine_capabilities(uint64_t keep) __attribute__((warn_unused_result));

/* Bits 1 << CAP_*: neither the process nor what it starts can get these again, whatever it runs (the
 * bounding set). No-op without CAP_SETPCAP. Returns 0 or -errno. */
int confine_bounding_set(uint64_t drop) __attribute__((warn_unused_result));

#endif
