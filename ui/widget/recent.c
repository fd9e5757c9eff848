/* recent.c - a percentage over the last minutes. */
#include "ui/widget/recent.h"

#define MINUTE_MS 60000

static int64_t recent_slot(struct mono t)
{
    return t.ns / (RECENT_SLOT_MS * NS_PER_MS);
}

/* A minute that is over is told nothing any more. */
static void recent_add_minute(struct recent *p, struct mono t, unsigned percent)
{
    int64_t minute = t.ns / (MINUTE_MS * NS_PER_MS), from = p->minute;
    if (minute < p->minute - 1)
        return;
    if (minute >= p->minute)
        p->sum = p->n = 0;
    if (!p->minute || minute - p->minute >= RECENT_MINUTES)
        from = minute - RECENT_MINUTES + 1;
    for (int64_t i = from < 0 ? 0 : from; i <= minute; i++)
        p->means[i % RECENT_MINUTES] = RECENT_NONE;
    p->minute = minute + 1;
    p->sum += percent;
    p->n++;
    p->means[minute % RECENT_MINUTES] = (uint8_t)(p->sum / p->n);
}

void recent_add(struct recent *p, struct mono t, uint64_t percent)
{
    percent = percent > 100 ? 100 : percent;
    recent_add_minute(p, t, (unsigned)percent);
    int64_t slot = recent_slot(t), from = p->end;
    if (slot < 0 || slot < p->end - RECENT_SLOTS)
        return;
    if (!p->end || slot - p->end >= RECENT_SLOTS)
        from = slot - RECENT_SLOTS + 1;
    for (int64_t i = from < 0 ? 0 : from; i <= slot; i++)
        p->v[i % RECENT_SLOTS] = RECENT_NONE;
    p->end = slot >= p->end ? slot + 1 : p->end;
    p->v[slot % RECENT_SLOTS] = (uint8_t)percent;
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

static uint8_t recent_mean(const struct recent *p, int64_t minute)
{
    bool there = minute >= 0 && minute < p->minute && minute >= p->minute - RECENT_MINUTES;
    return there ? p->means[minute % RECENT_MINUTES] : RECENT_NONE;
}

void recent_columns(const struct recent *p, enum recent_span span, struct mono now, uint8_t *ret, size_t n)
{
    bool hour = span == RECENT_HOUR;
    int64_t all = hour ? RECENT_MINUTES : RECENT_SLOTS;
    int64_t first = 1 - all + (hour ? now.ns / (MINUTE_MS * NS_PER_MS) : recent_slot(now));
    for (size_t i = 0; i < n; i++) {
        int64_t from = (int64_t)i * all / (int64_t)n, to = (int64_t)(i + 1) * all / (int64_t)n;
        uint32_t sum = 0, known = 0;
        for (int64_t k = from; k < (to > from ? to : from + 1); k++) {
            uint8_t v = hour ? recent_mean(p, first + k) : recent_at(p, first + k);
            sum += v == RECENT_NONE ? 0 : v;
            known += v != RECENT_NONE;
        }
        ret[i] = (uint8_t)(known ? sum / known : RECENT_NONE);
    }
}

enum recent_span recent_span_of(int64_t s)
{
    return s > RECENT_SLOTS * RECENT_SLOT_MS / MS_PER_S ? RECENT_HOUR : RECENT_SIX_MINUTES;
}

void recent_sum_add(struct recent_sum *s, const struct recent *p, uint64_t weight)
{
    int64_t from = p->end - s->end > RECENT_SLOTS ? p->end - RECENT_SLOTS : s->end;
    for (int64_t i = from; i < p->end; i++) /* they stood for older slots */
        s->sum[i % RECENT_SLOTS] = s->weight[i % RECENT_SLOTS] = 0;
    s->end = p->end > s->end ? p->end : s->end;
    for (int64_t i = s->end > RECENT_SLOTS ? s->end - RECENT_SLOTS : 0; i < p->end; i++) {
        uint8_t v = recent_at(p, i);
        if (v == RECENT_NONE)
            continue;
        s->sum[i % RECENT_SLOTS] += v * weight;
        s->weight[i % RECENT_SLOTS] += weight;
    }
}

void recent_sum_mean(const struct recent_sum *s, struct recent *ret)
{
    *ret = (struct recent){.end = s->end};
    for (size_t i = 0; i < RECENT_SLOTS; i++)
        ret->v[i] = (uint8_t)(s->weight[i] ? s->sum[i] / s->weight[i] : RECENT_NONE);
}
