/* test_command.c - the line behind ':', what the screens remember, what can be undone, what is watched. */
#include <unistd.h>

#include "src/values/units.h"
#include "tests/screen/ui_fixture.h"

static const struct msg_act *sent_act(struct uilab *u)
{
    const struct uilab_sent *s = uilab_sent(u, MSG_ACT);
    return s ? s->body : NULL;
}

/* --- the line --- */

static void what_can_be_typed_is_offered(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, ":");
    uilab_golden(&g->u, "command", 24, 80);
    uilab_keys(&g->u, "dr<Tab>gpu0");
    uilab_golden(&g->u, "command-nodes", 24, 80);
    uilab_keys(&g->u, "<Esc>");
    uilab_draw(&g->u, 24, 80);
    must_not_show(&g->u, ":drain");
}

static void tab_completes(void **state)
{
    static const struct {
        const char *keys, *line;
    } rows[] = {
        {":can<Tab>", ":cancel"},
        {":drain gpu01<Tab>", ":drain gpu01"},
        {":filter sta<Tab><Tab>", ":filter state:"},
        {":filter state:run<Tab>", ":filter state:running"},
        {":filter user:b<Tab>", ":filter user:bo"},
        {":filter part:g<Tab>", ":filter part:gpu"},
        {":sort us<Tab>", ":sort user"},
        {":signal U<Tab><Tab>", ":signal USR2"},
        {":signal U<S-Tab>", ":signal USR2"},
    };
    struct ui_fixture *g = *state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        keys_give_line(&g->u, rows[i].keys, rows[i].line);
        uilab_keys(&g->u, "<Esc>");
    }
}

static void words_do_what_keys_do(void **state)
{
    static const struct {
        const char *keys;
        enum act act;
        int32_t signal;
    } rows[] = {
        {":cancel %eval<Enter>y", ACT_CANCEL, 0},     {":scancel %eval<Enter>y", ACT_CANCEL, 0},
        {":hold %eval<Enter>y", ACT_HOLD, 0},         {":release %held<Enter>y", ACT_RELEASE, 0},
        {":requeue %train<Enter>y", ACT_REQUEUE, 0},  {":signal USR1 %train<Enter>y", ACT_SIGNAL, 10},
        {":signal -9 %train<Enter>y", ACT_SIGNAL, 9},
    };
    struct ui_fixture *g = *state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct str keys = STR_INIT;
        uint32_t id = 0;
        for (const char *p = rows[i].keys; *p; p++)
            if (str_starts(p, "%eval"))
                str_appendf(&keys, "%u", id = g->s.eval), p += 4;
            else if (str_starts(p, "%held"))
                str_appendf(&keys, "%u", id = g->s.held), p += 4;
            else if (str_starts(p, "%train"))
                str_appendf(&keys, "%u", id = g->s.train), p += 5;
            else
                str_append_char(&keys, *p);
        uilab_forget_sent(&g->u);
        uilab_keys(&g->u, keys.s);
        uilab_wait(&g->u, 5000); /* the end of a long run can be undone until then */
        if (!sent_act(&g->u))
            fail_msg("%s: nothing was sent", keys.s);
        check_int(keys.s, sent_act(&g->u)->act, rows[i].act);
        check_int(keys.s, sent_act(&g->u)->signal, rows[i].signal);
        check_int(keys.s, sent_act(&g->u)->targets.v[0].job, id);
        str_fini(&keys);
    }
}

