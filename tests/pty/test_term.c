/* test_term.c - stoker-ui and its terminal: sizes, colours, signs, the mouse, what is pasted, shells,
 * crashes.
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/check.h"
#include "tests/lib/tty.h"

static void a_change_is_seen_and_costs_little(void **state)
{
    struct tty *t = *state;
    tty_await(t, "No jobs are queued.");
    assert_int_equal(tty_run("sbatch -H -J held --wrap true >/dev/null"), 0);
    tty_await(t, "held by ");
    tty_await_quiet(t, 300);
    long before = t->bytes;
    int64_t t0 = tty_now_ms();
    assert_int_equal(tty_run("scancel 1"), 0);
    tty_await(t, "cancelled");
    /* No bound: other work may take the machine for longer. */
    print_message("seen %lld ms after the command was begun, %ld bytes\n", (long long)(tty_now_ms() - t0),
                  t->bytes - before);
    if (t->bytes - before > 2048)
        fail_msg("a change in one row took %ld bytes", t->bytes - before);
}

static void sizes_change_under_it(void **state)
{
    struct tty *t = *state;
    tty_await(t, "No jobs are queued.");
    for (int i = 0; i < 1000; i++) {
        tty_resize(t, 2 + i * 7 % 60, 4 + i * 13 % 200);
        tty_read(t, 0);
    }
    tty_resize(t, 30, 120);
    tty_await(t, "No jobs are queued.");
    tty_await(t, "live");
    tty_type(t, "q");
    assert_int_equal(tty_wait(t), 0);
    tty_must_be_sane(t, "resized");
}

static void crashes_leave_the_terminal_sane(void **state)
{
    static const int signals[] = {SIGSEGV, SIGABRT, SIGTERM, SIGHUP, SIGBUS};
    static const char *const ui[] = {"stoker-ui", NULL};
    (void)state;
    for (size_t i = 0; i < N_OF(signals); i++) {
        struct tty t;
        tty_start(&t, 24, 80, ui);
        tty_await(&t, "live");
        kill(t.pid, signals[i]);
        int status = tty_wait(&t);
        assert_true(WIFSIGNALED(status));
        check_int(strsignal(signals[i]), WTERMSIG(status), signals[i]);
        tty_must_be_sane(&t, strsignal(signals[i]));
        tty_fini(&t);
    }
}

static void pasted_text_is_no_key(void **state)
{
    struct tty *t = *state;
    tty_await(t, "No jobs are queued.");
    tty_type(t, "\033[200~q2?\033[201~");
    tty_type(t, "/");
    tty_await(t, "filter ");
    tty_type(t, "\033[200~a\nb q\033[201~");
    tty_await(t, "a b q");
    tty_type(t, "\033"); /* Esc drops it */
    tty_await_gone(t, "a b q");
    tty_type(t, "q");
    assert_int_equal(tty_wait(t), 0);
}

static void type_bytes(struct tty *t, const char *bytes)
{
    tty_type(t, bytes);
    tty_await_quiet(t, 300);
}

/* What a terminal may send and no key means: nothing of it may be run. */
static void sequences_are_read_whole(void **state)
{
    static const char *const strange[] = {"\033[a",
                                          "\033[25~",
                                          "\033[27;5;99~",
                                          "\033[1;5H",
                                          "\033[99;5u",
                                          "\033[?62;1;6c",
                                          "\033OH",
                                          "\033c",
                                          "\033]11;c/H\a",
                                          "\033P1+r53\033\\",
                                          "\033[200~caf\xe9 scS\033[201~"};
    struct tty *t = *state;
    tty_await(t, "No jobs are queued.");
    assert_int_equal(tty_run("sbatch -H -J held --wrap true >/dev/null"), 0);
    tty_await(t, "held by ");
    for (size_t i = 0; i < N_OF(strange); i++)
        type_bytes(t, strange[i]);
    static const char pasted[] = "\033[200~\256\035S\177S\033[201~";
    type_bytes(t, pasted);
    type_bytes(t, "\033"); /* and in two pieces */
    type_bytes(t, "[C");
    tty_await(t, "held by ");
    tty_await(t, "Enter open"); /* the footer of the list: nothing lies over it */
    type_bytes(t, "\033OB");    /* a key in the form of the other mode */
    tty_type(t, "\033[H/\033[C");
    tty_await(t, "filter ");
    tty_type(t, "\033");
    tty_await_gone(t, "filter ");
    tty_type(t, "q");
    assert_int_equal(tty_wait(t), 0);
}

