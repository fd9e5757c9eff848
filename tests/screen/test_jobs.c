/* test_jobs.c - the jobs screen and the page of a job: what they look like, and that keys hit what they
 * should. */
#include <signal.h>

#include "src/text/jobtext.h"
#include "tests/screen/ui_fixture.h"
#include "ui/term/signs.h"

/* --- looks --- */

static void golden_sizes(void **state)
{
    static const int sizes[][2] = {{12, 40}, {24, 80}, {30, 100}, {43, 132}, {50, 160}, {50, 200}};
    static const struct {
        const char *key, *name;
    } others[] = {{"2", "nodes"}, {"3", "gpus"}, {"5", "partitions"}, {"6", "history"}, {"7", "usage"}};
    struct ui_fixture *g = *state;
    for (size_t i = 0; i < N_OF(sizes); i++) {
        uilab_keys(&g->u, "1");
        uilab_golden_in_all(&g->u, "jobs", sizes[i][0], sizes[i][1]);
        for (size_t k = 0; k < N_OF(others); k++) {
            uilab_keys(&g->u, others[k].key);
            uilab_golden_in_all(&g->u, others[k].name, sizes[i][0], sizes[i][1]);
        }
        uilab_keys(&g->u, "1g/crossval<Enter><Enter>");
        uilab_golden_in_all(&g->u, "job", sizes[i][0], sizes[i][1]);
        uilab_keys(&g->u, "q<Esc>");
    }
}

/* The main screens in ASCII: the text alone, all of one size in one file. */
static void golden_sizes_ascii(void **unused)
{
    static const int sizes[][2] = {{24, 80}, {30, 100}, {43, 132}, {50, 160}, {50, 200}};
    static const char *const keys[] = {"1",
                                       "2",
                                       "3",
                                       "3t",
                                       "t4",
                                       "4t",
                                       "tt5",
                                       "6",
                                       "7",
                                       "1g/crossval<Enter><Enter>",
                                       "q<Esc>/sweep<Enter><Enter>",
                                       "q<Esc>/finetune<Enter>w",
                                       "q<Esc>s"};
    (void)unused;
    struct uilab u;
    struct demo_cluster s;
    uilab_init(&u);
    u.options.ascii = true;
    demo_cluster_build(&u.lab, &s);
    uilab_connect(&u);
    for (size_t i = 0; i < N_OF(sizes); i++) {
        struct str got = STR_INIT;
        for (size_t k = 0; k < N_OF(keys); k++) {
            uilab_keys(&u, keys[k]);
            uilab_draw(&u, sizes[i][0], sizes[i][1]);
            str_appendf(&got, "%s---- %s\n", uilab_text(&u), keys[k]);
        }
        uilab_keys(&u, "<Esc>");
        uilab_compare_golden("ascii", sizes[i][0], sizes[i][1], &got);
        str_fini(&got);
    }
    uilab_fini(&u);
}

static void golden_ascii(void **state)
{
    (void)state;
    struct uilab u;
    struct demo_cluster s;
    uilab_init(&u);
    u.options.ascii = true;
    demo_cluster_build(&u.lab, &s);
    uilab_connect(&u);
    uilab_keys(&u, "?");
    uilab_golden(&u, "help-ascii", 24, 80);
    for (const char *p = uilab_text(&u); *p; p++)
        if ((unsigned char)*p >= 0x80)
            fail_msg("not ASCII: %s", p);
    uilab_fini(&u);
}

/* Every screen in plain signs, in each theme: nothing else than ASCII, and no look that a theme lacks. */
static void plain_signs_and_themes(void **state)
{
    static const char *const screens[] = {"1", "2", "3", "4", "4t", "5", "6", "7", "s", "<Esc>:", "<Esc>x"};
    static const char *const themes[] = {"dark", "light", "mono", "colourblind"};
    (void)state;
    struct uilab u;
    struct demo_cluster s;
    struct errtext err = {""};
    uilab_init(&u);
    u.options.ascii = true;
    demo_cluster_build(&u.lab, &s);
    model_get_job(&u.lab.m, s.hostile)->req.name[0] = 'a';
    uilab_connect(&u);
    for (size_t i = 0; i < N_OF(screens); i++) {
        uilab_keys(&u, screens[i]);
        uilab_draw(&u, 43, 132);
        for (const char *p = uilab_text(&u); *p; p++)
            if ((unsigned char)*p >= 0x80)
                fail_msg("%s is not ASCII: %s", screens[i], p);
    }
    uilab_keys(&u, "<Esc>1");
    for (size_t i = 0; i < N_OF(themes); i++) {
        char name[40], path[60];
        snprintf(path, sizeof path, "themes/%s.theme", themes[i]);
        theme_init(&u.theme, str_eq(themes[i], "mono") ? 0 : 16);
        if (!str_eq(themes[i], "mono") && theme_load(&u.theme, path, &err) < 0)
            fail_msg("%s", err.s);
        snprintf(name, sizeof name, "theme-%s", themes[i]);
        uilab_golden(&u, name, 24, 80);
    }
    uilab_fini(&u);
}

