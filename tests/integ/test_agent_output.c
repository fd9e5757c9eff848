/* test_agent_output.c - output that is kept on the node, and output without a reader.
 *
 * As root everything runs a second time as an ordinary user.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "tests/lib/agent_cases.h"

static struct msg_output_data *read_output(struct driver *d, uint32_t job, uint32_t rank, uint32_t stream,
                                           uint64_t offset, uint32_t wait_ms)
{
    struct msg_output_read m = {
        .key = {.job = job}, .rank = rank, .stream = stream, .offset = offset, .wait_ms = wait_ms};
    driver_send(d, MSG_OUTPUT_READ, 5, &m);
    struct msg_output_data *o = driver_wait(d, MSG_OUTPUT_DATA, NULL, NULL, DRIVER_WAIT_MS);
    assert_non_null(o);
    return o;
}

static void test_spool(void **state)
{
    struct driver *d = *state;
    struct launch l;
    driver_step_init(
        d, &l, 1, 2,
        "echo out $SLURM_PROCID; echo err >&2; while [ ! -e go ]; do sleep 0.01; done; echo last");
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    msg_free(MSG_TASK_RUNNING, driver_running(d, 1));
    struct msg_output_data *o = read_output(d, 1, 1, 1, 0, 50000);
    assert_null(o->error);
    assert_int_equal(o->data.n, 6);
    assert_memory_equal(o->data.p, "out 1\n", 6);
    assert_false(o->eof);
    msg_free(MSG_OUTPUT_DATA, o);
    /* Nothing more now: an answer after the wait, and one as soon as there is something. */
    o = read_output(d, 1, 1, 1, 6, 50);
    assert_int_equal(o->data.n, 0);
    assert_false(o->eof);
    msg_free(MSG_OUTPUT_DATA, o);
    struct msg_output_read m = {.key = {.job = 1}, .rank = 1, .stream = 1, .offset = 6, .wait_ms = 60000};
    driver_send(d, MSG_OUTPUT_READ, 6, &m);
    char *go = xasprintf("%s/work/go", d->dir);
    close(open(go, O_CREAT | O_WRONLY, 0644));
    free(go);
    o = driver_wait(d, MSG_OUTPUT_DATA, NULL, NULL, DRIVER_WAIT_MS);
    assert_non_null(o);
    assert_int_equal(o->data.n, 5);
    assert_memory_equal(o->data.p, "last\n", 5);
    msg_free(MSG_OUTPUT_DATA, o);
    driver_end_free(driver_end(d, 1, true));
    /* Still there after the acknowledged end, and across a restart of the agent. */
    for (int restart = 0; restart < 2; restart++) {
        o = read_output(d, 1, 0, 2, 0, 0);
        assert_int_equal(o->data.n, 4);
        assert_true(o->eof);
        msg_free(MSG_OUTPUT_DATA, o);
        if (!restart) {
            driver_hang_up(d);
            driver_kill(d, SIGKILL);
            driver_connect(d);
        }
    }
    o = read_output(d, 99, 0, 1, 0, 1000);
    assert_non_null(o->error);
    assert_true(o->eof);
    msg_free(MSG_OUTPUT_DATA, o);
}

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Reads for longer than the spool is kept without that. False where one read came too late for it. */
static bool reads_keep_it(struct driver *d, uint32_t job, int64_t keep_ms)
{
    char text[32];
    snprintf(text, sizeof text, "%d", (int)keep_ms);
    driver_hang_up(d);
    driver_kill(d, SIGKILL);
    setenv("STOKER_SPOOL_KEEP_MS", text, 1);
    driver_connect(d);
    unsetenv("STOKER_SPOOL_KEEP_MS");
    struct launch l;
    driver_step_init(d, &l, job, 1, "echo hello");
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    int64_t last = now_ms(), until; /* when the read before was sent */
    driver_end_free(driver_end(d, job, true));
    for (until = now_ms() + keep_ms * 3 / 2; now_ms() < until; poll(NULL, 0, 5)) {
        int64_t sent = now_ms();
        struct msg_output_data *o = read_output(d, job, 0, 1, 0, 0);
        bool gone = o->error != NULL;
        msg_free(MSG_OUTPUT_DATA, o);
        if (gone && now_ms() - last < keep_ms)
            fail_msg("read %d ms before, and gone", (int)(now_ms() - last));
        if (gone)
            return false;
        last = sent;
    }
    return true;
}

