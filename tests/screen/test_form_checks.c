/* test_form_checks.c - what the form says about what is typed: programs and files that are not there, what
 * no node has, and suggestions, which hold what they promise. */
#include <sys/stat.h>
#include <unistd.h>

#include "backend/sched/explain/explain.h"
#include "tests/lib/lab_cycle.h"
#include "tests/screen/ui_fixture.h"
#include "ui/form/form.h"
#include "ui/form/form_program.h"
#include "ui/form/resubmit.h"

/* --- programs and files --- */

static void what_is_not_there_is_told(void **unused)
{
    (void)unused;
    char dir[] = "/tmp/stoker-form.XXXXXX";
    static const struct {
        const char *text, *says, *fix; /* NULL: nothing */
    } rows[] = {
        {"python train.py", NULL, NULL},
        {"pyhton train.py", "pyhton is not in PATH", "python"},
        {"#!/bin/bash\n#SBATCH -n 2\n\npyhton train.py\n", "pyhton is not in PATH", "python"},
        {"time srun -n 4 pyhton3 train.py", "pyhton3 is not in PATH", "python3"},
        {"qqqqqqqqzz 1", "qqqqqqqqzz is not in PATH", NULL},
        {"python tran.py --lr 1", "there is no file tran.py in DIR", "train.py"},
        {"python -u nofile.py", "there is no file nofile.py in DIR", NULL},
        {"python -m pkg.train", NULL, NULL},
        {"bash run.sh", NULL, NULL},
        {"./run.sh", "./run.sh is not executable", "bash ./run.sh"},
        {"./rnu.sh", "there is no file ./rnu.sh in DIR", NULL}, /* run.sh cannot be run either */
        {"./tool --fast", NULL, NULL},
        {"./tol --fast", "there is no file ./tol in DIR", "./tool"},
        {"/nosuch/tool", "there is no file /nosuch/tool", NULL},
        {"./sub", "./sub is a directory", NULL},
        /* What cannot be said is not said. */
        {"$PROGRAM train.py", NULL, NULL},
        {"module load x\nsolver in.dat", NULL, NULL},
        {". venv/bin/activate  # set-up\nsolver in.dat", NULL, NULL},
        {"export PATH=/opt/x:$PATH\nsolver", NULL, NULL},
        {"cd sub && python other.py", NULL, NULL},
        {"cd sub\n./other", NULL, NULL},
        {"work() {\n  ls\n}\nwork", NULL, NULL},
        {"for i in 1 2; do solver $i; done", NULL, NULL},
        {"#!/usr/bin/env python3\nimport torch\n", NULL, NULL},
        {"echo one; true", NULL, NULL},
        {"", NULL, NULL},
        {"'open", NULL, NULL},
    };
    assert_non_null(mkdtemp(dir));
    check_make_file(dir, "train.py", 0644);
    check_make_file(dir, "run.sh", 0644);
    check_make_file(dir, "tool", 0755);
    char *sub = xasprintf("%s/sub", dir);
    assert_int_equal(mkdir(sub, 0755), 0);
    setenv("PATH", "tests/screen/programs:/usr/bin:/bin", 1);
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct program_doubt d;
        struct str says = STR_INIT;
        formprogram_check(rows[i].text, dir, &d);
        for (const char *p = rows[i].says; p && *p; p += str_starts(p, "DIR") ? 3 : 1)
            str_append_n(&says, str_starts(p, "DIR") ? dir : p, str_starts(p, "DIR") ? strlen(dir) : 1);
        check_str(rows[i].text, d.text ? d.text : "", says.s);
        check_str(rows[i].text, d.fix ? d.fix : "", rows[i].fix ? rows[i].fix : "");
        str_fini(&says);
        programdoubt_fini(&d);
    }
    char *near = xasprintf("%s/sbu", dir), *wants = xasprintf("%s/sub", dir);
    struct program_doubt d;
    formprogram_check_dir(near, &d);
    check_has("directory", d.text, "there is no directory ");
    check_str("directory", d.fix, wants);
    programdoubt_fini(&d);
    formprogram_check_dir(dir, &d);
    assert_null(d.text);
    char *remove = xasprintf("rm -r %s", dir);
    assert_int_equal(system(remove), 0);
    free(near);
    free(wants);
    free(remove);
    free(sub);
}

