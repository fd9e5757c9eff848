/* table_sort.c - the rows of a table in the order of a column.
 *
 * Sorting is a key's work, so it must be done within a frame: values become numbers that compare in the
 * same way, a radix sort puts them in order and keeps the order of equals, and only texts that begin alike
 * are looked at again. What has no number, where others have one, goes to the end, whatever the direction.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "src/base/str.h"
#include "src/base/vec.h"
#include "ui/table/radix.h"
#include "ui/table/table_private.h"

struct family {
    uint32_t from, n; /* rows in the unsorted list */
    uint32_t text_at; /* in the pool */
};

struct table_sorting {
    VEC(struct family) families;
    VEC(struct radix_key) nums, texts; /* what: in families */
    struct str pool;                   /* texts, one behind the other */
};

static unsigned table_sort_fold(char letter)
{
    unsigned c = (unsigned char)letter;
    return c >= 'A' && c <= 'Z' ? c + 32u : c;
}

/* The first letters, folded. */
static uint64_t prefix_of(const char *s)
{
    uint64_t p = 0;
    for (int i = 0; i < 8; i++) {
        p = p << 8 | table_sort_fold(*s);
        s += *s != '\0';
    }
    return p;
}

static const char *table_sort_text_of(const struct table_sorting *s, const struct radix_key *k)
{
    return s->pool.s + s->families.v[k->what].text_at;
}

/* Names often begin alike, paths always: the letters behind that decide. */
static void take_prefixes(struct table_sorting *s)
{
    const char *first = s->texts.n ? table_sort_text_of(s, &s->texts.v[0]) : "";
    size_t common = strlen(first);
    for (size_t i = 1; i < s->texts.n && common; i++) {
        const char *other = table_sort_text_of(s, &s->texts.v[i]);
        size_t n = 0;
        while (n < common && table_sort_fold(other[n]) == table_sort_fold(first[n]))
            n++;
        common = n;
    }
    vec_for_each (&s->texts, i)
        s->texts.v[i].value = prefix_of(table_sort_text_of(s, &s->texts.v[i]) + common);
}

