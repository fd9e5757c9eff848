/* test_screens.c - GPUs, the timeline, partitions, history and usage: what they count, what they ask for,
 * where Enter leads. */
#include "src/base/xalloc.h"
#include "tests/screen/ui_fixture.h"

/* --- GPUs --- */

static void every_gpu_has_its_letter(void **state)
{
    static const uint32_t busy[] = {97, 2, 0, 0, 0, 60, 88, 0};
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "3t");
    assert_non_null(uilab_sent(u, MSG_WATCH_UTIL)); /* measured while the screen is shown */
    uilab_draw(u, 24, 80);
    must_show(u, "a100   32: 10 free, 5 on one node  12 offline  10 allocated");
    must_show(u, "gpu04    ########"); /* empty GPUs of a drained node are not free */
    feed_util(u, "gpu01", busy, N_OF(busy), 2, 0);
    uilab_draw(u, 24, 80);
    must_show(u, "gpu01    Bb...!C.");
    must_show(u, "1 idle");
    must_show(u, "1 foreign load");
    uilab_golden(u, "gpus-measured", 43, 132);
    uilab_wait(u, 10000); /* nothing is told any more: then nothing is shown that was not measured */
    uilab_draw(u, 24, 80);
    must_show(u, "gpu01    BB....C.");
    uilab_keys(u, "1");
    const struct msg_watch_util *flag = uilab_sent(u, MSG_WATCH_UTIL)->body;
    assert_false(flag->on);
}

/* A block for each GPU: its owner, how busy it is, for how long it has not been used. */
static void every_gpu_has_its_block(void **state)
{
    static const uint32_t busy[] = {97, 2, 0, 0, 0, 60, 88, 0};
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "3");
    uilab_draw(u, 24, 80);
    must_show(u, "pretra\u2026"); /* in place of what is not measured */
    must_show(u, "not known: the use of the GPUs is not measured");
    must_not_show(u, "brightness");
    for (int i = 0; i < 20; i++) {
        feed_util(u, "gpu01", busy, N_OF(busy), 2, 8000);
        uilab_wait(u, 1000);
    }
    feed_util(u, "gpu01", busy, N_OF(busy), 2, 8000);
    uilab_golden_in_all(u, "gpus-map", 24, 80);
    must_show(u, "97% 40G");
    must_show(u, "brightness");
    must_show(u, "unused for 1 h 12 min");
    must_show(u, "1h12m");
    must_show(u, "drained");
    must_show(u, "9 a100: 4 on gpu01, 5 on gpu02");
    must_show(u, "pretrain of alice: GPU 1 of gpu01 unused");
    uilab_golden_in_all(u, "gpus-map", 43, 132);
    must_show(u, "idle 1h12m");
    keys_show(u, "t", "gpu01    Bb");
}

/* A device that does not work is told from one whose node takes no jobs, whichever job has it. */
static void a_broken_gpu_is_told(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    struct ev_node found = {.node = xstrdup("gpu01"), .state = NODE_UP, .boot_id = xstrdup("b"), .gpus = 8};
    cpuset_add(&found.gpus_out, 1);
    cpuset_add(&found.gpus_out, 4);
    found.gpus_lost = found.gpus_out;
    strv_push(&found.gpu_notes, "4 fell off the bus");
    uilab_push(u, EV_NODE, 0, &found);
    rec_fini(&ev_node_rec, &found);
    uilab_keys(u, "3t");
    uilab_draw(u, 24, 80);
    must_show(u, "gpu01    BX..X.C.    4  a100");
    must_show(u, "2 broken  12 offline");
    must_show(u, "X broken"); /* what the sign means */
    uilab_draw(u, 12, 40);
    must_show(u, "9 free, 5 on one node"); /* what does not fit is left out, not cut within its number */
    must_not_show(u, "2 br");
    uilab_keys(u, "2");
    uilab_draw(u, 24, 80);
    must_show(u, "\u25a0X\u00b7\u00b7X\u00b7\u25a0\u00b7 3/8");
}

/* 80 columns have no pane beside the list: what its columns cut stands below it. */
static void details_stand_below_the_list(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "2/gpu04<Enter>");
    uilab_draw(u, 24, 80);
    must_show(u, "fan 2 is loud, ticket 311  by");
    uilab_keys(u, "<Esc>");
    must_show(u, "drained for");
    uilab_draw(u, 14, 80); /* not where the list needs the lines */
    must_not_show(u, "drained for");
    must_show(u, "cpu06");
    uilab_keys(u, "3tg");
    uilab_draw(u, 24, 80);
    must_show(u, "6   alice/crossval");
    uilab_draw(u, 43, 132); /* beside it, and once */
    check_int("column", uilab_find(u, "gpu01  a100") > 0, 1);
}

