/* test_settings.c - ui.cfg: its commands and what goes into them, one option changed as a text,
 * notifications, and the screen of the settings. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/os/file.h"
#include "tests/screen/ui_fixture.h"
#include "ui/app/settings.h"
#include "ui/app/settings_file.h"
#include "ui/term/notify.h"

/* --- what goes into a command --- */

/* What a shell makes of the text with hostile values in the variables. */
static char *shell_says(const char *run)
{
    char *text = user_command_shell(run), line[400] = "";
    FILE *f = popen(text, "r");
    assert_non_null(f);
    size_t n = fread(line, 1, sizeof line - 1, f);
    line[n] = '\0';
    pclose(f);
    free(text);
    return xstrdup(line);
}

static void hostile_names_stay_text(void **state)
{
    (void)state;
    static const char name[] = "a'b\"c$(echo INJECTED)`echo INJECTED`;echo INJECTED\\ *";
    static const char *const runs[] = {
        "printf %s {name}",           "printf %s \"{name}\"",      "printf %s '{name}'",
        "printf '%s' \"x{name}y\"",   "printf %s \"it's {name}\"", "printf %s \\\"{name}",
        "printf %s 'say \"{name}\"'",
    };
    setenv("STOKER_JOB_NAME", name, 1);
    for (size_t i = 0; i < N_OF(runs); i++) {
        char *says = shell_says(runs[i]);
        if (!strstr(says, name))
            fail_msg("%s gives %s", runs[i], says);
        free(says);
    }
    unsetenv("STOKER_JOB_NAME");
    assert_int_equal(user_command_needs("a {job} '{node}' ${name} {other}"),
                     1u << ROW_JOB | 1u << ROW_NODE);
    char *text = user_command_shell("awk '{print}' ${name} {job}");
    assert_string_equal(text, "awk '{print}' ${name} \"${STOKER_JOB_ID}\"");
    free(text);
}

static void values_have_no_control_characters(void **state)
{
    (void)state;
    char name[] = "x\033]0;y\a\n";
    struct job j = {.id = 7, .req.name = name};
    struct strv env = row_variables(&j, NULL);
    assert_string_equal(strv_getenv(&env, "STOKER_JOB_NAME"), "x?]0;y??");
    assert_string_equal(strv_getenv(&env, "STOKER_JOB_ID"), "7");
    assert_string_equal(strv_getenv(&env, "STOKER_NODE"), "");
    strv_fini(&env);
}

/* --- notifications --- */

static void notifications_are_clean(void **state)
{
    (void)state;
    static const struct {
        enum notify_way way;
        bool tmux;
        const char *want;
    } cases[] = {
        {NOTIFY_OFF, false, ""},
        {NOTIFY_OSC9, false, "\033]9;a,b: c;d?\033\\"},
        {NOTIFY_OSC777, false, "\033]777;notify;a,b;c;d?\033\\"},
        {NOTIFY_OSC9, true, "\033Ptmux;\033\033]9;a,b: c;d?\033\033\\\033\\"},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct str out = STR_INIT;
        notify_append(&out, cases[i].way, cases[i].tmux, "a,b", "c;d\033");
        for (const char *c = out.s; *c; c++) /* nothing but what begins and ends it */
            if (*c == '\a' || (*c == '\033' && !strchr("]\\P\033", c[1])))
                fail_msg("case %zu: \"%s\"", i, out.s);
        if (cases[i].way == NOTIFY_OFF)
            assert_string_equal(out.s, "");
        else
            assert_non_null(strstr(out.s, "c;d"));
        str_fini(&out);
    }
    struct str kitty = STR_INIT;
    notify_append(&kitty, NOTIFY_OSC99, false, "t", "b");
    assert_string_equal(kitty.s, "\033]99;i=1:d=0;t\033\\\033]99;i=1:p=body;b\033\\");
    str_fini(&kitty);
}

