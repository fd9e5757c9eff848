/* decode.c - records from MessagePack, in one walk over the bytes.
 *
 * shape_check has seen the whole body before: every length is true, every count is filled, nothing is
 * missing. What remains is whether each value is of its member's type.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/proto/codec.h"
#include "src/proto/decode.h"
#include "src/proto/shape.h"

#define MSGPACK_NIL 0xc0
#define NILS        UINT64_C(0xc0c0c0c0c0c0c0c0)
/* Of what a peer says, who may mean harm. What the controller has written is bounded by what it took in. */
#define MAX_ITEMS       1000000u   /* of all lists of one message */
#define BYTES_FREE      (1u << 20) /* memory of records and strings that a message of any size may cost ... */
#define BYTES_PER_BYTE  64u /* ... and what each byte of it may, more: empty records are a byte each ... */
#define BYTES_LARGE     (32u << 20) /* ... up to this: a large message has few of those, and costs ... */
#define LARGE_PER_BYTE  4u          /* ... so much for each of its bytes */
#define STRING_OVERHEAD 40u         /* its pointer and the allocator's part */
#define WALL_MS_MAX     (INT64_C(1) << 53) /* 280,000 years: no sum of times overflows */

/* ---- values ---- */

static void *take_memory(struct decoder *c, size_t n)
{
    return c->take ? c->take(c, n) : xmalloc(n);
}

static uint64_t take_be(struct decoder *c, size_t n)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++)
        v = v << 8 | *c->at++;
    return v;
}

static struct value take_bytes_of(struct decoder *c, enum value_type type, uint64_t n)
{
    struct value v = {.type = type, .n = (uint32_t)n, .p = c->at};
    c->at += n;
    return v;
}

static struct value take_signed(struct decoder *c, size_t n)
{
    /* Sign extension: the topmost bit of n bytes moved up and back. */
    unsigned shift = 64 - 8 * (unsigned)n;
    int64_t i = (int64_t)(take_be(c, n) << shift) >> shift;
    if (i >= 0)
        return (struct value){.type = VALUE_UNSIGNED, .u = (uint64_t)i};
    return (struct value){.type = VALUE_NEGATIVE, .i = i};
}

static struct value take_float(struct decoder *c, size_t n)
{
    struct value v = {.type = VALUE_FLOAT};
    uint64_t bits = take_be(c, n);
    uint32_t bits32 = (uint32_t)bits;
    float f;
    if (n == sizeof bits) {
        memcpy(&v.f, &bits, sizeof v.f);
        return v;
    }
    memcpy(&f, &bits32, sizeof f);
    v.f = (double)f;
    return v;
}

static inline struct value take_value(struct decoder *c)
{
    uint8_t b = *c->at++;
    if (b < 0x80)
        return (struct value){.type = VALUE_UNSIGNED, .u = b};
    if (b >= 0xe0)
        return (struct value){.type = VALUE_NEGATIVE, .i = (int8_t)b};
    if (b < 0xa0)
        return (struct value){.type = VALUE_ARRAY, .n = b & 0x0f};
    if (b < 0xc0)
        return take_bytes_of(c, VALUE_STR, b & 0x1f);
    switch (b) {
    case 0xc2:
    case 0xc3: return (struct value){.type = VALUE_BOOL, .u = b & 1};
    case 0xc4:
    case 0xc5:
    case 0xc6: return take_bytes_of(c, VALUE_BIN, take_be(c, (size_t)1 << (b - 0xc4)));
    case 0xca: return take_float(c, 4);
    case 0xcb: return take_float(c, 8);
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf: return (struct value){.type = VALUE_UNSIGNED, .u = take_be(c, (size_t)1 << (b - 0xcc))};
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3: return take_signed(c, (size_t)1 << (b - 0xd0));
    case 0xd9:
    case 0xda:
    case 0xdb: return take_bytes_of(c, VALUE_STR, take_be(c, (size_t)1 << (b - 0xd9)));
    case 0xdc:
    case 0xdd:
        return (struct value){.type = VALUE_ARRAY, .n = (uint32_t)take_be(c, (size_t)2 << (b - 0xdc))};
    default: return (struct value){.type = VALUE_NIL};
    }
}

struct value decode_value(struct decoder *c)
{
    return take_value(c);
}

void decode_skip(struct decoder *c, size_t n)
{
    for (; n; n--) {
        struct value v = take_value(c);
        if (v.type == VALUE_ARRAY)
            n += v.n;
    }
}

/* ---- members ---- */

static int decode_fail(struct decoder *c, const struct rec_desc *d, const struct rec_field *f,
                       const char *what)
{
    return err_set(c->err, -EBADMSG, "%s.%s: %s", d->name, f->name, what);
}