/* A dialog and a job that is ending have the signs of the list. */
static void no_state_is_a_letter_beside_signs(void **state)
{
    (void)state;
    struct uilab u;
    struct demo_cluster s;
    char buf[2];
    uilab_init(&u);
    demo_cluster_build(&u.lab, &s);
    uilab_connect(&u);
    uilab_keys(&u, "/name:eval<Enter>c");
    uilab_draw(&u, 24, 80);
    must_show(&u, SIGN_WAITING " 53 eval");
    uilab_fini(&u);
    assert_string_equal(sign_of(job_state_glyph(JOB_COMPLETING), buf), SIGN_ENDING);
}

static void golden_before_data(void **state)
{
    (void)state;
    struct uilab u;
    uilab_init(&u);
    uilab_open(&u);
    follow_connecting(u.app, "connecting");
    uilab_golden(&u, "first-frame", 24, 80);
    lab_node(&u.lab, "n1", 8, 16384, 0, NULL);
    lab_part(&u.lab, "main", "n1");
    lab_configure(&u.lab);
    uilab_connect(&u);
    uilab_golden(&u, "no-jobs", 24, 80);
    uilab_fini(&u);
}

/* --- the cursor stays on the thing --- */

static void cursor_stays_on_its_job(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "jjjjj");
    assert_non_null(strstr(cursor_row(u), "eval"));
    /* Jobs come and go above it. */
    struct job *j = lab_job(&u->lab, JOB_KIND_BATCH);
    j->id = u->lab.m.next_job;
    j->partition = strdup("gpu");
    struct job body = *j;
    free(j);
    uilab_push(u, EV_SUBMIT, body.id, &body);
    assert_non_null(strstr(cursor_row(u), "eval"));
    struct ev_end end = {.step = STEP_BATCH,
                         .attempt = lab_task(&u->lab, g->s.train, STEP_BATCH, 0)->attempt,
                         .end_kind = END_EXITED};
    uilab_push(u, EV_END, g->s.train, &end);
    assert_non_null(strstr(cursor_row(u), "eval"));
    uilab_keys(u, "o"); /* by name: the third column */
    uilab_keys(u, "gjjj<Enter>");
    assert_non_null(strstr(cursor_row(u), "eval"));
    must_show(u, "sort name");
    uilab_keys(u, "/al<Enter>");
    assert_non_null(strstr(cursor_row(u), "eval"));
    uilab_keys(u, "<Esc>");
    assert_non_null(strstr(cursor_row(u), "eval"));
    uilab_keys(u, "r");
    assert_true(uilab_snapshot(u));
    assert_non_null(strstr(cursor_row(u), "eval"));
}

static void push_end(struct ui_fixture *g, uint32_t id, enum end_kind kind, int32_t sig,
                     const char *message)
{
    struct ev_end end = {.step = STEP_BATCH,
                         .attempt = lab_task(&g->u.lab, id, STEP_BATCH, 0)->attempt,
                         .end_kind = kind,
                         .message = message ? xstrdup(message) : NULL};
    if (sig)
        rec_list_push(&end.ranks)->signal = sig;
    uilab_push(&g->u, EV_END, id, &end);
    rec_fini(&ev_end_rec, &end);
}

static void a_signal_has_a_name(void **state)
{
    struct ui_fixture *g = *state;
    push_end(g, g->s.train, END_SIGNALED, SIGSEGV, NULL);
    uilab_draw(&g->u, 24, 80);
    must_show(&g->u, "failed: signal SEGV");
}

static void what_never_began_says_why(void **state)
{
    struct ui_fixture *g = *state;
    push_end(g, g->s.train, END_LAUNCH_FAILED, 0, "no such directory");
    uilab_draw(&g->u, 24, 200);
    must_show(&g->u, "could not be started: no such d");
    must_not_show(&g->u, "signal");
    uilab_keys(&g->u, "/train-resnet<Enter><Enter>");
    uilab_draw(&g->u, 24, 80);
    must_show(&g->u, "Ended at 14:19 without having run: could not be started: no such directory.");
}

