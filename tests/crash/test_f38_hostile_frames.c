/* test_f38_hostile_frames.c - F38, F41: clients that send no valid frame, half of one, too much of one,
 * or never read.
 *
 * Each is closed; a well-behaved client beside them is answered as quickly as ever: the controller does
 * neither work long for the others first nor wait for them. How long the machine lets it wait is not its
 * fault.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/check.h"
#include "tests/lib/cluster.h"

#define CLOSED_MS 60000
#define SLOW_MS   60000 /* those that say nothing, or hardly anything; the controller gives them 10 s */
#define NAP_MS    2
#define RANDOM_N  300
#define LATE_US   200000   /* an answer, ... */
#define BUSY_MS   100      /* ... while the controller was at work for others for so long */
#define STUCK_US  20000000 /* or did not work at all */
#define STALL_US  20000    /* a nap that takes so much longer */

static pid_t controller;

/* --- the well-behaved client: a process of its own, so that nothing here holds it up --- */

static struct watch {
    _Atomic bool stop;
    _Atomic uint32_t n, late, stalls; /* late answers; times that the machine itself stood still */
    _Atomic uint32_t stuck;
    _Atomic int64_t max_us;
} * watch;

static int64_t now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* CPU time of the controller's loop so far. */
static int64_t busy_ms(void)
{
    char path[64], text[1024] = "";
    unsigned long user = 0, kernel = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/stat", (int)controller, (int)controller);
    FILE *f = fopen(path, "r");
    if (f) {
        text[fread(text, 1, sizeof text - 1, f)] = '\0';
        fclose(f);
    }
    const char *end = strrchr(text, ')');
    if (!end ||
        sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &kernel) != 2)
        _exit(2);
    return (int64_t)(user + kernel) * 1000 / sysconf(_SC_CLK_TCK);
}

static void watch_main(void)
{
    struct client *c = cluster_connect();
    struct errtext err;
    while (!watch->stop) {
        int64_t t0 = now_us(), busy = busy_ms();
        uint64_t tag;
        struct incoming in;
        if (client_send(c, MSG_PING, NULL, &tag, &err) < 0 || client_next(c, 100000, &in, &err) != 1)
            _exit(1);
        msg_free(in.kind, in.body);
        int64_t us = now_us() - t0;
        watch->n++;
        watch->late += us > LATE_US && busy_ms() - busy >= BUSY_MS;
        watch->stuck += us > STUCK_US;
        if (us > watch->max_us)
            watch->max_us = us;
        t0 = now_us();
        poll(NULL, 0, NAP_MS);
        watch->stalls += now_us() - t0 > NAP_MS * 1000 + STALL_US;
    }
    client_free(c);
    _exit(0);
}

/* --- the others --- */

static int dial(void)
{
    struct sockaddr_un sa = {.sun_family = AF_UNIX};
    struct paths p;
    paths_find(&p);
    snprintf(sa.sun_path, sizeof sa.sun_path, "%s", p.socket);
    paths_fini(&p);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    if (connect(fd, (struct sockaddr *)&sa, sizeof sa) < 0)
        fail_msg("cannot connect: %s", strerror(errno));
    return fd;
}

static void put(int fd, const void *p, size_t n)
{
    while (n) {
        ssize_t w = send(fd, p, n, MSG_NOSIGNAL);
        if (w < 0)
            return; /* closed meanwhile: that is what is looked for */
        p = (const char *)p + w;
        n -= (size_t)w;
    }
}

static void put_frame(int fd, uint16_t type, const void *body, size_t n)
{
    struct str s = STR_INIT;
    frame_append_header(&s, type, 0, 7, n);
    str_append_n(&s, body, n);
    put(fd, s.s, s.len);
    str_fini(&s);
}

static void greet(int fd)
{
    char name[] = "hostile";
    struct msg_hello m = {.version = PROTO_VERSION, .program = name};
    struct str s = STR_INIT;
    msg_append(&s, MSG_HELLO, 1, &m);
    put(fd, s.s, s.len);
    str_fini(&s);
    uint8_t buf[65536];
    assert_true(recv(fd, buf, sizeof buf, 0) > 0);
}

/* Reads until the end of the file. */
static bool is_closed_within(int fd, int ms)
{
    int64_t end = cluster_now_ms() + ms;
    uint8_t buf[65536];
    for (;;) {
        int64_t left = end - cluster_now_ms();
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (left <= 0 || poll(&p, 1, (int)left) <= 0)
            return false;
        ssize_t n = recv(fd, buf, sizeof buf, 0);
        if (n <= 0)
            return true;
    }
}