static bool may_cost(struct decoder *c, size_t n)
{
    if (n > c->bytes_left)
        return false;
    c->bytes_left -= n;
    return true;
}

/* Numbers travel in the shortest form there is, whatever their member's type. */
static bool get_unsigned(const struct value *o, uint64_t max, uint64_t *ret)
{
    if (o->type != VALUE_UNSIGNED || o->u > max)
        return false;
    *ret = o->u;
    return true;
}

static bool get_signed(const struct value *o, int64_t min, int64_t max, int64_t *ret)
{
    if (o->type == VALUE_UNSIGNED && o->u <= (uint64_t)max) {
        *ret = (int64_t)o->u;
        return true;
    }
    if (o->type == VALUE_NEGATIVE && o->i >= min) {
        *ret = o->i;
        return true;
    }
    return false;
}

static const char *check_str(struct decoder *c, const struct value *o)
{
    if (o->type != VALUE_STR)
        return "a string is expected";
    if (o->n && memchr(o->p, '\0', o->n))
        return "a string with a NUL in it";
    if (!may_cost(c, o->n + (size_t)STRING_OVERHEAD))
        return "too much for its size";
    return NULL;
}

static const char *hold_str(struct decoder *c, const struct value *o, char **ret)
{
    const char *why = check_str(c, o);
    if (!why)
        *ret = c->hold(c, (const char *)o->p, o->n);
    return why;
}

static const char *get_str(struct decoder *c, const struct value *o, char **ret)
{
    const char *why = check_str(c, o);
    if (why)
        return why;
    const char *s = (const char *)o->p;
    size_t n = o->n;
    char *copy = take_memory(c, n + 1);
    memcpy(copy, s, n);
    copy[n] = '\0';
    *ret = copy;
    return NULL;
}

static const char *get_strv(struct decoder *c, const struct value *o, struct strv *ret)
{
    if (o->type != VALUE_ARRAY)
        return "a list is expected";
    size_t size = (o->n + (size_t)1) * sizeof *ret->v;
    if (o->n && c->take) /* a byte at least stands behind each item */
        ret->v = memset(c->take(c, size), 0, size);
    for (size_t i = 0; i < o->n; i++) {
        if (!c->items_left)
            return "too many items";
        c->items_left--;
        char *s;
        struct value item = take_value(c);
        const char *why = get_str(c, &item, &s);
        if (why)
            return why;
        if (c->take)
            ret->v[ret->n++] = s;
        else
            strv_push_take(ret, s);
    }
    return NULL;
}

static const char *get_blob(struct decoder *c, const struct value *o, struct blob *ret)
{
    if (o->type != VALUE_BIN)
        return "binary data is expected";
    size_t n = o->n;
    if (!may_cost(c, n))
        return "too much for its size";
    if (n)
        *ret = (struct blob){.p = memcpy(take_memory(c, n), o->p, n), .n = n};
    return NULL;
}

static const char *get_cpuset(const struct value *o, struct cpuset *ret)
{
    if (o->type != VALUE_BIN)
        return "a set is expected";
    if (o->n > CPUSET_MAX / 8)
        return "a set with too large a number";
    for (size_t i = 0; i < o->n; i++)
        ret->w[i / 8] |= (uint64_t)o->p[i] << i % 8 * 8;
    return NULL;
}

static const char *get_number(const struct value *o, double *ret)
{
    if (o->type != VALUE_FLOAT || !isfinite(o->f))
        return "a finite number is expected";
    *ret = o->f;
    return NULL;
}

static const char *get_scalar(struct decoder *c, const struct rec_field *f, const struct value *o, void *p)
{
    uint64_t u = 0;
    int64_t i = 0;
    switch (f->type) {
    case REC_BOOL:
        if (o->type != VALUE_BOOL)
            return "true or false is expected";
        *(bool *)p = o->u != 0;
        return NULL;
    case REC_U8:
        if (!get_unsigned(o, UINT8_MAX, &u))
            return "a number from 0 to 255 is expected";
        *(uint8_t *)p = (uint8_t)u;
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
        if (!get_signed(o, -WALL_MS_MAX, WALL_MS_MAX, &i))
            return "a time is expected";
        ((struct wall *)p)->ms = i;
        return NULL;
    case REC_F64: return get_number(o, p);
    case REC_STR: return c->hold ? hold_str(c, o, p) : get_str(c, o, p);
    case REC_BLOB: return get_blob(c, o, p);
    case REC_STRV: return get_strv(c, o, p);
    case REC_CPUSET: return get_cpuset(o, p);
    case REC_SUB:
    case REC_LISTOF: break;
    }
    return "not a plain member";
}

/* The next item of a list of n records, zeroed. */
static void *list_push(struct decoder *c, struct rec_list_any *list, size_t n, size_t size)
{
    if (!c->take)
        return rec_list_push_any(list, size);
    if (!list->v)
        list->v = c->take(c, n * size);
    return memset((char *)list->v + list->n++ * size, 0, size);
}

