/* What stoker output prints with: the terminal's filter, growing files, tables. */
#include "tests/lib/check.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/cli/listing/texttable.h"
#include "src/cli/step/outfilter.h"
#include "src/cli/step/tailfile.h"

static const struct {
    const char *row, *in, *out;
} filter_rows[] = {
    {"plain", "hello\n\tworld\n", "hello\n\tworld\n"},
    {"utf-8", "żółw 日本\n", "żółw 日本\n"},
    {"colour", "\033[1;31mred\033[0m\n", "\033[1;31mred\033[0m\n"},
    {"colour left on", "\033[31mred", "\033[31mred\033[0m"},
    {"clear screen", "a\033[2Jb", "a\\x1B[2Jb"},
    {"title", "\033]0;x\007", "\\x1B]0;x\\x07"},
    {"window lines end", "a\r\nb\r\n", "a\nb\n"},
    {"progress", "1%\r2%\r3%\n", "1%\n2%\n3%\n"},
    {"trailing cr", "50%\r", "50%\n"},
    {"latin1", "caf\xe9\n", "caf\\xE9\n"},
    {"c1",
     "a\xc2\x9b"
     "31m",
     "a\\xC2\\x9B31m"},
    {"bidi",
     "a\xe2\x80\xae"
     "b",
     "a\\xE2\\x80\\xAE"
     "b"},
    {"nul is cut by C, bell is not", "a\ab", "a\\x07b"},
    {"cut character", "a\xe6\x97", "a\\xE6\\x97"},
    {"cut sequence", "a\033[3", "a\\x1B\\x5B\\x33"},
    {"backspace", "ab\bc", "ab\\x08c"},
};

static void filter(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < N_OF(filter_rows); i++) {
        struct outfilter f = {0};
        struct str s = STR_INIT;
        outfilter_append(&f, &s, filter_rows[i].in, strlen(filter_rows[i].in));
        outfilter_finish(&f, &s);
        check_str(filter_rows[i].row, s.s, filter_rows[i].out);
        str_fini(&s);
    }
}

/* The same, byte by byte: pieces may be cut anywhere. */
static void filter_in_pieces(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < N_OF(filter_rows); i++) {
        struct outfilter f = {0};
        struct str s = STR_INIT;
        for (const char *p = filter_rows[i].in; *p; p++)
            outfilter_append(&f, &s, p, 1);
        outfilter_finish(&f, &s);
        check_str(filter_rows[i].row, s.s, filter_rows[i].out);
        str_fini(&s);
    }
}

static void raw(void **unused)
{
    (void)unused;
    struct outfilter f = {.raw = true};
    struct str s = STR_INIT;
    outfilter_append(&f, &s, "\033[2J\r\0x", 7);
    outfilter_finish(&f, &s);
    assert_int_equal(s.len, 7);
    assert_memory_equal(s.s, "\033[2J\r\0x", 7);
    str_fini(&s);
}

/* --- files --- */

static char dir[] = "/tmp/stoker-test-output-XXXXXX";

static int make_dir(void **unused)
{
    (void)unused;
    return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **unused)
{
    (void)unused;
    char *cmd = xasprintf("rm -rf '%s'", dir);
    int rc = system(cmd);
    free(cmd);
    return rc;
}