static void must_be_closed(const char *what, int fd, int ms)
{
    if (!is_closed_within(fd, ms))
        fail_msg("[%s] is not closed within %d ms", what, ms);
    close(fd);
}

/* For what it has said, and not because it has not greeted: one that says nothing, and came before, is
 * there still. Again where all of that took so long that it is not. */
static void must_be_cut_off(const char *what, void (*say)(int fd))
{
    for (int i = 0; i < 5; i++) {
        int silent = dial(), fd = dial();
        say(fd);
        must_be_closed(what, fd, CLOSED_MS);
        struct pollfd p = {.fd = silent, .events = POLLIN};
        bool is_there = poll(&p, 1, 100) == 0;
        close(silent);
        if (is_there)
            return;
    }
    fail_msg("[%s] is closed no sooner than one that says nothing", what);
}

/* Still the same process, and it answers. */
static void is_well(const char *what)
{
    if (waitpid(controller, NULL, WNOHANG) != 0)
        fail_msg("[%s] the controller is dead", what);
    struct client *c = cluster_connect();
    client_free(c);
}

static void say_huge(int fd)
{
    static const uint8_t huge[16] = {0xff, 0xff, 0xff, 0xff, MSG_HELLO};
    put(fd, huge, sizeof huge);
}

static void say_request(int fd)
{
    put_frame(fd, MSG_SUBMIT, "\x90", 1);
}

static void test_not_frames(void **state)
{
    (void)state;
    static const uint8_t over[16] = {0x01, 0x00, 0x80, 0x00, MSG_HELLO}; /* one more than is allowed */
    must_be_cut_off("4 GiB announced", say_huge);
    must_be_cut_off("a request before the greeting", say_request);
    int fd = dial();
    greet(fd);
    put(fd, over, sizeof over);
    must_be_closed("8 MiB and a byte announced", fd, CLOSED_MS);
    fd = dial();
    greet(fd);
    put_frame(fd, 60000, "\x90", 1);
    must_be_closed("an unknown kind", fd, CLOSED_MS);
    fd = dial();
    greet(fd);
    put_frame(fd, MSG_WELCOME, "\x90", 1);
    must_be_closed("a message only the controller sends", fd, CLOSED_MS);
    fd = dial();
    greet(fd);
    put_frame(fd, MSG_TASK_END, "\x90", 1);
    must_be_closed("a message only agents send", fd, CLOSED_MS);
    is_well("not frames");
}

/* Truncated at each length of a good frame: the end of the file ends it, nothing else does. */
static void test_truncated(void **state)
{
    (void)state;
    struct msg_get get = {.what = GET_JOBS};
    struct str s = STR_INIT;
    msg_append(&s, MSG_GET, 1, &get);
    for (size_t n = 1; n < s.len; n++) {
        int fd = dial();
        greet(fd);
        put(fd, s.s, n);
        shutdown(fd, SHUT_WR);
        must_be_closed("truncated", fd, CLOSED_MS);
    }
    str_fini(&s);
    is_well("truncated");
}

/* Bodies of random bytes for every kind, arrays nested deeply, lists that announce four thousand million
 * members. */
static void test_random_bodies(void **state)
{
    (void)state;
    uint64_t seed = check_seed();
    for (int i = 0; i < RANDOM_N; i++) {
        uint8_t body[512];
        size_t n = check_rand(&seed) % sizeof body;
        for (size_t k = 0; k < n; k++)
            body[k] = (uint8_t)check_rand(&seed);
        uint16_t kind = (uint16_t)(check_rand(&seed) % MSG_N_KINDS);
        /* It would be obeyed. */
        if (kind == MSG_SHUTDOWN)
            continue;
        if (n > 1 && i % 3 == 0)
            body[0] = 0x9f; /* an array, as a good body is */
        int fd = dial();
        greet(fd);
        put_frame(fd, kind, body, n);
        close(fd);
    }
    static const uint8_t list[] = {0x91, 0xdd, 0xff, 0xff, 0xff, 0xff};
    uint8_t deep[100000];
    memset(deep, 0x91, sizeof deep);
    for (uint16_t kind = 0; kind < MSG_N_KINDS; kind++) {
        if (kind == MSG_SHUTDOWN)
            continue;
        int fd = dial();
        greet(fd);
        put_frame(fd, kind, list, sizeof list);
        put_frame(fd, kind, deep, sizeof deep);
        close(fd);
    }
    is_well("random bodies");
}

