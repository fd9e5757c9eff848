/* model_private.h - what the files of the model share with those of its fold. */
#ifndef STOKER_MODEL_MODEL_PRIVATE_H
#define STOKER_MODEL_MODEL_PRIVATE_H

#include "src/model/model_state.h"

struct errtext;

/* Puts a job that is in no list into the indexes and lists; takes it out of all of them. */
void model_link_job(struct model *m, struct job *j);
void model_unlink_job(struct model *m, struct job *j);
/* Lets two jobs of one id change contents: old, which the model has and keeps in its place, and row, which
 * is in no list. Neither shares texts. */
void model_replace_job(struct model *m, struct job *old, struct job *row);
/* Where the model interns texts: puts those of a job that owns its own into its set; takes them out again,
 * so that the job can be changed; frees a job whose texts are interned. */
void intern_job(struct model *m, struct job *j);
void unintern_job(struct model *m, struct job *j);
/* The same for a node. */
void intern_node(struct model *m, struct node *n);
void unintern_node(struct model *m, struct node *n);
/* Into and out of the pending, active or ended list that its state names: out, change the state, in. */
void model_enqueue(struct model *m, struct job *j);
void model_dequeue(struct model *m, struct job *j);

/* A job of an array enters or leaves the state that it is in. No-op for others. */
void tally_add(struct model *m, const struct job *j);
void tally_remove(struct model *m, const struct job *j);
int tally_check(const struct model *m, struct errtext *err);

struct node *model_add_node(struct model *m, const char *name);
void model_drop_node(struct model *m, size_t at);

/* Charges an allocation to its node. -EINVAL, and no effect, where a CPU or GPU is taken already, where
 * another job holds the node whole, or where it is to be held whole and is not empty. A node that is not
 * configured is carried as `gone` until it is empty. */
int charge(struct model *m, const struct alloc *a, bool exclusive);
void uncharge(struct model *m, const struct alloc *a);
/* Both for all of a list; charge_all charges all or none. */
int charge_all(struct model *m, const struct alloc *v, size_t n, bool exclusive);
void uncharge_all(struct model *m, const struct alloc *v, size_t n);

/* The folds of one kind each; body as event_body_rec says. 0 or a negative error, then nothing has
 * changed. */
int apply_submit(struct model *m, const struct event *ev, const struct job *body);
int apply_start(struct model *m, struct job *j, const struct event *ev, const struct ev_start *body);
int apply_split(struct model *m, struct job *j, const struct event *ev, const struct ev_split *body);
int apply_step(struct model *m, struct job *j, const struct event *ev, const struct ev_step *body);
int apply_place(struct model *m, struct job *j, const struct event *ev, const struct ev_place *body);
int apply_unplace(struct model *m, struct job *j, const struct event *ev, const struct ev_unplace *body);
int apply_running(struct model *m, struct job *j, const struct event *ev, const struct ev_running *body);
int apply_end(struct model *m, struct job *j, const struct event *ev, const struct ev_end *body);
int apply_kill(struct model *m, struct job *j, const struct event *ev, const struct ev_kill *body);
int apply_hold(struct model *m, struct job *j, const struct event *ev, const struct ev_hold *body);
int apply_requeue(struct model *m, struct job *j, const struct event *ev, const struct ev_requeue *body);
int apply_update(struct model *m, struct job *j, const struct event *ev, const struct ev_update *body);
int apply_complete(struct model *m, struct job *j, const struct event *ev, const struct ev_complete *body);
int apply_retire(struct model *m, struct job *j);
int apply_usage(struct model *m, const struct event *ev, const struct ev_usage *body);
int apply_job_row(struct model *m, const struct event *ev, const struct job *body);
int apply_job_gone(struct model *m, struct job *j);
int apply_node_row(struct model *m, const struct node *body);

/* The row of account, user, QOS and partition, made where there is none. */
struct usage_row *usage_row_of(struct usage *u, const char *const *names);
/* Charges what was held from `from` to `to` (unset: nothing was), as of the event's time. */
void usage_charge(struct model *m, const struct job *j, const struct alloc *v, size_t n, struct wall from,
                  struct wall to, struct wall at);
/* When a step job's task began, no later than its end: the node's word, but not before the job. */
struct wall usage_task_start(const struct job *j, const struct task *t, struct wall end);
/* Fades all to a time: before the half-life changes. */
void usage_settle(struct model *m, struct wall at);
int apply_suspend(struct model *m, struct job *j, const struct event *ev, const struct ev_suspend *body);
int apply_eligible(struct model *m, struct job *j, const struct event *ev, const struct ev_eligible *body);
int apply_window(struct model *m, const struct ev_window *body);

/* How jobs end (finish.c). job_begin_end: nothing new starts in it, what lives is to be killed for that
 * cause; it finishes at once where nothing lives. job_settle: finishes a COMPLETING job whose last task has
 * ended. */
/* The time that it has been suspended for counts up to t; no-op where it is not. */
void job_end_pause(struct job *j, struct wall t);
void job_begin_end(struct model *m, struct job *j, enum kill_cause cause, struct wall t);
void job_settle(struct model *m, struct job *j, struct wall t);
/* Marks what waits in a step as not run and what lives as being killed. */
void step_kill(struct step *s, enum kill_cause cause, struct wall t);
/* The live parts of the task that begins at `at` are to end. */
void task_end_parts(struct step *s, size_t at);
/* Marks the step done once all of its tasks are. Returns whether it is. */
bool step_settle(struct step *s, struct wall t);
/* Lets the next declared step of a step job begin: its tasks wait to be placed. False where there is none
 * left. */
bool job_begin_next_step(struct job *j);
/* Back to the queue, from any state but PENDING. held: the reason of the hold that it gets; NONE: no
 * hold. */
void job_put_back(struct model *m, struct job *j, struct wall t, enum reason held);
/* What its run came to is kept with the job, which is about to go back to the queue (runs.c). */
void run_keep(struct job *j, enum job_state state, enum reason reason, struct wall t_end,
              struct wall t_back);
/* Whether a COMPLETING job, as things are, goes back to the queue when its last task has ended. */
bool job_comes_back(const struct model *m, const struct job *j);
/* Something in a step of a running step job has ended: lets the next step begin once it is done, or ends
 * the job. failed: a task that went wrong; NULL where none is known. */
void job_advance_steps(struct model *m, struct job *j, struct step *s, const struct task *failed,
                       struct wall t);
/* The first of the partitions that the request names becomes the job's; one that names none keeps what it
 * has. */
void job_reset_partition(struct job *j);

#endif
