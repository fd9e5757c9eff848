/* test_job_actions.c - small print of what is done to jobs: what is asked, what is typed, what is told
 * twice. */
#include <unistd.h>

#include "tests/screen/ui_fixture.h"
#include "ui/text/view_text.h"

static const struct msg_act *sent(struct uilab *u)
{
    const struct uilab_sent *s = uilab_sent(u, MSG_ACT);
    return s ? s->body : NULL;
}

static void shows(struct uilab *u, const char *part, bool want)
{
    uilab_draw(u, 24, 80);
    if ((uilab_find(u, part) >= 0) != want)
        fail_msg("\"%s\" is %s the screen:\n%s", part, want ? "not on" : "on", uilab_text(u));
}

/* What can be taken back by the next key needs no count. */
static void a_hold_of_many_is_not_counted(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, "/sweep<Enter>H");
    shows(&g->u, "hold 58 jobs", true);
    shows(&g->u, "type ", false);
    uilab_keys(&g->u, "y");
    assert_non_null(sent(&g->u));
    assert_int_equal(sent(&g->u)->act, ACT_HOLD);
}

static void of_many_that_have_ended_all_are_meant(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, "/relax<Enter> <Esc>/merge<Enter> c");
    shows(&g->u, "cancel: the jobs have ended", true);
}

/* A job whose priority the policy sets had the priority 0. */
static void a_change_begins_at_the_real_priority(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/eval<Enter>e<C-o>");
    shows(u, "priority     0", false);
    const struct uilab_sent *ask = uilab_sent(u, MSG_PRIO);
    assert_non_null(ask);
    struct msg_prio_rows rows = {.more = false};
    struct prio_row *row = rec_list_push(&rows.rows);
    row->job = g->s.eval;
    row->parts.total = 6096;
    uilab_feed(u, MSG_PRIO_ROWS, ask->tag, &rows);
    rec_fini(&msg_prio_rows_rec, &rows);
    shows(u, "priority     6096", true);
}

static void what_is_copied_is_chosen(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    char id[16];
    snprintf(id, sizeof id, "%u", g->s.train);
    uilab_keys(u, "/train-resnet<Enter>y");
    shows(u, "copy to the clipboard", true);
    shows(u, "output  ", true);
    shows(u, "nodes         gpu03", true);
    uilab_keys(u, "<Enter>");
    assert_string_equal(outbox_copied(u->app), id);
    uilab_keys(u, "yj<Enter>");
    assert_string_equal(outbox_copied(u->app), "train-resnet");
    uilab_keys(u, "y<End><Enter>");
    answer_script(u, "#!/bin/sh\n./train.py\n");
    assert_string_equal(outbox_copied(u->app), "#!/bin/sh\n./train.py\n");
    uilab_keys(u, "y<End>k<Enter>");
    answer_script(u, "#!/bin/sh\n");
    assert_non_null(strstr(outbox_copied(u->app), "'fold 3'"));
}

/* The footer offered to open, to read and to cancel what was not there. */
static void no_row_no_keys_for_it(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, "/no such job<Enter>");
    shows(&g->u, "Enter open", false);
    shows(&g->u, "c cancel", false);
    shows(&g->u, "s submit", true);
}

/* Pages of a job have no keys for what its owner alone may do. */
static void no_keys_for_jobs_of_others(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    static const struct {
        const char *keys, *has, *offers;
    } rows[] = {{"/train-resnet<Enter>w", "Why 6", "cancel (asks first)"},
                {"/sweep<Enter><Enter>", "100 elements of alice", "cancel (asks first)"},
                {"/report<Enter>d", "Dependencies of job 55", "requeue: end"}}; /* the row has ended */
    for (int admin = 1; admin >= 0; admin--)
        for (size_t i = 0; i < N_OF(rows); i++) {
            u->app->session.welcome.admin = admin;
            u->app->session.welcome.uid = 4321;
            uilab_keys(u, "1<Esc>");
            uilab_keys(u, rows[i].keys);
            uilab_draw(u, 24, 132);
            must_show(u, rows[i].has);
            uilab_keys(u, "x");
            shows(u, rows[i].offers, admin);
            uilab_keys(u, "<Esc>q");
        }
}

