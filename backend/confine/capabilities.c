/* Without a library: libcap is not on every machine, and two system calls are all that is needed. */
#include <errno.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "backend/confine/confine.h"

static int capabilities_read(struct __user_cap_data_struct data[2])
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    return syscall(SYS_capget, &head, data) < 0 ? -errno : 0;
}

int confine_capabilities(uint64_t keep)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    if (geteuid() != 0)
        return 0;
    int r = capabilities_read(data);
    if (r < 0)
        return r;
    for (int i = 0; i < 2; i++) {
        data[i].permitted &= (uint32_t)(keep >> (32 * i));
        data[i].effective = data[i].permitted;
        data[i].inheritable = 0;
    }
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    return syscall(SYS_capset, &head, data) < 0 ? -errno : 0;
}

int confine_bounding_set(uint64_t drop)
{
    struct __user_cap_data_struct data[2];
    int r = capabilities_read(data);
    if (r < 0 || !(data[0].effective & 1u << CAP_SETPCAP))
        return r;
    for (int cap = 0; cap < 64; cap++) {
        if (!(drop >> cap & 1) || prctl(PR_CAPBSET_READ, cap, 0, 0, 0) != 1)
            continue;
        if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0)
            return -errno;
    }
    return 0;
}
