/* free_index.c - the nodes by the CPUs and GPUs that are free on them. */
#include "backend/sched/resources/free_index.h"

#include <stdlib.h>

#include "src/base/xalloc.h"

#define CPU_LEVELS 11 /* 1, 2, 4 ... 1024 */
#define GPU_LEVELS 5  /* 1, 2, 4, 8, 16 */

void free_index_init(struct free_index *x, uint32_t n_nodes)
{
    *x = (struct free_index){.words = (n_nodes + 63) / 64};
    x->bits = xcalloc((size_t)(CPU_LEVELS + GPU_LEVELS) * (x->words ? x->words : 1), sizeof *x->bits);
}

void free_index_fini(struct free_index *x)
{
    free(x->bits);
    *x = (struct free_index){0};
}

/* How many levels n reaches. */
static uint32_t free_index_level(int64_t n, uint32_t levels)
{
    if (n < 1)
        return 0;
    uint32_t level = 64 - (uint32_t)__builtin_clzll((uint64_t)n);
    return level < levels ? level : levels;
}

static void free_index_set(struct free_index *x, uint32_t first, uint32_t node, uint32_t before,
                           uint32_t after)
{
    uint32_t low = before < after ? before : after, high = before < after ? after : before;
    for (uint32_t i = low; i < high; i++)
        x->bits[(size_t)(first + i) * x->words + node / 64] ^= UINT64_C(1) << node % 64;
}

void free_index_move(struct free_index *x, uint32_t node, struct amount before, struct amount after)
{
    free_index_set(x, 0, node, free_index_level(before.cpus, CPU_LEVELS),
                   free_index_level(after.cpus, CPU_LEVELS));
    free_index_set(x, CPU_LEVELS, node, free_index_level(before.gpus, GPU_LEVELS),
                   free_index_level(after.gpus, GPU_LEVELS));
}

struct free_rows free_index_rows(const struct free_index *x, int64_t cpus, int64_t gpus)
{
    uint32_t c = free_index_level(cpus, CPU_LEVELS), g = free_index_level(gpus, GPU_LEVELS);
    return (struct free_rows){
        .cpus = &x->bits[(size_t)(c ? c - 1 : 0) * x->words],
        .gpus = g ? &x->bits[(size_t)(CPU_LEVELS + g - 1) * x->words] : NULL,
    };
}
