/* script.h - batch scripts: where they come from, what they must look like, and their #SBATCH lines. */
#ifndef STOKER_JOBSPEC_SCRIPT_H
#define STOKER_JOBSPEC_SCRIPT_H

#include "src/base/err.h"
#include "src/record/rec.h"

#define SCRIPT_MAX (4u << 20)

struct script {
    struct blob text;
    char *path; /* absolute; NULL: standard input or --wrap */
    char *name; /* for messages: the operand, "stdin" */
};

/* One #SBATCH line's words; argv[0] is "#SBATCH", so that it can be parsed like a command line. */
struct script_line {
    unsigned number; /* from 1 */
    struct strv argv;
};

struct script_header {
    struct script_line *v;
    size_t n;
};

/* Reads and checks. operand: NULL and "-" are standard input; without a slash it is looked for here, then
 * in PATH. The error's text may have several lines. Errors: -ENOENT, -E2BIG, -EINVAL (no script) and what
 * reading gives. */
int script_read(const char *operand, struct script *ret, struct errtext *err)
    __attribute__((warn_unused_result));
/* The same without checking its text. */
int script_read_raw(const char *operand, struct script *ret, struct errtext *err)
    __attribute__((warn_unused_result));
/* Of a command line: --wrap. */
void script_wrap(const char *command, struct script *ret);
void script_fini(struct script *s);

/* Whether text may be a batch script: "#!" first, no DOS line breaks, no NUL, not empty. */
int script_check(const struct blob *text, struct errtext *err) __attribute__((warn_unused_result));

/* The #SBATCH lines before the first line that is neither a comment nor empty. Errors: -EINVAL (an open
 * quote), named "name:line". */
int script_parse_header(const struct script *s, struct script_header *ret, struct errtext *err)
    __attribute__((warn_unused_result));
void script_header_fini(struct script_header *h);

#endif
