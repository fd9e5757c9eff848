#include "backend/slurm/live/slurm_detail.h"

#include <stdlib.h>
#include <string.h>

#include "backend/slurm/slurm_table.h"
#include "src/base/xalloc.h"
#include "src/model/array.h"
#include "src/values/hostlist.h"

/* X(enum member, what squeue --steps -O calls it). The name is the last column, because it may be any
 * text. */
#define DETAIL_COLUMNS(X) \
    X(STEP, "StepID")     \
    X(START, "StartTime") \
    X(TASKS, "NumTasks")  \
    X(NODES, "Nodes")     \
    X(NAME, "StepName")

enum detail_column {
#define X(name, text) DETAIL_##name,
    DETAIL_COLUMNS(X)
#undef X
        DETAIL_N
};

void slurm_detail_ask(struct strv *argv, uint32_t job, const char *word)
{
    static const char *const names[] = {
#define X(name, text) text,
        DETAIL_COLUMNS(X)
#undef X
    };
    strv_push(argv, "squeue");
    strv_push(argv, "--noheader");
    strv_push(argv, "--steps");
    strv_push(argv, "--jobs");
    strv_push_take(argv, xasprintf("%u", job));
    slurm_columns_ask(argv, names, DETAIL_N, word);
}

/* --- steps --- */

bool slurm_detail_step_id(const struct slurm_span *text, int32_t *ret)
{
    const char *dot = memrchr(text->p, '.', text->n);
    if (!dot)
        return false;
    struct slurm_span id = {dot + 1, text->n - (size_t)(dot + 1 - text->p)};
    uint32_t number = slurm_u32(&id, UINT32_MAX);
    *ret = slurm_span_is(&id, "batch")         ? STEP_BATCH
           : slurm_span_is(&id, "interactive") ? STEP_INTERACTIVE
           : number <= INT32_MAX               ? (int32_t)number
                                               : STEP_ALL;
    return *ret != STEP_ALL;
}

/* Slurm does not tell which CPUs of the job a step has; the script has all CPUs of its node. */
static void detail_add_task(struct step *s, const struct job *j, const struct strv *nodes)
{
    const char *node = nodes->n ? nodes->v[0] : "";
    const struct alloc *all = s->id < 0 ? job_alloc_on(j, node) : NULL;
    struct task *t = rec_list_push(&s->tasks);
    t->state = TASK_RUNNING;
    t->n_ranks = 1;
    t->t_start = s->t_start;
    if (all)
        rec_copy(&alloc_rec, &t->alloc, all);
    else
        t->alloc.node = xstrdup(node);
}

static void detail_add_step(struct job *into, const struct job *j, int32_t id,
                            const struct slurm_span *columns)
{
    struct strv nodes = {0};
    char *list = slurm_text(&columns[DETAIL_NODES]);
    if (list && hostlist_expand(list, &nodes, NULL) < 0)
        nodes = (struct strv){0};
    struct step *s = rec_list_push(&into->steps);
    s->id = id;
    s->name = slurm_text_any(&columns[DETAIL_NAME]);
    s->n_tasks = 1;
    s->n_ranks = slurm_u32(&columns[DETAIL_TASKS], 1);
    s->nodes = (uint32_t)nodes.n;
    s->nodelist = list;
    s->t_start = slurm_time(&columns[DETAIL_START]);
    detail_add_task(s, j, &nodes);
    strv_fini(&nodes);
}

static int detail_by_id(const void *pa, const void *pb)
{
    const struct step *a = pa, *b = pb;
    return (a->id > b->id) - (a->id < b->id);
}

int slurm_detail_read_steps(struct job *j, const struct slurm_span *answer, const char *word,
                            struct errtext *err)
{
    struct slurm_span rest = *answer, columns[DETAIL_N];
    struct job *read = job_new();
    int r;
    while ((r = slurm_columns_next(&rest, word, columns, DETAIL_N, "squeue --steps", err)) > 0) {
        int32_t id;
        if (slurm_detail_step_id(&columns[DETAIL_STEP], &id))
            detail_add_step(read, j, id, columns);
    }
    if (r == 0 && read->steps.n) {
        qsort(read->steps.v, read->steps.n, sizeof *read->steps.v, detail_by_id);
        rec_list_free(&step_rec, &j->steps);
        for (size_t i = 0; i < read->steps.n; i++)
            rec_copy(&step_rec, rec_list_push(&j->steps), &read->steps.v[i]);
    }
    job_free(read);
    return r;
}

/* --- devices --- */

/* The part of the line after the texts that a user chooses: the name is before it, and its length is
 * known. */