static void terminals_get_what_they_know(void **state)
{
    (void)state;
    static const char *const names[] = {"TMUX", "TERM", "TERM_PROGRAM", "KITTY_WINDOW_ID", "VTE_VERSION"};
    static const struct {
        const char *name, *value;
        enum notify_way way;
    } cases[] = {
        {"TERM", "xterm-256color", NOTIFY_OFF}, {"TERM", "linux", NOTIFY_OFF},
        {"TERM", "xterm-kitty", NOTIFY_OSC99},  {"TERM", "foot", NOTIFY_OSC777},
        {"VTE_VERSION", "7200", NOTIFY_OSC777}, {"TERM_PROGRAM", "iTerm.app", NOTIFY_OSC9},
        {"TERM", "tmux-256color", NOTIFY_OFF},  {"TERM_PROGRAM", "WezTerm", NOTIFY_OSC777},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        for (size_t k = 0; k < N_OF(names); k++)
            unsetenv(names[k]);
        setenv(cases[i].name, cases[i].value, 1);
        check_int(cases[i].value, notify_by_terminal(), cases[i].way);
    }
    assert_int_equal(notify_parse("osc9"), NOTIFY_OSC9);
    assert_int_equal(notify_parse("loud"), -1);
}

/* --- one option of the file --- */

static void other_lines_stay(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name, *value, *want;
    } cases[] = {
        {"", "ascii", "true", "ascii = true;\n"},
        {"// mine\nmouse = false; # why\n", "mouse", "true", "// mine\nmouse = true; # why\n"},
        {"mouse=false", "mouse", "true", "mouse=true;\n"},
        {"theme = \"a;b\" ; mouse = true;", "theme", "\"c\"", "theme = \"c\"; mouse = true;"},
        {"/* theme = 1; */ x = 1;\n", "theme", "\"c\"", "/* theme = 1; */ x = 1;\ntheme = \"c\";\n"},
        {"keys = { theme = \"x\"; };\ntheme : \"a\";\n", "theme", "\"b\"",
         "keys = { theme = \"x\"; };\ntheme : \"b\";\n"},
        {"a = 1;\nmouse = true;\nb = 2;\n", "mouse", NULL, "a = 1;\nb = 2;\n"},
        {"gpu_idle = \"1m\";\n", "idle", "1", "gpu_idle = \"1m\";\nidle = 1;\n"},
        {"s = \"mouse = false;\";", "mouse", "true", "s = \"mouse = false;\";\nmouse = true;\n"},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        char *got = settings_file_with(cases[i].text, cases[i].name, cases[i].value);
        if (!str_eq(got, cases[i].want))
            fail_msg("%s:\n%s\nnot\n%s", cases[i].text, got, cases[i].want);
        free(got);
    }
}

static void a_file_with_an_error_is_not_written(void **state)
{
    (void)state;
    char path[] = "/tmp/stoker-ui.XXXXXX";
    int fd = mkstemp(path);
    struct errtext err = {""};
    assert_int_equal(write(fd, "a = 1;\nb = ;\n", 13), 13);
    close(fd);
    assert_true(settings_file_set(path, "ascii", "true", &err) < 0);
    check_has("error", err.s, ":2: ");
    char *text = file_text(path);
    assert_string_equal(text, "a = 1;\nb = ;\n");
    free(text);
    unlink(path);
}

/* --- what ui.cfg says --- */

