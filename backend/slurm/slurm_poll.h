/* slurm_poll.h - when Slurm is asked, and what that has cost.
 *
 * A question is asked again after the longest of its least pause and 50 times what the last answer took, so
 * that all of them together take at most about 2 % of slurmctld's time. One command runs at a time.
 * Failures double the pause. Nothing is asked while no client is connected.
 */
#ifndef STOKER_BACKEND_SLURM_SLURM_POLL_H
#define STOKER_BACKEND_SLURM_SLURM_POLL_H

#include "backend/loop/loop.h"
#include "backend/slurm/slurm_mirror.h"
#include "src/proto/msg.h"

struct slurm_poll;

struct slurm_poll_ops {
    /* A round is over: questions that wait for it can be answered. config: what no event tells has changed,
     * so clients have to ask for everything again. */
    void (*on_round)(void *ctx, bool config);
    void *ctx;
};

/* dir: where Slurm's commands lie. env: theirs. Both, the mirror and ops outlive it. */
struct slurm_poll *slurm_poll_new(struct loop *l, struct slurm_mirror *mirror, const char *dir,
                                  const struct strv *env, const struct slurm_poll_ops *ops)
    __attribute__((warn_unused_result));
void slurm_poll_free(struct slurm_poll *p);

/* Asks the service of this machine (host/slurm_host.h) at that socket first, where there is one. */
void slurm_poll_share(struct slurm_poll *p, const char *socket);

/* What clients need from now on: nothing, the user's own jobs, all jobs. */
enum slurm_need { SLURM_NEED_NOTHING, SLURM_NEED_OWN, SLURM_NEED_ALL };
void slurm_poll_need(struct slurm_poll *p, enum slurm_need need);
/* Whether what is known serves that need, as of a time that is no longer ago than the pause. */
bool slurm_poll_has(const struct slurm_poll *p, enum slurm_need need);
/* Whether the jobs were asked for so lately that asking again would cost more than its share. */
bool slurm_poll_is_fresh(const struct slurm_poll *p);
/* Asks as soon as may be for the jobs, the nodes, and what slurm_poll_has misses. */
void slurm_poll_hurry(struct slurm_poll *p);
/* A reservation has been changed: asks for reservations as soon as possible. */
void slurm_poll_look_at_windows(struct slurm_poll *p);
/* The rows of these jobs are asked for once, at once: an action has changed them. */
void slurm_poll_look_at(struct slurm_poll *p, const uint32_t *jobs, size_t n);

/* Why the last round has failed; NULL: it has not. */
const char *slurm_poll_trouble(const struct slurm_poll *p);
/* Has any round of jobs ever been answered? */
bool slurm_poll_has_jobs(const struct slurm_poll *p);
/* The pause after an answer: at least 50 times what it took. An answer is slow if it took more than a
 * second and more than twice the quickest one. Each slow answer in a row (*slow counts them) doubles the
 * pause, and so does a busy slurmctld. At most 10 minutes, or least_ms. Pure. */
int64_t slurm_poll_pause(uint64_t last_ms, uint64_t best_ms, uint32_t *slow, bool busy, int64_t least_ms);
/* The pause of each of the servers on this machine that read the jobs of all users: together they take
 * the share of one. Pure. */
int64_t slurm_poll_among(int64_t pause_ms, unsigned readers);
/* Whether slurmctld is busy, as sdiag prints it. Pure. */
bool slurm_poll_reads_busy(const struct slurm_span *sdiag);
/* Counts, times, ages. Caller frees with rec_fini(&msg_engine_rec). */
void slurm_poll_report(const struct slurm_poll *p, struct msg_engine *ret);

#endif
