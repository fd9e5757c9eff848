/* test_user_cache.c - users and groups of a name service that comes and goes. test-user */
#include <grp.h>
#include <pwd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "backend/control/user_cache.h"
#include "tests/lib/check.h"

/* The name service and the clock of this test stand in for those of the C library. */

static bool away;
static int questions;
static time_t later_s;

struct passwd *getpwuid(uid_t uid)
{
    static char name[] = "alice";
    static struct passwd alice = {.pw_name = name, .pw_uid = 1000, .pw_gid = 1000};
    questions++;
    return !away && uid == 1000 ? &alice : NULL;
}

struct group *getgrgid(gid_t gid)
{
    static char name[] = "vision";
    static struct group vision = {.gr_name = name, .gr_gid = 1000};
    questions++;
    return !away && gid == 1000 ? &vision : NULL;
}

int getgrouplist(const char *user, gid_t group, gid_t *groups, int *n)
{
    check_str("whose groups", user, "alice");
    groups[0] = group;
    *n = 1;
    return 1;
}

int clock_gettime(clockid_t id, struct timespec *ts)
{
    int r = (int)syscall(SYS_clock_gettime, id, ts);
    ts->tv_sec += later_s;
    return r;
}

static void test_a_user_is_no_number_for_ever(void **state)
{
    (void)state;
    struct user_cache *u = user_cache_new(NULL);
    struct strv admins = {0};
    strv_push(&admins, "vision");
    away = true;
    for (int i = 0; i < 3; i++) {
        check_str("user", user_name(u, 1000), "1000");
        check_str("group", group_name(u, 1000), "1000");
        assert_false(user_in_groups(u, 1000, &admins));
    }
    assert_int_equal(questions, 2); /* a service that is slow to fail is not asked each time */
    away = false;
    check_str("user, at once", user_name(u, 1000), "1000");
    later_s = 11;
    check_str("user, later", user_name(u, 1000), "alice");
    check_str("group, later", group_name(u, 1000), "vision");
    assert_true(user_in_groups(u, 1000, &admins));
    away = true; /* what is known stays known */
    later_s = 1000000;
    questions = 0;
    check_str("user, in the end", user_name(u, 1000), "alice");
    check_str("group, in the end", group_name(u, 1000), "vision");
    assert_int_equal(questions, 0);
    strv_fini(&admins);
    user_cache_free(u);
}

static void test_numbers_without_a_name_are_forgotten(void **state)
{
    (void)state;
    struct user_cache *u = user_cache_new(NULL);
    away = false;
    check_str("one with a name", user_name(u, 1000), "alice");
    assert_true(user_is_known(u, 1000));
    assert_false(user_is_known(u, 2000));
    size_t most = 0;
    for (uint32_t uid = 2000; uid < 22000; uid++) {
        later_s += uid % 10 == 0;
        user_name(u, uid);
        assert_true(user_is_known(u, uid));
        most = user_cache_size(u) > most ? user_cache_size(u) : most;
    }
    assert_in_range(most, 100, 1200);
    questions = 0;
    check_str("the one with a name", user_name(u, 1000), "alice");
    assert_int_equal(questions, 0);
    user_cache_free(u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_user_is_no_number_for_ever),
                                       cmocka_unit_test(test_numbers_without_a_name_are_forgotten)};
    return cmocka_run_group_tests_name("users", tests, NULL, NULL);
}
