/* codec.h - records as MessagePack: what travels and what is stored.
 *
 * A record is an array of its members in the order of its table. Missing members at the end read as zero,
 * additional ones are skipped: see src/record/rec.h for how records may grow. Unset members at the end of a
 * record are not written.
 */
#ifndef STOKER_PROTO_CODEC_H
#define STOKER_PROTO_CODEC_H

#include "src/base/err.h"
#include "src/base/strpool.h"
#include "src/record/rec.h"

/* Appends rec's encoding to out. */
void codec_encode(const struct rec_desc *d, const void *rec, struct str *out);

/* Some members of a record: bit k is member k of its table. A record of table `inner` in it travels with
 * inner_members alone. */
struct codec_part {
    uint64_t members;
    const struct rec_desc *inner; /* NULL: none */
    uint64_t inner_members;
};
/* The same with nil in place of every other member; members from the 64th on count as others. A reader
 * needs to know nothing of it. */
void codec_encode_part(const struct rec_desc *d, const void *rec, const struct codec_part *part,
                       struct str *out);

/* Appends the head of a record whose only member is a list of n records: their encodings follow, as they
 * were stored. */
void codec_list_head(struct str *out, uint32_t n);

/* Decodes exactly n bytes into rec (uninitialised memory; zeroed on failure). Bounded: arrays nested 16
 * deep, 1,000,000 list items and never more memory than a constant times n. Errors: -EBADMSG with a text
 * that names the record and member. */
int codec_decode(const struct rec_desc *d, const void *p, size_t n, void *rec, struct errtext *err)
    __attribute__((warn_unused_result));
/* The same of what the controller itself has encoded: without the bounds on items and memory, so that it
 * can read whatever it can write. */
int codec_decode_own(const struct rec_desc *d, const void *p, size_t n, void *rec, struct errtext *err)
    __attribute__((warn_unused_result));

/* Reads a body whose first member is a list, record by record, without keeping any: what a record owns lies
 * in memory of the reader that the next one is put into. So it must not be freed. */
struct codec_rows *codec_rows_new(void) __attribute__((warn_unused_result));
void codec_rows_free(struct codec_rows *r);
/* Takes the next body: d is the table of the listed records. p must stay until its last record is read.
 * Bounds as codec_decode_own. Errors, here and below, as above. */
int codec_rows_open(struct codec_rows *r, const struct rec_desc *d, const void *p, size_t n,
                    struct errtext *err) __attribute__((warn_unused_result));
/* Returns 1, or 0 after the last. After a record that cannot be read the next one can be. */
int codec_rows_next(struct codec_rows *r, void *rec, struct errtext *err)
    __attribute__((warn_unused_result));
/* The same for a record that is kept: rec, zeroed memory, owns what is in it, but for its texts that
 * rec_each_text shows, which are held in the set (src/base/strpool.h); NULL: it owns them too. On failure
 * what has been read so far stays in rec. */
int codec_rows_next_own(struct codec_rows *r, void *rec, struct strpool *texts, struct errtext *err)
    __attribute__((warn_unused_result));
/* How many records are still to come. */
size_t codec_rows_left(const struct codec_rows *r);

#endif
