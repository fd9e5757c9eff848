/* test_form.c - the form: what is shown is sent, the script's own lines stay, the controller is asked while
 * one types, what was becomes a form again. */
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/os/file.h"
#include "tests/screen/ui_fixture.h"
#include "ui/form/form.h"
#include "ui/form/form_command.h"

static struct wall now(void)
{
    return (struct wall){.ms = 1795255200000};
}

static void message(const struct form *f, struct msg_submit *m)
{
    struct errtext err = {""};
    if (form_message(f, now(), m, &err) < 0)
        fail_msg("%s\n%s", err.s, f->text.s);
    free(m->request_id); /* another one each time */
    m->request_id = NULL;
}

/* --- every field that is shown is sent --- */

struct sample {
    const char *key, *value, *part; /* part: of the message as JSON */
};

static const struct sample batch_samples[] = {
    {"command", "python train.py -v", "python train.py -v"},
    {"job-name", "study 7", "\"name\":\"study 7\""},
    {"arguments", "one 'two three'", "\"argv\":[\"one\",\"two three\"]"},
    {"chdir", "/tmp", "\"workdir\":\"/tmp\""},
    {"gpus", "a100:3", "\"gpus\":3"},
    {"cpus-per-task", "6", "\"cpus_per_task\":6"},
    {"mem", "12G", "\"mem_node_mib\":12288"},
    {"time", "2:30:00", "\"time_limit_s\":9000"},
    {"partition", "cpu,gpu", "\"partition\":\"cpu,gpu\""},
    {"constraint", "a100&nvlink", "\"features\":\"a100&nvlink\""},
    {"nodelist", "gpu[01-02]", "\"nodelist\":\"gpu[01-02]\""},
    {"exclude", "gpu04", "\"exclude\":\"gpu04\""},
    {"switches", "2@10:00", "\"switches\":2"},
    {"exclusive", "exclusive", "\"exclusive\":true"},
    {"exclusive", "user", "\"exclusive_user\":true"},
    {"nodes", "2-4", "\"nodes_max\":4"},
    {"ntasks", "9", "\"ntasks\":9"},
    {"ntasks-per-node", "3", "\"ntasks_per_node\":3"},
    {"gpus-per-task", "2", "\"gpus_per_task\":2"},
    {"mem-per-cpu", "3G", "\"mem_cpu_mib\":3072"},
    {"array", "0-99%8", "\"array_throttle\":8"},
    {"dependency", "afterok:6", "\"dependency\":\"afterok:6\""},
    {"begin", "2026-12-24T08:00", "\"begin\":1798099200000"},
    {"deadline", "2026-12-25T08:00", "\"deadline\":1798185600000"},
    {"hold", "yes", "\"hold\":true"},
    {"nice", "50", "\"nice\":50"},
    {"priority", "77", "\"priority\":77"},
    {"output", "log/%x-%j.out", "\"std_out\":\"log/%x-%j.out\""},
    {"error", "log/%j.err", "\"std_err\":\"log/%j.err\""},
    {"input", "in.txt", "\"std_in\":\"in.txt\""},
    {"open-mode", "append", "\"append\":true"},
    {"export", "NONE", "SLURM_EXPORT_ENV=NONE"},
    {"set-up", "module load cuda", "module load cuda  # set-up\nls\n"},
    {"account", "vision", "\"account\":\"vision\""},
    {"qos", "high", "\"qos\":\"high\""},
    {"reservation", "class", "\"reservation\":\"class\""},
    {"licenses", "matlab:1", "\"licenses\":\"matlab:1\""},
    {"requeue", "yes", "\"requeue\":1"},
    {"no-requeue", "yes", "\"requeue\":2"},
    {"lost-node", "lease", "\"lost_node\":4"},
    {"restart-at-limit", "USR1@300,4", "\"limit_restarts\":4"},
    {"signal", "B:USR1@300", "\"signal_at_s\":300"},
    {"mail-type", "END", "\"mail_type\":\"END\""},
    {"mail-user", "ann", "\"mail_user\":\"ann\""},
    {"comment", "for the paper", "\"comment\":\"for the paper\""},
};

