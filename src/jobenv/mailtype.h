/* mailtype.h - --mail-type: the events that a user gets mail about. */
#ifndef STOKER_JOBENV_MAILTYPE_H
#define STOKER_JOBENV_MAILTYPE_H

#include <stdbool.h>
#include <stdint.h>

/* X(enum member, word, part of ALL) Source: sbatch(1), --mail-type. */
#define MAIL_TYPES(X)                               \
    X(BEGIN, "BEGIN", true)                         \
    X(END, "END", true)                             \
    X(FAIL, "FAIL", true)                           \
    X(REQUEUE, "REQUEUE", true)                     \
    X(INVALID_DEPEND, "INVALID_DEPEND", true)       \
    X(STAGE_OUT, "STAGE_OUT", true)                 \
    X(TIME_LIMIT, "TIME_LIMIT", false)              \
    X(TIME_LIMIT_90, "TIME_LIMIT_90", false)        \
    X(TIME_LIMIT_80, "TIME_LIMIT_80", false)        \
    X(TIME_LIMIT_50, "TIME_LIMIT_50", false)        \
    X(ARRAY_TASKS, "ARRAY_TASKS", false)

enum mail_type {
#define X(name, word, all) MAIL_##name,
    MAIL_TYPES(X)
#undef X
        MAIL_N_TYPES
};

/* Words between commas, any case; ALL, NONE. NULL is none. *ret_mask: bits 1 << enum mail_type. False where
 * a word is none of them. */
bool mail_types_parse(const char *text, uint32_t *ret_mask);

#endif