/* How many elements run at once is a question for arrays. */
static void changes_are_those_of_the_job(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, "/eval<Enter>e");
    shows(&g->u, "at a time", false);
    uilab_keys(&g->u, "<Esc>/<C-u>sweep<Enter>e");
    shows(&g->u, "at a time", true);
    uilab_keys(&g->u, "<Esc><Esc>*e"); /* of several jobs: a menu, one change for all */
    shows(&g->u, "elements at a time", true);
    uilab_keys(&g->u, "<End><Enter>");
    shows(&g->u, "hold, requeue, cancel, lease", true);
}

static void times_are_typed_as_everywhere(void **state)
{
    static const struct {
        const char *typed, *sent;
    } rows[] = {{"3h", "TimeLimit=03:00:00"},
                {"90m", "TimeLimit=01:30:00"},
                {"2d", "TimeLimit=2-00:00:00"},
                {"45", "TimeLimit=45"},
                {"1-12:00:00", "TimeLimit=1-12:00:00"}};
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, "/eval<Enter>");
    for (size_t i = 0; i < N_OF(rows); i++) {
        char keys[64];
        snprintf(keys, sizeof keys, "e<Down><Down><Down><Down><C-u>%s<F10>", rows[i].typed);
        uilab_forget_sent(&g->u);
        uilab_keys(&g->u, keys);
        const struct uilab_sent *s = uilab_sent(&g->u, MSG_UPDATE);
        if (!s)
            fail_msg("[%s] nothing was sent:\n%s", rows[i].typed, uilab_text(&g->u));
        assert_string_equal(((const struct msg_update *)s->body)->changes.v[0], rows[i].sent);
        uilab_result(&g->u, MSG_UPDATE, REFUSAL_NONE, "", 1);
    }
}

static void what_is_refused_is_not_offered(void **unused)
{
    (void)unused;
    struct uilab u;
    struct demo_cluster s;
    uilab_init(&u);
    demo_cluster_build(&u.lab, &s);
    u.options.read_only = true;
    uilab_connect(&u);
    shows(&u, "w why", true);
    shows(&u, "c cancel", false);
    uilab_keys(&u, "2");
    shows(&u, "d drain", false);
    shows(&u, "Enter open", true);
    uilab_fini(&u);
}

/* The element that runs longest waits for nothing. */
static void why_of_an_array_is_of_what_waits(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, "/sweep<Enter>w");
    const struct uilab_sent *s = uilab_sent(&g->u, MSG_WHY);
    assert_non_null(s);
    const struct job *j = lab_get(&g->u.lab, ((const struct msg_job *)s->body)->target.job);
    assert_true(job_is_array_record(j));
    shows(&g->u, " 8_[0-99]  sweep of alice, 58 waiting", true); /* not all 58 by their numbers */
}

/* Names, where they are known without a request; and for a time limit none. */
static void the_story_tells_who_did_it(void **unused)
{
    (void)unused;
    struct uilab u;
    struct demo_cluster s;
    uilab_init(&u);
    demo_cluster_build(&u.lab, &s);
    uilab_connect(&u);
    uint32_t owner = lab_get(&u.lab, s.train)->uid;
    struct ev_signal sig = {.signal = 10, .uid = owner};
    struct ev_kill kill = {.step = STEP_ALL, .cause = KILL_CANCEL, .user = xstrdup("root")};
    uilab_push(&u, EV_SIGNAL, s.train, &sig);
    sig = (struct ev_signal){.signal = 10, .uid = 4711};
    uilab_push(&u, EV_SIGNAL, s.train, &sig);
    uilab_push(&u, EV_KILL, s.train, &kill);
    uilab_keys(&u, "/train-res<Enter><Enter><Tab>");
    shows(&u, "signal USR1 sent by bo", true);
    shows(&u, "signal USR1 sent by uid 4711", true);
    shows(&u, "cancelled by root after ", true);
    free(kill.user);
    kill = (struct ev_kill){.step = STEP_ALL, .cause = KILL_TIMEOUT};
    uilab_push(&u, EV_KILL, s.multi, &kill);
    uilab_keys(&u, "q<Esc>/pretrain<Enter><Enter><Tab>");
    shows(&u, "time limit after ", true);
    shows(&u, "time limit by", false);
    uilab_fini(&u);
}