static const struct sample job_samples[] = {
    {"name", "study", "\"name\":\"study\""},
    {"partition", "gpu", "\"partition\":\"gpu\""},
    {"time", "3h", "\"time_limit_s\":10800"},
    {"workdir", "/tmp", "\"workdir\":\"/tmp\""},
    {"cpus", "5", "\"cpus_per_rank\":5"},
    {"mem", "7G", "\"mem_mib\":7168"},
    {"gpus", "2", "\"gpus\":2"},
    {"gpu_type", "a100", "\"gpu_type\":\"a100\""},
    {"dependency", "afterok:6", "\"dependency\":\"afterok:6\""},
    {"begin", "2026-12-24T08:00", "\"begin\":1798099200000"},
    {"deadline", "2026-12-25T08:00", "\"deadline\":1798185600000"},
    {"features", "nvlink", "\"features\":\"nvlink\""},
    {"nodelist", "gpu01", "\"nodelist\":\"gpu01\""},
    {"exclude", "gpu04", "\"exclude\":\"gpu04\""},
    {"account", "vision", "\"account\":\"vision\""},
    {"qos", "high", "\"qos\":\"high\""},
    {"output", "o-%j.log", "\"std_out\":\"o-%j.log\""},
    {"error", "e-%j.log", "\"std_err\":\"e-%j.log\""},
    {"append", "true", "\"append\":true"},
    {"nice", "50", "\"nice\":50"},
    {"lost_node", "cancel", "\"lost_node\":3"},
    {"restart_at_limit", "3", "\"limit_restarts\":3"},
    {"hold", "true", "\"hold\":true"},
    {"comment", "for the paper", "\"comment\":\"for the paper\""},
};

static const struct sample step_samples[] = {
    {"name", "fold", "\"name\":\"fold\""},
    {"command", "say \"hi\" $STOKER_TASK_ID", "say \\\"hi\\\" $STOKER_TASK_ID"},
    {"script", "/tmp/stoker-form-step.sh", "\"command\":\"/tmp/stoker-form-step.sh\""},
    {"tasks", "8", "\"n_tasks\":8"},
    {"nodes", "2", "\"nodes\":2"},
    {"ranks", "2", "\"n_ranks\":2"},
    {"mpi", "pmi2", "\"mpi\":1"},
    {"cpus", "5", "\"cpus_per_rank\":5"},
    {"mem", "7G", "\"mem_mib\":7168"},
    {"gpus", "2", "\"gpus\":2"},
    {"gpu_type", "a100", "\"gpu_type\":\"a100\""},
    {"time", "3h", "\"time_limit_s\":10800"},
    {"on_failure", "continue", "\"keep_going\":true"},
    {"output", "o-%j.log", "\"std_out\":\"o-%j.log\""},
    {"error", "e-%j.log", "\"std_err\":\"e-%j.log\""},
    {"workdir", "/tmp", "\"workdir\":\"/tmp\""},
};

static const struct sample *sample_of(const struct sample *v, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(v[i].key, key))
            return &v[i];
    fail_msg("the form shows %s: it needs a sample here", key);
    return NULL;
}

static void fresh_form(struct form *f, enum job_kind kind)
{
    form_init(f, kind);
    str_clear(&f->text);
    str_append(&f->text, kind == JOB_KIND_STEPS ? "steps = (\n  { name = \"a\"; command = \"true\"; }\n);\n"
                                                : "#!/bin/sh\nls\n");
}

static void must_send(enum job_kind kind, const struct form_field *field, const struct sample *s)
{
    struct form f;
    struct msg_submit plain, m;
    struct str json = STR_INIT;
    fresh_form(&f, kind);
    message(&f, &plain);
    if (str_eq(s->key, "script")) /* instead of the command */
        for (size_t i = 0; i < form_n_step_fields; i++)
            if (str_eq(form_step_fields[i].key, "command"))
                form_set(&f, &form_step_fields[i], 0, "");
    form_set(&f, field, 0, s->value);
    char *got = form_get(&f, field, 0);
    check_str(s->key, got, s->value); /* what was typed is what is shown */
    free(got);
    message(&f, &m);
    rec_to_json(&msg_submit_rec, &m, &json);
    str_append_n(&json, (const char *)m.payload.script.p, m.payload.script.n);
    if (rec_eq(&msg_submit_rec, &plain, &m))
        fail_msg("%s is shown and not sent", s->key);
    if (!strstr(json.s, s->part))
        fail_msg("%s = %s: no %s in %s", s->key, s->value, s->part, json.s);
    rec_fini(&msg_submit_rec, &m);
    form_set(&f, field, 0, ""); /* and taken out again it is as it was */
    if (str_eq(s->key, "command") || str_eq(s->key, "script")) {
        form_fini(&f);
    } else {
        message(&f, &m);
        if (!rec_eq(&msg_submit_rec, &plain, &m) && !str_eq(s->key, "name"))
            fail_msg("%s leaves something behind: %s", s->key, f.text.s);
        rec_fini(&msg_submit_rec, &m);
        form_fini(&f);
    }
    rec_fini(&msg_submit_rec, &plain);
    str_fini(&json);
}

