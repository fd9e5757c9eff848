/* test_output_lines.c - finding and keeping lines of an output: the current match, line numbers, the filter
 * of lines, levels, files. */
#include <sys/stat.h>

#include "tests/lib/own_files.h"
#include "tests/screen/output_fixture.h"
#include "ui/frame/outbox.h"
#include "ui/widget/loglevel.h"

static void append_lines(const char *path, const char *word, int from, int to)
{
    struct str s = STR_INIT;
    for (int i = from; i <= to; i++)
        str_appendf(&s, "%s %d\n", i % 100 == 50 ? word : "hay", i);
    append(path, s.s);
    str_fini(&s);
}

static void open_output(struct output_fixture *g)
{
    uilab_connect(&g->u);
    uilab_keys(&g->u, "l");
    uilab_draw(&g->u, 24, 80);
}

static void work_on(struct uilab *u)
{
    for (int i = 0; i < 1000 && app_work(u->app); i++)
        ;
}

static void matches_are_counted(void **state)
{
    struct output_fixture *g = *state;
    struct uilab *u = &g->u;
    append_lines(g->out, "needle", 1, 1000);
    open_output(g);
    uilab_keys(u, "/needle<Enter>");
    work_on(u);
    must_show(u, "10 of 10");
    uilab_keys(u, "N");
    must_show(u, "9 of 10");
    must_show(u, "needle 850");
    uilab_keys(u, "nn");
    must_show(u, "1 of 10");
    must_show(u, "continued at the beginning");
    append_lines(g->out, "needle", 1001, 1100);
    app_view_wake(u->app);
    work_on(u);
    must_show(u, "1 of 11");
    append(g->out, "an unfinished needle");
    app_view_wake(u->app);
    work_on(u);
    must_show(u, "1 of 12");
    uilab_keys(u, "N");
    must_show(u, "12 of 12");
    assert_int_equal(truncate(g->out, 0), 0);
    append(g->out, "one needle\n");
    app_view_wake(u->app);
    work_on(u);
    must_not_show(u, " of 1");
    uilab_keys(u, "n");
    work_on(u);
    must_show(u, "1 of 1");
}

static void a_line_by_its_number(void **state)
{
    struct output_fixture *g = *state;
    struct uilab *u = &g->u;
    append_lines(g->out, "needle", 1, 1000);
    open_output(g);
    uilab_keys(u, ":312<Enter>");
    work_on(u);
    must_show(u, "hay 312");
    check_int("its row", uilab_find(u, "hay 312"), uilab_find(u, "Output") + 1);
    must_show(u, "paused");
    uilab_keys(u, ":5000<Enter>");
    work_on(u);
    must_show(u, "there are only 1000 lines");
    must_show(u, "hay 1000");
    uilab_keys(u, ":1<Enter>");
    work_on(u);
    must_show(u, "hay 1");
    must_not_show(u, "hay 25");
}

static void lines_are_filtered(void **state)
{
    struct output_fixture *g = *state;
    struct uilab *u = &g->u;
    append_lines(g->out, "needle", 1, 1000);
    open_output(g);
    uilab_keys(u, "&needle<Enter>");
    work_on(u);
    must_show(u, "only \"needle\"");
    must_show(u, "needle 950");
    must_show(u, "needle 50");
    must_not_show(u, "hay");
    append(g->out, "hay, too\nneedle, too\nhalf a needle");
    app_view_wake(u->app);
    work_on(u);
    must_show(u, "needle, too");
    must_show(u, "half a needle");
    must_not_show(u, "hay, too");
    append(g->out, " more\n");
    app_view_wake(u->app);
    work_on(u);
    must_show(u, "half a needle more");
    uilab_keys(u, "/50<Enter>");
    work_on(u);
    must_show(u, "10 of 10");
    uilab_keys(u, "&straw<Enter>"); /* takes the place of the old filter */
    work_on(u);
    must_show(u, "only \"straw\"");
    must_show(u, "No line passes the filter");
    uilab_keys(u, "&!needle<Enter>");
    work_on(u);
    must_show(u, "only lines without \"needle\"");
    must_show(u, "hay, too");
    must_not_show(u, "needle 950");
    uilab_keys(u, "&<C-u><Enter>");
    work_on(u);
    must_show(u, "half a needle more");
    must_show(u, "hay 1000");
    must_not_show(u, "only \"");
    must_not_show(u, "only lines");
}

static void a_file_that_begins_again_is_filtered_again(void **state)
{
    struct output_fixture *g = *state;
    struct uilab *u = &g->u;
    append_lines(g->out, "needle", 1, 1000);
    open_output(g);
    uilab_keys(u, "&needle<Enter>");
    work_on(u);
    assert_int_equal(truncate(g->out, 0), 0);
    append(g->out, "a new needle\nhay\n");
    app_view_wake(u->app);
    work_on(u);
    must_show(u, "a new needle");
    must_not_show(u, "needle 950");
}

static void text_of(const char *path, char *buf, size_t size)
{
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    buf[fread(buf, 1, size - 1, f)] = '\0';
    fclose(f);
}