/* "failed: exit 0" would be the code of a program whose end was not observed. */
static void what_nobody_saw_has_no_code(void **state)
{
    struct ui_fixture *g = *state;
    push_end(g, g->s.train, END_UNKNOWN, 0, "the machine was restarted");
    uilab_draw(&g->u, 24, 200);
    must_show(&g->u, "failed: its supervision was lost");
    must_not_show(&g->u, "exit 0");
}

static void filter_keeps_rows_within_reach(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/user:chen");
    uilab_draw(u, 24, 80);
    must_show(u, "filter user:chen");
    uilab_keys(u, "<Enter>G");
    assert_non_null(strstr(cursor_row(u), "relax"));
    must_show(u, "3 of 15");
    uilab_keys(u, "k");
    assert_non_null(strstr(cursor_row(u), "chen"));
    uilab_keys(u, "<Esc>");
    uilab_draw(u, 24, 80);
    must_not_show(u, "filter");
    uilab_keys(u, "/gpus:>7<Enter>");
    uilab_draw(u, 24, 80);
    must_show(u, "2 of 15");
    must_show(u, "finetune-7b");
    uilab_keys(u, "<Esc>/state:fail<Enter>");
    uilab_draw(u, 24, 80);
    must_show(u, "convert");
    uilab_keys(u, "<Esc>/nosuchjob<Enter>");
    uilab_draw(u, 24, 80);
    must_show(u, "No row matches the filter");
    must_show(u, "the history has them"); /* an ended job may be what is looked for */
    must_not_show(u, "There is no column");
}

/* What looks like a column and is none is told; a text can be meant whole; a node may be called one. */
static void words_of_a_filter_mean_what_they_say(void **state)
{
    static const struct {
        const char *keys, *want;
    } rows[] = {
        {"/usr:bob<Enter>", "There is no column \"usr\" here, but sign, job, name, user"},
        {"/time:>2x<Enter>", "\"time:>2x\": a number is missing, as in 2, 2h or 16G."},
        {"/gpus:>=lots<Enter>", "\"gpus:>=lots\": a number is missing"},
        {"/!usr:bob<Enter>", "Jobs 15   filter"}, /* none has that text */
        {"/name:=eval<Enter>", "1 of 15"},
        {"/name:=EVAL<Enter>", "1 of 15"},
        {"/name:=eva<Enter>", "No row matches"},
        {"/user:=alice name:=eval<Enter>", "1 of 15"},
        {"/id:=54<Enter>", "ablation"},
        {"/node:gpu03<Enter>", "train-resnet"},
        {"/nodes:>1<Enter>", "pretrain"},
    };
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    for (size_t i = 0; i < N_OF(rows); i++) {
        uilab_keys(u, "<Esc><Esc>");
        uilab_keys(u, rows[i].keys);
        uilab_draw(u, 24, 80);
        must_show(u, rows[i].want);
    }
}

static void typing_triggers_no_view_key(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, "/2qcHURm?*");
    uilab_draw(&g->u, 24, 80);
    must_show(&g->u, "filter 2qcHURm?*");
    uilab_paste(&g->u, "c\ny\n");
    uilab_draw(&g->u, 24, 80);
    must_show(&g->u, "2qcHURm?*c y");
    assert_null(uilab_sent(&g->u, MSG_ACT));
    assert_int_equal(outbox_take(g->u.app), 0);
    uilab_keys(&g->u, "<Esc>");
    uilab_paste(&g->u, "cy"); /* pasted text is never a key */
    assert_null(uilab_sent(&g->u, MSG_ACT));
}

/* --- acting --- */

static const struct msg_act *sent_act(struct uilab *u)
{
    const struct uilab_sent *s = uilab_sent(u, MSG_ACT);
    return s ? s->body : NULL;
}

/* The counts of an array are not cut, however narrow the column: its bar gives way. */
static void counts_of_an_array_are_whole(void **state)
{
    static const struct {
        int cols;
        const char *want;
    } rows[] = {{60, "58◷"}, {66, "58◷"}, {80, "58◷"}, {132, "58◷"}, {200, "58◷"}};
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, "/sweep<Enter>");
    for (size_t i = 0; i < N_OF(rows); i++) {
        uilab_draw(&g->u, 24, rows[i].cols);
        must_show(&g->u, rows[i].want);
    }
    for (int cols = 40; cols <= 220; cols++) { /* drawn whole or not at all */
        uilab_draw(&g->u, 24, cols);
        int row = uilab_find(&g->u, "sweep ");
        assert_true(row >= 0);
        must_not_show(&g->u, "/10…");
        must_not_show(&g->u, "/1…");
        must_not_show(&g->u, "34…");
        must_not_show(&g->u, "34/…");
    }
}

