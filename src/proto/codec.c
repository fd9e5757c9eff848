/* codec.c - records to MessagePack, walked by their tables; decode.c is the way back. */
#include "src/proto/codec.h"

#include <math.h>
#include <msgpack.h>
#include <string.h>

/* ---- encoding ---- */

static int append_bytes(void *out, const char *p, size_t n)
{
    str_append_n(out, p, n);
    return 0;
}

/* Bytes up to the last one with an element: byte k holds the elements 8k ... 8k + 7. */
static size_t cpuset_to_bytes(const struct cpuset *s, uint8_t out[static CPUSET_MAX / 8])
{
    size_t n = 0;
    for (size_t i = 0; i < CPUSET_MAX / 8; i++) {
        out[i] = (uint8_t)(s->w[i / 8] >> i % 8 * 8);
        if (out[i])
            n = i + 1;
    }
    return n;
}

static bool is_unset(const struct rec_desc *d, const void *rec);

static bool is_unset_member(const struct rec_field *f, const void *p)
{
    switch (f->type) {
    case REC_BOOL: return !*(const bool *)p;
    case REC_U8: return !*(const uint8_t *)p;
    case REC_U32: return !*(const uint32_t *)p;
    case REC_I32: return !*(const int32_t *)p;
    case REC_U64: return !*(const uint64_t *)p;
    case REC_I64: return !*(const int64_t *)p;
    case REC_F64: return *(const double *)p == 0.0 && !signbit(*(const double *)p);
    case REC_STR: return !*(char *const *)p;
    case REC_BLOB: return !((const struct blob *)p)->n;
    case REC_STRV: return !((const struct strv *)p)->n;
    case REC_WALL: return !((const struct wall *)p)->ms;
    case REC_CPUSET: return cpuset_is_empty(p);
    case REC_SUB: return is_unset(f->sub, p);
    case REC_LISTOF: return !((const struct rec_list_any *)p)->n;
    }
    return false;
}

/* Members up to the last one that is set. */
static size_t used_members(const struct rec_desc *d, const void *rec)
{
    size_t n = d->n_fields;
    while (n && is_unset_member(&d->fields[n - 1], rec_at(&d->fields[n - 1], rec)))
        n--;
    return n;
}

static bool is_unset(const struct rec_desc *d, const void *rec)
{
    return used_members(d, rec) == 0;
}

static void pack_str(msgpack_packer *pk, const char *s)
{
    if (!s) {
        msgpack_pack_nil(pk);
        return;
    }
    size_t n = strlen(s);
    bug_on(n > UINT32_MAX);
    msgpack_pack_str(pk, n);
    msgpack_pack_str_body(pk, s, n);
}

static void pack_bin(msgpack_packer *pk, const void *p, size_t n)
{
    bug_on(n > UINT32_MAX);
    msgpack_pack_bin(pk, n);
    if (n)
        msgpack_pack_bin_body(pk, p, n);
}

static void pack_count(msgpack_packer *pk, size_t n)
{
    bug_on(n > UINT32_MAX);
    msgpack_pack_array(pk, n);
}

static void pack_record(msgpack_packer *pk, const struct rec_desc *d, const void *rec);

static void pack_member(msgpack_packer *pk, const struct rec_field *f, const void *p)
{
    switch (f->type) {
    case REC_BOOL:
        if (*(const bool *)p)
            msgpack_pack_true(pk);
        else
            msgpack_pack_false(pk);
        break;
    case REC_U8: msgpack_pack_uint8(pk, *(const uint8_t *)p); break;
    case REC_U32: msgpack_pack_uint32(pk, *(const uint32_t *)p); break;
    case REC_I32: msgpack_pack_int32(pk, *(const int32_t *)p); break;
    case REC_U64: msgpack_pack_uint64(pk, *(const uint64_t *)p); break;
    case REC_I64: msgpack_pack_int64(pk, *(const int64_t *)p); break;
    case REC_F64: msgpack_pack_double(pk, *(const double *)p); break;
    case REC_STR: pack_str(pk, *(char *const *)p); break;
    case REC_BLOB: {
        const struct blob *b = p;
        pack_bin(pk, b->p, b->n);
        break;
    }
    case REC_STRV: {
        const struct strv *a = p;
        pack_count(pk, a->n);
        for (size_t i = 0; i < a->n; i++)
            pack_str(pk, a->v[i]);
        break;
    }
    case REC_WALL: msgpack_pack_int64(pk, ((const struct wall *)p)->ms); break;
    case REC_CPUSET: {
        uint8_t bytes[CPUSET_MAX / 8];
        pack_bin(pk, bytes, cpuset_to_bytes(p, bytes));
        break;
    }
    case REC_SUB: pack_record(pk, f->sub, p); break;
    case REC_LISTOF: {
        const struct rec_list_any *l = p;
        pack_count(pk, l->n);
        for (size_t i = 0; i < l->n; i++)
            pack_record(pk, f->sub, (const char *)l->v + i * f->sub->size);
        break;
    }
    }
}

static void pack_record(msgpack_packer *pk, const struct rec_desc *d, const void *rec)
{
    size_t n = used_members(d, rec);
    pack_count(pk, n);
    for (size_t i = 0; i < n; i++) {
        const struct rec_field *f = &d->fields[i];
        const void *p = rec_at(f, rec);
        if (f->box_size && is_unset_member(f, p))
            msgpack_pack_nil(pk); /* any other value makes a box where it is read */
        else
            pack_member(pk, f, p);
    }
}

void codec_encode(const struct rec_desc *d, const void *rec, struct str *out)
{
    msgpack_packer pk;
    msgpack_packer_init(&pk, out, append_bytes);
    pack_record(&pk, d, rec);
}

