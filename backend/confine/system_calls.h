/* system_calls.h - the table of system calls: which kind of process needs what (system_calls_table.c). */
#ifndef STOKER_BACKEND_SYSTEM_CALLS_H
#define STOKER_BACKEND_SYSTEM_CALLS_H

struct system_call {
    int number; /* -1: not on this architecture */
    const char *name;
    unsigned kinds; /* bits 1 << enum confine_kind; 0: refused, and here for its name */
    int pretend;    /* not 0: fails with this errno for all kinds, since programs go on without it */
};

/* Ends with a row without a name. */
extern const struct system_call system_calls[];

#endif
