/* doctor_machine.c - doctor's checks of this machine. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/cli/setup/doctor_checks.h"
#include "src/conf/conf.h"
#include "src/lang/lang.h"
#include "src/os/clock.h"
#include "src/values/units.h"

#define FSYNC_ROUNDS   20
#define FSYNC_WARN_US  20000
#define FSYNC_FAIL_US  500000
#define SPACE_WARN_MIB 1024
#define SPACE_FAIL_MIB 64

static void check_config(struct doctor *d)
{
    struct cluster_spec spec;
    struct errtext err = {0};
    if (access(d->paths.config, F_OK) != 0) {
        doctor_add(d, N_("configuration"), CHECK_OK, NULL, tr("no %s: this machine as it is found"),
                   d->paths.config);
    } else if (conf_load(d->paths.config, &spec, &err) < 0) {
        doctor_add(d, N_("configuration"), CHECK_FAIL,
                   tr("correct it; the controller goes on with what it read before"), "%s", err.s);
    } else {
        doctor_add(d, N_("configuration"), CHECK_OK, NULL, "%s", d->paths.config);
        rec_fini(&cluster_spec_rec, &spec);
    }
}

/* Others must not be able to change what is in it. */
static bool check_dir(struct doctor *d, const char *name, const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0) {
        bool missing = errno == ENOENT;
        doctor_add(d, name, missing ? CHECK_OK : CHECK_FAIL,
                   missing ? NULL : tr("check the permissions on the way to it"), "%s: %s", path,
                   missing ? tr("not there yet, made at the first start") : strerror(errno));
        return false;
    }
    if (!S_ISDIR(st.st_mode)) {
        doctor_add(d, name, CHECK_FAIL, tr("move it away"), tr("%s is not a directory"), path);
        return false;
    }
    if (st.st_mode & (S_IWGRP | S_IWOTH)) {
        char *cure = xasprintf("chmod go-w %s", path);
        doctor_add(d, name, CHECK_FAIL, cure, tr("others may write in %s"), path);
        free(cure);
        return true;
    }
    bool ours = st.st_uid == geteuid();
    if (!ours && !d->paths.shared) {
        doctor_add(d, name, CHECK_FAIL, tr("set STOKER_HOME to a directory of your own"),
                   tr("%s belongs to user %u"), path, st.st_uid);
        return true;
    }
    doctor_add(d, name, CHECK_OK, NULL, "%s", path);
    return true;
}

static const char *network_fs(const char *path)
{
    static const struct {
        unsigned long magic;
        const char *name;
    } known[] = {{.magic = NFS_SUPER_MAGIC, .name = "NFS"},   {.magic = SMB_SUPER_MAGIC, .name = "SMB"},
                 {.magic = 0xff534d42ul, .name = "CIFS"},     {.magic = 0xfe534d42ul, .name = "SMB2"},
                 {.magic = CEPH_SUPER_MAGIC, .name = "Ceph"}, {.magic = 0x0bd00bd0ul, .name = "Lustre"},
                 {.magic = 0x47504653ul, .name = "GPFS"},     {.magic = 0x19830326ul, .name = "BeeGFS"},
                 {.magic = AFS_SUPER_MAGIC, .name = "AFS"},   {.magic = 0x65735546ul, .name = "FUSE"},
                 {.magic = V9FS_MAGIC, .name = "9P"}};
    struct statfs fs;
    if (statfs(path, &fs) < 0)
        return NULL;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if ((unsigned long)fs.f_type == known[i].magic)
            return known[i].name;
    return NULL;
}

static void check_file_system(struct doctor *d)
{
    const char *fs = network_fs(d->paths.state);
    if (fs)
        doctor_add(d, N_("file system"), CHECK_FAIL,
                   tr("keep the state on a local disk: set STOKER_HOME or XDG_STATE_HOME"),
                   tr("%s lies on %s, which does not keep a database safe"), d->paths.state, fs);
    else
        doctor_add(d, N_("file system"), CHECK_OK, NULL, tr("the state lies on a local file system"));
}

static void check_space(struct doctor *d)
{
    struct statvfs v;
    char free_text[UNITS_TEXT_SIZE];
    if (statvfs(d->paths.state, &v) < 0)
        return;
    uint64_t free_mib = (uint64_t)v.f_bavail * v.f_frsize >> 20;
    enum check_status s = free_mib < SPACE_FAIL_MIB   ? CHECK_FAIL
                          : free_mib < SPACE_WARN_MIB ? CHECK_WARN
                                                      : CHECK_OK;
    mem_format_words(free_mib * 1024, free_text);
    doctor_add(d, DOCTOR_DISK_SPACE, s,
               s == CHECK_OK ? NULL : tr("free some space: a full disk stops submissions"),
               tr("%s free for %s"), free_text, d->paths.state);
}

