/* test_hooks.h - what tests change in a running controller, from the environment, read once at its start.
 *
 *     STOKER_CRASH=POINT:COUNT   the process ends itself at that point, the COUNT-th time it comes there
 *     STOKER_BEAT_MS, STOKER_AVOID_MS, STOKER_REPORT_MS   shorter times
 *     STOKER_SYSLOG=PATH         in the place of /dev/log
 */
#ifndef STOKER_BACKEND_CONTROL_TEST_HOOKS_H
#define STOKER_BACKEND_CONTROL_TEST_HOOKS_H

#include <stdint.h>

#define CRASH_POINTS(X)             \
    X(BEFORE_COMMIT, before_commit) \
    X(AFTER_COMMIT, after_commit)   \
    X(AFTER_REPLY, after_reply)     \
    X(AFTER_LAUNCH, after_launch)

enum crash_point {
    CRASH_NEVER,
#define X(point, name) CRASH_##point,
    CRASH_POINTS(X)
#undef X
};

struct test_hooks {
    enum crash_point crash_at;
    int64_t crash_count;
    int64_t beat_ms;    /* between heartbeats of nodes */
    int64_t avoid_ms;   /* for which a node that starts nothing is avoided; 0: as long as ever */
    int64_t report_ms;  /* between two reports of a node that count; 0: as long as ever */
    const char *syslog; /* NULL: /dev/log; belongs to the environment */
};

/* beat_ms: what it is without a test. */
void test_hooks_read(struct test_hooks *h, int64_t beat_ms);
void test_hooks_crash(struct test_hooks *h, enum crash_point here);

#endif