static void cancel_hits_what_was_highlighted(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "jjjjjc");
    uilab_draw(u, 24, 80);
    must_show(u, "cancel 1 job");
    must_show(u, "\u25f7 53 eval"); /* with the sign of the list */
    /* While the question stands the row moves and another takes its place. */
    struct ev_kill kill = {.step = STEP_ALL, .cause = KILL_CANCEL, .uid = 1001};
    uilab_push(u, EV_KILL, g->s.big, &kill);
    uilab_keys(u, "y");
    const struct msg_act *act = sent_act(u);
    assert_non_null(act);
    assert_int_equal(act->act, ACT_CANCEL);
    assert_int_equal(act->targets.n, 1);
    assert_int_equal(act->targets.v[0].job, g->s.eval);
    assert_int_equal(act->targets.v[0].array_index, ARRAY_NONE);
    uilab_result(u, MSG_ACT, REFUSAL_NOT_ALLOWED, "job 53 belongs to alice", 0);
    uilab_draw(u, 24, 80);
    must_show(u, "job 53 belongs to alice");
}

static void marks_survive_and_count(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/user:bo<Enter>*<Esc>"); /* Esc drops the filter, not the marks */
    uilab_draw(u, 24, 80);
    must_show(u, "5 marked");
    uilab_keys(u, "c");
    uilab_draw(u, 24, 80);
    must_show(u, "cancel 3 jobs");
    must_show(u, "2 waiting, 1 running");
    must_show(u, "2 jobs are left out: already ended.");
    uilab_keys(u, "y");
    uilab_wait(u, 5000);
    assert_int_equal(sent_act(u)->targets.n, 3);
    uilab_keys(u, "u");
    uilab_draw(u, 24, 80);
    must_not_show(u, "marked");
    uilab_keys(u, "gvjj");
    uilab_draw(u, 24, 80);
    must_show(u, "marking a range");
    uilab_keys(u, "v");
    uilab_draw(u, 24, 80);
    must_show(u, "3 marked");
}

static void many_jobs_need_their_count(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/sweep<Enter>c");
    uilab_draw(u, 24, 80);
    must_show(u, "type 66");
    uilab_keys(u, "y<Enter>");
    uilab_draw(u, 24, 80);
    must_show(u, "does not match");
    assert_null(sent_act(u));
    uilab_keys(u, "<C-u>66<Enter>");
    uilab_wait(u, 5000);
    const struct msg_act *act = sent_act(u);
    assert_non_null(act);
    assert_int_equal(act->targets.n, 1); /* one request for the whole array */
    assert_int_equal(act->targets.v[0].job, g->s.sweep);
}

static void element_of_an_array_is_not_the_array(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/sweep<Enter><Right>jc"); /* folded open: its first element, which has ended */
    uilab_draw(u, 24, 80);
    must_show(u, "the job has ended");
    uilab_keys(u, "<Esc>/sweep state:run<Enter>gjHc");
    assert_null(sent_act(u));
    uilab_keys(u, "y");
    uilab_wait(u, 5000);
    const struct msg_act *act = sent_act(u);
    assert_non_null(act);
    assert_int_equal(act->targets.v[0].job, g->s.sweep);
    assert_int_not_equal(act->targets.v[0].array_index, ARRAY_NONE);
}

static void other_actions(void **state)
{
    static const struct {
        const char *name, *keys;
        enum act act;
        int32_t signal;
    } rows[] = {
        {.name = "hold", .keys = "/eval<Enter>Hy", .act = ACT_HOLD},
        {.name = "release", .keys = "/ablation<Enter>Uy", .act = ACT_RELEASE},
        {.name = "requeue", .keys = "/train-resnet<Enter>Ry", .act = ACT_REQUEUE},
        {.name = "signal", .keys = "/train-resnet<Enter>Cjj<Enter>y", .act = ACT_SIGNAL, .signal = 10},
    };
    struct ui_fixture *g = *state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        uilab_forget_sent(&g->u);
        uilab_keys(&g->u, rows[i].keys);
        uilab_wait(&g->u, 5000);
        if (!sent_act(&g->u))
            fail_msg("[%s] nothing was sent", rows[i].name);
        check_int(rows[i].name, sent_act(&g->u)->act, rows[i].act);
        check_int(rows[i].name, sent_act(&g->u)->signal, rows[i].signal);
        uilab_keys(&g->u, "<Esc>");
    }
    uilab_forget_sent(&g->u);
    uilab_keys(&g->u, "/train-resnet<Enter>H");
    uilab_draw(&g->u, 24, 80);
    must_show(&g->u, "only waiting jobs can be held");
    assert_null(sent_act(&g->u));
}

