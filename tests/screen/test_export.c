/* test_export.c - lists are written to files and rows are copied, whatever stands in them. */
#include <unistd.h>

#include "src/os/file.h"
#include "tests/screen/ui_fixture.h"

static char *folder;

static int export_up(void **state)
{
    const char *tmp = getenv("TMPDIR");
    folder = xasprintf("%s/export-XXXXXX", tmp ? tmp : "/tmp");
    return mkdtemp(folder) ? ui_fixture_up(state) : -1;
}

static int export_down(void **state)
{
    char *command = xasprintf("rm -rf '%s'", folder);
    int rc = system(command);
    free(command);
    free(folder);
    return ui_fixture_down(state) || rc;
}

/* The text of a file in the folder; NULL: it is not there. Heap. */
static char *written(const char *name)
{
    char *path = xasprintf("%s/%s", folder, name);
    char *text = file_text(path);
    free(path);
    return text;
}

/* :export of a list to a file of that name. */
static void export_to(struct uilab *u, const char *name, const char *more)
{
    char *keys = xasprintf(":export %s/%s%s<Enter>", folder, name, more);
    uilab_keys(u, keys);
    uilab_draw(u, 24, 80);
    free(keys);
}

static void must_have(const char *text, const char *part)
{
    if (!text || !strstr(text, part))
        fail_msg("\"%s\" is not in:\n%s", part, text ? text : "(no file)");
}

static void csv_is_quoted(void **state)
{
    struct uilab *u = &((struct ui_fixture *)*state)->u;
    uilab_keys(u, ":columns job name user cpus<Enter>");
    export_to(u, "a.csv", "");
    must_show(u, "15 rows written to");
    char *text = written("a.csv");
    must_have(text, "job,name,user,cpus\n6,train-resnet,bo,8\n");
    must_have(text, "\n56,\"a|b\n\x1b[31mred\t"); /* a line break stays in its field */
    must_have(text, "\n57,\xe5\xad\xa6\xe7\xbf\x92");
    free(text);
    export_to(u, "b.csv", " all");
    text = written("b.csv");
    must_have(text, "sign,job,name,user,part,cpus,gpu,start,waited,ran,of-limit,where-or-why,left,state,");
    free(text);
}

static void json_is_json(void **state)
{
    struct uilab *u = &((struct ui_fixture *)*state)->u;
    uilab_keys(u, ":columns job name cpus where<Enter>/sweep<Enter>");
    export_to(u, "a.json", "");
    must_show(u, "1 row written to");
    char *text = written("a.json");
    must_have(text, "\"job\":\"8_[0-99]\",\"name\":\"sweep\",\"cpus\":32,\"where-or-why\":\"32");
    assert_null(strstr(text, "\xe2\x96\x88")); /* no bars */
    assert_true(str_starts(text, "[\n{"));
    assert_true(str_ends(text, "\n]\n"));
    free(text);
    uilab_keys(u, "<Esc>"); /* every row but the last has a comma */
    export_to(u, "b.json", " all");
    text = written("b.json");
    int rows = 0;
    for (const char *at = text; (at = strstr(at, "\n{")); at++, rows++)
        assert_int_equal(at[-1], rows ? ',' : '[');
    assert_true(rows > 3);
    assert_null(strstr(text, "},\n]"));
    must_have(text, "\"state\":\"running waiting failed done (RUNNING PENDING FAILED COMPLETED)\"");
    free(text);
}

/* In a filter, a menu and an exported object one word is one column: the history had two of "gpu". */
static void a_word_is_one_column(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    static const char *const keys[] = {"1", "2", "3t", "5", "6", "7"};
    for (size_t i = 0; i < N_OF(keys); i++) {
        uilab_keys(u, keys[i]);
        struct view *v = ui_view(u->app);
        const struct table *t = v->ops->table(v);
        for (size_t c = 0; c < t->n_cols; c++) {
            char buf[COLUMN_WORD_SIZE];
            const char *word = table_column_word(&t->cols[c], buf);
            check_int(word, table_find_column(t, word), (int)c);
        }
    }
}

static void text_has_columns(void **state)
{
    struct uilab *u = &((struct ui_fixture *)*state)->u;
    uilab_keys(u, ":columns job name cpus<Enter>");
    export_to(u, "a.txt", "");
    char *text = written("a.txt");
    must_have(text, "JOB       NAME");
    must_have(text, "\n6         train-resnet");
    must_have(text, "   8\n7         pretrain");
    free(text);
}

/* A file says what the list says, also of a start and a cause that the controller was asked for. */
static void files_have_what_is_drawn(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, ":columns job name start where<Enter>/finetune<Enter>");
    uilab_draw(&g->u, 24, 132);
    feed_cause(g);
    uilab_draw(&g->u, 24, 132);
    must_show(&g->u, "3 ahead");
    export_to(&g->u, "a.csv", "");
    char *text = written("a.csv");
    must_have(text, ",finetune-7b,3 ahead,3 jobs ahead\n");
    free(text);
    uilab_keys(&g->u, "Y");
    uilab_draw(&g->u, 24, 132);
    must_show(&g->u, "copied 1 row");
    must_not_show(&g->u, "copied 1 rows");
    must_have(outbox_copied(g->u.app), "job\tname\tstart\twhere-or-why\n"); /* and no hidden column */
    must_have(outbox_copied(g->u.app), "\tfinetune-7b\t3 ahead\t3 jobs ahead\n");
}

