/* test_layout.c - layout, columns, keys, themes, filters, bars: the parts without a screen. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/lib/uilab.h"
#include "ui/app/settings.h"
#include "ui/app/ui_manual.h"
#include "ui/form/form_view.h"
#include "ui/jobs/history_view.h"
#include "ui/jobs/job_view.h"
#include "ui/jobs/jobs_view.h"
#include "ui/nodes/gpus_view.h"
#include "ui/nodes/nodes_view.h"
#include "ui/nodes/partitions_view.h"
#include "ui/output/output_view.h"
#include "ui/plan/timeline_view.h"
#include "ui/table/table.h"
#include "ui/usage/usage_view.h"
#include "ui/widget/bar.h"
#include "ui/widget/graph.h"
#include "ui/widget/linetext.h"

/* --- rectangles --- */

static void nothing_overlaps_and_nothing_is_outside(void **state)
{
    (void)state;
    for (int rows = 1; rows <= 70; rows++)
        for (int cols = 1; cols <= 260; cols++)
            for (int side = 0; side < 2; side++) {
                struct screen_layout l = layout_screen(rows, cols, side, cols % 3 * 20);
                const struct rect all[] = {l.header, l.title, l.body, l.rule, l.side, l.footer};
                int cells = 0;
                for (size_t i = 0; i < N_OF(all); i++) {
                    const struct rect *r = &all[i];
                    cells += r->h * r->w;
                    if (r->y < 0 || r->x < 0 || r->h < 0 || r->w < 0 || r->y + r->h > rows ||
                        r->x + r->w > cols)
                        fail_msg("%dx%d: rectangle %zu is outside", cols, rows, i);
                    for (size_t k = 0; k < i; k++)
                        if (rect_overlaps(*r, all[k]))
                            fail_msg("%dx%d: %zu and %zu overlap", cols, rows, k, i);
                }
                if (cells != rows * cols)
                    fail_msg("%dx%d: %d cells belong to nothing", cols, rows, rows * cols - cells);
                if (rows >= 2 && l.body.h < 1)
                    fail_msg("%dx%d: no body", cols, rows);
                check_int("side", l.side.w > 0, side && cols >= LAYOUT_SIDE_COLS && l.side.h > 0);
            }
}

static void columns_fit(void **state)
{
    (void)state;
    static const struct table_column cols[] = {
        {.min = 1, .want = 1},
        {.min = 9, .want = 16},
        {.min = 10, .want = 20, .rank = 2},
        {.min = 12, .rank = 1},
        {.flags = COLUMN_HIDDEN, .min = 50},
        {.min = 4, .want = 4, .rank = 3},
    };
    int widths[N_OF(cols)];
    for (int width = 0; width < 300; width++) {
        table_fit(cols, NULL, NULL, N_OF(cols), width, widths);
        int sum = -1;
        for (size_t i = 0; i < N_OF(cols); i++)
            sum += widths[i] ? widths[i] + 1 : 0;
        assert_int_equal(widths[4], 0);
        if (width >= 11 && sum > width)
            fail_msg("%d cells are given where there are %d", sum, width);
        if (width >= 80 && sum != width)
            fail_msg("%d of %d cells are used", sum, width);
        if (width >= 11)
            assert_true(widths[1] >= 9); /* rank 0 is never left out */
    }
}

/* --- keys --- */

static void every_key_has_its_help(void **state)
{
    (void)state;
    struct keymap km;
    keymap_init(&km);
    for (int a = 1; a < ACTION_N; a++) {
        const struct action_info *info = action_info((enum action)a);
        if (!info->help || strlen(info->help) < 2 || !km.keys[a][0])
            fail_msg("%s has no help or no key", info->name);
        assert_int_equal(action_find(info->name), a);
        for (int b = 1; b < a; b++)
            if (strcmp(action_info((enum action)b)->name, info->name) == 0)
                fail_msg("two actions are called %s", info->name);
    }
    assert_int_equal(action_find("no such thing"), ACTION_NONE);
}

