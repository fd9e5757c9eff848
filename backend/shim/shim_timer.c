#include "backend/shim/shim_timer.h"

#include <sys/timerfd.h>

#include "src/os/clock.h"
#include "src/values/units.h"

#define EARLY_NEWS_S 5 /* a second early signal is at least this far ahead */

int64_t shim_timer_lease_ms(const struct shim *s)
{
    return s->l.lease_s && !s->lease_over ? s->lease_ms : INT64_MAX;
}

void shim_timer_start(struct shim *s)
{
    s->limit_ms = s->early_ms = INT64_MAX;
    uint32_t limit = s->l.time_limit_s;
    if (limit == DURATION_UNLIMITED || limit == DURATION_NOT_SET || limit == 0)
        return;
    s->limit_ms = s->start_ms + (int64_t)limit * 1000;
    if (s->l.early_signal > 0) {
        s->early_ms = s->limit_ms - (int64_t)s->l.early_signal_s * 1000;
        if (s->early_ms < s->start_ms)
            s->early_ms = s->start_ms;
    }
}

/* CLOCK_BOOTTIME, so that the limit is over when the machine wakes after it. */
void shim_timer_arm(struct shim *s)
{
    int64_t at = s->early_ms < s->limit_ms ? s->early_ms : s->limit_ms;
    if (shim_timer_lease_ms(s) < at)
        at = shim_timer_lease_ms(s);
    if (at == INT64_MAX)
        return;
    if (s->timer_fd < 0)
        s->timer_fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    struct itimerspec it = {.it_value = {.tv_sec = at / 1000, .tv_nsec = at % 1000 * 1000000 + 1}};
    timerfd_settime(s->timer_fd, TFD_TIMER_ABSTIME, &it, NULL);
}

void shim_timer_set_early(struct shim *s, uint32_t in_s)
{
    if (s->l.early_signal <= 0 || (s->early_sent && in_s < EARLY_NEWS_S))
        return;
    s->early_ms = in_s < DURATION_NOT_SET ? mono_ms() + (int64_t)in_s * 1000 : INT64_MAX;
    shim_timer_arm(s);
}

void shim_timer_set_limit(struct shim *s, bool paused, uint32_t in_s)
{
    int64_t now = mono_ms(), left_ms = s->limit_ms - now;
    bool counts = s->limit_ms != INT64_MAX;
    if (s->terminating)
        return;
    if (paused && s->l.limit_own && counts)
        s->own_left_ms = left_ms > 0 ? left_ms : 1;
    if (paused)
        s->limit_ms = INT64_MAX;
    else if (!s->l.limit_own)
        s->limit_ms = in_s < DURATION_NOT_SET ? now + (int64_t)in_s * 1000 : INT64_MAX;
    else if (s->own_left_ms)
        s->limit_ms = now + s->own_left_ms;
    if (!paused)
        s->own_left_ms = 0;
    shim_timer_arm(s);
}
