/* test_user_cache.c - users and groups of a name service that comes, goes and hangs. test-user */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "backend/control/users/name_service.h"
#include "backend/control/users/user_cache.h"
#include "backend/loop/loop.h"
#include "tests/lib/check.h"

/* The name service and the clock of this test stand in for those of the C library. Alice, 1000, is in the
 * groups vision, 1000, and with in_wheel in wheel, 10. */

static atomic_bool away;   /* there is no user */
static atomic_bool broken; /* it cannot say */
static atomic_bool hangs;  /* it does not come back */
static atomic_bool in_wheel;
static atomic_int questions; /* about users */
static _Atomic time_t later_s;

int getpwuid_r(uid_t uid, struct passwd *pw, char *buf, size_t n, struct passwd **ret)
{
    static char name[] = "alice";
    (void)buf;
    (void)n;
    questions++;
    while (hangs)
        syscall(SYS_sched_yield);
    *pw = (struct passwd){.pw_name = name, .pw_uid = 1000, .pw_gid = 1000};
    *ret = !away && !broken && uid == 1000 ? pw : NULL;
    return broken ? EIO : 0;
}

int getpwnam_r(const char *user, struct passwd *pw, char *buf, size_t n, struct passwd **ret)
{
    return getpwuid_r(str_eq(user, "alice") ? 1000 : 1, pw, buf, n, ret);
}

int getgrgid_r(gid_t gid, struct group *gr, char *buf, size_t n, struct group **ret)
{
    static char vision[] = "vision", wheel[] = "wheel";
    (void)buf;
    (void)n;
    *gr = (struct group){.gr_name = gid == 10 ? wheel : vision, .gr_gid = gid};
    *ret = !away && !broken && (gid == 1000 || gid == 10) ? gr : NULL;
    return broken ? EIO : 0;
}

int getgrouplist(const char *user, gid_t group, gid_t *groups, int *n)
{
    check_str("whose groups", user, "alice");
    groups[0] = group;
    groups[1] = 10;
    *n = in_wheel ? 2 : 1;
    return *n;
}

int clock_gettime(clockid_t id, struct timespec *ts)
{
    int r = (int)syscall(SYS_clock_gettime, id, ts);
    ts->tv_sec += later_s;
    return r;
}

static struct loop *loop;
static struct user_cache *users;
static int n_told, n_changed;

static void on_told(void *ctx, const struct name_answer *a, bool groups_changed)
{
    (void)ctx;
    (void)a;
    n_told++;
    n_changed += groups_changed;
}

static int set_up(void **state)
{
    (void)state;
    away = broken = hangs = in_wheel = false;
    later_s = 0;
    loop = loop_new();
    users = user_cache_new(loop, &(struct user_cache_ops){.on_told = on_told});
    questions = n_told = n_changed = 0;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    user_cache_free(users);
    loop_free(loop);
    return 0;
}

static void until_told(int n)
{
    int64_t end = mono_read().ns + 10 * NS_PER_S;
    while (n_told < n && mono_read().ns < end)
        loop_turn(loop, 10);
    assert_int_equal(n_told, n);
}

static bool in_group(const char *name)
{
    struct strv groups = {0};
    strv_push(&groups, name);
    bool is = user_in_groups(users, 1000, &groups);
    strv_fini(&groups);
    return is;
}

static bool is_admin(void)
{
    struct strv groups = {0};
    strv_push(&groups, "wheel");
    bool is = user_is_admin(users, 1000, &groups);
    strv_fini(&groups);
    return is;
}

static void test_the_loop_does_not_wait(void **state)
{
    (void)state;
    hangs = true;
    assert_false(user_is_fresh(users, 1000, 1000));
    for (int i = 0; i < 3; i++) {
        check_str("a number", user_name(users, 1000), "1000");
        assert_false(in_group("vision"));
        loop_turn(loop, 0);
    }
    assert_true(user_cache_is_asking(users));
    assert_int_equal(n_told, 0);
    hangs = false;
    until_told(1);
    assert_int_equal(questions, 1); /* one for all */
    assert_int_equal(n_changed, 1); /* the policy was told that there is no such member */
    assert_true(user_is_fresh(users, 1000, 1000));
    check_str("user", user_name(users, 1000), "alice");
    check_str("group", group_name(users, 1000), "vision");
    assert_true(in_group("vision"));
}

static void test_a_user_is_no_number_for_ever(void **state)
{
    (void)state;
    away = true;
    check_str("user", user_name(users, 1000), "1000");
    until_told(1);
    assert_true(user_is_fresh(users, 1000, 1000));
    check_str("user", user_name(users, 1000), "1000");
    assert_int_equal(questions, 1); /* a service that is slow to fail is not asked each time */
    away = false;
    later_s = 11;
    assert_false(user_is_fresh(users, 1000, 1000));
    until_told(2);
    check_str("user, later", user_name(users, 1000), "alice");
    assert_true(in_group("vision"));
}

