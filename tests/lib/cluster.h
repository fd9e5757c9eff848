/* cluster.h - a controller with one local node for tests in C: started, killed, asked, stopped.
 *
 * Everything lies in $STOKER_HOME, which tests/run gives. The programs are those in PATH.
 */
#ifndef STOKER_TESTS_LIB_CLUSTER_H
#define STOKER_TESTS_LIB_CLUSTER_H

#include <sys/types.h>

#include "src/client/client.h"

/* Milliseconds of a clock that only goes forward. */
int64_t cluster_now_ms(void);
/* Until fn(ctx) or the deadline; looks again every pause_ms. */
bool cluster_eventually(int64_t within_ms, int pause_ms, bool (*fn)(void *ctx), void *ctx);

/* Writes stoker.cfg: one node n1 whose figures are believed. */
void cluster_configure(unsigned cpus, unsigned mem_gib, unsigned gpus);
/* Starts stokerd as a child of the caller. crash: STOKER_CRASH for it ("after_commit:3"), or NULL. */
pid_t cluster_spawn(const char *crash);
/* With that library of tests/lib loaded before the C library's, and told what it reads from a variable. */
pid_t cluster_spawn_with(const char *library, const char *variable, const char *value);
/* How long a controller takes here until it answers, measured once with one of its own: where lives are cut
 * short they must be longer than that. */
int64_t cluster_start_ms(void);
/* SIGKILL where it still lives; reaped. Returns the wait status. */
int cluster_kill(pid_t controller);
/* The next one after that. */
pid_t cluster_restart(pid_t controller);
/* A connection, waiting for the controller; fails the test after 20 s. */
struct client *cluster_connect(void);
/* Submits a batch job whose script is text, as request. Returns 0 and the id, or a negative error where no
 * answer came. */
int cluster_submit(struct client *c, const char *request_id, const char *script, uint32_t *ret_job);
/* The whole state as the controller tells it; model_fini. */
void cluster_fetch(struct client *c, struct model *ret);
/* Whether no job waits or runs; ctx is the connection, as for cluster_eventually. */
bool cluster_is_empty(void *ctx);
/* Ends the jobs, the controller and the agent, and waits for controller to be gone; fails the test where
 * that does not happen in order. */
void cluster_stop(pid_t controller);
/* Folds what is on disk, with no controller running, and checks its invariants; model_fini. */
void cluster_load(struct model *ret);
/* What is on disk, with no controller running, to be changed: fn gets each event, which is its own. Caller:
 * store_close. */
struct store;
struct store *cluster_open_store(int (*fn)(void *ctx, struct event *ev), void *ctx);
/* Bytes that lie there of a step's payload. */
size_t cluster_payload_size(uint32_t job, int32_t step);

#endif