static void words_mean_elements_and_arrays(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    char keys[80];
    snprintf(keys, sizeof keys, ":cancel %u_[90-91]<Enter>y", g->s.sweep);
    uilab_keys(u, keys);
    uilab_wait(u, 5000);
    const struct msg_act *act = sent_act(u);
    assert_non_null(act);
    assert_int_equal(act->targets.n, 2);
    assert_int_equal(act->targets.v[1].job, g->s.sweep);
    assert_int_equal(act->targets.v[1].array_index, 91);
    uilab_forget_sent(u);
    snprintf(keys, sizeof keys, ":cancel %u<Enter>", g->s.sweep);
    keys_show(u, keys, "type 66"); /* all that lives of it */
    uilab_keys(u, "<Esc>");
    snprintf(keys, sizeof keys, ":cancel %u.0<Enter>", g->s.multi);
    keys_show(u, keys, "step 0 of");
    uilab_keys(u, "y");
    uilab_wait(u, 5000);
    assert_int_equal(sent_act(u)->targets.v[0].step, 0);
    keys_show(u, ":cancel 9999<Enter>", "job 9999 is not in the queue");
    keys_show(u, ":cancel x<Enter>", "Invalid job id x");
    keys_show(u, ":nonsense<Enter>", "there is no command 'nonsense'");
    keys_show(u, ":histroy<Enter>", "there is no command 'histroy'");
    keys_show(u, ":fliter<Enter>", "did you mean 'filter'?");
    keys_show(u, ":cancle<Enter>", "there is no command 'cancle'; ? lists"); /* ends jobs: not offered */
    ui_toast(u->app, ROLE_ERROR,
             "/home/alice/.config/stoker/themes/a-long-name.theme:12: \"bold gren\": 'gren' is %s",
             "no colour and no attribute"); /* the end of it matters */
    uilab_draw(u, 24, 80);
    must_show(u, "no colour and no attribute");
    keys_show(u, ":partition<Enter>", "Partitions 2");
    keys_show(u, ":node gpu02<Enter>", "gpu02");
    keys_show(u, "q1:51<Enter>", "Job 51");
    uilab_keys(u, "q");
}

static void without_jobs_it_means_the_marked_ones(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, ":mark user:chen state:wait<Enter>:hold<Enter>");
    uilab_draw(u, 24, 80);
    must_show(u, "hold 2 jobs");
    uilab_keys(u, "y");
    assert_int_equal(sent_act(u)->targets.n, 2);
}

static void nodes_by_words(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    keys_show(u, ":drain gpu[01-02] fan is loud<Enter>", "drain gpu[01-02]");
    must_show(u, "fan is loud");
    uilab_keys(u, "<Enter>");
    const struct uilab_sent *s = uilab_sent(u, MSG_DRAIN);
    assert_non_null(s);
    const struct msg_drain *m = s->body;
    assert_int_equal(m->nodes.n, 2);
    assert_string_equal(m->reason, "fan is loud");
    assert_true(m->drain);
    uilab_result(u, MSG_DRAIN, REFUSAL_NONE, "", 2);
    uilab_keys(u, ":resume gpu04<Enter>y");
    m = uilab_sent(u, MSG_DRAIN)->body;
    assert_false(m->drain);
    assert_string_equal(m->nodes.v[0], "gpu04");
    uilab_result(u, MSG_DRAIN, REFUSAL_NONE, "", 1);
    keys_show(u, ":drain nosuch x<Enter>", "there is no node nosuch");
}

static void history_comes_back(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, ":filter eval<Enter>:sort user<Enter>:filter bo<Enter>");
    assert_int_equal(u->prefs.history.n, 3);
    keys_show(u, ":<Up><Up>", ":sort user");
    keys_show(u, "<Down>", ":filter bo");
    uilab_keys(u, "<Esc>");
    keys_show(u, ":fil<Up><Up>", ":filter eval"); /* lines that begin so */
    keys_show(u, "<Down><Down>", ":fil");
    uilab_keys(u, "<Esc>");
}

static void typing_a_command_presses_no_key(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, ":qcHURx*2");
    uilab_paste(&g->u, "y\nc\n");
    uilab_draw(&g->u, 24, 80);
    must_show(&g->u, ":qcHURx*2y c");
    assert_null(sent_act(&g->u));
    assert_int_equal(outbox_take(g->u.app) & WISH_QUIT, 0);
    uilab_keys(&g->u, "<C-u><Backspace>"); /* taking back the empty line closes it */
    uilab_draw(&g->u, 24, 80);
    must_not_show(&g->u, ":q");
}

/* --- filters --- */