/* It has no agent to hear of: that is not a fault, and it has nothing that could be held. */
static void a_login_node_is_not_out(void **unused)
{
    (void)unused;
    struct uilab u;
    uilab_init(&u);
    lab_node(&u.lab, "front", 4, 8192, 0, "")->role = xstrdup("login");
    lab_node(&u.lab, "n1", 4, 8192, 0, "");
    lab_part(&u.lab, "main", "n1");
    lab_configure(&u.lab);
    struct ev_node away = {.node = xstrdup("front"), .state = NODE_UNKNOWN};
    lab_must(&u.lab, EV_NODE, 0, &away);
    uilab_connect(&u);
    uilab_keys(&u, "2");
    uilab_draw(&u, 24, 80);
    must_show(&u, "- front");
    must_show(&u, "login node, runs no jobs");
    must_not_show(&u, "[xx");
    must_not_show(&u, "unknown");
    uilab_fini(&u);
}

/* The agent has watched it all the time: screens that have just been opened know as much. */
static void a_gpu_that_idles_long_is_told(void **state)
{
    static const uint32_t busy[] = {97, 2, 0, 0, 0, 0, 88, 0};
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uint32_t idle_s = 0;
    uilab_keys(u, "2");
    for (int i = 0; i < 60; i++) {
        feed_util(u, "gpu01", busy, N_OF(busy), 0, idle_s);
        uilab_wait(u, 1000);
    }
    idle_s = 599;
    feed_util(u, "gpu01", busy, N_OF(busy), 0, idle_s);
    uilab_draw(u, 50, 240);
    must_show(u, "idle for 9"); /* in the pane alone */
    must_not_show(u, "alice's GPU");
    idle_s = 8000; /* the job holds it for 73 minutes only */
    feed_util(u, "gpu01", busy, N_OF(busy), 0, idle_s);
    uilab_draw(u, 50, 200);
    must_show(u, "alice's GPU 1 idle for 1 h 13 min");
    uilab_golden(u, "nodes-measured", 50, 200);
    uilab_wait(u, 60000); /* what is not measured is not told */
    uilab_draw(u, 50, 200);
    must_not_show(u, "idle for");
}

static void gpus_act_on_nodes(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "3jd");
    uilab_draw(u, 24, 80);
    must_show(u, "drain gpu02");
    uilab_keys(u, "<Esc><Enter>");
    uilab_draw(u, 24, 80);
    must_show(u, "Node gpu02");
}

/* --- partitions --- */

static void partitions_lead_to_their_jobs(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    keys_show(u, "5", "1  next in line, nothing fits yet");
    keys_show(u, "j", "58  not looked at yet");
    keys_show(u, "<Enter>", "filter part:cpu");
    must_show(u, "sweep");
    must_not_show(u, "finetune");
}

/* --- history --- */

static struct job *past_job(uint32_t id, const char *name, enum job_state state)
{
    struct job *j = job_new();
    j->id = id;
    j->state = (uint8_t)state;
    j->user = xstrdup("dana");
    j->uid = 1007;
    free(j->req.name);
    j->req.name = xstrdup(name);
    j->t_submit.ms = 1795000000000;
    j->t_start.ms = 1795000100000;
    j->t_end.ms = 1795000100000 + (int64_t)id * 1000;
    j->time_limit_s = 3600;
    return j;
}

static void answer_history(struct uilab *u, struct job *const *jobs, size_t n)
{
    const struct uilab_sent *s = uilab_sent(u, MSG_HISTORY);
    assert_non_null(s);
    uint64_t tag = s->tag;
    for (size_t i = 0; i < n; i++) { /* in pieces, as the store gives them */
        struct msg_jobs rows = {0};
        rec_copy(&job_rec, rec_list_push(&rows.rows), jobs[i]);
        uilab_feed(u, MSG_JOBS, tag, &rows);
        rec_fini(&msg_jobs_rec, &rows);
    }
    struct msg_history_end end = {.n = (uint32_t)n};
    uilab_feed(u, MSG_HISTORY_END, tag, &end);
}

