#include "backend/control/shortage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/str.h"
#include "src/os/log.h"

#define LOOK_MS      1000  /* while something happens ... */
#define LOOK_MOST_MS 16000 /* ... twice as long each time that nothing has */
#define QUIET_KIB    1024  /* memory that comes and goes without requests */
#define RESERVE_PART 16    /* of the disk, where disk_reserve is "auto" ... */
#define RESERVE_MOST 256   /* ... and no more MiB */
#define FILE_PART    4     /* of the reserve: the file that is given up */
#define FILE_MOST    16    /* MiB */
#define ALARM_TENTHS 8
#define SHORT_TENTHS 9           /* of memory */
#define ALARM_FREE   (10u << 10) /* MiB: a disk with more is not told of */
#define ALARM_NS     (600 * NS_PER_S)

struct shortage {
    struct loop_timer timer;
    unsigned next_ms;
    uint64_t seq; /* of the model when the timer fired last */
    struct store_space space;
    uint64_t memory_kib, memory_most_kib; /* taken, and that it may take; 0: not known */
    bool of_disk, of_memory;
    bool has_file;
    char *path; /* of that file */
    struct mono told_disk, told_memory;
};

static struct shortage *shortage_of(const struct control *c)
{
    return c->state[MODULE_SHORTAGE];
}

uint64_t shortage_disk_mib(const struct control *c)
{
    const struct store_space *s = &shortage_of(c)->space;
    return (s->fs_free + s->taken) >> 20;
}

/* MiB that are kept free. */
static uint64_t shortage_reserve(const struct control *c)
{
    uint64_t mib = c->model.spec.disk_reserve_mib, part = shortage_disk_mib(c) / RESERVE_PART;
    return mib ? mib : part < RESERVE_MOST ? part : RESERVE_MOST;
}

/* What batches can still take: pages of the file that nothing uses count too. */
static uint64_t shortage_left(const struct shortage *s)
{
    return (s->space.fs_free + s->space.unused) >> 20;
}

/* --- the file --- */

