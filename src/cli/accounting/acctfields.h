/* acctfields.h - the fields of sacct and sstat: one name, one usual width, one extraction each.
 *
 * Rows are jobs and, below them, their steps: .batch, .extern, .0 ... Source of names and widths: sacct(1),
 * sacct --helpformat.
 */
#ifndef STOKER_CLI_ACCTFIELDS_H
#define STOKER_CLI_ACCTFIELDS_H

#include "src/cli/accounting/assoc.h"
#include "src/cli/listing/columns.h"

enum acct_kind { ACCT_JOB, ACCT_STEP, ACCT_EXTERN };

struct acct_live { /* what a running step uses now; sstat */
    bool known;
    uint64_t rss_kib, cpu_ms;
    uint32_t procs;
    const char *node; /* of the largest */
};

struct acct_row {
    enum acct_kind kind;
    const struct job *job;
    const struct step *step;      /* ACCT_STEP */
    const struct acct_live *live; /* NULL: not asked for */
};

struct acct_cx {
    const struct model *m;
    struct wall now;
    struct timetext time;
    char units;    /* K M G T P: --units; 0: as Slurm chooses */
    bool truncate; /* -T: times within since and until */
    struct wall since, until;
    struct assocs *assocs; /* NULL: the field is empty */
};

struct acct_field {
    const char *name;
    int width; /* negative: to the left */
    void (*get)(struct str *out, const struct acct_row *r, const struct acct_cx *cx);
};

/* Any case; NULL: no such field. n: length of name. */
const struct acct_field *acct_field_find(const char *name, size_t n);
/* Names in columns of 19, four in a line: --helpformat. */
void acct_fields_list(struct str *out);

/* --- listings of them --- */

struct acct_item {
    const struct acct_field *field;
    int width; /* negative: to the left */
};

struct acct_format {
    VEC(struct acct_item) items;
    bool parsable; /* -p, -P: as long as they are, with a delimiter */
    bool ending;   /* -p: also behind the last */
    const char *delimiter;
};

void acct_format_fini(struct acct_format *f);
/* "jobid,state%20,user%-8". Errors: -EINVAL, the text names the first field that is none. */
int acct_format_parse(struct acct_format *f, const char *spec, struct errtext *err)
    __attribute__((warn_unused_result));
/* The header and, unless parsable, the dashes below it. */
void acct_format_header(struct str *out, const struct acct_format *f);
void acct_format_row(struct str *out, const struct acct_format *f, const struct acct_row *r,
                     const struct acct_cx *cx);

/* Pads or cuts what stands in out from `at` on to |width| cells; negative: to the left. Cut text ends in
 * '+'. */
void acct_fit(struct str *out, size_t at, int width);

/* The rows of a job in Slurm's order: itself, .batch, .extern, .interactive, .0, .1 ... steps: false with
 * sacct -X. fn gets each one. */
void acct_rows(const struct job *j, bool steps, void (*fn)(void *ctx, const struct acct_row *r), void *ctx);

#endif
