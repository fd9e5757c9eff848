/* scontrol_record.h - scontrol's records: key=value, in lines or in one line, and what is in them. */
#ifndef STOKER_CLI_SCONTROL_RECORD_H
#define STOKER_CLI_SCONTROL_RECORD_H

#include "src/cli/listing/columns.h"
#include "src/cli/listing/nodecolumns.h"

struct show_record {
    struct str *out;
    bool oneline;
    bool line_begins; /* no blank in front of the next key */
};

void record_begin(struct show_record *r, struct str *out, bool oneline);
void record_line(struct show_record *r);
void record_end(struct show_record *r);
void record_add(struct show_record *r, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Text from outside; NULL and "" give (null). */
void record_text(struct show_record *r, const char *key, const char *value);

/* detail: scontrol -d. Each appends one record in the key order of Slurm 23.02. */
void record_job(struct str *out, const struct job_row *row, const struct job_cx *cx, bool oneline,
                bool detail);
void record_step(struct str *out, const struct job *j, const struct step *s, const struct job_cx *cx,
                 bool oneline);
void record_node(struct str *out, const struct node *n, const struct node_cx *cx, bool oneline);
void record_partition(struct str *out, const struct part_spec *p, const struct model *m, bool oneline);
/* "Key<pad>= value" lines. */
void record_config(struct str *out, const struct model *m, const struct timetext *time, const char *host,
                   const char *state_dir);

#endif
