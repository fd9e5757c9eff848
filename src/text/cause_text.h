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
 *     {user:you}         "you" where it is the reader          {parts}     each in full, with commas
 */
#ifndef STOKER_TEXT_CAUSE_TEXT_H
#define STOKER_TEXT_CAUSE_TEXT_H

#include "src/answers/answer_why.h"
#include "src/base/str.h"

/* Appends an instant as the reader's screen or terminal writes it: "14:25", "Tue 14:25". */
typedef void (*cause_clock)(struct str *out, struct wall t, struct wall now);

struct cause_reader {
    cause_clock clock; /* NULL: instants are left out */
    struct wall now;
    const char *user;    /* the reader: causes of theirs say "you" and "your"; NULL: not known */
    const char *release; /* how they release a hold: "U releases it"; NULL: left out */
};

/* Nothing is appended for CAUSE_NONE. A code that is not known here gives its number. */
void cause_brief(struct str *out, const struct cause *c, const struct cause_reader *r);
void cause_full(struct str *out, const struct cause *c, const struct cause_reader *r);

/* What a template may name and say, for its test: NULL, or what is wrong with the templates of the code. */
const char *cause_template_fault(enum cause_code code);

#endif
