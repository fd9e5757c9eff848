/* codec.c - records to MessagePack, walked by their tables; decode.c is the way back. */
#include "src/proto/codec.h"

#include <math.h>
#include <string.h>

#include "src/proto/codec_sink.h"
#include "src/record/rec_box.h"

#define NIL          0xc0
#define FALSE        0xc2
#define TRUE         0xc3
#define BIN_8        0xc4 /* bytes whose count takes 1 byte; the next two: 2 and 4 bytes */
#define FLOAT_64     0xcb
#define UINT_8       0xcc /* a number of 1 byte; the next three: 2, 4 and 8 bytes */
#define INT_8        0xd0 /* the same of a number below zero */
#define STR_8        0xd9 /* the same of a text */
#define ARRAY_16     0xdc
#define ARRAY_32     0xdd
#define FIXARRAY     0x90 /* + count, up to 15 */
#define FIXSTR       0xa0 /* + count, up to 31 */
#define VALUE_SIZE   9u   /* bytes of a number or of the head of anything, at most */
#define GROW_LEAST   256u /* bytes: most encodings then grow once */
#define FIXARRAY_MAX 15u
#define FIXSTR_MAX   31u

/* ---- the bytes ---- */

void codec_sink_begin(struct codec_sink *s, struct str *out)
{
    *s = (struct codec_sink){.out = out, .p = (uint8_t *)out->s + out->len};
    s->end = out->cap ? (uint8_t *)out->s + out->cap - 1 : s->p;
}

void codec_sink_end(struct codec_sink *s)
{
    if (!s->out->cap)
        return;
    s->out->len = (size_t)((const char *)s->p - s->out->s);
    *s->p = '\0';
}

static void sink_grow(struct codec_sink *s, size_t n)
{
    codec_sink_end(s);
    str_reserve(s->out, n > GROW_LEAST ? n : GROW_LEAST);
    codec_sink_begin(s, s->out);
}

/* Room for n bytes: those that are put next are not checked. */
static inline void sink_room(struct codec_sink *s, size_t n)
{
    if (n > (size_t)(s->end - s->p))
        sink_grow(s, n);
}

static inline uint8_t *put_be(uint8_t *p, uint64_t v, unsigned n)
{
    for (unsigned i = n; i-- > 0;)
        *p++ = (uint8_t)(v >> 8 * i);
    return p;
}

/* In 1, 2, 4 or 8 bytes: each case is a move where the number of bytes is known. */
static uint8_t *put_be_log(uint8_t *p, uint64_t v, unsigned log)
{
    return log == 0   ? put_be(p, v, 1)
           : log == 1 ? put_be(p, v, 2)
           : log == 2 ? put_be(p, v, 4)
                      : put_be(p, v, 8);
}

static uint8_t *put_unsigned(uint8_t *p, uint64_t v)
{
    if (v < 0x80) {
        *p++ = (uint8_t)v;
        return p;
    }
    unsigned log = v <= UINT8_MAX ? 0 : v <= UINT16_MAX ? 1 : v <= UINT32_MAX ? 2 : 3;
    *p++ = (uint8_t)(UINT_8 + log);
    return put_be_log(p, v, log);
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
    *p++ = (uint8_t)(INT_8 + log);
    return put_be_log(p, (uint64_t)v, log);
}

static uint8_t *put_float(uint8_t *p, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    *p++ = FLOAT_64;
    return put_be(p, bits, sizeof bits);
}

static uint8_t *put_count(uint8_t *p, size_t n)
{
    bug_on(n > UINT32_MAX);
    if (n <= FIXARRAY_MAX) {
        *p++ = (uint8_t)(FIXARRAY | n);
        return p;
    }
    *p++ = n <= UINT16_MAX ? ARRAY_16 : ARRAY_32;
    return put_be(p, n, n <= UINT16_MAX ? 2 : 4);
}

/* The head of n bytes or of a text of n bytes: first is BIN_8 or STR_8. */
static uint8_t *put_size(uint8_t *p, uint8_t first, size_t n)
{
    bug_on(n > UINT32_MAX);
    unsigned log = n <= UINT8_MAX ? 0 : n <= UINT16_MAX ? 1 : 2;
    *p++ = (uint8_t)(first + log);
    return put_be_log(p, n, log);
}