static void put(const char *path, const char *text, int flags)
{
    int fd = open(path, O_WRONLY | O_CREAT | flags, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static void check_read(struct tailfile *t, const char *row, const char *want)
{
    char buf[256];
    struct str s = STR_INIT;
    for (ssize_t n; (n = tailfile_read(t, buf, sizeof buf)) != 0;) {
        if (n == TAIL_CUT)
            str_append(&s, "<cut>");
        else if (n == TAIL_REPLACED)
            str_append(&s, "<new>");
        else
            str_append_n(&s, buf, (size_t)n);
    }
    check_str(row, s.s, want);
    str_fini(&s);
}

static void wait_change(struct tailfile *t)
{
    struct pollfd p = {.fd = t->inotify, .events = POLLIN};
    assert_int_equal(poll(&p, 1, 60000), 1);
    tailfile_drain(t);
}

static void last_lines(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        uint64_t n;
        const char *want;
    } rows[] = {
        {"", 3, ""},
        {"a\n", 0, ""},
        {"a\nb\nc\n", 1, "c\n"},
        {"a\nb\nc\n", 2, "b\nc\n"},
        {"a\nb\nc", 1, "c"},
        {"a\nb\nc", 2, "b\nc"},
        {"a\nb\nc\n", 3, "a\nb\nc\n"},
        {"a\nb\nc\n", 99, "a\nb\nc\n"},
        {"\n\n\n", 2, "\n\n"},
        {"no newline", 1, "no newline"},
    };
    char *path = xasprintf("%s/lines", dir);
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct tailfile t;
        put(path, rows[i].text, O_TRUNC);
        assert_int_equal(tailfile_open(&t, path, geteuid(), false, NULL), 0);
        tailfile_seek_lines(&t, rows[i].n);
        check_read(&t, rows[i].text, rows[i].want);
        tailfile_close(&t);
    }
    /* more than one block from the end */
    struct str big = STR_INIT;
    for (int i = 0; i < 40000; i++)
        str_appendf(&big, "%d\n", i);
    put(path, big.s, O_TRUNC);
    struct tailfile t;
    assert_int_equal(tailfile_open(&t, path, geteuid(), false, NULL), 0);
    tailfile_seek_lines(&t, 30000);
    char buf[8];
    assert_int_equal(tailfile_read(&t, buf, 6), 6);
    assert_memory_equal(buf, "10000\n", 6);
    tailfile_close(&t);
    str_fini(&big);
    free(path);
}

/* It took minutes to look through all of it. */
static void a_hundred_gigabytes_without_a_line_break(void **unused)
{
    (void)unused;
    static const off_t sizes[] = {100LL << 30, 1 << 30}; /* the second where such files cannot be made */
    char *path = xasprintf("%s/huge", dir), end[9];
    struct tailfile t;
    put(path, "first\n", O_TRUNC);
    assert_true(truncate(path, sizes[0]) == 0 || truncate(path, sizes[1]) == 0);
    put(path, "last\nline", O_APPEND);
    assert_int_equal(tailfile_open(&t, path, geteuid(), false, NULL), 0);
    tailfile_seek_lines(&t, 1);
    check_read(&t, "the line after it", "line");
    off_t size = t.at;
    tailfile_seek_lines(&t, 5);
    assert_in_range(size - t.at, 1 << 20, 2 << 20);
    t.at = size - 9;
    assert_int_equal(tailfile_read(&t, end, sizeof end), sizeof end);
    assert_memory_equal(end, "last\nline", sizeof end);
    tailfile_close(&t);
    unlink(path);
    free(path);
}

static void follows_growth_cuts_and_rotation(void **unused)
{
    (void)unused;
    struct tailfile t;
    char *path = xasprintf("%s/log", dir), *old = xasprintf("%s/log.1", dir);
    assert_int_equal(tailfile_open(&t, path, geteuid(), true, NULL), 0);
    check_read(&t, "not there yet", "");
    put(path, "one\n", O_TRUNC);
    wait_change(&t);
    check_read(&t, "came", "one\n");
    put(path, "two\n", O_APPEND);
    wait_change(&t);
    check_read(&t, "grew", "two\n");
    put(path, "3\n", O_TRUNC);
    wait_change(&t);
    check_read(&t, "cut", "<cut>3\n");
    assert_int_equal(rename(path, old), 0);
    put(path, "new file\n", O_TRUNC);
    wait_change(&t);
    check_read(&t, "rotated", "<new>new file\n");
    check_int("notices everything", tailfile_timeout(&t), -1);
    tailfile_close(&t);
    free(path);
    free(old);
}

static void follows_a_link(void **unused)
{
    (void)unused;
    struct tailfile t;
    char *sub = xasprintf("%s/elsewhere", dir), *real = xasprintf("%s/elsewhere/real", dir),
         *link = xasprintf("%s/link", dir);
    assert_int_equal(mkdir(sub, 0700), 0);
    put(real, "one\n", O_TRUNC);
    assert_int_equal(symlink(real, link), 0);
    assert_int_equal(tailfile_open(&t, link, geteuid(), true, NULL), 0);
    check_read(&t, "first", "one\n");
    put(real, "two\n", O_APPEND);
    wait_change(&t);
    check_read(&t, "grew behind the link", "two\n");
    tailfile_close(&t);
    free(sub);
    free(real);
    free(link);
}