static void every_field_that_is_shown_is_sent(void **state)
{
    (void)state;
    FILE *f = fopen("/tmp/stoker-form-step.sh", "w");
    assert_non_null(f);
    fputs("#!/bin/sh\n", f);
    fclose(f);
    for (size_t i = 0; i < form_n_batch_fields; i++)
        must_send(JOB_KIND_BATCH, &form_batch_fields[i],
                  sample_of(batch_samples, N_OF(batch_samples), form_batch_fields[i].key));
    for (size_t i = 0; i < form_n_job_fields; i++)
        must_send(JOB_KIND_STEPS, &form_job_fields[i],
                  sample_of(job_samples, N_OF(job_samples), form_job_fields[i].key));
    for (size_t i = 0; i < form_n_step_fields; i++)
        must_send(JOB_KIND_STEPS, &form_step_fields[i],
                  sample_of(step_samples, N_OF(step_samples), form_step_fields[i].key));
    unlink("/tmp/stoker-form-step.sh");
}

/* --- another user's script --- */

#define SCRIPT                                                                                        \
    "#!/bin/bash -l\n# my study\n#SBATCH -J study --gpus=a100:2   # both\n#SBATCH --time 4:00:00\n\n" \
    "for i in 1 2 3; do\n    python train.py --fold $i \\\n        --lr 0.1\ndone\n"

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static const struct msg_submit *sent_submit(struct uilab *u)
{
    const struct uilab_sent *s = uilab_sent(u, MSG_SUBMIT);
    return s ? s->body : NULL;
}

static void no_line_of_a_script_is_lost(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    char path[] = "/tmp/stoker-form.XXXXXX", keys[80];
    close(mkstemp(path));
    write_file(path, SCRIPT);
    snprintf(keys, sizeof keys, ":submit %s<Enter>", path);
    uilab_keys(u, keys);
    uilab_draw(u, 24, 80);
    must_show(u, "study");
    must_show(u, "a100:2");
    must_show(u, "4:00:00");
    uilab_keys(u, "<F10>");
    const struct msg_submit *m = sent_submit(u);
    assert_non_null(m);
    assert_false(m->test_only);
    assert_int_equal(m->payload.script.n, strlen(SCRIPT));
    assert_memory_equal(m->payload.script.p, SCRIPT, strlen(SCRIPT));
    assert_string_equal(m->command, path);
    assert_int_equal(m->req.gpus, 2);
    uilab_result(u, MSG_SUBMIT, REFUSAL_NONE, "", 1);
    uilab_draw(u, 24, 80);
    must_show(u, "is queued");
    must_show(u, "Jobs 15"); /* the form is gone */

    write_file(path, "#!/bin/sh\n#SBATCH --gpus=abc\nls\n"); /* what has two lines on a terminal */
    uilab_keys(u, keys);
    uilab_keys(u, "<F10>");
    uilab_draw(u, 24, 120);
    must_show(u, "\"abc\" is not a number of GPUs; Invalid generic resource");
    must_not_show(u, "GPUs\\n");
    uilab_keys(u, "<Esc>");

    write_file(path, "#!/bin/sh\r\nls\r\n"); /* from another world */
    uilab_keys(u, keys);
    uilab_draw(u, 24, 80);
    must_show(u, "DOS");
    uilab_keys(u, "<F10>");
    m = sent_submit(u);
    assert_memory_equal(m->payload.script.p, "#!/bin/sh\nls\n", 13);
    uilab_keys(u, "<Esc>");
    unlink(path);
}

/* --- both ways --- */

static void fields_and_script_are_one(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "s<Down><Down>a100:2<Down>8<Down><Down><Down><Down>study 7<Up><Up><Up><Up>");
    uilab_golden(u, "form", 24, 80);
    uilab_keys(u, "<Tab>python train.py<Up><Enter>#SBATCH --time=2:00:00");
    uilab_golden(u, "form", 43, 132);
    uilab_golden(u, "form", 30, 100);
    uilab_golden(u, "form", 50, 160);
    uilab_golden(u, "form", 50, 200);
    uilab_golden(u, "form-script", 24, 80);
    uilab_keys(u, "<Tab>");
    uilab_draw(u, 24, 80);
    must_show(u, "2:00:00");
    uilab_keys(u, "<C-s>");
    const struct msg_submit *m = sent_submit(u);
    assert_non_null(m);
    char *script = xstrndup((const char *)m->payload.script.p, m->payload.script.n);
    check_str(
        "script", script,
        "#!/bin/bash\n#SBATCH --gpus=a100:2\n#SBATCH --cpus-per-task=8\n#SBATCH --job-name=\"study 7\"\n"
        "\n#SBATCH --time=2:00:00\npython train.py");
    free(script);
    assert_int_equal(m->req.time_limit_s, 7200);
    assert_int_equal(m->req.cpus_per_task, 8);
    assert_string_equal(m->req.name, "study 7");
}

