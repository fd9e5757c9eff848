/* time.c - instants as text, in local time. */
#include "src/base/time.h"

#include <stdio.h>
#include <time.h>

const char *wall_format_iso(struct wall w, char buf[static WALL_TEXT_SIZE])
{
    time_t t = (time_t)(w.ms / MS_PER_S);
    struct tm tm;
    if (!wall_is_set(w) || !localtime_r(&t, &tm) ||
        !strftime(buf, WALL_TEXT_SIZE, "%Y-%m-%dT%H:%M:%S", &tm))
        snprintf(buf, WALL_TEXT_SIZE, "Unknown");
    return buf;
}
