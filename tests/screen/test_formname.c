/* test_formname.c - what a job is called that was given no name: all that came from the form were "sbatch".
 */
#include <unistd.h>

#include "tests/lib/check.h"
#include "tests/screen/ui_fixture.h"
#include "ui/form/form_name.h"

static void the_command_gives_a_name(void **state)
{
    (void)state;
    static const struct {
        const char *text, *want; /* NULL: none */
    } rows[] = {
        /* nothing to go by */
        {"", NULL},
        {"#!/bin/bash\n#SBATCH --gpus=1\n\n", NULL},
        {"$PROGRAM --fast", NULL},
        {"for i in 1 2\n", NULL},
        {"A=1", NULL},
        {"'not closed", NULL},
        {"./", NULL},
        {"bad\033name", NULL},
        {"#!/usr/bin/env python3\nimport os\n", NULL},
        /* a program */
        {"train", "train"},
        {"#!/bin/bash\n\n./bin/simulate --steps 10\n", "simulate"},
        {"#!/usr/bin/env bash\nmake -j4 && ./run\n", "make"},
        {"make;ls", "make"},
        {"LR=1e-4 OUT=/data/x exec ./fit >log 2>&1 &", "fit"},
        {"time nohup \"/opt/my tools/fit all\" x", "fit all"},
        {"srun -n 4 --gpus=2 ./mpi", "mpi"},
        {"python", "python"},
        {"bash -c 'make all'", "bash"},
        /* what an interpreter runs */
        {"python train.py", "train.py"},
        {"python3.11 -u -W ignore src/train.py --lr 1", "train.py"},
        {"python -m torch.train x", "torch.train"},
        {"python -c 'print(1)'", "python"},
        {"python \"$SCRIPT\"", "python"},
        {"bash ./run data.py", "run"},
        {"/opt/conda/bin/python fold", "fold"},
        {"srun python -u train.py", "train.py"},
        {"torchrun --nproc_per_node 4 --standalone train.py --x", "train.py"},
        {"accelerate launch --mixed_precision fp16 train.py", "train.py"},
        {"uv run main.py", "main.py"},
        {"Rscript fit.R", "fit.R"},
        /* a command that only prepares does not give the name while there is another */
        {"#!/bin/bash -l\nset -eu\ncd /work; module load cuda  # it needs; it\nconda activate a\npython "
         "a.py\n",
         "a.py"},
        {"cd /work && ./fit", "fit"},
        {"export A=1\necho begin\n. venv/bin/activate\ndate\n", "export"},
        {"hostname", "hostname"},
        {"for i in 1 2; do\n  python fold.py $i\ndone", "fold.py"},
        {"if [ -f x ]; then ./fit; fi", "fit"},
        {"  # python no.py\n\tpython yes.py", "yes.py"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        char *got = formname_of_command(rows[i].text);
        check_str(rows[i].text, got, rows[i].want);
        free(got);
    }
}

static void a_file_is_called_without_its_path(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"/home/alice/train.sh", "train.sh"}, {"train.sh", "train.sh"}, {"a/", "a"}, {"", ""}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        char *got = formname_of_file(rows[i][0]);
        check_str(rows[i][0], got, rows[i][1]);
        free(got);
    }
}

static const char *name_sent(struct uilab *u)
{
    uilab_forget_sent(u);
    uilab_keys(u, "<F10>");
    return ((const struct msg_submit *)uilab_sent(u, MSG_SUBMIT)->body)->req.name;
}

/* What is shown where no name is typed is what is sent. */
static void the_form_shows_the_name_it_gives(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "s");
    uilab_draw(u, 24, 80);
    must_show(u, "name         sbatch");
    uilab_keys(u, "python train.py");
    uilab_draw(u, 24, 80);
    must_show(u, "name         train.py");
    must_not_show(u, "--job-name"); /* the script stays what was typed */
    check_str("sent", name_sent(u), "train.py");
    uilab_keys(u, "<Tab><C-a>");
    uilab_paste(u, "#SBATCH -J mine\n");
    uilab_keys(u, "<Tab>");
    uilab_draw(u, 24, 80);
    must_show(u, "name         mine");
    check_str("its own", name_sent(u), "mine");
}

static void a_job_in_steps_has_a_name_too(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "s<F6><Down>");
    uilab_draw(u, 24, 80);
    must_show(u, "name         job");
    uilab_keys(u, "<Down><Down><Down><Down><Down>ls -l");
    uilab_draw(u, 24, 80);
    must_show(u, "command      ls -l");
    must_show(u, "name         ls");
    check_str("sent", name_sent(u), "ls");
}

/* A file, and so a template, gives its own name, as with sbatch. */
static void a_file_gives_its_name(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    char path[] = "/tmp/stoker-form-XXXXXX.sh", keys[64];
    int fd = mkstemps(path, 3);
    assert_int_not_equal(fd, -1);
    assert_int_equal(write(fd, "#!/bin/sh\npython x.py\n", 22), 22);
    close(fd);
    snprintf(keys, sizeof keys, ":submit %s<Enter>", path);
    uilab_keys(u, keys);
    uilab_draw(u, 24, 80);
    snprintf(keys, sizeof keys, "name         %s", path + 5);
    must_show(u, keys);
    check_str("sent", name_sent(u), path + 5);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_command_gives_a_name),
        cmocka_unit_test(a_file_is_called_without_its_path),
        UI_FIXTURE_CASE(the_form_shows_the_name_it_gives),
        UI_FIXTURE_CASE(a_job_in_steps_has_a_name_too),
        UI_FIXTURE_CASE(a_file_gives_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
