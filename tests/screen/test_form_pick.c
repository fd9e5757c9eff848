/* test_form_pick.c - the lists of the form: what can be loaded before a command, the user's accounts, GPUs
 * by type, and the search by typing. */
#include <sys/stat.h>
#include <unistd.h>

#include "tests/screen/ui_fixture.h"
#include "ui/form/form_environments.h"

static void modules_are_read(void **unused)
{
    (void)unused;
    static const char output[] = "/opt/modules/core:\ncuda/12.2(default)\ncuda/11.8\ngcc/13.1 <aL>\n"
                                 "openmpi/\n---- /usr/share/modules ----\ndot\r\ncuda/11.8\n"
                                 "No modules found.\n";
    struct strv names = {0};
    formenvironments_read_modules(output, &names);
    char *all = strv_join(&names, " ");
    check_str("modules", all, "cuda/12.2 cuda/11.8 gcc/13.1 dot");
    free(all);
    strv_fini(&names);
    names = (struct strv){0};
    formenvironments_read_modules("bash: line 1: module: command not found\n", &names);
    assert_int_equal(names.n, 0);
    strv_fini(&names);
}

static void lines_add_up(void **unused)
{
    static const struct {
        const char *value, *line, *want;
    } rows[] = {
        {"", "module load a", "module load a"},
        {"module load a", "module load b", "module load a b"},
        {"module load a; export X=1", "module load b", "module load a; export X=1; module load b"},
        {"module load a", ". env/bin/activate", "module load a; . env/bin/activate"},
    };
    (void)unused;
    for (size_t i = 0; i < N_OF(rows); i++) {
        char *got = formenvironments_add(rows[i].value, rows[i].line);
        check_str(rows[i].value, got, rows[i].want);
        free(got);
    }
}

static void write_to(const char *dir, const char *name, const char *text)
{
    char *path = xasprintf("%s/%s", dir, name);
    for (char *at = path + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        mkdir(path, 0755);
        *at = '/';
    }
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    free(path);
}

static bool has_line(const struct form_environments *e, const char *line)
{
    return strv_has(&e->lines, line);
}

/* conda is not run: the list of its environments is a file. */
static void environments_are_found(void **unused)
{
    (void)unused;
    char home[] = "/tmp/stoker-env.XXXXXX", *was = xstrdup(getenv("HOME"));
    assert_non_null(mkdtemp(home));
    char *list = xasprintf("%s/conda\n%s/conda/envs/torch\n/nosuch/envs/old\n", home, home);
    write_to(home, ".conda/environments.txt", list);
    write_to(home, "conda/bin/activate", "");
    write_to(home, "study/.venv/bin/activate", "");
    setenv("HOME", home, 1);
    struct form_environments e;
    char *study = xasprintf("%s/study", home), *base = xasprintf(". %s/conda/bin/activate", home),
         *torch = xasprintf(". %s/conda/bin/activate torch", home);
    formenvironments_list(&e, study);
    assert_true(has_line(&e, ". .venv/bin/activate"));
    assert_true(has_line(&e, base));
    assert_true(has_line(&e, torch));
    for (size_t i = 0; i < e.lines.n; i++)
        assert_null(strstr(e.lines.v[i], "old"));
    formenvironments_fini(&e);
    setenv("HOME", was, 1);
    char *remove = xasprintf("rm -r %s", home);
    assert_int_equal(system(remove), 0);
    free(remove);
    free(study);
    free(base);
    free(torch);
    free(list);
    free(was);
}

/* Down to the field with that help. */
static void go_to(struct uilab *u, const char *help)
{
    for (int i = 0; i < 60; i++) {
        uilab_draw(u, 24, 80);
        if (uilab_find(u, help) >= 0)
            return;
        uilab_keys(u, "<Down>");
    }
    fail_msg("no field of the form says \"%s\"", help);
}

/* What is made while the form is open is found by the next F4. */
static void nothing_found_is_looked_for_again(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    char home[] = "/tmp/stoker-env.XXXXXX", *was = xstrdup(getenv("HOME")), *path = xstrdup(getenv("PATH"));
    assert_non_null(mkdtemp(home));
    setenv("HOME", home, 1);
    setenv("PATH", home, 1); /* no `module` */
    uilab_keys(u, "s<C-o>");
    go_to(u, "run before the command");
    keys_show(u, "<F4>", "there is nothing to choose from");
    char *list = xasprintf("%s/conda/envs/torch\n", home);
    write_to(home, ".conda/environments.txt", list);
    write_to(home, "conda/bin/activate", "");
    write_to(home, "conda/envs/torch/x", "");
    keys_show(u, "<F4>", "conda/bin/activate torch");
    uilab_keys(u, "<Esc>");
    setenv("HOME", was, 1);
    setenv("PATH", path, 1);
    char *remove = xasprintf("rm -r %s", home);
    assert_int_equal(system(remove), 0);
    free(remove);
    free(list);
    free(path);
    free(was);
}