static void filters_in_words(void **state)
{
    static const struct {
        const char *filter, *title;
    } rows[] = {
        {"state:pend user:bo", " 2 of 15"}, /* Slurm's word for waiting */
        {"gpu:>0 part:gpu", " 7 of 15"},    {"time:>1h state:run", " 2 of 15"},
        {"memory:>=64G", " 4 of 15"},       {"!state:pend !state:run", " 6 of 15"},
        {"limit:<=4h gpu:=8", " 2 of 15"},  {"nosuch:thing", " 0 of 15"},
    };
    struct ui_fixture *g = *state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct str keys = STR_INIT;
        str_appendf(&keys, ":filter ");
        for (const char *p = rows[i].filter; *p; p++)
            if (*p == '<')
                str_append(&keys, "<lt>");
            else
                str_append_char(&keys, *p);
        str_append(&keys, "<Enter>");
        uilab_keys(&g->u, keys.s);
        uilab_draw(&g->u, 24, 80);
        if (uilab_find(&g->u, rows[i].title) < 0)
            fail_msg("%s:\n%s", rows[i].filter, uilab_text(&g->u));
        str_fini(&keys);
    }
}

/* --- order --- */

/* Names as the screen shows them, from above to below. */
static void rows_are_sorted(void **state)
{
    static const struct {
        const char *sort, *order;
    } rows[] = {
        {"name", "ablation convert crossval eval finetune merge mistake prepare pretrain relax report "
                 "sweep train-resnet"},
        {"name down", "train-resnet sweep report relax pretrain prepare mistake merge finetune eval "
                      "crossval convert ablation"},
        {"id down", "report ablation eval finetune crossval sweep pretrain train-resnet mistake relax "
                    "merge convert prepare"},
        {"gpus down", "finetune mistake train-resnet pretrain crossval ablation eval"},
        {"user", "pretrain sweep crossval eval ablation merge prepare train-resnet finetune mistake "
                 "convert report relax"},
        {"left", "train-resnet pretrain sweep crossval"}, /* what is not known comes last ... */
        {"left down", "crossval sweep train-resnet"},     /* ... whatever the direction */
        {"", "train-resnet pretrain sweep crossval finetune eval ablation report"},
    };
    struct ui_fixture *g = *state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct str keys = STR_INIT;
        str_appendf(&keys, ":sort %s<Enter>g", rows[i].sort);
        uilab_keys(&g->u, keys.s);
        uilab_draw(&g->u, 24, 80);
        struct strv names = strv_split(rows[i].order, " ");
        for (size_t k = 1; k < names.n; k++)
            if (uilab_find(&g->u, names.v[k - 1]) >= uilab_find(&g->u, names.v[k]))
                fail_msg("sorted by %s, %s is not before %s:\n%s", rows[i].sort, names.v[k - 1], names.v[k],
                         uilab_text(&g->u));
        strv_fini(&names);
        str_fini(&keys);
    }
}

/* What all names begin with decides nothing. */
static void names_that_begin_alike_are_sorted(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, "/pre<Enter>:sort name<Enter>g");
    uilab_draw(&g->u, 24, 80);
    assert_true(uilab_find(&g->u, "prepare") < uilab_find(&g->u, "pretrain"));
    uilab_keys(&g->u, ":sort name down<Enter>g");
    uilab_draw(&g->u, 24, 80);
    assert_true(uilab_find(&g->u, "pretrain") < uilab_find(&g->u, "prepare"));
    assert_true(uilab_find(&g->u, "pretrain") > 0);
}

/* --- columns, and what is kept --- */

static void columns_are_chosen(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "O");
    uilab_golden(u, "columns", 24, 80);
    uilab_keys(u, "<Esc>");
    uilab_draw(u, 24, 80);
    must_show(u, "USER");
    uilab_keys(u, ":columns id user priority where<Enter>");
    uilab_draw(u, 24, 80);
    must_show(u, "PRIORITY");
    must_not_show(u, " RAN");
    uilab_keys(u, "O<Down><Down> <Enter>"); /* the name as well */
    uilab_draw(u, 24, 80);
    must_show(u, "NAME");
    uilab_keys(u, ":columns<Enter>");
    uilab_draw(u, 24, 80);
    must_show(u, " RAN");
    must_not_show(u, "PRIORITY");
}

/* The screens are left and started again: what they remember goes through a file in a directory that is
 * made for it. */
static void start_again(struct uilab *u)
{
    char dir[] = "/tmp/stoker-views.XXXXXX", path[80], sub[80];
    struct errtext err = {""};
    assert_non_null(mkdtemp(dir));
    snprintf(sub, sizeof sub, "%s/stoker", dir);
    snprintf(path, sizeof path, "%s/views.cfg", sub);
    char *text = prefs_text(&u->prefs);
    if (prefs_write(text, path, &err) < 0)
        fail_msg("%s", err.s);
    free(text);
    app_free(u->app);
    u->app = NULL;
    prefs_fini(&u->prefs);
    uilab_forget_sent(u);
    if (prefs_load(&u->prefs, path, &err) < 0)
        fail_msg("%s", err.s);
    unlink(path);
    rmdir(sub);
    rmdir(dir);
    uilab_connect(u);
}