static void sink_bytes(struct codec_sink *s, const void *bytes, size_t n)
{
    sink_room(s, n + VALUE_SIZE);
    s->p = put_size(s->p, BIN_8, n);
    if (n)
        s->p = (uint8_t *)memcpy(s->p, bytes, n) + n;
}

/* text: or NULL. */
static void sink_text(struct codec_sink *s, const char *text)
{
    size_t n = text ? strlen(text) : 0;
    sink_room(s, n + VALUE_SIZE);
    if (!text) {
        *s->p++ = NIL;
        return;
    }
    if (n <= FIXSTR_MAX)
        *s->p++ = (uint8_t)(FIXSTR | n);
    else
        s->p = put_size(s->p, STR_8, n);
    s->p = (uint8_t *)memcpy(s->p, text, n) + n;
}

void codec_sink_count(struct codec_sink *s, size_t n)
{
    sink_room(s, VALUE_SIZE);
    s->p = put_count(s->p, n);
}

void codec_sink_nils(struct codec_sink *s, size_t n)
{
    sink_room(s, n);
    s->p = (uint8_t *)memset(s->p, NIL, n) + n;
}

/* ---- records ---- */

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

bool codec_is_unset(const struct rec_field *f, const void *rec)
{
    return rec_is_boxless(f, rec) || is_unset_member(f, rec_at(f, rec));
}

/* Members up to the last one that is set. */
static size_t used_members(const struct rec_desc *d, const void *rec)
{
    size_t n = d->n_fields;
    while (n && codec_is_unset(&d->fields[n - 1], rec))
        n--;
    return n;
}

static bool is_unset(const struct rec_desc *d, const void *rec)
{
    return used_members(d, rec) == 0;
}

static void sink_record(struct codec_sink *s, const struct rec_desc *d, const void *rec);

static void sink_texts(struct codec_sink *s, const struct strv *a)
{
    codec_sink_count(s, a->n);
    for (size_t i = 0; i < a->n; i++)
        sink_text(s, a->v[i]);
}

static void sink_list(struct codec_sink *s, const struct rec_desc *d, const struct rec_list_any *l)
{
    codec_sink_count(s, l->n);
    for (size_t i = 0; i < l->n; i++)
        sink_record(s, d, (const char *)l->v + i * d->size);
}

void codec_sink_member(struct codec_sink *s, const struct rec_field *f, const void *p)
{
    sink_room(s, VALUE_SIZE);
    switch (f->type) {
    case REC_BOOL: *s->p++ = *(const bool *)p ? TRUE : FALSE; break;
    case REC_U8: s->p = put_unsigned(s->p, *(const uint8_t *)p); break;
    case REC_U32: s->p = put_unsigned(s->p, *(const uint32_t *)p); break;
    case REC_I32: s->p = put_signed(s->p, *(const int32_t *)p); break;
    case REC_U64: s->p = put_unsigned(s->p, *(const uint64_t *)p); break;
    case REC_I64: s->p = put_signed(s->p, *(const int64_t *)p); break;
    case REC_F64: s->p = put_float(s->p, *(const double *)p); break;
    case REC_STR: sink_text(s, *(char *const *)p); break;
    case REC_BLOB: sink_bytes(s, ((const struct blob *)p)->p, ((const struct blob *)p)->n); break;
    case REC_STRV: sink_texts(s, p); break;
    case REC_WALL: s->p = put_signed(s->p, ((const struct wall *)p)->ms); break;
    case REC_CPUSET: {
        uint8_t bytes[CPUSET_MAX / 8];
        sink_bytes(s, bytes, cpuset_to_bytes(p, bytes));
        break;
    }
    case REC_SUB: sink_record(s, f->sub, p); break;
    case REC_LISTOF: sink_list(s, f->sub, p); break;
    }
}

static void sink_record(struct codec_sink *s, const struct rec_desc *d, const void *rec)
{
    size_t n = used_members(d, rec);
    codec_sink_count(s, n);
    for (size_t i = 0; i < n; i++) {
        const struct rec_field *f = &d->fields[i];
        if (f->box_size && codec_is_unset(f, rec))
            codec_sink_nils(s, 1); /* any other value makes a box where it is read */
        else
            codec_sink_member(s, f, rec_at(f, rec));
    }
}

void codec_encode(const struct rec_desc *d, const void *rec, struct str *out)
{
    struct codec_sink s;
    codec_sink_begin(&s, out);
    sink_record(&s, d, rec);
    codec_sink_end(&s);
}
