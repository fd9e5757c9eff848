/* slurm_mirror.h - what is known of the cluster: the answers of Slurm's commands, folded into a model.
 *
 * A row whose text is as before is not read again. What has changed becomes row events
 * (docs/decisions/0019-rows-for-mirrors.md), which are folded here and told to the caller: there is no
 * history in what Slurm prints, and none is invented. Does no I/O.
 */
#ifndef STOKER_BACKEND_SLURM_SLURM_MIRROR_H
#define STOKER_BACKEND_SLURM_SLURM_MIRROR_H

#include "backend/slurm/array/slurm_split.h"
#include "backend/slurm/slurm_value.h"
#include "src/model/model.h"

/* Whose jobs an answer has. SOME: of a few ids, and no other job has left because it is not there. */
enum slurm_scope { SLURM_SOME, SLURM_OWN, SLURM_ALL };

struct slurm_mirror;

/* tell: gets each event after it was folded; valid during the call. */
struct slurm_mirror *slurm_mirror_new(void (*tell)(void *ctx, const struct event *ev), void *ctx)
    __attribute__((warn_unused_result));
void slurm_mirror_free(struct slurm_mirror *s);
const struct model *slurm_mirror_model(const struct slurm_mirror *s);

/* Each takes a whole answer as of `now`. Returns 1 where something has changed, else 0; or -EBADMSG with a
 * text, and then nothing has. No event tells the configuration (partitions, reservations, names): clients
 * ask again. */
int slurm_mirror_take_jobs(struct slurm_mirror *s, const struct slurm_span *answer, const char *word,
                           enum slurm_scope scope, struct wall now, struct errtext *err)
    __attribute__((warn_unused_result));
/* Waiting elements that squeue does not print rows of (slurm_split.h). hides: there may be such elements.
 * Then their ids are asked for, and the rows of those that the first answer leaves wanted. */
bool slurm_mirror_hides_elements(const struct slurm_mirror *s);
const struct slurm_splits *slurm_mirror_splits(const struct slurm_mirror *s);
int slurm_mirror_take_elements(struct slurm_mirror *s, const struct slurm_span *answer, const char *word,
                               struct errtext *err) __attribute__((warn_unused_result));
int slurm_mirror_take_element_rows(struct slurm_mirror *s, const struct slurm_span *answer,
                                   const char *word, struct wall now, struct errtext *err)
    __attribute__((warn_unused_result));
/* The question for their rows has failed: the next answer about elements tells. */
void slurm_mirror_forget_elements(struct slurm_mirror *s);
int slurm_mirror_take_nodes(struct slurm_mirror *s, const struct slurm_span *answer, struct wall now,
                            struct errtext *err) __attribute__((warn_unused_result));
int slurm_mirror_take_partitions(struct slurm_mirror *s, const struct slurm_span *answer,
                                 struct errtext *err) __attribute__((warn_unused_result));
int slurm_mirror_take_windows(struct slurm_mirror *s, const struct slurm_span *answer, struct errtext *err)
    __attribute__((warn_unused_result));
int slurm_mirror_take_config(struct slurm_mirror *s, const struct slurm_span *answer, struct errtext *err)
    __attribute__((warn_unused_result));
/* The steps and the devices of one running job: answers of `squeue --steps` with that word, and of
 * `scontrol --details show job`, empty if it was not asked. They are kept until the job ends or starts
 * again. Also returns 0 if the job is not known or not running. */
int slurm_mirror_take_detail(struct slurm_mirror *s, uint32_t id, const struct slurm_span *steps,
                             const char *word, const struct slurm_span *devices, struct errtext *err)
    __attribute__((warn_unused_result));
/* Sets the accounts and QOS of that user, as slurm_lists.h reads them. Returns whether they have
 * changed. */
bool slurm_mirror_take_access(struct slurm_mirror *s, const struct slurm_span *answer, const char *user);
/* Whether the devices of that job are known. */
bool slurm_mirror_has_devices(const struct slurm_mirror *s, uint32_t id);
/* Whether Slurm hands out memory, by its configuration; else it is not counted. */
bool slurm_mirror_has_memory(const struct slurm_mirror *s);
/* Whether the accounting gathers what running jobs use (JobAcctGatherType); true until it is known. */
bool slurm_mirror_gathers(const struct slurm_mirror *s);
/* What the parts of a priority count, by its configuration. The model's own stay 0: Slurm's priorities are
 * taken as they are. */
const struct priority_spec *slurm_mirror_weights(const struct slurm_mirror *s);
/* SLURM_VERSION of the configuration; NULL: not known yet. */
const char *slurm_mirror_release(const struct slurm_mirror *s);

#endif