static void one_key_mends_the_command(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    keys_show(u, "spyhton -V", "pyhton is not in PATH");
    keys_show(u, "<C-t>", "│ python -V");
    must_not_show(u, "is not in PATH");
}

/* --- suggestions --- */

static void gather(struct uilab *u, struct form *f, struct form_hints *h)
{
    struct form_draft *d = form_draft_new(f, u->lab.now);
    form_draft_build(d);
    form_check(d, u->app, h);
    form_draft_free(d);
}

static bool is_wrong(const struct form_hints *h, const struct form_field *field)
{
    for (size_t i = 0; i < h->n; i++)
        if (h->v[i].kind == HINT_ERROR && (!field || h->v[i].field == field))
            return true;
    return false;
}

static void must_be_admitted(struct uilab *u, struct planner *p, struct form *f)
{
    struct msg_submit m;
    struct errtext err;
    struct cause why = {0};
    struct sched_view v = lab_view(&u->lab);
    if (form_message(f, u->lab.now, &m, &err) < 0)
        fail_msg("%s\n%s", err.s, f->text.s);
    if (sched_admit(p, &v, &(struct job){.uid = 1000, .req = m.req}, &why) != REFUSAL_NONE) {
        struct str nodes = STR_INIT;
        for (size_t i = 0; i < u->lab.m.n_nodes; i++) {
            const struct node *n = u->lab.m.nodes[i];
            str_appendf(&nodes, "%s: %u CPUs, %llu MiB, %u %s; ", n->spec.name, n->cpus,
                        (unsigned long long)n->mem_mib, n->gpus, n->gpu_type ? n->gpu_type : "GPUs");
        }
        fail_msg("refused, cause %s, on %s\n%s", cause_code_name(why.code), nodes.s, f->text.s);
    }
    cause_clear(&why);
    rec_fini(&msg_submit_rec, &m);
}

static uint32_t below(uint64_t *r, uint32_t n)
{
    return (uint32_t)(check_rand(r) % n);
}

static const char *const types[] = {NULL, "a100", "h100", "v100"};

static void random_nodes(struct uilab *u, uint64_t *r)
{
    struct str names = STR_INIT;
    for (uint32_t i = 0, n = 1 + below(r, 5); i < n; i++) {
        char name[16];
        uint32_t gpus = below(r, 3) ? below(r, 9) : 0;
        snprintf(name, sizeof name, "n%u", i);
        lab_node(&u->lab, name, 1 + below(r, 128), 1024 * (1 + below(r, 1024)), gpus,
                 gpus ? types[below(r, 3)] : NULL);
        str_appendf(&names, "%s%s", i ? "," : "", name);
    }
    lab_part(&u->lab, "main", names.s);
    lab_configure(&u->lab);
    uilab_connect(u);
    str_fini(&names);
}

static void set(struct form *f, const char *key, const char *value)
{
    form_set(f, form_find_field(f, key), -1, value);
}

static void random_request(struct form *f, uint64_t *r)
{
    static const char *const memory[] = {"1G", "100G", "999G", "9999G"};
    static const char *const counts[] = {"cpus-per-task", "nodes", "ntasks"};
    const char *type = types[below(r, 4)];
    char b[32];
    set(f, "command", "ls");
    snprintf(b, sizeof b, "%s%s%u", type ? type : "", type ? ":" : "", 1 + below(r, 20));
    if (below(r, 2))
        set(f, "gpus", b);
    if (below(r, 2))
        set(f, below(r, 4) ? "mem" : "mem-per-cpu", memory[below(r, 4)]);
    for (size_t i = 0; i < N_OF(counts); i++) {
        snprintf(b, sizeof b, "%u", 1 + below(r, i ? 4 : 200));
        if (!below(r, i ? 5 : 2))
            set(f, counts[i], b);
    }
}

