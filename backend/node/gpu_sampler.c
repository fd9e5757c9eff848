/* gpu_sampler.c - looks at the GPUs when asked. */
#include "backend/node/gpu_sampler.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/node/nvml.h"
#include "backend/task/proc.h"
#include "src/base/xalloc.h"
#include "src/os/file.h"

#define PCI_DEVICES "/sys/bus/pci/devices"
#define NVIDIA      "0x10de"
#define DISPLAY     "0x03" /* class: display controllers, those without a display too */

#define SMI_GPUS                                                                                 \
    "nvidia-smi --query-gpu=pci.bus_id,uuid,utilization.gpu,memory.used,memory.total,name " \
    "--format=csv,noheader,nounits"
#define SMI_PROCS "nvidia-smi --query-compute-apps=gpu_bus_id,pid --format=csv,noheader,nounits"

/* --- is there anything to look at --- */

static bool gpu_sampler_begins(const char *device, const char *file, const char *with)
{
    char path[300], text[32];
    snprintf(path, sizeof path, PCI_DEVICES "/%.200s/%s", device, file);
    return proc_read_file(path, text, sizeof text) > 0 && strncmp(text, with, strlen(with)) == 0;
}

bool gpu_sampler_is_needed(void)
{
    if (access("/dev/nvidiactl", F_OK) == 0)
        return true;
    DIR *d = opendir(PCI_DEVICES);
    bool found = false;
    if (!d)
        return false;
    for (struct dirent *e; !found && (e = readdir(d));)
        found = e->d_name[0] != '.' && gpu_sampler_begins(e->d_name, "vendor", NVIDIA) &&
                gpu_sampler_begins(e->d_name, "class", DISPLAY);
    closedir(d);
    return found;
}

/* --- nvidia-smi --- */

static struct gpu_reading *gpu_sampler_find(struct gpu_sample *g, const char *bus)
{
    for (uint32_t i = 0; i < g->n_gpus; i++)
        if (strcmp(g->gpus[i].bus, bus) == 0)
            return &g->gpus[i];
    return NULL;
}

static uint64_t gpu_sampler_number(const char *text)
{
    char *end;
    unsigned long long n = strtoull(text, &end, 10); /* "[N/A]" is none */
    return end == text ? 0 : n;
}

static void gpu_sampler_take_gpu(char *line, struct gpu_sample *g)
{
    char *field[6] = {line};
    size_t n = 1;
    for (char *p = line; n < 6 && (p = strstr(p, ", ")); p += 2) {
        *p = '\0';
        field[n++] = p + 2;
    }
    struct gpu_reading c = {.minor = UINT32_MAX};
    if (n < 6 || g->n_gpus == GPU_DEVICES_MAX || !gpu_sample_bus(field[0], c.bus))
        return;
    for (size_t i = 1; i < 6; i++)
        c.lost = c.lost || strstr(field[i], "is lost") || strstr(field[i], "requires reset");
    uint64_t busy = gpu_sampler_number(field[2]);
    c.busy_pct = busy > 100 ? 100 : (uint32_t)busy;
    c.used_mib = gpu_sampler_number(field[3]);
    c.mib = gpu_sampler_number(field[4]);
    snprintf(c.uuid, sizeof c.uuid, "%s", field[1]);
    snprintf(c.name, sizeof c.name, "%s", field[5]);
    c.uuid[strcspn(c.uuid, " ")] = '\0';
    g->gpus[g->n_gpus++] = c;
}

static void gpu_sampler_take_proc(const char *line, struct gpu_sample *g)
{
    char address[40], bus[32];
    int pid;
    if (g->n_procs == GPU_PROCS_MAX || sscanf(line, "%39[^,], %d", address, &pid) != 2 || pid <= 0 ||
        !gpu_sample_bus(address, bus))
        return;
    const struct gpu_reading *c = gpu_sampler_find(g, bus);
    if (c)
        g->procs[g->n_procs++] = (struct gpu_proc){.gpu = (uint32_t)(c - g->gpus), .pid = pid};
}