static void read_only_refuses(void **state)
{
    (void)state;
    struct uilab u;
    struct demo_cluster s;
    uilab_init(&u);
    u.options.read_only = true;
    demo_cluster_build(&u.lab, &s);
    uilab_connect(&u);
    static const char *const keys[] = {"c", "C", "H", "U", "R", "2d", "R"};
    for (size_t i = 0; i < N_OF(keys); i++) {
        uilab_keys(&u, keys[i]);
        uilab_draw(&u, 24, 80);
        if (i != 6) /* R on a node that is in use already */
            must_show(&u, "--read-only");
        uilab_keys(&u, "yy<Enter><Esc>");
        assert_null(uilab_sent(&u, MSG_ACT));
        assert_null(uilab_sent(&u, MSG_DRAIN));
    }
    uilab_fini(&u);
}

/* --- why --- */

static void why_is_told_in_full(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/finetune<Enter>w");
    const struct uilab_sent *ask = uilab_sent(u, MSG_WHY);
    assert_non_null(ask);
    assert_int_equal(((const struct msg_job *)ask->body)->target.job, g->s.big);
    struct msg_why w = {.job = g->s.big, .rank = 1, .rank_of = 4, .start = {.ms = u->lab.now.ms + 1500000}};
    w.basis.code = CAUSE_START_PLANNED;
    w.advice = (struct cause){.code = CAUSE_TRY_OPTION,
                              .name = strdup("--time="),
                              .text = strdup("2:00:00"),
                              .nodes = strdup("gpu01")};
    w.advice_key = strdup("TimeLimit");
    w.advice_value = strdup("2:00:00");
    w.made.ms = u->lab.now.ms - 40000;
    w.likely.ms = u->lab.now.ms + 1200000;
    w.unlikely.ms = u->lab.now.ms + 3000000;
    w.samples = 31;
    strv_push(&w.blockers, "6");
    strv_push(&w.blockers, "7");
    struct cause *c = rec_list_push(&w.causes);
    *c = (struct cause){.cls = WHY_BUSY, .code = CAUSE_NEEDS_GPUS, .asked = 8, .free = 3, .one = true};
    uilab_feed(u, MSG_WHY_CAUSES, ask->tag, &w);
    rec_fini(&msg_why_rec, &w);
    const struct uilab_sent *prio = uilab_sent(u, MSG_PRIO);
    assert_non_null(prio);
    struct msg_prio_rows rows = {
        .weights = {.weight_age = 1000, .weight_fairshare = 10000, .weight_qos = 2000}};
    struct prio_row *row = rec_list_push(&rows.rows);
    row->job = g->s.big;
    row->parts = (struct prio_parts){.age = 0.4,
                                     .age_points = 400,
                                     .fairshare = 0.62,
                                     .fairshare_points = 6200,
                                     .nice = 5,
                                     .total = 6595};
    uilab_feed(u, MSG_PRIO_ROWS, prio->tag, &rows);
    rec_fini(&msg_prio_rows_rec, &rows);
    uilab_golden(u, "why", 24, 80);
    keys_show(u, "<Enter>", "to TimeLimit=2:00:00"); /* what would help is a key away, and asks */
    assert_null(uilab_sent(u, MSG_UPDATE));
    uilab_keys(u, "y");
    const struct msg_update *m = uilab_sent(u, MSG_UPDATE)->body;
    assert_int_equal(m->target.job, g->s.big);
    assert_string_equal(m->changes.v[0], "TimeLimit=2:00:00");
}