/* Over a Slurm: those of its accounting that the partition admits. */
static void qos_of_a_slurm_are_listed(void **state)
{
    (void)state;
    struct uilab u;
    uilab_init(&u);
    lab_node(&u.lab, "n1", 8, 16384, 0, NULL);
    strv_push(&lab_part(&u.lab, "main", "n1")->deny_qos, "express");
    strv_push(&lab_part(&u.lab, "fast", "n1")->allow_qos, "express");
    static const char *const qos[] = {"normal", "long", "express"};
    for (size_t i = 0; i < N_OF(qos); i++)
        *rec_list_push(&u.lab.spec.qos) = (struct qos_spec){.name = xstrdup(qos[i])};
    lab_configure(&u.lab);
    u.engine = "Slurm";
    u.lacks = UINT64_C(1) << LACK_NODES;
    uilab_connect(&u);
    uilab_keys(&u, "s<C-o>");
    go_to(&u, "quality of service");
    keys_show(&u, "<F4>", "normal");
    must_show(&u, "long");
    must_not_show(&u, "express");
    uilab_keys(&u, "<Down><Enter>");
    uilab_draw(&u, 24, 132);
    must_show(&u, "#SBATCH --qos=long");
    uilab_keys(&u, "<Esc>y");
    uilab_keys(&u, "s<Tab>");
    uilab_paste(&u, "#!/bin/sh\n#SBATCH --partition=fast\nls\n");
    uilab_keys(&u, "<Tab><C-o>");
    go_to(&u, "quality of service");
    keys_show(&u, "<F4>", "express");
    must_not_show(&u, "normal");
    uilab_fini(&u);
}

static void what_is_typed_is_looked_for(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "s<Tab>");
    uilab_paste(u, "#!/bin/sh\n#SBATCH --nodelist=cpu01\nls\n");
    uilab_keys(u, "<Tab>");
    for (int i = 0; i < 9; i++)
        uilab_keys(u, "<Down>"); /* "on nodes" */
    uilab_draw(u, 24, 132);
    must_show(u, "only on these: n[01-03]");
    keys_show(u, "<F4>", "type to search");
    must_show(u, "cpu02");
    keys_show(u, "gpu 2", "gpu02");
    must_not_show(u, "cpu02");
    uilab_keys(u, "<Enter>");
    uilab_draw(u, 24, 132);
    must_show(u, "--nodelist=gpu02");
    keys_show(u, "<F4>nothing", "no item has it");
    uilab_keys(u, "<Enter>"); /* nothing is chosen */
    keys_show(u, "", "no item has it");
    uilab_keys(u, "<Esc>");
}

static void gpus_keep_their_number(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    keys_show(u, "s<Down><Down>4<F4>", "a100:4");
    must_show(u, "free of");
    uilab_keys(u, "<Enter>");
    uilab_draw(u, 24, 132);
    must_show(u, "--gpus=a100:4");
}

/* Beside each value whether the job, with everything else that it asks for, has room now. */
static void what_fits_now_is_said(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "s<Tab>");
    uilab_paste(u, "#!/bin/sh\n#SBATCH --partition=gpu\n#SBATCH --gpus=2\n#SBATCH --time=10:00\nls\n");
    uilab_keys(u, "<Tab><Down><Down>");
    keys_show(u, "<F4>", "10 free of 32, fits now");
    keys_show(u, "<Esc><C-u>8<F4>", "a100:8"); /* on no node at once */
    must_show(u, "10 free of 32 ");
    must_not_show(u, "fits now");
    keys_show(u, "<Esc><C-u>2<Down><Down><Down><Down><F4>", "10 GPUs free, the default, fits now");
    must_show(u, "0 GPUs free ");
}

/* In the list, beside it and on the page; nothing of a node that takes no jobs. */
static void nodes_say_what_fits(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "2/gpu02<Enter>");
    uilab_draw(u, 50, 200);
    must_show(u, "fits now: 20 CPUs, 288G, 5 GPUs");
    uilab_keys(u, ":columns node state fits<Enter>");
    uilab_draw(u, 50, 200);
    must_show(u, "FITS NOW");
    must_show(u, " 20 CPUs, 288G, 5 GPUs");
    keys_show(u, "<Enter>", "fits now: 20 CPUs, 288G, 5 GPUs");
    uilab_keys(u, "<Esc>/gpu04<Enter>");
    uilab_draw(u, 50, 200);
    must_show(u, "FITS NOW");
    must_not_show(u, "fits now"); /* it is drained */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_are_read),          cmocka_unit_test(lines_add_up),
        cmocka_unit_test(environments_are_found),    UI_FIXTURE_CASE(what_is_typed_is_looked_for),
        UI_FIXTURE_CASE(gpus_keep_their_number),     UI_FIXTURE_CASE(what_fits_now_is_said),
        UI_FIXTURE_CASE(nodes_say_what_fits),        UI_FIXTURE_CASE(nothing_found_is_looked_for_again),
        cmocka_unit_test(qos_of_a_slurm_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
