/* cause_text.h - the sentence for each cause: one table from codes to templates.
 *
 *     brief    "3 jobs ahead, starts ~14:44"                 one line of a list
 *     full     "3 jobs (4 GPUs) are ahead in main"           with all numbers, beside the other causes
 *
 * A template is text with members of struct cause in braces; what stands in brackets is left out where one
 * of its members is not set.
 *
 *     {user} {jobs}      a string, or several with commas      {n:job}     "1 job", "3 jobs"
 *     {at} {start}       as the reader's clock writes it       {n?is|are}  by the number
 *     {at:in}            "in 29 min", "now"                    {most:mem} {most:duration} {window_s:words}
 *     {most:size}        "4096 bytes", "4 MiB"
 *     {user:you}         "you" where it is the reader          {parts}     each in full, with commas
 */
#ifndef STOKER_TEXT_CAUSE_TEXT_H
#define STOKER_TEXT_CAUSE_TEXT_H

#include "src/text/cause_reader.h"

/* Nothing is appended for CAUSE_NONE. A code that is not known here gives its number. */
void cause_brief(struct str *out, const struct cause *c, const struct cause_reader *r);
void cause_full(struct str *out, const struct cause *c, const struct cause_reader *r);

/* In full. The caller frees it. */
char *cause_string(const struct cause *c, const struct cause_reader *r);

/* Whether a program that knows the first n_codes codes can make a sentence of c and of its parts. */
bool cause_is_known(const struct cause *c, uint32_t n_codes);

/* What a template may name and say, for its test: NULL, or what is wrong with the templates of the code. */
const char *cause_template_fault(enum cause_code code);

#endif
