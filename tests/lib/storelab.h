/* storelab.h - a store in a directory of its own, what it has said, and what is on its disk. */
#ifndef STOKER_TESTS_LIB_STORELAB_H
#define STOKER_TESTS_LIB_STORELAB_H

#include "backend/store/store.h"
#include "src/base/vec.h"

extern struct storelab {
    char *dir, *file;      /* the database in it */
    struct store *store;   /* NULL: not open */
    VEC(uint64_t) tickets; /* committed, or refused with the last result and its text */
    int last_result;
    char last_text[512];
    struct {
        unsigned answers;
        uint32_t job;
        char text[64];
        size_t n;
    } payload;
} sl;

/* A directory, nothing opened in it; and away with it. */
int storelab_set_up(void **state);
int storelab_tear_down(void **state);
#define STORE_CASE(f) cmocka_unit_test_setup_teardown(f, storelab_set_up, storelab_tear_down)

/* What fills sl. */
extern const struct store_callbacks storelab_callbacks;
/* Answers to store_get_payload: into sl.payload. */
void storelab_on_payload(void *ctx, uint32_t job, int32_t step, const uint8_t *p, size_t n);
int storelab_try_open(struct errtext *err);
void storelab_must_open(void);
void storelab_reopen(void);

/* Lets the store speak until it has said something more. */
void storelab_hear(void);
/* Until all that was added is on disk. */
void storelab_commit(void);

/* An event whose members follow from its number and its job. */
void storelab_add(uint64_t seq, uint32_t job);
/* "1:5 2:5 ...": number and job of every event on disk; its other members must be as storelab_add made
 * them. As store_load calls it; ctx: struct str. */
int storelab_collect(void *ctx, struct event *ev);
void storelab_disk_must_have(const char *row, const char *want);

/* By the side of the store. */
void storelab_sql(const char *text);
int64_t storelab_sql_number(const char *text);
/* The same of history.db. */
void storelab_history_sql(const char *text);
int64_t storelab_history_number(const char *text);
/* Lets the store move what it can from stoker.db to history.db. */
void storelab_move_all(void);

#endif
