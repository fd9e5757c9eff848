/* model.h - the state of the cluster, and the one function that changes it.
 *
 * model_apply(model, event) is pure (no I/O, no clock, no randomness) and total: an event that does not fit
 * the state changes nothing and is reported, it never crashes. All others read. Restart, the screens'
 * mirror, the simulator and the controller fold the same events with it.
 *
 * Invariants: a job is in exactly one of pending, active, ended (job->in_queue); what nodes carry
 * (cpus_used ...) is the sum of the allocations that jobs and tasks hold; no CPU and no GPU of a node is
 * held twice.
 */
#ifndef STOKER_MODEL_MODEL_H
#define STOKER_MODEL_MODEL_H

#include "src/base/err.h"
#include "src/model/model_state.h"
#include "src/model/tally.h"
#include "src/model/usage.h"
#include "src/model/window.h"

void model_init(struct model *m);
void model_fini(struct model *m);

/* For mirrors of many jobs, while there is none yet: the jobs of m keep their texts in that set
 * (src/base/strpool.h), which m holds too from now on. Jobs can be read and copied as ever; who changes one
 * otherwise than by model_apply must not touch its texts. Cost: a microsecond or two for each event. */
void model_intern_texts(struct model *m, struct strpool *texts);

/* Folds one event. Returns 0; -ENOENT, -EEXIST, -EINVAL or -EALREADY where it does not fit the state: then
 * nothing has changed but n_rejected, seq and now. */
int model_apply(struct model *m, const struct event *ev);

struct job *model_get_job(const struct model *m, uint32_t id); /* or NULL */
/* How people call the job: "4711", "4711_3" of an element that has a number of its own. Caller frees. */
char *model_job_name(const struct model *m, uint32_t id) __attribute__((warn_unused_result));
/* The element N_k: a job of its own, or the array record that still stands for it. */
struct job *model_get_element(const struct model *m, uint32_t array_id, uint32_t index);
struct job *model_get_request(const struct model *m, const char *request_id);
struct node *model_get_node(const struct model *m, const char *name);
/* Why the node is not to get jobs of that user for now; NULL: it may. */
const struct node_avoid *node_avoids(const struct node *n, uint32_t uid);
const struct part_spec *model_get_part(const struct model *m, const char *name);
const struct part_spec *model_default_part(const struct model *m); /* or NULL */
/* The job's partition, or the first that it asks for; NULL where that is no longer configured. */
const struct part_spec *model_job_part(const struct model *m, const struct job *j);

/* Snapshots, for mirrors: adopt whole records into a model. The structs' contents are moved out of *spec
 * and *node; j is taken over (replacing a job of that id). A caller that takes a snapshot also sets uuid,
 * epoch, seq, next_job and now to what it says. */
void model_take_spec(struct model *m, struct cluster_spec *spec);
void model_take_node(struct model *m, struct node *node);
void model_take_job(struct model *m, struct job *j);
/* Whether a row that comes from elsewhere is a job that the folds can have made, so that a model may take
 * it. A reason of a later release is none to this one. */
bool job_row_is_sound(const struct job *j);
/* The same for a job whose texts are held in the model's set already; frees one that was not taken. */
void model_take_interned_job(struct model *m, struct job *j);
void model_drop_row(struct model *m, struct job *j);

/* Checks every invariant the slow way. Returns 0, or -EINVAL with the first one broken. For tests and
 * `stoker doctor`. */
int model_check(const struct model *m, struct errtext *err);

#endif
