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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_user_is_no_number_for_ever)};
    return cmocka_run_group_tests_name("users", tests, NULL, NULL);
}
