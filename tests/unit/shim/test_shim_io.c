/* test_shim_io.c - streams that pass through the shim. */
#include "tests/lib/check.h"

#include <fcntl.h>
#include <unistd.h>

#include "backend/shim/shim_io.h"

/* A process that the rank has left writes as fast as its label can be put on: here it never stops. */
static void test_rest_of_output_is_bounded(void **state)
{
    (void)state;
    struct launch_rank l = {.rank = 0};
    struct rank r = {
        .l = &l,
        .pump = {{.fd = open("/dev/zero", O_RDONLY), .line = STR_INIT}, {.fd = -1, .line = STR_INIT}}};
    struct shim s = {.sinks = VEC_INIT};
    FILE *file = tmpfile();
    assert_non_null(file);
    int fd = fileno(file);
    vec_push(&s.sinks, (struct sink){.fd = fd, .queue = STR_INIT});
    assert_true(r.pump[0].fd >= 0 && fd >= 0);
    alarm(20);
    shim_io_pump_finish(&s, &r);
    alarm(0);
    assert_int_equal(r.pump[0].fd, -1);
    off_t size = lseek(fd, 0, SEEK_END);
    assert_true(size >= 1 << 20 && size < 2 << 20);
    fclose(file);
    vec_fini(&s.sinks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rest_of_output_is_bounded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