static int get_list(struct decoder *c, const struct rec_desc *d, const struct rec_field *f,
                    const struct value *o, struct rec_list_any *list)
{
    if (o->type != VALUE_ARRAY)
        return decode_fail(c, d, f, "a list is expected");
    if (!may_cost(c, o->n * f->sub->size))
        return decode_fail(c, d, f, "too many empty items");
    if (o->n > c->items_left)
        return decode_fail(c, d, f, "too many items");
    c->items_left -= o->n;
    for (size_t i = 0; i < o->n; i++) {
        struct value item = take_value(c);
        if (item.type != VALUE_ARRAY)
            return decode_fail(c, d, f, "a list of records is expected");
        int r = decode_record(c, f->sub, item.n, list_push(c, list, o->n, f->sub->size));
        if (r < 0)
            return r;
    }
    return 0;
}

/* Eight at a time; that many values are that many bytes at least. */
static size_t skip_nils(const uint8_t *p, size_t n)
{
    size_t i = 0;
    for (uint64_t eight; n - i >= sizeof eight; i += sizeof eight) {
        memcpy(&eight, p + i, sizeof eight);
        if (eight != NILS)
            break;
    }
    return i;
}

/* Where a member goes: its box is made with the first of them that is given. NULL: that costs too much. */
static void *decode_place_of(struct decoder *c, const struct rec_field *f, void *rec)
{
    if (!f->box_size)
        return (char *)rec + f->offset;
    void **box = (void **)(void *)((char *)rec + f->box);
    if (!*box && !may_cost(c, f->box_size))
        return NULL;
    if (!*box)
        *box = memset(take_memory(c, f->box_size), 0, f->box_size);
    return (char *)*box + f->offset;
}

int decode_record(struct decoder *c, const struct rec_desc *d, size_t n_values, void *rec)
{
    size_t n = n_values < d->n_fields ? n_values : d->n_fields;
    for (size_t i = 0; i < n; i++) {
        const struct rec_field *f = &d->fields[i];
        if (*c->at == MSGPACK_NIL) { /* most members of most records */
            size_t more = skip_nils(c->at + 1, n - i - 1);
            c->at += 1 + more;
            i += more;
            continue;
        }
        struct value item = take_value(c);
        void *p = decode_place_of(c, f, rec);
        int r = 0;
        if (!p) {
            r = decode_fail(c, d, f, "too many boxes");
        } else if (f->type == REC_LISTOF) {
            r = get_list(c, d, f, &item, p);
        } else if (f->type == REC_SUB) {
            r = item.type == VALUE_ARRAY ? decode_record(c, f->sub, item.n, p)
                                         : decode_fail(c, d, f, "a record is expected");
        } else {
            const char *why = get_scalar(c, f, &item, p);
            r = why ? decode_fail(c, d, f, why) : 0;
        }
        if (r < 0)
            return r;
    }
    decode_skip(c, n_values - n); /* members that a newer program has added */
    return 0;
}

/* What a message of n bytes may cost while it is decoded. */
static size_t cost_most(size_t n)
{
    size_t small = n * BYTES_PER_BYTE, large = BYTES_LARGE + n * LARGE_PER_BYTE;
    return BYTES_FREE + (small < large ? small : large);
}

int64_t decode_open(struct decoder *c, const struct rec_desc *d, const void *p, size_t n, bool own,
                    struct errtext *err)
{
    const char *why = shape_check(p, n);
    if (why)
        return err_set(err, -EBADMSG, "%s: not a message: %s", d->name, why);
    *c = (struct decoder){.at = p,
                          .items_left = own ? SIZE_MAX : MAX_ITEMS,
                          .bytes_left = own ? SIZE_MAX : cost_most(n),
                          .err = err};
    struct value v = take_value(c);
    if (v.type != VALUE_ARRAY)
        return err_set(err, -EBADMSG, "%s: not a record", d->name);
    return v.n;
}

static int decode(const struct rec_desc *d, const void *p, size_t n, void *rec, bool own,
                  struct errtext *err)
{
    struct decoder c;
    memset(rec, 0, d->size);
    int64_t n_values = decode_open(&c, d, p, n, own, err);
    if (n_values < 0)
        return (int)n_values;
    int r = decode_record(&c, d, (size_t)n_values, rec);
    if (r < 0)
        rec_fini(d, rec);
    return r;
}

int codec_decode(const struct rec_desc *d, const void *p, size_t n, void *rec, struct errtext *err)
{
    return decode(d, p, n, rec, false, err);
}

int codec_decode_own(const struct rec_desc *d, const void *p, size_t n, void *rec, struct errtext *err)
{
    return decode(d, p, n, rec, true, err);
}
