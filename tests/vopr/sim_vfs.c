/* sim_vfs.c - an sqlite3_vfs over the default one. Without shared memory: the controller's connections are
 * EXCLUSIVE. */
#include "tests/vopr/sim_vfs.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/err.h"
#include "src/base/list.h"
#include "src/base/vec.h"
#include "src/base/xalloc.h"
#include "tests/vopr/sim.h"

#define SECTOR 512

enum op_kind { OP_WRITE, OP_TRUNCATE, OP_DELETE };

struct op { /* since the last sync */
    enum op_kind kind;
    int64_t at; /* OP_TRUNCATE: the new size */
    size_t n;
    uint8_t *data;
};

struct disk_file {
    struct list link;
    char *path;
    bool on_disk; /* its name is */
    uint8_t *bytes;
    size_t n;
    VEC(struct op) ops;
};

struct open_file { /* SQLite allocates it, with the real one behind */
    sqlite3_file base;
    struct disk_file *file; /* NULL: a temporary one */
};

static sqlite3_vfs *real_vfs;
static struct list files;
static enum sim_disk_fault fault;
static uint32_t die_after; /* 0: not counted */
static bool dead;

static sqlite3_file *real(sqlite3_file *f)
{
    return (sqlite3_file *)(void *)((char *)f + sizeof(struct open_file));
}

static struct disk_file *tracked(sqlite3_file *f)
{
    return ((struct open_file *)(void *)f)->file;
}

/* --- what the disk has --- */

static const char *name_of(const struct disk_file *f)
{
    const char *slash = strrchr(f->path, '/');
    return slash ? slash + 1 : f->path;
}

static void drop_ops(struct disk_file *f)
{
    vec_for_each (&f->ops, i)
        free(f->ops.v[i].data);
    vec_clear(&f->ops);
}

static void resize(struct disk_file *f, size_t n)
{
    f->bytes = xreallocarray(f->bytes, n ? n : 1, 1);
    if (n > f->n)
        memset(f->bytes + f->n, 0, n - f->n);
    f->n = n;
}

static void put(struct disk_file *f, int64_t at, const uint8_t *p, size_t n)
{
    if ((size_t)at + n > f->n)
        resize(f, (size_t)at + n);
    memcpy(f->bytes + at, p, n);
    f->on_disk = true;
}

/* is_torn: only some of its sectors. */
static void apply(struct disk_file *f, const struct op *o, bool is_torn)
{
    if (o->kind == OP_TRUNCATE) {
        resize(f, (size_t)o->at);
    } else if (o->kind == OP_DELETE) {
        resize(f, 0);
        f->on_disk = false;
    } else if (!is_torn) {
        put(f, o->at, o->data, o->n);
    } else {
        for (size_t i = 0; i < o->n;) {
            size_t end = (size_t)o->at + i;
            size_t n = SECTOR - end % SECTOR < o->n - i ? SECTOR - end % SECTOR : o->n - i;
            if (sim_chance(500))
                put(f, o->at + (int64_t)i, o->data + i, n);
            i += n;
        }
    }
}

static void add_op(struct disk_file *f, enum op_kind kind, int64_t at, const void *data, size_t n)
{
    if (!f)
        return;
    vec_push(&f->ops, (struct op){.kind = kind, .at = at, .n = n, .data = n ? xmemdup(data, n) : NULL});
}

static void sync_ops(struct disk_file *f)
{
    vec_for_each (&f->ops, i)
        apply(f, &f->ops.v[i], false);
    f->on_disk = true;
    drop_ops(f);
}

/* File systems with a journal keep the order of their names: what was deleted before a sync stays so. */
static void sync_deletions(void)
{
    list_for_each (f, &files, struct disk_file, link)
        if (f->ops.n && f->ops.v[f->ops.n - 1].kind == OP_DELETE) {
            sync_ops(f);
            f->on_disk = false;
        }
}

static void read_real(struct disk_file *f)
{
    struct stat st;
    int fd = open(f->path, O_RDONLY | O_CLOEXEC);
    f->on_disk = fd >= 0;
    resize(f, fd >= 0 && fstat(fd, &st) == 0 ? (size_t)st.st_size : 0);
    bug_on(fd >= 0 && f->n && pread(fd, f->bytes, f->n, 0) != (ssize_t)f->n);
    if (fd >= 0)
        close(fd);
}

