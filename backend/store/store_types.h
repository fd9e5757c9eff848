/* store_types.h - what both sides of the store speak of: demands, questions, answers. */
#ifndef STOKER_BACKEND_STORE_STORE_TYPES_H
#define STOKER_BACKEND_STORE_STORE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is demanded of what lies there. */
struct store_demands {
    bool must_exist;  /* there has been a state: an empty one is -ENODATA */
    bool accept_loss; /* a damaged write-ahead log is read as far as it goes; else -EUCLEAN */
};

/* Answers to questions, in the loop's thread too. ctx, of each question, must live until then.
 *
 * A payload: n == 0 where there is none, or none that is whole. */
typedef void (*store_payload_fn)(void *ctx, uint32_t job, int32_t step, const uint8_t *p, size_t n);

/* All of it is on disk. */
typedef void (*store_large_fn)(void *ctx);

/* What a job of the history ran. */
struct old_script {
    uint32_t job;
    bool known;       /* the history has that job */
    uint32_t uid;     /* whose it was */
    const uint8_t *p; /* an encoded step_payload without its environment */
    size_t n;         /* 0: it is not kept */
};
/* How much of the audit log is kept. */
struct audit_bounds {
    int64_t before_ms; /* lines before this time go; 0: none does */
    uint64_t bytes;    /* 0: any amount */
};

struct audit_piece {  /* lines of the audit log */
    const char *body; /* an encoded struct msg_audit_lines */
    size_t size;
    int r; /* 0, or why there is none, with a text */
    const char *text;
};
typedef void (*store_audit_fn)(void *ctx, const struct audit_piece *p);

typedef void (*store_script_fn)(void *ctx, const struct old_script *s);

/* Where the next piece of an answer from the history begins; zeroed: at its beginning. */
struct history_place {
    size_t target;     /* of the query's jobs */
    int64_t t_end;     /* else: behind this end ... */
    uint32_t job;      /* ... and this job */
    bool begun, whole; /* whole: there is no more */
};

/* A piece of an answer from the history: n rows, as the body of a message JOBS. r < 0: it could not be
 * read, text says why. */
struct history_piece {
    struct history_place next;
    uint32_t n;
    const char *body;
    size_t size;
    int r;
    const char *text;
    uint32_t n_damaged,
        damaged_job; /* rows that were left out, the first of them: their checksums differ */
};
typedef void (*store_history_fn)(void *ctx, const struct history_piece *p);

struct store_space {  /* bytes */
    uint64_t fs_free; /* of the state's file system, for who is not root */
    uint64_t taken;   /* by the databases of the state and of the history, with their logs */
    uint64_t unused;  /* of stoker.db: pages that nothing is in */
    uint64_t history; /* by history.db */
};

typedef void (*store_space_fn)(void *ctx, const struct store_space *s);

#endif