/* Text that is pasted where the terminal marks no pastes. */
static void a_paste_that_comes_as_keys(void **state)
{
    struct tty *t = *state;
    tty_await(t, "No jobs are queued.");
    tty_await(t, "live");
    tty_type(t, "rmW7XiVK5jjq\nwq\nsome more of it\n");
    tty_await(t, "pasted text was ignored");
    tty_await(t, "No jobs are queued.");
    tty_await_quiet(t, 300);
    tty_type(t, "q");
    assert_int_equal(tty_wait(t), 0);
}

/* Eight colours have 64 pairs. */
static void eight_colours_are_all_there(void **state)
{
    static const char *const terms[] = {"xterm", "screen", "linux"};
    struct tty *t = *state;
    tty_await(t, "No jobs are queued.");
    assert_int_equal(tty_run("sbatch -H -J held --wrap true >/dev/null"), 0);
    for (size_t i = 0; i < N_OF(terms); i++) {
        char name[32];
        snprintf(name, sizeof name, "TERM=%s", terms[i]);
        const char *const ui[] = {"env", name, "stoker-ui", NULL};
        struct tty plain;
        tty_start(&plain, 24, 80, ui);
        tty_await(&plain, "held by ");
        tty_await_bytes(&plain, "36m"); /* cyan: keys */
        tty_await_bytes(&plain, "33m"); /* yellow: what waits */
        tty_type(&plain, "q");
        assert_int_equal(tty_wait(&plain), 0);
        tty_fini(&plain);
    }
    tty_type(t, "q");
    assert_int_equal(tty_wait(t), 0);
}

/* How often the process has gone to sleep so far; -1: not known. */
static long wake_ups(pid_t pid)
{
    char path[64], line[256];
    long n = -1;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "voluntary_ctxt_switches: %ld", &n) == 1)
            break;
    if (f)
        fclose(f);
    return n;
}

static void quiet_when_nothing_happens(void **state)
{
    struct tty *t = *state;
    tty_await(t, "No jobs are queued.");
    tty_await(t, "live");
    tty_await_quiet(t, 2500);
    /* It is not even woken, but for a heartbeat. A machine short of memory may wake it once, but not
     * again. */
    long woken = 0;
    for (int i = 0; i < 12; i++) {
        long before = wake_ups(t->pid);
        int64_t t0 = tty_now_ms();
        tty_await_quiet(t, 2500);
        woken = wake_ups(t->pid) - before;
        assert_true(before > 0);
        if (woken <= 1 + (tty_now_ms() - t0) / 5000) /* we may have looked for longer */
            return;
    }
    fail_msg("it woke %ld times", woken);
}

static void a_shell_gets_the_terminal_and_gives_it_back(void **state)
{
    struct tty *t = *state;
    tty_await(t, "live");
    tty_type(t, "2");
    tty_await(t, "n1");
    tty_type(t, "A");
    tty_await(t, "the shell>"); /* what is typed before may be thrown away */
    assert_false(t->alt);
    tty_type(t, "echo $((6*7)) is what it says; exit 0\r");
    tty_await(t, "NODE"); /* here again */
    assert_true(t->alt);
    tty_type(t, "1");
    tty_await(t, "No jobs are queued.");
    tty_type(t, "q");
    assert_int_equal(tty_wait(t), 0);
    tty_must_be_sane(t, "back from a shell");
    check_has("shell", t->tail.s, "42 is what it says");
}

static void no_color_means_none(void **state)
{
    static const char *const ui[] = {"env", "NO_COLOR=1", "stoker-ui", NULL};
    struct tty *t = *state, plain;
    tty_await(t, "live");
    tty_await_bytes(t, "38;5;"); /* one of 256 somewhere */
    tty_start(&plain, 24, 80, ui);
    tty_await(&plain, "live");
    assert_null(strstr(plain.tail.s, "38;"));
    assert_null(strstr(plain.tail.s, "48;"));
    tty_type(&plain, "q");
    assert_int_equal(tty_wait(&plain), 0);
    tty_fini(&plain);
}

