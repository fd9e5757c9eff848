/* Points in time and durations: what they accept they print, and read back as the same. */
#include <assert.h>
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/values/time_parse.h"
#include "src/values/units.h"
#include "tests/fuzz/driver.h"

static void durations(const char *s)
{
    uint32_t t, t_back;
    char buf[UNITS_TEXT_SIZE];
    if (duration_parse_slurm(s, &t, NULL) == 0) {
        assert(t != DURATION_NOT_SET);
        int r = duration_parse_slurm(duration_format(t, buf), &t_back, NULL);
        assert(r == 0 && t == t_back);
    }
    if (duration_parse_conf(s, &t, NULL) == 0)
        assert(t != DURATION_NOT_SET);
}

/* The end of summer time has an hour twice, whose text does not say which: only the parser itself is at
 * stake there. */
static void times(const char *s)
{
    struct wall w, back, now = {.ms = 1795185010123};
    char buf[WALL_TEXT_SIZE];
    if (wall_parse(s, now, &w, NULL) == 0 && wall_parse(wall_format_iso(w, buf), now, &back, NULL) == 0)
        assert(llabs(w.ms - back.ms) <= 3600 * 1000);
    if (wall_parse_past(s, now, &w, NULL) == 0 &&
        wall_parse(wall_format_iso(w, buf), now, &back, NULL) == 0)
        assert(llabs(w.ms - back.ms) <= 3600 * 1000);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *s = xstrndup((const char *)data, size);
    durations(s);
    times(s);
    free(s);
    return 0;
}
