/* gpu_sample.c - one look at the GPUs as text. */
#include "backend/node/gpu_sample.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"

bool gpu_sample_bus(const char *text, char buf[static 32])
{
    unsigned domain, bus, device, function;
    char end;
    if (sscanf(text, " %8x:%2x:%2x.%1x%c", &domain, &bus, &device, &function, &end) != 4)
        return false;
    snprintf(buf, 32, "%04x:%02x:%02x.%x", domain, bus, device, function);
    return true;
}

/* A domain of more than four digits comes behind the others. */
static int by_bus(const void *pa, const void *pb)
{
    const struct gpu_reading *a = *(struct gpu_reading *const *)pa, *b = *(struct gpu_reading *const *)pb;
    size_t la = strlen(a->bus), lb = strlen(b->bus);
    return la != lb ? (la < lb ? -1 : 1) : strcmp(a->bus, b->bus);
}

void gpu_sample_sort(struct gpu_sample *g)
{
    struct gpu_reading *old = xmemdup(g->gpus, g->n_gpus * sizeof *old);
    struct gpu_reading *order[GPU_DEVICES_MAX];
    uint32_t to[GPU_DEVICES_MAX] = {0};
    for (uint32_t i = 0; i < g->n_gpus; i++)
        order[i] = &old[i];
    if (g->n_gpus)
        qsort(order, g->n_gpus, sizeof *order, by_bus);
    for (uint32_t i = 0; i < g->n_gpus; i++) {
        g->gpus[i] = *order[i];
        to[order[i] - old] = i;
    }
    for (uint32_t i = 0; i < g->n_procs; i++)
        g->procs[i].gpu = to[g->procs[i].gpu];
    free(old);
}

void gpu_sample_format(const struct gpu_sample *g, struct str *out)
{
    if (g->way[0])
        str_appendf(out, "way %s\n", g->way);
    if (g->trouble[0])
        str_appendf(out, "trouble %.*s\n", (int)strcspn(g->trouble, "\n"), g->trouble);
    if (g->unnamed)
        str_appendf(out, "unnamed %u\n", g->unnamed);
    for (uint32_t i = 0; i < g->n_gpus; i++) {
        const struct gpu_reading *c = &g->gpus[i];
        str_appendf(out, "card %s %u %u %llu %llu %d %s %s\n", c->bus, c->minor, c->busy_pct,
                    (unsigned long long)c->used_mib, (unsigned long long)c->mib, c->lost,
                    c->uuid[0] ? c->uuid : "-", c->name[0] ? c->name : "-");
    }
    for (uint32_t i = 0; i < g->n_procs; i++)
        str_appendf(out, "proc %u %d\n", g->procs[i].gpu, g->procs[i].pid);
    str_append(out, ".\n");
}

static bool gpu_sample_take_gpu(const char *line, struct gpu_sample *g)
{
    struct gpu_reading c = {0};
    char bus[32];
    unsigned long long used, all;
    unsigned lost;
    if (g->n_gpus == GPU_DEVICES_MAX ||
        sscanf(line, "%31s %u %u %llu %llu %u %95s %95[^\n]", bus, &c.minor, &c.busy_pct, &used, &all,
               &lost, c.uuid, c.name) != 8 ||
        !gpu_sample_bus(bus, c.bus))
        return false;
    c.used_mib = used;
    c.mib = all;
    c.lost = lost != 0;
    if (strcmp(c.uuid, "-") == 0)
        c.uuid[0] = '\0';
    if (strcmp(c.name, "-") == 0)
        c.name[0] = '\0';
    g->gpus[g->n_gpus++] = c;
    return true;
}

static bool gpu_sample_take_proc(const char *line, struct gpu_sample *g)
{
    struct gpu_proc p;
    if (g->n_procs == GPU_PROCS_MAX || sscanf(line, "%u %d", &p.gpu, &p.pid) != 2 || p.gpu >= g->n_gpus ||
        p.pid <= 0)
        return false;
    g->procs[g->n_procs++] = p;
    return true;
}

static bool gpu_sample_take_line(const char *line, struct gpu_sample *g)
{
    if (strncmp(line, "way ", 4) == 0)
        snprintf(g->way, sizeof g->way, "%s", line + 4);
    else if (strncmp(line, "trouble ", 8) == 0)
        snprintf(g->trouble, sizeof g->trouble, "%s", line + 8);
    else if (strncmp(line, "unnamed ", 8) == 0)
        return sscanf(line + 8, "%u", &g->unnamed) == 1;
    else if (strncmp(line, "card ", 5) == 0)
        return gpu_sample_take_gpu(line + 5, g);
    else if (strncmp(line, "proc ", 5) == 0)
        return gpu_sample_take_proc(line + 5, g);
    else
        return strcmp(line, ".") == 0;
    return true;
}

int gpu_sample_parse(const char *text, struct gpu_sample *ret)
{
    memset(ret, 0, sizeof *ret);
    struct strv lines = strv_split(text, "\n");
    bool ok = lines.n && strcmp(lines.v[lines.n - 1], ".") == 0;
    for (size_t i = 0; i < lines.n && ok; i++)
        ok = gpu_sample_take_line(lines.v[i], ret);
    strv_fini(&lines);
    return ok ? 0 : -EBADMSG;
}
