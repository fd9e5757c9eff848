/* test_prefs.c - several screens are open: each keeps what it has changed, nothing of the others is lost.
 */
#include <stdlib.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "tests/lib/check.h"
#include "ui/state/prefs.h"

static char path[4096];

/* A screen that is open: what it remembers, and what it had read or written last. */
struct screen {
    struct prefs p;
    char *before;
};

static void start(struct screen *s)
{
    struct errtext err = {""};
    *s = (struct screen){.p = {.theme = NULL}};
    if (prefs_load(&s->p, path, &err) < 0)
        fail_msg("%s", err.s);
    s->before = prefs_text(&s->p);
}

static void save(struct screen *s)
{
    struct errtext err = {""};
    char *now = prefs_text(&s->p);
    if (prefs_bring_in(s->before, now, path, &err) < 0)
        fail_msg("%s", err.s);
    free(s->before);
    s->before = now;
}

static void end(struct screen *s)
{
    prefs_fini(&s->p);
    free(s->before);
}

static void keep(struct screen *s, const char *name, const char *filter)
{
    char *copy = xstrdup(filter), view[] = "jobs";
    prefs_keep_named(&s->p, name, &(struct view_prefs){.view = view, .filter = copy});
    free(copy);
}

static void sort(struct screen *s, const char *view, const char *text)
{
    struct view_prefs *v = prefs_of(&s->p, view);
    free(v->sort);
    v->sort = xstrdup(text);
}

static const char *filter_of(const struct screen *s, const char *name)
{
    const struct named_view *n = prefs_find_named(&s->p, name);
    return n ? n->shows.filter : "none";
}

static int set_up(void **unused)
{
    (void)unused;
    const char *dir = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/views.XXXXXX", dir ? dir : "/tmp");
    int fd = mkstemp(path);
    close(fd);
    return fd < 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    return unlink(path);
}

static void both_are_kept(void **unused)
{
    (void)unused;
    struct screen a, b, now;
    start(&a);
    start(&b);
    keep(&a, "mine", "user:alice");
    sort(&a, "jobs", "gpus:>0");
    prefs_remember(&a.p, "sort name");
    a.p.theme = xstrdup("light");
    keep(&b, "late", "time:>2h");
    sort(&b, "nodes", "state:down");
    prefs_remember(&b.p, "view late");
    save(&a);
    save(&b);
    start(&now);
    assert_string_equal(filter_of(&now, "mine"), "user:alice");
    assert_string_equal(filter_of(&now, "late"), "time:>2h");
    assert_string_equal(prefs_of(&now.p, "jobs")->sort, "gpus:>0");
    assert_string_equal(prefs_of(&now.p, "nodes")->sort, "state:down");
    assert_string_equal(now.p.theme, "light");
    assert_int_equal(now.p.history.n, 2);
    assert_string_equal(now.p.history.v[0], "sort name");
    assert_string_equal(now.p.history.v[1], "view late");
    end(&a);
    end(&b);
    end(&now);
}

static void only_what_changed_is_written(void **unused)
{
    (void)unused;
    struct screen a, b, now;
    start(&a);
    keep(&a, "old", "user:bo");
    keep(&a, "other", "user:eve");
    sort(&a, "jobs", "x");
    save(&a);
    start(&b);
    sort(&b, "jobs", "y");
    keep(&b, "other", "user:dan");
    assert_true(prefs_drop_named(&b.p, "old"));
    save(&b);
    prefs_remember(&a.p, "columns id"); /* it still has all that b has changed */
    save(&a);
    save(&a);
    start(&now);
    assert_string_equal(filter_of(&now, "old"), "none");
    assert_string_equal(filter_of(&now, "other"), "user:dan");
    assert_string_equal(prefs_of(&now.p, "jobs")->sort, "y");
    assert_int_equal(now.p.history.n, 1);
    end(&now);
    sort(&a, "jobs", "z"); /* both have: the later one counts */
    save(&a);
    start(&now);
    assert_string_equal(prefs_of(&now.p, "jobs")->sort, "z");
    end(&a);
    end(&b);
    end(&now);
}

/* The oldest lines go, and what is left is not taken for new. */
static void a_full_history_grows_by_what_is_new(void **unused)
{
    (void)unused;
    struct screen a, now;
    char line[32];
    start(&a);
    for (int i = 0; i < PREFS_HISTORY; i++) {
        snprintf(line, sizeof line, "filter %d", i);
        prefs_remember(&a.p, line);
    }
    save(&a);
    prefs_remember(&a.p, "one more");
    save(&a);
    start(&now);
    assert_int_equal(now.p.history.n, PREFS_HISTORY);
    assert_string_equal(now.p.history.v[0], "filter 1");
    assert_string_equal(now.p.history.v[PREFS_HISTORY - 1], "one more");
    end(&a);
    end(&now);
}

static void a_broken_file_is_replaced(void **unused)
{
    (void)unused;
    struct screen a, now;
    start(&a);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("views = {", f);
    fclose(f);
    sort(&a, "jobs", "x");
    save(&a);
    start(&now);
    assert_string_equal(prefs_of(&now.p, "jobs")->sort, "x");
    end(&a);
    end(&now);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(both_are_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_what_changed_is_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_full_history_grows_by_what_is_new, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_broken_file_is_replaced, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