static void order_and_columns_are_kept(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/bo<Enter>:sort name down<Enter>:columns id name qos<Enter>m2:sort cpu<Enter>");
    assert_true(outbox_take(u->app) & WISH_SAVE);
    uilab_keys(u, "jjk");
    assert_false(outbox_take(u->app) & WISH_SAVE); /* moving is not worth a file */

    start_again(u);
    uilab_draw(u, 24, 80);
    must_show(u, "My jobs");
    must_not_show(u, "filter bo"); /* yesterday's filter would hide today's jobs */
    must_show(u, "sort name, down");
    must_show(u, "QOS");
    must_not_show(u, "USER");
    keys_show(u, "/<Up><Enter>", "filter bo");
    keys_show(u, "2", "sort cpu");
    assert_string_equal(u->prefs.history.v[0], "sort name down");
}

static void views_are_kept_under_a_name(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    keys_show(u, ":views<Enter>", "no saved views");
    keys_show(u, ":view gpujobs<Enter>", "there is no view gpujobs");
    uilab_keys(u, "/gpus:>0<Enter>:sort time down<Enter>:columns id gpus time<Enter>");
    outbox_take(u->app);
    keys_show(u, ":save gpujobs<Enter>", "saved: :view gpujobs");
    assert_true(outbox_take(u->app) & WISH_SAVE);
    uilab_keys(u, "2/gpu<Enter>:save boxes<Enter>1:columns<Enter>:sort<Enter>:filter<Enter>m");
    uilab_draw(u, 24, 80);
    must_show(u, "My jobs");
    start_again(u);
    keys_show(u, ":view ", "gpujobs");
    must_show(u, "jobs, gpus:>0, by time down, 3 columns"); /* what it is, beside its name */
    keys_show(u, "g<Tab><Enter>", "filter gpus:>0");
    must_show(u, "sort ran, down");
    must_not_show(u, "My jobs");
    must_not_show(u, "USER");
    keys_show(u, ":views<Enter><Enter>", "filter gpu"); /* the first of them */
    must_show(u, "Nodes");
    keys_show(u, ":forget boxes<Enter>", "forgotten");
    keys_show(u, ":view boxes<Enter>", "there is no view boxes");
    uilab_keys(u, "s");
    keys_show(u, "<Esc>:save a b<Enter>", "one word");
}

/* A full disk is then reported each time; what screens remember by themselves reports it once. */
static void what_is_kept_on_request_says_so(void **state)
{
    static const struct {
        const char *keys;
        bool keep;
    } rows[] = {{":sort name down<Enter>", false}, {":columns job name<Enter>", false},
                {":save mine<Enter>", true},       {":theme light<Enter>", true},
                {":theme<Enter>", true},           {":forget mine<Enter>", true}};
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        outbox_take(u->app);
        uilab_keys(u, rows[i].keys);
        unsigned wishes = outbox_take(u->app);
        check_int(rows[i].keys, wishes & WISH_SAVE, WISH_SAVE);
        check_int(rows[i].keys, (wishes & WISH_KEEP) != 0, rows[i].keep);
    }
}

static void a_broken_file_is_told_with_its_line(void **state)
{
    (void)state;
    char path[] = "/tmp/stoker-views.XXXXXX";
    int fd = mkstemp(path);
    assert_int_equal(write(fd, "theme = \"x\";\nviews = {", 22), 22);
    close(fd);
    struct prefs p = {0};
    struct errtext err = {""};
    assert_true(prefs_load(&p, path, &err) < 0);
    check_has("error", err.s, ":2: ");
    unlink(path);
    prefs_fini(&p);
}

/* --- back --- */

