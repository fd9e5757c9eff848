/* jobjson.h - jobs as the --json of Slurm 23.02 (data_parser v0.0.39) has them. */
#ifndef STOKER_CLI_JOBJSON_H
#define STOKER_CLI_JOBJSON_H

#include "src/cli/listing/columns.h"

void job_json_open(struct str *out); /* {"meta": ..., "jobs": [ */
void job_json_append(struct str *out, const struct job_row *r, const struct job_cx *cx);
void job_json_close(struct str *out); /* ], ... } */

/* Members of JSON objects: "key":value with a comma in front where the object has members already. */
void json_key(struct str *out, const char *key);
void json_text(struct str *out, const char *key, const char *value); /* NULL: "" */
void json_int(struct str *out, const char *key, int64_t v);
void json_count(struct str *out, const char *key, uint32_t v); /* null for UINT32_MAX: there is none */
void json_bool(struct str *out, const char *key, bool v);
/* Seconds since the Epoch; null where it is unset. */
void json_time(struct str *out, const char *key, struct wall t);
/* Slurm's head: "meta" with the plugin and version. */
void json_slurm_meta(struct str *out);

#endif