/* What would help an element that waits for the array's throttle is a change of the array. */
static void a_throttle_is_changed_of_the_array(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/sweep<Enter>w");
    const struct uilab_sent *ask = uilab_sent(u, MSG_WHY);
    assert_non_null(ask);
    struct msg_why w = {.job = g->s.sweep, .state = JOB_PENDING};
    w.advice = (struct cause){.code = CAUSE_TRY_OPTION,
                              .name = strdup("ArrayTaskThrottle="),
                              .text = strdup("9"),
                              .nodes = strdup("n02")};
    w.advice_key = strdup("ArrayTaskThrottle");
    w.advice_value = strdup("9");
    *(struct cause *)rec_list_push(&w.causes) =
        (struct cause){.cls = WHY_ARRAY_THROTTLE, .code = CAUSE_THROTTLE, .most = 8, .n = 8};
    uilab_feed(u, MSG_WHY_CAUSES, ask->tag, &w);
    rec_fini(&msg_why_rec, &w);
    uilab_draw(u, 24, 80);
    must_show(u, "try     with ArrayTaskThrottle=9 it could start now on n02");
    must_not_show(u, "place");
    assert_non_null(uilab_sent(u, MSG_PRIO)); /* whose turn it is when the throttle lets one in */
    keys_show(u, "<Enter>", "to ArrayTaskThrottle=9");
    uilab_keys(u, "y");
    const struct msg_update *m = uilab_sent(u, MSG_UPDATE)->body;
    assert_int_equal(m->target.job, g->s.sweep);
    assert_int_equal(m->target.array_index, ARRAY_NONE);
    assert_string_equal(m->changes.v[0], "ArrayTaskThrottle=9");
}

/* --- names from outside --- */

static void hostile_names_stay_in_their_column(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_draw(u, 24, 80);
    int y = uilab_find(u, "a|b\\n");
    assert_true(y > 0);
    for (int x = 0; x < 80; x++) {
        const struct canvas_cell *cell = canvas_at(&u->canvas, y, x);
        assert_true(cell->cp[0] >= ' ' || cell->width == 0);
        assert_true(cell->cp[0] != 0x202e && cell->cp[0] != 0x7f);
    }
    /* The column behind a wide name begins where it begins for all. */
    static const char *const users[] = {"train-resnet", "a|b", "\u5b66"};
    int column = -1;
    for (size_t i = 0; i < N_OF(users); i++) {
        y = uilab_find(u, users[i]);
        assert_true(y > 0);
        int x = 30;
        while (x < 80 && canvas_at(&u->canvas, y, x)->cp[0] != (i == 2 ? 'c' : 'b'))
            x++;
        if (column >= 0)
            assert_int_equal(x, column);
        column = x;
    }
}

static void no_negative_time(void **state)
{
    struct ui_fixture *g = *state;
    g->u.lab.now.ms -= 86400000; /* a clock that was set back */
    uilab_wait(&g->u, 0);
    uilab_draw(&g->u, 50, 200);
    must_not_show(&g->u, "-0:");
    must_not_show(&g->u, "-1:");
    must_not_show(&g->u, " -2");
}

/* --- the frame --- */

static void ticks_only_for_what_runs(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    assert_true(app_next_ms(u->app) > 0 && app_next_ms(u->app) <= 1000);
    assert_false(app_is_dirty(u->app));
    uilab_keys(u, "/prepare<Enter>"); /* only an ended job is seen */
    uilab_draw(u, 24, 80);
    assert_int_equal(app_next_ms(u->app), -1);
    assert_false(app_is_dirty(u->app));
}

static void escape_never_quits(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, "<Enter><Esc><Esc><Esc><Esc>");
    assert_int_equal(outbox_take(g->u.app), 0);
    uilab_keys(&g->u, "<Enter>q");
    assert_int_equal(outbox_take(g->u.app), 0);
    uilab_keys(&g->u, "q");
    assert_int_equal(outbox_take(g->u.app), WISH_QUIT);
}

static void lost_connection_grows_stale(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    follow_lost(u->app, "the controller went away");
    uilab_wait(u, 12000);
    uilab_draw(u, 24, 80);
    must_show(u, "stale 12 s");
    must_show(u, "train-resnet"); /* what was known stays */
    uilab_keys(u, "c");
    uilab_keys(u, "y");
    uilab_draw(u, 24, 80);
    must_show(u, "no connection");
    uilab_forget_sent(u);
    uilab_connect(u);
    uilab_draw(u, 24, 80);
    must_show(u, "live");
}