static void history_has_what_left_the_queue(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "6");
    uilab_draw(u, 24, 80);
    must_show(u, "loading");
    must_show(u, "8_[0-99]"); /* the array is one row */
    must_show(u, "32✓ 2✗");
    must_show(u, "out of memory");
    struct job *jobs[] = {past_job(900, "longgone", JOB_TIMEOUT), past_job(901, "older", JOB_COMPLETED)};
    answer_history(u, jobs, 2);
    uilab_draw(u, 24, 80);
    must_not_show(u, "loading");
    must_show(u, "longgone");
    keys_show(u, "/longgone<Enter><Enter>", "Job 900"); /* its page, though the queue has forgotten it */
    must_show(u, "timeout");
    uilab_keys(u, "q<Esc>");
    job_free(jobs[0]);
    job_free(jobs[1]);

    /* What leaves the queue while one looks stays here. */
    struct ev_none none = {0};
    uilab_push(u, EV_RETIRE, g->s.done, &none);
    keys_show(u, "/prepare<Enter>", "prepare");
    uilab_forget_sent(u);
    uilab_keys(u, "<Esc>16");
    assert_null(uilab_sent(u, MSG_HISTORY)); /* asked for once */
}

static void history_says_what_was_used(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    struct job *j = past_job(900, "hungry", JOB_OUT_OF_MEMORY);
    j->uid = 1000;
    struct alloc *a = rec_list_push(&j->alloc);
    *a = (struct alloc){.node = xstrdup("cpu03"), .mem_mib = 63488};
    cpuset_add_range(&a->cpus, 0, 4);
    struct step *s = rec_list_push(&j->steps);
    *s = (struct step){.id = STEP_BATCH, .done = true};
    struct task *t = rec_list_push(&s->tasks);
    *t = (struct task){.state = TASK_DONE,
                       .end_kind = END_OOM,
                       .alloc = {.node = xstrdup("cpu03"), .mem_mib = 63488},
                       .peak_rss_kib = 64900000,
                       .sampled = xstrdup("every 1 s"),
                       .cpu_ms = 2880000,
                       .gpu_use = {.measured_s = 2400, .permille = 421, .peak_mib = 31744, .unused = 1}};
    cpuset_add_range(&a->gpus, 0, 2);
    cpuset_add_range(&t->alloc.gpus, 0, 2);
    uilab_keys(u, "6");
    answer_history(u, &j, 1);
    job_free(j);
    uilab_keys(u, "/hungry<Enter>");
    uilab_golden(u, "history-used", 43, 132);
    must_not_show(u, "% of CPUs"); /* of all users together it would help no user */
    keys_show(u, "m", "used 99% of memory, 80% of CPUs, 42% of G");
    uilab_keys(u, "m");
    uilab_draw(u, 43, 132);
    must_show(u, "80%"); /* of the CPUs */
    must_show(u, "--mem=124G");
    must_show(u, "at most 31G of GPU memory");
    must_show(u, "It used 1 of its 2 GPUs: ask for 1");
}

/* A page of the answer: its ids go down from there. */
static void answer_page(struct uilab *u, uint32_t first_id, size_t n)
{
    uint64_t tag = uilab_sent(u, MSG_HISTORY)->tag;
    struct msg_jobs rows = {0};
    for (size_t i = 0; i < n; i++) {
        struct job *j = past_job(first_id - (uint32_t)i, i % 50 ? "old" : "rare", JOB_COMPLETED);
        rec_copy(&job_rec, rec_list_push(&rows.rows), j);
        job_free(j);
    }
    uilab_feed(u, MSG_JOBS, tag, &rows);
    rec_fini(&msg_jobs_rec, &rows);
    struct msg_history_end end = {.n = (uint32_t)n};
    uilab_forget_sent(u);
    uilab_feed(u, MSG_HISTORY_END, tag, &end);
    uilab_draw(u, 24, 80);
}