static void errors_have_file_and_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *err;
    } cases[] = {
        {"commands = (\n { name = \"top\"; });", ":2: a command needs 'run'"},
        {"commands = (\n { name = \"cancel\"; run = \"x\"; });", ":2: there is a command 'cancel' already"},
        {"commands = ( { name = \"t\"; run = \"x {job}\"; key = \"c\"; });", "is a key of 'cancel'"},
        {"commands = ( { name = \"t\"; run = \"x {node}\"; key = \"d\"; });", "is a key of 'drain'"},
        {"commands = ( { name = \"t\"; run = \"x\"; key = \"T\"; },\n{ name = \"u\"; run = \"y\"; key = "
         "\"T\"; });",
         ":2: the command 'u' has the key of 't'"},
        {"commands = ( { name = \"a b\"; run = \"x\"; });", "one word"},
        {"commands = ( { name = \"t\"; run = \"x\"; in = \"window\"; });", "terminal, background or pager"},
        {"\naliases = { jobs = \"nodes\"; };", ":2: there is a command 'jobs' already"},
        {"notify = \"loud\";", ":1: notify is one of"},
        {"mouse = \"on\";", ":1: mouse must be true or false"},
        {"colour = true;", ":1: there is no option 'colour'"},
    };
    char path[] = "/tmp/stoker-ui.XXXXXX";
    int fd = mkstemp(path);
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct settings s;
        struct errtext err = {""};
        settings_init(&s);
        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(pwrite(fd, cases[i].text, strlen(cases[i].text), 0), (long)strlen(cases[i].text));
        assert_true(settings_load(&s, path, &err) < 0);
        if (!strstr(err.s, cases[i].err))
            fail_msg("%s\ngives: %s", cases[i].text, err.s);
        settings_fini(&s);
    }
    close(fd);
    unlink(path);
}

/* What docs/UI.md shows can be copied into ui.cfg. */
static void the_example_of_the_manual_is_good(void **state)
{
    (void)state;
    char *text = file_text("docs/UI.md");
    assert_non_null(text);
    char *from = strstr(text, "```\ntheme = "), *to = from ? strstr(from + 4, "```") : NULL;
    assert_non_null(to);
    *to = '\0';
    char path[] = "/tmp/stoker-ui.XXXXXX";
    int fd = mkstemp(path);
    struct settings s;
    struct errtext err = {""};
    settings_init(&s);
    assert_int_equal(pwrite(fd, from + 4, strlen(from + 4), 0), (long)strlen(from + 4));
    if (settings_load(&s, path, &err) < 0)
        fail_msg("docs/UI.md: %s", err.s);
    assert_true(s.commands.v.n > 1);
    settings_fini(&s);
    close(fd);
    unlink(path);
    free(text);
}

/* --- screens --- */

struct settings_lab {
    struct ui_fixture *g;
    char dir[32], *path;
    struct settings s;
};

/* Settings of a text, in the screens of the fixture. */
static void settings_up(struct settings_lab *l, void **state, const char *text)
{
    struct errtext err = {""};
    l->g = *state;
    strcpy(l->dir, "/tmp/stoker-cfg.XXXXXX");
    assert_non_null(mkdtemp(l->dir));
    setenv("HOME", l->dir, 1);
    unsetenv("XDG_CONFIG_HOME");
    l->path = settings_path();
    char *folder = xasprintf("mkdir -p %s/.config/stoker", l->dir);
    assert_int_equal(system(folder), 0);
    free(folder);
    assert_int_equal(file_write(l->path, 0600, text), 0);
    settings_init(&l->s);
    if (settings_load(&l->s, l->path, &err) < 0)
        fail_msg("%s", err.s);
    app_take_settings(l->g->u.app, &l->s, false);
}

static void settings_down(struct settings_lab *l)
{
    char *remove = xasprintf("rm -r %s", l->dir);
    assert_int_equal(system(remove), 0);
    free(remove);
    free(l->path);
    l->g->u.app->o.settings = NULL;
    l->g->u.app->o.commands = NULL;
    l->g->u.app->o.notify_command = NULL;
    settings_fini(&l->s);
}

/* Where there is room for a value it is seen as a whole. */
static void values_are_cut_only_for_want_of_room(void **state)
{
    static const char value[] = "notify-send --urgency=critical \\\"$STOKER_TEXT\\\"";
    struct settings_lab l;
    char *text = xasprintf("notify_command = \"%s\";\n", value);
    settings_up(&l, state, text);
    free(text);
    struct uilab *u = &l.g->u;
    keys_show(u, "<F2>", "\u2026 ui.cfg, line 1");
    uilab_draw(u, 43, 132);
    must_show(u, "notify-send --urgency=critical \"$STOKER_TEXT\"  ui.cfg, line 1");
    uilab_keys(u, "q");
    settings_down(&l);
}

