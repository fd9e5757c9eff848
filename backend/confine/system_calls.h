/* system_calls.h - tables of system calls: what every process needs (system_calls_reader.c), and which kind
 * of daemon needs what (system_calls_table.c). */
#ifndef STOKER_BACKEND_SYSTEM_CALLS_H
#define STOKER_BACKEND_SYSTEM_CALLS_H

struct system_call {
    int number; /* -1: not on this architecture */
    const char *name;
    unsigned kinds; /* bits 1 << enum confine_kind; 0: refused, and here for its name */
    int pretend;    /* not 0: fails with this errno for all kinds, since programs go on without it */
};

/* Ends with a row without a name. */
extern const struct system_call system_calls_of_readers[];

#define SYSTEM_CALL_TABLES 2

struct system_calls {
    const struct system_call *tables[SYSTEM_CALL_TABLES]; /* NULL: fewer */
    unsigned kinds;                                       /* a row that has one of these bits is allowed */
    enum { CLONE_NOTHING, CLONE_THREADS, CLONE_ANY } clone;
};

/* As confine_system_calls. */
int system_calls_confine(const struct system_calls *s, const char *program)
    __attribute__((warn_unused_result));

#endif
