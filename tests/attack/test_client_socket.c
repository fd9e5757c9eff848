/* test_client_socket.c - two users without anything on a node take all calls to the controller there: no
 * srun and no squeue of the jobs that run on it came through. */
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "tests/lib/agent_cases.h"

#define CALLS 200

/* In a process of that user, which stays: how many of its calls are open a moment later. */
static unsigned call_as(const char *path, uid_t uid, int *ret_hold, pid_t *ret_pid)
{
    int told[2], hold[2];
    assert_int_equal(pipe(told) | pipe(hold), 0);
    *ret_pid = fork();
    if (*ret_pid == 0) {
        struct sockaddr_un sa = {.sun_family = AF_UNIX};
        snprintf(sa.sun_path, sizeof sa.sun_path, "%s", path);
        int fd[CALLS];
        unsigned n = 0;
        if (setresgid(uid, uid, uid) < 0 || setresuid(uid, uid, uid) < 0)
            _exit(126);
        for (int i = 0; i < CALLS; i++) {
            struct timeval patience = {.tv_usec = 20000};
            fd[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
            char c;
            if (connect(fd[i], (struct sockaddr *)&sa, sizeof sa) < 0)
                continue;
            setsockopt(fd[i], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
            n += recv(fd[i], &c, 1, 0) != 0; /* not closed */
        }
        if (write(told[1], &n, sizeof n) != sizeof n)
            _exit(1);
        close(hold[1]);
        char c;
        while (read(hold[0], &c, 1) > 0)
            ;
        _exit(0);
    }
    close(told[1]);
    close(hold[0]);
    unsigned n = 0;
    assert_int_equal(read(told[0], &n, sizeof n), sizeof n);
    close(told[0]);
    *ret_hold = hold[1];
    return n;
}

/* An agent that is reached over SSH lets in the clients of its machine. */
static void greet_as_remote(struct driver *d)
{
    char node[] = "n1", program[] = "driver", transport[] = "ssh";
    struct msg_hello h = {.version = PROTO_VERSION,
                          .program = program,
                          .cluster = d->cluster,
                          .epoch = d->epoch,
                          .node = node,
                          .spec = {.name = node, .transport = transport, .gpus = UINT32_MAX}};
    driver_send(d, MSG_HELLO, 2, &h);
    struct msg_agent *m = driver_wait(d, MSG_AGENT, NULL, NULL, DRIVER_WAIT_MS);
    assert_non_null(m);
    assert_non_null(m->client_socket);
    msg_free(MSG_AGENT, m);
}

static void users_with_tasks_come_through(void **state)
{
    struct driver *d = *state;
    if (geteuid() != 0)
        skip();
    assert_int_equal(chmod(d->dir, 0755) | chmod(d->agent_dir, 0711), 0);
    char *work = xasprintf("%s/work", d->dir), *path = xasprintf("%s/client.sock", d->agent_dir);
    chmod(work, 0777);
    greet_as_remote(d);
    struct launch l;
    driver_launch_init(d, &l, 1, "sleep 1000");
    l.uid = l.gid = OTHER_UID;
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    msg_free(MSG_TASK_RUNNING, driver_running(d, 1));
    int hold[4];
    pid_t pid[4];
    unsigned first = call_as(path, 1, &hold[0], &pid[0]), second = call_as(path, 2, &hold[1], &pid[1]);
    assert_in_range(first, 1, 8); /* enough to be told that they have nothing here */
    assert_in_range(second, 1, 8);
    unsigned owner = call_as(path, OTHER_UID, &hold[2], &pid[2]);
    assert_in_range(owner, 32, 100);
    unsigned root = call_as(path, 0, &hold[3], &pid[3]);
    assert_in_range(root, 8, CALLS);
    for (int i = 0; i < 4; i++)
        close(hold[i]); /* later ones have copies of the earlier: all are closed before any is waited for */
    for (int i = 0; i < 4; i++)
        assert_int_equal(waitpid(pid[i], NULL, 0), pid[i]);
    free(work);
    free(path);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {AGENT_CASE(users_with_tasks_come_through)};
    return agent_cases(tests, argc, argv);
}