static void history_goes_on_page_by_page(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "6");
    const struct msg_history *q = uilab_sent(u, MSG_HISTORY)->body;
    assert_true(q->newest);
    check_int("a page", q->limit, 500);
    assert_false(wall_is_set(q->before));
    answer_page(u, 90000, 500);
    must_show(u, "back to ");
    assert_null(uilab_sent(u, MSG_HISTORY)); /* the screen is not shown */
    uilab_keys(u, "jjj<PgDn>");
    assert_null(uilab_sent(u, MSG_HISTORY));
    uilab_keys(u, "G");
    uilab_draw(u, 24, 80);
    must_show(u, "loading");
    q = uilab_sent(u, MSG_HISTORY)->body;
    check_int("it begins behind the last row", q->before_job, 89501);
    assert_true(wall_is_set(q->before));
    must_show(u, "89501"); /* and one can go on meanwhile */
    answer_page(u, 89500, 500);
    must_show(u, "89501"); /* the cursor stays where it was */
    uilab_keys(u, "G");
    answer_page(u, 89000, 3); /* less than a page: there is no more */
    must_not_show(u, "back to");
    uilab_keys(u, "Gkkg G");
    assert_null(uilab_sent(u, MSG_HISTORY));
}

static void the_controller_looks_for_what_the_filter_says(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "6");
    answer_page(u, 90000, 500);
    uilab_keys(u, "/user:dan state:TIME part:gpu !name:x gpus:>1");
    assert_null(uilab_sent(u, MSG_HISTORY)); /* not at each letter */
    uilab_keys(u, "<Enter>");
    const struct msg_history *q = uilab_sent(u, MSG_HISTORY)->body;
    check_str("user", q->user_like, "dan");
    check_str("partition", q->partition_like, "gpu");
    check_int("states", q->states, 1u << JOB_TIMEOUT);
    assert_null(q->name_like); /* what is turned round is looked for here */
    assert_false(wall_is_set(q->before));
    uilab_forget_sent(u);
    uilab_keys(u, "jk");
    assert_null(uilab_sent(u, MSG_HISTORY)); /* one question at a time */
}

/* Words that the controller does not know are looked for here, in some more pages, but not in all there
 * are. */
static void a_rare_word_does_not_walk_for_ever(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uint32_t id = 90000;
    uilab_keys(u, "6/rare<Enter>");
    int pages = 0;
    for (; uilab_sent(u, MSG_HISTORY) && pages < 50; pages++, id -= 500)
        answer_page(u, id, 500);
    assert_true(pages >= 3 && pages <= 6); /* then the screen is full twice over */
    uilab_keys(u, "/nowhere<Enter>");
    for (pages = 0; uilab_sent(u, MSG_HISTORY) && pages < 50; pages++, id -= 500)
        answer_page(u, id, 500);
    assert_true(pages > 5 && pages < 12);
    uilab_keys(u, "G"); /* the reader may go on */
    assert_non_null(uilab_sent(u, MSG_HISTORY));
}

static void another_filter_while_a_page_comes(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "6/user:bo<Enter>"); /* the first question is still open */
    uint64_t tag = uilab_sent(u, MSG_HISTORY)->tag;
    const struct msg_history *q = uilab_sent(u, MSG_HISTORY)->body;
    assert_null(q->user_like);
    struct msg_history_end end = {.n = 0};
    uilab_forget_sent(u);
    uilab_feed(u, MSG_HISTORY_END, tag, &end);
    q = uilab_sent(u, MSG_HISTORY)->body;
    check_str("then the other", q->user_like, "bo");
    follow_lost(u->app, "cut");
    uilab_forget_sent(u);
    uilab_connect(u);
    uilab_draw(u, 24, 80);
    q = uilab_sent(u, MSG_HISTORY)->body;
    check_str("asked again", q->user_like, "bo");
}

static void history_survives_a_controller_that_has_none(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "6");
    uilab_result(u, MSG_HISTORY, REFUSAL_NOT_SUPPORTED, "no", 0);
    uilab_draw(u, 24, 80);
    must_not_show(u, "loading");
    must_show(u, "out of memory");
}

/* --- usage --- */

/* A user with all of the share has the longest text; the legend explains bars only where there are bars. */
static void all_of_the_share_is_not_cut(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "7");
    uilab_draw(u, 24, 80);
    struct msg_shares_rows m = {0};
    *rec_list_push(&m.rows) = (struct share_row){.account = xstrdup("root")};
    *rec_list_push(&m.rows) = (struct share_row){.account = xstrdup("vision"),
                                                 .parent = xstrdup("root"),
                                                 .level = 1,
                                                 .norm_shares = 1,
                                                 .effective_usage = 1};
    uilab_feed(u, MSG_SHARES_ROWS, uilab_sent(u, MSG_SHARES)->tag, &m);
    rec_fini(&msg_shares_rows_rec, &m);
    for (int cols = 80; cols <= 200; cols += 10) {
        uilab_draw(u, 30, cols);
        must_show(u, "100% of 100%");
    }
    must_show(u, "beyond it");
    uilab_draw(u, 24, 72);
    must_show(u, "100% of 100%");
    must_not_show(u, "beyond it");
    must_show(u, "FACTOR 1 is the highest priority");
}

