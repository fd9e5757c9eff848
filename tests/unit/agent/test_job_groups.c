/* The groups of jobs on a tree of files that behaves like the kernel's: mkdir makes what a new group has,
 * rmdir refuses one that is in use. */
#include "tests/lib/check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backend/node/cgroup_fs.h"
#include "backend/node/drm_gpus.h"
#include "backend/node/job_groups.h"
#include "backend/task/cpu_binding.h"
#include "src/base/xalloc.h"

static char top[] = "/tmp/stoker-groups-XXXXXX";

/* --- the kernel's part --- */

static void write_file(const char *dir, const char *name, const char *text)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static const char *const kernel_files[] = {
    "memory.limit_in_bytes",
    "memory.max",
    "memory.oom.group",
    "memory.usage_in_bytes",
    "memory.current",
    "memory.stat",
    "pids.max",
    "cpuset.cpus",
    "cpuset.mems",
    "cpuset.sched_load_balance",
    "cpu.max",
    "cpu.cfs_quota_us",
    "cgroup.procs",
    "cgroup.subtree_control",
    "cgroup.kill",
};
#define N_KERNEL_FILES (sizeof kernel_files / sizeof kernel_files[0])

int mkdir(const char *path, mode_t mode)
{
    if (syscall(SYS_mkdirat, AT_FDCWD, path, mode) < 0)
        return -1;
    for (size_t i = 0; i < N_KERNEL_FILES && strncmp(path, top, strlen(top)) == 0; i++)
        write_file(path, kernel_files[i], "");
    return 0;
}

static bool has_groups(const char *path)
{
    DIR *d = opendir(path);
    bool found = false;
    for (struct dirent *e; d && (e = readdir(d));)
        found = found || (e->d_type == DT_DIR && e->d_name[0] != '.');
    if (d)
        closedir(d);
    return found;
}

int rmdir(const char *path)
{
    char file[1024];
    char *procs = cgroup_fs_line(path, "cgroup.procs");
    bool busy = procs && (*procs || has_groups(path));
    free(procs);
    if (busy) {
        errno = EBUSY;
        return -1;
    }
    for (size_t i = 0; i < N_KERNEL_FILES; i++) {
        snprintf(file, sizeof file, "%s/%s", path, kernel_files[i]);
        unlink(file);
    }
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}

/* --- */

static char *below_top(const char *name)
{
    char *path = xasprintf("%s/%s", top, name);
    mkdir(path, 0755);
    return path;
}

static void text_is(const char *dir, const char *below, const char *file, const char *want)
{
    char *path = xasprintf("%s/%s", dir, below);
    char *line = cgroup_fs_line(path, file);
    assert_non_null(line);
    assert_string_equal(line, want);
    free(line);
    free(path);
}

static bool exists(const char *dir, const char *below)
{
    char *path = xasprintf("%s/%s", dir, below);
    bool there = access(path, F_OK) == 0;
    free(path);
    return there;
}

/* The name of the only group of a job that this directory has. */
static char *only_group(const char *base)
{
    DIR *d = opendir(base);
    char *name = NULL;
    for (struct dirent *e; (e = readdir(d));)
        if (strncmp(e->d_name, "stoker-", 7) == 0) {
            assert_null(name);
            name = xstrdup(e->d_name);
        }
    closedir(d);
    return name;
}

static struct job_bounds bounds_of(uint64_t mem_mib)
{
    struct job_bounds b = {.mem_mib = mem_mib, .processes = 500};
    cpuset_add_range(&b.cpus, 2, 2);
    return b;
}

