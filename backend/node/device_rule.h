/* device_rule.h - device files that a control group closes to its processes: by a program of the kernel's
 * (BPF) at a v2 group, or by rules of a v1 group. Only root may.
 */
#ifndef STOKER_BACKEND_NODE_DEVICE_RULE_H
#define STOKER_BACKEND_NODE_DEVICE_RULE_H

#include <stddef.h>
#include <stdint.h>

#define DEVICE_RULE_MAX 128

/* Character devices. */
struct device_rule {
    struct {
        uint32_t major, minor;
    } v[DEVICE_RULE_MAX];
    size_t n;
};

/* One more than there is room for is left out. */
void device_rule_add(struct device_rule *d, uint32_t major, uint32_t minor);
/* Closes them to all that enters the group, for as long as it is there. 0 or -errno; nothing to do for
 * none. */
int device_rule_close(const struct device_rule *d, const char *group, int version);
/* Whether groups below base can do it: makes one, and removes it. 0 or -errno. */
int device_rule_try(const char *base, int version);

#endif
