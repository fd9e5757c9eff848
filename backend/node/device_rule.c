#include "backend/node/device_rule.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backend/node/cgroup_fs.h"
#include "src/base/xalloc.h"

#define PROBE_MAJOR 195 /* NVIDIA's; a minor number that no machine has */
#define PROBE_MINOR 254

void device_rule_add(struct device_rule *d, uint32_t major, uint32_t minor)
{
    if (d->n == DEVICE_RULE_MAX)
        return;
    d->v[d->n].major = major;
    d->v[d->n++].minor = minor;
}

static struct bpf_insn device_rule_load(int reg, size_t offset)
{
    return (struct bpf_insn){.code = BPF_LDX | BPF_MEM | BPF_W,
                             .dst_reg = (uint8_t)(reg & 0xf),
                             .src_reg = BPF_REG_1,
                             .off = (int16_t)offset};
}

static struct bpf_insn device_rule_number(int code, int reg, uint32_t n)
{
    return (struct bpf_insn){
        .code = (uint8_t)(code | BPF_K), .dst_reg = (uint8_t)(reg & 0xf), .imm = (int32_t)n};
}

static struct bpf_insn device_rule_jump(int code, int reg, uint32_t n, size_t over)
{
    return (struct bpf_insn){.code = (uint8_t)(BPF_JMP | code | BPF_K),
                             .dst_reg = (uint8_t)(reg & 0xf),
                             .imm = (int32_t)n,
                             .off = (int16_t)over};
}

/* 1 allows, 0 denies: a character device of the list is denied. There must be one: the kernel takes no
 * program with a part that is never reached. */
static int device_rule_load_program(const struct device_rule *d)
{
    struct bpf_insn p[2 * DEVICE_RULE_MAX + 9];
    size_t i = 0, n = 2 * d->n; /* instructions between the first test and the permission */
    p[i++] = device_rule_load(BPF_REG_2, offsetof(struct bpf_cgroup_dev_ctx, access_type));
    p[i++] = device_rule_number(BPF_ALU | BPF_AND, BPF_REG_2, 0xffff);
    p[i++] = device_rule_load(BPF_REG_3, offsetof(struct bpf_cgroup_dev_ctx, major));
    p[i++] = device_rule_load(BPF_REG_4, offsetof(struct bpf_cgroup_dev_ctx, minor));
    p[i++] = device_rule_jump(BPF_JNE, BPF_REG_2, BPF_DEVCG_DEV_CHAR, n);
    for (size_t k = 0; k < d->n; k++) {
        p[i++] = device_rule_jump(BPF_JNE, BPF_REG_3, d->v[k].major, 1);
        p[i++] = device_rule_jump(BPF_JEQ, BPF_REG_4, d->v[k].minor, n - 2 * k);
    }
    p[i++] = device_rule_number(BPF_ALU64 | BPF_MOV, BPF_REG_0, 1);
    p[i++] = (struct bpf_insn){.code = BPF_JMP | BPF_EXIT};
    p[i++] = device_rule_number(BPF_ALU64 | BPF_MOV, BPF_REG_0, 0);
    p[i++] = (struct bpf_insn){.code = BPF_JMP | BPF_EXIT};
    union bpf_attr a = {.prog_type = BPF_PROG_TYPE_CGROUP_DEVICE};
    a.insns = (uintptr_t)p;
    a.insn_cnt = (uint32_t)i;
    a.license = (uintptr_t) "GPL";
    int fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &a, sizeof a);
    return fd < 0 ? -errno : fd;
}

static int device_rule_close_v2(const struct device_rule *d, const char *group)
{
    int dir = open(group, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0)
        return -errno;
    int rule = device_rule_load_program(d), r = rule < 0 ? rule : 0;
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

static int device_rule_close_v1(const struct device_rule *d, const char *group)
{
    int r = 0;
    for (size_t i = 0; i < d->n && r == 0; i++) {
        char rule[48];
        snprintf(rule, sizeof rule, "c %u:%u rwm", d->v[i].major, d->v[i].minor);
        r = cgroup_fs_put(group, "devices.deny", rule);
    }
    return r;
}

int device_rule_close(const struct device_rule *d, const char *group, int version)
{
    if (!d->n)
        return 0;
    return version == 1 ? device_rule_close_v1(d, group) : device_rule_close_v2(d, group);
}

int device_rule_try(const char *base, int version)
{
    struct device_rule d = {0};
    char *probe = xasprintf("%s/stoker-probe-%d", base, (int)getpid());
    device_rule_add(&d, PROBE_MAJOR, PROBE_MINOR);
    int r = mkdir(probe, 0755) < 0 ? -errno : device_rule_close(&d, probe, version);
    rmdir(probe);
    free(probe);
    return r;
}