static void test_version_2(void **state)
{
    (void)state;
    char *base = below_top("v2");
    struct cgroup_trees trees = {.n = 1};
    trees.v[0] = (struct cgroup_tree){
        .base = xstrdup(base), .version = 2, .bounds = BOUND_MEMORY | BOUND_PIDS | BOUND_CPUS};
    struct job_groups *g = job_groups_new("/dir", &trees);
    struct job_bounds b = bounds_of(100);
    struct task_groups t;
    job_groups_make(g, "12", &b, "12.-1.0.1", 100, &t);
    char *job = only_group(base);
    assert_non_null(job);
    char *dir = xasprintf("%s/%s", base, job);
    text_is(dir, ".", "cpuset.cpus", "2-3");
    text_is(dir, ".", "memory.max", ""); /* the supervisors are outside the limit */
    text_is(dir, "tasks", "memory.max", "104857600");
    text_is(dir, "tasks", "pids.max", "500");
    text_is(dir, "supervisors", "memory.max", "");
    text_is(dir, "tasks/12.-1.0.1", "memory.oom.group", "1");
    text_is(dir, "tasks/12.-1.0.1", "memory.max", ""); /* its job's holds */
    assert_string_equal(t.task, t.memory);
    assert_false(t.memory_is_v1);
    assert_true(t.supervisor && strstr(t.supervisor, "/supervisors"));
    assert_true(!t.pids && !t.inherited.n);
    task_groups_fini(&t);

    job_groups_make(g, "12", &b, "12.0.0.2", 40, &t); /* a step, with less */
    text_is(dir, "tasks/12.0.0.2", "memory.max", "41943040");
    text_is(dir, "tasks", "memory.max", "104857600");
    task_groups_fini(&t);
    write_file(dir, "tasks/12.0.0.2/memory.current", "10485760");
    write_file(dir, "tasks/12.0.0.2/memory.stat", "anon 1\ninactive_file 1048576\n");
    assert_int_equal(job_groups_memory_kib(g, "12", "12.0.0.2"), 9 * 1024);

    job_groups_remove_task(g, "12", "12.-1.0.1");
    assert_false(exists(dir, "tasks/12.-1.0.1"));
    write_file(dir, "supervisors/cgroup.procs", "77\n");
    assert_false(job_groups_remove(g, "12")); /* its shim is still there */
    assert_true(exists(dir, "supervisors"));
    assert_false(exists(dir, "tasks"));
    job_groups_make(g, "12", &b, "12.1.0.3", 100, &t); /* the job starts a step meanwhile */
    text_is(dir, "tasks", "memory.max", "104857600");
    assert_true(exists(dir, "tasks/12.1.0.3"));
    task_groups_fini(&t);
    write_file(dir, "supervisors/cgroup.procs", "");
    job_groups_kill(g, "12", "12.1.0.3");
    text_is(dir, "tasks/12.1.0.3", "cgroup.kill", "1");
    text_is(dir, "supervisors", "cgroup.kill", "");
    assert_true(job_groups_remove(g, "12"));
    assert_null(only_group(base));
    job_groups_free(g);
    free(job);
    free(dir);
    free(base);
}

static void test_version_1(void **state)
{
    (void)state;
    char *memory = below_top("memory"), *pids = below_top("pids"), *cpuset = below_top("cpuset");
    write_file(cpuset, "cpuset.mems", "0\n");
    struct cgroup_trees trees = {.n = 3};
    trees.v[0] = (struct cgroup_tree){.base = xstrdup(memory), .version = 1, .bounds = BOUND_MEMORY};
    trees.v[1] = (struct cgroup_tree){.base = xstrdup(cpuset), .version = 1, .bounds = BOUND_CPUS};
    trees.v[2] = (struct cgroup_tree){.base = xstrdup(pids), .version = 1, .bounds = BOUND_PIDS};
    struct job_groups *g = job_groups_new("/dir", &trees);
    struct job_bounds b = bounds_of(100);
    struct task_groups t;
    job_groups_make(g, "12", &b, "12.0.0.2", 40, &t);
    char *job = only_group(memory);
    text_is(memory, job, "memory.limit_in_bytes", "104857600");
    char *task = xasprintf("%s/12.0.0.2", job);
    text_is(memory, task, "memory.limit_in_bytes", "41943040");
    text_is(cpuset, job, "cpuset.cpus", "2-3");
    text_is(cpuset, job, "cpuset.mems", "0");
    text_is(cpuset, job, "cpuset.sched_load_balance", "0");
    text_is(pids, job, "pids.max", "500");
    assert_true(t.memory_is_v1 && strstr(t.memory, task));
    assert_true(t.pids && !t.task && !t.supervisor && t.inherited.n == 1);
    task_groups_fini(&t);

    /* Another agent's groups are none of ours. */
    struct cgroup_trees none = {0};
    struct job_groups *other = job_groups_new("/another", &none);
    struct strv jobs;
    job_groups_list(other, &jobs);
    assert_int_equal(jobs.n, 0);
    job_groups_free(other);
    job_groups_list(g, &jobs);
    assert_int_equal(jobs.n, 1);
    assert_string_equal(jobs.v[0], "12");
    strv_fini(&jobs);

    assert_true(job_groups_remove(g, "12")); /* with the groups of all its tasks */
    assert_null(only_group(memory));
    assert_null(only_group(pids));
    assert_null(only_group(cpuset));

    b = bounds_of(0); /* a job that names no memory: its CPUs and processes hold */
    job_groups_make(g, "13", &b, "13.-1.0.1", 0, &t);
    assert_null(t.memory);
    assert_true(t.pids && t.inherited.n == 1);
    assert_null(only_group(memory));
    task_groups_fini(&t);
    b.cpus = (struct cpuset){0}; /* all CPUs are its own */
    job_groups_make(g, "14", &b, "14.-1.0.1", 0, &t);
    assert_int_equal(t.inherited.n, 0);
    task_groups_fini(&t);
    job_groups_free(g);
    free(job);
    free(task);
    free(memory);
    free(pids);
    free(cpuset);
}

