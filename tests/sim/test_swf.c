/* test_swf.c - the reader of traces: what stands in a line, and what is wrong with one. */
#include <errno.h>
#include <unistd.h>
#include <zlib.h>

#include "backend/sim/procs.h"
#include "src/base/str.h"
#include "tests/lib/check.h"

#define GOOD "7 100 -1 60 4 163.38 -1 8 90 2048 1 3 2 -1 5 6 -1 -1\n"

static char *path_of(const char *name)
{
    const char *dir = getenv("TMPDIR");
    return xasprintf("%s/%s", dir ? dir : "/tmp", name);
}

static char *write_file(const char *text, size_t n, bool packed)
{
    char *path = path_of(packed ? "t.swf.gz" : "t.swf");
    gzFile f = gzopen(path, packed ? "wb" : "wbT");
    assert_non_null(f);
    assert_int_equal(gzwrite(f, text, (unsigned)n), n);
    assert_int_equal(gzclose(f), Z_OK);
    return path;
}

static void test_bad_lines(void **state)
{
    (void)state;
    static char long_line[9000];
    memset(long_line, '1', sizeof long_line - 2);
    const struct {
        const char *name, *text, *says;
    } cases[] = {
        {"too few", GOOD "; a comment\n1 2 3\n", ":3: a job has 18 numbers, this line has 3"},
        {"too many", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19\n",
         ":1: a job has 18 numbers, this line has more"},
        {"a word", GOOD "7 100 x 60 4 -1 -1 8 90 -1 1 3 2 -1 5 6 -1 -1\n", ":2: 'x' is not a number"},
        {"half a number", "7 100 1e5 60 4 -1 -1 8 90 -1 1 3 2 -1 5 6 -1 -1\n", ":1: '1e5' is not a number"},
        {"a huge number", "7 99999999999999999999 1 60 4 -1 -1 8 90 -1 1 3 2 -1 5 6 -1 -1\n", ":1: '99999"},
        {"too long", long_line, ":1: the line is too long"},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct swf s;
        struct errtext err = {""};
        char *path = write_file(cases[i].text, strlen(cases[i].text), i % 2);
        check_int(cases[i].name, swf_read(path, &s, &err), -EINVAL);
        check_has(cases[i].name, err.s, path);
        check_has(cases[i].name, err.s, cases[i].says);
        free(path);
    }
}

static void test_bad_files(void **state)
{
    (void)state;
    struct swf s;
    struct errtext err = {""};
    char *path = path_of("none.swf");
    assert_int_equal(swf_read(path, &s, &err), -ENOENT);
    check_has("missing", err.s, "No such file");
    free(path);
    assert_int_equal(swf_read("/", &s, &err), -EISDIR);

    const char zero[] = "7 100\0 1 60\n" GOOD;
    path = write_file(zero, sizeof zero - 1, false);
    assert_int_equal(swf_read(path, &s, &err), -EINVAL);
    check_has("zero byte", err.s, ":1: ");
    free(path);

    struct str text = STR_INIT;
    for (int i = 0; i < 5000; i++)
        str_appendf(&text, "%d %d -1 60 4 %d -1 8 90 2048 1 3 2 -1 5 6 -1 -1\n", i, 7919 * i % 10007,
                    i * i % 65537);
    path = write_file(text.s, text.len, true);
    FILE *f = fopen(path, "r+");
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    long size = ftell(f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(truncate(path, size / 2), 0);
    assert_int_equal(swf_read(path, &s, &err), -EINVAL);
    check_has("cut off", err.s, "the file is cut off");
    free(path);
    str_fini(&text);
}

static void test_fields(void **state)
{
    (void)state;
    static const char text[] =
        ";  MaxProcs: 64\n; MaxNodes: 8\n;UnixStartTime: 843480031\n; Note: MaxProcs: 5\n\n" GOOD
        "  \t\n 8\t-1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1 -1\r\n"
        "9 101 -1 5 1 -1 -1 1 1 -1 1 1 1 -1 -1 -1 -1 -1";
    for (int packed = 0; packed < 2; packed++) {
        struct swf s;
        struct errtext err = {""};
        char *path = write_file(text, sizeof text - 1, packed);
        if (swf_read(path, &s, &err) < 0)
            fail_msg("%s", err.s);
        assert_int_equal(s.max_procs, 64);
        assert_int_equal(s.max_nodes, 8);
        assert_int_equal(s.unix_start, 843480031);
        assert_int_equal(s.jobs.n, 3);
        const struct swf_job *j = &s.jobs.v[0];
        const int64_t got[] = {j->id,          j->submit,   j->run,           j->procs_used,
                               j->procs_asked, j->estimate, j->mem_asked_kib, j->user,
                               j->group,       j->queue,    j->partition,     j->line};
        const int64_t want[] = {7, 100, 60, 4, 8, 90, 2048, 3, 2, 5, 6, 6};
        assert_memory_equal(got, want, sizeof want);
        assert_int_equal(s.jobs.v[1].submit, -1);
        assert_int_equal(s.jobs.v[2].id, 9); /* the last line needs no end */
        swf_fini(&s);
        free(path);
    }
}

static void test_no_machine(void **state)
{
    (void)state;
    struct swf s;
    struct procs_trace t;
    struct errtext err = {""};
    char *path = write_file(GOOD, strlen(GOOD), false);
    assert_int_equal(swf_read(path, &s, &err), 0);
    assert_int_equal(procs_trace_init(&t, &s, 0, &err), -EINVAL);
    check_has("no machine", err.s, "MaxProcs");
    swf_fini(&s);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_lines),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_no_machine),
    };
    return cmocka_run_group_tests_name("swf", tests, NULL, NULL);
}