/* What the environment says of the terminal decides which colours it is sent. */
static void colours_are_those_of_the_terminal(void **state)
{
    static const struct {
        const char *term, *colorterm, *comes, *never;
    } rows[] = {
        {"TERM=xterm-256color", "COLORTERM=truecolor", "38;2;", NULL},
        {"TERM=xterm-256color", "COLORTERM=", "38;5;", "38;2;"},
        {"TERM=screen-256color", "COLORTERM=truecolor", "38;5;",
         "38;2;"}, /* it inherits what it cannot do */
        {"TERM=xterm", "COLORTERM=", "36m", "38;"},
        {"TERM=vt100", "COLORTERM=truecolor", NULL, "38;"},
    };
    struct tty *t = *state;
    tty_await(t, "live");
    for (size_t i = 0; i < N_OF(rows); i++) {
        const char *const ui[] = {"env", "-u", "TMUX", rows[i].term, rows[i].colorterm, "stoker-ui", NULL};
        struct tty other;
        tty_start(&other, 24, 80, ui);
        tty_await(&other, "No jobs are queued.");
        if (rows[i].comes)
            check_has(rows[i].term, other.tail.s, rows[i].comes);
        if (rows[i].never && strstr(other.tail.s, rows[i].never))
            fail_msg("%s %s: %s came", rows[i].term, rows[i].colorterm, rows[i].never);
        tty_type(&other, "q");
        assert_int_equal(tty_wait(&other), 0);
        tty_must_be_sane(&other, rows[i].term);
        tty_fini(&other);
    }
    tty_type(t, "q");
    assert_int_equal(tty_wait(t), 0);
}

/* Over SSH, LANG often names a locale that this host does not have. */
static void a_locale_that_is_not_installed_is_unicode_still(void **state)
{
    static const char *const ui[] = {"env", "-u", "LC_ALL", "LANG=tlh_QO.UTF-8", "stoker-ui", NULL};
    struct tty *t = *state, other;
    tty_await(t, "No jobs are queued.");
    assert_int_equal(tty_run("sbatch -H -J 'gr\u00fc\u00dfe' --wrap true >/dev/null"), 0);
    tty_start(&other, 24, 80, ui);
    tty_await(&other, "gr\u00fc\u00dfe");
    tty_type(&other, "q");
    assert_int_equal(tty_wait(&other), 0);
    tty_fini(&other);
    tty_type(t, "q");
    assert_int_equal(tty_wait(t), 0);
}

static void a_plain_locale_gets_plain_signs(void **state)
{
    static const char *const ui[] = {"stoker-ui", NULL};
    struct tty *t = *state, plain;
    tty_await(t, "No jobs are queued.");
    assert_int_equal(tty_run("sbatch -H -J 'gr\u00fc\u00dfe \u5b66\u7fd2' --wrap true >/dev/null"), 0);
    tty_await(t, "gr\u00fc\u00dfe \u5b66\u7fd2");
    setenv("TEST_LOCALE", "C", 1);
    tty_start(&plain, 24, 80, ui);
    unsetenv("TEST_LOCALE");
    tty_await(&plain, "gr??e ??");
    tty_type(&plain, "2");
    tty_await(&plain, "NODE");
    for (size_t i = 0; i < plain.tail.len; i++)
        if ((unsigned char)plain.tail.s[i] > 0x7e)
            fail_msg("a byte %02x for a terminal that knows ASCII", (unsigned char)plain.tail.s[i]);
    tty_type(&plain, "q");
    assert_int_equal(tty_wait(&plain), 0);
    tty_fini(&plain);
}

static void wide_and_combining_names_keep_their_cells(void **state)
{
    struct tty *t = *state;
    tty_await(t, "No jobs are queued.");
    assert_int_equal(tty_run("sbatch -H -J plain --wrap true >/dev/null;"
                             "sbatch -H -J '\u5b66\u7fd2e\u0301x' --wrap true >/dev/null"),
                     0);
    tty_await(t, "\u5b66\u7fd2e");
    tty_await(t, "plain");
    int plain = -1, wide = -1;
    for (int64_t t0 = tty_now_ms(); plain <= 0 || wide != plain;) { /* until all of it is drawn */
        plain = tty_column(t, "plain", "held");
        wide = tty_column(t, "\u7fd2", "held");
        if (!tty_read(t, 50) || tty_now_ms() - t0 > 60000)
            fail_msg("held: columns %d and %d", plain, wide);
    }
    check_int("the mark has no cell of its own",
              tty_column(t, "\u7fd2", "x") - tty_column(t, "\u7fd2", "\u7fd2"), 3);
}