static void test_groups_expire(void **state)
{
    (void)state;
    in_wheel = true;
    assert_false(user_is_fresh(users, 1000, 1000));
    until_told(1);
    assert_true(is_admin());
    in_wheel = false;
    later_s = 44;
    assert_true(user_is_fresh(users, 1000, 1000));
    assert_int_equal(questions, 1);
    later_s = 46; /* asked while the last answer counts */
    assert_true(user_is_fresh(users, 1000, 1000));
    assert_true(is_admin());
    until_told(2);
    assert_int_equal(n_changed, 1);
    assert_false(is_admin());
    assert_true(in_group("vision"));
}

static void test_nobody_is_administrator_by_an_old_word(void **state)
{
    (void)state;
    in_wheel = true;
    user_name(users, 1000);
    until_told(1);
    hangs = true;
    later_s = 59;
    assert_true(is_admin());
    later_s = 61;
    assert_false(user_is_fresh(users, 1000, 1000));
    assert_false(is_admin());
    assert_true(in_group("wheel")); /* for what does no harm to others */
    hangs = false;
    until_told(2);
    assert_true(is_admin());
    broken = true;
    later_s = 200;
    assert_false(user_is_fresh(users, 1000, 1000));
    until_told(3);
    assert_true(user_is_fresh(users, 1000, 1000)); /* there is nothing to wait for */
    check_str("user", user_name(users, 1000), "alice");
    assert_true(in_group("wheel"));
    assert_false(is_admin());
}

static void test_a_user_who_is_gone_has_no_groups(void **state)
{
    (void)state;
    user_name(users, 1000);
    until_told(1);
    assert_true(in_group("vision"));
    away = true;
    later_s = 50;
    user_name(users, 1000);
    until_told(2);
    assert_false(in_group("vision"));
    check_str("the name that jobs have", user_name(users, 1000), "alice");
}

static void test_what_expires_while_it_is_asked_is_asked_again(void **state)
{
    (void)state;
    hangs = true;
    user_name(users, 1000);
    user_cache_expire(users);
    hangs = false;
    until_told(1);
    assert_false(user_is_fresh(users, 1000, 1000));
    until_told(2);
    assert_true(user_is_fresh(users, 1000, 1000));
}

static void test_names_are_asked_about(void **state)
{
    (void)state;
    assert_int_equal(user_is_there(users, "alice"), USER_THERE_ASKED);
    assert_int_equal(user_is_there(users, "bob"), USER_THERE_ASKED);
    until_told(2);
    assert_int_equal(user_is_there(users, "alice"), USER_THERE_YES);
    assert_int_equal(user_is_there(users, "bob"), USER_THERE_NO);
    broken = true;
    assert_int_equal(user_is_there(users, "carol"), USER_THERE_ASKED);
    until_told(3);
    assert_int_equal(user_is_there(users, "carol"), USER_THERE_UNSURE);
}

/* The thread that hangs is left behind. */
static void test_the_end_does_not_wait(void **state)
{
    (void)state;
    hangs = true;
    user_name(users, 1000);
    user_name(users, 1001);
    while (!questions)
        loop_turn(loop, 1);
    user_cache_free(users);
    hangs = false;
    users = user_cache_new(loop, &(struct user_cache_ops){.name_of = NULL});
}

static void test_numbers_without_a_name_are_forgotten(void **state)
{
    (void)state;
    user_name(users, 1000);
    until_told(1);
    assert_true(user_is_known(users, 1000));
    assert_false(user_is_known(users, 2000));
    size_t most = 0;
    for (uint32_t uid = 2000; uid < 8000; uid++) {
        later_s += uid % 10 == 0;
        user_name(users, uid);
        assert_true(user_is_known(users, uid));
        until_told((int)(uid - 2000) + 2);
        most = user_cache_size(users) > most ? user_cache_size(users) : most;
    }
    assert_in_range(most, 100, 1200);
    check_str("the one with a name", user_name(users, 1000), "alice");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_the_loop_does_not_wait),
        TEST(test_a_user_is_no_number_for_ever),
        TEST(test_groups_expire),
        TEST(test_nobody_is_administrator_by_an_old_word),
        TEST(test_a_user_who_is_gone_has_no_groups),
        TEST(test_what_expires_while_it_is_asked_is_asked_again),
        TEST(test_names_are_asked_about),
        TEST(test_the_end_does_not_wait),
        TEST(test_numbers_without_a_name_are_forgotten),
    };
    return cmocka_run_group_tests_name("users", tests, NULL, NULL);
}
