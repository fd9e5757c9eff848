/* anyrec.c - random records. */
#include "tests/lib/anyrec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "src/base/xalloc.h"
#include "tests/lib/check.h"

static uint64_t seed;

uint64_t anyrec_random(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

uint32_t anyrec_below(uint32_t n)
{
    return (uint32_t)(anyrec_random() >> 33) % n;
}

void anyrec_set_seed(const char *test)
{
    const char *text = getenv("TEST_SEED");
    seed = text ? strtoull(text, NULL, 0) : (uint64_t)time(NULL) * 2654435761u;
    seed = seed ? seed : 1;
    print_message("%s: TEST_SEED=%" PRIu64 "\n", test, seed);
}

static uint64_t random_number(void)
{
    static const uint64_t edges[] = {0,     1,     127,       128,        255,       256,
                                     65535, 65536, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX};
    return anyrec_below(2) ? edges[anyrec_below(sizeof edges / sizeof edges[0])]
                           : anyrec_random() >> anyrec_below(64);
}

static char *random_text(void)
{
    char text[48];
    uint32_t n = anyrec_below(sizeof text);
    for (uint32_t i = 0; i < n; i++)
        text[i] = (char)(1 + anyrec_below(255));
    return n ? xstrndup(text, n) : xstrdup("");
}

static void fill(const struct rec_desc *d, void *rec, int depth);

static void fill_member(const struct rec_field *f, void *p, int depth)
{
    switch (f->type) {
    case REC_BOOL: *(bool *)p = true; break;
    case REC_U8: *(uint8_t *)p = (uint8_t)random_number(); break;
    case REC_U32: *(uint32_t *)p = (uint32_t)random_number(); break;
    case REC_I32: *(int32_t *)p = (int32_t)random_number(); break;
    case REC_U64: *(uint64_t *)p = random_number(); break;
    case REC_I64: *(int64_t *)p = (int64_t)random_number(); break;
    case REC_F64: *(double *)p = (double)(int64_t)anyrec_random() / 1000; break;
    case REC_STR: *(char **)p = random_text(); break;
    case REC_WALL:
        ((struct wall *)p)->ms = (int64_t)random_number() % (INT64_C(1) << 53);
        break; /* read within that */
    case REC_BLOB: {
        char *text = random_text();
        size_t n = strlen(text);
        if (n)
            *(struct blob *)p = (struct blob){.p = xmemdup(text, n), .n = n};
        free(text);
        break;
    }
    case REC_STRV:
        for (uint32_t n = anyrec_below(4); n; n--)
            strv_push_take(p, random_text());
        break;
    case REC_CPUSET:
        for (uint32_t n = anyrec_below(8); n; n--)
            cpuset_add(p, anyrec_below(CPUSET_MAX));
        break;
    case REC_SUB: fill(f->sub, p, depth); break;
    case REC_LISTOF:
        for (uint32_t n = depth < 6 ? anyrec_below(4) : 0; n; n--)
            fill(f->sub, rec_list_push_any(p, f->sub->size), depth + 1);
        break;
    }
}

static void fill(const struct rec_desc *d, void *rec, int depth)
{
    for (size_t i = 0; i < d->n_fields; i++)
        if (anyrec_below(4))
            fill_member(&d->fields[i], rec_at_mut(&d->fields[i], rec), depth);
}

void *anyrec_new(const struct rec_desc *d)
{
    void *rec = xcalloc(1, d->size);
    fill(d, rec, 0);
    return rec;
}

void anyrec_free(const struct rec_desc *d, void *rec)
{
    rec_fini(d, rec);
    free(rec);
}

void anyrec_fill(const struct rec_desc *d, void *rec)
{
    fill(d, rec, 0);
}
