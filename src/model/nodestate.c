/* nodestate.c - what the record of a node comes to. */
#include "src/model/nodestate.h"

#include <string.h>

#include "src/base/str.h"

bool node_needs_no_agent(const struct node *n)
{
    return str_eq(n->spec.role, "login") && str_eq(n->spec.transport, "local");
}

bool node_responds(const struct node *n)
{
    return n->state == NODE_UP || node_needs_no_agent(n);
}

bool node_is_out(const struct node *n)
{
    return n->drain || n->gone || n->state != NODE_UP;
}

bool node_closes_gpus(const struct node *n)
{
    for (size_t i = 0; i < n->notes.n; i++)
        if (str_starts(n->notes.v[i], NOTE_GPUS_CLOSED))
            return true;
    return false;
}

const char *node_containment(const struct node *n)
{
    for (size_t i = 0; i < n->notes.n; i++)
        if (str_starts(n->notes.v[i], NOTE_CONTAINMENT))
            return n->notes.v[i] + strlen(NOTE_CONTAINMENT);
    return NULL;
}

bool node_contains_jobs(const struct node *n)
{
    const char *text = node_containment(n);
    return text && !str_starts(text, "none") && !strstr(text, NOTE_CONTAINMENT_LACKS);
}

bool node_lacks_gpus(const struct node *n)
{
    return n->state == NODE_UP && n->spec.detect && n->spec.gpus != UINT32_MAX &&
           n->gpus_found < n->spec.gpus;
}

bool node_gpu_is_out(const struct node *n, unsigned gpu)
{
    return cpuset_has(&node_rare(n)->gpus_out, gpu) || cpuset_has(&node_rare(n)->unknown_gpus, gpu);
}
