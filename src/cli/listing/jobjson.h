/* jobjson.h - jobs as the --json of Slurm 23.02 (data_parser v0.0.39) has them. */
#ifndef STOKER_CLI_JOBJSON_H
#define STOKER_CLI_JOBJSON_H

#include "src/cli/listing/columns.h"
#include "src/record/json.h"

void job_json_open(struct str *out); /* {"meta": ..., "jobs": [ */
void job_json_append(struct str *out, const struct job_row *r, const struct job_cx *cx);
void job_json_close(struct str *out); /* ], ... } */

/* The object that all of Slurm's --json is in: {"meta": ..., "schema": 1 and at the end "warnings" and
 * "errors". */
void slurm_json_begin(struct str *out);
void slurm_json_end(struct str *out);

#endif
