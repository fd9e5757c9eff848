/* rec.h - records: structs that describe themselves.
 *
 * One table per struct names its members, their types and where they are. From it come the wire form and
 * the stored form (src/proto/codec), JSON, copying, comparing and freeing. A member is added at the END of
 * its table, never taken out: a reader of an older form leaves what it does not get at zero, an older
 * reader skips what it does not know.
 *
 *     struct ping { uint32_t n; char *text; };
 *     #define PING_FIELDS(F, G, S) F(S, U32, n) F(S, STR, text)
 *     REC_DEFINE(ping, PING_FIELDS)            // gives `const struct rec_desc ping_rec`
 *
 * Members that few records have set can stand in a box: a struct of its own that the record points to, NULL
 * as long as all of them are unset. On the wire and in JSON they are members like all others.
 *
 *     struct ping_rare { char *comment; };
 *     struct ping { uint32_t n; char *text; struct ping_rare *rare; };
 *     #define PING_FIELDS(F, G, S) F(S, U32, n) F(S, STR, text) G(S, BOXED, rare, STR, comment)
 *
 * Owns: a record owns every string, list, blob and box in it; rec_fini frees them and zeroes the struct.
 */
#ifndef STOKER_RECORD_REC_H
#define STOKER_RECORD_REC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/cpuset.h"
#include "src/base/str.h"
#include "src/base/time.h"

struct blob {
    uint8_t *p;
    size_t n;
};

/* C type of each record type. LIST members are REC_LIST(struct sub); SUB members are the struct itself. */
#define REC_TYPES(X)     \
    X(BOOL, bool)        \
    X(U8, uint8_t)       \
    X(U32, uint32_t)     \
    X(I32, int32_t)      \
    X(U64, uint64_t)     \
    X(I64, int64_t)      \
    X(F64, double)       \
    X(STR, char *)       \
    X(BLOB, struct blob) \
    X(STRV, struct strv) \
    X(WALL, struct wall) \
    X(CPUSET, struct cpuset)

enum rec_type {
#define X(name, ctype) REC_##name,
    REC_TYPES(X)
#undef X
        REC_SUB, /* an embedded struct */
    REC_LISTOF,  /* REC_LIST of structs */
};

#define X(name, ctype) typedef ctype rec_ctype_##name;
REC_TYPES(X)
#undef X

struct rec_field {
    const char *name;
    enum rec_type type;
    size_t offset;              /* in the record, or in its box */
    const struct rec_desc *sub; /* SUB and LISTOF */
    size_t box, box_size;       /* where the record points to its box; box_size 0: it stands in none */
};

struct rec_desc {
    const char *name;
    size_t size;
    const struct rec_field *fields;
    size_t n_fields;
};

/* A list of records: v is an array of n structs. Only rec_list_push and rec_copy make room in it: they know
 * by n how much there is, so an array that was allocated otherwise must not be pushed to. */
#define REC_LIST(type) \
    struct {           \
        type *v;       \
        size_t n;      \
    }
struct rec_list_any { /* the shape of every REC_LIST */
    void *v;
    size_t n;
};

/* The offset of member. It must have the C type that the table says: a wrong one does not compile. */
#define REC_OFFSET(S, member, expr, ctype) \
    (offsetof(S, member) +                 \
     0 * sizeof(char[__builtin_types_compatible_p(__typeof__(((S *)NULL)->expr), ctype) ? 1 : -1]))
#define REC_OFFSET_SUB(S, member, ctype)    REC_OFFSET(S, member, member, ctype)
#define REC_OFFSET_LISTOF(S, member, ctype) REC_OFFSET(S, member, member.v[0], ctype)