static void options_are_changed_in_the_file(void **state)
{
    struct settings_lab l;
    settings_up(&l, state, "# mine\nmouse = true;\n");
    struct uilab *u = &l.g->u;
    keys_show(u, "<F2>", "Settings");
    must_show(u, "ui.cfg, line 2");
    uilab_golden(u, "settings", 24, 80);
    while (!strstr(cursor_row(u), "mouse"))
        uilab_keys(u, "j");
    uilab_keys(u, "<Enter>");
    assert_true(outbox_take(u->app) & WISH_RELOAD);
    char *text = file_text(l.path);
    assert_string_equal(text, "# mine\nmouse = false;\n");
    free(text);
    while (!strstr(cursor_row(u), "gpu_idle"))
        uilab_keys(u, "j");
    uilab_keys(u, "<Enter><C-u>30m<Enter>");
    text = file_text(l.path);
    assert_string_equal(text, "# mine\nmouse = false;\ngpu_idle = \"30m\";\n");
    free(text);
    uilab_keys(u, "d");
    text = file_text(l.path);
    assert_string_equal(text, "# mine\nmouse = false;\n");
    free(text);
    keys_show(u, "q", "Jobs 15");
    settings_down(&l);
}

/* A command gets the values of the row; what it says when it fails is told. */
static void commands_run_for_the_row(void **state)
{
    struct settings_lab l;
    settings_up(&l, state,
                "commands = ( { name = \"say\"; key = \"T\"; run = \"echo job {job} of {user}\"; "
                "in = \"background\"; read_only = true; },\n"
                "{ name = \"fail\"; run = \"echo no such thing >&2; exit 4\"; in = \"background\"; },\n"
                "{ name = \"page\"; run = \"echo {name}\"; in = \"pager\"; },\n"
                "{ name = \"ask\"; run = \"echo asked\"; in = \"background\"; confirm = true; } );\n"
                "aliases = { po = \"partitions\"; mine = \"filter user:bo\"; };\n");
    struct uilab *u = &l.g->u;
    uilab_keys(u, "/user:chen<Enter>g");
    keys_show(u, "T", " of chen");
    keys_show(u, ":fail<Enter>", "fail exited with 4: no such thing");
    uilab_keys(u, ":page<Enter>");
    assert_true(outbox_take(u->app) & WISH_RUN);
    const struct strv *argv = outbox_program(u->app);
    assert_string_equal(argv->v[0], "env");
    assert_string_equal(argv->v[argv->n - 1], "echo \"${STOKER_JOB_NAME}\"");
    keys_show(u, ":ask<Enter>", "echo asked");
    keys_show(u, "y", "ask: asked");
    keys_show(u, ":mine<Enter>", "filter user:bo");
    keys_show(u, ":po<Enter>", "Partitions");
    keys_show(u, "T", "there is no job under the cursor");
    keys_show(u, "1?/:page<Enter>", "Your commands");
    settings_down(&l);
}

/* "stoker//templates" stood in the message about a template. */
static void the_folder_of_settings_ends_in_no_slash(void **state)
{
    (void)state;
    char *folder = settings_beside(""), *file = settings_beside("ui.cfg");
    assert_true(str_ends(folder, "/stoker"));
    assert_true(str_ends(file, "/stoker/ui.cfg"));
    free(folder);
    free(file);
}

/* D opens the demo where no job is queued; with jobs it is whatever ui.cfg says. */
static void a_key_of_the_empty_queue_is_free(void **state)
{
    struct settings_lab l;
    settings_up(&l, state, "keys = { cancel = \"D\"; };\n");
    keys_show(&l.g->u, "/name:eval<Enter>gD", "cancel 1 job");
    uilab_keys(&l.g->u, "<Esc>");
    settings_down(&l);
}

