#include "backend/slurm/slurm_table.h"

#include <errno.h>
#include <string.h>

#include "src/base/idmap.h"

char *slurm_columns_format(const char *const *names, size_t n, const char *word)
{
    struct str s = STR_INIT;
    for (size_t i = 0; i < n; i++)
        str_appendf(&s, "%s%s:%s", i ? "," : "", names[i], word);
    return str_take(&s);
}

int slurm_columns_next(struct slurm_span *rest, const char *word, struct slurm_span *ret, size_t n,
                       const char *command, struct errtext *err)
{
    size_t len = strlen(word);
    if (!rest->n)
        return 0;
    for (size_t i = 0; i < n; i++) {
        const char *end = memmem(rest->p, rest->n, word, len);
        if (!end)
            return err_set(err, -EBADMSG, "the answer of %s ends within a row", command);
        ret[i] = (struct slurm_span){rest->p, (size_t)(end - rest->p)};
        rest->n -= ret[i].n + len;
        rest->p = end + len;
    }
    if (!rest->n || rest->p[0] != '\n')
        return err_set(err, -EBADMSG, "%s prints rows of another form", command);
    rest->p++;
    rest->n--;
    return 1;
}

char *slurm_table_format(const char *word)
{
    static const char *const names[] = {
#define X(name, text) text,
        SLURM_COLUMNS(X)
#undef X
    };
    return slurm_columns_format(names, SLURM_N_COLUMNS, word);
}

int slurm_table_next(struct slurm_span *rest, const char *word, struct slurm_row *ret, struct errtext *err)
{
    ret->whole.p = rest->p;
    int r = slurm_columns_next(rest, word, ret->columns, SLURM_N_COLUMNS, "squeue", err);
    if (r > 0)
        ret->whole.n = (size_t)(rest->p - 1 - ret->whole.p);
    return r;
}

uint64_t slurm_table_hash(const struct slurm_row *row)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < SLURM_N_COLUMNS; i++)
        hash = hash * UINT64_C(0x9e3779b97f4a7c15) + hash_bytes(row->columns[i].p, row->columns[i].n);
    return hash;
}