/* What the controller would refuse is not asked for: of what is marked the jobs of others are left out, and
 * counted. Enter alone ends nothing. */
static void jobs_of_others_are_left_out(void **unused)
{
    (void)unused;
    struct uilab u;
    struct demo_cluster s;
    uilab_init(&u);
    demo_cluster_build(&u.lab, &s);
    u.ordinary = true;
    u.uid = lab_get(&u.lab, s.big)->uid;
    uilab_connect(&u);
    uilab_keys(&u, ":mark state:wait<Enter>c"); /* bo's, alice's and chen's */
    shows(&u, " jobs are left out: not yours.", true);
    uilab_keys(&u, "<Enter>");
    shows(&u, "y cancel ", true);
    uilab_keys(&u, "<Esc>u/eval<Enter>c");
    shows(&u, "cancel: the job belongs to another user", true);
    uilab_keys(&u, "<Esc>/train-res<Enter>");
    u.uid = 54321;
    struct msg_welcome me = {.uid = u.uid};
    follow_connected(u.app, &me);
    uilab_snapshot(&u);
    uilab_keys(&u, "a");
    shows(&u, "only the owner can open a shell in the job: bo", true);
    assert_false(outbox_take(u.app) & WISH_RUN);
    assert_null(uilab_sent(&u, MSG_ACT));
    uilab_fini(&u);
}

/* Its last element alone would tell that all is well. */
static void a_finished_array_tells_how_it_went(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    struct model *m = u->app->m;
    list_for_each (j, &m->all, struct job, in_all) {
        if (j->array_job != g->s.sweep)
            continue;
        if (!job_state_is_final((enum job_state)j->state))
            j->state = JOB_COMPLETED;
        if (j->array_index % 10 == 3 || j->array_index == 4) {
            j->state = JOB_FAILED;
            j->exit_code = j->array_index == 13 ? 7 : 1;
            j->exit_signal = 0;
        }
    }
    changes_everything(u->app);
    uilab_keys(u, "/sweep<Enter>w");
    assert_null(uilab_sent(u, MSG_WHY));
    shows(u, " 8_[0-99] sweep ", true);
    shows(u, "36 done, 7 failed, 57 earlier", true);
    shows(u, "6 failed: exit 1:  3-4, 7, 21, 23, 33", true);
    shows(u, "1 failed: exit 7:  13", true);
    uilab_keys(u, "<Esc>");
    uilab_draw(u, 50, 200); /* the same stands beside the list */
    must_show(u, "1 failed: exit 7:  13");
    must_show(u, "One of the elements");
}

static void causes_are_said_once_and_jobs_by_name(void **state)
{
    struct ui_fixture *g = *state;
    struct msg_why w = {.job = g->s.big};
    *rec_list_push(&w.causes) = (struct cause){.cls = WHY_NOT_ALLOWED, .code = CAUSE_DEADLINE_PASSED};
    *rec_list_push(&w.causes) =
        (struct cause){.cls = WHY_BUSY, .code = CAUSE_NEEDS_GPUS, .asked = 8, .free = 3};
    strv_push(&w.blockers, "6");
    strv_push(&w.blockers, "4711");
    uilab_keys(&g->u, "/finetune<Enter>w");
    uilab_feed(&g->u, MSG_WHY_CAUSES, uilab_sent(&g->u, MSG_WHY)->tag, &w);
    rec_fini(&msg_why_rec, &w);
    shows(&g->u, " it can no longer end before its deadline", true);
    shows(&g->u, "! it can no longer end before its deadline", false);
    shows(&g->u, "- 8 GPUs (3 free)", true);
    shows(&g->u, "6 train-resnet, 4711", true);
}