/* The menu has those that fit the row, and each screen with rows of jobs or nodes knows its row. */
static void commands_are_in_the_menu(void **state)
{
    struct settings_lab l;
    settings_up(
        &l, state,
        "commands = ( { name = \"say\"; run = \"echo job {job}\"; in = \"background\"; help = "
        "\"says the number\"; },\n"
        "{ name = \"top\"; run = \"echo on {node}\"; in = \"background\"; read_only = true; } );\n");
    struct uilab *u = &l.g->u;
    static const struct {
        const char *keys, *has, *has_not;
    } rows[] = {{"1/user:chen<Enter>g", ":say  says the number", NULL},
                {"1/name:eval<Enter>g", ":say  says the number", ":top"},
                {"2g", ":top  echo on {node}", ":say"},
                {"2g<Enter>", ":top  echo on {node}", NULL},
                {"3g", ":top  echo on {node}", ":say"},
                {"5", "Ctrl-S", ":top"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uilab_keys(u, rows[i].keys);
        uilab_keys(u, "x");
        uilab_draw(u, 60, 132);
        must_show(u, rows[i].has);
        if (rows[i].has_not && uilab_find(u, rows[i].has_not) >= 0)
            fail_msg("%s: the menu has %s", rows[i].keys, rows[i].has_not);
        uilab_keys(u, "<Esc>");
    }
    uilab_keys(u, "2gx");
    for (int i = 0; i < 30; i++) {
        uilab_draw(u, 60, 132);
        int y = uilab_find(u, ":top");
        if (y >= 0 && canvas_at(&u->canvas, y, 70)->over == ROLE_CURSOR)
            break;
        uilab_keys(u, "<Down>");
    }
    keys_show(u, "<Enter>", "top: on ");
    settings_down(&l);
}

static void push_failure(struct ui_fixture *g, uint32_t id)
{
    struct ev_end end = {.step = STEP_BATCH,
                         .attempt = lab_task(&g->u.lab, id, STEP_BATCH, 0)->attempt,
                         .end_kind = END_EXITED};
    rec_list_push(&end.ranks)->code = 3;
    uilab_push(&g->u, EV_END, id, &end);
    rec_fini(&ev_end_rec, &end);
}

/* The command of a watched job runs once for each change, with what has changed in variables. */
static void a_watched_job_runs_the_command(void **state)
{
    struct settings_lab l;
    char *out = xasprintf("/tmp/stoker-notify.%ld", (long)getpid());
    char *text =
        xasprintf("notify_command = \"echo $STOKER_JOB_ID $STOKER_JOB_STATE: $STOKER_TEXT >>%s\";\n", out);
    settings_up(&l, state, text);
    struct uilab *u = &l.g->u;
    ui_watch(u->app, &(struct job_target){.job = l.g->s.train, .array_index = ARRAY_NONE, .step = STEP_ALL},
             true);
    push_failure(l.g, l.g->s.train);
    uilab_draw(u, 24, 80);
    char *said = file_text(out);
    assert_non_null(said);
    check_has("job and state", said, "FAILED: ");
    assert_ptr_equal(strchr(said, '\n') + 1, said + strlen(said)); /* one line */
    assert_true(outbox_take(u->app) & WISH_NOTIFY);
    free(said);
    unlink(out);
    free(out);
    free(text);
    settings_down(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_names_stay_text),
        cmocka_unit_test(values_have_no_control_characters),
        cmocka_unit_test(notifications_are_clean),
        cmocka_unit_test(terminals_get_what_they_know),
        cmocka_unit_test(other_lines_stay),
        cmocka_unit_test(a_file_with_an_error_is_not_written),
        cmocka_unit_test(errors_have_file_and_line),
        cmocka_unit_test(the_example_of_the_manual_is_good),
        UI_FIXTURE_CASE(values_are_cut_only_for_want_of_room),
        UI_FIXTURE_CASE(options_are_changed_in_the_file),
        UI_FIXTURE_CASE(commands_run_for_the_row),
        UI_FIXTURE_CASE(commands_are_in_the_menu),
        UI_FIXTURE_CASE(a_key_of_the_empty_queue_is_free),
        cmocka_unit_test(the_folder_of_settings_ends_in_no_slash),
        UI_FIXTURE_CASE(a_watched_job_runs_the_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