/* The first suggestion that there is; false: none. */
static bool take_one(struct uilab *u, struct form *f, struct form_hints *h)
{
    size_t i = 0;
    gather(u, f, h);
    while (i < h->n && !h->v[i].fix)
        i++;
    if (i >= h->n)
        return false;
    const struct form_field *field = h->v[i].field;
    char *before = xstrdup(f->text.s), *says = xstrdup(h->v[i].text), *fix = xstrdup(h->v[i].fix);
    form_set(f, h->v[i].fix_field ? h->v[i].fix_field : field, -1, fix);
    gather(u, f, h);
    if (is_wrong(h, field))
        fail_msg("%s: %s: not mended by %s\n%s", field->label, says, fix, before);
    free(before);
    free(says);
    free(fix);
    return true;
}

/* Each suggestion leaves no error at its field; if no error is left, the policy admits the job. */
static void suggestions_with(uint64_t r)
{
    int taken = 0, admitted = 0;
    for (int round = 0; round < 30; round++) {
        struct uilab u;
        uilab_init(&u);
        random_nodes(&u, &r);
        struct planner *p = planner_new();
        for (int k = 0; k < 30; k++) {
            struct form f;
            struct form_hints h = {0};
            int steps = 0;
            form_init(&f, JOB_KIND_BATCH);
            random_request(&f, &r);
            while (steps < 9 && take_one(&u, &f, &h))
                steps++;
            assert_in_range(steps, 0, 8); /* they come to an end */
            if (steps && !is_wrong(&h, NULL)) {
                must_be_admitted(&u, p, &f);
                admitted++;
            }
            taken += steps;
            form_hints_fini(&h);
            form_fini(&f);
        }
        planner_free(p);
        uilab_fini(&u);
    }
    assert_true(taken > 100 && admitted > 50);
}

static void suggestions_are_accepted(void **unused)
{
    (void)unused;
    suggestions_with(106); /* a fair part of a node, for tasks that no node can run */
    suggestions_with(check_seed());
}

/* --- the plan at the foot --- */

static void the_plan_is_at_the_foot(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "ssleep 60<Down><Down>2<Down><Down><Down>2:00:00");
    uilab_wait(u, 400);
    answer_trial(u, "gpu02", "gpu", 0);
    uilab_draw(u, 43, 132);
    must_show(u, "starts now  on gpu02"); /* before the plan has come */
    feed_plan(u, &g->s);
    uilab_golden(u, "form-plan", 43, 132);
    uilab_golden(u, "form-plan", 24, 80);
    must_show(u, "this job, until");
    uilab_keys(u, "<Up><Up>"); /* it stays while one moves */
    must_show(u, "this job, until");
    uilab_forget_sent(u);
    uilab_keys(u, "<Up>8");
    uilab_wait(u, 400);
    answer_trial(u, NULL, "gpu", 100);
    uilab_golden(u, "form-plan-later", 43, 132);
    uilab_keys(u, "8");
    uilab_wait(u, 400);
    uilab_result(u, MSG_SUBMIT, REFUSAL_GRES, "no node has 88 GPUs", 0);
    uilab_draw(u, 43, 132);
    must_not_show(u, "this job, until");
}

/* What the controller refuses stands below the field that it is about, also after F10. */
static void a_refusal_stands_below_its_field(void **state)
{
    static const struct {
        enum refusal refusal;
        const char *label;
    } rows[] = {{REFUSAL_TIME_LIMIT, "time limit"},
                {REFUSAL_MEMORY, "memory"},
                {REFUSAL_NO_ACCOUNT, "account"}, /* one that was not shown */
                {REFUSAL_DEPENDENCY, "depends on"}};
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    for (size_t i = 0; i < N_OF(rows); i++) {
        uilab_keys(u, "sls<F10>");
        uilab_result(u, MSG_SUBMIT, rows[i].refusal, "that is not possible", 0);
        uilab_draw(u, 43, 132);
        int label = uilab_find(u, rows[i].label), said = uilab_find(u, "that is not possible");
        if (said != label + 1)
            fail_msg("%s: line %d, said in line %d:\n%s", rows[i].label, label, said, uilab_text(u));
        must_show(u, "! refused: that is not possible");
        uilab_keys(u, "<Esc>y");
    }
}

