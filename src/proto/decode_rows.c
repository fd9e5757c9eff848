/* decode_rows.c - the records of a list one by one: into memory that the next one is put into, or with
 * texts that many records share. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/list.h"
#include "src/base/strpool.h"
#include "src/base/xalloc.h"
#include "src/proto/codec.h"
#include "src/proto/decode.h"

#define CHUNK_SIZE (16u << 10)

/* Memory for one record at a time: all of it is free again at once. */
struct arena {
    struct chunk *chunks; /* the newest first */
    size_t left;          /* bytes at the end of it */
};

struct chunk {
    struct chunk *next;
    size_t size;
    char bytes[];
};

static void arena_fini(struct arena *a)
{
    for (struct chunk *c = a->chunks, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    *a = (struct arena){0};
}

/* Keeps the last chunk: the next record is likely to be as large. */
static void arena_clear(struct arena *a)
{
    struct chunk *keep = a->chunks;
    if (!keep)
        return;
    struct arena others = {.chunks = keep->next};
    arena_fini(&others);
    keep->next = NULL;
    a->left = keep->size;
}

static void *arena_take(struct arena *a, size_t n)
{
    n = (n + 15) / 16 * 16;
    if (n > a->left) {
        size_t size = n > CHUNK_SIZE ? n : CHUNK_SIZE;
        struct chunk *c = xmalloc(sizeof *c + size);
        *c = (struct chunk){.next = a->chunks, .size = size};
        a->chunks = c;
        a->left = size;
    }
    char *p = a->chunks->bytes + a->chunks->size - a->left;
    a->left -= n;
    return p;
}

struct codec_rows {
    const struct rec_desc *d;
    size_t left;
    struct decoder c;
    struct arena arena;
    struct strpool *texts;
};

static void *codec_rows_take(struct decoder *c, size_t n)
{
    return arena_take(&container_of(c, struct codec_rows, c)->arena, n);
}

static char *codec_rows_hold(struct decoder *c, const char *s, size_t n)
{
    return strpool_hold(container_of(c, struct codec_rows, c)->texts, s, n);
}

struct codec_rows *codec_rows_new(void)
{
    return xcalloc(1, sizeof(struct codec_rows));
}

void codec_rows_free(struct codec_rows *r)
{
    if (!r)
        return;
    arena_fini(&r->arena);
    free(r);
}

int codec_rows_open(struct codec_rows *r, const struct rec_desc *d, const void *p, size_t n,
                    struct errtext *err)
{
    r->d = d;
    r->left = 0;
    int64_t n_values = decode_open(&r->c, d, p, n, true, err);
    if (n_values < 0)
        return (int)n_values;
    struct value list = n_values ? decode_value(&r->c) : (struct value){.type = VALUE_NIL};
    if (list.type != VALUE_ARRAY && list.type != VALUE_NIL)
        return err_set(err, -EBADMSG, "a list of %s is expected", d->name);
    r->left = list.type == VALUE_ARRAY ? list.n : 0;
    return 0;
}

/* rec is zeroed memory. */
static int next_row(struct codec_rows *r, void *rec, struct errtext *err)
{
    if (!r->left)
        return 0;
    r->left--;
    r->c.err = err;
    const uint8_t *start = r->c.at;
    struct value v = decode_value(&r->c);
    int rc = v.type == VALUE_ARRAY ? decode_record(&r->c, r->d, v.n, rec)
                                   : err_set(err, -EBADMSG, "%s: not a record", r->d->name);
    if (rc >= 0)
        return 1;
    r->c.at = start; /* the next one is found all the same */
    decode_skip(&r->c, 1);
    return rc;
}

int codec_rows_next(struct codec_rows *r, void *rec, struct errtext *err)
{
    memset(rec, 0, r->d->size);
    arena_clear(&r->arena);
    r->c.take = codec_rows_take;
    r->c.hold = NULL;
    int rc = next_row(r, rec, err);
    if (rc < 0)
        memset(rec, 0, r->d->size);
    return rc;
}

size_t codec_rows_left(const struct codec_rows *r)
{
    return r->left;
}

int codec_rows_next_own(struct codec_rows *r, void *rec, struct strpool *texts, struct errtext *err)
{
    r->c.take = NULL;
    r->c.hold = texts ? codec_rows_hold : NULL;
    r->texts = texts;
    return next_row(r, rec, err);
}