/* IEEE numbers compare like whole ones once the sign is turned round. */
static uint64_t order_of(double num)
{
    uint64_t bits;
    num += 0.0; /* one zero, not two */
    memcpy(&bits, &num, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

struct text_order {
    const struct table_sorting *s;
    bool reverse;
};

static int compare_texts(const void *pa, const void *pb, void *ctx)
{
    const struct text_order *o = ctx;
    const struct radix_key *a = pa, *b = pb;
    const char *x = table_sort_text_of(o->s, a), *y = table_sort_text_of(o->s, b);
    int rc = strcasecmp(x, y);
    rc = rc ? rc : strcmp(x, y);
    rc = o->reverse ? -rc : rc;
    return rc ? rc : (a->what > b->what) - (a->what < b->what);
}

/* Runs whose first letters are the same, but for those that are the same altogether. */
static void settle_texts(struct table_sorting *s, bool reverse)
{
    struct text_order o = {.s = s, .reverse = reverse};
    struct radix_key *v = s->texts.v;
    for (size_t i = 0; i < s->texts.n;) {
        const char *first = table_sort_text_of(s, &v[i]);
        size_t end = i + 1;
        bool alike = true;
        for (; end < s->texts.n && v[end].value == v[i].value; end++)
            alike = alike && strcmp(first, table_sort_text_of(s, &v[end])) == 0;
        if (!alike)
            qsort_r(v + i, end - i, sizeof *v, compare_texts, &o);
        i = end;
    }
}

/* The text is not made where it is not looked at: where the row in front had a number this one has, too. */
static const struct table_field *sort_field(struct table *t, const struct trow *row)
{
    struct rich *text = &t->field.text;
    text->mute = t->field.has_num;
    const struct table_field *f = table_field(t, row, (size_t)t->sort, 0);
    bool again = text->mute && !f->has_num;
    text->mute = false;
    return again ? table_field(t, row, (size_t)t->sort, 0) : f;
}

/* Of the fields taken since t->ticked was cleared: is their order another in a moment? */
static bool moves_with_time(const struct table *t)
{
    return t->ticked && !(t->cols[t->sort].flags & COLUMN_STEADY);
}

static void collect_keys(struct table *t, struct table_sorting *s)
{
    t->ticked = false;
    vec_reserve(&s->families, t->n_top);
    vec_reserve(&s->nums, t->n_top); /* room that is not used costs no memory */
    vec_reserve(&s->texts, t->n_top);
    for (size_t i = 0; i < t->shown.n; i++) {
        if (i && table_shown(t, i)->depth > 0) {
            s->families.v[s->families.n - 1].n++;
            continue;
        }
        if (i + TABLE_AHEAD < t->shown.n)
            table_fetch(t, table_shown(t, i + TABLE_AHEAD));
        const struct table_field *f = sort_field(t, table_shown(t, i));
        struct radix_key key = {.what = (uint32_t)s->families.n,
                                .value = f->has_num ? order_of(f->num + f->minor) : 0};
        vec_push(&s->families,
                 (struct family){.from = (uint32_t)i, .n = 1, .text_at = (uint32_t)s->pool.len});
        if (f->has_num) {
            vec_push(&s->nums, key);
        } else {
            str_append_n(&s->pool, f->text.text.s, f->text.text.len + 1);
            vec_push(&s->texts, key);
        }
    }
    t->order_ticks = moves_with_time(t);
}

void table_sort_shown(struct table *t)
{
    struct table_sorting s = {.pool = STR_INIT};
    collect_keys(t, &s);
    radix_sort(s.nums.v, s.nums.n, t->reverse);
    take_prefixes(&s);
    radix_sort(s.texts.v, s.texts.n, t->reverse);
    settle_texts(&s, t->reverse);
    uint32_t *sorted = t->shown.n ? xreallocarray(NULL, t->shown.n, sizeof *sorted) : NULL;
    size_t at = 0;
    for (size_t i = 0; i < s.nums.n + s.texts.n; i++) {
        const struct radix_key *k = i < s.nums.n ? &s.nums.v[i] : &s.texts.v[i - s.nums.n];
        const struct family *f = &s.families.v[k->what];
        memcpy(sorted + at, t->shown.v + f->from, f->n * sizeof *sorted);
        at += f->n;
    }
    if (sorted)
        memcpy(t->shown.v, sorted, t->shown.n * sizeof *sorted);
    free(sorted);
    vec_fini(&s.families);
    vec_fini(&s.nums);
    vec_fini(&s.texts);
    str_fini(&s.pool);
}

/* --- where few have changed --- */

#define FEW 64 /* families that are put in their places one by one, whatever the number of all */

struct resort {
    struct table *t;
    VEC(struct family) families; /* of what is shown now, in the natural order */
    struct trow_numbers stay;    /* those that have not changed, in the order that they have had */
    struct trow_numbers come;    /* the others */
    bool *stays;                 /* by family */
    struct table_field a;
};

static void table_sort_fetch(const struct resort *r, uint32_t family)
{
    struct table *t = r->t;
    table_field(t, table_shown(t, r->families.v[family].from), (size_t)t->sort, 0);
}

/* What is in r->a, of that family, against another. */
static int compare_with(const struct resort *r, uint32_t a_family, uint32_t b_family)
{
    table_sort_fetch(r, b_family);
    const struct table_field *a = &r->a, *b = &r->t->field;
    int rc = 0;
    if (a->has_num != b->has_num)
        return a->has_num ? -1 : 1;
    if (a->has_num) {
        uint64_t x = order_of(a->num + a->minor), y = order_of(b->num + b->minor);
        rc = (x > y) - (x < y);
    } else {
        rc = strcasecmp(a->text.text.s, b->text.text.s);
        rc = rc ? rc : strcmp(a->text.text.s, b->text.text.s);
    }
    rc = r->t->reverse ? -rc : rc;
    return rc ? rc : (a_family > b_family) - (a_family < b_family);
}

/* Takes the value of a family out for compare_with. */
static void table_sort_take_value(struct resort *r, uint32_t family)
{
    table_sort_fetch(r, family);
    struct table_field other = r->a;
    r->a = r->t->field;
    r->t->field = other;
}

/* Where the family goes among n that are in order. */
static size_t table_sort_place_of(struct resort *r, uint32_t family, const uint32_t *in, size_t n)
{
    size_t from = 0, to = n;
    table_sort_take_value(r, family);
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        if (compare_with(r, family, in[mid]) < 0)
            to = mid;
        else
            from = mid + 1;
    }
    return from;
}

/* Families of what is shown; which of them have not changed, in the order of before. */
static void table_sort_divide(struct resort *r, const struct trow_numbers *old, const uint32_t *now)
{
    struct table *t = r->t;
    uint32_t *family_of = xreallocarray(NULL, t->rows.n, sizeof *family_of); /* by row */
    for (size_t i = 0; i < t->rows.n; i++)
        family_of[i] = TABLE_NO_ROW;
    for (size_t i = 0; i < t->shown.n; i++) {
        if (i && table_shown(t, i)->depth > 0) {
            r->families.v[r->families.n - 1].n++;
            continue;
        }
        family_of[t->shown.v[i]] = (uint32_t)r->families.n;
        vec_push(&r->families, (struct family){.from = (uint32_t)i, .n = 1});
    }
    r->stays = xcalloc(r->families.n, sizeof *r->stays);
    for (size_t i = 0; i < old->n; i++) {
        uint32_t row = now[old->v[i]], family = row == TABLE_NO_ROW ? TABLE_NO_ROW : family_of[row];
        if (family == TABLE_NO_ROW)
            continue;
        r->stays[family] = true;
        vec_push(&r->stay, family);
    }
    vec_for_each (&r->families, f)
        if (!r->stays[f])
            vec_push(&r->come, (uint32_t)f);
    free(family_of);
}

static size_t table_sort_put(const struct resort *r, uint32_t *to, const uint32_t *families, size_t n)
{
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        const struct family *f = &r->families.v[families[i]];
        memcpy(to + at, r->t->shown.v + f->from, f->n * sizeof *to);
        at += f->n;
    }
    return at;
}

