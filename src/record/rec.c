/* rec.c - records: their members, freeing. */
#include "src/record/rec.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/err.h"
#include "src/base/xalloc.h"
#include "src/record/rec_box.h"

/* What every member that no box has been made for reads as. */
static const struct {
    _Alignas(16) char bytes[sizeof(struct cpuset)];
} unset;

const void *rec_at(const struct rec_field *f, const void *rec)
{
    if (!f->box_size)
        return (const char *)rec + f->offset;
    const char *box = rec_box_in(f, rec);
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
    return (char *)(f->box_size ? rec_box_any(rec_box_of(f, rec), f->box_size) : rec) + f->offset;
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
        if (rec_type_owns(f->type))
            field_fini(f, rec_at_mut(f, rec));
    }
    for (size_t i = 0; has_boxes && i < d->n_fields; i++)
        if (d->fields[i].box_size) {
            void **box = rec_box_of(&d->fields[i], rec);
            free(*box);
            *box = NULL;
        }
    memset(rec, 0, d->size);
}

void *rec_list_push_any(struct rec_list_any *list, size_t elem_size)
{
    /* Full exactly at the powers of two: then it doubles. */
    if ((list->n & (list->n - 1)) == 0)
        list->v = xreallocarray(list->v, list->n ? list->n * 2 : 1, elem_size);
    return memset((char *)list->v + list->n++ * elem_size, 0, elem_size);
}
