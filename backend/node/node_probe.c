/* node_probe.c - what this machine is and how busy it is. */
#include "backend/node/node_probe.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "backend/task/proc.h"
#include "src/base/xalloc.h"

static void find_cpus(struct probe *p)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        for (unsigned c = 0; c < CPUSET_MAX && c < CPU_SETSIZE; c++)
            if (CPU_ISSET(c, &set))
                cpuset_add(&p->cpus, c);
    p->n_cpus = cpuset_count(&p->cpus);
    if (!p->n_cpus) {
        long n = sysconf(_SC_NPROCESSORS_ONLN);
        p->n_cpus = n > 0 ? (uint32_t)n : 1;
        cpuset_add_range(&p->cpus, 0, p->n_cpus < CPUSET_MAX ? p->n_cpus : CPUSET_MAX);
    }
}

static uint32_t count_nvidia_devices(void)
{
    uint32_t n = 0;
    DIR *d = opendir("/dev");
    if (!d)
        return 0;
    for (struct dirent *e; (e = readdir(d));)
        if (strncmp(e->d_name, "nvidia", 6) == 0 && e->d_name[6] &&
            strspn(e->d_name + 6, "0123456789") == strlen(e->d_name + 6))
            n++;
    closedir(d);
    return n;
}

void probe_gpu_type(const char *name, char *buf, size_t size)
{
    struct strv words = strv_split(name, " \t-");
    buf[0] = '\0';
    for (size_t i = 0; i < words.n && !buf[0]; i++) {
        const char *w = words.v[i];
        if (strpbrk(w, "0123456789"))
            for (size_t k = 0; w[k] && k + 1 < size; k++) {
                buf[k] = (char)(w[k] >= 'A' && w[k] <= 'Z' ? w[k] - 'A' + 'a' : w[k]);
                buf[k + 1] = '\0';
            }
    }
    strv_fini(&words);
}

static void find_gpu_type(char *buf, size_t size)
{
    buf[0] = '\0';
    DIR *d = opendir("/proc/driver/nvidia/gpus");
    if (!d)
        return;
    for (struct dirent *e; !buf[0] && (e = readdir(d));) {
        char path[512], text[1024];
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "/proc/driver/nvidia/gpus/%s/information", e->d_name);
        if (proc_read_file(path, text, sizeof text) <= 0 || strncmp(text, "Model:", 6) != 0)
            continue;
        text[strcspn(text, "\n")] = '\0';
        probe_gpu_type(text + 6, buf, size);
    }
    closedir(d);
}

static void find_os(char *buf, size_t size)
{
    char text[2048];
    snprintf(buf, size, "Linux");
    if (proc_read_file("/etc/os-release", text, sizeof text) <= 0)
        return;
    char *p = strstr(text, "PRETTY_NAME=");
    if (!p)
        return;
    p += strlen("PRETTY_NAME=");
    p += *p == '"';
    p[strcspn(p, "\"\n")] = '\0';
    snprintf(buf, size, "%s", p);
}

static struct wall find_boot_time(void)
{
    char *text = xmalloc(1u << 20);
    unsigned long long s = 0;
    if (proc_read_file("/proc/stat", text, 1u << 20) > 0) {
        const char *p = strstr(text, "\nbtime ");
        if (p)
            sscanf(p, "\nbtime %llu", &s);
    }
    free(text);
    return (struct wall){.ms = (int64_t)s * MS_PER_S};
}

static uint64_t find_tmp_mib(void)
{
    struct statvfs v;
    return statvfs("/tmp", &v) == 0 ? (uint64_t)v.f_blocks * v.f_frsize >> 20 : 0;
}

void probe_machine(struct probe *p)
{
    *p = (struct probe){0};
    uint64_t used;
    find_cpus(p);
    probe_memory(&used, &p->mem_mib);
    p->gpus = count_nvidia_devices();
    if (p->gpus)
        find_gpu_type(p->gpu_type, sizeof p->gpu_type);
    proc_boot_id(p->boot_id);
    struct utsname u;
    if (uname(&u) == 0)
        snprintf(p->arch, sizeof p->arch, "%.*s", (int)sizeof p->arch - 1, u.machine);
    find_os(p->os, sizeof p->os);
    p->t_boot = find_boot_time();
    p->tmp_mib = find_tmp_mib();
}

uint32_t probe_cpu_permille(struct probe_cpu *last)
{
    char text[512];
    unsigned long long v[8] = {0};
    if (proc_read_file("/proc/stat", text, sizeof text) <= 0 ||
        sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3], &v[4],
               &v[5], &v[6], &v[7]) < 4)
        return 0;
    struct probe_cpu now = {0};
    for (int i = 0; i < 8; i++) {
        now.total += v[i];
        now.busy += i == 3 || i == 4 ? 0 : v[i]; /* without idle and waiting for disks */
    }
    uint64_t total = now.total - last->total, busy = now.busy - last->busy;
    bool first = last->total == 0;
    *last = now;
    return first || total == 0 || busy > total ? 0 : (uint32_t)(busy * 1000 / total);
}

void probe_memory(uint64_t *ret_used_mib, uint64_t *ret_mib)
{
    char text[4096];
    unsigned long long total = 0, available = 0;
    if (proc_read_file("/proc/meminfo", text, sizeof text) > 0) {
        const char *t = strstr(text, "MemTotal:"), *a = strstr(text, "MemAvailable:");
        if (t)
            sscanf(t, "MemTotal: %llu", &total);
        if (a)
            sscanf(a, "MemAvailable: %llu", &available);
    }
    *ret_mib = total / 1024;
    *ret_used_mib = total > available ? (total - available) / 1024 : 0;
}

double probe_load1(void)
{
    double load;
    return getloadavg(&load, 1) == 1 ? load : 0;
}

uint64_t probe_disk_free(int dir_fd)
{
    struct statvfs v;
    return fstatvfs(dir_fd, &v) < 0 ? UINT64_MAX : (uint64_t)v.f_bavail * v.f_frsize;
}
