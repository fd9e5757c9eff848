/* The log: one line an entry, whatever is in it. */
#include "tests/lib/check.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "src/os/log.h"

/* What was written since the last call; the stamp is cut off after checking that it looks like one. */
static const char *read_log(int fd, char buf[static 1024])
{
    ssize_t n = read(fd, buf, 1023);
    buf[n > 0 ? n : 0] = '\0';
    if (n <= 0)
        return buf;
    assert_true(n > 24);
    assert_int_equal(buf[10], 'T');
    assert_int_equal(buf[19], '.');
    assert_int_equal(buf[23], ' ');
    return buf + 24;
}

static void open_pipe(int fds[2])
{
    assert_int_equal(pipe2(fds, O_NONBLOCK), 0);
}

static void one_line_whatever_is_in_it(void **unused)
{
    (void)unused;
    char buf[1024];
    int fds[2];
    open_pipe(fds);
    log_open("testd", fds[1], LOG_LVL_INFO);
    log_info("job %d by %s", 7, "a\nb\x1b[31m\x7f");
    assert_string_equal(read_log(fds[0], buf), "testd info job 7 by a\\nb\\x1B[31m\\x7F\n");
    log_info("by %s", "\xc2\x9b"
                      "2J\xe2\x80\xae\xff \xc3\xa9");
    assert_string_equal(read_log(fds[0], buf), "testd info by \\u{9B}2J\\u{202E}\\xFF \xc3\xa9\n");
    log_error("%s", "");
    assert_string_equal(read_log(fds[0], buf), "testd error \n");
    close(fds[0]);
    close(fds[1]);
}

static void levels(void **unused)
{
    (void)unused;
    char buf[1024];
    int fds[2];
    open_pipe(fds);
    log_open("testd", fds[1], LOG_LVL_WARN);
    log_info("not this");
    log_debug("nor this");
    log_warn("this");
    assert_string_equal(read_log(fds[0], buf), "testd warn this\n");

    setenv("STOKER_LOG", "debug", 1);
    log_open("testd", fds[1], LOG_LVL_WARN);
    assert_int_equal(log_level_now(), LOG_LVL_DEBUG);
    log_debug("now this");
    assert_string_equal(read_log(fds[0], buf), "testd debug now this\n");

    setenv("STOKER_LOG", "nonsense", 1);
    log_open("testd", fds[1], LOG_LVL_WARN);
    assert_int_equal(log_level_now(), LOG_LVL_WARN);
    unsetenv("STOKER_LOG");
    close(fds[0]);
    close(fds[1]);
}

static void lost_lines_are_told(void **unused)
{
    (void)unused;
    char buf[1024];
    int fds[2], full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_true(full >= 0);
    open_pipe(fds);
    log_open("testd", full, LOG_LVL_INFO);
    errno = 5;
    log_info("lost");
    log_info("lost too");
    assert_int_equal(errno, 5);
    log_open("testd", fds[1], LOG_LVL_INFO);
    log_info("room again");
    assert_string_equal(read_log(fds[0], buf), "testd info room again lost_lines=2\n");
    log_info("next");
    assert_string_equal(read_log(fds[0], buf), "testd info next\n");
    close(full);
    close(fds[0]);
    close(fds[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_line_whatever_is_in_it),
                                       cmocka_unit_test(levels), cmocka_unit_test(lost_lines_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