static void back_goes_the_way_the_user_came(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    keys_show(u, "/user:bo<Enter>5<Enter>", "Partitions \u203a Jobs");
    must_show(u, "filter part:gpu");
    must_show(u, "q back");
    keys_show(u, "q", " Partitions 2");
    must_not_show(u, "\u203a");
    assert_false(outbox_take(u->app) & WISH_QUIT);
    keys_show(u, "1", "filter user:bo"); /* the user's own */
    keys_show(u, "7<Enter>", "Usage \u203a Jobs");
    keys_show(u, "<Enter>", "Usage \u203a Jobs \u203a Job ");
    keys_show(u, "<Esc>", "Usage \u203a Jobs");
    keys_show(u, "<Esc>", " Usage 2");
    uilab_keys(u, "q");
    assert_true(outbox_take(u->app) & WISH_QUIT);
}

/* All jobs of the partition, also if the list shows only the user's own. */
static void a_row_leads_to_all_its_jobs(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    keys_show(u, "m5<Enter>", "train-resnet"); /* of bo */
    uilab_keys(u, "q1");
    uilab_draw(u, 24, 80);
    must_not_show(u, "train-resnet");
}

/* --- what can be undone --- */

static void a_bulk_kill_waits(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, ":mark user:bo state:wait<Enter>cy");
    assert_null(sent_act(u));
    uilab_golden(u, "undo", 24, 80);
    uilab_wait(u, 2000);
    uilab_draw(u, 24, 80);
    must_show(u, "cancel 2 jobs in 3 s");
    assert_true(app_next_ms(u->app) <= 1000); /* its line counts */
    keys_show(u, "u", "z undoes it");         /* u only unmarks */
    keys_show(u, "z", "undone: cancel 2 jobs");
    uilab_wait(u, 10000);
    assert_null(sent_act(u));
    uilab_draw(u, 24, 80);
    must_not_show(u, "2 marked");
    uilab_keys(u, ":mark user:bo state:wait<Enter>cy");
    uilab_wait(u, 5000);
    assert_int_equal(sent_act(u)->targets.n, 2);
}

/* The end of a single job that has run for long is as dear as that of many; a job that began a moment ago
 * is ended at once, and a signal such as USR1 ends nothing. */
static void a_long_run_is_not_lost_at_once(void **state)
{
    static const struct {
        const char *command;
        bool element;
        uint32_t ran_s;
        bool waits;
    } cases[] = {
        {"cancel", false, 600, false}, {"cancel", false, 601, true}, {"requeue", false, 601, true},
        {"cancel", true, 600, false},  {"cancel", true, 601, true},  {"signal USR1", false, 601, false},
    };
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    for (size_t i = 0; i < N_OF(cases); i++) {
        bool element = cases[i].element;
        uint32_t id = element ? g->s.sweep : g->s.train;
        struct job *j = element ? model_get_element(u->app->m, id, 35) : model_get_job(u->app->m, id);
        assert_int_equal(j->state, JOB_RUNNING);
        j->t_start = wall_add_s(ui_now(u->app), -(int64_t)cases[i].ran_s);
        char *keys = xasprintf(":%s %u%s<Enter>y", cases[i].command, id, element ? "_35" : "");
        uilab_forget_sent(u);
        uilab_keys(u, keys);
        free(keys);
        if (cases[i].waits != !sent_act(u))
            fail_msg("%s after %u s: %s", cases[i].command, cases[i].ran_s, sent_act(u) ? "sent" : "waits");
        if (cases[i].waits)
            keys_show(u, "z", "undone: ");
        uilab_keys(u, "<Esc><Esc>");
    }
}

/* Where letters are text z is one of them, and Ctrl-C is what undoes. */
static void what_is_typed_undoes_nothing(void **state)
{
    static const char *const places[] = {"sru", "/ru"};
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    for (size_t i = 0; i < N_OF(places); i++) {
        uilab_keys(u, ":mark user:bo state:wait<Enter>cy");
        uilab_keys(u, places[i]);
        uilab_draw(u, 24, 80);
        must_show(u, "ru");
        must_show(u, "Ctrl-C undoes it");
        must_not_show(u, "undone");
        keys_show(u, "<C-c>", "undone: cancel 2 jobs");
        uilab_keys(u, "<Esc>y<Esc>");
    }
}

static void interrupting_undoes_and_leaving_does(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, ":mark user:bo state:wait<Enter>cy");
    uilab_keys(u, "<C-c>");
    assert_false(outbox_take(u->app) & WISH_QUIT);
    uilab_wait(u, 10000);
    assert_null(sent_act(u));
    uilab_keys(u, "cyq");
    assert_true(outbox_take(u->app) & WISH_QUIT);
    assert_non_null(sent_act(u)); /* what was confirmed is done */
}