/* The time that a spool is kept begins again with each read. */
static void test_spool_is_kept_for_readers(void **state)
{
    struct driver *d = *state;
    static const int64_t keep_ms[] = {1500, 6000, 20000}; /* longer than this machine stands still */
    uint32_t job = 1;
    while (job <= N_OF(keep_ms) && !reads_keep_it(d, job, keep_ms[job - 1]))
        job++;
    assert_true(job <= N_OF(keep_ms));
    driver_await(driver_dir_is_empty, d, "the spool goes after the last read");
}

/* The read end of a new FIFO in work/. */
static int make_fifo(struct driver *d, const char *name)
{
    char *path = xasprintf("%s/work/%s", d->dir, name);
    assert_int_equal(mkfifo(path, 0666), 0);
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(fd >= 0);
    free(path);
    return fd;
}

struct filling {
    int fd, held;
};

/* Takes no more: its pages may be filled in part. */
static bool is_full(void *ctx)
{
    struct filling *f = ctx;
    int before = f->held;
    return ioctl(f->fd, FIONREAD, &f->held) == 0 && f->held > 16384 && f->held == before;
}

static void step_kill(struct driver *d, uint32_t job, const char *note)
{
    struct launch_kill k = {
        .key = {.job = job, .attempt = 1}, .cause = KILL_CANCEL, .grace_s = 1, .note = xstrdup(note)};
    driver_send(d, MSG_KILL, 0, &k);
    rec_fini(&launch_kill_rec, &k);
}

struct fifo_case {
    const char *name;
    uint32_t ranks;
    bool label, limit;
};

struct filled_or_over {
    struct filling filling;
    char end[400];
};

static bool is_full_or_over(void *ctx)
{
    struct filled_or_over *f = ctx;
    return is_full(&f->filling) || access(f->end, F_OK) == 0;
}

/* Each rank has said that it ignores SIGTERM. */
static bool all_are_ready(struct driver *d, uint32_t job, uint32_t ranks, bool wait)
{
    bool all = true;
    for (uint32_t i = 0; i < ranks; i++) {
        char name[32];
        snprintf(name, sizeof name, "ready.%u.%u", job, i);
        char *text = wait ? driver_await_file(d, name, "\n") : driver_file(d, name);
        all &= strcmp(text, "\n") == 0;
        free(text);
    }
    return all;
}

/* False where the limit came before the ranks were ready for it. */
static bool ends_with_fifo(struct driver *d, const struct fifo_case *c, uint32_t job, uint32_t limit_s)
{
    char name[16], command[128];
    snprintf(name, sizeof name, "fifo%u", job);
    snprintf(command, sizeof command,
             "trap '' TERM; echo >ready.%u.$SLURM_PROCID; while :; do echo yes; done", job);
    int fifo = make_fifo(d, name);
    struct launch l;
    driver_step_init(d, &l, job, c->ranks, command);
    driver_outputs(&l, name);
    l.label = c->label;
    l.limit_own = c->limit;
    l.kill_wait_s = 1;
    if (c->limit)
        l.time_limit_s = limit_s;
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    struct filled_or_over f = {.filling = {.fd = fifo}};
    snprintf(f.end, sizeof f.end, "%s/tasks/%u.0.0.1/end", d->agent_dir, job);
    driver_await(is_full_or_over, &f, "the FIFO is full");
    if (!c->limit) {
        all_are_ready(d, job, c->ranks, true);
        step_kill(d, job, "slurmstepd: error: *** STEP CANCELLED ***");
    }
    struct launch_end *e = driver_end(d, job, true);
    bool ready = all_are_ready(d, job, c->ranks, false);
    check_int(c->name, e->end_kind, c->limit ? END_TIMEOUT : END_KILLED);
    for (uint32_t i = 0; ready && i < c->ranks; i++)
        check_int(c->name, e->ranks.v[i].signal, SIGKILL);
    driver_end_free(e);
    close(fifo);
    return ready && f.filling.held > 16384;
}

