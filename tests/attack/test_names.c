/* test_names.c - a user who was an administrator stays one after leaving the group, and a user of whom the
 * name service has yet to say anything holds up all others until it does. */
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "tests/lib/attack.h"
#include "tests/lib/check.h"
#include "tests/lib/cluster.h"

static char *dir; /* of tests/lib/slownames.c */
static pid_t controller;

static char *path_of(const char *name)
{
    return xasprintf("%s/%s", dir, name);
}

static void set(const char *name, const char *text)
{
    char *path = path_of(name), *next = xasprintf("%s.next", path);
    FILE *f = fopen(next, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    assert_int_equal(rename(next, path), 0);
    free(next);
    free(path);
}

static void unset(const char *name)
{
    char *path = path_of(name);
    unlink(path);
    free(path);
}

static bool is_set(void *arg)
{
    char *path = path_of(*(const char **)arg);
    bool is = access(path, F_OK) == 0;
    free(path);
    return is;
}

static void await(const char *name)
{
    if (!cluster_eventually(WITHIN_MS, 5, is_set, &name))
        dprintf(2, "no %s\n", name);
}

static void start(void)
{
    dir = xasprintf("%s/names", getenv("STOKER_HOME"));
    cluster_configure(4, 4, 0);
    char *path = xasprintf("%s/stoker.cfg", getenv("STOKER_HOME"));
    FILE *f = fopen(path, "a");
    assert_non_null(f);
    fputs("admin_groups = [\"daemon\"];\n", f);
    fclose(f);
    free(path);
    mkdir(dir, 0777);
    assert_int_equal(chmod(dir, 0777), 0);
    controller = cluster_spawn_with("slownames", "SLOW_NAMES", dir);
    client_free(cluster_connect());
    let_all_reach_the_controller();
}

static void stop(void)
{
    cluster_stop(controller);
    unset("away");
    unset("hang");
    unset("later");
    unset("said");
    unset("left");
    free(dir);
}

static struct answer ask_drain(struct client *c, bool drain)
{
    char reason[] = "attack";
    struct msg_drain m = {.drain = drain, .reason = drain ? reason : NULL};
    strv_push(&m.nodes, "n1");
    struct answer a = ask(c, MSG_DRAIN, &m);
    strv_fini(&m.nodes);
    return a;
}

static bool drain_is_refused(void *c)
{
    struct answer a = ask_drain(c, true);
    return a.refusal == REFUSAL_NOT_ALLOWED;
}

static void as_former_administrator(void)
{
    struct client *c = cluster_connect();
    struct answer a = ask_drain(c, true);
    attack_expect(&a, REFUSAL_NONE, "");
    a = ask_drain(c, false);
    attack_expect(&a, REFUSAL_NONE, "");
    set("said", "");
    await("left"); /* the group, a minute ago */
    if (!cluster_eventually(WITHIN_MS, 50, drain_is_refused, c)) {
        dprintf(2, "the connection that was open is still an administrator's\n");
        _exit(1);
    }
    client_free(c);
    c = cluster_connect();
    if (!drain_is_refused(c)) {
        dprintf(2, "a new connection is an administrator's\n");
        _exit(1);
    }
    client_free(c);
}

static void test_rights_end_with_the_group(void **unused)
{
    (void)unused;
    start();
    struct attacker a = attack_as("daemon", as_former_administrator);
    await("said");
    set("away", "");
    set("later", "46"); /* asked again, in time */
    set("left", "");
    attack_await_done(&a);
    attack_end(&a);
    stop();
}

static void test_rights_end_where_the_name_service_hangs(void **unused)
{
    (void)unused;
    start();
    struct attacker a = attack_as("daemon", as_former_administrator);
    await("said");
    set("hang", "");
    set("later", "61");
    set("left", "");
    /* The second connection waits until what was said last has to do: five seconds that need not pass. */
    struct pollfd told = {.fd = a.told, .events = POLLIN};
    for (int later = 67; later < 67 + 6 * 40 && poll(&told, 1, 300) == 0; later += 6) {
        char *text = xasprintf("%d", later);
        set("later", text);
        free(text);
    }
    attack_await_done(&a);
    attack_end(&a);
    stop();
}

/* Of a user of whom nothing is known yet. */
static void as_unknown_user(void)
{
    set("said", "");
    struct errtext err = {""};
    struct client *c = NULL;
    int r = client_connect("test", 0, &c, &err);
    if (r >= 0 || !strstr(err.s, "does not say who user")) {
        dprintf(2, "result %d: %s\n", r, err.s);
        _exit(1);
    }
}

static void as_known_user(void)
{
    client_free(cluster_connect());
}

static void test_nobody_waits_for_the_name_of_another(void **unused)
{
    (void)unused;
    start();
    attack_bystander_ms(1); /* daemon is known */
    set("hang", "");
    struct attacker a = attack_as("nobody", as_unknown_user);
    await("said");
    assert_in_range(attack_bystander_ms(5), 0, 1000);
    set("later", "6");
    attack_await_done(&a);
    attack_end(&a);
    assert_in_range(attack_bystander_ms(5), 0, 1000);
    unset("hang");
    a = attack_as("nobody", as_known_user);
    attack_await_done(&a);
    attack_end(&a);
    stop();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rights_end_with_the_group),
        cmocka_unit_test(test_rights_end_where_the_name_service_hangs),
        cmocka_unit_test(test_nobody_waits_for_the_name_of_another),
    };
    return cmocka_run_group_tests_name("names of users", tests, attack_set_up, NULL);
}
