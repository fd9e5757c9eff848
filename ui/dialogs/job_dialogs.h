/* job_dialogs.h - what is done to jobs and nodes from the keyboard: collect what is meant, ask, send, tell
 * the answer.
 *
 * What is meant is fixed when the key goes down: ids, not rows, so that nothing that moves while the
 * question stands is hit.
 */
#ifndef UI_DIALOGS_JOB_DIALOGS_H
#define UI_DIALOGS_JOB_DIALOGS_H

#include "ui/frame/view.h"

#define ACT_TYPE_ABOVE 10   /* above so many jobs the count must be typed */
#define ACT_UNDO_ABOVE 1    /* above this number of jobs, ending them can be undone ... */
#define ACT_UNDO_MS    5000 /* ... so long */

struct target {
    struct job_target to;
    char *label; /* for the list in the question; NULL: not made yet, see targets_label */
    char glyph;
    enum role role;
    uint32_t counts[JOB_N_STATES]; /* jobs by state: an array counts its elements */
    uint32_t held;                 /* of the pending ones */
    bool array;                    /* one, or an element of one */
    uint32_t uid;                  /* whose it is */
    uint32_t *waiting;             /* of what has not started of an array: the indices; NULL: it is none */
    size_t n_waiting;
};

void target_fini(struct target *t);
struct target target_copy(const struct target *t);
/* Adds the names by which the controller knows what is meant. The record of what has not started of an
 * array has the array's own number: where others of its elements live, its are named one by one, or all of
 * the array would be hit. */
void target_name(const struct target *t, const struct model *m, struct msg_act *ret);

struct targets {
    struct target *v;
    size_t n, cap;
};

void targets_fini(struct targets *t);
void targets_add_job(struct targets *t, const struct job *j);
/* Gives the first n their labels, from the state that they were added from: of a hundred thousand that are
 * marked a dozen are listed. */
void targets_label(struct targets *t, size_t n, const struct model *m);
/* A whole array: one request for all of it. members: its jobs in the model. */
void targets_add_array(struct targets *t, const struct job *const *members, size_t n);

/* What a word such as 12, 12_3, 12_[1-4] or 12.0 names. Errors: -EINVAL, -ENOENT (nothing of that name is
 * in the queue). */
int targets_add_arg(struct targets *t, const struct ui *ui, const char *word, struct errtext *err)
    __attribute__((warn_unused_result));

/* CANCEL, SIGNAL, HOLD, RELEASE, REQUEUE, EDIT or WATCH: asks, then sends. Takes t's contents. No-op with a
 * toast where nothing of it can be done. */
void act_on_jobs(struct ui *ui, enum action a, struct targets *take_t);

/* One of those that act_on_jobs takes. */
bool act_is_job_action(enum action a);
/* The same where the signal is known already. */
void act_signal(struct ui *ui, int number, struct targets *take_t);
const char *act_refusal(const struct msg_result *r); /* its words */
/* A box with what the controller refused, and why. */
void act_show_refusal(struct ui *ui, const char *verb, const struct msg_result *r);
/* Asks the controller for what was typed or chosen in a dialog that is kept (0: in none): it waits for the
 * answer, arg | dialog << 8 is what reply gets. */
void act_ask(struct ui *ui, uint64_t dialog, enum msg_kind kind, const void *body, ui_reply_fn *reply,
             uint8_t arg);
/* The answer: a refusal is told in the dialog, which stays, or in a box where it has gone. Returns true
 * where it was done; then the dialog has gone. */
bool act_answered(struct ui *ui, uint64_t dialog, const char *verb, const struct incoming *in);
/* Changes like scontrol's: "TimeLimit=2:00:00". */
void act_update(struct ui *ui, const struct strv *changes, struct targets *take_t);
/* Watches them, or no more where all are watched. */
void act_watch(struct ui *ui, struct targets *take_t);

/* Asks for a reason, which may be known already, then drains; or shows the reason there was, then resumes.
 */
void act_on_nodes(struct ui *ui, bool drain, const struct node *const *nodes, size_t n, const char *reason);
/* A note about nodes, for everybody to read: text, or what is typed where that is NULL. Empty: it goes. */
void act_note_nodes(struct ui *ui, const struct node *const *nodes, size_t n, const char *text);

#endif