/* A user who is about to lose the line that counts the seconds cannot undo: the action is sent now, and
 * not when the user comes back. */
static void nothing_goes_out_later_than_announced(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, ":mark user:bo state:wait<Enter>cy");
    uilab_wait(u, 5000 + 20000); /* the lid was shut */
    assert_null(sent_act(u));
    uilab_draw(u, 24, 80);
    must_show(u, "nothing was sent");
    must_show(u, "cancel 2 jobs");
    must_show(u, "Its time passed while the program was stopped.");
    uilab_keys(u, "<Esc>");
    uilab_wait(u, 20000);
    assert_null(sent_act(u));
    uilab_keys(u, "cy<C-z>");
    assert_true(outbox_take(u->app) & WISH_SUSPEND);
    assert_int_equal(sent_act(u)->targets.n, 2);
    uilab_forget_sent(u);
    uilab_keys(u, "cy:unmark<Enter>/train-resnet<Enter>a");
    assert_true(outbox_take(u->app) & WISH_RUN);
    assert_non_null(sent_act(u));
    uilab_forget_sent(u);
    uilab_keys(u, ":filter<Enter>:mark user:bo state:wait<Enter>cy");
    assert_true((later_until(u->app).ns != 0));
    later_run(u->app); /* the terminal is gone */
    assert_false((later_until(u->app).ns != 0));
    assert_non_null(sent_act(u));
}

static void what_cannot_go_out_is_told(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, ":mark user:bo state:wait<Enter>cy");
    follow_lost(u->app, "gone");
    uilab_wait(u, 5000);
    assert_null(sent_act(u));
    uilab_draw(u, 24, 80);
    must_show(u, "nothing was sent");
    must_show(u, "cancel 2 jobs");
    must_show(u, "There is no connection to the controller.");
}

static void one_job_is_not_kept_waiting(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, "/eval<Enter>cy");
    assert_non_null(sent_act(&g->u));
}

/* --- changing a job --- */

static void a_change_goes_out(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/eval<Enter>e");
    uilab_keys(u, "<Down><Down><Down><Down><C-u>8:00:00<F10>");
    const struct uilab_sent *s = uilab_sent(u, MSG_UPDATE);
    assert_non_null(s);
    const struct msg_update *m = s->body;
    assert_int_equal(m->target.job, g->s.eval);
    assert_string_equal(m->changes.v[0], "TimeLimit=8:00:00");
    uilab_result(u, MSG_UPDATE, REFUSAL_NOT_ALLOWED, "your limit is 6 hours", 0);
    uilab_draw(u, 24, 80);
    must_show(u, "your limit is 6 hours");
    uilab_keys(u, "<Esc>y<Esc>");
    char keys[80];
    snprintf(keys, sizeof keys, ":update %u %u Nice=5 Partition=cpu<Enter>", g->s.eval, g->s.held);
    keys_show(u, keys, "change 2 jobs");
    uilab_keys(u, "y");
    m = uilab_sent(u, MSG_UPDATE)->body;
    assert_int_equal(m->changes.n, 2);
    assert_string_equal(m->changes.v[1], "Partition=cpu");
    /* What it has now is there to be edited. */
    struct ev_update later = {.time_limit_s = DURATION_NOT_SET};
    rec_copy(&job_req_rec, &later.req, &lab_get(&u->lab, g->s.eval)->req);
    req_detail_mut(&later.req)->begin = (struct wall){.ms = u->lab.now.ms + 7200000};
    uilab_push(u, EV_UPDATE, g->s.eval, &later);
    uilab_keys(u, "<Esc><Esc>/eval<Enter>e");
    uilab_draw(u, 24, 80);
    must_show(u, "not before   2026-11-21T");
}

/* --- watching --- */

static void end_batch(struct uilab *u, uint32_t job, int32_t code)
{
    struct ev_end end = {.step = STEP_BATCH,
                         .attempt = lab_task(&u->lab, job, STEP_BATCH, 0)->attempt,
                         .end_kind = END_EXITED,
                         .t_end = u->lab.now};
    *rec_list_push(&end.ranks) = (struct rank_end){.code = code};
    uilab_push(u, EV_END, job, &end);
}

