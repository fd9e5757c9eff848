/* test_agent_ranks.c - tasks of several ranks, their CPUs, and their standard input.
 *
 * As root everything runs a second time as an ordinary user.
 */
#include <signal.h>

#include "src/base/xalloc.h"
#include "tests/lib/agent_cases.h"

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *sorted(char *text)
{
    struct strv lines = strv_split(text, "\n");
    qsort(lines.v, lines.n, sizeof *lines.v, compare_lines);
    char *s = strv_join(&lines, "\n");
    strv_fini(&lines);
    free(text);
    return s;
}

static void test_ranks_share_a_file(void **state)
{
    struct driver *d = *state;
    struct launch l;
    driver_step_init(d, &l, 1, 4, "echo rank $SLURM_PROCID");
    driver_outputs(&l, "all.out");
    driver_send(d, MSG_LAUNCH, 0, &l);
    struct launch_end *e = driver_end(d, 1, true);
    check_int("ranks", e->ranks.n, 4);
    driver_end_free(e);
    char *text = sorted(driver_file(d, "all.out"));
    check_str("lines", text, "rank 0\nrank 1\nrank 2\nrank 3");
    free(text);
    /* Labelled: long lines in pieces, none is cut by another one. */
    l.key.job = 2;
    l.label = true;
    l.label_width = 2;
    free(l.argv.v[2]);
    l.argv.v[2] =
        xstrdup("for i in 1 2 3; do printf aaaa; sleep 0.01; printf 'bbbb\\n'; done; printf tail");
    driver_send(d, MSG_LAUNCH, 0, &l);
    driver_end_free(driver_end(d, 2, true));
    text = sorted(driver_file(d, "all.out"));
    check_str("labels", text,
              "00: aaaabbbb\n00: aaaabbbb\n00: aaaabbbb\n00: tail\n01: aaaabbbb\n01: aaaabbbb\n01: "
              "aaaabbbb\n01: tail\n"
              "02: aaaabbbb\n02: aaaabbbb\n02: aaaabbbb\n02: tail\n03: aaaabbbb\n03: aaaabbbb\n03: "
              "aaaabbbb\n03: tail");
    free(text);
    rec_fini(&launch_rec, &l);
}

static void test_rank_codes(void **state)
{
    struct driver *d = *state;
    struct launch l;
    driver_step_init(d, &l, 1, 3, "exit $SLURM_PROCID");
    driver_send(d, MSG_LAUNCH, 0, &l);
    struct launch_end *e = driver_end(d, 1, true);
    for (int i = 0; i < 3; i++)
        check_int("code", e->ranks.v[i].code, i);
    check_int("kind", e->end_kind, END_EXITED);
    driver_end_free(e);
    /* One fails, the others go. */
    l.key.job = 2;
    l.kill_on_bad_exit = true;
    l.kill_wait_s = 50; /* SIGTERM does it */
    free(l.argv.v[2]);
    l.argv.v[2] = xstrdup("[ $SLURM_PROCID = 1 ] && exit 3; exec sleep 100");
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    e = driver_end(d, 2, true);
    check_int("code", e->ranks.v[1].code, 3);
    check_int("signal", e->ranks.v[0].signal, SIGTERM);
    check_int("kind", e->end_kind, END_SIGNALED);
    assert_false(e->was_killed);
    driver_end_free(e);
}

static void test_multi_prog(void **state)
{
    struct driver *d = *state;
    struct launch l;
    driver_step_init(d, &l, 1, 3, "exit 0");
    strv_push(&l.ranks.v[1].argv, "sh");
    strv_push(&l.ranks.v[1].argv, "-c");
    strv_push(&l.ranks.v[1].argv, "exit 8");
    strv_push(&l.ranks.v[2].argv, "nosuchprogram");
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    struct launch_end *e = driver_end(d, 1, true);
    check_int("code", e->ranks.v[0].code, 0);
    check_int("code", e->ranks.v[1].code, 8);
    check_int("code", e->ranks.v[2].code, 2);
    check_int("kind", e->end_kind, END_EXITED);
    driver_end_free(e);
}

static void send_input(struct driver *d, uint64_t offset, const char *text, size_t n, bool eof,
                       uint64_t want, bool closed)
{
    struct msg_input m = {.key = {.job = 1, .attempt = 1},
                          .offset = offset,
                          .data = {.p = xmemdup(text, n + 1), .n = n},
                          .eof = eof};
    driver_send(d, MSG_INPUT, offset + 1, &m);
    free(m.data.p);
    struct msg_input_ack *a = driver_wait(d, MSG_INPUT_ACK, NULL, NULL, DRIVER_WAIT_MS);
    assert_non_null(a);
    check_int("offset", a->offset, want);
    check_int("closed", a->closed, closed);
    msg_free(MSG_INPUT_ACK, a);
}