static struct slurm_span detail_behind_name(const struct job *j, const struct slurm_span *line)
{
    static const char name[] = " JobName=", gres[] = " JOB_GRES=";
    const char *at = memmem(line->p, line->n, name, sizeof name - 1);
    size_t skip =
        at ? (size_t)(at - line->p) + sizeof name - 1 + (j->req.name ? strlen(j->req.name) : 0) : 0;
    struct slurm_span rest = {line->p, 0};
    if (!at || skip >= line->n)
        return rest;
    rest = (struct slurm_span){line->p + skip, line->n - skip};
    at = memmem(rest.p, rest.n, gres, sizeof gres - 1);
    if (!at)
        return (struct slurm_span){line->p, 0};
    return (struct slurm_span){at, rest.n - (size_t)(at - rest.p)};
}

/* "0-3,8". False where it is not a set. */
static bool detail_parse_set(const char *text, struct cpuset *ret)
{
    struct array_spec spec = {0};
    *ret = (struct cpuset){{0}};
    if (!text || array_parse(text, CPUSET_MAX - 1, &spec, NULL) < 0)
        return false;
    for (size_t i = 0; i < spec.ranges.n; i++) {
        const struct index_range *r = &spec.ranges.v[i];
        cpuset_add_range(ret, r->first, r->last - r->first + 1);
    }
    array_spec_fini(&spec);
    return true;
}

/* "gpu:a100:2(IDX:0-1),gpu:v100:1(IDX:3)": the indices of all GPUs. False where it has none. */
static bool detail_indices(const struct slurm_span *gres, struct cpuset *ret)
{
    static const char mark[] = "(IDX:";
    struct slurm_span rest = *gres;
    const char *at;
    bool any = false;
    *ret = (struct cpuset){{0}};
    while ((at = memmem(rest.p, rest.n, mark, sizeof mark - 1))) {
        const char *from = at + sizeof mark - 1, *all_end = rest.p + rest.n;
        const char *end = memchr(from, ')', (size_t)(all_end - from)), *entry = at;
        while (entry > rest.p && entry[-1] != ',')
            entry--;
        struct cpuset some;
        char *text = xstrndup(from, end ? (size_t)(end - from) : 0);
        if (end && strncmp(entry, "gpu", 3) == 0 && detail_parse_set(text, &some)) {
            cpuset_or(ret, &some);
            any = true;
        }
        free(text);
        if (!end)
            break;
        rest = (struct slurm_span){end + 1, (size_t)(all_end - end - 1)};
    }
    return any;
}

/* "Nodes=n[1-2] CPU_IDs=0-3 Mem=100 GRES=gpu:2(IDX:0-1)": the same for each of these nodes. */
static void detail_read_group(struct job *j, const struct slurm_span *group)
{
    struct slurm_span nodes, cpus, mem, gres;
    struct strv names = {0};
    struct cpuset cpu_set, gpu_set;
    char *list = slurm_key(group, "Nodes", &nodes) ? slurm_text(&nodes) : NULL;
    if (!list || hostlist_expand(list, &names, NULL) < 0)
        names = (struct strv){0};
    char *ids = slurm_key(group, "CPU_IDs", &cpus) ? slurm_text(&cpus) : NULL;
    bool has_cpus = detail_parse_set(ids, &cpu_set);
    bool has_gpus = slurm_key(group, "GRES", &gres) && detail_indices(&gres, &gpu_set);
    uint64_t mib = slurm_key(group, "Mem", &mem) ? slurm_mem_mib(&mem, 0) : 0;
    for (size_t i = 0; i < j->alloc.n; i++) {
        struct alloc *a = &j->alloc.v[i];
        if (!strv_has(&names, a->node))
            continue;
        a->cpus = has_cpus ? cpu_set : a->cpus;
        a->gpus = has_gpus ? gpu_set : a->gpus;
        a->mem_mib = mib ? mib : a->mem_mib;
    }
    strv_fini(&names);
    free(list);
    free(ids);
}

void slurm_detail_read_devices(struct job *j, const struct slurm_span *line)
{
    static const char mark[] = " Nodes=";
    struct slurm_span rest = detail_behind_name(j, line);
    const char *at = memmem(rest.p, rest.n, mark, sizeof mark - 1);
    while (at) {
        struct slurm_span group = {at + 1, rest.n - (size_t)(at + 1 - rest.p)};
        const char *next = memmem(group.p, group.n, mark, sizeof mark - 1);
        const char *last = memmem(group.p, group.n, " MinCPUsNode=", 13);
        if (last && (!next || last < next))
            next = NULL;
        if (next || last)
            group.n = (size_t)((next ? next : last) - group.p);
        detail_read_group(j, &group);
        rest = (struct slurm_span){group.p + group.n, rest.n - (size_t)(group.p + group.n - rest.p)};
        at = next;
    }
}