static void frozen_picture_stands_still(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "Z");
    struct ev_kill kill = {.step = STEP_ALL, .cause = KILL_CANCEL, .uid = 1001};
    uilab_push(u, EV_KILL, g->s.eval, &kill);
    uilab_draw(u, 24, 80);
    must_show(u, "frozen");
    must_show(u, "◷   53");
    uilab_forget_sent(u);
    uilab_keys(u, "Z");
    assert_true(uilab_snapshot(u)); /* what was missed is asked for */
    uilab_draw(u, 24, 80);
    must_show(u, "live");
    must_not_show(u, "◷   53");
}

static void resync_is_obeyed(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    lab_kill(&u->lab, g->s.eval, STEP_ALL, KILL_CANCEL, FATE_END); /* of which no word came */
    uilab_forget_sent(u);
    uilab_feed(u, MSG_RESYNC, 0, NULL);
    uilab_draw(u, 24, 80);
    must_show(u, "◷   53"); /* the old picture stays until the new one is whole */
    assert_true(uilab_snapshot(u));
    uilab_draw(u, 24, 80);
    must_not_show(u, "◷   53");
}

static void page_of_a_job_that_goes_away(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/prepare<Enter><Enter>");
    struct ev_none none = {0};
    uilab_push(u, EV_RETIRE, g->s.done, &none);
    uilab_draw(u, 24, 80);
    must_show(u, "no longer in the queue");
    uilab_keys(u, "lwcEt<Tab>jkG");
    uilab_draw(u, 50, 200);
    uilab_keys(u, "q");
    uilab_draw(u, 24, 80);
    must_show(u, "Jobs");
}

static void page_tells_what_it_runs(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/prepare<Enter><Enter>");
    answer_script(u, "#!/bin/sh\n#SBATCH --time=1:00:00\n\tprepare \033[31m--all\r\n");
    uilab_draw(u, 43, 132);
    must_show(u, "Script");
    must_show(u, "arguments: 'fold 3'");
    must_show(u, "#SBATCH --time=1:00:00");
    must_show(u, "         prepare \\x1B[31m--all"); /* a tab is blanks, a control character is told */
    uilab_keys(u, "<Tab>");                          /* where there is little room */
    uilab_draw(u, 24, 80);
    uilab_keys(u, "G");
    uilab_draw(u, 24, 80);
    must_show(u, "#SBATCH --time=1:00:00");
    uilab_keys(u, "qq");
    uilab_forget_sent(u);
    uilab_keys(u, "/crossval<Enter><Enter>"); /* in steps: no script */
    assert_null(uilab_sent(u, MSG_SCRIPT));
    uilab_keys(u, "q<Esc>/merge<Enter><Enter>");
    uilab_result(u, MSG_SCRIPT, REFUSAL_NO_JOB, "the script of job 3 is not kept any more", 0);
    uilab_draw(u, 43, 132);
    must_show(u, "is not kept any more");
}

/* --- the mouse --- */

static void clicks_choose_and_open(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_draw(u, 24, 80);
    int y = uilab_find(u, "eval");
    uilab_mouse(u, MOUSE_CLICK, y, 20);
    assert_non_null(strstr(cursor_row(u), "eval"));
    uilab_mouse(u, MOUSE_DOUBLE, y, 20);
    uilab_draw(u, 24, 80);
    must_show(u, "Job 53");
}

/* --- sizes --- */

static void every_size_can_be_drawn(void **state)
{
    static const char *const screens[] = {"1",
                                          "2",
                                          "3",
                                          "5",
                                          "6",
                                          "7",
                                          ":",
                                          "<Esc>1/crossval<Enter><Enter>",
                                          "q<Esc>?",
                                          "<Esc>/sweep<Enter>c",
                                          "<Esc><Esc>/x",
                                          "<Esc>4<Right><Right>",
                                          "tG",
                                          "1/sweep<Enter><Enter>",
                                          "<Esc>1<Esc>d",
                                          "<Esc><Esc>2<Enter>",
                                          "<Esc>2w",
                                          "<Esc><F2>",
                                          "<Esc>1@",
                                          "<Esc>s"};
    struct ui_fixture *g = *state;
    for (size_t s = 0; s < N_OF(screens); s++) {
        uilab_keys(&g->u, screens[s]);
        for (int i = 0; i < 170; i++) /* 1,020 in all */
            uilab_draw(&g->u, 1 + i * 7 % 60, 1 + i * 13 % 210);
    }
}

