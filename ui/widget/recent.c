/* recent.c - a percentage over the last minutes. */
#include "ui/widget/recent.h"

static int64_t recent_slot(struct mono t)
{
    return t.ns / (RECENT_SLOT_MS * NS_PER_MS);
}

void recent_add(struct recent *p, struct mono t, uint64_t percent)
{
    int64_t slot = recent_slot(t), from = p->end;
    if (slot < 0 || slot < p->end - RECENT_SLOTS)
        return;
    if (!p->end || slot - p->end >= RECENT_SLOTS)
        from = slot - RECENT_SLOTS + 1;
    for (int64_t i = from < 0 ? 0 : from; i <= slot; i++)
        p->v[i % RECENT_SLOTS] = RECENT_NONE;
    p->end = slot >= p->end ? slot + 1 : p->end;
    p->v[slot % RECENT_SLOTS] = (uint8_t)(percent > 100 ? 100 : percent);
}

static uint8_t recent_at(const struct recent *p, int64_t slot)
{
    bool there = slot >= 0 && slot < p->end && slot >= p->end - RECENT_SLOTS;
    return there ? p->v[slot % RECENT_SLOTS] : RECENT_NONE;
}

bool recent_is_empty(const struct recent *p, struct mono now)
{
    for (int64_t i = recent_slot(now) - RECENT_SLOTS + 1; i < p->end; i++)
        if (recent_at(p, i) != RECENT_NONE)
            return false;
    return true;
}

void recent_read(const struct recent *p, struct mono now, uint8_t *ret, size_t n)
{
    int64_t last = recent_slot(now) | 1;
    for (size_t i = 0; i < n; i++)
        ret[i] = recent_at(p, last - (int64_t)(n - 1 - i));
}
