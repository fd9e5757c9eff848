/* batchopts.h - the options of a batch job: those of any job, and what only sbatch has. Also the way in
 * which the #SBATCH lines of a script give them. */
#ifndef STOKER_JOBSPEC_BATCHOPTS_H
#define STOKER_JOBSPEC_BATCHOPTS_H

#include "src/jobspec/jobopts.h"
#include "src/jobspec/script.h"

enum batchopt { B_ARRAY = J_ARRAY, B_IGNORE_PBS = J_N, B_PARSABLE, B_TEST_ONLY, B_WAIT, B_WRAP };

struct batch {
    struct jobopts job;
    char *wrap;
    bool parsable, test_only, wait;
};

extern const struct opts batch_opts; /* its context: struct batch */

void batch_init(struct batch *b);
void batch_fini(struct batch *b);

/* What one #SBATCH line says. Errors: -EINVAL, the text begins with "name:line". */
int batch_take_line(struct batch *b, const char *script_name, const struct script_line *line,
                    struct errtext *err) __attribute__((warn_unused_result));
/* What all of them say, at LEVEL_HEADER. */
int batch_take_header(struct batch *b, const struct script *s, struct errtext *err)
    __attribute__((warn_unused_result));

#endif