static void what_is_shown_is_saved(void **state)
{
    struct output_fixture *g = *state;
    struct uilab *u = &g->u;
    char kept[160], keys[260], buf[1000];
    snprintf(kept, sizeof kept, "%s/kept.txt", g->dir);
    snprintf(keys, sizeof keys, "S<C-u>%s<Enter>", kept);
    append_lines(g->out, "needle", 1, 200);
    open_output(g);
    uilab_keys(u, "&needle<Enter>");
    work_on(u);
    uilab_keys(u, keys);
    work_on(u);
    must_show(u, "saved to ");
    text_of(kept, buf, sizeof buf);
    assert_string_equal(buf, "needle 50\nneedle 150\n");
    uilab_keys(u, keys); /* never over a file that is there */
    work_on(u);
    must_show(u, "choose another name");
    text_of(kept, buf, sizeof buf);
    assert_string_equal(buf, "needle 50\nneedle 150\n");
    unlink(kept);
}

static void programs_get_the_file(void **state)
{
    struct output_fixture *g = *state;
    struct uilab *u = &g->u;
    append(g->out, "text\n");
    open_output(g);
    uilab_keys(u, "o");
    const struct strv *argv = outbox_program(u->app);
    assert_true(argv->n >= 4);
    assert_true(strstr(argv->v[2], "PAGER") != NULL);
    assert_string_equal(argv->v[argv->n - 1], g->out);
    uilab_keys(u, "v");
    argv = outbox_program(u->app);
    assert_true(strstr(argv->v[2], "EDITOR") != NULL);
}

/* tqdm writes "\r" before or behind each state, and no line end. */
static void an_unfinished_line_is_live(void **state)
{
    struct output_fixture *g = *state;
    struct uilab *u = &g->u;
    append_lines(g->out, "needle", 1, 100);
    append(g->out, "\r  1%|#   |");
    open_output(g);
    must_show(u, "  1%|#   |");
    append(g->out, "\r  2%|#   |");
    app_view_wake(u->app);
    must_show(u, "  2%|#   |");
    must_not_show(u, "  1%");
    append(g->out, "\r  3%|##  |\r");
    app_view_wake(u->app);
    must_show(u, "  3%|##  |");
    uilab_keys(u, "&%<Enter>"); /* filtered as well */
    work_on(u);
    append(g->out, "  4%|##  |\r");
    app_view_wake(u->app);
    work_on(u);
    must_show(u, "  4%|##  |");
    must_not_show(u, "hay");
}

static void levels_have_roles(void **state)
{
    (void)state;
    static const struct {
        const char *text, *word;
        enum role role;
    } rows[] = {
        {"2026-11-22 ERROR no device", "ERROR", ROLE_ERROR},
        {"[WARNING] slow", "WARNING", ROLE_WARN},
        {"WARN slow", "WARN", ROLE_WARN},
        {"torch.cuda.OutOfMemoryError: CUDA", "OutOfMemoryError:", ROLE_ERROR},
        {"a.c:3:1: warning: unused", "warning:", ROLE_WARN},
        {"a.c:3:1: error: no", "error:", ROLE_ERROR},
        {"Traceback (most recent call last):", "Traceback (most recent call last)", ROLE_ERROR},
        {"srun: error: n1", "error:", ROLE_ERROR},
        {"0 errors, 0 warnings", NULL, ROLE_NORMAL},
        {"validation error 0.02", NULL, ROLE_NORMAL},
        {"ERRORS_MAX=3 NOERROR", NULL, ROLE_NORMAL},
        {"", NULL, ROLE_NORMAL},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        size_t at = 0, n = 0;
        enum role role = ROLE_NORMAL;
        bool found = loglevel_find(rows[i].text, &at, &n, &role);
        check_int(rows[i].text, found, rows[i].word != NULL);
        if (!found || !rows[i].word)
            continue;
        check_int(rows[i].text, (long)n, (long)strlen(rows[i].word));
        check_int(rows[i].text, strncmp(rows[i].text + at, rows[i].word, n), 0);
        check_int(rows[i].text, role, rows[i].role);
    }
}

static void levels_are_drawn(void **state)
{
    struct output_fixture *g = *state;
    struct uilab *u = &g->u;
    append(g->out, "ERROR one, ERROR two\n\033[32mERROR\033[0m in green\n");
    open_output(g);
    must_show(u, "ERROR one");
    int y = uilab_find(u, "ERROR one");
    check_int("the word", canvas_at(&u->canvas, y, 0)->over, ROLE_ERROR);
    check_int("the rest", canvas_at(&u->canvas, y, 6)->over, ROLE_NORMAL);
    check_int("the second one", canvas_at(&u->canvas, y, 11)->over, ROLE_ERROR);
    check_int("colour of the program", canvas_at(&u->canvas, y + 1, 0)->over, ROLE_NORMAL);
}

/* SCR-28: it opened at 0 % */
static void all_tasks_of_an_ended_job_open_at_the_end(void **state)
{
    struct output_fixture *g = *state;
    struct uilab *u = &g->u;
    append_lines(g->out, "needle", 1, 1000);
    append(g->err, "an error\n");
    lab_end(&u->lab, g->job, STEP_BATCH, 0, END_EXITED, 0, 0);
    uilab_connect(u);
    uilab_draw(u, 24, 80);
    uilab_keys(u, "mla");
    work_on(u);
    must_show(u, "100%");
    must_show(u, "an error");
    uilab_keys(u, "g");
    must_show(u, "hay 1");
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, output_fixture_up, output_fixture_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(matches_are_counted),        CASE(a_line_by_its_number),
        CASE(lines_are_filtered),         CASE(a_file_that_begins_again_is_filtered_again),
        CASE(what_is_shown_is_saved),     CASE(programs_get_the_file),
        CASE(an_unfinished_line_is_live), CASE(levels_have_roles),
        CASE(levels_are_drawn),           CASE(all_tasks_of_an_ended_job_open_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
