/* The parsers of short texts in base: no input may crash them, and what they accept they print and read
 * back as the same. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/cpuset.h"
#include "src/base/hostlist.h"
#include "src/base/time.h"
#include "src/base/units.h"
#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "tests/fuzz/driver.h"

const char *const fuzz_seeds[] = {"n[1-2,05-07],x3",
                                  "r[1-2]n[01-02]-ib",
                                  "0-3,8,63-64",
                                  "1-02:03:04",
                                  "UNLIMITED",
                                  "7d",
                                  "1.5GiB",
                                  "2026-11-21T04:30:05",
                                  "now+2hours",
                                  "noon tomorrow",
                                  "12/24/30 04:30PM",
                                  "@1795185010",
                                  "a\xc3\xa9\xe4\xb8\xad",
                                  "e\xcc\x81\xe2\x80\xae\x1b[m\xff",
                                  NULL};

static void hostlists(const char *s)
{
    struct strv v = {0}, back = {0};
    if (hostlist_expand(s, &v, NULL) < 0)
        return;
    char *text = hostlist_compress(&v);
    int r = hostlist_expand(text, &back, NULL);
    assert(r == 0 && back.n == v.n);
    for (size_t i = 0; i < v.n; i++)
        assert(strcmp(v.v[i], back.v[i]) == 0);
    free(text);
    strv_fini(&v);
    strv_fini(&back);
}

static void cpusets(const char *s)
{
    struct cpuset set, back;
    if (cpuset_parse(s, &set, NULL) < 0)
        return;
    char *text = cpuset_format(&set);
    int r = cpuset_parse(text, &back, NULL);
    assert(r == 0 && cpuset_eq(&set, &back));
    free(text);
}

static void units(const char *s)
{
    uint32_t t, t_back;
    uint64_t mib, mib_back;
    int64_t i;
    char buf[UNITS_TEXT_SIZE];
    if (duration_parse_slurm(s, &t, NULL) == 0) {
        assert(t != DURATION_NOT_SET);
        int r = duration_parse_slurm(duration_format(t, buf), &t_back, NULL);
        assert(r == 0 && t == t_back);
    }
    if (duration_parse_conf(s, &t, NULL) == 0)
        assert(t != DURATION_NOT_SET);
    if (mem_parse_mib(s, &mib, NULL) == 0) {
        int r = mem_parse_mib(mem_format_slurm(mib, buf), &mib_back, NULL);
        assert(r == 0 && mib == mib_back);
    }
    if (int_parse(s, -5, 5, &i, NULL) == 0)
        assert(i >= -5 && i <= 5);
}

static void times(const char *s)
{
    struct wall w, back, now = {.ms = 1795185010123};
    char buf[WALL_TEXT_SIZE];
    /* The end of summer time has an hour twice, whose text does not say which: only the parser itself is at
     * stake there. */
    if (wall_parse(s, now, &w, NULL) == 0 && wall_parse(wall_format_iso(w, buf), now, &back, NULL) == 0)
        assert(llabs(w.ms - back.ms) <= 3600 * 1000);
}

static void screen_text(const char *s)
{
    for (int max = -1; max < 6; max++) {
        struct str out = STR_INIT;
        int cells = cell_text(&out, s, max, max % 2, max == 4);
        assert(utf8_is_valid(out.s, out.len) && (max < 0 ? cells == cell_width(s) : cells <= max));
        str_fini(&out);
    }
    if (utf8_is_clean_name(s, 64))
        assert(utf8_is_valid(s, strlen(s)) && cell_width(s) > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *s = xstrndup((const char *)data, size);
    hostlists(s);
    cpusets(s);
    units(s);
    times(s);
    screen_text(s);
    free(s);
    return 0;
}
