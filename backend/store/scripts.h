/* scripts.h - what retired jobs ran: script and arguments stay when the payload goes; the store's thread
 * alone.
 *
 * Each text is kept once, however many jobs ran it. Bounds: SCRIPT_MAX bytes of one, SCRIPTS_BYTES_MAX of
 * all: beyond that the oldest go. Environments, which may hold secrets, are not kept.
 */
#ifndef STOKER_BACKEND_STORE_SCRIPTS_H
#define STOKER_BACKEND_STORE_SCRIPTS_H

#include "backend/store/db.h"
#include "src/base/str.h"

#define SCRIPT_MAX (256u << 10)

/* Keeps what the payload of the job's batch script says, where it has one; within the transaction that
 * retires it. Errors: -ENOSPC, -EIO ... with SQLite's text. */
int scripts_keep(struct db *db, uint32_t job, struct errtext *err) __attribute__((warn_unused_result));
/* What a job of the history ran, appended to ret as an encoded step_payload (an element's: its array's);
 * nothing where it is not kept. False: the history knows no such job. */
bool scripts_get(struct db *db, uint32_t job, uint32_t *ret_uid, struct str *ret);

#endif
