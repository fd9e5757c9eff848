/* sorting.c - rows by the columns of a listing. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"
#include "src/cli/listing/format.h"

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
            return err_set(err, -EINVAL, "Invalid sort specification: %c", key[i]);
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

static uint64_t text_prefix(const char *s)
{
    uint64_t v = 0;
    for (int i = 0; i < 8; i++) {
        v = v << 8 | (unsigned char)*s;
        s += *s != '\0';
    }
    return v;
}

void sort_keys_init(struct sort_keys *k, const struct sorting *s)
{
    *k = (struct sort_keys){.s = s, .texts = STR_INIT};
    str_append_char(&k->texts, '\0'); /* offset 0 means "a number" */
}

void sort_keys_fini(struct sort_keys *k)
{
    vec_fini(&k->v);
    str_fini(&k->texts);
}

/* The text at the end of the texts. One that is the same as in the row before is not kept twice: then equal
 * keys are seen to be equal without looking at them. */
static struct sort_key sorting_text_key(struct sort_keys *k, size_t at)
{
    size_t nk = k->s->items.n;
    const struct sort_key *above = k->v.n >= nk ? &k->v.v[k->v.n - nk] : NULL;
    if (above && above->text && strcmp(k->texts.s + above->text, k->texts.s + at) == 0) {
        str_truncate(&k->texts, at);
        return *above;
    }
    struct sort_key key = {.order = text_prefix(k->texts.s + at), .text = at};
    str_append_char(&k->texts, '\0');
    return key;
}

void sort_keys_add(struct sort_keys *k, const void *row, const void *cx)
{
    vec_for_each (&k->s->items, i) {
        const struct column *col = k->s->items.v[i].col;
        if (col->number) {
            vec_push(&k->v, (struct sort_key){.order = (uint64_t)col->number(row, cx) ^ UINT64_C(1) << 63});
            continue;
        }
        size_t at = k->texts.len;
        col->get(&k->texts, row, cx);
        struct sort_key key = sorting_text_key(k, at);
        vec_push(&k->v, key);
    }
    k->n++;
}

void sort_keys_repeat(struct sort_keys *k)
{
    size_t nk = k->s->items.n;
    vec_reserve(&k->v, k->v.n + nk);
    for (size_t i = 0; i < nk; i++, k->v.n++)
        k->v.v[k->v.n] = k->v.v[k->v.n - nk];
    k->n++;
}

struct sort_cx {
    const struct sort_keys *k;
    const uint32_t *ties;
};

static int compare_rows(const void *a, const void *b, void *ctx)
{
    const struct sort_cx *cx = ctx;
    const struct sort_keys *keys = cx->k;
    size_t n = keys->s->items.n, ia = *(const size_t *)a, ib = *(const size_t *)b;
    for (size_t i = 0; i < n; i++) {
        const struct sort_key *x = &keys->v.v[ia * n + i], *y = &keys->v.v[ib * n + i];
        int c = x->order < y->order ? -1 : x->order > y->order;
        if (!c && x->text != y->text)
            c = strcmp(keys->texts.s + x->text, keys->texts.s + y->text);
        if (c)
            return keys->s->items.v[i].down ? -c : c;
    }
    if (cx->ties && cx->ties[ia] != cx->ties[ib])
        return cx->ties[ia] < cx->ties[ib] ? -1 : 1;
    return ia < ib ? -1 : ia > ib; /* stable */
}

size_t *sort_keys_order(const struct sort_keys *k, const uint32_t *ties)
{
    struct sort_cx cx = {.k = k, .ties = ties};
    size_t *order = xcalloc(k->n + 1, sizeof *order);
    bool sorted = true;
    for (size_t i = 0; i < k->n; i++) {
        order[i] = i;
        sorted = sorted && (!i || compare_rows(&order[i - 1], &order[i], &cx) < 0);
    }
    if (sorted) {
        free(order);
        return NULL;
    }
    qsort_r(order, k->n, sizeof *order, compare_rows, &cx);
    return order;
}

void sorting_apply(const struct sorting *s, const void **rows, size_t n, const void *cx)
{
    if (!s->items.n || n < 2)
        return;
    struct sort_keys keys;
    sort_keys_init(&keys, s);
    for (size_t i = 0; i < n; i++)
        sort_keys_add(&keys, rows[i], cx);
    size_t *order = sort_keys_order(&keys, NULL);
    if (order) {
        const void **sorted = xcalloc(n, sizeof *sorted);
        for (size_t i = 0; i < n; i++)
            sorted[i] = rows[order[i]];
        memcpy(rows, sorted, n * sizeof *rows);
        free(sorted);
        free(order);
    }
    sort_keys_fini(&keys);
}