static void usage_counts_and_asks(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    keys_show(u, "7", "vision");
    const struct uilab_sent *s = uilab_sent(u, MSG_SHARES);
    assert_non_null(s);
    struct msg_shares_rows m = {0};
    *rec_list_push(&m.rows) = (struct share_row){.account = xstrdup("root")};
    *rec_list_push(&m.rows) = (struct share_row){.account = xstrdup("vision"),
                                                 .parent = xstrdup("root"),
                                                 .level = 1,
                                                 .norm_shares = 0.5,
                                                 .effective_usage = 0.61,
                                                 .gpu_hours = 132.44};
    *rec_list_push(&m.rows) = (struct share_row){.account = xstrdup("vision"),
                                                 .user = xstrdup("alice"),
                                                 .level = 2,
                                                 .norm_shares = 0.5,
                                                 .effective_usage = 0.91,
                                                 .gpu_hours = 120.1,
                                                 .fairshare = 0.42};
    m.more = true;
    uilab_feed(u, MSG_SHARES_ROWS, s->tag, &m);
    rec_fini(&msg_shares_rows_rec, &m);
    s = uilab_sent(u, MSG_SHARES);
    check_int("skip", ((const struct msg_shares *)s->body)->skip, 3); /* the rest of a long answer */
    *rec_list_push(&m.rows) = (struct share_row){.account = xstrdup("vision"),
                                                 .user = xstrdup("eve"),
                                                 .level = 2,
                                                 .gpu_hours = 12.3,
                                                 .fairshare = 0.9};
    m.more = false;
    uilab_feed(u, MSG_SHARES_ROWS, s->tag, &m);
    rec_fini(&msg_shares_rows_rec, &m);
    uilab_golden(u, "usage-shares", 24, 80);
    uilab_golden(u, "usage-shares", 43, 132);
    uilab_forget_sent(u);
    changes_everything(u->app);
    uilab_draw(u, 24, 80);
    assert_null(uilab_sent(u, MSG_SHARES));              /* not at each change */
    keys_show(u, "/bo<Enter><Enter>", "filter user:bo"); /* the row that matches */
    keys_show(u, "7gj<Enter>", "filter user:");
}

/* --- the timeline --- */

static void the_plan_is_on_a_line_of_time(void **state)
{
    static const int sizes[][2] = {{12, 40}, {24, 80}, {30, 100}, {43, 132}, {50, 160}, {50, 200}};
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "4");
    feed_plan(u, &g->s);
    for (size_t i = 0; i < N_OF(sizes); i++)
        uilab_golden_in_all(u, "timeline", sizes[i][0], sizes[i][1]);
    uilab_draw(u, 24, 80);
    must_show(u, "pretrain of bo: running since");
    for (int cols = 60; cols <= 80; cols++) { /* the end was cut off while the next line had room */
        uilab_draw(u, 24, cols);
        must_not_show(u, "ends by\u2026");
        must_not_show(u, "en\u2026");
    }
    uilab_draw(u, 24, 60);
    must_show(u, "ends by");
}

/* The title was cut in the middle of the plan's age. */
static void the_plans_title_fits_40_columns(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "4");
    feed_plan(u, &g->s);
    uilab_draw(u, 10, 40);
    must_show(u, "Timeline 6 h by node   40 s old");
    uilab_keys(u, "-"); /* longer words: 12 h, and minutes */
    uilab_wait(u, 20 * 60 * 1000);
    uilab_draw(u, 10, 40);
    must_show(u, "Timeline 12 h by node   20 min old");
}

static void the_timeline_tells_how_forecasts_came_true(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    struct msg_plan p = {.now = u->lab.now, .made = u->lab.now};
    *(struct score_row *)rec_list_push(&p.scores.rows) = (struct score_row){
        .starts = 200, .later = 3, .ranges = 100, .before = 25, .inside = 48, .behind = 27};
    uilab_keys(u, "4");
    uilab_feed(u, MSG_PLAN_DATA, uilab_sent(u, MSG_PLAN)->tag, &p);
    uilab_draw(u, 24, 80);
    must_show(u, "200 starts were forecast: 48 % within their range, 2 % later than told");
    uilab_draw(u, 12, 80); /* the rows need the lines */
    must_not_show(u, "were forecast");
    rec_fini(&msg_plan_rec, &p);
}

