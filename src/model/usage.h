/* usage.h - what all users have used: billing-seconds and GPU-seconds that fade with a half-life.
 *
 * An allocation costs, each second, the billing rates of the configuration for its CPUs, memory and GPUs,
 * times the factor of its QOS. It is charged by the fold when it is given back: a batch or interactive
 * job's as a whole, a step job's task by task. What is held now counts by the same formula up to now
 * (usage_held), so that the end of a job changes nothing by itself.
 *
 * Decay is continuous and exact: a rate r held from a to b is worth, at a later time c,
 *
 *     r x H / ln 2 x (2^-((c - b) / H) - 2^-((c - a) / H))          H: the half-life
 *     r x (b - a), for ever                                         H = 0
 *
 * and a value v of time t is worth v x 2^-((c - t) / H). Pure functions of the event's time: the same
 * events give the same table.
 */
#ifndef STOKER_MODEL_USAGE_H
#define STOKER_MODEL_USAGE_H

#include "src/model/job.h"
#include "src/model/spec.h"
#include "src/model/usage_rec.h"

struct model;

struct usage_now {         /* of what is held */
    double billing, gpu_s; /* worth so far */
    double rate, gpu_rate; /* a second from now on */
    uint32_t gpus;         /* those of tasks that have not begun included */
};

void usage_fini(struct usage *u);

/* What v, of time t, is worth at `at`; a clock that was set back fades nothing. */
double usage_fade(double v, struct wall t, struct wall at, uint32_t half_life_s);
/* What a rate of 1 a second, held from a to b, is worth at `at`. */
double usage_of_span(struct wall a, struct wall b, struct wall at, uint32_t half_life_s);
/* Billing a second of so much, before the QOS. */
double usage_rate(const struct priority_spec *p, uint32_t cpus, uint64_t mem_mib, uint32_t gpus);

/* A key for maps of names. Hashes may be the same: who looks up compares. */
uint64_t usage_key(const char *const *names, size_t n);

/* Whose usage a job's is: its account, else the submitter's group. Never NULL. */
const char *job_account(const struct job *j);

/* The QOS of a job: the one it names, else that. */
const char *job_qos(const struct job_req *r);

/* What an active job holds and what that is worth at `now`: never charged yet. */
struct usage_now usage_held(const struct model *m, const struct job *j, struct wall now);

/* The whole table as the body of an event; what has faded to nothing at t is left out. ret: rec_fini. */
void usage_save(const struct model *m, struct wall t, struct ev_usage *ret);

#endif