static int compare_int64(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Every submission waits for one of these. */
static void check_fsync(struct doctor *d)
{
    int64_t us[FSYNC_ROUNDS];
    char block[4096] = {0};
    char *path = xasprintf("%s/.doctor-XXXXXX", d->paths.state);
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0) {
        if (!d->paths.shared)
            doctor_add(d, N_("disk latency"), CHECK_FAIL, tr("make the directory writable for you"),
                       tr("cannot write in %s: %s"), d->paths.state, strerror(errno));
        free(path);
        return;
    }
    unlink(path);
    free(path);
    bool ok = true;
    for (size_t i = 0; i < FSYNC_ROUNDS && ok; i++) {
        int64_t t = mono_us();
        ok = pwrite(fd, block, sizeof block, (off_t)(i * sizeof block)) == sizeof block &&
             fdatasync(fd) == 0;
        us[i] = mono_us() - t;
    }
    if (!ok) {
        doctor_add(d, N_("disk latency"), CHECK_FAIL, tr("check the disk"), tr("writing in %s: %s"),
                   d->paths.state, strerror(errno));
    } else {
        qsort(us, FSYNC_ROUNDS, sizeof us[0], compare_int64);
        int64_t median = us[FSYNC_ROUNDS / 2];
        enum check_status s = median > FSYNC_FAIL_US   ? CHECK_FAIL
                              : median > FSYNC_WARN_US ? CHECK_WARN
                                                       : CHECK_OK;
        doctor_add(d, N_("disk latency"), s, s == CHECK_OK ? NULL : tr("keep the state on a faster disk"),
                   tr("a write is on disk after %.1f ms (median of %d), %.1f ms at worst"),
                   (double)median / 1000, FSYNC_ROUNDS, (double)us[FSYNC_ROUNDS - 1] / 1000);
    }
    close(fd);
}

/* This process's own group in the tree at `root`, whose lines in /proc/self/cgroup have `what` in the
 * middle; NULL: none. */
static char *own_cgroup(const char *root, const char *what)
{
    FILE *f = fopen("/proc/self/cgroup", "re");
    char line[4096];
    char *path = NULL;
    while (f && !path && fgets(line, sizeof line, f)) {
        const char *at = strchr(line, ':');
        if (at && strncmp(at, what, strlen(what)) == 0) {
            line[strcspn(line, "\n")] = '\0';
            at += strlen(what);
            path = xasprintf("%s%s", root, strcmp(at, "/") == 0 ? "" : at);
        }
    }
    if (f)
        fclose(f);
    return path;
}

/* v1: memory alone. */
static bool has_memory_v1(void)
{
    char *own = own_cgroup("/sys/fs/cgroup/memory", ":memory:");
    char *limit = xasprintf("%s/memory.limit_in_bytes", own ? own : "");
    bool has = own && access(limit, F_OK) == 0 && access(own, W_OK) == 0;
    free(limit);
    free(own);
    return has;
}

static void check_cgroup(struct doctor *d)
{
    const char *cure =
        tr("run it as a service with Delegate=yes; without, memory is watched by polling and "
           "CPUs are bound by affinity alone");
    char *own =
        access("/sys/fs/cgroup/cgroup.controllers", R_OK) == 0 ? own_cgroup("/sys/fs/cgroup", "::") : NULL;
    if (!own && has_memory_v1()) {
        doctor_add(d, N_("cgroups"), CHECK_OK, NULL, tr("v1: the kernel keeps memory limits"));
        return;
    }
    if (!own) {
        doctor_add(d, N_("cgroups"), CHECK_WARN, cure, tr("no cgroup v2 tree here"));
        return;
    }
    char *control = xasprintf("%s/cgroup.subtree_control", own), *procs = xasprintf("%s/cgroup.procs", own);
    if (access(own, W_OK) == 0 && access(control, W_OK) == 0 && access(procs, W_OK) == 0)
        doctor_add(d, N_("cgroups"), CHECK_OK, NULL, tr("v2, %s is ours to divide"), own);
    else
        doctor_add(d, N_("cgroups"), CHECK_WARN, cure, tr("v2, but %s is not delegated to this user"), own);
    free(control);
    free(procs);
    free(own);
}

static void check_clock(struct doctor *d)
{
    struct timex tx = {0};
    int state = adjtimex(&tx);
    if (state == TIME_ERROR || (tx.status & STA_UNSYNC))
        doctor_add(d, N_("clock"), CHECK_WARN, tr("start a time service (chrony, systemd-timesyncd)"),
                   tr("nothing keeps this machine's clock right"));
    else
        doctor_add(d, N_("clock"), CHECK_OK, NULL, tr("kept by a time service"));
}

/* In single-user mode the end of a login session may take everything with it. */
static void check_linger(struct doctor *d)
{
    const struct passwd *pw = getpwuid(geteuid());
    if (d->paths.shared || geteuid() == 0 || !pw || access("/run/systemd/system", F_OK) != 0)
        return;
    char *path = xasprintf("/var/lib/systemd/linger/%s", pw->pw_name);
    char *cure = xasprintf("loginctl enable-linger %s", pw->pw_name);
    if (access(path, F_OK) == 0)
        doctor_add(d, N_("login sessions"), CHECK_OK, NULL, tr("jobs outlive your logins"));
    else
        doctor_add(d, N_("login sessions"), CHECK_WARN, cure,
                   tr("your processes may be ended when you log out"));
    free(path);
    free(cure);
}

void doctor_check_machine(struct doctor *d)
{
    check_config(d);
    bool has_state = check_dir(d, N_("state"), d->paths.state);
    check_dir(d, N_("sockets"), d->paths.run);
    if (has_state) {
        check_file_system(d);
        check_space(d);
        check_fsync(d);
    }
    check_cgroup(d);
    check_clock(d);
    check_linger(d);
}