static void test_fifo_that_nobody_reads(void **state)
{
    struct driver *d = *state;
    static const struct fifo_case cases[] = {
        {"labelled, cancelled", 1, true, false}, {"labelled, time limit", 2, true, true},
        {"shared, cancelled", 2, false, false},  {"shared, time limit", 2, false, true},
        {"its own, cancelled", 1, false, false},
    };
    static const uint32_t limits_s[] = {1, 6, 36};
    uint32_t job = 1;
    for (uint32_t i = 0; i < N_OF(cases); i++) {
        uint32_t k = 0;
        while (k < N_OF(limits_s) && !ends_with_fifo(d, &cases[i], job++, limits_s[k]))
            k++;
        if (k == N_OF(limits_s))
            fail_msg("[%s] it was never ready in time", cases[i].name);
    }
}

/* A slow reader loses nothing: what is written waits for it, also after the rank has ended. */
static void test_fifo_that_is_read_late(void **state)
{
    struct driver *d = *state;
    int fifo = make_fifo(d, "fifo");
    struct launch l;
    driver_step_init(d, &l, 1, 1, "seq 1 100000; exit 3");
    driver_outputs(&l, "fifo");
    l.label = true;
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    driver_await(is_full, &(struct filling){.fd = fifo}, "the FIFO is full");
    struct str text = STR_INIT;
    char buf[4096];
    struct pollfd p = {.fd = fifo, .events = POLLIN};
    while (poll(&p, 1, DRIVER_WAIT_MS) > 0) {
        ssize_t n = read(fifo, buf, sizeof buf);
        if (n == 0 || (n < 0 && errno != EAGAIN))
            break;
        if (n > 0)
            str_append_n(&text, buf, (size_t)n);
    }
    close(fifo);
    assert_int_equal(text.len, 588895 + 3 * 100000);
    assert_true(str_ends(text.s, "\n0: 99999\n0: 100000\n"));
    str_fini(&text);
    struct launch_end *e = driver_end(d, 1, true);
    check_int("kind", e->end_kind, END_EXITED);
    check_int("code", e->ranks.v[0].code, 3);
    driver_end_free(e);
}

static void test_spool_has_a_bound(void **state)
{
    struct driver *d = *state;
    driver_restart(d, "spool_max = 2M\n");
    struct launch l;
    driver_step_init(
        d, &l, 1, 2,
        "[ $SLURM_PROCID = 0 ] && exec sleep 100; trap '' TERM; while :; do echo output; done");
    driver_send(d, MSG_LAUNCH, 0, &l);
    struct launch_end *e = driver_end(d, 1, true);
    check_int("kind", e->end_kind, END_SIGNALED);
    check_has("message", e->message, "passed the 2 MiB");
    check_has("message", e->message, "--output");
    assert_false(e->was_killed);
    driver_end_free(e);
    struct msg_output_data *o = read_output(d, 1, 0, 2, 0, 0);
    assert_null(o->error);
    assert_true(o->data.n > 0);
    msg_free(MSG_OUTPUT_DATA, o);
    /* A file of its own is its own matter. */
    l.key.job = 2;
    driver_outputs(&l, "2.out");
    free(l.argv.v[2]);
    l.argv.v[2] = xstrdup("head -c 3000000 /dev/zero; sleep 1");
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    e = driver_end(d, 2, true);
    check_int("kind", e->end_kind, END_EXITED);
    driver_end_free(e);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        AGENT_CASE(test_spool),
        AGENT_CASE(test_spool_is_kept_for_readers),
        AGENT_CASE(test_fifo_that_nobody_reads),
        AGENT_CASE(test_fifo_that_is_read_late),
        AGENT_CASE(test_spool_has_a_bound),
    };
    return agent_cases(tests, argc, argv);
}
