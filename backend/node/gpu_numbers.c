/* gpu_numbers.c - the GPUs of this machine under the numbers that jobs know. */
#include "backend/node/gpu_numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/xalloc.h"

static struct gpu_device *gpu_numbers_find(struct gpu_numbers *c, const char *bus)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (strcmp(c->v[i].is.bus, bus) == 0)
            return &c->v[i];
    return NULL;
}

/* --- strangers --- */

static bool is_on(const struct gpu_sample *g, const struct gpu_proc *p, const struct gpu_device *gpu)
{
    return strcmp(g->gpus[p->gpu].bus, gpu->is.bus) == 0;
}

/* The first stranger stays the one that is named: else each sample would be news. */
static void take_strangers(struct gpu_numbers *c, uint32_t at, const struct gpu_sample *g,
                           gpu_stranger_fn fn, void *ctx)
{
    struct gpu_device *gpu = &c->v[at];
    char text[sizeof gpu->stranger], first[sizeof gpu->stranger] = "";
    int32_t first_pid = 0;
    bool same = false;
    gpu->strangers = 0;
    for (uint32_t i = 0; i < g->n_procs; i++) {
        int32_t pid = g->procs[i].pid;
        if (!is_on(g, &g->procs[i], gpu) || !fn(ctx, at, pid, text, sizeof text))
            continue;
        gpu->strangers++;
        same = same || (gpu->stranger[0] && gpu->stranger_pid == pid);
        if (first_pid)
            continue;
        first_pid = pid;
        memcpy(first, text, sizeof first);
    }
    gpu->clean = gpu->strangers ? 0 : gpu->clean + 1;
    if (gpu->strangers && !same) {
        gpu->stranger_pid = first_pid;
        memcpy(gpu->stranger, first, sizeof gpu->stranger);
    } else if (gpu->clean >= GPU_CLEAN_SAMPLES) {
        gpu->clean = 0;
        gpu->stranger[0] = '\0';
    }
}

/* --- a sample --- */

static bool gpu_numbers_add(struct gpu_numbers *c, const struct gpu_sample *g)
{
    bool grew = false;
    for (uint32_t i = 0; i < c->n; i++)
        c->v[i].lost = true;
    for (uint32_t i = 0; i < g->n_gpus; i++) {
        const struct gpu_reading *seen = &g->gpus[i];
        struct gpu_device *gpu = gpu_numbers_find(c, seen->bus);
        if (!gpu && (c->n == GPU_DEVICES_MAX || (seen->lost && !seen->uuid[0])))
            continue;
        if (!gpu) {
            gpu = &c->v[c->n++];
            *gpu = (struct gpu_device){.is = *seen};
            grew = true;
        }
        gpu->lost = seen->lost;
        if (seen->lost) {
            gpu->is.busy_pct = 0;
            gpu->is.used_mib = 0;
        } else {
            gpu->is = *seen;
        }
    }
    return grew;
}

bool gpu_numbers_take(struct gpu_numbers *c, const struct gpu_sample *g, gpu_stranger_fn fn, void *ctx)
{
    memcpy(c->way, g->way, sizeof c->way);
    memcpy(c->trouble, g->trouble, sizeof c->trouble);
    c->unnamed = g->unnamed;
    if (g->trouble[0]) { /* a driver that fails takes all its GPUs with it */
        for (uint32_t i = 0; i < c->n; i++)
            c->v[i].lost = true;
        return false;
    }
    c->answered = true;
    bool grew = gpu_numbers_add(c, g);
    for (uint32_t i = 0; i < c->n; i++)
        take_strangers(c, i, g, fn, ctx);
    return grew;
}

void gpu_numbers_out(const struct gpu_numbers *c, uint32_t n, struct cpuset *ret_out,
                     struct cpuset *ret_lost, struct strv *notes)
{
    *ret_out = *ret_lost = (struct cpuset){0};
    for (uint32_t i = 0; i < n && i < CPUSET_MAX && (i < c->n || c->answered); i++) {
        const struct gpu_device *gpu = i < c->n ? &c->v[i] : NULL;
        bool lost = !gpu || gpu->lost;
        if (!lost && !gpu->stranger[0])
            continue;
        cpuset_add(ret_out, i);
        if (lost)
            cpuset_add(ret_lost, i);
        strv_push_take(notes, !gpu            ? xasprintf("GPU %u: declared, and not there", i)
                              : c->trouble[0] ? xasprintf("GPU %u: its driver fails: %s", i, c->trouble)
                              : lost          ? xasprintf("GPU %u: lost (%s)", i, gpu->is.bus)
                                              : xasprintf("GPU %u: used by %s", i, gpu->stranger));
    }
}

void gpu_numbers_names(const struct gpu_numbers *c, bool always, struct strv *ret)
{
    bool shifted = always;
    for (uint32_t i = 0; i < c->n; i++)
        shifted = shifted || c->v[i].lost || !c->v[i].is.uuid[0] ||
                  (i && strlen(c->v[i].is.bus) == strlen(c->v[i - 1].is.bus) &&
                   strcmp(c->v[i].is.bus, c->v[i - 1].is.bus) < 0);
    for (uint32_t i = 0; i < c->n && shifted; i++) {
        char number[16];
        snprintf(number, sizeof number, "%u", i);
        strv_push(ret, c->v[i].is.uuid[0] ? c->v[i].is.uuid : number);
    }
}

/* --- over a restart --- */

void gpu_numbers_save(const struct gpu_numbers *c, const char *boot_id, struct str *out)
{
    struct gpu_sample *g = xcalloc(1, sizeof *g);
    for (uint32_t i = 0; i < c->n; i++)
        g->gpus[g->n_gpus++] = c->v[i].is;
    str_appendf(out, "%s\n", boot_id);
    gpu_sample_format(g, out);
    free(g);
}

bool gpu_numbers_load(struct gpu_numbers *c, const char *boot_id, const char *text)
{
    struct gpu_sample *g = xcalloc(1, sizeof *g);
    size_t len = strlen(boot_id);
    memset(c, 0, sizeof *c);
    bool ok =
        strncmp(text, boot_id, len) == 0 && text[len] == '\n' && gpu_sample_parse(text + len + 1, g) == 0;
    for (uint32_t i = 0; ok && i < g->n_gpus; i++)
        c->v[c->n++] = (struct gpu_device){.is = g->gpus[i]};
    free(g);
    return ok;
}
