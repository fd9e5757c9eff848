/* Instants: their text, in a zone of our own, and their arithmetic. */
#include "tests/lib/check.h"

#include "src/base/time.h"

static int use_zone(void **unused)
{
    (void)unused;
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
    return 0;
}

static void formats(void **unused)
{
    (void)unused;
    char buf[WALL_TEXT_SIZE];
    assert_string_equal(wall_format_iso((struct wall){0}, buf), "Unknown");
    assert_string_equal(wall_format_iso((struct wall){.ms = INT64_MAX}, buf), "292278994-08-17T08:12:55");
    assert_string_equal(wall_format_iso((struct wall){.ms = 1795185010LL * MS_PER_S}, buf),
                        "2026-11-20T15:30:10");
}

static void arithmetic(void **unused)
{
    (void)unused;
    struct wall a = {.ms = 10000}, b = wall_add_s(a, 5);
    assert_int_equal(b.ms, 15000);
    assert_int_equal(wall_elapsed_s(a, b), 5);
    assert_int_equal(wall_elapsed_s(b, a), 0);
    assert_int_equal(mono_add_ms((struct mono){.ns = 1}, 2).ns, 2000001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(formats), cmocka_unit_test(arithmetic)};
    return cmocka_run_group_tests(tests, use_zone, NULL);
}