static void the_mouse_has_a_switch(void **state)
{
    struct tty *t = *state;
    tty_await(t, "No jobs are queued.");
    tty_await_bytes(t, "1000h");
    str_clear(&t->tail);
    tty_type(t, "M");
    tty_await(t, "mouse off");
    tty_await_bytes(t, "1000l");
    assert_null(strstr(t->tail.s, "1000h"));
    tty_type(t, "M");
    tty_await(t, "mouse on");
    tty_await_bytes(t, "1000h");
    tty_type(t, "q");
    assert_int_equal(tty_wait(t), 0);
    tty_must_be_sane(t, "the mouse");
}

/* What a job writes reaches the terminal as text and colour and as nothing else. */
static void output_cannot_speak_to_the_terminal(void **state)
{
    struct tty *t = *state;
    tty_await(t, "No jobs are queued.");
    assert_int_equal(
        tty_run("cd $STOKER_HOME && cat >hostile.sh <<'EOF'\n#!/bin/sh\n"
                "printf '\\033]0;evil title\\007\\033]52;c;ZXZpbA==\\007\\033[2J\\033[?1049l\\033[6n'\n"
                "printf '\\033[31mred\\033[0m words\\033P+q\\033\\\\\\n\\033]0;no end here\\n'\nEOF\n"
                "sbatch -o $STOKER_HOME/hostile.out hostile.sh >/dev/null"),
        0);
    tty_await(t, "done");
    str_clear(&t->tail);
    tty_type(t, "l");
    tty_await(t, "red words");
    tty_await(t, "x1B]0;no end here");
    static const char *const evil[] = {"evil",    "\033]0;", "\033]52", "ZXZpbA",
                                       "\033[6n", "\033P",   "?1049l"};
    for (size_t i = 0; i < N_OF(evil); i++)
        if (strstr(t->tail.s, evil[i]))
            fail_msg("sequence %zu came through", i);
    assert_true(t->alt);
    check_has("its colour", t->tail.s, "31m");
    tty_type(t, "qq");
    assert_int_equal(tty_wait(t), 0);
}

static void no_terminal_is_an_error(void **state)
{
    (void)state;
    assert_int_equal(tty_run("stoker-ui </dev/null >/dev/null 2>&1"), 1);
    assert_int_equal(tty_run("stoker-ui --nonsense </dev/null >/dev/null 2>&1"), 2);
    assert_int_equal(tty_run("stoker-ui --version >/dev/null"), 0);
    assert_int_equal(
        tty_run(
            "TERM=nosuch script -qec stoker-ui /dev/null </dev/null 2>/dev/null | grep -q 'is not known'"),
        0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TTY_CASE(a_change_is_seen_and_costs_little),
        TTY_CASE(sizes_change_under_it),
        TTY_CASE(crashes_leave_the_terminal_sane),
        TTY_CASE(pasted_text_is_no_key),
        TTY_CASE(sequences_are_read_whole),
        TTY_CASE(a_paste_that_comes_as_keys),
        TTY_CASE(eight_colours_are_all_there),
        TTY_CASE(quiet_when_nothing_happens),
        TTY_CASE(a_shell_gets_the_terminal_and_gives_it_back),
        TTY_CASE(no_color_means_none),
        TTY_CASE(colours_are_those_of_the_terminal),
        TTY_CASE(a_locale_that_is_not_installed_is_unicode_still),
        TTY_CASE(a_plain_locale_gets_plain_signs),
        TTY_CASE(wide_and_combining_names_keep_their_cells),
        TTY_CASE(the_mouse_has_a_switch),
        TTY_CASE(output_cannot_speak_to_the_terminal),
        cmocka_unit_test(no_terminal_is_an_error),
    };
    if (getenv("TEST_FILTER"))
        cmocka_set_test_filter(getenv("TEST_FILTER"));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
