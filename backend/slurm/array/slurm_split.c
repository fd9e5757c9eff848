#include "backend/slurm/array/slurm_split.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"

#define SPLITS_BY_ID   200  /* squeue compares each id with each job */
#define SPLITS_RELEASE 2302 /* the first one whose squeue may hide them */

enum split_column { SPLIT_ID, SPLIT_ARRAY, SPLIT_INDEX, SPLIT_N };

void slurm_splits_fini(struct slurm_splits *s)
{
    idmap_for_each (&s->by_id, slot)
        free(slot->value);
    idmap_fini(&s->by_id);
    s->n_wanted = 0;
}

bool slurm_splits_hide(const char *release)
{
    char *end;
    if (!release)
        return false;
    unsigned long major = strtoul(release, &end, 10);
    unsigned long minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
    return major * 100 + minor >= SPLITS_RELEASE;
}

static void splits_squeue(struct strv *argv)
{
    static const char *const squeue[] = {"squeue", "--all", "--noheader", "--states=PENDING", "--array"};
    for (size_t i = 0; i < sizeof squeue / sizeof *squeue; i++)
        strv_push(argv, squeue[i]);
}

void slurm_splits_ask(struct strv *argv, const char *word)
{
    static const char *const names[SPLIT_N] = {"JobID", "ArrayJobID", "ArrayTaskID"};
    splits_squeue(argv);
    slurm_columns_ask(argv, names, SPLIT_N, word);
}

/* An id that stands for several elements is that of the array's record. */
static void splits_add(struct slurm_splits *s, const struct slurm_span *columns)
{
    uint32_t id = slurm_u32(&columns[SPLIT_ID], 0), array = slurm_u32(&columns[SPLIT_ARRAY], 0);
    uint32_t index = slurm_u32(&columns[SPLIT_INDEX], UINT32_MAX);
    if (!id || !array || id == array || index == UINT32_MAX || idmap_get(&s->by_id, id))
        return;
    struct slurm_split *split = xcalloc(1, sizeof *split);
    *split = (struct slurm_split){.id = id, .array = array, .index = index};
    idmap_set(&s->by_id, id, split);
}

int slurm_splits_take(struct slurm_splits *s, const struct slurm_span *answer, const char *word,
                      struct errtext *err)
{
    struct slurm_splits new = {0};
    struct slurm_span rest = *answer, columns[SPLIT_N];
    int r;
    while ((r = slurm_columns_next(&rest, word, columns, SPLIT_N, "squeue", err)) > 0)
        splits_add(&new, columns);
    if (r < 0) {
        slurm_splits_fini(&new);
        return r;
    }
    idmap_for_each (&new.by_id, slot) {
        const struct slurm_split *old = idmap_get(&s->by_id, slot->id);
        struct slurm_split *split = slot->value;
        split->has_row = old && old->has_row;
    }
    new.n_wanted = new.by_id.n;
    slurm_splits_fini(s);
    *s = new;
    return 0;
}

static int split_by_id(const void *pa, const void *pb)
{
    const uint32_t *a = pa, *b = pb;
    return (*a > *b) - (*a < *b);
}

static char *splits_ids(const struct slurm_splits *s)
{
    struct str list = STR_INIT;
    uint32_t ids[SPLITS_BY_ID];
    size_t n = 0;
    idmap_for_each (&s->by_id, slot)
        if (n < SPLITS_BY_ID)
            ids[n++] = (uint32_t)slot->id;
    qsort(ids, n, sizeof *ids, split_by_id);
    for (size_t i = 0; i < n; i++)
        str_appendf(&list, "%s%u", i ? "," : "", ids[i]);
    return str_take(&list);
}

void slurm_splits_ask_rows(const struct slurm_splits *s, struct strv *argv, const char *word)
{
    slurm_table_ask(argv, word);
    if (s->by_id.n <= SPLITS_BY_ID) {
        strv_push(argv, "-j");
        strv_push_take(argv, splits_ids(s));
        return;
    }
    strv_push(argv, "--states=PENDING");
    strv_push(argv, "--array");
}

void slurm_splits_asked(struct slurm_splits *s)
{
    s->n_wanted = 0;
}
