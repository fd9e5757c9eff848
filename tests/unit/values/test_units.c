/* Durations, sizes, numbers. */
#include "tests/lib/check.h"

#include <errno.h>

#include "src/values/units.h"

#define UNLIMITED DURATION_UNLIMITED
#define D(n)      ((n)*86400u)

static void slurm_times_refused(void **unused)
{
    (void)unused;
    static const char *const rows[] = {
        "",         " ",       "x",  "5m",   "1:",    ":1",         "1::2",
        "1:2:3:4",  "-",       "1-", "-1-2", "1-2-3", "1-2:3:4:5",  "+5",
        "1.5",      " 5",      "5 ", "-2",   "unlim", "4294967296", "99999999999999999999",
        "71582789", "49711-0", "1,5"};
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct errtext err = {0};
        uint32_t s = 77;
        check_int(rows[i], duration_parse_slurm(rows[i], &s, &err), -EINVAL);
        check_int(rows[i], s, 77);
        check_has(rows[i], err.s, rows[i]);
        check_int(rows[i], duration_parse_slurm(rows[i], &s, NULL), -EINVAL);
    }
}

static void slurm_times(void **unused)
{
    (void)unused;
    static const struct {
        const char *in;
        uint32_t s;
    } rows[] = {{"1", 60},
                {"90", 5400},
                {"1:30", 90},
                {"90:00", 5400},
                {"0:01", 1},
                {"1:00:00", 3600},
                {"01:02:03", 3723},
                {"0:90:00", 5400},
                {"1-0", D(1)},
                {"2-3", D(2) + 3 * 3600},
                {"1-2:3", D(1) + 7380},
                {"1-02:03:04", D(1) + 7384},
                {"0-1:30", 5400},
                {"0", UNLIMITED},
                {"0:00", UNLIMITED},
                {"-1", UNLIMITED},
                {"UNLIMITED", UNLIMITED},
                {"infinite", UNLIMITED},
                {"71582788:13", 4294967293u}, /* the longest */
                {"49710-06:28:13", 4294967293u}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        uint32_t s = 0;
        check_int(rows[i].in, duration_parse_slurm(rows[i].in, &s, NULL), 0);
        check_int(rows[i].in, s, rows[i].s);
    }
}

static void conf_times(void **unused)
{
    (void)unused;
    static const char *const bad[] = {"",    "s",   "5x",         "5ms",     "1h30m", "1.5h",
                                      "-5s", "5 s", "4294967294", "700000w", "1:",    ":"};
    static const struct {
        const char *in;
        uint32_t s;
    } rows[] = {{"0", 0},
                {"0s", 0},
                {"0:00", 0},
                {"90", 90},
                {"90s", 90},
                {"5m", 300},
                {"2h", 7200},
                {"7d", D(7)},
                {"1w", D(7)},
                {"7-0", D(7)},
                {"7-00:00:00", D(7)},
                {"1:00:00", 3600},
                {"unlimited", UNLIMITED},
                {"4294967293", 4294967293u}};
    for (size_t i = 0; i < N_OF(bad); i++) {
        struct errtext err = {0};
        uint32_t s = 77;
        check_int(bad[i], duration_parse_conf(bad[i], &s, &err), -EINVAL);
        check_int(bad[i], s, 77);
        check_has(bad[i], err.s, "is not a time");
    }
    for (size_t i = 0; i < N_OF(rows); i++) {
        uint32_t s = 77;
        check_int(rows[i].in, duration_parse_conf(rows[i].in, &s, NULL), 0);
        check_int(rows[i].in, s, rows[i].s);
    }
}

static void times_printed(void **unused)
{
    (void)unused;
    static const struct {
        uint32_t s;
        const char *squeue, *scontrol, *words;
    } rows[] = {{0, "0:00", "00:00:00", "0 s"},
                {1, "0:01", "00:00:01", "1 s"},
                {59, "0:59", "00:00:59", "59 s"},
                {60, "1:00", "00:01:00", "1 min"},
                {779, "12:59", "00:12:59", "12 min"},
                {3599, "59:59", "00:59:59", "59 min"},
                {3600, "1:00:00", "01:00:00", "1 h"},
                {12000, "3:20:00", "03:20:00", "3 h 20 min"},
                {D(1) - 1, "23:59:59", "23:59:59", "23 h 59 min"},
                {D(1), "1-00:00:00", "1-00:00:00", "1 d"},
                {D(2) + 4 * 3600 + 59, "2-04:00:59", "2-04:00:59", "2 d 4 h"},
                {4294967293u, "49710-06:28:13", "49710-06:28:13", "49710 d 6 h"},
                {DURATION_NOT_SET, "NOT_SET", "NOT_SET", NULL},
                {DURATION_UNLIMITED, "UNLIMITED", "UNLIMITED", NULL}};
    char buf[UNITS_TEXT_SIZE];
    for (size_t i = 0; i < N_OF(rows); i++) {
        check_str(rows[i].squeue, duration_format(rows[i].s, buf), rows[i].squeue);
        check_str(rows[i].squeue, duration_format_padded(rows[i].s, buf), rows[i].scontrol);
        if (rows[i].words)
            check_str(rows[i].squeue, duration_format_words(rows[i].s, buf), rows[i].words);
    }
    check_str("negative", duration_format_words(-5, buf), "0 s");
    check_str("largest", duration_format_words(INT64_MAX, buf), "106751991167300 d 15 h");
}

