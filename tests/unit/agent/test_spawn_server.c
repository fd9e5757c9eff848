/* test_spawn_server.c - programs that another process starts for this one. */
#include "tests/lib/check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/agent/spawn_server.h"
#include "backend/rights/rights_request.h"

static char name[] = "reader", option[] = FILE_READER_OPTION;

/* What is started here says its own number. Returns what spawning returned; ret_said: -1 where nothing was
 * started. */
static int start_one(struct spawn_server *s, pid_t *ret_pid, pid_t *ret_said)
{
    int sv[2];
    char *argv[] = {name, option, NULL};
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv), 0);
    struct spawner w = spawn_server_spawner(s);
    int r = spawner_start(
        &w, &(struct spawn){.path = "/proc/self/exe", .argv = argv, .fds = {{sv[1], 0}}, .n_fds = 1},
        ret_pid);
    close(sv[1]);
    *ret_said = -1;
    if (r == 0)
        assert_int_equal(recv(sv[0], ret_said, sizeof *ret_said, 0), sizeof *ret_said);
    close(sv[0]);
    return r;
}

static void set_patience(const struct spawn_server *s, int ms)
{
    struct timeval t = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};
    assert_int_equal(setsockopt(s->fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t), 0);
}

static void one_is_started(void **unused)
{
    (void)unused;
    struct spawn_server s = {0};
    struct errtext err;
    pid_t pid, said;
    assert_int_equal(spawn_server_start(&s, NULL, &err), 0);
    check_int("start", start_one(&s, &pid, &said), 0);
    check_int("process", said, pid);
    spawn_server_stop(&s);
    while (waitpid(-1, NULL, 0) > 0)
        ;
}

/* One that hangs is killed: no later request waits for it, and none gets the answer to an earlier one. */
static void one_that_hangs_is_given_up(void **unused)
{
    (void)unused;
    struct spawn_server s = {0};
    struct errtext err;
    pid_t pid, said;
    int status;
    assert_int_equal(spawn_server_start(&s, NULL, &err), 0);
    check_int("start", start_one(&s, &pid, &said), 0);
    check_int("another child", spawn_server_child_ended(&s, pid), 0);
    assert_int_equal(kill(s.pid, SIGSTOP), 0);
    assert_int_equal(waitpid(s.pid, &status, WUNTRACED), s.pid);
    set_patience(&s, 50);
    check_int("while it stands still", start_one(&s, &pid, &said), -EPIPE);
    check_int("it is given up", s.lost, 1);
    set_patience(&s, 0);
    assert_int_equal(waitpid(s.pid, &status, 0), s.pid);
    check_int("its end", WIFSIGNALED(status) ? WTERMSIG(status) : 0, SIGKILL);
    check_int("its end is heard", spawn_server_child_ended(&s, s.pid), 1);
    check_int("after that", start_one(&s, &pid, &said), -EPIPE);
    spawn_server_stop(&s);
    while (waitpid(-1, NULL, 0) > 0)
        ;
}

static void one_that_was_killed_is_given_up(void **unused)
{
    (void)unused;
    struct spawn_server s = {0};
    struct errtext err;
    pid_t pid, said;
    assert_int_equal(spawn_server_start(&s, NULL, &err), 0);
    assert_int_equal(kill(s.pid, SIGKILL), 0);
    check_int("start", start_one(&s, &pid, &said), -EPIPE);
    check_int("it is given up", s.lost, 1);
    spawn_server_stop(&s);
    while (waitpid(-1, NULL, 0) > 0)
        ;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_is_started),
                                       cmocka_unit_test(one_that_hangs_is_given_up),
                                       cmocka_unit_test(one_that_was_killed_is_given_up)};
    if (argc == 3 && strcmp(argv[1], SPAWN_SERVER_OPTION) == 0)
        return spawn_server_main(argv[2]);
    if (argc == 2 && strcmp(argv[1], FILE_READER_OPTION) == 0) {
        pid_t self = getpid();
        return send(0, &self, sizeof self, MSG_NOSIGNAL) < 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