/* On one screen a key means one thing, but for what is meant: the special over the general. */
static void no_key_means_two_things(void **state)
{
    (void)state;
    static const struct view_ops *const views[] = {
        &jobs_view,  &nodes_view,   &gpus_view,   &parts_view,  &history_view,
        &usage_view, &jobpage_view, &output_view, &submit_view, &timeline_view};
    /* On these the special key is meant over the general one. */
    static const enum action over[] = {ACTION_FOLD, ACTION_SETTINGS};
    struct keymap km;
    keymap_init(&km);
    for (size_t v = 0; v < N_OF(views); v++) {
        enum scope scopes[8];
        size_t n = views[v]->n_scopes;
        memcpy(scopes, views[v]->scopes, n * sizeof scopes[0]);
        scopes[n++] = SCOPE_GLOBAL;
        for (int a = 1; a < ACTION_N; a++)
            for (size_t s = 0; s < n; s++)
                if (action_info((enum action)a)->scope == scopes[s])
                    for (int k = 0; k < KEYS_MAX && km.keys[a][k] && a != (int)over[0] && a != (int)over[1];
                         k++)
                        check_int(views[v]->name, keymap_find(&km, scopes, n, km.keys[a][k]), a);
    }
}

static void help_shows_every_key_of_its_screen(void **state)
{
    (void)state;
    struct uilab u;
    uilab_init(&u);
    uilab_connect(&u);
    uilab_keys(&u, "?");
    uilab_draw(&u, 120, 100);
    for (int a = 1; a < ACTION_N; a++) {
        const struct action_info *info = action_info((enum action)a);
        bool wanted = info->scope == SCOPE_JOBS || info->scope == SCOPE_ACTS || info->scope == SCOPE_LIST ||
                      info->scope == SCOPE_MOVE || info->scope == SCOPE_GLOBAL;
        char *part = strndup(info->help, 40);
        if ((uilab_find(&u, part) >= 0) != wanted && wanted)
            fail_msg("the help lacks %s", info->name);
        free(part);
    }
    uilab_fini(&u);
}

static void keys_have_names(void **state)
{
    (void)state;
    static const uint32_t keys[] = {'a',          'Z',          '/',           ' ',           '\r',
                                    '\t',         0x1b,         CTRL_KEY('l'), CTRL_KEY('c'), KEYNAME_F5,
                                    KEYNAME_PGDN, KEYNAME_STAB, 0xe9,          0x7f};
    for (size_t i = 0; i < N_OF(keys); i++) {
        struct str s = STR_INIT;
        key_format(keys[i], &s);
        check_int(s.s, key_parse(s.s), keys[i]);
        str_fini(&s);
    }
    assert_int_equal(key_parse("NoKey"), 0);
    assert_int_equal(key_parse(""), 0);
}

static void binding_moves_a_key(void **state)
{
    (void)state;
    static const enum scope scopes[] = {SCOPE_ACTS};
    struct keymap km;
    struct errtext err;
    keymap_init(&km);
    assert_int_equal(keymap_bind(&km, ACTION_HOLD, "c F8", &err), 0);
    assert_int_equal(keymap_find(&km, scopes, 1, 'c'), ACTION_HOLD);
    assert_int_equal(keymap_find(&km, scopes, 1, 'H'), ACTION_NONE);
    assert_true(keymap_bind(&km, ACTION_HOLD, "Nonsense", &err) < 0);
    assert_int_equal(keymap_find(&km, scopes, 1, 'c'), ACTION_HOLD); /* no effect on failure */
}

/* What ui.cfg says, of two lines in "keys". */
static void keys_must_say(const char *lines, int rc, const char *text)
{
    struct settings s;
    struct errtext err = {""};
    char path[] = "/tmp/stoker-keys.XXXXXX", want[200];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    dprintf(fd, "keys = {\n%s\n};\nread_only = true;\n", lines);
    close(fd);
    settings_init(&s);
    assert_int_equal(settings_load(&s, path, &err), rc);
    snprintf(want, sizeof want, rc ? "%s%s" : "%.0s%s", path, text);
    check_str(lines, err.s, want);
    assert_true(s.read_only); /* what follows counts all the same */
    settings_fini(&s);
    unlink(path);
}

