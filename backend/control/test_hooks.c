#include "backend/control/test_hooks.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BEAT_MIN_MS 20

static int64_t test_hooks_number(const char *name)
{
    const char *s = getenv(name);
    return s ? strtoll(s, NULL, 10) : 0;
}

void test_hooks_read(struct test_hooks *h, int64_t beat_ms)
{
    static const char *const names[] = {
#define X(point, name) [CRASH_##point] = #name,
        CRASH_POINTS(X)
#undef X
    };
    int64_t beat = test_hooks_number("STOKER_BEAT_MS"), avoid = test_hooks_number("STOKER_AVOID_MS");
    const char *crash = getenv("STOKER_CRASH"), *colon = crash ? strchr(crash, ':') : NULL;
    *h = (struct test_hooks){.beat_ms = beat >= BEAT_MIN_MS && beat < beat_ms ? beat : beat_ms,
                             .avoid_ms = avoid > 0 ? avoid : 0,
                             .report_ms = test_hooks_number("STOKER_REPORT_MS"),
                             .syslog = getenv("STOKER_SYSLOG")};
    for (size_t i = 1; colon && i < sizeof names / sizeof names[0]; i++)
        if (strncmp(crash, names[i], (size_t)(colon - crash)) == 0 && !names[i][colon - crash]) {
            h->crash_at = (enum crash_point)i;
            h->crash_count = strtoll(colon + 1, NULL, 10);
        }
}

void test_hooks_crash(struct test_hooks *h, enum crash_point here)
{
    if (h->crash_at == here && --h->crash_count <= 0)
        kill(getpid(), SIGKILL);
}