#define REC_FIELD(S, T, member) \
    {.name = #member, .type = REC_##T, .offset = REC_OFFSET(S, member, member, rec_ctype_##T), .sub = NULL},
#define REC_NESTED(S, T, ...) REC_NESTED_##T(S, __VA_ARGS__)
#define REC_NESTED_OF(S, T, member, desc)              \
    {.name = #member,                                  \
     .type = REC_##T,                                  \
     .offset = REC_OFFSET_##T(S, member, struct desc), \
     .sub = &desc##_rec},
#define REC_NESTED_SUB(S, member, desc)    REC_NESTED_OF(S, SUB, member, desc)
#define REC_NESTED_LISTOF(S, member, desc) REC_NESTED_OF(S, LISTOF, member, desc)

#define REC_BOX(S, ptr) __typeof__(*((S *)NULL)->ptr)
#define REC_NESTED_BOXED(S, ptr, T, member)                                          \
    {.name = #member,                                                                \
     .type = REC_##T,                                                                \
     .offset = REC_OFFSET(REC_BOX(S, ptr), member, member, rec_ctype_##T),           \
     .box = offsetof(S, ptr),                                                        \
     .box_size = sizeof(REC_BOX(S, ptr))},
#define REC_NESTED_BOXED_LISTOF(S, ptr, member, desc)                                \
    {.name = #member,                                                                \
     .type = REC_LISTOF,                                                             \
     .offset = REC_OFFSET_LISTOF(REC_BOX(S, ptr), member, struct desc),              \
     .sub = &desc##_rec,                                                             \
     .box = offsetof(S, ptr),                                                        \
     .box_size = sizeof(REC_BOX(S, ptr))},

/* FIELDS(F, G, S): F(S, TYPE, member) for plain members, G(S, SUB|LISTOF, member, record) for nested ones,
 * G(S, BOXED, box, TYPE, member) and G(S, BOXED_LISTOF, box, member, record) for what stands in a box. */
#define REC_DEFINE(tag, FIELDS)                                                                        \
    static const struct rec_field tag##_rec_fields[] = {FIELDS(REC_FIELD, REC_NESTED, struct tag)};    \
    const struct rec_desc tag##_rec = {.name = #tag,                                                   \
                                       .size = sizeof(struct tag),                                     \
                                       .fields = tag##_rec_fields,                                     \
                                       .n_fields = sizeof tag##_rec_fields / sizeof tag##_rec_fields[0]};

/* Where a member of rec is, to be read: what is not set has no box, all bytes there are zero. */
const void *rec_at(const struct rec_field *f, const void *rec);
/* To be written: with a box where there was none. */
void *rec_at_mut(const struct rec_field *f, void *rec);
/* Frees the elements of a REC_LIST; it is empty then. */
void rec_list_free(const struct rec_desc *d, void *list);
/* The box at *box, made if there is none yet. Call it before you write a member of a box. */
#define rec_box(box) ((__typeof__(*(box)))rec_box_any((void **)(box), sizeof **(box)))
void *rec_box_any(void **box, size_t size);

/* Frees what rec owns and zeroes it. */
void rec_fini(const struct rec_desc *d, void *rec);
/* Makes dst, taken as uninitialised memory, a deep copy of src. */
void rec_copy(const struct rec_desc *d, void *dst, const void *src);
bool rec_eq(const struct rec_desc *d, const void *a, const void *b);
/* Shows fn each STR member of rec and of what is nested in it, to be looked at or replaced; no item of a
 * STRV. */
void rec_each_text(const struct rec_desc *d, void *rec, void (*fn)(void *ctx, char **text), void *ctx);
/* Appends a zeroed element to a REC_LIST and returns it; pointers into the list are void afterwards. */
void *rec_list_push_any(struct rec_list_any *list, size_t elem_size);
#define rec_list_push(list) \
    ((__typeof__((list)->v))rec_list_push_any((struct rec_list_any *)(void *)(list), sizeof *(list)->v))

/* Appends rec as one JSON object; member names are the keys. NULL strings become null, times are
 * milliseconds since the Epoch (unset: 0), cpusets "0-3", blobs base64, numbers that JSON does not have
 * null. */
void rec_to_json(const struct rec_desc *d, const void *rec, struct str *out);

#endif
