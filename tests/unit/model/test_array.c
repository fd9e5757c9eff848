/* The grammar of --array. */
#include "src/base/xalloc.h"
#include "tests/lib/check.h"

#include <errno.h>

#include "src/model/array.h"

#define SIZE 1001

static void refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *spec;
        int rc;
        const char *err;
    } rows[] = {
        {"", -EINVAL, "a number is missing"},
        {"x", -EINVAL, "a number is missing"},
        {"-1", -EINVAL, "a number is missing"},
        {"1,", -EINVAL, "a number is missing"},
        {",1", -EINVAL, "a number is missing"},
        {"1,,2", -EINVAL, "a number is missing"},
        {"1-", -EINVAL, "the end of the range is missing"},
        {"5-1", -EINVAL, "the range runs backwards"},
        {"1-5:0", -EINVAL, "the step must be a number from 1 on"},
        {"1-5:", -EINVAL, "the step must be a number from 1 on"},
        {"1:2", -EINVAL, "':' is not understood"},
        {"1 2", -EINVAL, "' ' is not understood"},
        {"1-5%", -EINVAL, "is not a limit"},
        {"1-5%x", -EINVAL, "is not a limit"},
        {"1-5%2,7", -EINVAL, "is not a limit"},
        {"%4", -EINVAL, "a number is missing"},
        {"1001", -ERANGE, "the highest index allowed is 1000"},
        {"0-1001", -ERANGE, "the highest index allowed is 1000"},
        {"99999999999999999999", -ERANGE, "the highest index allowed is 1000"},
        {"0-18446744073709551617", -ERANGE, "the highest index allowed is 1000"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct array_spec a = {.count = 77};
        struct errtext err = {0};
        check_int(rows[i].spec, array_parse(rows[i].spec, SIZE, &a, &err), rows[i].rc);
        check_has(rows[i].spec, err.s, rows[i].err);
        check_int(rows[i].spec, a.count, 77);
    }
}

static void understood(void **unused)
{
    (void)unused;
    static const struct {
        const char *spec, *ranges;
        uint32_t count, min, max, step, throttle;
    } rows[] = {
        {"0", "0-0:1", 1, 0, 0, 1, 0},
        {"1000", "1000-1000:1", 1, 1000, 1000, 1, 0},
        {"0-9", "0-9:1", 10, 0, 9, 1, 0},
        {"1-10:2%4", "1-9:2", 5, 1, 9, 2, 4},
        {"1,3,5,7", "1-7:2", 4, 1, 7, 2, 0},
        {"1,2", "1-2:1", 2, 1, 2, 1, 0},
        {"1,5", "1-1:1 5-5:1", 2, 1, 5, 1, 0},
        {"1,5,7,9", "1-1:1 5-9:2", 4, 1, 9, 1, 0},
        {"5,1", "1-1:1 5-5:1", 2, 1, 5, 1, 0},
        {"1-3,3,2-5", "1-5:1", 5, 1, 5, 1, 0}, /* twice is once */
        {"0-5:10", "0-0:1", 1, 0, 0, 1, 0},
        {"7-7", "7-7:1", 1, 7, 7, 1, 0},
        {"0-9%0", "0-9:1", 10, 0, 9, 1, 0},
        {"0-1000", "0-1000:1", 1001, 0, 1000, 1, 0},
        {"63,64,65", "63-65:1", 3, 63, 65, 1, 0},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct array_spec a;
        struct errtext err = {0};
        check_int(rows[i].spec, array_parse(rows[i].spec, SIZE, &a, &err), 0);
        struct str got = STR_INIT;
        for (size_t k = 0; k < a.ranges.n; k++)
            str_appendf(&got, "%s%u-%u:%u", k ? " " : "", a.ranges.v[k].first, a.ranges.v[k].last,
                        a.ranges.v[k].step);
        check_str(rows[i].spec, got.s, rows[i].ranges);
        check_int(rows[i].spec, a.count, rows[i].count);
        check_int(rows[i].spec, a.min, rows[i].min);
        check_int(rows[i].spec, a.max, rows[i].max);
        check_int(rows[i].spec, a.step, rows[i].step);
        check_int(rows[i].spec, a.throttle, rows[i].throttle);
        str_fini(&got);
        array_spec_fini(&a);
    }
}

/* The ranges hold exactly the indices that the items name. */
static void ranges_are_the_set(void **unused)
{
    (void)unused;
    uint64_t seed = check_seed();
    for (int round = 0; round < 2000; round++) {
        bool want[200] = {false}, got[200] = {false};
        struct str spec = STR_INIT;
        for (uint64_t n = check_rand(&seed) % 6 + 1; n; n--) {
            unsigned first = (unsigned)(check_rand(&seed) % 200),
                     step = (unsigned)(check_rand(&seed) % 5 + 1);
            unsigned last = first + (unsigned)(check_rand(&seed) % (200 - first));
            str_appendf(&spec, "%s%u-%u:%u", spec.len ? "," : "", first, last, step);
            for (unsigned i = first; i <= last; i += step)
                want[i] = true;
        }
        struct array_spec a;
        check_int(spec.s, array_parse(spec.s, 200, &a, NULL), 0);
        unsigned count = 0;
        for (size_t k = 0; k < a.ranges.n; k++)
            for (unsigned i = a.ranges.v[k].first; i <= a.ranges.v[k].last;
                 i += a.ranges.v[k].step, count++) {
                if (got[i])
                    fail_msg("[%s] %u twice", spec.s, i);
                got[i] = true;
            }
        if (memcmp(want, got, sizeof want) != 0)
            fail_msg("[%s] another set", spec.s);
        check_int(spec.s, a.count, count);
        array_spec_fini(&a);
        str_fini(&spec);
    }
}

static void test_elements_that_an_array_had(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        uint32_t index;
        bool had;
    } rows[] = {
        {"1,5,100", 1, true},
        {"1,5,100", 5, true},
        {"1,5,100", 50, false},
        {"1,5,100", 100, true},
        {"1,5,100", 0, false},
        {"1,5,100", 101, false},
        {"0-9%2", 7, true},
        {"0-9%2", 10, false},
        {"0-8:4", 4, true},
        {"0-8:4", 6, false},
        {"0-3,10-20:5%3", 15, true},
        {"0-3,10-20:5%3", 16, false},
        {"0-3,10-20:5%3", 4, false},
        {"7", 7, true},
        {"7", 8, false},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct array_spec a;
        assert_int_equal(array_parse(rows[i].spec, 1000, &a, NULL), 0);
        struct job *j = job_new();
        req_detail_mut(&j->req)->array_spec = xstrdup(rows[i].spec);
        job_origin_mut(j)->array_count = a.count;
        job_origin_mut(j)->array_min = a.min;
        job_origin_mut(j)->array_max = a.max;
        job_origin_mut(j)->array_step = a.step;
        char *name = xasprintf("%u of %s", rows[i].index, rows[i].spec);
        check_int(name, array_had(j, rows[i].index), rows[i].had);
        free(name);
        job_free(j);
        array_spec_fini(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements_that_an_array_had),
        cmocka_unit_test(refused),
        cmocka_unit_test(understood),
        cmocka_unit_test(ranges_are_the_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
