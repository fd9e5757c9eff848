#include "backend/agent/peer_log.h"

#include "backend/loop/loop.h"
#include "src/os/log.h"

#define LINES_MAX 200
#define SPAN_MS   60000

bool peer_log_may(struct peer_log *p, const struct loop *l)
{
    int64_t now_ms = loop_now(l).ns / NS_PER_MS;
    if (now_ms - p->since_ms >= SPAN_MS) {
        if (p->left_out)
            log_warn("%u lines about peers were left out", p->left_out);
        *p = (struct peer_log){.since_ms = now_ms};
    }
    if (p->n < LINES_MAX) {
        p->n++;
        return true;
    }
    if (!p->left_out++)
        log_warn("%d lines about peers in a minute: no more of them for now", LINES_MAX);
    return false;
}
