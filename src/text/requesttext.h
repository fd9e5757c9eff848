/* requesttext.h - why a waiting job waits, in the few words of a list: what of its own request is in the
 * way.
 *
 *     needs 4 GPUs, 32 CPUs      waits for 33 to succeed      partition night is down
 *
 * Only what stands in the job itself is said, so that a list of 100,000 needs nothing else; what the
 * cluster has to do with it (who holds the GPUs, until when) is the controller's answer to `stoker why`.
 */
#ifndef STOKER_TEXT_REQUESTTEXT_H
#define STOKER_TEXT_REQUESTTEXT_H

#include "src/base/str.h"
#include "src/model/job.h"
#include "src/model/state.h"

/* Appends the words for a reason of a waiting job. Returns false, nothing appended, where the request has
 * nothing to add to reason_text(). */
bool requesttext_wait(struct str *out, const struct job *j, enum reason r);

#endif