/* The command has a field of its own as long as it is one line. */
static void the_command_is_a_line_of_the_script(void **state)
{
    static const struct {
        const char *before, *value, *after, *shown;
    } rows[] = {
        {"#!/bin/sh\n\n", "ls", "#!/bin/sh\n\nls\n", "ls"},
        {"#!/bin/sh", "ls", "#!/bin/sh\nls\n", "ls"},
        {"#!/bin/sh\nls\n# end\n", "ls -l", "#!/bin/sh\nls -l\n# end\n", "ls -l"},
        {"#!/bin/sh\nls", " df", "#!/bin/sh\n df", " df"},
        {"#!/bin/sh\nls\n\n", "", "#!/bin/sh\n\n", NULL},
        {"#!/bin/sh\n", "# no command", "#!/bin/sh\n", NULL},
        {"#!/bin/sh\nls\n", "#", "#!/bin/sh\n", NULL},
        {"#!/bin/sh\nls\ndf\n", "pwd", "#!/bin/sh\nls\ndf\n", NULL},
        {"", "ls", "ls\n", "ls"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct str text = STR_INIT;
        str_append(&text, rows[i].before);
        formcommand_set(&text, rows[i].value);
        check_str(rows[i].before, text.s, rows[i].after);
        char *shown = formcommand_get(text.s);
        check_str(rows[i].before, shown ? shown : "none", rows[i].shown ? rows[i].shown : "none");
        free(shown);
        str_fini(&text);
    }
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    keys_show(u, "s", "type a command");
    uilab_keys(u, "python fold.py<Down><Down>2");
    uilab_draw(u, 24, 80);
    must_show(u, "│ python fold.py"); /* the script stands beside its fields, at this width too */
    must_not_show(u, "type a command");
    keys_show(u, "<Up><Up><Tab><End><Enter>ls<Tab>", "2 lines");
    keys_show(u, "x", "press Tab to edit them"); /* and nothing of it is typed over */
    uilab_draw(u, 24, 80);
    must_show(u, "2 lines");
    uilab_keys(u, "<C-s>");
    const struct msg_submit *m = sent_submit(u);
    assert_non_null(m);
    char *script = xstrndup((const char *)m->payload.script.p, m->payload.script.n);
    check_str("script", script, "#!/bin/bash\n#SBATCH --gpus=2\n\npython fold.py\nls\n");
    free(script);
}

static void questions_say_what_they_need(void **state)
{
    struct ui_fixture *g = *state;
    keys_show(&g->u, "s<F3><Enter><Enter>", "type it first: ");
    keys_show(&g->u, "<Esc><Tab>x<Esc>", "n keep editing");
    keys_show(&g->u, "y2d<Enter>", "give a reason: ");
}

static void keys_are_called_by_what_they_do_next(void **state)
{
    struct ui_fixture *g = *state;
    keys_show(&g->u, "", "q quit");
    keys_show(&g->u, "<Enter>", "q back");
    keys_show(&g->u, "q4", "t by GPU");
    keys_show(&g->u, "t", "t by job");
    keys_show(&g->u, "s", "Tab script");
    keys_show(&g->u, "<Tab>", "Tab fields");
    uilab_keys(&g->u, "<Tab><F6>");
    uilab_draw(&g->u, 24, 132);
    must_show(&g->u, "F6 batch");
    must_show(&g->u, "F7 add step");
}

static void typing_in_the_form_presses_no_key(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "s<Down>q1:?ZxMr");
    uilab_paste(u, "c\ny");
    uilab_draw(u, 24, 80);
    must_show(u, "q1:?ZxMrc y");
    assert_null(uilab_sent(u, MSG_ACT));
    keys_show(u, "<Esc>", "Discard this job?");
    uilab_keys(u, "n");
    uilab_draw(u, 24, 80);
    must_show(u, "q1:?ZxMrc y");
    uilab_keys(u, "<Esc>y");
    uilab_draw(u, 24, 80);
    must_show(u, "Jobs 15");
}

/* --- what is said while one types --- */