static void test_input(void **state)
{
    struct driver *d = *state;
    struct launch l;
    /* Rank 2 closes its input: the others read on. */
    driver_step_init(d, &l, 1, 3,
                     "[ $SLURM_PROCID = 2 ] && exec <&- && echo >closed && exec sleep 100; cksum "
                     ">sum.$SLURM_PROCID; echo $? >done.$SLURM_PROCID");
    l.stream_in = true;
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    free(driver_await_file(d, "closed", "\n"));
    size_t n = 100000;
    char *text = xmalloc(n + 1);
    for (size_t i = 0; i < n; i++)
        text[i] = (char)('a' + i % 26);
    text[n] = '\0';
    send_input(d, 0, text, n, false, n, false);
    send_input(d, 0, text, n, false, n, false);                /* a repetition */
    send_input(d, n + 5, "gap", 3, false, n, false);           /* a gap: not taken */
    send_input(d, n - 10, text + n - 10, 10, false, n, false); /* nothing new */
    send_input(d, n, text, n, true, 2 * n, true);
    free(driver_await_file(d, "done.0", "0\n"));
    free(driver_await_file(d, "done.1", "0\n"));
    char *a = driver_file(d, "sum.0"), *b = driver_file(d, "sum.1");
    check_str("sums", a, b);
    check_has("length", a, " 200000\n");
    free(a);
    free(b);
    free(text);
    struct launch_kill k = {.key = {.job = 1, .attempt = 1}, .cause = KILL_CANCEL};
    driver_send(d, MSG_KILL, 0, &k);
    driver_end_free(driver_end(d, 1, true));
}

/* The one who sends waits for an answer before it sends more, to the other nodes too. */
static void test_input_that_no_shim_answers(void **state)
{
    struct driver *d = *state;
    struct launch l;
    driver_step_init(d, &l, 1, 1, "echo $PPID >shim; exec sleep 1000");
    l.stream_in = true;
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    char *shim = driver_await_file(d, "shim", "\n");
    driver_stop(atoi(shim));
    struct msg_input m = {.key = {.job = 1, .attempt = 1}, .data = {.p = (uint8_t[]){"x"}, .n = 1}};
    driver_send(d, MSG_INPUT, 1, &m);
    m.offset = 1;
    driver_send(d, MSG_INPUT, 2, &m);
    driver_send(d, MSG_PING, 3, NULL);
    msg_free(MSG_PONG, driver_wait(d, MSG_PONG, NULL, NULL, DRIVER_WAIT_MS)); /* they have been passed on */
    assert_int_equal(kill(atoi(shim), SIGKILL), 0);
    for (int i = 0; i < 2; i++) {
        struct msg_input_ack *a = driver_wait(d, MSG_INPUT_ACK, NULL, NULL, DRIVER_WAIT_MS);
        assert_non_null(a);
        check_int("taken", (int64_t)a->offset, 0);
        msg_free(MSG_INPUT_ACK, a);
    }
    driver_end_free(driver_end(d, 1, true));
    free(shim);
}

static bool input_is_taken(void *ctx)
{
    struct driver *d = ctx;
    struct msg_input m = {
        .key = {.job = 1, .attempt = 1}, .data = {.p = (uint8_t[]){"x\n"}, .n = 2}, .eof = true};
    driver_send(d, MSG_INPUT, 1, &m);
    struct msg_input_ack *a = driver_wait(d, MSG_INPUT_ACK, NULL, NULL, DRIVER_WAIT_MS);
    assert_non_null(a);
    bool taken = a->offset == 2;
    check_int("closed with what it took", a->closed, taken);
    msg_free(MSG_INPUT_ACK, a);
    return taken;
}

/* A shim that the new agent has not reached yet has not closed its input. */
static void test_input_after_agent_death(void **state)
{
    struct driver *d = *state;
    struct launch l;
    driver_step_init(d, &l, 1, 1, "echo $PPID >shim; read x; exec echo $x >got");
    l.stream_in = true;
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    msg_free(MSG_TASK_RUNNING, driver_running(d, 1));
    pid_t shim = driver_pid_in(d, "shim");
    driver_stop(shim);
    driver_hang_up(d);
    driver_kill(d, SIGKILL);
    driver_connect(d);
    send_input(d, 0, "x\n", 2, true, 0, false);
    assert_int_equal(kill(shim, SIGCONT), 0);
    driver_await(input_is_taken, d, "the input is taken");
    free(driver_await_file(d, "got", "x\n"));
    driver_end_free(driver_end(d, 1, true));
}

static void test_binding(void **state)
{
    struct driver *d = *state;
    struct launch l;
    driver_launch_init(d, &l, 1, "grep ^Cpus_allowed_list /proc/self/status | wc -l; nproc");
    cpuset_add(&l.alloc.cpus, 0);
    driver_send(d, MSG_LAUNCH, 0, &l);
    driver_end_free(driver_end(d, 1, true));
    driver_check_output(d, "1.out", "1\n1\n");
    /* More than the machine has: not bound, not refused. */
    cpuset_add_range(&l.alloc.cpus, 0, 1000);
    l.key.job = 2;
    driver_send(d, MSG_LAUNCH, 0, &l);
    rec_fini(&launch_rec, &l);
    struct launch_end *e = driver_end(d, 2, true);
    check_int("code", e->ranks.v[0].code, 0);
    driver_end_free(e);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        AGENT_CASE(test_ranks_share_a_file),
        AGENT_CASE(test_rank_codes),
        AGENT_CASE(test_multi_prog),
        AGENT_CASE(test_input),
        AGENT_CASE(test_input_that_no_shim_answers),
        AGENT_CASE(test_input_after_agent_death),
        AGENT_CASE(test_binding),
    };
    return agent_cases(tests, argc, argv);
}