static void a_watched_job_rings(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    keys_show(u, "/train-resnet<Enter>W", "watched");
    outbox_take(u->app);
    end_batch(u, g->s.train, 3);
    uilab_draw(u, 24, 80);
    assert_true((outbox_take(u->app) & (WISH_BELL | WISH_TITLE)) == (WISH_BELL | WISH_TITLE));
    check_has("title", outbox_title(u->app), "train-resnet: failed: exit 3");
    must_show(u, "train-resnet: failed: exit 3");
}

/* A cancelled job is told of once: when it has ended, not also when it begins to end. */
static void the_end_of_a_job_rings_once(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    struct ev_kill kill = {.step = STEP_ALL, .cause = KILL_CANCEL, .uid = 1000, .fate = FATE_END};
    keys_show(u, "/train-resnet<Enter>W", "watched");
    outbox_take(u->app);
    uilab_push(u, EV_KILL, g->s.train, &kill);
    assert_int_equal(model_get_job(u->app->m, g->s.train)->state, JOB_COMPLETING);
    uilab_draw(u, 24, 80);
    assert_false(outbox_take(u->app) & WISH_BELL);
    end_batch(u, g->s.train, 0);
    uilab_draw(u, 24, 80);
    assert_true(outbox_take(u->app) & WISH_BELL);
    check_has("title", outbox_title(u->app), "train-resnet: done"); /* it ended by itself first */
}

static void what_is_not_watched_is_quiet(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/train-resnet<Enter>WW"); /* on, and off again */
    end_batch(u, g->s.train, 0);
    uilab_draw(u, 24, 80);
    assert_false(outbox_take(u->app) & WISH_BELL);
}

static void an_array_rings_at_its_end(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/sweep<Enter>W");
    uilab_draw(u, 24, 80);
    outbox_take(u->app);
    struct ev_kill kill = {.step = STEP_ALL, .cause = KILL_CANCEL, .uid = 1000, .fate = FATE_END};
    size_t n = 0;
    struct job *js[64];
    list_for_each (j, &u->lab.m.all, struct job, in_all)
        if (j->array_job == g->s.sweep && j->state == JOB_RUNNING)
            js[n++] = j;
    for (size_t i = 0; i < n; i++)
        end_batch(u, js[i]->id, 0);
    uilab_draw(u, 24, 80);
    assert_false(outbox_take(u->app) & WISH_BELL); /* the rest of it waits still */
    uilab_push(u, EV_KILL, g->s.sweep, &kill);
    uilab_draw(u, 24, 80);
    assert_true(outbox_take(u->app) & WISH_BELL);
    must_show(u, "all elements have ended");
}

/* --- the menu, dependencies --- */

static void the_menu_has_everything(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/eval<Enter>x");
    uilab_golden(u, "menu", 24, 80);
    for (int i = 0; i < 30; i++) {
        uilab_draw(u, 24, 80);
        int y = uilab_find(u, "H      hold");
        if (y >= 0 && canvas_at(&u->canvas, y, 20)->over == ROLE_CURSOR)
            break;
        uilab_keys(u, "<Down>");
    }
    keys_show(u, "<Enter>", "hold 1 job");
}