static void a_press_on_a_button_is_its_key(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "sls");
    uilab_draw(u, 24, 80);
    uilab_mouse(u, MOUSE_CLICK, uilab_find(u, "Submit  F10"), 5);
    assert_false(((const struct msg_submit *)uilab_sent(u, MSG_SUBMIT)->body)->test_only);
    uilab_result(u, MSG_SUBMIT, REFUSAL_NONE, "", 1);
    uilab_keys(u, "s");
    uilab_draw(u, 24, 80);
    uilab_mouse(u, MOUSE_CLICK, uilab_find(u, "partition"), 35); /* the mark of its list */
    keys_show(u, "", "wherever it starts first");
}

/* A default is not a value that could be appended to; at its end it becomes one. */
static void a_default_is_no_value(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "s<Down>");
    uilab_draw(u, 24, 132);
    must_show(u, "default: /home/alice");
    keys_show(u, "/nope", "--chdir=/nope");
    uilab_keys(u, "<C-u><End>/more");
    uilab_draw(u, 24, 132);
    must_show(u, "--chdir=/home/alice/study/more");
}

/* --- what is pasted, what comes back --- */

static void a_pasted_script_has_one_first_line(void **state)
{
    static const struct {
        const char *before, *script;
    } rows[] = {
        {"s", "#!/bin/sh\n#SBATCH -n 2\nls\n"},
        {"s<Tab>", "#!/bin/sh\n#SBATCH -n 2\nls\n"},
        {"s<Down><Down><Down>3<Tab>", "#!/bin/sh\n#SBATCH --cpus-per-task=3\n#SBATCH -n 2\nls\n"},
    };
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    for (size_t i = 0; i < N_OF(rows); i++) {
        uilab_keys(u, rows[i].before);
        uilab_paste(u, "#!/bin/sh\n#SBATCH -n 2\nls\n");
        uilab_keys(u, "<F10>");
        const struct msg_submit *m = uilab_sent(u, MSG_SUBMIT)->body;
        char *got = xstrndup((const char *)m->payload.script.p, m->payload.script.n);
        check_str(rows[i].before, got, rows[i].script);
        free(got);
        uilab_result(u, MSG_SUBMIT, REFUSAL_NONE, "", 1);
    }
    uilab_keys(u, "sls<Tab>"); /* beside something that was written nothing gives way */
    uilab_paste(u, "\n#!/bin/sh\ndf\n");
    keys_show(u, "", "│ #!/bin/bash");
    must_show(u, "│ #!/bin/sh");
}

/* The controller fills in the account of a job that names none: it is not taken for one that was named. */
static void the_default_account_is_not_named(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    struct job *j = lab_job(&u->lab, JOB_KIND_BATCH);
    xstrset(&job_origin_mut(j)->group, "staff");
    for (int named = 0; named < 2; named++) {
        struct form f;
        form_init(&f, JOB_KIND_BATCH);
        xstrset(&j->req.account,
                named ? "other" : spec_default_account(&u->lab.m.spec, j->user, job_origin(j)->group));
        assert_non_null(j->req.account);
        again_fill(&f, j, &u->lab.m, u->lab.now);
        if ((strstr(f.text.s, "--account") != NULL) != (named > 0))
            fail_msg("%s", f.text.s);
        form_fini(&f);
    }
    rec_fini(&job_rec, j);
    free(j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_there_is_told),
        UI_FIXTURE_CASE(one_key_mends_the_command),
        cmocka_unit_test(suggestions_are_accepted),
        UI_FIXTURE_CASE(the_plan_is_at_the_foot),
        UI_FIXTURE_CASE(a_refusal_stands_below_its_field),
        UI_FIXTURE_CASE(a_press_on_a_button_is_its_key),
        UI_FIXTURE_CASE(a_default_is_no_value),
        UI_FIXTURE_CASE(a_pasted_script_has_one_first_line),
        UI_FIXTURE_CASE(the_default_account_is_not_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
