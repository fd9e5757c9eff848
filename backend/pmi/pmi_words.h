/* pmi_words.h - what a message of PMI says: keys and values.
 *
 * Source: the PMI-2 API and wire protocol as MPICH's simple client speaks it: "key=value;" with ';' doubled
 * in values. PMI-1: lines "key=value key=value".
 */
#ifndef STOKER_BACKEND_PMI_WORDS_H
#define STOKER_BACKEND_PMI_WORDS_H

#include "src/base/str.h"

struct pmi_words { /* keys and values in turn; free with strv_fini */
    struct strv v;
};

/* NULL: there is no such key. Valid as long as w. */
const char *pmi_words_value(const struct pmi_words *w, const char *key);
/* Appends what the text of a message of PMI-2 or PMI-1 says. */
void pmi_words_split_v2(const char *s, struct pmi_words *ret);
void pmi_words_split_v1(const char *s, struct pmi_words *ret);
/* Appends "cmd=NAME-response;thrid=THREAD;MORE;value=VALUE;rc=0;" with its length in front. thread, value:
 * NULL: without it. */
void pmi_words_answer_v2(struct str *out, const char *cmd, const char *thread, const char *more,
                         const char *value, int rc);

#endif
