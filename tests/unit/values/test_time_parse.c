/* Instants: the forms of --begin, in a zone of our own. */
#include "tests/lib/check.h"

#include <errno.h>

#include "src/base/err.h"
#include "src/values/time_parse.h"

/* Friday 2026-11-20 15:30:10 in a zone one hour east of Greenwich with summer time, as in Oslo. */
#define NOW_S 1795185010LL
static const struct wall now = {.ms = NOW_S * 1000 + 123};

static int use_zone(void **unused)
{
    (void)unused;
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
    return 0;
}

static void refused(void **unused)
{
    (void)unused;
    static const char *const rows[] = {"",
                                       " ",
                                       "x",
                                       "now+",
                                       "now+x",
                                       "now+5parsecs",
                                       "now+1234567890",
                                       "nowx",
                                       "now now",
                                       "now 10:00",
                                       "10",
                                       "1000000",
                                       "25:00",
                                       "24:00",
                                       "10:60",
                                       "10:00:60",
                                       "10:0",
                                       ":30",
                                       "10:00:",
                                       "13:00PM",
                                       "0:30AM",
                                       "10:00 11:00",
                                       "1301",
                                       "0230",
                                       "0001",
                                       "0100",
                                       "02/30",
                                       "13/01",
                                       "1/",
                                       "1/2/3",
                                       "2026-13-01",
                                       "2026-02-29",
                                       "2026-00-10",
                                       "2026-01-00",
                                       "2026-1",
                                       "1969-01-01",
                                       "2026-01-01T",
                                       "2026-01-01T10",
                                       "2026-01-01T25:00",
                                       "2026-01-01X10:00",
                                       "2026-01-01T10:00Z",
                                       "today tomorrow",
                                       "1121 1122",
                                       "@",
                                       "@x",
                                       "@-5",
                                       "@0",
                                       "@123456789012",
                                       "@5 @6",
                                       "tomorro",
                                       "todayish",
                                       "yesterday",
                                       "10:00;rm"};
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct errtext err = {0};
        struct wall w = {.ms = 77};
        check_int(rows[i], wall_parse(rows[i], now, &w, &err), -EINVAL);
        check_int(rows[i], w.ms, 77);
        check_has(rows[i], err.s, "is not a time");
    }
}

static void read_as(void **unused)
{
    (void)unused;
    static const struct {
        const char *in, *iso;
    } rows[] = {{"now", "2026-11-20T15:30:10"},
                {" now ", "2026-11-20T15:30:10"},
                {"now+60", "2026-11-20T15:31:10"},
                {"now + 60", NULL},
                {"now +60", "2026-11-20T15:31:10"},
                {"NOW+1hour", "2026-11-20T16:30:10"},
                {"now+2hours", "2026-11-20T17:30:10"},
                {"now+2 hours", "2026-11-20T17:30:10"},
                {"now+3minutes", "2026-11-20T15:33:10"},
                {"now+1day", "2026-11-21T15:30:10"},
                {"now+1week", "2026-11-27T15:30:10"},
                {"now-30minutes", "2026-11-20T15:00:10"},
                {"16:00", "2026-11-20T16:00:00"},
                {"15:30:11", "2026-11-20T15:30:11"},
                {"15:30:10", "2026-11-21T15:30:10"}, /* passed: the next one */
                {"8:05", "2026-11-21T08:05:00"},
                {"00:00", "2026-11-21T00:00:00"},
                {"04:30PM", "2026-11-20T16:30:00"},
                {"12:00am", "2026-11-21T00:00:00"},
                {"12:00pm", "2026-11-21T12:00:00"},
                {"midnight", "2026-11-21T00:00:00"},
                {"noon", "2026-11-21T12:00:00"},
                {"teatime", "2026-11-20T16:00:00"},
                {"today", "2026-11-20T00:00:00"},
                {"tomorrow", "2026-11-21T00:00:00"},
                {"noon tomorrow", "2026-11-21T12:00:00"},
                {"tomorrow 09:15", "2026-11-21T09:15:00"},
                {"today 09:15", "2026-11-20T09:15:00"},
                {"1120", "2026-11-20T00:00:00"}, /* today is not next year */
                {"1119", "2027-11-19T00:00:00"},
                {"0101", "2027-01-01T00:00:00"},
                {"0229", "2028-02-29T00:00:00"}, /* the next leap year */
                {"010230", "2030-01-02T00:00:00"},
                {"12/24", "2026-12-24T00:00:00"},
                {"1/2", "2027-01-02T00:00:00"},
                {"1/2/30 10:00", "2030-01-02T10:00:00"},
                {"2026-11-21", "2026-11-21T00:00:00"},
                {"2026-11-21T04:30", "2026-11-21T04:30:00"},
                {"2026-11-21T04:30:05", "2026-11-21T04:30:05"},
                {"2026-11-21 04:30", "2026-11-21T04:30:00"},
                {"04:30 2026-11-21", "2026-11-21T04:30:00"},
                {"2027-7-1T12:00", "2027-07-01T12:00:00"}, /* summer time */
                {"2028-02-29", "2028-02-29T00:00:00"},
                {"2038-01-20", "2038-01-20T00:00:00"},
                {"@1795185010", "2026-11-20T15:30:10"}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct errtext err = {0};
        struct wall w = {0};
        char buf[WALL_TEXT_SIZE];
        int r = wall_parse(rows[i].in, now, &w, &err);
        check_int(rows[i].in, r, rows[i].iso ? 0 : -EINVAL);
        if (rows[i].iso)
            check_str(rows[i].in, wall_format_iso(w, buf), rows[i].iso);
    }
}