static void mistakes_are_told_at_their_field(void **state)
{
    static const struct {
        const char *keys, *part;
    } rows[] = {
        {"s<Tab>\n#SBATCH --time=soon<Tab>", "script:"},
        {"s<Down><Down>h100:1", "has GPUs of type h100"},
        {"s<Down><Down><Down>64", "64 requested, the nodes of gpu have 48"},
        {"s<Down><Down>1<Down>40", "40 CPUs for 1 GPU: a fair part of the node is 6 CPUs"},
        {"s<Down><Down><Down><Down>2000G", "2000G requested, the nodes of gpu have 512G"},
        {"s<Down><Down><Down><Down><Down><Down>gpo", "there is no partition gpo; there are: gpu, cpu"},
        {"s<Down>/nosuchdir", "there is no directory /nosuchdir"},
    };
    struct ui_fixture *g = *state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct str keys = STR_INIT;
        for (const char *p = rows[i].keys; *p; p++)
            if (*p == '\n')
                str_append(&keys, "<Enter>");
            else
                str_append_char(&keys, *p);
        uilab_keys(&g->u, keys.s);
        uilab_draw(&g->u, 24, 220);
        if (uilab_find(&g->u, rows[i].part) < 0)
            fail_msg("%s:\n%s", rows[i].keys, uilab_text(&g->u));
        uilab_keys(&g->u, "<Esc>y");
        str_fini(&keys);
    }
}

static void one_key_mends_what_is_told(void **state)
{
    static const struct {
        const char *keys, *part;
    } rows[] = {
        {"s<Down><Down><Down>64<C-t>", "#SBATCH --cpus-per-task=48"},
        {"s<Down><Down>1<Down>40<C-t>", "#SBATCH --cpus-per-task=6"},
        {"s<Down><Down><Down><Down>2000G<C-t>", "#SBATCH --mem=512G"},
        {"s<Down><Down><Down><Down><Down><Down>gpo<C-t>", "#SBATCH --partition=gpu"},
        {"s<Down><Down>16<C-t>", "#SBATCH --nodes=2"},
        {"s<C-t>", "no suggestion for this field"},
    };
    struct ui_fixture *g = *state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        uilab_keys(&g->u, rows[i].keys);
        uilab_draw(&g->u, 24, 132);
        if (uilab_find(&g->u, rows[i].part) < 0)
            fail_msg("%s:\n%s", rows[i].keys, uilab_text(&g->u));
        uilab_keys(&g->u, "<Esc>y");
    }
}

static void a_step_whose_command_is_not_there(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "s<F6>");
    uilab_keys(u, "<Down><Down><Down><Down><Down><Down>"); /* to the command of the first step */
    uilab_keys(u, "/nosuch/fold.sh --all");
    uilab_draw(u, 43, 132);
    must_show(u, "there is no file /nosuch/fold.sh");
    uilab_keys(u, "<C-u>python fold.py"); /* found on the node, or not */
    uilab_draw(u, 43, 132);
    must_not_show(u, "there is no");
}

/* What is offered can be had: the most memory of the nodes that have the GPUs too, and no more GPUs than
 * there are. */
static void only_what_can_be_had_is_offered(void **unused)
{
    (void)unused;
    struct uilab u;
    uilab_init(&u);
    lab_node(&u.lab, "gpu1", 16, 65536, 4, NULL);
    lab_node(&u.lab, "gpu2", 16, 65536, 4, NULL);
    lab_node(&u.lab, "gpu3", 16, 65536, 1, NULL);
    lab_node(&u.lab, "cpu1", 64, 131072, 0, NULL);
    lab_part(&u.lab, "main", "gpu1,gpu2,gpu3,cpu1");
    lab_configure(&u.lab);
    uilab_connect(&u);
    static const struct {
        const char *keys, *part;
    } rows[] = {
        {"s<Down><Down>2<Down><Down>999G", "999G requested, nodes of main with 2 GPUs have 64G"},
        {"s<Down><Down>12", "12 requested, the nodes of main have 9 in total"},
        {"s<Down><Down>9", "9 requested, one node of main has 4: this takes 3 nodes"},
        {"s<Down><Down><Down><Down>999G", "999G requested, the nodes of main have 128G"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        uilab_keys(&u, rows[i].keys);
        uilab_draw(&u, 24, 220);
        must_show(&u, rows[i].part);
        uilab_keys(&u, "<Esc>y");
    }
    uilab_fini(&u);
}

static void earlier_runs_give_a_measure(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, "s<Up><Down><Down><Down><Down><Down><Down><Down>prepare<Up><Up>");
    uilab_draw(&g->u, 24, 132);
    must_show(&g->u, "your last 1 run of prepare took 21:01 at most");
}