static void no_action_loses_its_keys_unsaid(void **state)
{
    (void)state;
    keys_must_say("cancel = \"F8\";", 0, "");
    keys_must_say("cancel = \"F8\";\nhold = \"c\";", 0, "");
    keys_must_say("cancel = \"H\";\nhold = \"c\";", 0, "");
    keys_must_say("cancel = \"H\";\nhold = \"\";", 0, "");
    keys_must_say("\nhold = \"c H\";", -EINVAL,
                  ":3: 'cancel' would have no key left: give that action another key, or \"\"");
}

static void no_key_means_two_things_in_one_place(void **state)
{
    (void)state;
    keys_must_say("drain = \"j\";", -EINVAL,
                  ":2: 'j' is already a key of 'down' there: give that action another key");
    keys_must_say("\npage-down = \"PgDn d\";", -EINVAL,
                  ":3: 'd' is already a key of 'depends' there: give that action another key");
    keys_must_say("jobs = \"1 c\";", -EINVAL,
                  ":2: 'c' is already a key of 'cancel' there: give that action another key");
    keys_must_say("drain = \"j\";\ndown = \"Down\";", 0, ""); /* said, then */
    keys_must_say("drain = \"D\";\nfollow = \"f F8\";", 0, "");
    struct keymap km;
    uint32_t key;
    keymap_init(&km);
    for (int a = 1; a < ACTION_N; a++)
        if (keymap_clash(&km, (enum action)a, &key))
            fail_msg("%s hides another", action_info((enum action)a)->name);
}

/* The file is what the function writes; UPDATE writes it. */
static void must_be_written(const char *path, void (*write)(struct str *out))
{
    struct str s = STR_INIT;
    write(&s);
    FILE *f = fopen(path, getenv("UPDATE") ? "w" : "r");
    assert_non_null(f);
    if (getenv("UPDATE")) {
        fputs(s.s, f);
    } else {
        char *text = calloc(1, s.len + 2);
        assert_int_equal(fread(text, 1, s.len + 1, f), s.len);
        check_str(path, text, s.s);
        free(text);
    }
    fclose(f);
    str_fini(&s);
}

static void the_manual_is_the_table(void **state)
{
    (void)state;
    must_be_written("docs/KEYS.md", keymap_manual);
}

/* Escapes for troff taken away. */
static char *plain(const struct str *page)
{
    char *text = calloc(1, page->len + 1), *out = text;
    for (const char *p = page->s; *p; p++)
        if (*p != '\\')
            *out++ = *p;
        else if (p[1] == 'f')
            p += 2;
        else if (p[1] == '-' || p[1] == 'e')
            *out++ = *++p == 'e' ? '\\' : '-';
        else if (p[1] == '&')
            p++;
    return text;
}

static void the_page_names_every_action(void **state)
{
    (void)state;
    struct str page = STR_INIT;
    ui_manual(&page);
    char *text = plain(&page);
    for (int a = 1; a < ACTION_N; a++) {
        const struct action_info *info = action_info((enum action)a);
        struct str keys = STR_INIT;
        keymap_own_keys((enum action)a, "", "", &keys);
        char *line = xasprintf(".TP\n%s (%s)\n%s\n", keys.s, info->name, info->help);
        str_fini(&keys);
        if (!strstr(text, line))
            fail_msg("the manual page has no such entry:\n%s", line);
        free(line);
    }
    free(text);
    str_fini(&page);
}

/* --- lines that are broken --- */

