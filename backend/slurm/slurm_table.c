#include "backend/slurm/slurm_table.h"

#include <errno.h>
#include <string.h>

#include "src/base/idmap.h"

char *slurm_table_format(const char *word)
{
    static const char *const names[] = {
#define X(name, text) text,
        SLURM_COLUMNS(X)
#undef X
    };
    struct str s = STR_INIT;
    for (size_t i = 0; i < SLURM_N_COLUMNS; i++)
        str_appendf(&s, "%s%s:%s", i ? "," : "", names[i], word);
    return str_take(&s);
}

int slurm_table_next(struct slurm_span *rest, const char *word, struct slurm_row *ret, struct errtext *err)
{
    size_t len = strlen(word);
    if (!rest->n)
        return 0;
    ret->whole = *rest;
    for (size_t i = 0; i < SLURM_N_COLUMNS; i++) {
        const char *end = memmem(rest->p, rest->n, word, len);
        if (!end)
            return err_set(err, -EBADMSG, "the answer of squeue ends within a row");
        ret->columns[i] = (struct slurm_span){rest->p, (size_t)(end - rest->p)};
        rest->n -= ret->columns[i].n + len;
        rest->p = end + len;
    }
    ret->whole.n = (size_t)(rest->p - ret->whole.p);
    if (!rest->n || rest->p[0] != '\n')
        return err_set(err, -EBADMSG, "squeue prints rows of another form");
    rest->p++;
    rest->n--;
    return 1;
}

uint64_t slurm_table_hash(const struct slurm_row *row)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < SLURM_N_COLUMNS; i++)
        hash = hash * UINT64_C(0x9e3779b97f4a7c15) + hash_bytes(row->columns[i].p, row->columns[i].n);
    return hash;
}
