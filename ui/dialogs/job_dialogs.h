/* job_dialogs.h - actions on jobs and nodes: collect the targets, ask, send, show the reply.
 *
 * The targets are fixed when the key goes down: ids, not rows, so that rows that move while the question is
 * open are not hit.
 */
#ifndef UI_DIALOGS_JOB_DIALOGS_H
#define UI_DIALOGS_JOB_DIALOGS_H

#include "ui/dialogs/action_targets.h"
#include "ui/state/view.h"

#define ACT_TYPE_ABOVE 10   /* above this number of jobs the user types the count */
#define ACT_UNDO_ABOVE 1    /* above this number of jobs, ending them can be undone ... */
#define ACT_UNDO_RAN_S 600  /* or ending one that has run for longer, ... */
#define ACT_UNDO_MS    5000 /* ... so long */

/* CANCEL, SIGNAL, HOLD, RELEASE, REQUEUE, EDIT or WATCH: asks, then sends. Takes t's contents. No-op with a
 * toast if it applies to none of them. */
void act_on_jobs(struct ui *ui, enum action a, struct targets *take_t);

/* One of those that act_on_jobs takes. */
bool act_is_job_action(enum action a);
/* May the user change jobs of that owner? */
bool act_is_allowed(const struct ui *ui, uint32_t uid);
/* Whether it can do anything to the job, as far as its state and its owner say. Of an array that has not
 * ended: one of its jobs that has not either. */
bool act_applies(const struct ui *ui, enum action a, const struct job *j);
/* The same as act_on_jobs with a known signal. */
void act_signal(struct ui *ui, int number, struct targets *take_t);
const char *act_refusal(const struct msg_result *r); /* its words */
/* A box with the refused action and the reason. */
void act_show_refusal(struct ui *ui, const char *verb, const struct msg_result *r);
/* Sends the request of a kept dialog (0: none), which waits for the reply; reply gets arg | dialog << 8. */
void act_ask(struct ui *ui, uint64_t dialog, enum msg_kind kind, const void *body, ui_reply_fn *reply,
             uint8_t arg);
/* The reply: a refusal is shown in the dialog, which stays, or in a box if the dialog is closed. Returns
 * true on success; then the dialog is closed. */
bool act_answered(struct ui *ui, uint64_t dialog, const char *verb, const struct incoming *in);
/* The answer to what takes a change back (ui/frame/reversal.h). */
void act_taken_back(struct ui *ui, const struct incoming *in, void *arg);
/* Changes like scontrol's: "TimeLimit=2:00:00". */
void act_update(struct ui *ui, const struct strv *changes, struct targets *take_t);
/* Watches them; if all are watched, stops. */
void act_watch(struct ui *ui, struct targets *take_t);

/* Asks for a reason, which may be given already, then drains; or shows the old reason, then resumes. */
void act_on_nodes(struct ui *ui, bool drain, const struct node *const *nodes, size_t n, const char *reason);
/* A note about nodes that all users see: text; NULL: asks for it. An empty text deletes the note. */
void act_note_nodes(struct ui *ui, const struct node *const *nodes, size_t n, const char *text);

#endif
