/* test_shim_life.c - a supervisor from its first task to its end. */
#include "tests/lib/check.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/shim/shim_life.h"
#include "backend/task/shim_setup.h"
#include "backend/task/taskdir.h"
#include "src/base/str.h"
#include "src/base/xalloc.h"
#include "src/proto/codec.h"
#include "src/proto/frame.h"
#include "src/proto/msg.h"

#define SEND_BUFFER 8192
#define END_WAIT_MS 10000
#define TRIES       100

static void send_frame(int fd, unsigned type, const struct rec_desc *d, const void *body)
{
    struct str out = STR_INIT;
    size_t at = frame_begin(&out);
    codec_encode(d, body, &out);
    frame_end(&out, at, (uint16_t)type, 0, 0);
    assert_int_equal(send(fd, out.s, out.len, MSG_NOSIGNAL), (ssize_t)out.len);
    str_fini(&out);
}

/* A task that writes nothing and ends at once, whose supervisor may stay. */
static void send_task(int fd, int32_t step)
{
    struct shim_setup grant = {.version = SHIM_VERSION,
                               .uid = geteuid(),
                               .gid = getegid(),
                               .agent = geteuid(),
                               .stays = true},
                      setup = {.version = SHIM_VERSION};
    struct launch l = {.key = {.job = 1, .step = step, .attempt = 1},
                       .uid = geteuid(),
                       .gid = getegid(),
                       .workdir = xstrdup("/"),
                       .time_limit_s = 0};
    strv_push(&l.argv, "true");
    l.job_alloc.node = step == STEP_BATCH ? NULL : xstrdup("n1"); /* else it were a task of a step job */
    struct launch_rank *r = rec_list_push(&l.ranks);
    r->std_out = xstrdup("/dev/null");
    r->std_err = xstrdup("/dev/null");
    send_frame(fd, SHIM_GRANT, &shim_setup_rec, &grant);
    send_frame(fd, SHIM_SETUP, &shim_setup_rec, &setup);
    send_frame(fd, MSG_LAUNCH, &launch_rec, &l);
    rec_fini(&launch_rec, &l);
}

/* Leaves room for one message more on its way to the agent. */
static void fill(int to_agent, int agent)
{
    char junk = 0; /* small ones: the room of one is none for two */
    int size = SEND_BUFFER;
    setsockopt(to_agent, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    while (send(to_agent, &junk, sizeof junk, MSG_NOSIGNAL | MSG_DONTWAIT) > 0)
        ;
    assert_int_equal(errno, EAGAIN);
    assert_int_equal(recv(agent, &junk, sizeof junk, MSG_DONTWAIT), sizeof junk);
}

/* Makes a directory for the task of send_task and starts a supervisor in it, at the other end of sv[0]. */
static pid_t start_shim(char base[static 64], char dir[static 300], const int sv[2], int32_t step)
{
    char task[TASKDIR_NAME_SIZE];
    struct launch_key key = {.job = 1, .step = step, .attempt = 1};
    snprintf(base, 64, "/tmp/test_shim_life.XXXXXX");
    assert_non_null(mkdtemp(base));
    snprintf(dir, 300, "%s/%s", base, taskdir_name(&key, task));
    assert_int_equal(mkdir(dir, 0700), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(sv[1], SHIM_SOCKET_FD);
        syscall(SYS_close_range, SHIM_SOCKET_FD + 1, ~0U, 0);
        _exit(shim_main(dir, -1, NULL, 0));
    }
    close(sv[1]);
    return pid;
}

static void remove_dirs(const char *base, const char *dir)
{
    int fd = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    taskdir_remove(fd, dir + strlen(base) + 1);
    close(fd);
    rmdir(base);
}

/* Whether one message had all that is said of the task: that it ran, its end, and that its supervisor
 * waits. */
static bool is_said_at_once(int32_t step)
{
    char dir[300], base[64];
    int sv[2];
    static const unsigned want[] = {MSG_TASK_RUNNING, MSG_TASK_END, SHIM_WAITS};
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv), 0);
    pid_t pid = start_shim(base, dir, sv, step);
    send_task(sv[0], step);
    struct frame_reader in = {.max = 65536};
    ssize_t n = recv(sv[0], frame_reader_space(&in, 65536), 65536, 0);
    assert_true(n > 0);
    frame_reader_added(&in, (size_t)n);
    struct frame f;
    size_t have = 0;
    while (have < N_OF(want) && frame_reader_next(&in, &f) == 1 && f.type == want[have])
        have++;
    frame_reader_fini(&in);
    close(sv[0]);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    remove_dirs(base, dir);
    assert_true(have > 0);
    return have == N_OF(want);
}

/* A task that takes longer than its report may wait for is told of twice: on a busy machine any may. */
static void test_short_task_is_one_message(void **state)
{
    (void)state;
    static const int32_t steps[] = {STEP_BATCH, 0};
    for (size_t i = 0; i < N_OF(steps); i++) {
        int tries = 0;
        while (!is_said_at_once(steps[i]) && ++tries < TRIES)
            ;
        check_int("is said at once", tries < TRIES, true);
    }
}

/* An agent that does not read the end of the task, as one that was stopped: the supervisor has said all but
 * that, and must not wait for a task that never comes. */
static void test_end_that_is_not_read_is_told_by_its_exit(void **state)
{
    (void)state;
    char dir[300], base[64];
    int sv[2], status;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sv), 0);
    fill(sv[1], sv[0]);
    pid_t pid = start_shim(base, dir, sv, STEP_BATCH);
    send_task(sv[0], STEP_BATCH);
    struct pollfd gone = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
    assert_true(gone.fd >= 0);
    bool ended = poll(&gone, 1, END_WAIT_MS) == 1;
    close(gone.fd);
    if (!ended)
        kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    check_int("it ends", ended, true);
    check_int("status", status, 0);
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct launch_end end;
    check_int("the record is there", taskdir_read_end(fd, &end), 0);
    check_int("end", end.end_kind, END_EXITED);
    rec_fini(&launch_end_rec, &end);
    close(fd);
    close(sv[0]);
    remove_dirs(base, dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_short_task_is_one_message),
                                       cmocka_unit_test(test_end_that_is_not_read_is_told_by_its_exit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
