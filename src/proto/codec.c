/* codec.c - records to MessagePack, walked by their tables; decode.c is the way back. */
#include "src/proto/codec.h"

#include <math.h>
#include <msgpack.h>
#include <string.h>

static const void *at(const void *rec, const struct rec_field *f)
{
    return (const char *)rec + f->offset;
}

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
    while (n && is_unset_member(&d->fields[n - 1], at(rec, &d->fields[n - 1])))
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
    for (size_t i = 0; i < n; i++)
        pack_member(pk, &d->fields[i], at(rec, &d->fields[i]));
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