/* Those that come, in order, go between those that stay. */
static void table_sort_merge(struct resort *r)
{
    struct table *t = r->t;
    uint32_t *sorted = xreallocarray(NULL, t->shown.n, sizeof *sorted);
    size_t stay = 0, at = 0;
    for (size_t i = 0; i < r->come.n; i++) {
        size_t until = table_sort_place_of(r, r->come.v[i], r->stay.v, r->stay.n);
        at += table_sort_put(r, sorted + at, r->stay.v + stay, until - stay);
        at += table_sort_put(r, sorted + at, r->come.v + i, 1);
        stay = until;
    }
    table_sort_put(r, sorted + at, r->stay.v + stay, r->stay.n - stay);
    if (!moves_with_time(t))
        memcpy(t->shown.v, sorted, t->shown.n * sizeof *sorted);
    free(sorted);
}

bool table_sort_changed(struct table *t, const struct trow_numbers *old, const uint32_t *now)
{
    struct resort r = {.t = t};
    if (t->order_ticks)
        return false;
    field_init(&r.a);
    table_sort_divide(&r, old, now);
    t->ticked = false;
    bool few = r.come.n <= FEW + r.families.n / 64;
    for (size_t i = 1; few && i < r.come.n; i++) { /* each among those in front of it */
        uint32_t family = r.come.v[i];
        size_t to = table_sort_place_of(&r, family, r.come.v, i);
        memmove(r.come.v + to + 1, r.come.v + to, (i - to) * sizeof *r.come.v);
        r.come.v[to] = family;
    }
    if (few && t->shown.n)
        table_sort_merge(&r);
    field_fini(&r.a);
    vec_fini(&r.families);
    vec_fini(&r.stay);
    vec_fini(&r.come);
    free(r.stays);
    return few && !moves_with_time(t);
}