static void sizes_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *in;
        int r;
    } rows[] = {{"", -EINVAL},
                {"G", -EINVAL},
                {".", -EINVAL},
                {".G", -EINVAL},
                {"-1", -EINVAL},
                {"+1", -EINVAL},
                {"1X", -EINVAL},
                {"1GG", -EINVAL},
                {"1 G", -EINVAL},
                {"1Gi", -EINVAL},
                {"1..5G", -EINVAL},
                {"1e3", -EINVAL},
                {"1.0000000001G", -EINVAL},
                {"17592186044416", -ERANGE},
                {"17179869184G", -ERANGE},
                {"99999999999999999999999999999999999999999999999999", -ERANGE}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct errtext err = {0};
        uint64_t mib = 77;
        check_int(rows[i].in, mem_parse_mib(rows[i].in, &mib, &err), rows[i].r);
        check_int(rows[i].in, mib, 77);
        check_has(rows[i].in, err.s, rows[i].in);
    }
}

static void sizes(void **unused)
{
    (void)unused;
    static const struct {
        const char *in;
        uint64_t mib;
    } rows[] = {{"0", 0},           {"1", 1},
                {"4000", 4000},     {"4000M", 4000},
                {"4g", 4096},       {"4GB", 4096},
                {"4GiB", 4096},     {"1.5G", 1536},
                {".5g", 512},       {"1.G", 1024},
                {"1K", 1},          {"1024K", 1},
                {"1025kb", 2},      {"2T", 2097152},
                {"1P", 1073741824}, {"0.0001G", 1},
                {"0G", 0},          {"1.000000001M", 2},
                {"007", 7},         {"17592186044415", 17592186044415u}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        uint64_t mib = 77;
        check_int(rows[i].in, mem_parse_mib(rows[i].in, &mib, NULL), 0);
        check_int(rows[i].in, mib, rows[i].mib);
    }
}

static void sizes_printed(void **unused)
{
    (void)unused;
    static const struct {
        uint64_t mib;
        const char *slurm;
    } slurm[] = {{0, "0"},        {1, "1M"},        {4000, "4000M"}, {1024, "1G"},
                 {1536, "1536M"}, {131072, "128G"}, {1048576, "1T"}, {UINT64_C(1) << 43, "8192P"}};
    static const struct {
        uint64_t kib;
        const char *words;
    } words[] = {{0, "0K"},           {1023, "1023K"},     {1024, "1M"},         {524288, "512M"},
                 {1048575, "1023M"},  {1048576, "1G"},     {1572864, "1.5G"},    {104752742, "99.8G"},
                 {134217728, "128G"}, {134742016, "128G"}, {1649267441, "1.5T"}, {UINT64_MAX, "16777215P"}};
    char buf[UNITS_TEXT_SIZE];
    for (size_t i = 0; i < N_OF(slurm); i++)
        check_str(slurm[i].slurm, mem_format_slurm(slurm[i].mib, buf), slurm[i].slurm);
    for (size_t i = 0; i < N_OF(words); i++)
        check_str(words[i].words, mem_format_words(words[i].kib, buf), words[i].words);
}

static void integers(void **unused)
{
    (void)unused;
    static const struct {
        const char *in;
        int64_t min, max;
        int r;
        int64_t v;
    } rows[] = {{"", 0, 10, -EINVAL, 0},
                {"-", -10, 10, -EINVAL, 0},
                {"+1", 0, 10, -EINVAL, 0},
                {" 1", 0, 10, -EINVAL, 0},
                {"1 ", 0, 10, -EINVAL, 0},
                {"1x", 0, 10, -EINVAL, 0},
                {"0x1", 0, 10, -EINVAL, 0},
                {"11", 0, 10, -EINVAL, 0},
                {"-1", 0, 10, -EINVAL, 0},
                {"9223372036854775808", 0, INT64_MAX, -EINVAL, 0},
                {"0", 0, 10, 0, 0},
                {"10", 0, 10, 0, 10},
                {"-3", -3, 10, 0, -3},
                {"007", 0, 10, 0, 7},
                {"9223372036854775807", 0, INT64_MAX, 0, INT64_MAX},
                {"-9223372036854775808", INT64_MIN, 0, 0, INT64_MIN}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct errtext err = {0};
        int64_t v = 0;
        check_int(rows[i].in, int_parse(rows[i].in, rows[i].min, rows[i].max, &v, &err), rows[i].r);
        check_int(rows[i].in, v, rows[i].v);
        check_int(rows[i].in, err.s[0] != '\0', rows[i].r != 0);
    }
}

/* What is printed is read back as the same: every duration that has a form. */
static void durations_round_trip(void **unused)
{
    (void)unused;
    uint64_t rng = check_seed();
    for (int i = 0; i < 5000; i++) {
        uint32_t s = 1 +
                     (uint32_t)(check_rand(&rng) >> 32 >> check_rand(&rng) % 32) % (DURATION_NOT_SET - 1),
                 back = 0;
        char buf[UNITS_TEXT_SIZE];
        assert_int_equal(duration_parse_slurm(duration_format(s, buf), &back, NULL), 0);
        check_int(buf, back, s);
        assert_int_equal(duration_parse_slurm(duration_format_padded(s, buf), &back, NULL), 0);
        check_int(buf, back, s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slurm_times_refused), cmocka_unit_test(slurm_times),
        cmocka_unit_test(conf_times),          cmocka_unit_test(times_printed),
        cmocka_unit_test(sizes_refused),       cmocka_unit_test(sizes),
        cmocka_unit_test(sizes_printed),       cmocka_unit_test(integers),
        cmocka_unit_test(durations_round_trip)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