static void the_cursor_tells_what_is_there(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "4");
    feed_plan(u, &g->s);
    uilab_draw(u, 24, 80);
    must_show(u, "pretrain");
    for (int i = 0; i < 25; i++)
        uilab_keys(u, "<Right>");
    uilab_draw(u, 24, 80);
    must_show(u, "finetune-7b of bo: starts about");
    must_show(u, "planned start; waits: next in line, nothing fits yet");
    keys_show(u, "<Enter>", "Job 52");
    keys_show(u, "q", "finetune");
    uilab_keys(u, "j"); /* the other lane of the node */
    uilab_draw(u, 24, 80);
    must_show(u, "nothing further is planned");
    for (int i = 0; i < 40; i++)
        uilab_keys(u, "<Left>");
    keys_show(u, "t", "GPUS");
    keys_show(u, "t", "report");
    must_show(u, "not known");
    keys_show(u, "-", "12 h by job");
    keys_show(u, "/ablation<Enter>", "ablation");
    must_not_show(u, "train-resnet");
    uilab_golden(u, "timeline-by-job", 24, 80);
}

static void the_plan_is_asked_for_seldom(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "4");
    feed_plan(u, &g->s);
    uilab_forget_sent(u);
    changes_everything(u->app);
    uilab_draw(u, 24, 80);
    assert_null(uilab_sent(u, MSG_PLAN));
    uilab_wait(u, 5000); /* ... and is not forgotten where nothing changes any more */
    assert_non_null(uilab_sent(u, MSG_PLAN));
    struct msg_plan p = {.now = u->lab.now, .made = u->lab.now};
    uilab_feed(u, MSG_PLAN_DATA, uilab_sent(u, MSG_PLAN)->tag, &p);
    uilab_forget_sent(u);
    uilab_wait(u, 5000);
    uilab_wait(u, 70000);
    uilab_draw(u, 24, 80);
    assert_null(uilab_sent(u, MSG_PLAN)); /* nothing has changed */
    changes_everything(u->app);
    uilab_draw(u, 24, 80);
    assert_non_null(uilab_sent(u, MSG_PLAN));
}

/* --- why --- */

static void why_of_a_held_job_releases_it(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/ablation<Enter>w");
    struct msg_why w = {.job = g->s.held};
    *(struct cause *)rec_list_push(&w.causes) =
        (struct cause){.cls = WHY_HELD, .code = CAUSE_HELD_BY_OWNER, .user = xstrdup("ann")};
    uilab_feed(u, MSG_WHY_CAUSES, uilab_sent(u, MSG_WHY)->tag, &w);
    rec_fini(&msg_why_rec, &w);
    uilab_draw(u, 24, 80);
    must_show(u, "Enter release");
    uilab_keys(u, "<Enter><Enter>"); /* ... and the question that every action asks */
    const struct msg_act *act = uilab_sent(u, MSG_ACT)->body;
    check_int("released", act->act, ACT_RELEASE);
    check_int("job", act->targets.v[0].job, g->s.held);
}

/* The controller would only say that it does not wait. */
static void why_of_what_does_not_wait_is_known_here(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    keys_show(u, "/train-res<Enter>w", "until");
    must_show(u, "on      gpu03");
    keys_show(u, "<Esc><Esc>/merge<Enter>w", "out of memory  cpu03");
    must_show(u, "ended   ");
    must_show(u, ", after 45:12 of ");
    assert_null(uilab_sent(u, MSG_WHY));
}

/* The box stands while the queue moves: it is asked again, though not at each event, and says when the job
 * has started. */