/* Says a byte now and then, or nothing at all: closed after a while, and no other client waits for it. */
static void test_slow(void **state)
{
    (void)state;
    struct msg_hello m = {.version = PROTO_VERSION};
    struct str s = STR_INIT;
    msg_append(&s, MSG_HELLO, 1, &m);
    int silent = dial(), drip = dial();
    int64_t end = cluster_now_ms() + SLOW_MS;
    bool dripping = true;
    for (size_t at = 0; dripping && cluster_now_ms() < end; at++) {
        dripping = send(drip, s.s + at % 8, 1, MSG_NOSIGNAL) == 1 && !is_closed_within(drip, 900);
        if (at == 7)
            at = 3; /* never more than the beginning of a header */
    }
    if (dripping)
        fail_msg("one that drips is still connected after %d ms", SLOW_MS);
    close(drip);
    must_be_closed("one that says nothing", silent, SLOW_MS);
    str_fini(&s);
    is_well("slow");
}

/* Asks and asks and never reads: what waits for it is bounded, then it is closed. */
static void test_never_reads(void **state)
{
    (void)state;
    int fd = dial();
    greet(fd);
    struct str s = STR_INIT;
    struct msg_get get = {.what = GET_SPEC | GET_NODES | GET_JOBS};
    struct job_target *t = rec_list_push(&get.jobs); /* by name: of several about all the last one counts */
    *t = (struct job_target){.job = 1, .array_index = ARRAY_NONE, .step = STEP_ALL};
    for (int i = 0; i < 1000; i++)
        msg_append(&s, MSG_GET, (uint64_t)i, &get);
    rec_fini(&msg_get_rec, &get);
    int64_t end = cluster_now_ms() + 200000;
    bool open = true;
    while (open && cluster_now_ms() < end) {
        struct pollfd p = {.fd = fd, .events = POLLOUT};
        if (poll(&p, 1, 100) > 0)
            open = send(fd, s.s, s.len, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0 || errno == EAGAIN;
    }
    str_fini(&s);
    close(fd);
    if (open)
        fail_msg("one that never reads is still heard after minutes");
    is_well("never reads");
}

static void test_many(void **state)
{
    (void)state;
    enum { N = 400 };
    int fds[N];
    for (int i = 0; i < N; i++)
        fds[i] = dial();
    is_well("400 connections that say nothing");
    for (int i = 0; i < N; i++)
        close(fds[i]);
    is_well("and go");
}

static int group_setup(void **state)
{
    (void)state;
    watch = mmap(NULL, sizeof *watch, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (watch == MAP_FAILED)
        return -1;
    cluster_configure(8, 16, 4);
    controller = cluster_spawn(NULL);
    struct client *c = cluster_connect();
    /* something to tell */
    for (unsigned i = 0; i < 50; i++) {
        char request[32];
        uint32_t id;
        snprintf(request, sizeof request, "filler-%u", i);
        if (cluster_submit(c, request, "#!/bin/sh\n:\n", &id) < 0)
            return -1;
    }
    client_free(c);
    return 0;
}

static bool has_answers(void *ctx)
{
    return watch->n >= *(const uint32_t *)ctx;
}

/* All of the above with another client being served beside it. */
static void run_watched(void (*fn)(void **), void **state)
{
    watch->stop = false;
    watch->n = watch->late = watch->stalls = watch->stuck = 0;
    watch->max_us = 0;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        watch_main();
    uint32_t before = 20;
    assert_true(cluster_eventually(60000, 2, has_answers, &before));
    fn(state);
    uint32_t after = watch->n + 20;
    assert_true(cluster_eventually(60000, 2, has_answers, &after));
    watch->stop = true;
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    check_int("the other client", status, 0);
    printf("%u answers, the slowest after %lld us\n", watch->n, (long long)watch->max_us);
    check_int("answers that came after an age", watch->stuck, 0);
    /* A hiccup of the machine is none of the controller's. */
    if (watch->late > 1 + watch->n / 1000 + 2 * watch->stalls)
        fail_msg("%u of %u answers waited for others longer than %d ms, one %lld us; the machine stalled "
                 "%u times",
                 watch->late, watch->n, LATE_US / 1000, (long long)watch->max_us, watch->stalls);
}

#define WATCHED(name)                        \
    static void watched_##name(void **state) \
    {                                        \
        run_watched(test_##name, state);     \
    }
WATCHED(not_frames)
WATCHED(truncated)
WATCHED(random_bodies)
WATCHED(never_reads)
WATCHED(many)
WATCHED(slow)

static int group_teardown(void **state)
{
    (void)state;
    cluster_stop(controller);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(watched_not_frames),    cmocka_unit_test(watched_truncated),
        cmocka_unit_test(watched_random_bodies), cmocka_unit_test(watched_never_reads),
        cmocka_unit_test(watched_many),          cmocka_unit_test(watched_slow),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