/* The picture of the room: what is on the node, when that ends, and the job's own run. */
static void the_room_is_drawn(void **state)
{
    static const int sizes[][2] = {{24, 80}, {30, 100}, {43, 132}, {50, 160}, {50, 200}};
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    struct wall now = u->lab.now;
    struct msg_why w = {.job = g->s.big, .start = {.ms = now.ms + 100 * 60000}};
    struct msg_plan p = {0};
    struct cause *c = rec_list_push(&w.causes);
    *c = (struct cause){.cls = WHY_BUSY, .code = CAUSE_NO_PLACE, .part = xstrdup("gpu")};
    struct cause *nodes = cause_add(c, CAUSE_NODES);
    nodes->n = 3;
    struct cause *few = cause_add(nodes, CAUSE_NODES_FREE_GPUS);
    few->n = 2;
    few->nodes = xstrdup("gpu[02-03]");
    cause_add(nodes, CAUSE_NODES_DRAINED)->n = 1;
    struct cause *out = cause_add(c, CAUSE_OUT_DRAINED);
    out->n = 1;
    out->nodes = xstrdup("gpu04");
    out->text = xstrdup("fan");
    out->user = xstrdup("root");
    *cause_add(c, CAUSE_NEEDS_GPUS) =
        (struct cause){.code = CAUSE_NEEDS_GPUS, .asked = 8, .free = 3, .one = true};
    plan_row(&p, PLAN_HELD, g->s.big, "finetune-7b", "gpu01", 100, 340, now);
    plan_row(&p, PLAN_RUNNING, g->s.multi, "pretrain", "gpu01", -72, 100, now);
    p.rows.v[0].gpus = 8;
    p.rows.v[0].n_nodes = p.rows.v[1].n_nodes = 1;
    w.plan.v = p.rows.v;
    w.plan.n = p.rows.n;
    uilab_keys(u, "/finetune<Enter>w");
    uilab_feed(u, MSG_WHY_CAUSES, uilab_sent(u, MSG_WHY)->tag, &w);
    shows(u, "Room on gpu01 at 15:59", true);
    shows(u, "7 pretrain, bo", true);
    shows(u, "\u258852 finetune-7b", true);
    shows(u, "\u25bc15:59", true);
    shows(u, "2 too few free GPUs                gpu[02-03]", true);
    shows(u, "gpu04 is drained: fan (root)", true);
    shows(u, "1 drained", false); /* said once, with its reason */
    for (size_t i = 0; i < N_OF(sizes); i++)
        uilab_golden(u, "why-room", sizes[i][0], sizes[i][1]);
    for (int k = 0; k < 2; k++, uilab_keys(u, "G")) /* scrolled: the picture begins above or below */
        for (int rows = 1; rows <= 30; rows++)
            for (int cols = 1; cols <= 140; cols += 3)
                uilab_draw(u, rows, cols);
    uilab_keys(u, "w"); /* the same key leads back */
    shows(u, "Room on gpu01", false);
    rec_fini(&msg_why_rec, &w);
}

/* Of a running job: what it has, until when, and which jobs wait for that. */
static void w_of_a_running_job_says_what_waits(void **state)
{
    (void)state;
    struct ui_fixture fixture, *g = &fixture;
    struct uilab *u = &g->u;
    struct msg_plan p = {0};
    uilab_init(u);
    demo_cluster_build(&u->lab, &g->s);
    lab_get(&u->lab, g->s.eval)->req.dependency = xasprintf("afterok:%u", g->s.multi);
    lab_get(&u->lab, g->s.multi)->alloc.v[0].mem_mib = 0; /* none was asked for */
    uilab_connect(u);
    uilab_keys(u, "/name:pretrain<Enter>w");
    shows(u, "24 CPUs GPU 0-1", true);
    shows(u, "0M", false);
    shows(u, "gpu01", true);
    shows(u, "CPUs ", true);
    shows(u, "at the latest", true);
    shows(u, "Depend on it", true);
    shows(u, "eval", true);
    shows(u, "Planned on its nodes", false); /* not known yet */
    plan_row(&p, PLAN_HELD, g->s.big, "finetune-7b", "gpu[01-02]", 100, 340, u->lab.now);
    plan_row(&p, PLAN_HELD, g->s.held, "ablation", "gpu03", 100, 340, u->lab.now);
    uilab_feed(u, MSG_PLAN_DATA, uilab_sent(u, MSG_PLAN)->tag, &p);
    shows(u, "Planned on its nodes", true);
    shows(u, "finetune-7b", true);
    shows(u, "~15:59  gpu[01-02]", true);
    shows(u, "ablation", false); /* elsewhere */
    rec_fini(&msg_plan_rec, &p);
    uilab_keys(u, "<Esc>/name:=train-resnet<Enter>w");
    uilab_feed(u, MSG_PLAN_DATA, uilab_sent(u, MSG_PLAN)->tag, &(struct msg_plan){0});
    shows(u, "No job waits for it.", true);
    uilab_fini(u);
}

