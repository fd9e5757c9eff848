/* ledger.h - what has really happened, and the promises that are checked against it.
 *
 *     an acknowledged submission is never lost, and no id is given twice
 *     a launch begins once; a task of a job runs once at a time; a GPU is one job's at a time
 *     what the controller says of an ended job is how it ended
 *     a client that follows is told of no event that is not on disk
 *     when the faults are over every job ends
 *
 * A promise that is broken ends the program (sim_fail).
 */
#ifndef STOKER_TESTS_VOPR_LEDGER_H
#define STOKER_TESTS_VOPR_LEDGER_H

#include "src/proto/launch.h"
#include "src/proto/msg.h"

void ledger_begin(void);
void ledger_end(void);

/* --- of clients --- */

struct submission {
    unsigned number;
    char name[16], request_id[32];
    uint32_t kind;     /* enum job_kind */
    uint32_t elements; /* 0: not an array */
    uint32_t id;       /* 0: not acknowledged yet */
    bool is_refused;
    bool is_ended;      /* the controller has said so */
    bool is_impossible; /* its release was refused */
    unsigned n_freed;   /* how often it was released or resumed when nothing may wait any more */
    bool is_lost;       /* a loss that was accepted has taken it */
    uint32_t state;     /* as it was said then ... */
    int32_t exit_code;
    unsigned n_acts; /* requests that may change how it ends, sent so far */
    bool was_seen;   /* in this audit, with this many rows that have not ended */
    unsigned rows_open;
};

/* A new one; the ledger's. */
struct submission *ledger_submit(uint32_t kind, uint32_t elements);
void ledger_acknowledge(struct submission *s, uint32_t id);
/* One that is acknowledged, at random; NULL: there is none. */
struct submission *ledger_any(void);
/* A request is about to be sent that may change how it ends. */
void ledger_act(struct submission *s);
/* Submissions so far, and those that are not known to have ended. */
unsigned ledger_n_submitted(void);
unsigned ledger_n_open(void);

/* An audit: every row that the controller shows, then the verdict. */
void ledger_audit_begin(void);
void ledger_audit_row(const struct job *j);
void ledger_audit_end(void);
/* Jobs that the last whole audit has not found ended. */
unsigned ledger_audit_n_open(void);
/* Which those are. */
const char *ledger_open_text(void);
unsigned ledger_n_audits(void);
/* A mirror kept up by rows is as a snapshot says: how often that was seen. */
void ledger_compared(void);
unsigned ledger_n_compared(void);

/* --- of nodes --- */

void ledger_begins(const struct launch_key *k, const char *job_name, const char *node,
                   const struct cpuset *gpus);
void ledger_ends(const struct launch_key *k, const char *node, uint32_t kind, int32_t code);
/* The controller has said that the end is on its disk. */
void ledger_acked(const struct launch_key *k, const char *node);
/* A node has refused a controller; is_alive: not one that has died since it spoke. */
void ledger_refused(const char *node, const char *text, bool is_alive);

/* --- of the disk --- */

/* An event has been committed; a client is told of one. */
void ledger_commits(uint64_t seq);
void ledger_tells(uint64_t seq);

/* --- of the administrator --- */

/* The state was damaged and begun with all the same: what was done last may be lost. */
void ledger_accept_loss(void);
bool ledger_has_loss(void);

unsigned ledger_n_runs(void);

#endif