static void words_too_long_for_a_line_begin_at_once(void **state)
{
    static const struct {
        const char *text;
        int width, hang;
        const char *flowed;
    } rows[] = {
        {"a few words", 11, 0, "a few words"},
        {"a few words", 10, 0, "a few|words"},
        {"dir       /a/very/long/path/of/a/file", 22, 10,
         "dir       /a/very/long|          /path/of/a/f|          ile"},
        {"dir       /a/path/of", 16, 10, "dir|  /a/path/of"},
        {"ends with /a/path", 14, 0, "ends with|/a/path"},
        {"longerthanaline x", 8, 0, "longerth|analine|x"},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct pane pane = {.top = 0};
        struct canvas c;
        struct str got = STR_INIT, line = STR_INIT;
        canvas_init(&c);
        canvas_resize(&c, 10, rows[i].width);
        lines_addf(&pane.lines, ROLE_NORMAL, "%s", rows[i].text)->hang = rows[i].hang;
        int n = (int)pane_height(&pane, rows[i].width);
        pane_draw(&pane, &c, rect_make(0, 0, 10, rows[i].width));
        for (int y = 0; y < n; y++) {
            str_clear(&line);
            canvas_row_text(&c, y, &line);
            str_appendf(&got, "%s%s", y ? "|" : "", line.s);
        }
        check_str(rows[i].text, got.s, rows[i].flowed);
        str_fini(&got);
        str_fini(&line);
        pane_fini(&pane);
        canvas_fini(&c);
    }
}

/* --- themes and settings --- */

static void themes_load(void **state)
{
    (void)state;
    static const char *const names[] = {"dark", "light", "mono", "colourblind"};
    for (size_t i = 0; i < N_OF(names); i++) {
        struct theme t, built_in;
        struct errtext err = {""};
        theme_init(&t, COLORS_TRUE);
        theme_init(&built_in, COLORS_TRUE);
        char *path = settings_theme_path(names[i], "themes");
        if (theme_load(&t, path, &err) < 0)
            fail_msg("%s", err.s);
        if (i == 0)
            assert_memory_equal(t.styles, built_in.styles,
                                sizeof t.styles); /* the file of what is built in */
        for (int r = 0; r < ROLE_N; r++) /* no dark blue on black, in none of them but the light one */
            if (t.styles[r].fg == 5 && i != 1)
                fail_msg("%s: %s is dark blue", names[i], role_name((enum role)r));
        free(path);
    }
}

static void a_bad_theme_changes_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *part;
    } rows[] = {
        {"role", "roles = { runing = \"bold\"; };", "there is no role 'runing'"},
        {"colour", "roles = { running = \"bold purple\"; };", "purple"},
        {"type", "roles = { running = 3; };", "string"},
        {"syntax", "roles = {", "syntax"},
        {"group", "x = 1;", "roles"},
    };
    char path[] = "/tmp/stoker-theme.XXXXXX";
    int fd = mkstemp(path);
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct theme t, before;
        struct errtext err = {""};
        theme_init(&t, 16);
        before = t;
        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(pwrite(fd, rows[i].text, strlen(rows[i].text), 0), strlen(rows[i].text));
        if (theme_load(&t, path, &err) >= 0)
            fail_msg("[%s] it was taken", rows[i].name);
        check_has(rows[i].name, err.s, rows[i].part);
        assert_memory_equal(&t.styles, &before.styles, sizeof t.styles);
    }
    close(fd);
    unlink(path);
}

static void colours_are_cut_to_the_terminal(void **state)
{
    (void)state;
    static const int all[] = {0, 8, 16, 256};
    for (size_t i = 0; i < N_OF(all); i++) {
        struct theme t;
        int colors = all[i];
        theme_init(&t, colors);
        for (int r = 0; r < ROLE_N; r++)
            for (int o = 0; o < ROLE_N; o++) {
                struct style s = theme_style(&t, (enum role)r, (enum role)o);
                if (s.fg > (uint32_t)colors || s.bg > (uint32_t)colors)
                    fail_msg("%d colours: %s has %u on %u", colors, role_name((enum role)r), s.fg, s.bg);
            }
        /* The cursor's row is told apart on each of them. */
        struct style plain = theme_style(&t, ROLE_NORMAL, ROLE_NORMAL),
                     cursor = theme_style(&t, ROLE_NORMAL, ROLE_CURSOR);
        assert_memory_not_equal(&plain, &cursor, sizeof plain);
    }
}

/* --- bars --- */