static void why_is_kept_up_while_it_is_open(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/finetune<Enter>w");
    const struct uilab_sent *first = uilab_sent(u, MSG_WHY);
    struct msg_why w = {.job = g->s.big};
    struct cause *c = rec_list_push(&w.causes);
    *c = (struct cause){.cls = WHY_BUSY, .code = CAUSE_NEEDS_GPUS, .asked = 8};
    uilab_feed(u, MSG_WHY_CAUSES, first->tag, &w);
    uilab_draw(u, 24, 80);
    must_show(u, "8 GPUs (0 free)");
    uilab_forget_sent(u);
    struct ev_hold hold = {.hold = HOLD_USER};
    uilab_push(u, EV_HOLD, g->s.eval, &hold);
    uilab_draw(u, 24, 80);
    assert_null(uilab_sent(u, MSG_WHY)); /* just asked */
    uilab_wait(u, 2500);
    const struct uilab_sent *again = uilab_sent(u, MSG_WHY);
    assert_non_null(again);
    c->asked = 4;
    uilab_feed(u, MSG_WHY_CAUSES, again->tag, &w);
    rec_fini(&msg_why_rec, &w);
    uilab_draw(u, 24, 80);
    must_show(u, "4 GPUs (0 free)");
    must_not_show(u, "8 GPUs (0 free)");
    uilab_forget_sent(u);
    uilab_wait(u, 60000); /* nothing moves: nothing is asked */
    assert_null(uilab_sent(u, MSG_WHY));
    struct ev_kill kill = {.step = STEP_ALL, .cause = KILL_CANCEL};
    uilab_push(u, EV_KILL, g->s.big, &kill);
    uilab_draw(u, 24, 80);
    must_not_show(u, "4 GPUs (0 free)");
    must_show(u, "cancelled");
}

/* What can never come true is taken away by the same key as what else would help. */
static void a_dead_dependency_can_be_taken_away(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/report<Enter>w");
    const struct uilab_sent *s = uilab_sent(u, MSG_WHY);
    uint32_t job = ((const struct msg_job *)s->body)->target.job;
    struct msg_why w = {.job = job};
    *(struct cause *)rec_list_push(&w.causes) =
        (struct cause){.cls = WHY_DEP_DEAD, .code = CAUSE_DEPENDENCY_NEVER};
    uilab_feed(u, MSG_WHY_CAUSES, s->tag, &w);
    rec_fini(&msg_why_rec, &w);
    uilab_draw(u, 24, 80);
    must_show(u, "try     remove the dependency");
    must_show(u, "Enter remove the dependency");
    keys_show(u, "<Enter>", "to Dependency=");
    uilab_keys(u, "y");
    const struct msg_update *m = uilab_sent(u, MSG_UPDATE)->body;
    check_int("job", m->target.job, job);
    check_str("change", m->changes.v[0], "Dependency=");
}

/* Nothing is offered that would be refused. */
static void no_remedy_for_jobs_of_others(void **state)
{
    (void)state;
    struct uilab u;
    struct demo_cluster s;
    uilab_init(&u);
    demo_cluster_build(&u.lab, &s);
    u.ordinary = true;
    u.uid = 54321;
    uilab_connect(&u);
    uilab_keys(&u, "/ablation<Enter>w");
    struct msg_why w = {.job = s.held};
    *(struct cause *)rec_list_push(&w.causes) =
        (struct cause){.cls = WHY_HELD, .code = CAUSE_HELD_BY_OWNER, .user = xstrdup("ann")};
    uilab_feed(&u, MSG_WHY_CAUSES, uilab_sent(&u, MSG_WHY)->tag, &w);
    rec_fini(&msg_why_rec, &w);
    uilab_draw(&u, 24, 80);
    must_show(&u, " held by ann");
    must_not_show(&u, "Enter release");
    uilab_fini(&u);
}

/* --- what is true of a job and a node --- */

static void a_job_between_its_tasks_holds_nothing(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    struct job *j = job_new();
    rec_fini(&job_rec, j);
    rec_copy(&job_rec, j, model_get_job(u->app->m, g->s.steps));
    for (size_t i = 0; i < j->steps.n; i++)
        for (size_t k = 0; k < j->steps.v[i].tasks.n; k++)
            if (j->steps.v[i].tasks.v[k].state == TASK_RUNNING)
                j->steps.v[i].tasks.v[k].state = TASK_WAITING;
    model_take_job(u->app->m, j);
    changes_everything(u->app);
    keys_show(u, "/crossval<Enter>", "4 tasks of fold wait");
    must_show(u, "      crossval");             /* neither CPUs nor GPUs */
    keys_show(u, "7", "10    60     80     4"); /* alice's: without them */
}

