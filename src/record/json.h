/* json.h - a writer of JSON text. The comma before a member or an element is set by the writer. */
#ifndef STOKER_RECORD_JSON_H
#define STOKER_RECORD_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/str.h"
#include "src/base/time.h"

/* An object of a listing: {"schema":N, to be ended by json_end_document, which adds a newline. */
void json_begin_document(struct str *out, int schema);
void json_end_document(struct str *out);

/* key is the member's name, NULL for an element of an array or a whole text; the same below. */
void json_begin_object(struct str *out, const char *key);
void json_end_object(struct str *out);
void json_begin_array(struct str *out, const char *key);
void json_end_array(struct str *out);

/* The comma and the name, for a value that the caller appends. */
void json_key(struct str *out, const char *key);

void json_text(struct str *out, const char *key, const char *value);         /* NULL: "" */
void json_text_or_null(struct str *out, const char *key, const char *value); /* NULL: null */
void json_texts(struct str *out, const char *key, const struct strv *values);
void json_int(struct str *out, const char *key, int64_t v);
void json_uint(struct str *out, const char *key, uint64_t v);
void json_number(struct str *out, const char *key, double v);  /* null unless it is finite */
void json_count(struct str *out, const char *key, uint32_t v); /* null for UINT32_MAX, which is "none" */
void json_bool(struct str *out, const char *key, bool v);
/* Seconds since the Epoch; null where it is unset. */
void json_time(struct str *out, const char *key, struct wall t);

#endif
