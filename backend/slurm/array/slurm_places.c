#include "backend/slurm/array/slurm_places.h"

#include <stdlib.h>

#include "src/base/xalloc.h"

void slurm_places_fini(struct row_places *r)
{
    vec_fini(&r->v);
    idmap_for_each (&r->arrays, slot) {
        slurm_array_fini(slot->value);
        free(slot->value);
    }
    idmap_fini(&r->arrays);
}

static void places_add_to_array(struct row_places *r, uint32_t id, const struct slurm_row *row)
{
    struct slurm_array *a = idmap_get(&r->arrays, id);
    if (!a) {
        a = xcalloc(1, sizeof *a);
        idmap_set(&r->arrays, id, a);
    }
    slurm_array_add(a, row);
}

static int places_by_id(const void *pa, const void *pb)
{
    const struct row_place *a = pa, *b = pb;
    return (a->id > b->id) - (a->id < b->id);
}

int slurm_places_find(const struct slurm_span *answer, const char *word, struct row_places *ret,
                      struct errtext *err)
{
    struct slurm_span rest = *answer;
    struct slurm_row row;
    int r;
    while ((r = slurm_table_next(&rest, word, &row, err)) > 0) {
        bool single;
        uint32_t array = slurm_job_array(&row, &single), id = slurm_job_id(&row);
        if (array)
            places_add_to_array(ret, array, &row);
        if (id)
            vec_push(&ret->v, ((struct row_place){.id = id, .text = {row.whole.p, row.whole.n + 1}}));
    }
    if (ret->v.n)
        qsort(ret->v.v, ret->v.n, sizeof *ret->v.v, places_by_id);
    return r;
}

bool slurm_places_has(const struct row_places *rows, uint32_t id)
{
    struct row_place key = {.id = id};
    return rows->v.n && bsearch(&key, rows->v.v, rows->v.n, sizeof key, places_by_id);
}