void codec_list_head(struct str *out, uint32_t n)
{
    msgpack_packer pk;
    msgpack_packer_init(&pk, out, append_bytes);
    pack_count(&pk, 1);
    pack_count(&pk, n);
}

/* ---- some members ----
 *
 * Rows of long listings: the plain types are written here, without a call for each. An unset value is
 * omitted at the end of a row and is nil elsewhere, so the count in front of the values is known last. */

#define NIL          0xc0
#define COUNT_SIZE   3 /* of an array with 16 bits of length */
#define VALUE_SIZE   9 /* of a number at most */
#define FIXSTR_BELOW 32

static uint8_t *put_be(uint8_t *p, uint64_t v, unsigned n)
{
    for (unsigned i = n; i-- > 0;)
        *p++ = (uint8_t)(v >> 8 * i);
    return p;
}

static uint8_t *put_unsigned(uint8_t *p, uint64_t v)
{
    if (v < 0x80) {
        *p++ = (uint8_t)v;
        return p;
    }
    unsigned log = v <= UINT8_MAX ? 0 : v <= UINT16_MAX ? 1 : v <= UINT32_MAX ? 2 : 3;
    *p++ = (uint8_t)(0xcc + log);
    return put_be(p, v, 1u << log);
}

static uint8_t *put_signed(uint8_t *p, int64_t v)
{
    if (v >= 0)
        return put_unsigned(p, (uint64_t)v);
    if (v >= -32) {
        *p++ = (uint8_t)v;
        return p;
    }
    unsigned log = v >= INT8_MIN ? 0 : v >= INT16_MIN ? 1 : v >= INT32_MIN ? 2 : 3;
    *p++ = (uint8_t)(0xd0 + log);
    return put_be(p, (uint64_t)v, 1u << log);
}

/* Room for n values of no great length, which are put at the result; put_end says where they end. */
static uint8_t *put_begin(struct str *out, size_t n)
{
    str_reserve(out, n);
    return (uint8_t *)out->s + out->len;
}

static void put_end(struct str *out, const uint8_t *p)
{
    out->len = (size_t)((const char *)p - out->s);
    out->s[out->len] = '\0';
}

static void put_nils(struct str *out, size_t n)
{
    put_end(out, (uint8_t *)memset(put_begin(out, n), NIL, n) + n);
}

static void put_number(struct str *out, const struct rec_field *f, const void *p)
{
    uint8_t *to = put_begin(out, VALUE_SIZE);
    if (f->type == REC_BOOL)
        *to++ = 0xc3;
    else if (f->type == REC_U8)
        to = put_unsigned(to, *(const uint8_t *)p);
    else if (f->type == REC_U32)
        to = put_unsigned(to, *(const uint32_t *)p);
    else if (f->type == REC_U64)
        to = put_unsigned(to, *(const uint64_t *)p);
    else
        to = put_signed(to, f->type == REC_I32 ? *(const int32_t *)p : *(const int64_t *)p);
    put_end(out, to);
}

static void put_str(struct str *out, const char *s)
{
    size_t n = strlen(s);
    if (n >= FIXSTR_BELOW) {
        msgpack_packer pk;
        msgpack_packer_init(&pk, out, append_bytes);
        pack_str(&pk, s);
        return;
    }
    uint8_t *to = put_begin(out, 1 + n);
    *to = (uint8_t)(0xa0 | n);
    memcpy(to + 1, s, n);
    put_end(out, to + 1 + n);
}

static void put_part(struct str *out, const struct rec_desc *d, const void *rec, uint64_t members,
                     const struct codec_part *part);

/* p: a member that is set. */
static void put_member(struct str *out, const struct rec_field *f, const void *p,
                       const struct codec_part *part)
{
    msgpack_packer pk;
    switch (f->type) {
    case REC_BOOL:
    case REC_U8:
    case REC_U32:
    case REC_I32:
    case REC_U64:
    case REC_I64: put_number(out, f, p); return;
    case REC_WALL:
        put_end(out, put_signed(put_begin(out, VALUE_SIZE), ((const struct wall *)p)->ms));
        return;
    case REC_STR: put_str(out, *(char *const *)p); return;
    case REC_SUB:
        if (f->sub == part->inner) {
            put_part(out, f->sub, p, part->inner_members, part);
            return;
        }
        break;
    case REC_F64:
    case REC_BLOB:
    case REC_STRV:
    case REC_CPUSET:
    case REC_LISTOF: break;
    }
    msgpack_packer_init(&pk, out, append_bytes);
    pack_member(&pk, f, p);
}

static void put_part(struct str *out, const struct rec_desc *d, const void *rec, uint64_t members,
                     const struct codec_part *part)
{
    size_t start = out->len, next = 0;
    put_end(out, put_begin(out, COUNT_SIZE) + COUNT_SIZE);
    if (d->n_fields < 64)
        members &= (UINT64_C(1) << d->n_fields) - 1;
    for (; members; members &= members - 1) {
        size_t i = (size_t)__builtin_ctzll(members);
        const struct rec_field *f = &d->fields[i];
        const void *p = rec_at(f, rec);
        if (f->type != REC_SUB && is_unset_member(f, p))
            continue;
        if (i > next)
            put_nils(out, i - next);
        next = i + 1;
        put_member(out, f, p, part);
    }
    uint8_t *count = (uint8_t *)out->s + start;
    *count = 0xdc;
    put_be(count + 1, next, 2);
}

void codec_encode_part(const struct rec_desc *d, const void *rec, const struct codec_part *part,
                       struct str *out)
{
    put_part(out, d, rec, part->members, part);
}
