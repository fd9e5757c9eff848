/* What getent(1) says of a user is what the name service says. */
#include <string.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/os/user_record.h"
#include "tests/lib/check.h"

static void same_record(const char *key, const struct passwd *want)
{
    char *name = xstrdup(want->pw_name), *home = xstrdup(want->pw_dir), *shell = xstrdup(want->pw_shell);
    uid_t uid = want->pw_uid;
    gid_t gid = want->pw_gid;
    const struct passwd *got = user_record_ask_getent(key);
    assert_non_null(got);
    assert_string_equal(got->pw_name, name);
    assert_string_equal(got->pw_dir, home);
    assert_string_equal(got->pw_shell, shell);
    assert_int_equal(got->pw_uid, uid);
    assert_int_equal(got->pw_gid, gid);
    free(name);
    free(home);
    free(shell);
}

static void test_by_name_and_by_number(void **state)
{
    (void)state;
    static const char *const names[] = {"root", "daemon"};
    for (size_t i = 0; i < 2; i++) {
        const struct passwd *pw = user_record_of_name(names[i]);
        assert_non_null(pw);
        char number[24];
        snprintf(number, sizeof number, "%u", (unsigned)pw->pw_uid);
        same_record(names[i], pw);
        same_record(number, user_record_of_uid(pw->pw_uid));
    }
}

static void test_unknown(void **state)
{
    (void)state;
    static const char *const keys[] = {"no-such-user-here", "4294967294", "", "--help", "-s"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_null(user_record_ask_getent(keys[i]));
}

/* A getent that says something else, or nothing, or is missing. */
static void test_bad_answers(void **state)
{
    (void)state;
    static const char *const answers[] = {
        "echo root:x:0:0:root:/root",
        "echo root:x::0:root:/root:/bin/sh",
        "echo root:x:0:x:root:/root:/bin/sh",
        "echo :x:0:0:root:/root:/bin/sh",
        "echo",
        "exit 2",
    };
    char *dir = xstrdup(getenv("TMPDIR")), *path = xstrdup(getenv("PATH"));
    char *program = xasprintf("%s/getent", dir);
    setenv("PATH", dir, 1);
    assert_null(user_record_ask_getent("root"));
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        FILE *f = fopen(program, "w");
        assert_non_null(f);
        fprintf(f, "#!/bin/sh\n%s\n", answers[i]);
        fchmod(fileno(f), 0755);
        fclose(f);
        assert_null(user_record_ask_getent("root"));
    }
    unlink(program);
    setenv("PATH", path, 1);
    free(program);
    free(path);
    free(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_name_and_by_number),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_bad_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