static void shortage_make_file(struct control *c)
{
    struct shortage *s = shortage_of(c);
    uint64_t mib = shortage_reserve(c) / FILE_PART;
    mib = mib < FILE_MOST ? mib : FILE_MOST;
    if (s->has_file || !mib || s->space.fs_free >> 20 < shortage_reserve(c) + mib)
        return;
    int fd = open(s->path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    int r = fd < 0 ? errno : posix_fallocate(fd, 0, (off_t)(mib << 20));
    if (fd >= 0)
        close(fd);
    s->has_file = r == 0;
    if (r)
        unlink(s->path);
}

void shortage_give_up_reserve(struct control *c)
{
    struct shortage *s = shortage_of(c);
    if (unlink(s->path) == 0)
        log_warn("%s is given up, so that jobs can be cancelled and their ends recorded", s->path);
    s->has_file = false;
    s->of_disk = true;
}

/* --- looking --- */

static bool shortage_is_news(const struct control *c, struct mono *told)
{
    struct mono now = loop_now(c->loop);
    if (told->ns && now.ns - told->ns < ALARM_NS)
        return false;
    *told = now;
    return true;
}

static void shortage_look_at_disk(struct control *c)
{
    struct shortage *s = shortage_of(c);
    uint64_t left = shortage_left(s), all = shortage_disk_mib(c), reserve = shortage_reserve(c);
    bool was = s->of_disk;
    if (!all)
        return;
    shortage_make_file(c);
    s->of_disk = left < reserve || (was && left < reserve + reserve / 2);
    if (s->of_disk && (!was || shortage_is_news(c, &s->told_disk)))
        log_error(
            "the disk of the state is nearly full: %llu MiB left, less than disk_reserve (%llu): jobs "
            "can only be cancelled",
            (unsigned long long)left, (unsigned long long)reserve);
    else if (was && !s->of_disk)
        log_info("the disk of the state has room again: %llu MiB", (unsigned long long)left);
    else if (left < ALARM_FREE && left * 10 < all * (10 - ALARM_TENTHS) &&
             shortage_is_news(c, &s->told_disk))
        log_warn("the disk of the state is over four fifths full: %llu of %llu MiB left",
                 (unsigned long long)left, (unsigned long long)all);
}

uint64_t shortage_memory_taken_kib(void)
{
    unsigned long size = 0, rss = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (f && fscanf(f, "%lu %lu", &size, &rss) != 2)
        rss = 0;
    if (f)
        fclose(f);
    return (uint64_t)rss * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
}

static void shortage_look_at_memory(struct control *c)
{
    struct shortage *s = shortage_of(c);
    uint64_t most = s->memory_most_kib;
    bool was = s->of_memory;
    s->memory_kib = shortage_memory_taken_kib();
    s->of_memory = most && s->memory_kib > most / 10 * SHORT_TENTHS;
    if (s->of_memory && !was)
        log_error("the controller uses %llu of the %llu MiB of memory that it may use: jobs can "
                  "only be cancelled",
                  (unsigned long long)(s->memory_kib >> 10), (unsigned long long)(most >> 10));
    else if (most && s->memory_kib > most / 10 * ALARM_TENTHS && shortage_is_news(c, &s->told_memory))
        log_warn("the controller uses %llu of the %llu MiB of memory that it may use",
                 (unsigned long long)(s->memory_kib >> 10), (unsigned long long)(most >> 10));
}

static void shortage_on_space(void *ctx, const struct store_space *space)
{
    struct control *c = ctx;
    shortage_of(c)->space = *space;
    shortage_look_at_disk(c);
}

/* Disk and memory are looked at often while events or memory change; an idle controller sleeps longer. */
static unsigned shortage_next_ms(const struct control *c, uint64_t memory_kib)
{
    const struct shortage *s = shortage_of(c);
    uint64_t more = s->memory_kib > memory_kib ? s->memory_kib - memory_kib : 0;
    unsigned next = s->next_ms * 2;
    if (s->of_disk || s->of_memory || s->seq != c->model.seq || more > QUIET_KIB)
        return LOOK_MS;
    return next < LOOK_MOST_MS ? next : LOOK_MOST_MS;
}

static void shortage_on_timer(void *ctx)
{
    struct control *c = ctx;
    struct shortage *s = shortage_of(c);
    uint64_t memory_kib = s->memory_kib;
    shortage_look_at_memory(c);
    if (!c->read_only)
        store_get_space(c->store, shortage_on_space, c);
    s->next_ms = shortage_next_ms(c, memory_kib);
    s->seq = c->model.seq;
    loop_timer_set(c->loop, &s->timer, s->next_ms);
}

bool shortage_is(const struct control *c, struct cause *why)
{
    const struct shortage *s = shortage_of(c);
    if (s->of_disk)
        *why = (struct cause){.code = CAUSE_SHORT_OF_DISK, .free = shortage_left(s)};
    else if (s->of_memory)
        *why = (struct cause){
            .code = CAUSE_SHORT_OF_MEMORY, .used = s->memory_kib >> 10, .most = s->memory_most_kib >> 10};
    return s->of_disk || s->of_memory;
}

void shortage_tell(const struct control *c, struct msg_stats *m)
{
    const struct shortage *s = shortage_of(c);
    m->disk_left = s->space.fs_free + s->space.unused;
    m->disk_all = s->space.fs_free + s->space.taken;
    m->history_bytes = s->space.history;
    m->memory_most_kib = s->memory_most_kib;
    m->short_of_disk = s->of_disk;
    m->short_of_memory = s->of_memory;
}

/* --- what bounds the memory --- */

/* The smallest memory.max from the controller's own group upwards; cgroup v2. In KiB; 0: none. */
static uint64_t shortage_group_most_kib(void)
{
    char line[4096], *path = NULL;
    uint64_t most = 0;
    FILE *f = fopen("/proc/self/cgroup", "re");
    while (f && !path && fgets(line, sizeof line, f))
        if (strncmp(line, "0::/", 4) == 0)
            path = xasprintf("/sys/fs/cgroup/%.*s", (int)strcspn(line + 4, "\n"), line + 4);
    if (f)
        fclose(f);
    while (path && strlen(path) > strlen("/sys/fs/cgroup/")) {
        char *file = xasprintf("%s/memory.max", path);
        unsigned long long bytes;
        f = fopen(file, "re");
        if (f && fscanf(f, "%llu", &bytes) == 1 && (!most || bytes / 1024 < most))
            most = bytes / 1024;
        if (f)
            fclose(f);
        free(file);
        *strrchr(path, '/') = '\0';
    }
    free(path);
    return most;
}

static void shortage_start(struct control *c)
{
    struct shortage *s = c->state[MODULE_SHORTAGE] = xcalloc(1, sizeof *s);
    uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
    uint64_t group = shortage_group_most_kib();
    s->memory_most_kib = group && group < all ? group : all;
    s->next_ms = LOOK_MS;
    s->path = xasprintf("%s/reserve", c->settings.state_dir);
    s->timer = (struct loop_timer){.fn = shortage_on_timer, .ctx = c};
}

static void shortage_serving(struct control *c)
{
    loop_timer_set(c->loop, &shortage_of(c)->timer, 0);
}

static void shortage_stop(struct control *c)
{
    struct shortage *s = shortage_of(c);
    loop_timer_cancel(c->loop, &s->timer);
    free(s->path);
    free(s);
}

const struct module_ops shortage_module = {
    .start = shortage_start, .stop = shortage_stop, .serving = shortage_serving};
