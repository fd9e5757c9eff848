/* work.h - what is handed to the store's thread, and what it does with the connection: no threads here. */
#ifndef STOKER_BACKEND_STORE_WORK_H
#define STOKER_BACKEND_STORE_WORK_H

#include "backend/store/archive.h"
#include "backend/store/audit_db.h"
#include "backend/store/db.h"
#include "backend/store/history_db.h"
#include "backend/store/payload_db.h"
#include "backend/store/scripts.h"
#include "src/base/list.h"
#include "src/base/vec.h"

enum row_kind {
    ROW_EVENT,
    ROW_DEL_EVENT,
    ROW_PAYLOAD,
    ROW_LARGE, /* a payload that lies in pieces; no data */
    ROW_PIECE, /* of number place.number, at place.at */
    ROW_DEL_PAYLOAD,
    ROW_RETIRE,
    ROW_AUDIT,
    ROW_AUDIT_HEAVY
};

struct batch_row { /* one thing to write; data lies in the batch's bytes */
    enum row_kind kind;
    uint32_t job;
    int32_t step;
    uint64_t seq;
    int64_t t;
    uint32_t event_kind;
    size_t at, n;
    struct large_place place;
    struct job *summary; /* ROW_RETIRE: the columns of the history */
};

enum work_kind {
    WORK_BATCH,
    WORK_GET_PAYLOAD,
    WORK_GET_SCRIPT,
    WORK_HISTORY,
    WORK_AUDIT, /* a piece of the audit log, read */
    WORK_PROBE,
    WORK_MOVE,  /* a piece of the history, into its file */
    WORK_TRIM,  /* a piece of what is too old */
    WORK_SWEEP, /* a piece of a payload that none names */
    WORK_SPACE,
    WORK_STOP
};

struct work {
    struct list link;
    enum work_kind kind;
    uint64_t ticket;
    VEC(struct batch_row) rows;
    struct mark_values note; /* of a batch: what its commit is remembered with ... */
    uint64_t newest;         /* ... and the newest event after it */
    struct str bytes;
    struct str audit; /* of a batch: the lines of its ROW_AUDIT; at and n of such a row are places in it */
    struct str audit_heavy; /* likewise of its ROW_AUDIT_HEAVY */
    struct audit_bounds audit_bounds;
    uint32_t job;
    int32_t step;
    union { /* of a question: who gets the answer, by kind */
        store_payload_fn payload;
        store_script_fn script;
        store_history_fn history;
        store_audit_fn audit;
        store_space_fn space;
    } answer;
    void *answer_ctx;
    int result; /* what work_do fills, from here */
    struct errtext err;
    bool damaged;                  /* WORK_GET_PAYLOAD: its checksum does not fit */
    bool more;                     /* WORK_MOVE, WORK_TRIM, WORK_SWEEP: another piece is left */
    int64_t before_number;         /* WORK_SWEEP */
    int64_t before_ms, most_bytes; /* WORK_TRIM: by age, by size; the other is 0 */
    uint32_t n_damaged;            /* WORK_HISTORY: rows that were left out; job is the first of them */
    bool known;                    /* WORK_GET_SCRIPT: the history has the job; the script is in `bytes` */
    uint32_t uid;                  /* whose it was; WORK_HISTORY: who asks */
    bool cuts; /* WORK_HISTORY: jobs of other users come without arguments of commands */
    uint64_t us;
    struct store_space space; /* WORK_SPACE */
    /* WORK_HISTORY; the rows' bytes are in `bytes` */
    struct msg_history query;
    struct history_place place;
    uint32_t most, n;
    /* WORK_AUDIT; the answer is in `bytes` */
    struct msg_audit audit_query;
    struct audit_reader audit_reader;
};

/* Questions of users, and what is done while there is nothing else to do: batches go first. */
bool work_can_wait(const struct work *w);
bool work_writes(const struct work *w);
struct work *work_new(enum work_kind kind);
void work_free(struct work *w);

/* Does it and fills in its answer and the time it took. failed: an earlier batch has, none is written. */
void work_do(struct work *w, struct db *db, bool failed);

bool work_has_row(const struct work *w, enum row_kind kind);

/* Split off from an array whose events stay: they would make it again when the state is folded. */
bool work_is_element(const struct job *j);

#endif
