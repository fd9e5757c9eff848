/* slurm_reason_text.h - what the words mean that Slurm gives as the reason of a waiting job. */
#ifndef STOKER_TEXT_SLURM_REASON_TEXT_H
#define STOKER_TEXT_SLURM_REASON_TEXT_H

#include <stdbool.h>

#include "src/base/str.h"

/* Appends the meaning of a word: "its QOS is at its limit of CPUs". Nothing, and false, where the word is
 * not known. */
bool slurm_reason_append(struct str *out, const char *word);

#endif
