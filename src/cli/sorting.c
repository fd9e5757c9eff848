/* sorting.c - rows by the columns of a listing. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/cli/format.h"

void sorting_fini(struct sorting *s)
{
    vec_fini(&s->items);
}

/* One key of n bytes: a column's name, or letters that follow one another. */
static int push_key(struct sorting *s, const struct columns *cs, const char *key, size_t n, bool down,
                    struct errtext *err)
{
    const struct column *col = n > 1 ? column_by_name(cs, key, n) : NULL;
    if (col) {
        vec_push(&s->items, (struct sort_item){.col = col, .down = down});
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        col = column_by_letter(cs, key[i]);
        if (!col)
            return err_set(err, -EINVAL, "Invalid sort specification: %.*s", (int)n, key);
        vec_push(&s->items, (struct sort_item){.col = col, .down = down});
    }
    return 0;
}

int sorting_parse(struct sorting *s, const struct columns *cs, const char *spec, struct errtext *err)
{
    for (const char *p = spec; *p;) {
        bool down = *p == '-';
        p += *p == '-' || *p == '+';
        size_t n = strcspn(p, ",+-");
        /* names such as tres-alloc hold the sign: take the longer word where it is a column */
        size_t whole = strcspn(p, ",");
        n = whole > n && column_by_name(cs, p, whole) ? whole : n;
        int rc = n ? push_key(s, cs, p, n, down, err) : 0;
        if (rc)
            return rc;
        p += n;
        p += *p == ',';
    }
    return 0;
}

/* A row with its keys: numbers as they are, texts as their first eight bytes and, for ties, where the rest
 * lies. */
struct sort_key {
    uint64_t order;
    size_t text; /* offset into the texts; 0 for numbers */
};

struct sort_cx {
    const struct sorting *s;
    const struct sort_key *keys; /* n_keys for each row */
    const char *texts;
};

static uint64_t text_prefix(const char *s)
{
    uint64_t v = 0;
    for (int i = 0; i < 8; i++) {
        v = v << 8 | (unsigned char)*s;
        s += *s != '\0';
    }
    return v;
}

static int compare_rows(const void *a, const void *b, void *ctx)
{
    const struct sort_cx *cx = ctx;
    size_t n = cx->s->items.n, ia = *(const size_t *)a, ib = *(const size_t *)b;
    for (size_t k = 0; k < n; k++) {
        const struct sort_key *x = &cx->keys[ia * n + k], *y = &cx->keys[ib * n + k];
        int c = x->order < y->order ? -1 : x->order > y->order;
        if (!c && x->text)
            c = strcmp(cx->texts + x->text, cx->texts + y->text);
        if (c)
            return cx->s->items.v[k].down ? -c : c;
    }
    return ia < ib ? -1 : ia > ib; /* stable */
}

void sorting_apply(const struct sorting *s, const void **rows, size_t n, const void *cx)
{
    size_t nk = s->items.n;
    if (!nk || n < 2)
        return;
    struct sort_key *keys = xcalloc(n * nk, sizeof *keys);
    size_t *order = xcalloc(n, sizeof *order);
    struct str texts = STR_INIT;
    str_append_char(&texts, '\0'); /* offset 0 means "a number" */
    for (size_t i = 0; i < n; i++) {
        order[i] = i;
        for (size_t k = 0; k < nk; k++) {
            const struct column *col = s->items.v[k].col;
            struct sort_key *key = &keys[i * nk + k];
            if (col->number) {
                key->order = (uint64_t)col->number(rows[i], cx) ^ UINT64_C(1) << 63;
                continue;
            }
            key->text = texts.len;
            col->get(&texts, rows[i], cx);
            key->order = text_prefix(texts.s + key->text);
            str_append_char(&texts, '\0');
        }
    }
    struct sort_cx scx = {.s = s, .keys = keys, .texts = texts.s};
    qsort_r(order, n, sizeof *order, compare_rows, &scx);
    const void **sorted = xcalloc(n, sizeof *sorted);
    for (size_t i = 0; i < n; i++)
        sorted[i] = rows[order[i]];
    memcpy(rows, sorted, n * sizeof *rows);
    free(sorted);
    free(order);
    free(keys);
    str_fini(&texts);
}
