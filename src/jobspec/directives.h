/* directives.h - the #SBATCH lines of a script as something to be edited: an option is found, changed,
 * added or taken out, and every other byte of the script stays what it is.
 *
 * The same lines count, and words are split in the same way, as when a script is submitted
 * (src/jobspec/script.h).
 */
#ifndef STOKER_JOBSPEC_DIRECTIVES_H
#define STOKER_JOBSPEC_DIRECTIVES_H

#include "src/base/str.h"
#include "src/values/opt.h"

struct directive { /* one option; places are bytes of the text */
    const struct opt *opt;
    char *value;              /* NULL: it has none */
    size_t at, end;           /* of all of it: "--time=1:00", "-t 1:00" */
    size_t value_at;          /* of its value, up to end */
    size_t line_at, line_end; /* of its line, without the line break */
    unsigned line;            /* from 1 */
    bool alone;               /* nothing else stands in the line */
    char quote;               /* of a letter of a group: the quote that it lies in; 0: none */
};

struct directives {
    struct directive *v;
    size_t n, cap;
    size_t insert_at; /* where a new line goes */
};

/* Words that are no option known to opts are passed over. */
void directives_read(struct directives *d, const struct opts *opts, const char *text);
void directives_fini(struct directives *d);
/* The last one with that id, which is the one that counts; NULL. */
const struct directive *directives_find(const struct directives *d, int id);

/* Gives the option that value in the text: changes the last place where it stands, else adds a line
 * behind the others. "" where the option needs none. */
void directives_set(struct str *text, const struct opts *opts, const struct opt *opt, const char *value);
/* Takes it out, wherever it stands; a line with nothing left in it goes. */
void directives_remove(struct str *text, const struct opts *opts, int id);

#endif