/* What a limit leaves is a bar; a dependency is a chain of jobs with their ends. */
static void limits_and_dependencies_are_drawn(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    struct msg_why w = {.job = g->s.big};
    *rec_list_push(&w.causes) = (struct cause){.cls = WHY_USER_LIMIT,
                                               .code = CAUSE_LIMIT,
                                               .what = LIMIT_OF_GPUS,
                                               .used = 4,
                                               .asked = 8,
                                               .most = 10};
    uilab_keys(u, "/finetune<Enter>w");
    uilab_feed(u, MSG_WHY_CAUSES, uilab_sent(u, MSG_WHY)->tag, &w);
    shows(u, "in use 4, asked 8, limit 10", true);
    uilab_keys(u, "<Esc><Esc>");
    struct msg_why d = {.job = g->s.chained};
    *rec_list_push(&d.causes) = (struct cause){.cls = WHY_DEP_WAIT, .code = CAUSE_DEPENDENCY};
    uilab_keys(u, "/report<Enter>w");
    uilab_feed(u, MSG_WHY_CAUSES, uilab_sent(u, MSG_WHY)->tag, &d);
    shows(u, "Depends on", true);
    shows(u, "sweep  to succeed  done", true);
    rec_fini(&msg_why_rec, &w);
    rec_fini(&msg_why_rec, &d);
}

/* The pane beside the list takes what the list can spare, and not a part of a sentence. */
static void a_cause_is_whole_where_there_is_room(void **state)
{
    struct ui_fixture *g = *state;
    struct msg_waits rows = {0};
    struct job_wait *row = rec_list_push(&rows.rows);
    row->job = g->s.big;
    row->cause = (struct cause){.cls = WHY_BUSY,
                                .code = CAUSE_OUT_DRAINED,
                                .n = 1,
                                .nodes = xstrdup("gpu04"),
                                .text = xstrdup("fan 2 is loud, ticket 311"),
                                .user = xstrdup("root")};
    uilab_draw(&g->u, 50, 200);
    uilab_feed(&g->u, MSG_WAIT_CAUSES, uilab_sent(&g->u, MSG_WAITS)->tag, &rows);
    uilab_draw(&g->u, 50, 200);
    must_show(&g->u, "gpu04 is drained: fan 2 is loud, ticket 311 (root)");
    must_show(&g->u, "details  why  events"); /* the pane is there */
    rec_fini(&msg_waits_rec, &rows);
}

