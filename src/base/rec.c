/* rec.c - records: freeing, copying and comparing by descriptor. */
#include "src/base/rec.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/err.h"
#include "src/base/rec_box.h"
#include "src/base/xalloc.h"

/* What every member that no box has been made for reads as. */
static const struct {
    _Alignas(16) char bytes[sizeof(struct cpuset)];
} unset;

static void **box_of(const struct rec_field *f, void *rec)
{
    return (void **)(void *)((char *)rec + f->box);
}

static void *box_in(const struct rec_field *f, const void *rec)
{
    return *(void *const *)(const void *)((const char *)rec + f->box);
}

/* Whether a member of this type points to memory of its own. */
static bool type_owns(enum rec_type t)
{
    const unsigned owners =
        1u << REC_STR | 1u << REC_BLOB | 1u << REC_STRV | 1u << REC_SUB | 1u << REC_LISTOF;
    return owners >> t & 1;
}

const void *rec_at(const struct rec_field *f, const void *rec)
{
    if (!f->box_size)
        return (const char *)rec + f->offset;
    const char *box = box_in(f, rec);
    return box ? box + f->offset : unset.bytes;
}

void *rec_box_any(void **box, size_t size)
{
    if (!*box)
        *box = xcalloc(1, size);
    return *box;
}

void *rec_at_mut(const struct rec_field *f, void *rec)
{
    return (char *)(f->box_size ? rec_box_any(box_of(f, rec), f->box_size) : rec) + f->offset;
}

static size_t list_bytes(const struct rec_field *f, const struct rec_list_any *l)
{
    return l->n * f->sub->size;
}

void rec_list_free(const struct rec_desc *d, void *list)
{
    struct rec_list_any *l = list;
    for (size_t i = 0; i < l->n; i++)
        rec_fini(d, (char *)l->v + i * d->size);
    free(l->v);
    *l = (struct rec_list_any){0};
}

static void field_fini(const struct rec_field *f, void *p)
{
    switch (f->type) {
    case REC_STR: free(*(char **)p); break;
    case REC_BLOB: free(((struct blob *)p)->p); break;
    case REC_STRV: strv_fini(p); break;
    case REC_SUB: rec_fini(f->sub, p); break;
    case REC_LISTOF: rec_list_free(f->sub, p); break;
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

void rec_fini(const struct rec_desc *d, void *rec)
{
    bool has_boxes = false;
    for (size_t i = 0; i < d->n_fields; i++) {
        const struct rec_field *f = &d->fields[i];
        if (rec_is_boxless(f, rec))
            continue;
        has_boxes = has_boxes || f->box_size;
        if (type_owns(f->type))
            field_fini(f, rec_at_mut(f, rec));
    }
    for (size_t i = 0; has_boxes && i < d->n_fields; i++)
        if (d->fields[i].box_size) {
            void **box = box_of(&d->fields[i], rec);
            free(*box);
            *box = NULL;
        }
    memset(rec, 0, d->size);
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
        if (f->box_size && box_in(f, dst) == box_in(f, src))
            *box_of(f, dst) = xmemdup(box_in(f, src), f->box_size);
        if (type_owns(f->type))
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

void *rec_list_push_any(struct rec_list_any *list, size_t elem_size)
{
    /* Full exactly at the powers of two: then it doubles. */
    if ((list->n & (list->n - 1)) == 0)
        list->v = xreallocarray(list->v, list->n ? list->n * 2 : 1, elem_size);
    return memset((char *)list->v + list->n++ * elem_size, 0, elem_size);
}
