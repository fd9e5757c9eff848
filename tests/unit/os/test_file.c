/* Small files: read whole, written whole or not at all. test-user */
#include "tests/lib/check.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/os/file.h"

static int setup(void **state)
{
    char dir[] = "/tmp/stoker-file-XXXXXX";
    *state = xstrdup(mkdtemp(dir));
    return chdir(*state);
}

static int teardown(void **state)
{
    unlink("f");
    unlink("link");
    int rc = chdir("/") || rmdir(*state);
    free(*state);
    return rc;
}

static void test_not_there(void **state)
{
    (void)state;
    assert_null(file_text("none"));
    assert_int_equal(file_write("none/f", 0600, "x"), -ENOENT);
}

static void test_round_trip(void **state)
{
    (void)state;
    struct stat st;
    char *large = xcalloc(1, 10001);
    memset(large, 'l', 10000);
    const char *texts[] = {"", "a\n", large, "short again"};
    for (size_t i = 0; i < N_OF(texts); i++) {
        assert_int_equal(file_write("f", 0640, texts[i]), 0);
        char *back = file_text("f");
        assert_string_equal(back, texts[i]);
        free(back);
    }
    assert_int_equal(stat("f", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    free(large);
}

static void test_a_link_is_not_followed(void **state)
{
    (void)state;
    assert_int_equal(file_write("f", 0600, "kept"), 0);
    assert_int_equal(symlink("f", "link"), 0);
    assert_int_equal(file_write("link", 0600, "x"), -ELOOP);
    char *back = file_text("f");
    assert_string_equal(back, "kept");
    free(back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_not_there, setup, teardown),
        cmocka_unit_test_setup_teardown(test_round_trip, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_link_is_not_followed, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
