/* cause_sentence.h - the sentences of causes, one table for each subject; src/text/cause_text.h is how they
 * are read.
 */
#ifndef STOKER_TEXT_CAUSE_SENTENCE_H
#define STOKER_TEXT_CAUSE_SENTENCE_H

#include "src/text/cause_template.h"

/* full: how the parts of a cause are written, for the tables know only their own sentences. */
typedef void (*cause_append)(struct str *out, const struct cause *c, const struct cause_reader *r,
                             template_part full);

struct cause_sentence { /* a template or a function; no brief form: the full one */
    const char *full, *brief;
    cause_append full_by, brief_by;
};

/* Each is empty at the codes of the others. */
extern const struct cause_sentence cause_job_sentences[CAUSE_N_CODES]; /* the job, its place in the queue */
extern const struct cause_sentence cause_limit_sentences[CAUSE_N_CODES];   /* rules, limits, licences */
extern const struct cause_sentence cause_place_sentences[CAUSE_N_CODES];   /* nodes */
extern const struct cause_sentence cause_refusal_sentences[CAUSE_N_CODES]; /* refused requests */
extern const struct cause_sentence cause_end_sentences[CAUSE_N_CODES];     /* preemptions and ends */

/* ", starts ~14:44", ", not within 1 d"; nothing where the cause has neither. */
void cause_append_start(struct str *out, const struct cause *c, const struct cause_reader *r,
                        template_part full);

#endif