/* Columns of the list at each width; what a narrow terminal shows a wider one shows as well. */
static void a_wider_terminal_never_shows_less(void **state)
{
    static const char *const titles[] = {" JOB ", " NAME ", " USER", " START",
                                         " RAN ", " CPUS",  " GPU",  "WHERE OR WHY"};
    struct ui_fixture *g = *state;
    bool seen[N_OF(titles)] = {false};
    for (int cols = 40; cols <= 220; cols++) {
        uilab_draw(&g->u, 30, cols);
        for (size_t i = 0; i < N_OF(titles); i++) {
            bool is = uilab_find(&g->u, titles[i]) >= 0;
            if (seen[i] && !is)
                fail_msg("%d columns do not show%s", cols, titles[i]);
            seen[i] |= is;
        }
    }
    for (size_t i = 0; i < N_OF(titles); i++)
        assert_true(seen[i]);
}

/* Titles of groups are no rows: a click goes to the row that is seen there. */
static void jobs_stand_in_groups(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_draw(u, 24, 80);
    must_show(u, "Running 4 jobs, 11 tasks");
    must_show(u, "Waiting 6 jobs, 64 tasks");
    must_show(u, "Ended 5 jobs");
    int y = uilab_find(u, "ablation");
    uilab_mouse(u, MOUSE_CLICK, y, 10);
    uilab_draw(u, 24, 80);
    assert_int_equal(canvas_at(&u->canvas, y, 10)->over, ROLE_CURSOR);
    assert_true(uilab_find(u, "Running") < y && uilab_find(u, "Ended") > y);
    for (int rows = 15; rows < 30; rows++) { /* no row stands below the title of another group */
        uilab_draw(u, rows, 80);
        int title = uilab_find(u, "Waiting"), first = uilab_find(u, "finetune-7b");
        assert_true(first < 0 || (title >= 0 && title < first));
        title = uilab_find(u, "Ended");
        first = uilab_find(u, "mistake");
        assert_true(first < 0 || (title >= 0 && title < first));
    }
    uilab_draw(u, 8, 80); /* rows need the room more */
    must_not_show(u, "Waiting 6 jobs");
    uilab_keys(u, "G");
    for (int rows = 4; rows < 30; rows++) { /* the cursor is always seen */
        uilab_draw(u, rows, 80);
        must_show(u, "prepare");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UI_FIXTURE_CASE(a_wider_terminal_never_shows_less),
        UI_FIXTURE_CASE(jobs_stand_in_groups),
        UI_FIXTURE_CASE(golden_sizes),
        cmocka_unit_test(golden_sizes_ascii),
        cmocka_unit_test(golden_ascii),
        cmocka_unit_test(plain_signs_and_themes),
        cmocka_unit_test(no_state_is_a_letter_beside_signs),
        cmocka_unit_test(golden_before_data),
        UI_FIXTURE_CASE(cursor_stays_on_its_job),
        UI_FIXTURE_CASE(a_signal_has_a_name),
        UI_FIXTURE_CASE(what_never_began_says_why),
        UI_FIXTURE_CASE(what_nobody_saw_has_no_code),
        UI_FIXTURE_CASE(filter_keeps_rows_within_reach),
        UI_FIXTURE_CASE(words_of_a_filter_mean_what_they_say),
        UI_FIXTURE_CASE(typing_triggers_no_view_key),
        UI_FIXTURE_CASE(counts_of_an_array_are_whole),
        UI_FIXTURE_CASE(cancel_hits_what_was_highlighted),
        UI_FIXTURE_CASE(marks_survive_and_count),
        UI_FIXTURE_CASE(many_jobs_need_their_count),
        UI_FIXTURE_CASE(element_of_an_array_is_not_the_array),
        UI_FIXTURE_CASE(other_actions),
        cmocka_unit_test(read_only_refuses),
        UI_FIXTURE_CASE(why_is_told_in_full),
        UI_FIXTURE_CASE(a_throttle_is_changed_of_the_array),
        UI_FIXTURE_CASE(hostile_names_stay_in_their_column),
        UI_FIXTURE_CASE(no_negative_time),
        UI_FIXTURE_CASE(ticks_only_for_what_runs),
        UI_FIXTURE_CASE(escape_never_quits),
        UI_FIXTURE_CASE(lost_connection_grows_stale),
        UI_FIXTURE_CASE(frozen_picture_stands_still),
        UI_FIXTURE_CASE(resync_is_obeyed),
        UI_FIXTURE_CASE(page_of_a_job_that_goes_away),
        UI_FIXTURE_CASE(page_tells_what_it_runs),
        UI_FIXTURE_CASE(clicks_choose_and_open),
        UI_FIXTURE_CASE(every_size_can_be_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
