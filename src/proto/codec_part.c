/* codec_part.c - some members of a record: rows of long listings. An unset value is omitted at the end of a
 * row and is nil elsewhere. */
#include "src/proto/codec.h"
#include "src/proto/codec_sink.h"

#define COUNT_SIZE 2 /* bytes */

void codec_list_head(struct str *out, uint32_t n)
{
    struct codec_sink s;
    codec_sink_begin(&s, out);
    codec_sink_count(&s, 1);
    codec_sink_count(&s, n);
    codec_sink_end(&s);
}

static void sink_part(struct codec_sink *s, const struct rec_desc *d, const void *rec, uint64_t members,
                      const struct codec_part *part)
{
    size_t next = 0;
    if (d->n_fields < 64)
        members &= (UINT64_C(1) << d->n_fields) - 1;
    codec_sink_count(s, UINT16_MAX); /* it becomes known last */
    size_t start = (size_t)((const char *)s->p - s->out->s) - COUNT_SIZE;
    for (; members; members &= members - 1) {
        size_t i = (size_t)__builtin_ctzll(members);
        const struct rec_field *f = &d->fields[i];
        if (f->type != REC_SUB && codec_is_unset(f, rec))
            continue;
        if (i > next)
            codec_sink_nils(s, i - next);
        next = i + 1;
        if (f->type == REC_SUB && f->sub == part->inner)
            sink_part(s, f->sub, rec_at(f, rec), part->inner_members, part);
        else
            codec_sink_member(s, f, rec_at(f, rec));
    }
    uint8_t *count = (uint8_t *)s->out->s + start;
    count[0] = (uint8_t)(next >> 8);
    count[1] = (uint8_t)next;
}

void codec_encode_part(const struct rec_desc *d, const void *rec, const struct codec_part *part,
                       struct str *out)
{
    struct codec_sink s;
    codec_sink_begin(&s, out);
    sink_part(&s, d, rec, part->members, part);
    codec_sink_end(&s);
}
