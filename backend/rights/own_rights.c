#include "backend/rights/own_rights.h"

#include <linux/capability.h>
#include <stdint.h>
#include <string.h>

#include "backend/confine/confine.h"
#include "src/os/log.h"

#define BIT(cap) (1ull << (cap))

/* Of files: those of tasks whatever their mode. Of processes: to end what a lost supervisor has left, and
 * to read environments, memory and I/O below /proc. Limits above the hard ones. BPF programs that close
 * devices. */
static const uint64_t rights_of_agent = BIT(CAP_DAC_OVERRIDE) | BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_FOWNER) |
                                        BIT(CAP_CHOWN) | BIT(CAP_KILL) | BIT(CAP_SYS_PTRACE) |
                                        BIT(CAP_SYS_RESOURCE) | BIT(CAP_SYS_ADMIN);

/* Not here, although a supervisor never uses it: CAP_SYS_MODULE and CAP_MKNOD, with which CUDA's setuid
 * program loads a driver, and what mounts, network tools and containers of users need. */
static const uint64_t rights_of_no_task =
    BIT(CAP_SYS_TIME) | BIT(CAP_SYS_BOOT) | BIT(CAP_SYSLOG) | BIT(CAP_SYS_RAWIO) | BIT(CAP_SYS_PACCT) |
    BIT(CAP_SYS_TTY_CONFIG) | BIT(CAP_MAC_ADMIN) | BIT(CAP_MAC_OVERRIDE) | BIT(CAP_AUDIT_CONTROL) |
    BIT(CAP_AUDIT_READ) | BIT(CAP_WAKE_ALARM) | BIT(CAP_BLOCK_SUSPEND) | BIT(CAP_LINUX_IMMUTABLE) |
    BIT(CAP_LEASE);

void own_rights_reduce(bool service)
{
    int r = service ? confine_bounding_set(rights_of_no_task) : 0;
    r = r ? r : confine_capabilities(rights_of_agent);
    if (r < 0)
        log_warn("cannot drop capabilities: %s", strerror(-r));
}