static struct disk_file *find_file(const char *path)
{
    list_for_each (f, &files, struct disk_file, link)
        if (strcmp(f->path, path) == 0)
            return f;
    struct disk_file *f = xcalloc(1, sizeof *f);
    f->path = xstrdup(path);
    read_real(f);
    list_append(&files, &f->link);
    return f;
}

void sim_vfs_reset(void)
{
    list_for_each (f, &files, struct disk_file, link) {
        drop_ops(f);
        vec_fini(&f->ops);
        list_unlink(&f->link);
        free(f->bytes);
        free(f->path);
        free(f);
    }
    fault = DISK_GOOD;
    sqlite3_randomness(0, NULL); /* it begins again with v_randomness */
    sim_vfs_revive();
}

void sim_vfs_take_as_found(void)
{
    list_for_each (f, &files, struct disk_file, link) {
        drop_ops(f);
        read_real(f);
    }
}

/* Of the writes that no sync has waited for: none, all, the first ones, or any of them in pieces. */
static void lose(struct disk_file *f)
{
    uint32_t manner = sim_below(4);
    sim_note("vfs: %s of %d bytes loses %d ops in manner %d", name_of(f), (int)f->n, (int)f->ops.n,
             (int)manner);
    size_t n = manner == 0 ? 0 : manner == 1 || !f->ops.n ? f->ops.n : sim_below((uint32_t)f->ops.n + 1);
    for (size_t i = 0; i < (manner == 3 ? f->ops.n : n); i++)
        if (manner < 3 || f->ops.v[i].kind == OP_WRITE || sim_chance(500))
            apply(f, &f->ops.v[i], manner == 3 || i + 1 == n);
    drop_ops(f);
}

void sim_vfs_lose_power(void)
{
    list_for_each (f, &files, struct disk_file, link) {
        lose(f);
        unlink(f->path);
        if (!f->on_disk)
            continue;
        int fd = open(f->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        bug_on(fd < 0 || write(fd, f->bytes, f->n) != (ssize_t)f->n);
        close(fd);
    }
}

/* --- faults --- */

void sim_vfs_set_fault(enum sim_disk_fault f)
{
    fault = f;
}

void sim_vfs_die_after(uint32_t n)
{
    die_after = n;
    dead = dead || !n;
}

bool sim_vfs_is_dead(void)
{
    return dead;
}

void sim_vfs_revive(void)
{
    dead = false;
    die_after = 0;
}

/* Whether the process has died before this call. */
static bool dies_here(void)
{
    if (!dead && die_after && --die_after == 0)
        dead = true;
    return dead;
}

/* --- methods of a file --- */

static int f_close(sqlite3_file *f)
{
    return real(f)->pMethods ? real(f)->pMethods->xClose(real(f)) : SQLITE_OK;
}

static int f_read(sqlite3_file *f, void *p, int n, sqlite3_int64 at)
{
    return dead ? SQLITE_IOERR_READ : real(f)->pMethods->xRead(real(f), p, n, at);
}

static int f_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at)
{
    if (dies_here())
        return SQLITE_IOERR_WRITE;
    if (tracked(f) && (fault == DISK_FULL || fault == DISK_WRITE_FAILS))
        return fault == DISK_FULL ? SQLITE_FULL : SQLITE_IOERR_WRITE;
    add_op(tracked(f), OP_WRITE, at, p, (size_t)n);
    return real(f)->pMethods->xWrite(real(f), p, n, at);
}

static int f_truncate(sqlite3_file *f, sqlite3_int64 size)
{
    if (dies_here())
        return SQLITE_IOERR_TRUNCATE;
    add_op(tracked(f), OP_TRUNCATE, size, NULL, 0);
    return real(f)->pMethods->xTruncate(real(f), size);
}

static int f_sync(sqlite3_file *f, int flags)
{
    (void)flags;
    if (dies_here())
        return SQLITE_IOERR_FSYNC;
    if (tracked(f) && fault == DISK_SYNC_FAILS)
        return SQLITE_IOERR_FSYNC;
    if (tracked(f)) {
        sync_ops(tracked(f));
        sync_deletions();
    }
    return SQLITE_OK;
}

static int f_size(sqlite3_file *f, sqlite3_int64 *ret)
{
    return dead ? SQLITE_IOERR_FSTAT : real(f)->pMethods->xFileSize(real(f), ret);
}

