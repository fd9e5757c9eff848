#include "backend/node/gpu_access.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/log.h"
#include "src/base/xalloc.h"
#include "src/model/nodestate.h"

#define NVIDIA_MAJOR 195
#define DEVICES_MAX  64

struct gpu_access {
    const struct cgroups *cgroups;
    char *base; /* groups of tasks are made below it */
    int version;
};

static struct bpf_insn gpu_access_load(int reg, size_t offset)
{
    return (struct bpf_insn){.code = BPF_LDX | BPF_MEM | BPF_W,
                             .dst_reg = (uint8_t)(reg & 0xf),
                             .src_reg = BPF_REG_1,
                             .off = (int16_t)offset};
}

static struct bpf_insn gpu_access_number(int code, int reg, uint32_t n)
{
    return (struct bpf_insn){
        .code = (uint8_t)(code | BPF_K), .dst_reg = (uint8_t)(reg & 0xf), .imm = (int32_t)n};
}

static struct bpf_insn gpu_access_jump(int code, int reg, uint32_t n, size_t over)
{
    return (struct bpf_insn){.code = (uint8_t)(BPF_JMP | code | BPF_K),
                             .dst_reg = (uint8_t)(reg & 0xf),
                             .imm = (int32_t)n,
                             .off = (int16_t)over};
}

/* 1 allows, 0 denies: a character device of NVIDIA's with one of the minor numbers is denied. There must be
 * one: the kernel takes no program with a part that is never reached. */
static int gpu_access_load_rule(const uint32_t *minors, size_t n)
{
    struct bpf_insn p[DEVICES_MAX + 12];
    size_t i = 0, allow = n + 1; /* instructions between the last test and the permission */
    p[i++] = gpu_access_load(BPF_REG_2, offsetof(struct bpf_cgroup_dev_ctx, access_type));
    p[i++] = gpu_access_number(BPF_ALU | BPF_AND, BPF_REG_2, 0xffff);
    p[i++] = gpu_access_load(BPF_REG_3, offsetof(struct bpf_cgroup_dev_ctx, major));
    p[i++] = gpu_access_load(BPF_REG_4, offsetof(struct bpf_cgroup_dev_ctx, minor));
    p[i++] = gpu_access_jump(BPF_JNE, BPF_REG_2, BPF_DEVCG_DEV_CHAR, allow);
    p[i++] = gpu_access_jump(BPF_JNE, BPF_REG_3, NVIDIA_MAJOR, allow - 1);
    for (size_t k = 0; k < n; k++)
        p[i++] = gpu_access_jump(BPF_JEQ, BPF_REG_4, minors[k], n - k + 1);
    p[i++] = gpu_access_number(BPF_ALU64 | BPF_MOV, BPF_REG_0, 1);
    p[i++] = (struct bpf_insn){.code = BPF_JMP | BPF_EXIT};
    p[i++] = gpu_access_number(BPF_ALU64 | BPF_MOV, BPF_REG_0, 0);
    p[i++] = (struct bpf_insn){.code = BPF_JMP | BPF_EXIT};
    union bpf_attr a = {.prog_type = BPF_PROG_TYPE_CGROUP_DEVICE};
    a.insns = (uintptr_t)p;
    a.insn_cnt = (uint32_t)i;
    a.license = (uintptr_t) "GPL";
    int fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &a, sizeof a);
    return fd < 0 ? -errno : fd;
}

/* It holds for as long as the group is there. */
static int gpu_access_close_in(const char *group, const uint32_t *minors, size_t n)
{
    int dir = open(group, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0)
        return -errno;
    int rule = gpu_access_load_rule(minors, n), r = rule < 0 ? rule : 0;
    if (r == 0) {
        union bpf_attr a = {.target_fd = (uint32_t)dir};
        a.attach_bpf_fd = (uint32_t)rule;
        a.attach_type = BPF_CGROUP_DEVICE;
        a.attach_flags = BPF_F_ALLOW_MULTI;
        r = syscall(SYS_bpf, BPF_PROG_ATTACH, &a, sizeof a) < 0 ? -errno : 0;
    }
    if (rule >= 0)
        close(rule);
    close(dir);
    return r;
}

/* Of v1 the group itself says no. */
static int gpu_access_deny_in(const char *group, const uint32_t *minors, size_t n)
{
    int r = 0;
    for (size_t i = 0; i < n && r == 0; i++) {
        char rule[48];
        snprintf(rule, sizeof rule, "c %d:%u rwm", NVIDIA_MAJOR, minors[i]);
        r = cgroup_put(group, "devices.deny", rule);
    }
    return r;
}

static int gpu_access_close_devices(int version, const char *group, const uint32_t *minors, size_t n)
{
    return version == 1 ? gpu_access_deny_in(group, minors, n) : gpu_access_close_in(group, minors, n);
}

static int gpu_access_try_base(const char *base, int version)
{
    char *probe = xasprintf("%s/stoker-probe-%d", base, (int)getpid());
    int r = mkdir(probe, 0755) < 0 ? -errno
                                   : gpu_access_close_devices(version, probe, &(uint32_t){DEVICES_MAX}, 1);
    rmdir(probe);
    free(probe);
    return r;
}

struct gpu_access *gpu_access_new(const struct cgroups *cgroups, bool root, struct strv *notes)
{
    const char *why = root ? "no control groups for devices" : "the agent is not root";
    for (int version = 2; root && version > 0; version--) {
        char *base = cgroup_own(version == 1 ? "devices" : NULL);
        int r = base ? gpu_access_try_base(base, version) : -ENOENT;
        if (r == 0) {
            struct gpu_access *ga = xcalloc(1, sizeof *ga);
            *ga = (struct gpu_access){.cgroups = cgroups, .base = base, .version = version};
            strv_push_take(notes, xasprintf(NOTE_GPUS_CLOSED " (cgroup v%d)", version));
            return ga;
        }
        why = base ? strerror(-r) : why;
        free(base);
    }
    strv_push_take(notes, xasprintf("gpus: cannot be closed to jobs (%s)", why));
    return NULL;
}

void gpu_access_free(struct gpu_access *ga)
{
    if (ga)
        free(ga->base);
    free(ga);
}

bool gpu_access_close(const struct gpu_access *ga, const struct node_gpus *gpus, const char *task,
                      const char *group, const struct cpuset *held, char **ret_dir)
{
    uint32_t minors[DEVICES_MAX];
    size_t n = ga ? node_gpus_minors(gpus, held, minors, DEVICES_MAX) : 0;
    *ret_dir = NULL;
    if (!ga)
        return false;
    if (!n)
        return true;
    char *dir = group && ga->version == 2 ? NULL : cgroups_path(ga->cgroups, ga->base, task);
    int r = dir && mkdir(dir, 0755) < 0 ? -errno : 0;
    if (r == 0)
        r = gpu_access_close_devices(ga->version, dir ? dir : group, minors, n);
    if (r < 0) {
        log_warn("task=%s GPUs of other jobs are not closed to it: %s", task, strerror(-r));
        cgroup_remove(dir);
        free(dir);
        return true; /* names are right in any case */
    }
    *ret_dir = dir;
    return true;
}

void gpu_access_remove(const struct gpu_access *ga, const char *task)
{
    if (ga)
        cgroups_remove_below(ga->cgroups, ga->base, task);
}
