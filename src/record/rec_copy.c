/* rec_copy.c - records: copying, comparing and visiting; apart from rec.c, because programs with rights
 * over the machine only free them. */
#include <stdlib.h>
#include <string.h>

#include "src/base/err.h"
#include "src/base/xalloc.h"
#include "src/record/rec.h"
#include "src/record/rec_box.h"

static size_t list_bytes(const struct rec_field *f, const struct rec_list_any *l)
{
    return l->n * f->sub->size;
}

/* Room for n elements as rec_list_push_any expects it: the next power of two. */
static size_t list_cap(size_t n)
{
    size_t cap = 1;
    while (cap < n)
        cap *= 2;
    return cap;
}

static void list_copy(const struct rec_field *f, struct rec_list_any *dst, const struct rec_list_any *src)
{
    *dst = (struct rec_list_any){.v = src->n ? xcalloc(list_cap(src->n), f->sub->size) : NULL, .n = src->n};
    for (size_t i = 0; i < list_bytes(f, src); i += f->sub->size)
        rec_copy(f->sub, (char *)dst->v + i, (const char *)src->v + i);
}

/* p holds the bytes of the source already; what they point to becomes its own. */
static void field_dup(const struct rec_field *f, void *p, const void *src)
{
    switch (f->type) {
    case REC_STR: *(char **)p = xstrdup(*(char *const *)src); break;
    case REC_BLOB: {
        const struct blob *b = src;
        *(struct blob *)p = (struct blob){.p = b->p ? xmemdup(b->p, b->n) : NULL, .n = b->n};
        break;
    }
    case REC_STRV: *(struct strv *)p = strv_copy(src); break;
    case REC_SUB: rec_copy(f->sub, p, src); break;
    case REC_LISTOF: list_copy(f, p, src); break;
    case REC_BOOL:
    case REC_U8:
    case REC_U32:
    case REC_I32:
    case REC_U64:
    case REC_I64:
    case REC_F64:
    case REC_WALL:
    case REC_CPUSET: break;
    }
}

void rec_copy(const struct rec_desc *d, void *dst, const void *src)
{
    memcpy(dst, src, d->size);
    for (size_t i = 0; i < d->n_fields; i++) {
        const struct rec_field *f = &d->fields[i];
        if (rec_is_boxless(f, src))
            continue;
        if (f->box_size && rec_box_in(f, dst) == rec_box_in(f, src))
            *rec_box_of(f, dst) = xmemdup(rec_box_in(f, src), f->box_size);
        if (rec_type_owns(f->type))
            field_dup(f, rec_at_mut(f, dst), rec_at(f, src));
    }
}

void rec_each_text(const struct rec_desc *d, void *rec, void (*fn)(void *ctx, char **text), void *ctx)
{
    for (size_t i = 0; i < d->n_fields; i++) {
        const struct rec_field *f = &d->fields[i];
        if (rec_is_boxless(f, rec))
            continue;
        void *p = rec_at_mut(f, rec);
        if (f->type == REC_STR) {
            fn(ctx, p);
        } else if (f->type == REC_SUB) {
            rec_each_text(f->sub, p, fn, ctx);
        } else if (f->type == REC_LISTOF) {
            const struct rec_list_any *l = p;
            for (size_t k = 0; k < l->n; k++)
                rec_each_text(f->sub, (char *)l->v + k * f->sub->size, fn, ctx);
        }
    }
}

static bool strv_eq(const struct strv *a, const struct strv *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (!str_eq(a->v[i], b->v[i]))
            return false;
    return true;
}

static bool list_eq(const struct rec_field *f, const struct rec_list_any *a, const struct rec_list_any *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < list_bytes(f, a); i += f->sub->size)
        if (!rec_eq(f->sub, (const char *)a->v + i, (const char *)b->v + i))
            return false;
    return true;
}

static bool field_eq(const struct rec_field *f, const void *a, const void *b)
{
    switch (f->type) {
    case REC_BOOL: return *(const bool *)a == *(const bool *)b;
    case REC_U8: return *(const uint8_t *)a == *(const uint8_t *)b;
    case REC_U32:
    case REC_I32: return memcmp(a, b, 4) == 0;
    case REC_U64:
    case REC_I64:
    case REC_F64: /* by its bits: a NaN equals itself */
    case REC_WALL: return memcmp(a, b, 8) == 0;
    case REC_STR: return str_eq(*(char *const *)a, *(char *const *)b);
    case REC_BLOB: {
        const struct blob *x = a, *y = b;
        return x->n == y->n && (x->n == 0 || memcmp(x->p, y->p, x->n) == 0);
    }
    case REC_STRV: return strv_eq(a, b);
    case REC_CPUSET: return cpuset_eq(a, b);
    case REC_SUB: return rec_eq(f->sub, a, b);
    case REC_LISTOF: return list_eq(f, a, b);
    }
    bug_at(__FILE__, __LINE__, "a field of unknown type");
}

bool rec_eq(const struct rec_desc *d, const void *a, const void *b)
{
    for (size_t i = 0; i < d->n_fields; i++)
        if (!field_eq(&d->fields[i], rec_at(&d->fields[i], a), rec_at(&d->fields[i], b)))
            return false;
    return true;
}
