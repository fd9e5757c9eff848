/* test_start.c - clients that start a controller.
 *
 * Started under the name "stokerd" this program is such a controller, so that the steps are the real ones.
 *
 * test-user
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "tests/lib/check.h"
#include "tests/lib/fakectl.h"

static int connect_with(unsigned flags, struct errtext *err)
{
    struct client *c = NULL;
    int r = client_connect("test", flags, &c, err);
    if (r == 0) {
        uint64_t tag;
        struct msg_flag flag = {.on = false};
        assert_int_equal(client_send(c, MSG_SHUTDOWN, &flag, &tag, err), 0);
        struct incoming in;
        assert_int_equal(client_next(c, 60000, &in, err), -ECONNRESET);
        client_free(c);
    }
    return r;
}

static void use_path(void)
{
    char *path = xasprintf("%s/bin:/usr/bin:/bin", fakectl_home);
    setenv("PATH", path, 1);
    free(path);
}

/* This program: the controller that is started. */
static char *own_path(void)
{
    char *path = realpath("/proc/self/exe", NULL);
    assert_non_null(path);
    return path;
}

static void test_a_controller_that_does_not_start(void **state)
{
    (void)state;
    fakectl_make_dir("%s/bin", fakectl_home);
    fakectl_put("bin/stokerd",
                "#!/bin/sh\necho 'first line'\necho 'stoker.cfg:3: syntax error' >&2\nexit 1\n", 0755);
    use_path();
    struct errtext err = {""};
    char *expected = xasprintf(
        "the controller could not be started: stoker.cfg:3: syntax error (see %s/log/stokerd.out)",
        fakectl_home);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(connect_with(CLIENT_START, &err), -ECONNREFUSED);
        assert_string_equal(err.s, expected);
    }
    free(expected);

    fakectl_put("bin/stokerd", "#!/bin/sh\nkill -9 $$\n",
                0755); /* what an earlier start wrote is not told again */
    expected = xasprintf("the controller could not be started (see %s/log/stokerd.out)", fakectl_home);
    assert_int_equal(connect_with(CLIENT_UP, &err), -ECONNREFUSED);
    assert_string_equal(err.s, expected);
    free(expected);
}

static void test_a_controller_is_started(void **state)
{
    (void)state;
    fakectl_make_dir("%s/bin", fakectl_home);
    char *self = own_path();
    char *link = xasprintf("%s/bin/stokerd", fakectl_home);
    assert_int_equal(symlink(self, link), 0);
    free(self);
    use_path();
    struct errtext err = {""};
    if (connect_with(CLIENT_START, &err) < 0)
        fail_msg("%s", err.s);

    /* Where a configuration is, only `stoker up` starts one. */
    fakectl_put("stoker.cfg", "", 0600);
    assert_int_equal(connect_with(CLIENT_START, &err), -ECONNREFUSED);
    assert_non_null(strstr(err.s, "start it: stoker up"));
    if (connect_with(CLIENT_UP, &err) < 0)
        fail_msg("%s", err.s);
    free(link);
}

/* A large state takes its time to be checked. */
static void test_up_waits_while_it_lives(void **state)
{
    (void)state;
    fakectl_make_dir("%s/bin", fakectl_home);
    char *self = own_path();
    char *script = xasprintf("#!/bin/bash\nread -rt 1.5 <> <(:)\nexec -a stokerd %s\n", self);
    fakectl_put("bin/stokerd", script, 0755);
    free(script);
    free(self);
    use_path();
    setenv("STOKER_START_WAIT_MS", "300", 1);
    struct errtext err = {""};
    if (connect_with(CLIENT_UP, &err) < 0)
        fail_msg("%s", err.s);
    assert_int_equal(connect_with(CLIENT_START, &err), -ECONNREFUSED); /* others do not wait for ever */
    assert_non_null(strstr(err.s, "was started but does not answer"));
    unsetenv("STOKER_START_WAIT_MS");
    while (connect_with(0, &err) < 0) /* the one that was started comes up after all, and is ended here */
        poll(NULL, 0, 20);
}

static void test_ten_at_once_start_one(void **state)
{
    (void)state;
    fakectl_make_dir("%s/bin", fakectl_home);
    char *self = own_path();
    char *script =
        xasprintf("#!/bin/sh\necho started >>%s/starts\nexec -a stokerd %s\n", fakectl_home, self);
    char *bash = xasprintf("#!/bin/bash%s", script + strlen("#!/bin/sh"));
    fakectl_put("bin/stokerd", bash, 0755);
    free(bash);
    free(script);
    free(self);
    use_path();
    pid_t pids[10];
    for (size_t i = 0; i < 10; i++) {
        pids[i] = fork();
        assert_true(pids[i] >= 0);
        if (pids[i] == 0) {
            struct client *c = NULL;
            struct errtext err = {""};
            _exit(client_connect("test", CLIENT_START, &c, &err) == 0 ? 0 : 1);
        }
    }
    int failed = 0;
    for (size_t i = 0; i < 10; i++) {
        int status;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        failed += status != 0;
    }
    assert_int_equal(failed, 0);
    struct errtext err = {""};
    assert_int_equal(connect_with(0, &err), 0); /* ends it */
    char *path = xasprintf("%s/starts", fakectl_home);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    char line[64];
    int lines = 0;
    while (fgets(line, sizeof line, f))
        lines++;
    fclose(f);
    assert_int_equal(lines, 1);
    free(path);
}

/* The controller that a client has started finds its place as the real one does. */
static int run_as_stokerd(void)
{
    struct paths p;
    paths_find(&p);
    int fd = fakectl_listen(p.socket);
    paths_fini(&p);
    fakectl_serve(fd, PLAIN);
}

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/');
    if (argc == 1 && strcmp(slash ? slash + 1 : argv[0], "stokerd") == 0)
        return run_as_stokerd();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_a_controller_that_does_not_start, fakectl_clean),
        cmocka_unit_test_teardown(test_a_controller_is_started, fakectl_clean),
        cmocka_unit_test_teardown(test_up_waits_while_it_lives, fakectl_clean),
        cmocka_unit_test_teardown(test_ten_at_once_start_one, fakectl_clean),
    };
    return cmocka_run_group_tests(tests, fakectl_set_up, fakectl_tear_down);
}
