/* test_langs.c - the main screens in the other languages: what their longer words cut or push aside is seen
 * in golden files. */
#include <unistd.h>

#include "src/base/utf8.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/os/exe_path.h"
#include "src/text/amount_text.h"
#include "tests/screen/array_fixture.h"
#include "tests/screen/ui_fixture.h"
#include "ui/app/settings.h"
#include "ui/frame/mirror_follow.h"

static const int sizes[][2] = {{24, 80}, {43, 132}};
static char *catalogues; /* where the build puts them */

static void compare(struct uilab *u, const char *screen)
{
    char *name = xasprintf("%s-%s", lang_code(), screen);
    for (size_t i = 0; i < N_OF(sizes); i++)
        uilab_golden(u, name, sizes[i][0], sizes[i][1]);
    free(name);
}

static void open_page_of_a_job(struct ui_fixture *g)
{
    watch_training(g, 90);
    uilab_draw(&g->u, 43, 132);
    answer_output(&g->u, training);
}

static void answer_plan(struct ui_fixture *g)
{
    feed_plan(&g->u, &g->s);
}

static void measure_gpus(struct ui_fixture *g)
{
    static const uint32_t busy[] = {97, 2, 0, 0, 0, 60, 88, 0};
    feed_util(&g->u, "gpu01", busy, N_OF(busy), 2, 8000);
}

static void answer_why(struct ui_fixture *g)
{
    struct uilab *u = &g->u;
    const struct uilab_sent *ask = uilab_sent(u, MSG_WHY);
    assert_non_null(ask);
    struct msg_why w = {.job = g->s.big,
                        .samples = 31,
                        .rank = 1,
                        .rank_of = 4,
                        .start = {.ms = u->lab.now.ms + 1500000},
                        .made = {.ms = u->lab.now.ms - 40000},
                        .likely = {.ms = u->lab.now.ms + 1200000},
                        .unlikely = {.ms = u->lab.now.ms + 3000000}};
    w.basis.code = CAUSE_START_PLANNED;
    struct cause *c = rec_list_push(&w.causes);
    *c = (struct cause){.cls = WHY_BUSY, .code = CAUSE_NEEDS_GPUS, .asked = 8, .free = 3, .one = true};
    uilab_feed(u, MSG_WHY_CAUSES, ask->tag, &w);
    rec_fini(&msg_why_rec, &w);
}

static void go_away(struct ui_fixture *g)
{
    g->u.app->o.start_by = START_BY_USER;
    follow_lost(g->u.app, "gone");
    uilab_wait(&g->u, 30 * 3600000); /* the day of the week is said too */
}

static void answer_history(struct ui_fixture *g)
{
    static const enum job_state states[] = {JOB_COMPLETED, JOB_FAILED, JOB_TIMEOUT, JOB_OUT_OF_MEMORY};
    const struct uilab_sent *s = uilab_sent(&g->u, MSG_HISTORY);
    assert_non_null(s);
    uint64_t tag = s->tag;
    struct msg_jobs rows = {0};
    for (uint32_t i = 0; i < N_OF(states); i++) {
        struct job *j = job_new();
        j->id = 900 + i;
        j->state = (uint8_t)states[i];
        j->user = xstrdup("dana");
        j->uid = 1007;
        xstrset(&j->req.name, "align");
        j->t_submit.ms = 1795000000000;
        j->t_start.ms = 1795000100000;
        j->t_end.ms = 1795000200000 + (int64_t)i * 60000;
        j->time_limit_s = 3600;
        rec_copy(&job_rec, rec_list_push(&rows.rows), j);
        job_free(j);
    }
    uilab_feed(&g->u, MSG_JOBS, tag, &rows);
    rec_fini(&msg_jobs_rec, &rows);
    struct msg_history_end end = {.n = N_OF(states)};
    uilab_feed(&g->u, MSG_HISTORY_END, tag, &end);
}

/* Each leads to a view of that name: else the picture is one of another screen. */
static const struct {
    const char *screen, *keys, *view;
    void (*answer)(struct ui_fixture *g); /* what the controller says then; NULL: nothing */
} rows[] = {
    {"jobs", "", "jobs", NULL},
    {"job", "/pretrain<Enter><Enter>", "job", open_page_of_a_job},
    {"nodes", "2", "nodes", NULL},
    {"gpus", "3", "gpus", measure_gpus},
    {"timeline", "4", "timeline", answer_plan},
    {"partitions", "5", "partitions", NULL},
    {"history", "6", "history", answer_history},
    {"usage", "7", "usage", NULL},
    {"why", "/finetune<Enter>w", "why", answer_why},
    {"form", "s<Down><Down>a100:2<Down>8", "submit", NULL},
    {"away", "", "jobs", go_away},
    {"settings", "<F2>", "settings", NULL},
    {"help", "?", "help", NULL},
};

static void screens(const char *code)
{
    lang_choose(code, catalogues);
    assert_string_equal(lang_code(), code);
    struct settings defaults;
    settings_init(&defaults);
    for (size_t i = 0; i < N_OF(rows); i++) {
        void *state = NULL;
        ui_fixture_up(&state);
        struct ui_fixture *g = state;
        app_take_settings(g->u.app, &defaults, false);
        uilab_keys(&g->u, rows[i].keys);
        assert_string_equal(ui_view(g->u.app)->ops->name, rows[i].view);
        uilab_draw(&g->u, 24, 80);
        if (rows[i].answer)
            rows[i].answer(g);
        compare(&g->u, rows[i].screen);
        ui_fixture_down(&state);
    }
    settings_fini(&defaults);
    void *state = NULL;
    array_fixture_up(&state);
    struct array_fixture *a = state;
    array_fixture_open(a, 24, 80);
    uilab_keys(&a->u, "E");
    compare(&a->u, "array");
    array_fixture_down(&state);
    lang_choose("en", catalogues);
}

/* The columns of times have room for "Wed 11:13". */
static void days_of_the_week_are_short(void **unused)
{
    static const char *const codes[] = {"en", "pl", "pt_BR", "fr"};
    (void)unused;
    for (size_t i = 0; i < N_OF(codes); i++) {
        lang_choose(codes[i], catalogues);
        for (int day = 0; day < 7; day++)
            if (cell_width(weekday_word(day)) > 3)
                fail_msg("%s: \"%s\" takes more than 3 cells", codes[i], weekday_word(day));
    }
    lang_choose("en", catalogues);
}

static void in_polish(void **state)
{
    (void)state;
    screens("pl");
}

static void in_portuguese(void **state)
{
    (void)state;
    screens("pt_BR");
}

static void in_french(void **state)
{
    (void)state;
    screens("fr");
}

int main(void)
{
    char *here = exe_path_dir(), *catalogue;
    catalogues = xasprintf("%s/../../share/locale", here);
    catalogue = xasprintf("%s/pl/LC_MESSAGES/stoker.mo", catalogues);
    bool there = access(catalogue, R_OK) == 0;
    free(catalogue);
    free(here);
    if (!there)
        puts("no catalogues: gettext is not installed");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(days_of_the_week_are_short),
        cmocka_unit_test(in_polish),
        cmocka_unit_test(in_portuguese),
        cmocka_unit_test(in_french),
    };
    int rc = there ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
    free(catalogues);
    return rc;
}