/* As a terminal with ASCII alone shows it. */
static void check_bar(const char *name, struct rich *r, const char *want)
{
    struct canvas c;
    struct str got = STR_INIT;
    canvas_init(&c);
    c.ascii = true;
    canvas_resize(&c, 1, 40);
    rich_draw(r, &c, 0, 0, 40);
    canvas_row_text(&c, 0, &got);
    check_str(name, got.s, want);
    str_fini(&got);
    canvas_fini(&c);
    rich_clear(r);
}

static void bars_say_what_is(void **state)
{
    (void)state;
    static const struct {
        uint64_t used, out, all;
        int width;
        const char *want, *text;
    } rows[] = {
        {0, 0, 10, 10, "..........", "··········"},
        {10, 0, 10, 10, "##########", "██████████"},
        {5, 2, 10, 10, "#####...xx", "█████···╱╱"},
        {1, 0, 1000, 10, "#.........", "▌·········"},
        {999, 0, 1000, 10, "#########.", "█████████▉"},
        {0, 10, 10, 10, "xxxxxxxxxx", "╱╱╱╱╱╱╱╱╱╱"},
        {1, 1, 1000, 2, "#x", "▌╱"},
        {10, 10, 20, 2, "#x", "█╱"},
        {3, 0, 8, 10, "####......", "███▊······"},
        {3, 0, 0, 4, "....", "····"},
    };
    struct rich r;
    rich_init(&r);
    for (size_t i = 0; i < N_OF(rows); i++) {
        bar_two_ended(&r, rows[i].used, rows[i].out, rows[i].all, rows[i].width);
        check_str(rows[i].want, r.text.s, rows[i].text);
        check_bar(rows[i].want, &r, rows[i].want);
    }
    bar_load(&r, 4, 250, 8, false, 8); /* half of it held, half of that busy */
    check_bar("idle", &r, "##==....");
    bar_load(&r, 2, 500, 8, false, 8); /* another user's processes are busy as well */
    check_bar("foreign", &r, "##!!....");
    bar_load(&r, 0, 0, 8, true, 8);
    check_bar("out", &r, "xxxxxxxx");
    struct bar_part parts[] = {{.n = 340, .role = ROLE_BAR_USED},
                               {.n = 2, .role = ROLE_BAR_FAIL},
                               {.n = 80, .role = ROLE_BAR_RUN}};
    bar_add(&r, parts, 3, 1000, 20); /* the two are seen */
    check_bar("array", &r, "#######!>>..........");
    rich_fini(&r);
}

static struct mono at_slot(int64_t slot)
{
    return (struct mono){.ns = slot * RECENT_SLOT_MS * NS_PER_MS};
}

static void a_graph_knows_what_was_not_measured(void **state)
{
    (void)state;
    static const uint8_t values[] = {0, 10, 50, 100, 100, 90};
    struct recent p = {0};
    struct rich r;
    uint8_t v[4];
    rich_init(&r);
    assert_true(recent_is_empty(&p, at_slot(1000)));
    for (size_t i = 0; i < N_OF(values); i++)
        recent_add(&p, at_slot(1000 + (int64_t)i), values[i]);
    graph_add(&r, &p, at_slot(1005), 5, 1, 0, ROLE_BAR_USED);
    check_str("one line", r.text.s, "  \u28c0\u28fc\u28ff");
    check_bar("plain", &r, "  .+#");
    graph_add(&r, &p, at_slot(1005), 3, 2, 0, ROLE_BAR_USED); /* 50 % fills the lower one */
    graph_add(&r, &p, at_slot(1005), 3, 2, 1, ROLE_BAR_USED);
    check_bar("two lines", &r, " -*.##");
    recent_add(&p, at_slot(1008), 100);
    recent_add(&p, at_slot(1008), 0); /* the last one of a slot counts */
    recent_add(&p, at_slot(1004), 0); /* an older one comes late */
    recent_read(&p, at_slot(1008), v, N_OF(v));
    check_int("gap", v[0], RECENT_NONE);
    check_int("gap", v[1], RECENT_NONE);
    check_int("newest", v[2], 0);
    check_int("to come", v[3], RECENT_NONE);
    graph_add(&r, &p, at_slot(1008), 5, 1, 0, ROLE_BAR_USED);
    check_str("gap", r.text.s, "\u28c0\u28fc\u28f8 \u2840");
    rich_clear(&r);
    recent_add(&p, at_slot(1000 - RECENT_SLOTS), 50); /* it is too old */
    assert_false(recent_is_empty(&p, at_slot(1008 + RECENT_SLOTS - 1)));
    assert_true(recent_is_empty(&p, at_slot(1008 + RECENT_SLOTS)));
    recent_add(&p, at_slot(5000), 7); /* after a long pause */
    recent_read(&p, at_slot(5001), v, N_OF(v));
    check_int("before the pause", v[1], RECENT_NONE);
    check_int("after it", v[2], 7);
    rich_fini(&r);
}

