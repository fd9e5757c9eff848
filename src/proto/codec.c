/* codec.c - records to MessagePack and back, walked by their tables. */
#include "src/proto/codec.h"

#include <errno.h>
#include <math.h>
#include <msgpack.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/proto/shape.h"

#define MAX_ITEMS       1000000u   /* of all lists of one message */
#define BYTES_PER_BYTE  64u        /* memory of records and strings that one byte received may cost ... */
#define BYTES_FREE      (1u << 20) /* ... and what a message of any size may */
#define STRING_OVERHEAD 40u        /* its pointer and the allocator's part */

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

/* ---- decoding ---- */

struct decoder {
    size_t items_left, bytes_left; /* what the message may still cost */
    struct errtext *err;
};

static int fail(struct decoder *c, const struct rec_desc *d, const struct rec_field *f, const char *what)
{
    return err_set(c->err, -EBADMSG, "%s.%s: %s", d->name, f->name, what);
}

static bool take_bytes(struct decoder *c, size_t n)
{
    if (n > c->bytes_left)
        return false;
    c->bytes_left -= n;
    return true;
}

/* Numbers travel in the shortest form there is, whatever their member's type. */
static bool get_unsigned(const msgpack_object *o, uint64_t max, uint64_t *ret)
{
    if (o->type != MSGPACK_OBJECT_POSITIVE_INTEGER || o->via.u64 > max)
        return false;
    *ret = o->via.u64;
    return true;
}

static bool get_signed(const msgpack_object *o, int64_t min, int64_t max, int64_t *ret)
{
    if (o->type == MSGPACK_OBJECT_POSITIVE_INTEGER && o->via.u64 <= (uint64_t)max) {
        *ret = (int64_t)o->via.u64;
        return true;
    }
    if (o->type == MSGPACK_OBJECT_NEGATIVE_INTEGER && o->via.i64 >= min) {
        *ret = o->via.i64;
        return true;
    }
    return false;
}

static const char *get_str(struct decoder *c, const msgpack_object *o, char **ret)
{
    if (o->type != MSGPACK_OBJECT_STR)
        return "a string is expected";
    const char *s = o->via.str.ptr;
    size_t n = o->via.str.size;
    if (n && memchr(s, '\0', n))
        return "a string with a NUL in it";
    if (!take_bytes(c, n + STRING_OVERHEAD))
        return "too much for its size";
    *ret = n ? xstrndup(s, n) : xstrdup("");
    return NULL;
}

static const char *get_strv(struct decoder *c, const msgpack_object *o, struct strv *ret)
{
    if (o->type != MSGPACK_OBJECT_ARRAY)
        return "a list is expected";
    for (uint32_t i = 0; i < o->via.array.size; i++) {
        if (!c->items_left)
            return "too many items";
        c->items_left--;
        char *s;
        const char *why = get_str(c, &o->via.array.ptr[i], &s);
        if (why)
            return why;
        strv_push_take(ret, s);
    }
    return NULL;
}

static const char *get_blob(struct decoder *c, const msgpack_object *o, struct blob *ret)
{
    if (o->type != MSGPACK_OBJECT_BIN)
        return "binary data is expected";
    size_t n = o->via.bin.size;
    if (!take_bytes(c, n))
        return "too much for its size";
    if (n)
        *ret = (struct blob){.p = xmemdup(o->via.bin.ptr, n), .n = n};
    return NULL;
}

static const char *get_cpuset(const msgpack_object *o, struct cpuset *ret)
{
    if (o->type != MSGPACK_OBJECT_BIN)
        return "a set is expected";
    if (o->via.bin.size > CPUSET_MAX / 8)
        return "a set with too large a number";
    for (uint32_t i = 0; i < o->via.bin.size; i++)
        ret->w[i / 8] |= (uint64_t)(uint8_t)o->via.bin.ptr[i] << i % 8 * 8;
    return NULL;
}

static const char *get_number(const msgpack_object *o, double *ret)
{
    if ((o->type != MSGPACK_OBJECT_FLOAT64 && o->type != MSGPACK_OBJECT_FLOAT32) || !isfinite(o->via.f64))
        return "a finite number is expected";
    *ret = o->via.f64;
    return NULL;
}

