/* store.h - what has been acknowledged, on disk: SQLite behind a thread of its own.
 *
 * The loop collects the events of a turn in a batch and hands it over; the thread commits it as one
 * transaction (WAL, synchronous=FULL) and tells. Nothing that follows from an event may leave the process
 * before its batch is committed: that is what tickets are for.
 *
 *     loop:    store_add_event ... store_add_event   store_turn          (replies wait at store_ticket())
 *     thread:                                        BEGIN ... COMMIT
 *     loop:                                          on_commit(ticket, 0): replies up to ticket go out
 *
 * One connection, used by the thread alone; EXCLUSIVE, so a second controller on the same file is refused.
 * Checkpoints run when nothing waits to be committed.
 */
#ifndef STOKER_BACKEND_STORE_H
#define STOKER_BACKEND_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "backend/store/mark.h"
#include "backend/store/store_types.h"
#include "src/base/err.h"
#include "src/base/str.h"
#include "src/model/event.h"
#include "src/proto/msg.h"
#include "src/record/rec.h"

struct store;

/* Called in the loop's thread by store_dispatch. r < 0: that batch and every later one so far have been
 * rolled back. */
typedef void (*store_commit_fn)(void *ctx, uint64_t ticket, int r, const char *text);
struct store_callbacks {
    store_commit_fn on_commit;
    void *ctx;
};

/* Opens or creates DIR/stoker.db, checks it (quick_check, application id, version) and starts the thread.
 * Errors, with text: -EBUSY (another controller has it), -EUCLEAN (damaged), -EROFS (a network file
 * system), -EIO and others. */
int store_open(const char *dir, const struct store_callbacks *cb, struct store **ret, struct errtext *err)
    __attribute__((warn_unused_result));
int store_open_as(const char *dir, const struct store_callbacks *cb, const struct store_demands *demands,
                  struct store **ret, struct errtext *err) __attribute__((warn_unused_result));
/* Commits what is left and closes. */
void store_close(struct store *s);
/* Closes and leaves everything on disk as it was found. Only where nothing has been added. */
void store_leave(struct store *s);

/* Readable when something has been committed or read: then call store_dispatch. */
int store_fd(const struct store *s);
void store_dispatch(struct store *s);

/* Reads every event in order into fn, in the calling thread; only while no batch is under way. The event's
 * body is the callee's. A positive return of fn stops. Errors: -EBADMSG (an event that cannot be read: the
 * text says which). */
int store_load(struct store *s, int (*fn)(void *ctx, struct event *ev), void *ctx, struct errtext *err)
    __attribute__((warn_unused_result));
/* The highest job id that history knows; 0 where it is empty. */
uint32_t store_last_job(struct store *s);

/* How far this machine remembers the state to have come: mark.h. */
const struct mark_values *store_mark(const struct store *s);
/* The number of the newest event on disk; as store_load. A mark beyond it: some have been lost. */
uint64_t store_newest(struct store *s);
/* What goes into the mark with the batches from now on. Without it no mark is written. */
void store_note(struct store *s, uint64_t cluster, uint64_t epoch, uint32_t next_job);

/* --- the batch that is being collected --- */

/* body is encoded here and now. */
void store_add_event(struct store *s, const struct event *ev, const void *encoded, size_t n);
/* One about no job, which later ones have made void. */
void store_del_event(struct store *s, uint64_t seq);
/* What a step runs: kept apart from the events, deleted when it has ended. */
void store_add_payload(struct store *s, uint32_t job, int32_t step, const void *p, size_t n);
/* The same in pieces, for what would hold up a batch: with each batch goes one of at most LARGE_PIECE
 * bytes, in turn of owners, before any event names it. fn is called when all is on disk; then
 * store_add_large names a range of it as a payload, and store_end_large, which may come at any time and
 * must come after store_reset, lets go of the bytes. What no payload names goes later. Takes *bytes. */
struct store_large;
struct store_large *store_begin_large(struct store *s, uint32_t owner, struct str *bytes, store_large_fn fn,
                                      void *ctx);
const char *store_large_bytes(const struct store_large *g);
void store_add_large(struct store *s, uint32_t job, int32_t step, const struct store_large *g, size_t at,
                     size_t n);
void store_end_large(struct store *s, struct store_large *g);
void store_del_payload(struct store *s, uint32_t job, int32_t step);
/* The job leaves the state: its events go, its last record stays in the history. Returns true where its
 * events stay until its array goes, which must be after it: then the event of its retirement must be added
 * too. */
bool store_retire_job(struct store *s, const struct job *j);

/* A line of the audit log: on disk with this batch, or not at all. p: an encoded struct audit_line. heavy:
 * of a user who has had a share of the log: such lines go first. */
void store_add_audit(struct store *s, struct wall t, bool heavy, const void *p, size_t n);
/* For the batches from now on. */
void store_bound_audit(struct store *s, const struct audit_bounds *b);

/* End of a turn: hands the batch over as soon as the thread is free. No-op where it is empty. Whether it is
 * empty now: what is added next begins a batch. */
bool store_turn(struct store *s);
/* What the state as it is now must wait for. Committed when <= store_committed(). */
uint64_t store_ticket(const struct store *s);
uint64_t store_committed(const struct store *s);

/* Asks for a payload; answered after everything collected before has been committed. */
void store_get_payload(struct store *s, uint32_t job, int32_t step, store_payload_fn fn, void *ctx);

/* Asks for what a retired job ran. Commits go first. */
void store_get_script(struct store *s, uint32_t job, store_script_fn fn, void *ctx);

/* Asks for the next piece of an answer: at most `most` rows and about a megabyte of them, fewer where
 * looking for them takes long: commits go first. */
void store_get_history(struct store *s, const struct msg_history *q, const struct history_place *from,
                       uint32_t most, store_history_fn fn, void *ctx);

/* Asks for a piece of the audit log: what the reader may see of it, a megabyte at most. Commits first. */
void store_get_audit(struct store *s, const struct msg_audit *q, const struct audit_reader *who,
                     store_audit_fn fn, void *ctx);

/* The same for a user: the jobs of other users come without the arguments of their commands. uid NULL: as
 * they are. */
void store_get_history_for(struct store *s, const struct msg_history *q, const struct history_place *from,
                           uint32_t most, const uint32_t *uid, store_history_fn fn, void *ctx);
/* Asks how much room there is. */
void store_get_space(struct store *s, store_space_fn fn, void *ctx);

/* Tells the size of each payload; as store_load. */
void store_each_payload(struct store *s, void (*fn)(void *ctx, uint32_t job, int32_t step, size_t n),
                        void *ctx);

/* Deletes what ended before then from the history, in pieces, while there is nothing else to do. */
void store_trim_history(struct store *s, int64_t before_ms);
/* The same of the oldest jobs of the users who have most there, until it takes no more than that. */
void store_trim_history_to(struct store *s, int64_t bytes);

/* After a failed commit: drops what has been collected and waits for the thread to be idle. Then store_load
 * gives what is on disk. Payloads and history that were asked for are still
 * answered. */
void store_reset(struct store *s);
/* Tries whether a transaction can be committed again. 0 or a negative error with text. */
int store_probe(struct store *s, struct errtext *err) __attribute__((warn_unused_result));

struct store_stats {
    uint64_t commits, events, commit_us_sum, commit_us_max;
    uint64_t db_bytes;
    uint64_t batch_bytes_max; /* of events and payloads */
};
void store_get_stats(struct store *s, struct store_stats *ret);

#endif