/* What the state or the owner of the job does not allow is not there. */
static void the_menu_has_what_the_job_allows(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    static const struct {
        const char *filter, *has, *has_not;
    } rows[] = {{"/name:ablation", "release a held job", "hold a waiting job"},
                {"/name:eval", "hold a waiting job", "release a held job"},
                {"/name:eval", "cancel (asks first)", "open a shell"},
                {"/name:prepare", "submit again", "cancel (asks first)"},
                {"/name:prepare", "submit again", "watch the job"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uilab_keys(u, rows[i].filter);
        uilab_keys(u, "<Enter>gx");
        uilab_draw(u, 60, 132);
        must_show(u, rows[i].has);
        if (uilab_find(u, rows[i].has_not) >= 0)
            fail_msg("%s: the menu has \"%s\"", rows[i].filter, rows[i].has_not);
        uilab_keys(u, "<Esc>");
    }
}

static void dependencies_both_ways(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/report<Enter>d");
    uilab_draw(u, 24, 80);
    must_show(u, "waits for");
    must_show(u, "to succeed");
}

/* --- shells --- */

static void shells_get_the_terminal(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    char want[40];
    setenv("SHELL", "/bin/zsh", 1);
    outbox_take(u->app);
    uilab_keys(u, "/train-resnet<Enter>a");
    assert_true(outbox_take(u->app) & WISH_RUN);
    const struct strv *argv = outbox_program(u->app);
    snprintf(want, sizeof want, "--jobid=%u", g->s.train);
    assert_string_equal(argv->v[0], "srun");
    assert_string_equal(argv->v[1], want);
    assert_true(strv_has(argv, "--overlap"));
    assert_string_equal(argv->v[argv->n - 1], "/bin/zsh");
    snprintf(want, sizeof want, "A shell in job %u on gpu03", g->s.train);
    assert_non_null(strstr(outbox_program_where(u->app), want));
    uilab_keys(u, "<Esc>/eval<Enter>a");
    assert_false(outbox_take(u->app) & WISH_RUN);
    keys_show(u, "", "a shell needs a running job");
    uilab_keys(u, "2A");
    assert_true(outbox_take(u->app) & WISH_RUN);
    assert_string_equal(outbox_program(u->app)->v[0], "/bin/zsh"); /* the lab's nodes are here */
    struct node *n = model_get_node(u->app->m, "gpu01");
    free(n->spec.address);
    n->spec.address = strdup("gpu01.lab");
    free(n->spec.transport);
    n->spec.transport = strdup("ssh");
    n->spec.port = 2222;
    uilab_keys(u, "A");
    argv = outbox_program(u->app);
    assert_string_equal(argv->v[0], "ssh");
    assert_string_equal(argv->v[1], "-p2222");
    assert_string_equal(argv->v[2], "--"); /* no name is an option */
    assert_string_equal(argv->v[3], "gpu01.lab");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UI_FIXTURE_CASE(what_can_be_typed_is_offered),
        UI_FIXTURE_CASE(tab_completes),
        UI_FIXTURE_CASE(words_do_what_keys_do),
        UI_FIXTURE_CASE(words_mean_elements_and_arrays),
        UI_FIXTURE_CASE(without_jobs_it_means_the_marked_ones),
        UI_FIXTURE_CASE(nodes_by_words),
        UI_FIXTURE_CASE(history_comes_back),
        UI_FIXTURE_CASE(typing_a_command_presses_no_key),
        UI_FIXTURE_CASE(filters_in_words),
        UI_FIXTURE_CASE(rows_are_sorted),
        UI_FIXTURE_CASE(names_that_begin_alike_are_sorted),
        UI_FIXTURE_CASE(columns_are_chosen),
        UI_FIXTURE_CASE(order_and_columns_are_kept),
        UI_FIXTURE_CASE(views_are_kept_under_a_name),
        UI_FIXTURE_CASE(what_is_kept_on_request_says_so),
        cmocka_unit_test(a_broken_file_is_told_with_its_line),
        UI_FIXTURE_CASE(a_bulk_kill_waits),
        UI_FIXTURE_CASE(a_long_run_is_not_lost_at_once),
        UI_FIXTURE_CASE(back_goes_the_way_the_user_came),
        UI_FIXTURE_CASE(a_row_leads_to_all_its_jobs),
        UI_FIXTURE_CASE(what_is_typed_undoes_nothing),
        UI_FIXTURE_CASE(interrupting_undoes_and_leaving_does),
        UI_FIXTURE_CASE(nothing_goes_out_later_than_announced),
        UI_FIXTURE_CASE(what_cannot_go_out_is_told),
        UI_FIXTURE_CASE(one_job_is_not_kept_waiting),
        UI_FIXTURE_CASE(a_change_goes_out),
        UI_FIXTURE_CASE(a_watched_job_rings),
        UI_FIXTURE_CASE(the_end_of_a_job_rings_once),
        UI_FIXTURE_CASE(what_is_not_watched_is_quiet),
        UI_FIXTURE_CASE(an_array_rings_at_its_end),
        UI_FIXTURE_CASE(the_menu_has_everything),
        UI_FIXTURE_CASE(the_menu_has_what_the_job_allows),
        UI_FIXTURE_CASE(dependencies_both_ways),
        UI_FIXTURE_CASE(shells_get_the_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
