/* test_widths.c - a wider terminal never shows less: on each screen of a table no column that a width shows
 * is missing on a wider one. */
#include "tests/screen/ui_fixture.h"

#define NARROW 60
#define WIDE   220
#define TITLES 40

/* The words of the heading; a title may have several. */
static size_t headings(struct uilab *u, const struct table *t, const char *titles[TITLES])
{
    size_t n = 0;
    struct str row = STR_INIT;
    int y = uilab_find(u, "  S ") >= 0 ? uilab_find(u, "  S ") : uilab_find(u, t->cols[0].title);
    canvas_row_text(&u->canvas, y, &row);
    for (size_t i = 0; i < t->n_cols && n < TITLES; i++)
        if (table_shows_column(t, i) && t->cols[i].title && strstr(row.s, t->cols[i].title))
            titles[n++] = t->cols[i].title;
    str_fini(&row);
    return n;
}

static bool has_title(const char *const *titles, size_t n, const char *title)
{
    for (size_t i = 0; i < n; i++)
        if (titles[i] == title)
            return true;
    return false;
}

static void walk(struct uilab *u, const char *screen, int rows)
{
    const char *before[TITLES], *now[TITLES];
    size_t n_before = 0;
    for (int cols = NARROW; cols <= WIDE; cols++) {
        uilab_draw(u, rows, cols);
        struct view *v = ui_view(u->app);
        size_t n = headings(u, v->ops->table(v), now);
        if (n < 2)
            fail_msg("%s at %d columns has no heading:\n%s", screen, cols, uilab_text(u));
        for (size_t i = 0; i < n_before; i++)
            if (!has_title(now, n, before[i]))
                fail_msg("%s at %d columns has no column %s, which it has at %d:\n%s", screen, cols,
                         before[i], cols - 1, uilab_text(u));
        memcpy(before, now, sizeof before);
        n_before = n;
    }
}

static void no_column_goes_when_there_is_more_room(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    static const uint32_t busy[] = {97, 2, 0, 0, 0, 60, 88, 0};
    static const struct {
        const char *name, *keys;
    } screens[] = {{"jobs", "1"},       {"nodes", "2"},   {"GPUs", "3t"},
                   {"partitions", "5"}, {"history", "6"}, {"usage", "7"}};
    push_window(u, "firmware", "gpu02", 190, 310, false);
    for (size_t i = 0; i < N_OF(screens); i++) {
        uilab_keys(u, screens[i].keys);
        feed_util(u, "gpu01", busy, N_OF(busy), 2, 5000);
        walk(u, screens[i].name, 24);
        walk(u, screens[i].name, 43);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UI_FIXTURE_CASE(no_column_goes_when_there_is_more_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
