/* codec_sink.h - what writing some members of a record (codec_part.c) shares with writing all of them: no
 * other file includes it. */
#ifndef STOKER_PROTO_CODEC_SINK_H
#define STOKER_PROTO_CODEC_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/record/rec.h"

/* Where the next byte goes, in memory of out. out->len is behind until sink_end. */
struct codec_sink {
    struct str *out;
    uint8_t *p, *end;
};

void codec_sink_begin(struct codec_sink *s, struct str *out);
/* Without memory of its own out->s is a constant. */
void codec_sink_end(struct codec_sink *s);
/* The head of an array of n values; from 16 to 65535 it takes three bytes. */
void codec_sink_count(struct codec_sink *s, size_t n);
void codec_sink_nils(struct codec_sink *s, size_t n);
void codec_sink_member(struct codec_sink *s, const struct rec_field *f, const void *p);
/* The member of a box that has not been made is not set. */
bool codec_is_unset(const struct rec_field *f, const void *rec);

#endif