static void the_forecast_comes_while_one_types(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "s");
    uilab_wait(u, 400);
    const struct msg_submit *m = sent_submit(u);
    assert_non_null(m);
    assert_true(m->test_only);
    uilab_result(u, MSG_SUBMIT, REFUSAL_NONE, "to start at 2026-11-21T10:00:00 on nodes gpu01", 1);
    uilab_draw(u, 24, 80);
    must_show(u, "▶ starts now");
    uilab_forget_sent(u);
    uilab_keys(u, "x");
    uilab_wait(u, 400);
    uilab_result(u, MSG_SUBMIT, REFUSAL_NONE, "waits: its partition is down", 0);
    uilab_draw(u, 24, 80);
    must_show(u, "◷ waits: its partition is down");
    uilab_keys(u, "<Backspace>");
    uilab_wait(u, 400);
    uilab_result(u, MSG_SUBMIT, REFUSAL_NONE, "now", 1);
    uilab_forget_sent(u);
    uilab_keys(u, "<Down><Down>8<Down><Down><Down>8:00:00");
    uilab_wait(u, 100);
    assert_null(sent_submit(u)); /* not at each letter */
    uilab_wait(u, 300);
    m = sent_submit(u);
    assert_int_equal(m->req.gpus, 8);
    uilab_result(u, MSG_SUBMIT, REFUSAL_NONE, "to start at 2026-11-21T16:40:00 at the latest", 0);
    uilab_draw(u, 24, 80);
    must_show(u, "waits: until 16:40 at the latest"); /* for people, in their own clock's time */
    m = sent_submit(u);                               /* and would it start now if it were shorter? */
    assert_int_equal(m->req.time_limit_s, 7200);
    uilab_result(u, MSG_SUBMIT, REFUSAL_NONE, "to start now", 1);
    uilab_golden(u, "form-forecast", 24, 132);
    must_show(u, "with --time=2:00:00 it could start now");
    uilab_draw(u, 24, 200);
    must_show(u, "with --time=2:00:00 it could start now  Ctrl-T 2:00:00");
    uilab_keys(u, "<C-t>");
    uilab_draw(u, 24, 132);
    must_show(u, "#SBATCH --time=2:00:00");
    uilab_keys(u, "<F9>");
    uilab_result(u, MSG_SUBMIT, REFUSAL_TIME_LIMIT, "8 hours are more than allowed", 0);
    uilab_draw(u, 24, 80);
    must_show(u, "would be refused: 8 hours are more than allowed");
    assert_true(sent_submit(u)->test_only); /* nothing was queued by any of this */
}

/* The answer comes while something is being chosen in a form that goes away with it. */
static void the_answer_comes_in_the_middle(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "sx<F10><Down><Down><F4>");
    uilab_result(u, MSG_SUBMIT, REFUSAL_NONE, "", 1);
    uilab_draw(u, 24, 80);
    must_show(u, "Jobs 15");
    uilab_keys(u, "<Enter>"); /* means what is seen now */
    uilab_draw(u, 24, 80);
    must_show(u, "Job 6");
    uilab_keys(u, "q");
    uilab_keys(u, "sx<F10><Esc>");
    uilab_result(u, MSG_SUBMIT, REFUSAL_NONE, "", 1);
    uilab_draw(u, 24, 80);
    must_show(u, "Jobs 15");
    must_not_show(u, "Discard this job?");
}

static void a_refusal_keeps_the_form(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "skeepme<F10>");
    uilab_result(u, MSG_SUBMIT, REFUSAL_TIME_LIMIT, "too long", 0);
    keys_show(u, "", "too long");
    keys_show(u, "<Esc>", "keepme");
}

static void read_only_sends_nothing(void **state)
{
    (void)state;
    struct uilab u;
    struct demo_cluster s;
    uilab_init(&u);
    u.options.read_only = true;
    demo_cluster_build(&u.lab, &s);
    uilab_connect(&u);
    uilab_keys(&u, "sx<F10>");
    uilab_draw(&u, 24, 80);
    must_show(&u, "--read-only");
    assert_null(sent_submit(&u));
    uilab_fini(&u);
}

/* --- choosing --- */

static void things_are_chosen_from_what_there_is(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "s<Down><Down><Down><Down><Down><Down><F4>");
    uilab_golden(u, "form-pick", 24, 80);
    uilab_keys(u, "<Down><Enter>");
    uilab_draw(u, 24, 132);
    must_show(u, "#SBATCH --partition=cpu");
    uilab_keys(u, "<Esc>ys<Down><Down><F4><Enter>");
    uilab_draw(u, 24, 132);
    must_show(u, "#SBATCH --gpus=a100:1");
    uilab_keys(u, "<C-o><Down><Down><Down><Down><Down><Down><Down><F4>0 99 1 8<Enter>");
    uilab_draw(u, 24, 132);
    must_show(u, "#SBATCH --array=0-99%8");
    uilab_keys(u, "<Down><F4><Enter>");
    char want[40];
    snprintf(want, sizeof want, "--dependency=afterok:%u", g->s.multi);
    uilab_draw(u, 24, 132);
    must_show(u, want);
}

