/* fakenvml.c - NVIDIA's management library as tests want it, built as a shared object: what it says is read
 * from the file that FAKE_NVML names, again at each count of the cards. Lines:
 *
 *     card BUS UUID MINOR BUSY% USED-MIB MIB NAME     a card, in the order of its index here
 *     lost INDEX                                      from now on it answers nothing but that it is lost
 *     reset INDEX                                     it has a name, and must be reset
 *     compute INDEX PID, graphics INDEX PID           processes on it
 *     fail N                                          nvmlInit and the count say error N
 *     hang                                            the count never answers
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CARDS_MAX 64
#define PROCS_MAX 64

struct fake_process {
    unsigned card, pid;
    bool graphics;
};

struct fake_card {
    unsigned domain, bus, device, minor, busy;
    unsigned long long used, all;
    char uuid[96], name[96];
    bool lost, reset;
};

struct fake_pci {
    char legacy[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
};

struct fake_memory {
    unsigned long long total, free, used;
};

struct fake_use {
    unsigned gpu, memory;
};

struct fake_process_out {
    unsigned pid;
    unsigned long long used;
    unsigned gpu_instance, compute_instance;
};

static struct fake_card cards[CARDS_MAX];
static struct fake_process procs[PROCS_MAX];
static unsigned n_cards, n_procs;
static int failure;

int nvmlInit_v2(void);
int nvmlShutdown(void);
const char *nvmlErrorString(int r);
int nvmlDeviceGetCount_v2(unsigned *ret);
int nvmlDeviceGetHandleByIndex_v2(unsigned i, struct fake_card **ret);
int nvmlDeviceGetPciInfo_v3(const struct fake_card *c, struct fake_pci *ret);
int nvmlDeviceGetUUID(const struct fake_card *c, char *buf, unsigned size);
int nvmlDeviceGetName(const struct fake_card *c, char *buf, unsigned size);
int nvmlDeviceGetMinorNumber(const struct fake_card *c, unsigned *ret);
int nvmlDeviceGetMemoryInfo(const struct fake_card *c, struct fake_memory *ret);
int nvmlDeviceGetUtilizationRates(const struct fake_card *c, struct fake_use *ret);
int nvmlDeviceGetComputeRunningProcesses_v2(const struct fake_card *c, unsigned *n,
                                            struct fake_process_out *ret);
int nvmlDeviceGetGraphicsRunningProcesses_v2(const struct fake_card *c, unsigned *n,
                                             struct fake_process_out *ret);

static void take(const char *line)
{
    struct fake_card c = {0};
    struct fake_process p = {0};
    unsigned i;
    if (sscanf(line, "card %x:%x:%x.%*x %95s %u %u %llu %llu %95[^\n]", &c.domain, &c.bus, &c.device,
               c.uuid, &c.minor, &c.busy, &c.used, &c.all, c.name) == 9 &&
        n_cards < CARDS_MAX)
        cards[n_cards++] = c;
    else if (sscanf(line, "lost %u", &i) == 1 && i < n_cards)
        cards[i].lost = true;
    else if (sscanf(line, "reset %u", &i) == 1 && i < n_cards)
        cards[i].reset = true;
    else if ((sscanf(line, "compute %u %u", &p.card, &p.pid) == 2 ||
              (p.graphics = sscanf(line, "graphics %u %u", &p.card, &p.pid) == 2)) &&
             n_procs < PROCS_MAX)
        procs[n_procs++] = p;
    else if (sscanf(line, "fail %u", &i) == 1)
        failure = (int)i;
    else if (strncmp(line, "hang", 4) == 0)
        for (;;)
            pause();
}

static void read_file(void)
{
    const char *path = getenv("FAKE_NVML");
    FILE *f = path ? fopen(path, "re") : NULL;
    char line[512];
    n_cards = n_procs = 0;
    failure = 0;
    while (f && fgets(line, sizeof line, f))
        take(line);
    if (f)
        fclose(f);
}

int nvmlInit_v2(void)
{
    read_file();
    return failure;
}

int nvmlShutdown(void)
{
    return 0;
}

const char *nvmlErrorString(int r)
{
    return r == 15 ? "GPU is lost" : r == 18 ? "Driver/library version mismatch" : "Unknown Error";
}

int nvmlDeviceGetCount_v2(unsigned *ret)
{
    read_file();
    *ret = n_cards;
    return failure;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned i, struct fake_card **ret)
{
    if (i >= n_cards)
        return 2;
    *ret = &cards[i];
    return cards[i].lost ? 15 : 0;
}

int nvmlDeviceGetPciInfo_v3(const struct fake_card *c, struct fake_pci *ret)
{
    memset(ret, 0, sizeof *ret);
    ret->domain = c->domain;
    ret->bus = c->bus;
    ret->device = c->device;
    snprintf(ret->bus_id, sizeof ret->bus_id, "%08X:%02X:%02X.0", c->domain, c->bus, c->device);
    return 0;
}

static int copy(const char *text, char *buf, unsigned size)
{
    if (strlen(text) >= size)
        return 7;
    strcpy(buf, text);
    return 0;
}

int nvmlDeviceGetUUID(const struct fake_card *c, char *buf, unsigned size)
{
    return copy(c->uuid, buf, size);
}

int nvmlDeviceGetName(const struct fake_card *c, char *buf, unsigned size)
{
    return copy(c->name, buf, size);
}

int nvmlDeviceGetMinorNumber(const struct fake_card *c, unsigned *ret)
{
    *ret = c->minor;
    return 0;
}

int nvmlDeviceGetMemoryInfo(const struct fake_card *c, struct fake_memory *ret)
{
    *ret = (struct fake_memory){
        .total = c->all << 20, .used = c->used << 20, .free = (c->all - c->used) << 20};
    return c->reset ? 16 : 0;
}

int nvmlDeviceGetUtilizationRates(const struct fake_card *c, struct fake_use *ret)
{
    *ret = (struct fake_use){.gpu = c->busy};
    return 0;
}

static int processes(const struct fake_card *c, bool graphics, unsigned *n, struct fake_process_out *ret)
{
    unsigned found = 0;
    for (unsigned i = 0; i < n_procs; i++)
        if (procs[i].card == (unsigned)(c - cards) && procs[i].graphics == graphics && found < *n)
            ret[found++] = (struct fake_process_out){.pid = procs[i].pid};
    *n = found;
    return 0;
}

int nvmlDeviceGetComputeRunningProcesses_v2(const struct fake_card *c, unsigned *n,
                                            struct fake_process_out *ret)
{
    return processes(c, false, n, ret);
}

int nvmlDeviceGetGraphicsRunningProcesses_v2(const struct fake_card *c, unsigned *n,
                                             struct fake_process_out *ret)
{
    return processes(c, true, n, ret);
}