/* A node with three times as many CPUs counts three times; where one was not measured the other counts. */
static void several_measurements_have_one_mean(void **state)
{
    (void)state;
    struct recent a = {0}, b = {0}, mean;
    struct recent_sum sum = {0};
    uint8_t v[4];
    recent_add(&a, at_slot(1000), 100);
    recent_add(&a, at_slot(1002), 40);
    recent_add(&b, at_slot(1002), 80);
    recent_add(&b, at_slot(1003), 20);
    recent_sum_add(&sum, &a, 1);
    recent_sum_add(&sum, &b, 3);
    recent_sum_mean(&sum, &mean);
    recent_read(&mean, at_slot(1003), v, N_OF(v));
    check_int("one alone", v[0], 100);
    check_int("none", v[1], RECENT_NONE);
    check_int("both", v[2], 70);
    check_int("the other alone", v[3], 20);
    recent_add(&a, at_slot(1000 + 5 * RECENT_SLOTS), 10); /* the other one is long gone */
    sum = (struct recent_sum){0};
    recent_sum_add(&sum, &b, 3);
    recent_sum_add(&sum, &a, 1);
    recent_sum_mean(&sum, &mean);
    recent_read(&mean, at_slot(1001 + 5 * RECENT_SLOTS), v, N_OF(v));
    check_int("newest", v[2], 10);
    check_int("nothing before", v[1], RECENT_NONE);
}

/* A digit for each of the last columns of a span, "." for a gap. */
static void check_span(const char *name, const struct recent *p, enum recent_span span, int64_t now_s,
                       size_t n, const char *want)
{
    uint8_t v[RECENT_SLOTS];
    struct str got = STR_INIT;
    recent_columns(p, span, (struct mono){.ns = now_s * NS_PER_S}, v, n);
    for (size_t i = n - strlen(want); i < n; i++)
        if (v[i] == RECENT_NONE)
            str_append_char(&got, '.');
        else
            str_appendf(&got, "%u", v[i] / 11);
    check_str(name, got.s, want);
    str_fini(&got);
}

static void an_hour_is_kept_in_means(void **state)
{
    (void)state;
    struct recent p = {0};
    check_span("nothing", &p, RECENT_HOUR, 6000, 60, "....");
    for (int64_t s = 6000; s < 6120; s++)
        recent_add(&p, (struct mono){.ns = s * NS_PER_S}, s % 2 ? 22 : 44);
    check_span("two minutes", &p, RECENT_HOUR, 6119, 60, "..33");
    check_span("six minutes", &p, RECENT_SIX_MINUTES, 6119, 6, "....33");
    recent_add(&p, (struct mono){.ns = 6300 * NS_PER_S}, 99); /* not watched in between */
    check_span("a pause", &p, RECENT_HOUR, 6300, 60, ".33...9");
    check_span("fewer columns", &p, RECENT_HOUR, 6300, 30, "..3.9");
    check_span("more columns", &p, RECENT_HOUR, 6300, 120, "..3333......99");
    recent_add(&p, (struct mono){.ns = 6119 * NS_PER_S}, 99); /* too late */
    check_span("an hour later", &p, RECENT_HOUR, 6300 + 3540, 60, "....");
    check_span("... and before", &p, RECENT_HOUR, 6300 + 3300, 60,
               "9.......................................................");
    assert_int_equal(recent_span_of(360), RECENT_SIX_MINUTES);
    assert_int_equal(recent_span_of(361), RECENT_HOUR);
}

