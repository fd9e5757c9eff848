/* waittext.h - why a waiting job waits, in the few words of a list: what of its own request is in the way.
 *
 *     needs 4 GPUs, 32 CPUs      waits for 33 to succeed      partition night is down
 *
 * Only what stands in the job itself is said, so that a list of 100,000 needs nothing else; what the
 * cluster has to do with it (who holds the GPUs, until when) is the controller's answer to `stoker why`.
 */
#ifndef STOKER_TEXT_WAITTEXT_H
#define STOKER_TEXT_WAITTEXT_H

#include "src/answers/answer_why.h"
#include "src/base/str.h"
#include "src/model/job.h"
#include "src/model/state.h"

/* Appends the words for a reason of a waiting job. Returns false, nothing appended, where the request has
 * nothing to add to reason_text(). */
bool waittext(struct str *out, const struct job *j, enum reason r);

/* Appends an instant as the reader's screen or terminal writes it: "14:25", "Tue 14:25". */
typedef void (*wait_clock)(struct str *out, struct wall t, const void *ctx);

/* "3 jobs ahead, starts ~14:44": a cause in the words of a list. Lists, w and stoker why get it from here.
 */
void wait_sentence(struct str *out, const struct why_cause *c, wait_clock clock, const void *ctx);

#endif
