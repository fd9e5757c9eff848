/* waitreasons.h - why the jobs of a list wait, asked for in one go: the sentence that `stoker why` begins
 * with.
 */
#ifndef STOKER_CLI_WAITREASONS_H
#define STOKER_CLI_WAITREASONS_H

#include "src/base/idmap.h"
#include "src/base/vec.h"
#include "src/client/client.h"

struct waits {
    struct idmap by_job; /* -> its sentence, owned */
    VEC(char *) texts;
    const char *user; /* while it asks: the reader, where a job of theirs is among the jobs */
};

#define WAITS_INIT       \
    {                    \
        .texts = VEC_INIT \
    }

/* Asks about the waiting ones of these, the first few thousand. Where there is no answer (an older
 * controller) there are no sentences. */
void waits_ask(struct waits *w, struct client *c, const struct job *const *jobs, size_t n);
void waits_fini(struct waits *w);

/* Of a waiting job: the controller's sentence, else what the job's own record says. w NULL: the latter. */
void waits_append(struct str *out, const struct waits *w, const struct job *j);

/* "14:25", with its day where that is not the day of now. */
void waits_clock(struct str *out, struct wall t, struct wall now);

#endif
