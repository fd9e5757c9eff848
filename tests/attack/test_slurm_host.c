/* The service that shares one poll of a Slurm copied its whole answer for each connection, and any user
 * could have all of its 512 connections: a client that reads none of them took gigabytes, and the others
 * were turned away. */
#include <malloc.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/slurm/host/slurm_host.h"
#include "src/base/xalloc.h"
#include "src/os/clock.h"
#include "src/os/unixsock.h"
#include "tests/lib/attack.h"
#include "tests/lib/check.h"

#define ANSWER_MB   8
#define CONNECTIONS 600
#define DEADLINE_MS 30000

static char *socket_path;

static void add_command(const char *dir, const char *name, const char *text)
{
    char *path = xasprintf("%s/%s", dir, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\n%s\n", text);
    fclose(f);
    chmod(path, 0755);
    free(path);
}

static int ask_for_jobs(void)
{
    int fd = unixsock_connect(socket_path, 0, 0);
    if (fd >= 0 && send(fd, "jobs\n", 5, MSG_NOSIGNAL) != 5) {
        close(fd);
        return -1;
    }
    return fd;
}

/* As many connections as there are to be had; none is read. */
static void asks_and_does_not_read(void)
{
    for (int i = 0; i < CONNECTIONS; i++) {
        int fd = ask_for_jobs(); /* -1: turned away */
        (void)fd;
    }
}

static void reads_an_answer(void)
{
    static char buf[1 << 16];
    size_t all = 0;
    int fd = ask_for_jobs();
    for (ssize_t n; fd >= 0 && (n = read(fd, buf, sizeof buf)) > 0; all += (size_t)n)
        if (all == 0 && strncmp(buf, "OK", 2) != 0)
            _exit(1);
    if (all < ANSWER_MB * 1000000u)
        _exit(1);
}

static void serve_until_done(struct loop *l, struct attacker *a)
{
    struct pollfd p = {.fd = a->told, .events = POLLIN};
    for (int64_t end = mono_us() + DEADLINE_MS * 1000; poll(&p, 1, 0) == 0;) {
        assert_true(mono_us() < end);
        loop_turn(l, 20);
    }
    attack_await_done(a);
}

static void connections_of_one_user(void **state)
{
    (void)state;
    struct errtext err;
    struct slurm_host *h = NULL;
    char *dir = xasprintf("%s/slurm", getenv("TMPDIR")), *squeue;
    squeue = xasprintf("head -c %d000000 /dev/zero | tr '\\0' x", ANSWER_MB);
    socket_path = xasprintf("%s/host.sock", dir);
    assert_int_equal(mkdir(dir, 0755), 0);
    chmod(getenv("TMPDIR"), 0755);
    chmod(dir, 0755);
    add_command(dir, "scontrol", "echo 'PrivateData = none'");
    add_command(dir, "squeue", squeue);
    struct loop *l = loop_new();
    assert_int_equal(slurm_host_new(l, socket_path, dir, &h, &err), 0);
    struct attacker b = attack_as("daemon", reads_an_answer); /* the answer is there from here on */
    serve_until_done(l, &b);
    attack_end(&b);
    size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    struct attacker a = attack_as("nobody", asks_and_does_not_read);
    serve_until_done(l, &a);
    b = attack_as("daemon", reads_an_answer);
    serve_until_done(l, &b);
    size_t after = mallinfo2().uordblks + mallinfo2().hblkhd;
    assert_true(after < before + ANSWER_MB * 2000000u);
    attack_end(&b);
    attack_end(&a);
    slurm_host_free(h);
    loop_free(l);
    free(squeue);
    free(dir);
    free(socket_path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(connections_of_one_user)};
    return cmocka_run_group_tests(tests, attack_set_up, NULL);
}