/* One sentence in the list, in the pane beside it, and at the top of w. */
static void the_list_says_what_w_says(void **state)
{
    struct ui_fixture *g = *state;
    struct cause cause = {.cls = WHY_BEHIND,
                          .code = CAUSE_AHEAD,
                          .n = 3,
                          .gpus = 6,
                          .part = xstrdup("gpu"),
                          .start = wall_add_s(g->u.lab.now, 3600)};
    struct msg_waits rows = {0};
    struct job_wait *row = rec_list_push(&rows.rows);
    row->job = g->s.big;
    rec_copy(&cause_rec, &row->cause, &cause);
    uilab_keys(&g->u, "/finetune<Enter>");
    uilab_draw(&g->u, 24, 80);
    must_show(&g->u, "needs 8 GPUs, 16"); /* what its record says, until the controller has answered */
    uilab_feed(&g->u, MSG_WAIT_CAUSES, uilab_sent(&g->u, MSG_WAITS)->tag, &rows);
    uilab_draw(&g->u, 24, 220);
    must_show(&g->u, "3 jobs ahead, starts ~");
    must_not_show(&g->u, "needs 8 GPUs, 16");
    /* Nothing is asked again while nothing changes. */
    uilab_forget_sent(&g->u);
    uilab_wait(&g->u, 60000);
    uilab_draw(&g->u, 24, 220);
    assert_null(uilab_sent(&g->u, MSG_WAITS));
    struct msg_why w = {.job = g->s.big};
    rec_copy(&cause_rec, rec_list_push(&w.causes), &cause);
    uilab_keys(&g->u, "w");
    uilab_feed(&g->u, MSG_WHY_CAUSES, uilab_sent(&g->u, MSG_WHY)->tag, &w);
    uilab_draw(&g->u, 24, 220);
    must_show(&g->u, " 3 jobs ahead, starts ~");
    must_show(&g->u, "- 3 jobs (6 GPUs) are ahead in gpu");
    /* A hold is seen before the controller is asked again. */
    struct ev_hold hold = {.hold = HOLD_USER, .uid = 0, .user = xstrdup("root")};
    uilab_keys(&g->u, "<Esc>");
    uilab_push(&g->u, EV_HOLD, g->s.big, &hold);
    uilab_draw(&g->u, 24, 220);
    must_not_show(&g->u, "3 jobs ahead");
    rec_fini(&msg_why_rec, &w);
    rec_fini(&msg_waits_rec, &rows);
    rec_fini(&cause_rec, &cause);
}