static void a_machine_at_rest_is_nobody_s(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "2/cpu01<Enter>");
    struct msg_util m = {.node = xstrdup("cpu01"), .t = u->lab.now, .cpu_permille = 40, .mem_mib = 131072};
    uilab_feed(u, MSG_UTIL, 0, &m);
    uilab_draw(u, 24, 80);
    must_show(u, "▞ foreign load"); /* the legend: the list leaves a line for it */
    must_not_show(u, "▞▞");
    m.cpu_permille = 400; /* a user works past the queue */
    uilab_feed(u, MSG_UTIL, 0, &m);
    rec_fini(&msg_util_rec, &m);
    uilab_draw(u, 24, 80);
    must_show(u, "▞▞▞▞▞");
    must_show(u, "·······  0/32");
}

/* --- notes --- */

static void notes_are_written(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    keys_show(u, "2e", "a note on gpu01");
    uilab_keys(u, "fans whistle<Enter>");
    const struct msg_node_note *m = uilab_sent(u, MSG_NODE_NOTE)->body;
    check_str("text", m->text, "fans whistle");
    check_str("node", m->nodes.v[0], "gpu01");
    uilab_result(u, MSG_NODE_NOTE, REFUSAL_NONE, NULL, 1);
    uilab_draw(u, 24, 80);
    must_show(u, "noted");
    uilab_forget_sent(u);
    uilab_keys(u, " j e");
    uilab_keys(u, "<Esc>:note gpu0[1-2] new  fans<Enter>");
    m = uilab_sent(u, MSG_NODE_NOTE)->body;
    check_int("nodes", (int64_t)m->nodes.n, 2);
    check_str("text", m->text, "new  fans");
}

/* Each row is a group of GPUs with the same jobs; a planned start is where GPUs are free for it. */
static void the_plan_has_a_row_for_gpus(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "4t");
    feed_plan(u, &g->s);
    uilab_golden_in_all(u, "timeline-by-gpu", 24, 80);
    must_show(u, "Timeline 6 h by GPU");
    uilab_golden_in_all(u, "timeline-by-gpu", 43, 132);
}

static void panes_beside_the_shares(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "7jj");
    uilab_draw(u, 43, 132);
    must_show(u, "alice  of vision");
    must_show(u, "Running, the biggest first");
    must_show(u, "Waiting");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UI_FIXTURE_CASE(every_gpu_has_its_letter),
        UI_FIXTURE_CASE(every_gpu_has_its_block),
        UI_FIXTURE_CASE(a_broken_gpu_is_told),
        UI_FIXTURE_CASE(details_stand_below_the_list),
        UI_FIXTURE_CASE(a_login_node_is_not_out),
        UI_FIXTURE_CASE(a_gpu_that_idles_long_is_told),
        UI_FIXTURE_CASE(gpus_act_on_nodes),
        UI_FIXTURE_CASE(partitions_lead_to_their_jobs),
        UI_FIXTURE_CASE(history_has_what_left_the_queue),
        UI_FIXTURE_CASE(history_says_what_was_used),
        UI_FIXTURE_CASE(history_goes_on_page_by_page),
        UI_FIXTURE_CASE(the_controller_looks_for_what_the_filter_says),
        UI_FIXTURE_CASE(a_rare_word_does_not_walk_for_ever),
        UI_FIXTURE_CASE(another_filter_while_a_page_comes),
        UI_FIXTURE_CASE(history_survives_a_controller_that_has_none),
        UI_FIXTURE_CASE(all_of_the_share_is_not_cut),
        UI_FIXTURE_CASE(usage_counts_and_asks),
        UI_FIXTURE_CASE(the_plan_is_on_a_line_of_time),
        UI_FIXTURE_CASE(the_plans_title_fits_40_columns),
        UI_FIXTURE_CASE(the_cursor_tells_what_is_there),
        UI_FIXTURE_CASE(the_timeline_tells_how_forecasts_came_true),
        UI_FIXTURE_CASE(the_plan_is_asked_for_seldom),
        UI_FIXTURE_CASE(why_of_a_held_job_releases_it),
        UI_FIXTURE_CASE(why_of_what_does_not_wait_is_known_here),
        UI_FIXTURE_CASE(why_is_kept_up_while_it_is_open),
        UI_FIXTURE_CASE(a_dead_dependency_can_be_taken_away),
        cmocka_unit_test(no_remedy_for_jobs_of_others),
        UI_FIXTURE_CASE(a_job_between_its_tasks_holds_nothing),
        UI_FIXTURE_CASE(a_machine_at_rest_is_nobody_s),
        UI_FIXTURE_CASE(notes_are_written),
        UI_FIXTURE_CASE(the_plan_has_a_row_for_gpus),
        UI_FIXTURE_CASE(panes_beside_the_shares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
