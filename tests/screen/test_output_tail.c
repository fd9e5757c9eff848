/* test_output_tail.c - the last line of an output: what counts as one, and that it follows the file. */
#include <stdio.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "tests/lib/check.h"
#include "ui/output/output_tail.h"

struct tail_lab {
    char path[96];
    struct stream_hooks hooks;
    struct stream stream;
    struct output_tail tail;
};

static int tail_up(void **state)
{
    static struct tail_lab l;
    const char *tmp = getenv("TMPDIR");
    l = (struct tail_lab){.hooks = {.ctx = NULL}};
    snprintf(l.path, sizeof l.path, "%s/tail-%d.txt", tmp ? tmp : "/tmp", (int)getpid());
    stream_init(&l.stream, 0, xstrdup(l.path), geteuid(), NULL, &l.hooks);
    *state = &l;
    return 0;
}

static int tail_down(void **state)
{
    struct tail_lab *l = *state;
    stream_fini(&l->stream);
    output_tail_fini(&l->tail);
    unlink(l->path);
    return 0;
}

static bool tail_write(struct tail_lab *l, const char *mode, const char *text)
{
    FILE *f = fopen(l->path, mode);
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    stream_look(&l->stream, -1, false);
    return output_tail_read(&l->tail, &l->stream);
}

static void the_last_line_that_says_something(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"", ""},
        {"\n\n  \n", ""},
        {"one", "one"},
        {"one\n", "one"},
        {"one\ntwo\n\n \t\n", "two"},
        {"one\r\n", "one"},
        {" 10%\r 20%\r 30%", " 30%"},
        {"\033[31mred\033[0m\n", "red"},
        {"KeyError: 'x'\nslurmstepd: error: *** JOB 85 ON vm CANCELLED AT 2026-11-23T01:19:18 DUE TO TIME "
         "LIMIT ***\n",
         "KeyError: 'x'"},
    };
    struct tail_lab *l = *state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        output_tail_fini(&l->tail);
        tail_write(l, "w", rows[i].text);
        assert_true(l->tail.settled);
        assert_string_equal(l->tail.line, rows[i].want);
    }
}

static void it_follows_the_file(void **state)
{
    struct tail_lab *l = *state;
    assert_false(output_tail_read(&l->tail, &l->stream)); /* there is none yet */
    assert_null(l->tail.line);
    assert_false(l->tail.settled);
    assert_true(tail_write(l, "w", "epoch 1\n"));
    assert_false(output_tail_read(&l->tail, &l->stream));
    assert_true(tail_write(l, "a", "epoch 2"));
    assert_string_equal(l->tail.line, "epoch 2");
    assert_false(tail_write(l, "a", "\n")); /* the same line, finished */
    assert_true(tail_write(l, "a", "epoch 3\n"));
    assert_string_equal(l->tail.line, "epoch 3");
}

/* Only the end is read, and of a long line its beginning is kept, between two characters. */
static void long_outputs_and_lines_are_bounded(void **state)
{
    struct tail_lab *l = *state;
    struct str text = STR_INIT;
    for (int i = 0; i < 5000; i++)
        str_appendf(&text, "line %d\n", i);
    tail_write(l, "w", text.s);
    assert_string_equal(l->tail.line, "line 4999");
    str_clear(&text);
    str_append_char(&text, 'x');
    for (int i = 0; i < 1000; i++)
        str_append(&text, "\u00e9");
    output_tail_fini(&l->tail);
    tail_write(l, "w", text.s);
    assert_int_equal(strlen(l->tail.line), 511);
    str_fini(&text);
}

#define ON_TAIL(f) cmocka_unit_test_setup_teardown(f, tail_up, tail_down)

int main(void)
{
    const struct CMUnitTest tests[] = {ON_TAIL(the_last_line_that_says_something),
                                       ON_TAIL(it_follows_the_file),
                                       ON_TAIL(long_outputs_and_lines_are_bounded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
