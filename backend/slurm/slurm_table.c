#include "backend/slurm/slurm_table.h"

#include <errno.h>
#include <string.h>

#include "src/base/idmap.h"

void slurm_columns_ask(struct strv *argv, const char *const *names, size_t n, const char *word)
{
    struct str s = STR_INIT;
    for (size_t i = 0; i < n; i++)
        str_appendf(&s, "%s%s:%s", i ? "," : "", names[i], word);
    strv_push(argv, "-O");
    strv_push_take(argv, str_take(&s));
}

/* The word begins with a byte that few texts have: looking for it alone is much quicker than memmem(). */
static const char *slurm_columns_find(const struct slurm_span *rest, const char *word, size_t len)
{
    const char *p = rest->p, *end = rest->p + rest->n;
    while ((size_t)(end - p) >= len && (p = memchr(p, word[0], (size_t)(end - p) - len + 1))) {
        if (memcmp(p, word, len) == 0)
            return p;
        p++;
    }
    return NULL;
}

int slurm_columns_next(struct slurm_span *rest, const char *word, struct slurm_span *ret, size_t n,
                       const char *command, struct errtext *err)
{
    size_t len = strlen(word);
    if (!rest->n)
        return 0;
    for (size_t i = 0; i < n; i++) {
        const char *end = slurm_columns_find(rest, word, len);
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

void slurm_table_ask(struct strv *argv, const char *word)
{
    static const char *const names[] = {
#define X(name, text) text,
        SLURM_COLUMNS(X)
#undef X
    };
    static const char *const squeue[] = {"squeue", "--all", "--noheader", "--states=all"};
    for (size_t i = 0; i < sizeof squeue / sizeof *squeue; i++)
        strv_push(argv, squeue[i]);
    slurm_columns_ask(argv, names, SLURM_N_COLUMNS, word);
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