/* What cannot be limited is said and left out, and no half of it stays. */
static void test_broken_tree(void **state)
{
    (void)state;
    struct cgroup_trees trees = {.n = 1};
    trees.v[0] =
        (struct cgroup_tree){.base = xasprintf("%s/missing", top), .version = 2, .bounds = BOUND_MEMORY};
    struct job_groups *g = job_groups_new("/dir", &trees);
    struct job_bounds b = bounds_of(100);
    struct task_groups t;
    job_groups_make(g, "12", &b, "12.-1.0.1", 100, &t);
    assert_true(task_groups_are_empty(&t));
    assert_true(job_groups_remove(g, "12"));
    task_groups_fini(&t);
    job_groups_free(g);
}

/* --- where the own group is --- */

static void test_own_group(void **state)
{
    (void)state;
    char *point = below_top("mnt");
    char *service = below_top("mnt/user.slice"), *agent = below_top("mnt/user.slice/agent");
    char mounts[4096];
    snprintf(mounts, sizeof mounts,
             "20 1 0:20 / /proc rw - proc proc rw\n"
             "31 25 0:27 / %s rw,nosuid shared:9 - cgroup2 cgroup2 rw\n"
             "32 25 0:28 / %s/none rw - cgroup cgroup rw,pids\n"
             "33 25 0:29 /box %s rw - cgroup cgroup rw,memory,name=x\n",
             point, point, point);
    static const struct {
        const char *groups, *controller, *want; /* below the mount point; NULL: none */
    } rows[] = {
        {"0::/\n", NULL, ""},
        {"5:memory:/a\n0::/user.slice\n", NULL, "/user.slice"},
        {"0::/user.slice/agent\n", NULL, "/user.slice"}, /* started again from its own sub-group */
        {"0::/not/there\n", NULL, NULL},
        {"5:memory:/a\n", NULL, NULL},
        {"8:pids:/user.slice\n", "pids", NULL},                      /* not to be seen */
        {"8:cpu,memory:/box/user.slice\n", "memory", "/user.slice"}, /* the mount shows a part alone */
        {"8:cpu,cpuacct:/\n", "memory", NULL},
        {"", "memory", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *got = cgroup_fs_find(mounts, rows[i].groups, rows[i].controller);
        char *want = rows[i].want ? xasprintf("%s%s", point, rows[i].want) : NULL;
        if (!str_eq(got, want))
            fail_msg("row %zu: %s, not %s", i, got ? got : "none", want ? want : "none");
        free(got);
        free(want);
    }
    free(point);
    free(service);
    free(agent);
}

/* --- devices --- */

static void add_drm(const char *sysfs, const char *name, const char *pci, const char *vendor)
{
    char *device = xasprintf("%s/../devices/%s", sysfs, pci), *dir = xasprintf("%s/%s", sysfs, name);
    char *link = xasprintf("%s/device", dir), *target = xasprintf("../../devices/%s", pci);
    mkdir(device, 0755);
    write_file(device, "vendor", vendor);
    mkdir(dir, 0755);
    assert_int_equal(symlink(target, link), 0);
    free(device);
    free(dir);
    free(link);
    free(target);
}

static void test_drm_gpus(void **state)
{
    (void)state;
    char *devices = below_top("devices"), *sysfs = below_top("drm");
    add_drm(sysfs, "renderD129", "0000:41:00.0", "0x1002\n");
    add_drm(sysfs, "card2", "0000:41:00.0", "0x1002\n");
    add_drm(sysfs, "renderD130", "0000:03:00.0", "0x1002\n");
    add_drm(sysfs, "renderD128", "0000:00:02.0", "0x8086\n"); /* what draws the console */
    add_drm(sysfs, "card0", "0000:00:01.0", "0x1a03\n");      /* a management controller's */
    add_drm(sysfs, "renderD131", "0000:05:00.0", "0x10de\n"); /* NVIDIA's has files of its own */
    add_drm(sysfs, "card0-DP-1", "0000:00:02.0", "0x8086\n");
    struct drm_gpus g;
    drm_gpus_read(sysfs, &g);
    assert_int_equal(g.n, 3);
    assert_string_equal(g.v[1].pci, "0000:03:00.0"); /* in the order of the bus */

    struct cpuset held = {0};
    cpuset_add(&held, 0);
    struct device_rule d = {0};
    drm_gpus_close(&g, 2, &held, &d); /* AMD's are two: GPU 1 is closed with both its files */
    assert_int_equal(d.n, 2);
    assert_int_equal(d.v[0].major, 226);
    assert_int_equal(d.v[0].minor, 129);
    assert_int_equal(d.v[1].minor, 2);
    d.n = 0;
    drm_gpus_close(&g, 1, &held, &d); /* Intel's one, which it holds */
    assert_int_equal(d.n, 0);
    drm_gpus_close(&g, 3, &held, &d); /* all */
    assert_int_equal(d.n, 3);
    d.n = 0;
    drm_gpus_close(&g, 4, &held, &d); /* numbers that say nothing */
    drm_gpus_close(&g, 0, &held, &d);
    assert_int_equal(d.n, 0);
    free(devices);
    free(sysfs);
}

static void test_device_rule_is_bounded(void **state)
{
    (void)state;
    struct device_rule d = {0};
    for (uint32_t i = 0; i < DEVICE_RULE_MAX + 1; i++)
        device_rule_add(&d, 195, i);
    assert_int_equal(d.n, DEVICE_RULE_MAX);
}

/* --- CPUs --- */

static void test_cpu_binding(void **state)
{
    (void)state;
    struct cpuset usable = {0}, launch = {0}, real;
    cpuset_add_range(&usable, 4, 4);
    cpuset_add_range(&launch, 1, 2);
    struct blob none = {0};
    assert_true(cpu_binding_real(&launch, &none, &usable, &real));
    char *text = cpuset_format(&real);
    assert_string_equal(text, "5-6");
    free(text);
    uint16_t order[] = {4, 6, 5, 7};
    struct blob by_core = {.p = (uint8_t *)order, .n = sizeof order};
    assert_true(cpu_binding_real(&launch, &by_core, &usable, &real));
    assert_true(cpuset_has(&real, 6) && cpuset_has(&real, 5) && cpuset_count(&real) == 2);
    cpuset_add(&launch, 4);
    assert_false(cpu_binding_real(&launch, &by_core, &usable, &real));
    assert_false(cpu_binding_real(&launch, &none, &usable, &real));
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static int make_top(void **state)
{
    (void)state;
    return mkdtemp(top) ? 0 : -1;
}

static int remove_top(void **state)
{
    (void)state;
    return nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version_2),
        cmocka_unit_test(test_version_1),
        cmocka_unit_test(test_broken_tree),
        cmocka_unit_test(test_own_group),
        cmocka_unit_test(test_drm_gpus),
        cmocka_unit_test(test_cpu_binding),
        cmocka_unit_test(test_device_rule_is_bounded),
    };
    return cmocka_run_group_tests(tests, make_top, remove_top);
}