/* --- lines of output --- */

static void lines_are_what_a_terminal_leaves(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *want;
    } rows[] = {
        {"plain", "hello\n", "hello"},
        {"dos", "hello\r\n", "hello"},
        {"progress", "10%\r50%\r100%\n", "100%"},
        {"cursor at the start", "10%\r50%\r", "50%"},
        {"colour", "\033[1;31mred\033[0m\n", "red"},
        {"title", "\033]0;my title\aafter\n", "after"},
        {"string", "\033]8;;http://x\033\\link\n", "link"},
        {"backspace", "ab\b\bcd\n", "cd"},
        {"tab", "a\tb\n", "a       b"},
        {"open", "x\033[", "x\\x1B["},
        {"clear the screen", "a\033[2J\033[H\033[3Jb\n", "ab"},
        {"another screen", "\033[?1049h\033[?25lhidden?\033[?25h\033[?1049l\n", "hidden?"},
        {"a title that has no end", "\033]0;rest of the line\n", "\\x1B]0;rest of the line"},
        {"the clipboard", "\033]52;c;cm0gLXJm\a.\n", "."},
        {"an answer of the terminal", "\033[6n\033[c\033Z\005x\n", "\\x05x"},
        {"device control", "\033P$q\"p\033\\.\n", "."},
        {"eight bits",
         "\xc2\x9b"
         "2J\x9b"
         "2J\n",
         "\\u{9B}2J\\x9B2J"},
        {"turned round", "\u202egnp.exe\n", "\\u{202E}gnp.exe"},
        {"a sequence in a sequence", "\033[3\033[2Jx\n", "\\x1B[3x"},
        {"keys for the shell", "\033[200~rm -rf\r\033[201~.\n", "."},
        {"empty", "\n", ""},
        {"bell", "a\ab\n", "ab"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct linetext t;
        linetext_init(&t);
        linetext_set(&t, rows[i].text, strlen(rows[i].text));
        check_str(rows[i].name, t.text.s, rows[i].want);
        linetext_fini(&t);
    }
}

static void color_text(struct str *out, uint32_t color)
{
    if (color & COLOR_RGB)
        str_appendf(out, "#%06x", color & 0xffffff);
    else
        str_appendf(out, "%u", color);
}

/* "text{fg bg attr}" for each span. */
static void spans_text(const struct linetext *t, struct str *out)
{
    size_t from = 0;
    for (size_t i = 0; i < t->n_spans; from = t->spans[i++].end) {
        struct style k = t->spans[i].ink;
        str_append_n(out, t->text.s + from, t->spans[i].end - from);
        str_append(out, "{");
        color_text(out, k.fg);
        str_append(out, " ");
        color_text(out, k.bg);
        str_appendf(out, " %u}", k.attr);
    }
}

static void colours_become_ink(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text, *want;
    } rows[] = {
        {"none", "plain", "plain{0 0 0}"},
        {"red", "\033[31mred\033[0m end", "red{2 0 0} end{0 0 0}"},
        {"empty is zero", "\033[31;42;1mx\033[my", "x{2 3 1}y{0 0 0}"},
        {"bright", "\033[92mx\033[39my", "x{11 0 0}y{0 0 0}"},
        {"of 256", "\033[38;5;196mx\033[38;5;21my\033[48;5;244mz", "x{197 0 0}y{22 0 0}z{22 245 0}"},
        {"of 16 million", "\033[38;2;10;200;20mx\033[38:2:128:0:128my", "x{#0ac814 0 0}y{#800080 0 0}"},
        {"attributes", "\033[1;4;7mx\033[22;24my\033[27mz", "x{0 0 13}y{0 0 8}z{0 0 0}"},
        {"not to be seen", "\033[8;30;40mx", "x{1 0 0}"},
        {"no colours", "\033[>4;2mx\033[?31my\033[38;5mz", "xyz{0 0 0}"},
        {"taken back", "\033[31mab\033[32m\b\bc", "c{3 0 0}"},
        {"too many", "\033[1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;31mx",
         "x{0 0 1}"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct linetext t;
        struct str got = STR_INIT;
        linetext_init(&t);
        linetext_set(&t, rows[i].text, strlen(rows[i].text));
        spans_text(&t, &got);
        check_str(rows[i].name, got.s, rows[i].want);
        linetext_fini(&t);
        str_fini(&got);
    }
}

