/* lines.c - lines of a listing and their order. */
#include "src/cli/listing/lines.h"

#include <stdlib.h>

#include "src/cli/ask.h"

#define FLUSH_SIZE (1u << 20)

void listing_lines_init(struct listing_lines *l, const struct sorting *s)
{
    *l = (struct listing_lines){.text = STR_INIT};
    sort_keys_init(&l->keys, s);
}

void listing_lines_fini(struct listing_lines *l)
{
    str_fini(&l->text);
    vec_fini(&l->v);
    vec_fini(&l->ids);
    sort_keys_fini(&l->keys);
}

void listing_lines_begin(struct listing_lines *l, uint32_t id)
{
    l->id = id;
    if (id > l->last_id) {
        l->last_id = id;
        return;
    }
    l->any_again = true;
    vec_for_each (&l->ids, i) /* once in a while: few jobs change while the rows come */
        if (l->ids.v[i] == id)
            l->v.v[i].is_stale = true;
}

static void lines_end_line(struct listing_lines *l)
{
    size_t at = l->v.n ? l->v.v[l->v.n - 1].at + l->v.v[l->v.n - 1].n : 0;
    vec_push(&l->v, (struct listing_line){.at = at, .n = l->text.len - at});
    vec_push(&l->ids, l->id);
}

void listing_lines_end(struct listing_lines *l, const void *row, const void *cx)
{
    lines_end_line(l);
    sort_keys_add(&l->keys, row, cx);
}

void listing_lines_end_alike(struct listing_lines *l)
{
    lines_end_line(l);
    sort_keys_repeat(&l->keys);
}

void listing_lines_print(struct listing_lines *l, const char *between)
{
    size_t *order = sort_keys_order(&l->keys, l->any_again ? l->ids.v : NULL);
    if (!order && !l->any_again && !*between) { /* as it stands */
        out_flush(&l->text);
        return;
    }
    struct str out = STR_INIT;
    bool first = true;
    for (size_t i = 0; i < l->v.n; i++) {
        const struct listing_line *line = &l->v.v[order ? order[i] : i];
        if (line->is_stale)
            continue;
        str_append(&out, first ? "" : between);
        first = false;
        str_append_n(&out, l->text.s + line->at, line->n);
        if (out.len >= FLUSH_SIZE && !out_flush(&out))
            break;
    }
    out_flush(&out);
    str_fini(&out);
    free(order);
}