void gpu_sampler_parse_smi(const char *gpus, const char *procs, struct gpu_sample *ret)
{
    memset(ret, 0, sizeof *ret);
    snprintf(ret->way, sizeof ret->way, "nvidia-smi");
    struct strv lines = strv_split(gpus, "\n");
    for (size_t i = 0; i < lines.n; i++)
        gpu_sampler_take_gpu(lines.v[i], ret);
    strv_fini(&lines);
    lines = strv_split(procs, "\n");
    for (size_t i = 0; i < lines.n; i++)
        gpu_sampler_take_proc(lines.v[i], ret);
    strv_fini(&lines);
    gpu_sample_sort(ret);
}

/* The output of a program; its exit status is returned, -1 where there was none. */
static int output_of(const char *command, struct str *out)
{
    char *line = xasprintf("%s 2>/dev/null", command), buf[4096];
    FILE *f = popen(line, "re");
    free(line);
    if (!f)
        return -1;
    for (size_t n; (n = fread(buf, 1, sizeof buf, f)) > 0;)
        if (out->len < GPU_TEXT_MAX)
            str_append_n(out, buf, n);
    int status = pclose(f);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* False: there is no such program. */
static bool smi_look(struct gpu_sample *g)
{
    struct str gpus = STR_INIT, procs = STR_INIT;
    int status = output_of(SMI_GPUS, &gpus);
    if (status == 0)
        output_of(SMI_PROCS, &procs);
    gpu_sampler_parse_smi(gpus.s ? gpus.s : "", procs.s ? procs.s : "", g);
    if (status != 0)
        snprintf(g->trouble, sizeof g->trouble, "nvidia-smi: %.*s",
                 gpus.len ? (int)strcspn(gpus.s, "\n") : 24, gpus.len ? gpus.s : "it fails without a word");
    str_fini(&gpus);
    str_fini(&procs);
    return status != 127 && status != 126;
}

/* --- looking --- */

/* The number of the device file, where the library does not say it. */
static void add_minors(struct gpu_sample *g)
{
    for (uint32_t i = 0; i < g->n_gpus; i++) {
        char path[128], text[2048];
        struct gpu_reading *c = &g->gpus[i];
        snprintf(path, sizeof path, "/proc/driver/nvidia/gpus/%s/information", c->bus);
        if (c->minor != UINT32_MAX || proc_read_file(path, text, sizeof text) <= 0)
            continue;
        const char *p = strstr(text, "Device Minor:");
        if (p)
            sscanf(p, "Device Minor: %u", &c->minor);
    }
}

/* A library that has failed is opened again once: the driver may have been replaced. False: there will
 * never be an answer. */
static bool gpu_sampler_look(const char *nvml, struct nvml **v, struct gpu_sample *g)
{
    struct errtext err = {.s = ""};
    int e = 0;
    memset(g, 0, sizeof *g);
    for (int i = 0; i < 2; i++) {
        bool fresh = !*v;
        *v = fresh ? nvml_open(nvml, &e, &err) : *v;
        if (!*v)
            break;
        if (nvml_look(*v, g, &err) == 0)
            return true;
        nvml_close(*v);
        *v = NULL;
        e = -EIO;
        if (fresh)
            break;
    }
    bool library = e == -EIO, program = !library && smi_look(g);
    if (library)
        snprintf(g->way, sizeof g->way, "NVML");
    if (!program) {
        g->n_gpus = g->n_procs = 0;
        snprintf(g->trouble, sizeof g->trouble, "%.*s%s", 200, err.s, library ? "" : "; no nvidia-smi");
    }
    if (!library && !program)
        g->way[0] = '\0';
    return library || program;
}

int gpu_sampler_main(const char *nvml)
{
    struct nvml *v = NULL;
    struct gpu_sample *g = xcalloc(1, sizeof *g);
    struct str out = STR_INIT;
    bool goes_on = true;
    signal(SIGPIPE, SIG_DFL);
    signal(SIGCHLD, SIG_DFL);
    for (char c; goes_on;) {
        ssize_t n = read(0, &c, 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n != 1)
            break;
        goes_on = gpu_sampler_look(nvml, &v, g);
        add_minors(g);
        str_clear(&out);
        gpu_sample_format(g, &out);
        if (file_write_fd(1, out.s, out.len) < 0)
            _exit(1);
    }
    nvml_close(v);
    str_fini(&out);
    free(g);
    return 0;
}