static void times_of_what_has_been(void **unused)
{
    (void)unused;
    const struct {
        const char *in, *iso;
    } rows[] = {{"", NULL},
                {"nonsense", NULL},
                {"now", "2026-11-20T15:30:10"},
                {"now-2days", "2026-11-18T15:30:10"},
                {"now-3600", "2026-11-20T14:30:10"},
                {"15:30", "2026-11-20T15:30:00"},
                {"15:31", "2026-11-19T15:31:00"}, /* still to come: that of yesterday */
                {"midnight", "2026-11-20T00:00:00"},
                {"today", "2026-11-20T00:00:00"},
                {"1120", "2026-11-20T00:00:00"},
                {"1121", "2025-11-21T00:00:00"},
                {"0229", "2024-02-29T00:00:00"},
                {"12/24", "2025-12-24T00:00:00"},
                {"2027-01-01", "2027-01-01T00:00:00"},
                {"1970-01-01", "1970-01-01T00:00:00"}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct wall w = {0};
        char buf[WALL_TEXT_SIZE];
        check_int(rows[i].in, wall_parse_past(rows[i].in, now, &w, NULL), rows[i].iso ? 0 : -EINVAL);
        if (rows[i].iso && rows[i].iso[0] == '1')
            check_int(rows[i].in, w.ms >= 1 && w.ms <= 86400000, 1);
        else if (rows[i].iso)
            check_str(rows[i].in, wall_format_iso(w, buf), rows[i].iso);
    }
}

static void tomorrow_at_the_end_of_the_year(void **unused)
{
    (void)unused;
    struct wall w = {0};
    char buf[WALL_TEXT_SIZE];
    struct wall eve = {0};
    assert_int_equal(wall_parse("2026-12-31T23:59:59", now, &eve, NULL), 0);
    assert_int_equal(wall_parse("tomorrow", eve, &w, NULL), 0);
    assert_string_equal(wall_format_iso(w, buf), "2027-01-01T00:00:00");
    assert_int_equal(wall_parse("23:59", eve, &w, NULL), 0);
    assert_string_equal(wall_format_iso(w, buf), "2027-01-01T23:59:00");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused), cmocka_unit_test(read_as),
                                       cmocka_unit_test(times_of_what_has_been),
                                       cmocka_unit_test(tomorrow_at_the_end_of_the_year)};
    return cmocka_run_group_tests(tests, use_zone, NULL);
}
