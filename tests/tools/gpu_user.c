/* gpu_user.c - a program that uses NVIDIA cards, for tests/tools/gpu_check.sh: CUDA's driver library is
 * loaded, never linked.
 *
 *     gpu_user [SECONDS [MIB]]
 *
 * Prints "cards N" and, for each card that it is shown, "card UUID BUS"; then keeps the first one busy for
 * so long with so much of its memory, after a line "busy". Ends with 3 where there is no CUDA, with 4 where
 * a card fails it.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define UUID_BYTES 16
#define BUS_SIZE   32
#define NO_DEVICE  100 /* CUDA_ERROR_NO_DEVICE */
#define BURST      64  /* operations between two looks at the clock */
#define PIECE      (256u << 20)
#define PIECES_MAX 256
#define CALLS(X)                                                        \
    X(init, (unsigned), "cuInit")                                       \
    X(count, (int *), "cuDeviceGetCount")                               \
    X(get, (int *, int), "cuDeviceGet")                                 \
    X(uuid, (void *, int), "cuDeviceGetUuid")                           \
    X(bus, (char *, int, int), "cuDeviceGetPCIBusId")                   \
    X(retain, (void **, int), "cuDevicePrimaryCtxRetain")               \
    X(use, (void *), "cuCtxSetCurrent")                                 \
    X(take, (unsigned long long *, size_t), "cuMemAlloc_v2")            \
    X(fill, (unsigned long long, unsigned char, size_t), "cuMemsetD8_v2") \
    X(wait, (void), "cuCtxSynchronize")

struct cuda {
#define X(member, args, name) int(*member) args;
    CALLS(X)
#undef X
};

static int load(struct cuda *c)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) {
        fprintf(stderr, "gpu_user: %s\n", dlerror());
        return -1;
    }
#define X(member, args, name)                   \
    *(void **)&c->member = dlsym(library, name); \
    if (!c->member) {                           \
        fprintf(stderr, "gpu_user: no %s\n", name); \
        return -1;                              \
    }
    CALLS(X)
#undef X
    return 0;
}

static int describe(const struct cuda *c, int at)
{
    int device;
    unsigned char id[UUID_BYTES];
    char bus[BUS_SIZE];
    if (c->get(&device, at) || c->uuid(id, device) || c->bus(bus, sizeof bus, device))
        return 4;
    printf("card GPU-");
    for (int i = 0; i < UUID_BYTES; i++)
        printf("%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", id[i]);
    printf(" %s\n", bus);
    return 0;
}

static int keep_busy(const struct cuda *c, double seconds, size_t mib)
{
    void *context;
    unsigned long long piece[PIECES_MAX];
    int device, n = 0, r = c->get(&device, 0);
    r = r ? r : c->retain(&context, device);
    r = r ? r : c->use(context);
    for (size_t left = mib << 20; !r && left && n < PIECES_MAX; n++) {
        size_t size = left < PIECE ? left : PIECE;
        r = c->take(&piece[n], size);
        left -= size;
    }
    if (r || !n) {
        fprintf(stderr, "gpu_user: the card fails: CUDA error %d\n", r);
        return 4;
    }
    puts("busy");
    fflush(stdout);
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    double end = (double)t.tv_sec + (double)t.tv_nsec / 1e9 + seconds, now;
    size_t size = mib << 20 < PIECE ? mib << 20 : PIECE;
    do {
        for (int i = 0; i < BURST && !r; i++)
            r = c->fill(piece[0], (unsigned char)i, size);
        r = r ? r : c->wait();
        clock_gettime(CLOCK_MONOTONIC, &t);
        now = (double)t.tv_sec + (double)t.tv_nsec / 1e9;
    } while (!r && now < end);
    if (r)
        fprintf(stderr, "gpu_user: the card fails: CUDA error %d\n", r);
    return r ? 4 : 0;
}

int main(int argc, char **argv)
{
    struct cuda c;
    int n = 0;
    if (load(&c) < 0)
        return 3;
    int r = c.init(0);
    r = r ? r : c.count(&n);
    if (r && r != NO_DEVICE) {
        fprintf(stderr, "gpu_user: CUDA error %d\n", r);
        return 3;
    }
    printf("cards %d\n", n);
    for (int i = 0; i < n; i++)
        if (describe(&c, i))
            return 4;
    fflush(stdout);
    double seconds = argc > 1 ? atof(argv[1]) : 0;
    size_t mib = argc > 2 ? (size_t)atoi(argv[2]) : 64;
    return seconds > 0 && n > 0 ? keep_busy(&c, seconds, mib ? mib : 1) : 0;
}