static void steps_come_and_go(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "s<F6>");
    uilab_draw(u, 24, 80);
    must_show(u, "Submit a job in steps");
    uilab_keys(u, "cv<F7>./fold.sh<Down>8");
    uilab_golden(u, "form-steps", 43, 132);
    uilab_draw(u, 50, 200);
    must_show(u, "{ name = \"step1\"; command = \"./fold.sh\"; tasks = 8; }");
    uilab_keys(u, "<F8>");
    uilab_draw(u, 43, 132);
    must_not_show(u, "fold.sh");
}

static void templates_are_kept(void **state)
{
    (void)state;
    struct uilab u;
    struct demo_cluster s;
    char dir[] = "/tmp/stoker-templates.XXXXXX", path[80], before[80];
    assert_non_null(mkdtemp(dir));
    uilab_init(&u);
    u.options.config_dir = dir;
    demo_cluster_build(&u.lab, &s);
    uilab_connect(&u);
    uilab_keys(&u, "s<Down><Down>4<Down><Down><Down><Down><Down>study<F2>mine<Enter>");
    uilab_draw(&u, 24, 80);
    must_show(&u, "saved as");
    uilab_keys(&u, "<Esc>ys<F3><Down><Enter>");
    uilab_draw(&u, 24, 80);
    must_show(&u, "study");
    uilab_keys(&u, "<F10>");
    assert_int_equal(sent_submit(&u)->req.gpus, 4);
    /* A full disk must not take the template that was there: the new one is written beside it. */
    snprintf(path, sizeof path, "%s/templates/mine.sh", dir);
    snprintf(before, sizeof before, "%s/templates/before", dir);
    assert_int_equal(link(path, before), 0);
    uilab_keys(&u, "other<F2>mine<Enter>");
    uilab_draw(&u, 24, 80);
    must_show(&u, "saved as");
    char *was = file_text(before), *now = file_text(path);
    check_int("the one before has it", strstr(was, "other") != NULL, false);
    check_has("now", now, "other");
    free(was);
    free(now);
    assert_int_equal(unlink(before), 0);
    assert_int_equal(unlink(path), 0);
    snprintf(path, sizeof path, "%s/templates", dir);
    rmdir(path);
    rmdir(dir);
    uilab_fini(&u);
}

/* --- again --- */

#define SWEEP "#!/bin/sh\n#SBATCH --array=0-99%8\n#SBATCH --time=1:00:00 # too short\n./sweep.sh\n"

/* Keys that are letters are letters here. */
static void the_help_of_the_form_names_what_works_in_it(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "s<F1>");
    uilab_draw(u, 60, 80);
    must_show(u, "The form");
    must_show(u, "Ctrl-Z");
    must_show(u, "F1            this help");
    must_not_show(u, "the GPUs\n");
    must_not_show(u, "usage by account and user");
    must_not_show(u, "Commands");
}

static void what_was_becomes_a_form(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/relax<Enter>S");
    answer_script(u, SWEEP); /* its command line said 2 hours: that counts more than its script */
    uilab_draw(u, 43, 132);
    must_show(u, "#SBATCH --time=2:00:00 # too short");
    must_show(u, "./sweep.sh");
    uilab_keys(u, "<F10>");
    const struct msg_submit *m = sent_submit(u);
    const struct job *was = model_get_job(&u->lab.m, g->s.timeout);
    assert_int_equal(m->req.time_limit_s, was->req.time_limit_s);
    assert_int_equal(m->req.mem_node_mib, was->req.mem_node_mib);
    assert_string_equal(m->req.workdir, was->req.workdir);
    assert_string_equal(m->req.name, "relax");
    assert_string_equal(m->payload.argv.v[0], "fold 3");
}

static void bigger_doubles_what_ran_out(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/relax<Enter>B"); /* a time-out after its 2 hours */
    answer_script(u, "#!/bin/sh\nrelax\n");
    uilab_draw(u, 43, 132);
    must_show(u, "#SBATCH --time=4:00:00");
    uilab_keys(u, "<Esc><Esc>6/merge<Enter>B");
    answer_script(u, "#!/bin/sh\nmerge\n");
    uilab_draw(u, 43, 132);
    must_show(u, "#SBATCH --mem=32G");
    uilab_keys(u, "<Esc><Esc>/prepare<Enter>B");
    answer_script(u, "#!/bin/sh\n");
    uilab_draw(u, 24, 80);
    must_show(u, "did not run out of time or memory");
}

