/* job_dialogs.h - what is done to jobs and nodes from the keyboard: collect what is meant, ask, send, tell
 * the answer.
 *
 * What is meant is fixed when the key goes down: ids, not rows, so that nothing that moves while the
 * question stands is hit.
 */
#ifndef UI_DIALOGS_JOB_DIALOGS_H
#define UI_DIALOGS_JOB_DIALOGS_H

#include "ui/dialogs/action_targets.h"
#include "ui/frame/view.h"

#define ACT_TYPE_ABOVE 10   /* above so many jobs the count must be typed */
#define ACT_UNDO_ABOVE 1    /* above this number of jobs, ending them can be undone ... */
#define ACT_UNDO_MS    5000 /* ... so long */

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

/* Asks for a reason, which may be given already, then drains; or shows the old reason, then resumes. */
void act_on_nodes(struct ui *ui, bool drain, const struct node *const *nodes, size_t n, const char *reason);
/* A note about nodes, for everybody to read: text, or what is typed where that is NULL. Empty: it goes. */
void act_note_nodes(struct ui *ui, const struct node *const *nodes, size_t n, const char *text);

#endif