static void no_file_is_written_over(void **state)
{
    struct uilab *u = &((struct ui_fixture *)*state)->u;
    export_to(u, "a.txt", "");
    char *before = written("a.txt");
    uilab_keys(u, "/eval<Enter>");
    export_to(u, "a.txt", "");
    must_show(u, "exists; choose another name");
    char *after = written("a.txt");
    assert_string_equal(before, after);
    free(before);
    free(after);
    export_to(u, "a.pdf", "");
    must_show(u, "the name ends in .txt, .csv or .json");
    export_to(u, "none/a.csv", "");
    must_show(u, "No such file or directory");
    uilab_keys(u, ":export<Enter>");
    uilab_draw(u, 24, 80);
    must_show(u, "give a file: jobs.csv");
}

/* In a dialog the name can be mended. */
static void the_key_asks_for_the_name(void **state)
{
    struct uilab *u = &((struct ui_fixture *)*state)->u;
    export_to(u, "a.csv", "");
    char *keys = xasprintf("<C-s><C-u>%s/a.csv<Enter>", folder);
    uilab_keys(u, keys);
    free(keys);
    uilab_draw(u, 24, 80);
    must_show(u, "write the list to a file");
    must_show(u, "exists; choose another name");
    keys = xasprintf("<C-u>%s/b.csv all<Enter>", folder);
    uilab_keys(u, keys);
    free(keys);
    uilab_draw(u, 24, 80);
    must_not_show(u, "write the list to a file");
    must_show(u, "rows written to");
    char *text = written("b.csv");
    must_have(text, ",comment\n");
    free(text);
}

/* --- copying --- */

static void copies(struct uilab *u, const char *keys, const char *item, const char *want)
{
    uilab_keys(u, "<Esc><Esc>");
    uilab_keys(u, keys);
    uilab_keys(u, "y");
    uilab_draw(u, 24, 80);
    must_show(u, "copy to the clipboard");
    for (int i = 0; i < 12; i++) {
        int y = uilab_find(u, item);
        if (y >= 0 && canvas_at(&u->canvas, y, 40)->over == ROLE_CURSOR)
            break;
        uilab_keys(u, "<Down>");
        uilab_draw(u, 24, 80);
    }
    uilab_keys(u, "<Enter>");
    if (!str_starts(outbox_copied(u->app), want))
        fail_msg("%s of %s: \"%s\", not \"%s\"", item, keys, outbox_copied(u->app), want);
}

static void each_screen_has_its_menu(void **state)
{
    struct uilab *u = &((struct ui_fixture *)*state)->u;
    copies(u, "1/eval<Enter>", " name ", "eval");
    copies(u, "1/eval<Enter>", " this row ", "\u25f7\t53\teval");
    uilab_keys(u, "y");
    uilab_draw(u, 24, 80);
    must_show(u, "\u25f7 53 eval"); /* a tab is a blank to the eye */
    must_not_show(u, "\\t");
    copies(u, "2g", " name ", "gpu01");
    copies(u, "2g", " jobs ", "7,51");
    copies(u, "2/gpu04<Enter>", " reason ", "fan 2 is loud");
    copies(u, "3t/gpu04<Enter>", " reason ", "fan 2 is loud");
    copies(u, "4/gpu04<Enter>", " reason ", "fan 2 is loud");
    copies(u, "5g", "nodes         ", "gpu[01-04]");
    copies(u, "6g/prepare<Enter>", " name ", "prepare");
    copies(u, "7gj", " user ", "");
}

/* The text of the list on the screen in a new file of that name. Heap. */
static char *exported(struct uilab *u, const char *name)
{
    uilab_draw(u, 24, 80);
    export_to(u, name, " all");
    return written(name);
}

/* A node is drawn once, above its lanes; in a file, each line says which node it is about. */
static void each_line_of_the_timeline_names_its_node(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "4");
    feed_plan(u, &g->s);
    char *nodes = exported(u, "nodes.csv");
    uilab_keys(u, "t");
    char *gpus = exported(u, "gpus.csv");
    uilab_keys(u, "t");
    char *jobs = exported(u, "jobs.csv");
    must_have(nodes, "node,who,plan\n"
                     "gpu01,bo/pretrain bo/finetune-7b,\n"
                     "gpu01,bo/crossval,\n"
                     "gpu02,bo/pretrain,\n"
                     "gpu02,bo/crossval bo/eval,\n"
                     "gpu03,bo/train-resnet driver update,\n"
                     "gpu04,,\n");
    must_have(gpus, "node,gpus,who,plan\n"
                    "gpu01,0-1,bo/pretrain bo/finetune-7b,\n"
                    "gpu01,2-5,bo/finetune-7b,\n");
    must_have(jobs, "job,who,start,plan\n"
                    "window,driver update,17:39,\n"
                    "6,bo/train-resnet,13:07,\n");
    free(nodes);
    free(gpus);
    free(jobs);
}

/* "1 row", never "1 rows". */
static void a_copied_row_is_one(void **state)
{
    struct uilab *u = &((struct ui_fixture *)*state)->u;
    uilab_keys(u, "1/name:eval<Enter>Y");
    uilab_draw(u, 24, 80);
    must_show(u, "copied 1 row");
    must_not_show(u, "1 rows");
    uilab_keys(u, "<Esc>Y");
    uilab_draw(u, 24, 80);
    must_show(u, " rows");
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, export_up, export_down)
    const struct CMUnitTest tests[] = {
        CASE(csv_is_quoted),
        CASE(json_is_json),
        CASE(a_word_is_one_column),
        CASE(text_has_columns),
        CASE(files_have_what_is_drawn),
        CASE(no_file_is_written_over),
        CASE(the_key_asks_for_the_name),
        CASE(each_screen_has_its_menu),
        CASE(a_copied_row_is_one),
        CASE(each_line_of_the_timeline_names_its_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
