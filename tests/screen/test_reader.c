/* test_reader.c - reading outputs beside the screens: files that grow, nodes that hand out pieces of a big
 * log, nodes that do not answer. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "tests/lib/check.h"
#include "ui/output/output_reader.h"

#define DEADLINE_MS 60000
#define LOG_SIZE    1000000000ull
#define LINE        100 /* bytes of a line of the log that a node has */

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

struct lab {
    struct output_reader *r;
    char dir[64], path[96];
    uint64_t sent; /* bytes that the node gave */
    size_t asks;
    bool mute;     /* the node does not answer */
    uint64_t from; /* what is before it is no longer kept */
    uint64_t log;  /* its size */
};

static int set_up(void **state)
{
    static struct lab l;
    const char *tmp = getenv("TMPDIR");
    l = (struct lab){.log = LOG_SIZE};
    snprintf(l.dir, sizeof l.dir, "%s/reader.XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(l.dir))
        return -1;
    snprintf(l.path, sizeof l.path, "%s/out.txt", l.dir);
    l.r = reader_new(true);
    reader_resize(l.r, 20, 80);
    *state = &l;
    return 0;
}

static int tear_down(void **state)
{
    struct lab *l = *state;
    reader_close(l->r);
    unlink(l->path);
    return rmdir(l->dir);
}

static void append(const struct lab *l, const char *text)
{
    FILE *f = fopen(l->path, "a");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void open_one(struct lab *l, const char *path, bool live)
{
    struct reading_open o = {.merged = false};
    vec_push(&o.places, (struct reading_place){.path = xstrdup(path), .label = xstrdup("")});
    reader_live(l->r, live, true);
    reader_open(l->r, &o);
}

/* Line n of the log; one of them tells of an error. */
static void log_line(uint64_t n, char *out)
{
    char text[LINE + 1];
    int len =
        snprintf(text, sizeof text, "line %llu%s ", (unsigned long long)n, n == 9000000 ? " ERROR" : "");
    memset(text + len, '.', (size_t)(LINE - len));
    text[LINE - 1] = '\n';
    memcpy(out, text, LINE);
}

/* Plays the node: answers what is asked, as the agent does. */
static void play_node(struct lab *l)
{
    struct stream_ask a;
    uint32_t generation;
    while (reader_next_ask(l->r, &a, &generation)) {
        l->asks++;
        if (l->mute || (!a.piece && a.offset >= l->log))
            continue; /* waits for growth */
        if (a.offset < l->from)
            a.offset = l->from;
        uint64_t n = l->log - a.offset < a.max ? l->log - a.offset : a.max;
        struct msg_output_data d = {.offset = a.offset, .size = l->log};
        d.data.n = n;
        d.data.p = xmalloc(n + 2 * LINE);
        for (uint64_t at = a.offset / LINE * LINE; at < a.offset + n; at += LINE) {
            char line[LINE];
            log_line(at / LINE, line);
            for (size_t i = 0; i < LINE; i++)
                if (at + i >= a.offset && at + i < a.offset + n)
                    d.data.p[at + i - a.offset] = (uint8_t)line[i];
        }
        l->sent += n;
        reader_take(l->r, generation, a.stream, a.piece, &d, "");
        rec_fini(&msg_output_data_rec, &d);
    }
}

static bool shows(const struct reading_state *s, const char *part)
{
    for (size_t i = 0; s && i < s->page.rows.n; i++)
        if (strstr(s->page.rows.v[i].text, part))
            return true;
    return s && s->trouble && strstr(s->trouble, part);
}

/* Waits until the picture has part. Returns the milliseconds that it took. */
static int64_t await(struct lab *l, const char *part)
{
    int64_t t0 = now_ms();
    for (;;) {
        play_node(l);
        const struct reading_state *s = reader_state(l->r);
        if (shows(s, part))
            return now_ms() - t0;
        struct pollfd fd = {.fd = reader_fd(l->r), .events = POLLIN};
        if (now_ms() - t0 > DEADLINE_MS || poll(&fd, 1, 1000) < 0)
            fail_msg("\"%s\" is never shown; the first row: %s, trouble: %s", part,
                     s && s->page.rows.n ? s->page.rows.v[0].text : "(none)",
                     s && s->trouble ? s->trouble : "(none)");
    }
}

static void a_file_is_followed(void **state)
{
    struct lab *l = *state;
    l->mute = true;
    open_one(l, l->path, true);
    await(l, "The file does not exist yet");
    append(l, "first\n");
    await(l, "first");
    append(l, "second\n");
    await(l, "second");
    assert_true(reader_state(l->r)->follow);
}

/* A gigabyte that lies on a node: its end is seen after a few pieces, any place of it after a few more. */
static void a_big_log_of_a_node(void **state)
{
    struct lab *l = *state;
    open_one(l, NULL, true);
    await(l, "line 9999999");
    if (l->sent > 2 * 1024 * 1024)
        fail_msg("%llu bytes were fetched to see its end", (unsigned long long)l->sent);
    reader_act(l->r, ACTION_TOP);
    await(l, "line 0 ");
    assert_true(l->sent < 4 * 1024 * 1024);
    reader_act(l->r, ACTION_BOTTOM);
    await(l, "line 9999999");
    l->log += LINE; /* one more line */
    open_one(l, NULL, true);
    await(l, "line 10000000");
}

/* What a terminal has printed is given back by its node after a while. */
static void a_log_that_has_lost_its_beginning(void **state)
{
    struct lab *l = *state;
    l->log = 500 * 1000;
    l->from = 300 * 1000;
    open_one(l, NULL, false);
    await(l, "line 4999");
    reader_find(l->r, "line 3000 ");
    await(l, "line 3000 ");
    reader_act(l->r, ACTION_TOP);
    const struct reading_state *s = NULL;
    int64_t t0 = now_ms();
    while (!s || s->percent != 0) { /* empty lines stand for it */
        struct pollfd fd = {.fd = reader_fd(l->r), .events = POLLIN};
        poll(&fd, 1, 100);
        play_node(l);
        s = reader_state(l->r);
        if (now_ms() - t0 > DEADLINE_MS)
            fail_msg("the top is never shown");
    }
    assert_int_equal(s->page.rows.n, 20);
    assert_string_equal(s->page.rows.v[0].text, "");
}

static void a_search_in_a_big_log_of_a_node_can_be_given_up(void **state)
{
    struct lab *l = *state;
    open_one(l, NULL, true);
    await(l, "line 9999999");
    l->mute = true; /* from here on it says nothing */
    size_t asks = l->asks;
    reader_find(l->r, "nosuch"); /* has to fetch */
    int64_t t0 = now_ms();
    while (l->asks == asks && now_ms() - t0 < DEADLINE_MS) {
        struct pollfd fd = {.fd = reader_fd(l->r), .events = POLLIN};
        poll(&fd, 1, 100);
        reader_state(l->r);
        play_node(l);
    }
    assert_true(l->asks > asks);
    append(l, "a file\n");
    open_one(l, l->path, true); /* the user has gone on to another output */
    await(l, "a file");
}

static const struct reading_state *await_count(struct lab *l, size_t hits, bool all)
{
    int64_t t0 = now_ms();
    for (;;) {
        play_node(l);
        const struct reading_state *s = reader_state(l->r);
        if (s && s->hits >= hits && (!all || (!s->more_hits && s->hit)))
            return s;
        struct pollfd fd = {.fd = reader_fd(l->r), .events = POLLIN};
        poll(&fd, 1, 100);
        if (now_ms() - t0 > DEADLINE_MS)
            fail_msg("%zu matches are counted, not %zu", s ? s->hits : 0, hits);
    }
}

/* However large the output: it is read from its beginning, piece by piece, until all are known. */
static void matches_on_a_node_are_counted(void **state)
{
    struct lab *l = *state;
    l->log = 200 * 1000 * LINE;
    open_one(l, NULL, false);
    await(l, "line 199999");
    reader_find(l->r, "000 ."); /* line 1000 to line 199000 */
    await(l, "line 199000");
    const struct reading_state *s = await_count(l, 199, true);
    assert_int_equal(s->hits, 199);
    assert_int_equal(s->hit, 199);
    assert_false(s->more_hits);
}

/* Of very much output the node sends no more than a part for that; a match behind it has no number. */
static void not_all_of_a_huge_log_is_sent_to_count(void **state)
{
    struct lab *l = *state;
    open_one(l, NULL, false);
    await(l, "line 9999999");
    reader_find(l->r, "00000 .");
    await(l, "line 9900000");
    const struct reading_state *s = await_count(l, 26, false);
    assert_int_equal(s->hits, 26);
    assert_int_equal(s->hit, 0);
    assert_true(s->more_hits);
    reader_act(l->r, ACTION_TOP);
    await(l, "line 0 ");
    assert_int_equal(reader_state(l->r)->hits, 26);
    assert_true(l->sent < 300u << 20);
}

/* Closing comes back, whatever the thread waits for: the test would hang here. */
static void nobody_waits_for_a_node_at_the_end(void **state)
{
    struct lab *l = *state;
    open_one(l, NULL, true);
    await(l, "line 9999999");
    l->mute = true;
    reader_act(l->r, ACTION_TOP);
    reader_close(l->r);
    l->r = NULL;
}

static void a_refusal_is_told(void **state)
{
    struct lab *l = *state;
    struct stream_ask a;
    uint32_t generation;
    open_one(l, NULL, false);
    int64_t t0 = now_ms();
    while (!reader_next_ask(l->r, &a, &generation)) {
        struct pollfd fd = {.fd = reader_fd(l->r), .events = POLLIN};
        if (now_ms() - t0 > DEADLINE_MS)
            fail_msg("nothing was asked for");
        poll(&fd, 1, 100);
        reader_state(l->r);
    }
    reader_take(l->r, generation, a.stream, a.piece, NULL, "node n1 does not answer now");
    await(l, "node n1 does not answer now");
}

/* What a fifo would do to who opens it: it is looked at first. */
static void a_fifo_is_no_output(void **state)
{
    struct lab *l = *state;
    assert_int_equal(mkfifo(l->path, 0600), 0);
    l->mute = true;
    open_one(l, l->path, true);
    await(l, "is not a regular file");
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_file_is_followed),
        CASE(a_big_log_of_a_node),
        CASE(a_log_that_has_lost_its_beginning),
        CASE(a_search_in_a_big_log_of_a_node_can_be_given_up),
        CASE(nobody_waits_for_a_node_at_the_end),
        CASE(matches_on_a_node_are_counted),
        CASE(not_all_of_a_huge_log_is_sent_to_count),
        CASE(a_refusal_is_told),
        CASE(a_fifo_is_no_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