static void refused_files(void **unused)
{
    (void)unused;
    struct tailfile t;
    struct errtext err = {0};
    char *fifo = xasprintf("%s/fifo", dir), *none = xasprintf("%s/none", dir);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    check_int("fifo does not block", tailfile_open(&t, fifo, geteuid(), false, &err), -EISDIR);
    check_int("directory", tailfile_open(&t, dir, geteuid(), false, &err), -EISDIR);
    check_int("missing", tailfile_open(&t, none, geteuid(), false, &err), -ENOENT);
    check_has("missing", err.s, none);
    free(fifo);
    free(none);
}

/* --- tables --- */

static const struct table_col cols[] = {{.title = "ID"},
                                        {.title = "NAME", .flex = 4},
                                        {.title = "N", .right = true},
                                        {.title = "EXTRA", .drop = 1}};

static void check_table(const char *row, const struct texttable *t, unsigned width, const char *want)
{
    struct str s = STR_INIT;
    texttable_print(t, &s, width, false);
    check_str(row, s.s, want);
    str_fini(&s);
}

static void tables(void **unused)
{
    (void)unused;
    struct texttable t = TEXTTABLE_INIT(cols);
    check_table("empty", &t, 0, "ID  NAME  N  EXTRA\n");
    texttable_add(&t, TONE_PLAIN, "1");
    texttable_add(&t, TONE_PLAIN, "a-rather-long-name");
    texttable_add(&t, TONE_GOOD, "7");
    texttable_add(&t, TONE_PLAIN, NULL);
    texttable_add(&t, TONE_PLAIN, "22");
    texttable_add(&t, TONE_PLAIN, "日本\n語");
    texttable_add(&t, TONE_PLAIN, "100");
    texttable_add(&t, TONE_PLAIN, "x");
    check_table("wide", &t, 0,
                "ID  NAME                  N  EXTRA\n"
                "1   a-rather-long-name    7  -\n"
                "22  日本\\n語            100  x\n");
    check_table("cut", &t, 26,
                "ID  NAME          N  EXTRA\n"
                "1   a-rather-…    7  -\n"
                "22  日本\\n語    100  x\n");
    check_table("one column less", &t, 16,
                "ID  NAME       N\n"
                "1   a-rath…    7\n"
                "22  日本\\n…  100\n");
    for (unsigned width = 13; width < 40; width++) {
        struct str s = STR_INIT;
        texttable_print(&t, &s, width, false);
        for (char *line = s.s, *end; (end = strchr(line, '\n')); line = end + 1) {
            *end = '\0';
            assert_true(cell_width(line) <= (int)width);
        }
        str_fini(&s);
    }
    struct str s = STR_INIT;
    texttable_print(&t, &s, 0, true);
    check_has("colour", s.s, "\033[1;32m7\033[0m");
    str_fini(&s);
    texttable_fini(&t);
}

static void bars(void **unused)
{
    (void)unused;
    static const struct {
        uint64_t used, total;
        const char *want;
    } rows[] = {{0, 0, ""},       {0, 8, "[....]"},      {1, 1000, "[#...]"},
                {4, 8, "[##..]"}, {999, 1000, "[###.]"}, {8, 8, "[####]"},
                {9, 8, "[####]"}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct str s = STR_INIT;
        bar_append(&s, rows[i].used, rows[i].total, 4);
        check_str(rows[i].want, s.s, rows[i].want);
        str_fini(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filter),
        cmocka_unit_test(filter_in_pieces),
        cmocka_unit_test(raw),
        cmocka_unit_test(last_lines),
        cmocka_unit_test(a_hundred_gigabytes_without_a_line_break),
        cmocka_unit_test(follows_growth_cuts_and_rotation),
        cmocka_unit_test(follows_a_link),
        cmocka_unit_test(refused_files),
        cmocka_unit_test(tables),
        cmocka_unit_test(bars),
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