/* What a terminal with fewer colours makes of it, and what is laid over it. */
static void ink_is_limited(void **state)
{
    (void)state;
    static const struct {
        int colors;
        enum role over;
        struct style ink;
        const char *want;
    } rows[] = {
        {16, ROLE_NORMAL, {.fg = 10, .attr = STYLE_BOLD}, "bold bright_red"},
        {8, ROLE_NORMAL, {.fg = 10}, "bold red"},
        {8, ROLE_NORMAL, {.fg = 9}, "dim"},
        {0, ROLE_NORMAL, {.fg = 10, .bg = 3, .attr = STYLE_UNDERLINE}, "underline"},
        {COLORS_TRUE, ROLE_NORMAL, {.fg = COLOR_RGB | 0xff6400}, "#ff6400"},
        {256, ROLE_NORMAL, {.fg = COLOR_RGB | 0xff6400}, "colour202"},
        {256, ROLE_NORMAL, {.fg = COLOR_RGB | 0x808080}, "colour244"},
        {16, ROLE_NORMAL, {.fg = COLOR_RGB | 0xff6400}, "bright_red"},
        {16, ROLE_NORMAL, {.fg = 197}, "bright_red"},
        {16, ROLE_MATCH, {.fg = 10}, "black on yellow"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct theme t;
        struct str got = STR_INIT;
        theme_init(&t, rows[i].colors);
        style_format(theme_ink(&t, ROLE_NORMAL, rows[i].over, rows[i].ink), &got);
        check_str("ink", got.s, rows[i].want);
        str_fini(&got);
    }
}

static void edit_takes_a_paste_as_text(void **state)
{
    (void)state;
    struct edit e;
    edit_init(&e);
    struct input paste = {.kind = INPUT_PASTE, .text = "one\ntwo\033[A\tthree"},
                 left = input_key(KEYNAME_LEFT), del = input_key(0x7f);
    assert_true(edit_input(&e, &paste));
    assert_string_equal(e.text.s, "one two[A three");
    edit_set(&e, "a\u00e9\u5b66");
    edit_input(&e, &left);
    edit_input(&e, &del);
    assert_string_equal(e.text.s, "a\u5b66");
    struct input enter = input_key('\r');
    assert_false(edit_input(&e, &enter));
    edit_fini(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_overlaps_and_nothing_is_outside),
        cmocka_unit_test(columns_fit),
        cmocka_unit_test(every_key_has_its_help),
        cmocka_unit_test(no_key_means_two_things),
        cmocka_unit_test(help_shows_every_key_of_its_screen),
        cmocka_unit_test(keys_have_names),
        cmocka_unit_test(binding_moves_a_key),
        cmocka_unit_test(no_action_loses_its_keys_unsaid),
        cmocka_unit_test(no_key_means_two_things_in_one_place),
        cmocka_unit_test(the_manual_is_the_table),
        cmocka_unit_test(words_too_long_for_a_line_begin_at_once),
        cmocka_unit_test(the_page_names_every_action),
        cmocka_unit_test(themes_load),
        cmocka_unit_test(a_bad_theme_changes_nothing),
        cmocka_unit_test(colours_are_cut_to_the_terminal),
        cmocka_unit_test(bars_say_what_is),
        cmocka_unit_test(a_graph_knows_what_was_not_measured),
        cmocka_unit_test(several_measurements_have_one_mean),
        cmocka_unit_test(an_hour_is_kept_in_means),
        cmocka_unit_test(lines_are_what_a_terminal_leaves),
        cmocka_unit_test(colours_become_ink),
        cmocka_unit_test(ink_is_limited),
        cmocka_unit_test(edit_takes_a_paste_as_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