static int f_lock(sqlite3_file *f, int level)
{
    return real(f)->pMethods->xLock(real(f), level);
}

static int f_unlock(sqlite3_file *f, int level)
{
    return real(f)->pMethods->xUnlock(real(f), level);
}

static int f_check_lock(sqlite3_file *f, int *ret)
{
    return real(f)->pMethods->xCheckReservedLock(real(f), ret);
}

static int f_control(sqlite3_file *f, int op, void *arg)
{
    return op == SQLITE_FCNTL_VFSNAME ? SQLITE_NOTFOUND : real(f)->pMethods->xFileControl(real(f), op, arg);
}

static int f_sector_size(sqlite3_file *f)
{
    return real(f)->pMethods->xSectorSize(real(f));
}

static int f_device(sqlite3_file *f)
{
    return real(f)->pMethods->xDeviceCharacteristics(real(f));
}

static const sqlite3_io_methods methods = {.iVersion = 1,
                                           .xClose = f_close,
                                           .xRead = f_read,
                                           .xWrite = f_write,
                                           .xTruncate = f_truncate,
                                           .xSync = f_sync,
                                           .xFileSize = f_size,
                                           .xLock = f_lock,
                                           .xUnlock = f_unlock,
                                           .xCheckReservedLock = f_check_lock,
                                           .xFileControl = f_control,
                                           .xSectorSize = f_sector_size,
                                           .xDeviceCharacteristics = f_device};

/* --- methods of the whole --- */

static int v_open(sqlite3_vfs *v, const char *path, sqlite3_file *f, int flags, int *ret_flags)
{
    (void)v;
    struct open_file *o = (struct open_file *)(void *)f;
    memset(o, 0, sizeof *o);
    if (dead)
        return SQLITE_CANTOPEN;
    o->file = path ? find_file(path) : NULL;
    int rc = real_vfs->xOpen(real_vfs, path, real(f), flags, ret_flags);
    if (real(f)->pMethods)
        o->base.pMethods = &methods;
    return rc;
}

static int v_delete(sqlite3_vfs *v, const char *path, int sync_dir)
{
    (void)v;
    if (dies_here())
        return SQLITE_IOERR_DELETE;
    struct disk_file *f = find_file(path);
    add_op(f, OP_DELETE, 0, NULL, 0);
    if (sync_dir) {
        sync_ops(f);
        f->on_disk = false;
    }
    return real_vfs->xDelete(real_vfs, path, 0);
}

static int v_access(sqlite3_vfs *v, const char *path, int flags, int *ret)
{
    (void)v;
    return real_vfs->xAccess(real_vfs, path, flags, ret);
}

static int v_full_path(sqlite3_vfs *v, const char *path, int n, char *out)
{
    (void)v;
    return real_vfs->xFullPathname(real_vfs, path, n, out);
}

static int v_randomness(sqlite3_vfs *v, int n, char *out)
{
    (void)v;
    for (int i = 0; i < n; i++)
        out[i] = (char)sim_random();
    return n;
}

static int v_sleep(sqlite3_vfs *v, int us)
{
    (void)v;
    return us;
}

static int v_time(sqlite3_vfs *v, double *ret)
{
    (void)v;
    *ret = 2440587.5 + (double)wall_read().ms / 86400000.0;
    return SQLITE_OK;
}

static int v_last_error(sqlite3_vfs *v, int n, char *out)
{
    (void)v;
    return real_vfs->xGetLastError ? real_vfs->xGetLastError(real_vfs, n, out) : 0;
}

void sim_vfs_install(void)
{
    static sqlite3_vfs vfs;
    list_init(&files);
    real_vfs = sqlite3_vfs_find(NULL);
    vfs = (sqlite3_vfs){.iVersion = 1,
                        .szOsFile = (int)sizeof(struct open_file) + real_vfs->szOsFile,
                        .mxPathname = real_vfs->mxPathname,
                        .zName = "sim",
                        .xOpen = v_open,
                        .xDelete = v_delete,
                        .xAccess = v_access,
                        .xFullPathname = v_full_path,
                        .xRandomness = v_randomness,
                        .xSleep = v_sleep,
                        .xCurrentTime = v_time,
                        .xGetLastError = v_last_error};
    bug_on(sqlite3_vfs_register(&vfs, 1) != SQLITE_OK);
}
