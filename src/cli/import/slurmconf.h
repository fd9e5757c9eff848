/* slurmconf.h - slurm.conf and gres.conf as lines of keys and values.
 *
 *     line = { KEY "=" VALUE }        '#' begins a comment, '\' at the end joins with the next line
 *
 * A value may be quoted. Keys count in any case. Source: slurm.conf(5).
 */
#ifndef STOKER_CLI_SLURMCONF_H
#define STOKER_CLI_SLURMCONF_H

#include "src/base/err.h"
#include "src/base/str.h"
#include "src/base/vec.h"

struct conf_pair {
    char *key, *value;
    bool used; /* carried over, or known to need nothing */
};

struct conf_line {
    char *file;
    unsigned number; /* of its first line */
    VEC(struct conf_pair) pairs;
};

struct slurmconf {
    char *name; /* of the file, for messages */
    VEC(struct conf_line) lines;
};

/* Errors: -EINVAL, "NAME:LINE: ...": a word that is no KEY=VALUE, a quote that is not closed. */
int slurmconf_parse(const char *name, const char *text, struct slurmconf *ret, struct errtext *err)
    __attribute__((warn_unused_result));
void slurmconf_fini(struct slurmconf *c);
/* Puts the lines of `inner`, which is empty then, in the place of line i, which goes. */
void slurmconf_splice(struct slurmconf *c, size_t i, struct slurmconf *inner);

/* The value of a key of the line, marked as used; NULL. */
const char *conf_take(struct conf_line *l, const char *key);
/* The same of the last line that begins with the key and of all lines' first keys. */
const char *slurmconf_take(struct slurmconf *c, const char *key);

#endif