static void only_the_failed_elements(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    list_for_each (e, &u->app->m->all, struct job, in_all)
        if (e->array_job == g->s.sweep)
            e->req.array_throttle = 5; /* how many at once stays as it was */
    uilab_keys(u, "/sweep<Enter>F");
    /* One of them has left the queue already. */
    const struct msg_history *q = uilab_sent(u, MSG_HISTORY)->body;
    check_int("the array's", q->jobs.v[0].job, 8);
    struct msg_jobs rows = {0};
    struct job *j = rec_list_push(&rows.rows);
    *j = (struct job){
        .id = 900, .array_job = 8, .array_index = 3, .state = JOB_FAILED, .user = xstrdup("alice")};
    *job_origin_mut(j) = (struct job_origin){.array_count = 100, .array_max = 99};
    uint64_t tag = uilab_sent(u, MSG_HISTORY)->tag;
    uilab_feed(u, MSG_JOBS, tag, &rows);
    rec_fini(&msg_jobs_rec, &rows);
    struct msg_history_end end = {.n = 1};
    uilab_feed(u, MSG_HISTORY_END, tag, &end);
    answer_script(u, SWEEP);
    uilab_draw(u, 43, 132);
    must_show(u, "#SBATCH --array=3,7,21%5");
    uilab_keys(u, "<Esc><Esc>/eval<Enter>F");
    uilab_draw(u, 24, 80);
    must_show(u, "the job is not an array");
}

/* The controller answers one question about the past at a time. */
static void failed_elements_while_the_history_comes(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    struct msg_history_end end = {0};
    uilab_keys(u, "6");
    uint64_t tag = uilab_sent(u, MSG_HISTORY)->tag;
    uilab_forget_sent(u);
    uilab_keys(u, "1/sweep<Enter>F");
    assert_null(uilab_sent(u, MSG_HISTORY));
    uilab_feed(u, MSG_HISTORY_END, tag, &end);
    const struct uilab_sent *s = uilab_sent(u, MSG_HISTORY);
    assert_non_null(s);
    check_int("the array's", ((const struct msg_history *)s->body)->jobs.v[0].job, 8);
    tag = s->tag;
    uilab_forget_sent(u);
    uilab_keys(u, "6/user:zoe<Enter>"); /* wanted meanwhile */
    assert_null(uilab_sent(u, MSG_HISTORY));
    uilab_feed(u, MSG_HISTORY_END, tag, &end);
    assert_non_null(uilab_sent(u, MSG_SCRIPT));
    check_str("then that", ((const struct msg_history *)uilab_sent(u, MSG_HISTORY)->body)->user_like,
              "zoe");
    answer_script(u, SWEEP);
    uilab_keys(u, "<Esc>y1F");
    follow_lost(u->app, "cut");
    uilab_draw(u, 24, 80);
    must_show(u, "the elements are not available");
}

static void a_job_in_steps_comes_back_as_its_file(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/crossval<Enter>S");
    uilab_draw(u, 43, 132);
    must_show(u, "Submit a job in steps");
    must_show(u, "name = \"crossval\";");
    must_show(u, "name = \"fold\";");
    must_show(u, "tasks = 6;");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_that_is_shown_is_sent),
        UI_FIXTURE_CASE(no_line_of_a_script_is_lost),
        UI_FIXTURE_CASE(fields_and_script_are_one),
        UI_FIXTURE_CASE(typing_in_the_form_presses_no_key),
        UI_FIXTURE_CASE(the_command_is_a_line_of_the_script),
        UI_FIXTURE_CASE(questions_say_what_they_need),
        UI_FIXTURE_CASE(keys_are_called_by_what_they_do_next),
        UI_FIXTURE_CASE(mistakes_are_told_at_their_field),
        UI_FIXTURE_CASE(one_key_mends_what_is_told),
        UI_FIXTURE_CASE(a_step_whose_command_is_not_there),
        cmocka_unit_test(only_what_can_be_had_is_offered),
        UI_FIXTURE_CASE(earlier_runs_give_a_measure),
        UI_FIXTURE_CASE(the_forecast_comes_while_one_types),
        UI_FIXTURE_CASE(the_answer_comes_in_the_middle),
        UI_FIXTURE_CASE(a_refusal_keeps_the_form),
        cmocka_unit_test(read_only_sends_nothing),
        UI_FIXTURE_CASE(things_are_chosen_from_what_there_is),
        UI_FIXTURE_CASE(steps_come_and_go),
        cmocka_unit_test(templates_are_kept),
        UI_FIXTURE_CASE(the_help_of_the_form_names_what_works_in_it),
        UI_FIXTURE_CASE(what_was_becomes_a_form),
        UI_FIXTURE_CASE(bigger_doubles_what_ran_out),
        UI_FIXTURE_CASE(only_the_failed_elements),
        UI_FIXTURE_CASE(failed_elements_while_the_history_comes),
        UI_FIXTURE_CASE(a_job_in_steps_comes_back_as_its_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