static const char *get_scalar(struct decoder *c, const struct rec_field *f, const msgpack_object *o,
                              void *p)
{
    uint64_t u = 0;
    int64_t i = 0;
    switch (f->type) {
    case REC_BOOL:
        if (o->type != MSGPACK_OBJECT_BOOLEAN)
            return "true or false is expected";
        *(bool *)p = o->via.boolean;
        return NULL;
    case REC_U32:
        if (!get_unsigned(o, UINT32_MAX, &u))
            return "a number from 0 to 4294967295 is expected";
        *(uint32_t *)p = (uint32_t)u;
        return NULL;
    case REC_I32:
        if (!get_signed(o, INT32_MIN, INT32_MAX, &i))
            return "a number of 32 bits is expected";
        *(int32_t *)p = (int32_t)i;
        return NULL;
    case REC_U64:
        if (!get_unsigned(o, UINT64_MAX, &u))
            return "a number from 0 is expected";
        *(uint64_t *)p = u;
        return NULL;
    case REC_I64:
        if (!get_signed(o, INT64_MIN, INT64_MAX, &i))
            return "a number of 64 bits is expected";
        *(int64_t *)p = i;
        return NULL;
    case REC_WALL:
        if (!get_signed(o, INT64_MIN, INT64_MAX, &i))
            return "a time is expected";
        ((struct wall *)p)->ms = i;
        return NULL;
    case REC_F64: return get_number(o, p);
    case REC_STR: return get_str(c, o, p);
    case REC_BLOB: return get_blob(c, o, p);
    case REC_STRV: return get_strv(c, o, p);
    case REC_CPUSET: return get_cpuset(o, p);
    case REC_SUB:
    case REC_LISTOF: break;
    }
    return "not a plain member";
}

static int get_record(struct decoder *c, const struct rec_desc *d, const msgpack_object *o, void *rec);

static int get_list(struct decoder *c, const struct rec_desc *d, const struct rec_field *f,
                    const msgpack_object *o, struct rec_list_any *list)
{
    if (o->type != MSGPACK_OBJECT_ARRAY)
        return fail(c, d, f, "a list is expected");
    for (uint32_t i = 0; i < o->via.array.size; i++) {
        const msgpack_object *item = &o->via.array.ptr[i];
        if (item->type != MSGPACK_OBJECT_ARRAY)
            return fail(c, d, f, "a list of records is expected");
        if (!c->items_left)
            return fail(c, d, f, "too many items");
        c->items_left--;
        if (!take_bytes(c, f->sub->size))
            return fail(c, d, f, "too many empty items");
        int r = get_record(c, f->sub, item, rec_list_push_any(list, f->sub->size));
        if (r < 0)
            return r;
    }
    return 0;
}

/* rec is zeroed memory. What has been built so far stays in it on failure. */
static int get_record(struct decoder *c, const struct rec_desc *d, const msgpack_object *o, void *rec)
{
    size_t n = o->via.array.size < d->n_fields ? o->via.array.size : d->n_fields;
    for (size_t i = 0; i < n; i++) {
        const struct rec_field *f = &d->fields[i];
        const msgpack_object *item = &o->via.array.ptr[i];
        void *p = (char *)rec + f->offset;
        int r = 0;
        if (item->type == MSGPACK_OBJECT_NIL)
            continue;
        if (f->type == REC_LISTOF) {
            r = get_list(c, d, f, item, p);
        } else if (f->type == REC_SUB) {
            r = item->type == MSGPACK_OBJECT_ARRAY ? get_record(c, f->sub, item, p)
                                                   : fail(c, d, f, "a record is expected");
        } else {
            const char *why = get_scalar(c, f, item, p);
            r = why ? fail(c, d, f, why) : 0;
        }
        if (r < 0)
            return r;
    }
    return 0;
}

int codec_decode(const struct rec_desc *d, const void *p, size_t n, void *rec, struct errtext *err)
{
    memset(rec, 0, d->size);
    const char *why = shape_check(p, n);
    if (why)
        return err_set(err, -EBADMSG, "%s: not a message: %s", d->name, why);

    msgpack_unpacked u;
    msgpack_unpacked_init(&u);
    size_t end = 0;
    int r = 0;
    if (msgpack_unpack_next(&u, p, n, &end) != MSGPACK_UNPACK_SUCCESS || end != n)
        r = err_set(err, -EBADMSG, "%s: not a message", d->name);
    else if (u.data.type != MSGPACK_OBJECT_ARRAY)
        r = err_set(err, -EBADMSG, "%s: not a record", d->name);
    if (r == 0) {
        struct decoder c = {
            .items_left = MAX_ITEMS, .bytes_left = BYTES_FREE + n * BYTES_PER_BYTE, .err = err};
        r = get_record(&c, d, &u.data, rec);
        if (r < 0)
            rec_fini(d, rec);
    }
    msgpack_unpacked_destroy(&u);
    return r;
}