/* "out of memory: out of memory: 65 MiB used" */
static void an_end_is_said_once(void **unused)
{
    (void)unused;
    static const struct {
        const char *message, *want;
    } rows[] = {
        {"out of memory: 65 MiB used, limit 64 MiB", "out of memory: 65 MiB used, limit 64 MiB"},
        {"65 MiB used", "out of memory: 65 MiB used"},
        {"out of memory", "out of memory"},
        {NULL, "out of memory"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        char *message = xstrdup(rows[i].message);
        struct task t = {.state = TASK_DONE, .end_kind = END_OOM, .message = message};
        struct rich r;
        rich_init(&r);
        task_story(&r, &t);
        assert_string_equal(r.text.s, rows[i].want);
        rich_fini(&r);
        free(message);
    }
}

/* Elements that have left the queue have ended all the same. */
static void progress_counts_what_has_left_the_queue(void **unused)
{
    (void)unused;
    struct uilab u;
    uilab_init(&u);
    struct job *j = lab_job(&u.lab, JOB_KIND_BATCH);
    j->id = j->array_job = 7;
    j->array_index = 80;
    job_origin_mut(j)->array_count = 100;
    job_origin_mut(j)->array_max = 99;
    job_origin_mut(j)->array_step = 1;
    j->state = JOB_RUNNING;
    model_take_job(&u.lab.m, j);
    uilab_connect(&u);
    shows(&u, "99 earlier 1▶", true);
    uilab_fini(&u);
}

/* ... and how they ended is known, also to a screen that connects later. */
static void an_array_keeps_its_counts(void **unused)
{
    (void)unused;
    struct uilab u;
    struct ev_none none = {0};
    uilab_init(&u);
    lab_node(&u.lab, "n1", 8, 16000, 0, NULL);
    lab_part(&u.lab, "main", "n1");
    lab_configure(&u.lab);
    struct job *j = lab_job(&u.lab, JOB_KIND_BATCH);
    *rec_list_push(&job_rare_mut(j)->array_pending) = (struct index_range){0, 7, 1};
    job_origin_mut(j)->array_count = 8;
    job_origin_mut(j)->array_max = 7;
    job_origin_mut(j)->array_step = 1;
    uint32_t id = lab_submit(&u.lab, j), first = u.lab.m.next_job;
    for (uint32_t k = 0; k < 6; k++) {
        assert_int_equal(lab_start(&u.lab, id, k, first + k, lab_alloc("n1", 0, 1, 0, 0, 1)), 0);
        assert_int_equal(lab_end(&u.lab, first + k, STEP_BATCH, 0, END_EXITED, k == 1 || k == 2, 0), 0);
    }
    lab_must(&u.lab, EV_RETIRE, first, &none);
    lab_must(&u.lab, EV_RETIRE, first + 1, &none);
    uilab_connect(&u);
    uilab_draw(&u, 50, 200);
    must_show(&u, "4✓ 2✗ 2◷");
    for (uint32_t k = 2; k < 6; k++) /* while it is watched */
        uilab_push(&u, EV_RETIRE, first + k, &none);
    uilab_draw(&u, 50, 200);
    must_show(&u, "4✓ 2✗ 2◷");
    uilab_connect(&u);
    uilab_draw(&u, 50, 200);
    must_show(&u, "4✓ 2✗ 2◷");
    shows(&u, "earlier", false);
    uilab_draw(&u, 50, 200); /* and beside the list */
    must_show(&u, "4 done, 2 waiting, 2 failed");
    must_show(&u, "2 failed elements have left the queue");
    uilab_fini(&u);
}

/* The task that failed comes first; those that were stopped because of it have not failed. */
static void a_failed_step_job_names_its_culprit(void **unused)
{
    (void)unused;
    struct uilab u;
    uilab_init(&u);
    lab_node(&u.lab, "gpu1", 8, 16000, 4, NULL);
    lab_part(&u.lab, "main", "gpu1");
    lab_configure(&u.lab);
    struct job *j = lab_job(&u.lab, JOB_KIND_STEPS);
    lab_step(j, "train", 6);
    lab_step(j, "collect", 1);
    uint32_t id = lab_submit(&u.lab, j);
    for (uint32_t k = 0; k < 5; k++)
        assert_int_equal(lab_place(&u.lab, id, 0, k, lab_alloc("gpu1", k, 1, 0, 0, 1)), 0);
    assert_int_equal(lab_end(&u.lab, id, 0, 4, END_EXITED, 1, 0), 0);
    for (uint32_t k = 0; k < 4; k++)
        assert_int_equal(lab_end(&u.lab, id, 0, k, END_KILLED, 0, 15), 0);
    uilab_connect(&u);
    shows(&u, "failed: step 0 task 4", true);
    uilab_keys(&u, "<Enter>");
    shows(&u, "failed: step 0 task 4 exited with 1 on gpu1", true);
    uilab_draw(&u, 50, 200);
    must_show(&u, "1 failed (task 4, exit 1, gpu1), 4 stopped because of it, 1 not run");
    must_show(&u, "- ");
    must_show(&u, "not run (step 0 failed)");
    must_show(&u, "stopped: task 4 failed");
    must_not_show(&u, "killed on request");
    must_not_show(&u, "later");
    uilab_keys(&u, "E");
    if (!strstr(cursor_row(&u), "task 4"))
        fail_msg("E goes to %s", cursor_row(&u));
    uilab_keys(&u, "gj");
    uilab_fini(&u);
}

/* Its output: neither there nor over. */
static void a_task_that_waits_says_so(void **unused)
{
    (void)unused;
    struct uilab u;
    uilab_init(&u);
    lab_node(&u.lab, "gpu1", 8, 16000, 4, NULL);
    lab_part(&u.lab, "main", "gpu1");
    lab_configure(&u.lab);
    struct job *j = lab_job(&u.lab, JOB_KIND_STEPS);
    lab_step(j, "train", 2)->gpus = 1;
    uint32_t id = lab_submit(&u.lab, j);
    assert_int_equal(lab_place(&u.lab, id, 0, 0, lab_alloc("gpu1", 0, 1, 0, 1, 1)), 0);
    assert_int_equal(lab_running(&u.lab, id, 0, 0), 0);
    uilab_connect(&u);
    uilab_keys(&u, "<Enter>jjl");
    shows(&u, "step 0 task 1  waiting", true);
    shows(&u, "Task 1 of step 0 waits for resources: it needs 1 CPU, 1 GPU.", true);
    shows(&u, "Its output will appear here.", true);
    shows(&u, "ended", false);
    uilab_fini(&u);
}

static void refuse_script(struct uilab *u)
{
    uilab_result(u, MSG_SCRIPT, REFUSAL_NO_JOB, "the script of job 4 is not kept any more", 0);
}

/* Whose script is not kept, too long or too long ago: its file may be read again. */
static void past_jobs_come_back_from_their_files(void **unused)
{
    (void)unused;
    struct uilab u;
    struct demo_cluster s;
    char path[256];
    const char *tmp = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/relax.%d.sh", tmp ? tmp : "/tmp", (int)getpid());
    uilab_init(&u);
    demo_cluster_build(&u.lab, &s);
    struct job *j = lab_get(&u.lab, s.timeout);
    free(job_origin(j)->command);
    job_origin_mut(j)->command = xstrdup(path);
    uilab_connect(&u);
    uilab_keys(&u, "6/relax<Enter>B");
    refuse_script(&u);
    shows(&u, "the script is no longer stored, and", true);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs("#!/bin/sh\nrelax --hard\n", f);
    fclose(f);
    uilab_keys(&u, "B");
    refuse_script(&u);
    uilab_draw(&u, 43, 132);
    assert_true(uilab_find(&u, "relax --hard") >= 0);
    assert_true(uilab_find(&u, "#SBATCH --time=4:00:00") >= 0);
    assert_true(uilab_find(&u, "the script is no longer stored: this is") >= 0);
    uilab_keys(&u, "<Esc><Esc>y6<Esc>/merge<Enter>S"); /* by a relative name: relative to what is unknown */
    refuse_script(&u);
    shows(&u, "is not kept any more", true);
    unlink(path);
    uilab_fini(&u);
}

/* What has ended is neither cancelled nor asked why it waits. */
static void the_footer_says_what_is_good_for_it(void **state)
{
    static const struct {
        const char *keys, *has, *lacks;
    } rows[] = {
        {"/train-resnet<Enter>", "w why  c cancel", "S again"},
        {"/prepare<Enter>", "S again", "c cancel"},
        {"/relax<Enter>", "S again  B bigger", "c cancel"},
        {"<Enter>", "S again  B bigger", "c cancel"},
        {"q6/merge<Enter>", "S again  B bigger", "F failed"},
        {"/sweep<Enter>", "S again  F failed only", "B bigger"},
        {"1/prepare<Enter> /eval<Enter>", "c cancel", "S again"}, /* one is marked */
    };
    struct ui_fixture *g = *state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        uilab_keys(&g->u, "<Esc>");
        uilab_keys(&g->u, rows[i].keys);
        shows(&g->u, rows[i].has, true);
        shows(&g->u, rows[i].lacks, false);
    }
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, ui_fixture_up, ui_fixture_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_hold_of_many_is_not_counted),
        CASE(of_many_that_have_ended_all_are_meant),
        CASE(a_change_begins_at_the_real_priority),
        CASE(what_is_copied_is_chosen),
        CASE(no_row_no_keys_for_it),
        CASE(no_keys_for_jobs_of_others),
        CASE(changes_are_those_of_the_job),
        CASE(times_are_typed_as_everywhere),
        CASE(the_footer_says_what_is_good_for_it),
        CASE(why_of_an_array_is_of_what_waits),
        CASE(a_finished_array_tells_how_it_went),
        cmocka_unit_test(jobs_of_others_are_left_out),
        cmocka_unit_test(the_story_tells_who_did_it),
        CASE(causes_are_said_once_and_jobs_by_name),
        UI_FIXTURE_CASE(the_room_is_drawn),
        cmocka_unit_test(w_of_a_running_job_says_what_waits),
        UI_FIXTURE_CASE(limits_and_dependencies_are_drawn),
        UI_FIXTURE_CASE(a_cause_is_whole_where_there_is_room),
        UI_FIXTURE_CASE(the_list_says_what_w_says),
        cmocka_unit_test(an_end_is_said_once),
        cmocka_unit_test(what_is_refused_is_not_offered),
        cmocka_unit_test(progress_counts_what_has_left_the_queue),
        cmocka_unit_test(an_array_keeps_its_counts),
        cmocka_unit_test(a_failed_step_job_names_its_culprit),
        cmocka_unit_test(a_task_that_waits_says_so),
        cmocka_unit_test(past_jobs_come_back_from_their_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
