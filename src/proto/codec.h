/* codec.h - records as MessagePack: what travels and what is stored.
 *
 * A record is an array of its members in the order of its table. Missing members at the end read as zero,
 * additional ones are skipped: see src/base/rec.h for how records may grow. Unset members at the end of a
 * record are not written.
 */
#ifndef STOKER_PROTO_CODEC_H
#define STOKER_PROTO_CODEC_H

#include "src/base/err.h"
#include "src/base/rec.h"

/* Appends rec's encoding to out. */
void codec_encode(const struct rec_desc *d, const void *rec, struct str *out);

/* Appends the head of a record whose only member is a list of n records: their encodings follow, as they
 * were stored. */
void codec_list_head(struct str *out, uint32_t n);

/* Decodes exactly n bytes into rec (uninitialised memory; zeroed on failure). Bounded: arrays nested 16
 * deep, 1,000,000 list items and never more memory than a constant times n. Errors: -EBADMSG with a text
 * that names the record and member. */
int codec_decode(const struct rec_desc *d, const void *p, size_t n, void *rec, struct errtext *err)
    __attribute__((warn_unused_result));

#endif
