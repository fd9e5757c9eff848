/* test_array.c - the page of an array: what it looks like, what it counts and estimates, and that its keys
 * hit what they should. */
#include "tests/lib/big_cluster.h"
#include "tests/screen/array_fixture.h"
#include "tests/screen/ui_fixture.h"
#include "ui/array/array_grid.h"

/* --- looks --- */

static void golden_sizes(void **state)
{
    static const int sizes[][2] = {{12, 40}, {24, 80}, {30, 100}, {43, 132}, {50, 160}, {50, 200}};
    struct array_fixture *g = *state;
    array_fixture_open(g, 24, 80);
    uilab_keys(&g->u, "E");
    for (size_t i = 0; i < N_OF(sizes); i++)
        uilab_golden_in_all(&g->u, "array", sizes[i][0], sizes[i][1]);
}

static void golden_ascii(void **state)
{
    static const int sizes[][2] = {{24, 80}, {43, 132}};
    (void)state;
    struct array_fixture g = {.answered = 0};
    uilab_init(&g.u);
    g.u.options.ascii = true;
    array_fixture_cluster(&g.u.lab);
    g.array = array_fixture_submit(&g.u.lab, 100, ARRAY_SLOTS);
    array_fixture_run(&g.u.lab, g.array, 36);
    uilab_connect(&g.u);
    array_fixture_open(&g, 24, 80);
    for (size_t i = 0; i < N_OF(sizes); i++) {
        uilab_golden(&g.u, "array-ascii", sizes[i][0], sizes[i][1]);
        for (const char *p = uilab_text(&g.u); *p; p++)
            if ((unsigned char)*p >= 0x80)
                fail_msg("not ASCII: %s", p);
    }
    uilab_fini(&g.u);
}

static void nothing_runs_yet(void **state)
{
    (void)state;
    struct uilab u;
    uilab_init(&u);
    array_fixture_cluster(&u.lab);
    array_fixture_submit(&u.lab, 20, 4);
    uilab_connect(&u);
    uilab_keys(&u, "<Enter>");
    uilab_draw(&u, 24, 80);
    must_show(&u, "no element runs now");
    must_show(&u, "20◷");
    must_not_show(&u, "takes");
    must_not_show(&u, "Run times");
    uilab_keys(&u, "<Enter>");
    uilab_draw(&u, 24, 80);
    must_show(&u, "element 0 has not started yet");
    uilab_fini(&u);
}

/* --- what it says --- */

static void failures_are_grouped(void **state)
{
    struct array_fixture *g = *state;
    array_fixture_open(g, 43, 132);
    must_show(&g->u, "3 elements in 2 ways");
    must_show(&g->u, "2 failed: exit 1  elements 11-12"); /* the numbers in their lines differ */
    must_show(&g->u, "RuntimeError: CUDA out of memory.");
    must_show(&g->u, "1 failed: exit 2  element 29");
    must_show(&g->u, "KeyError: 'label'");
}

static void the_last_lines_of_what_runs_are_live(void **state)
{
    struct array_fixture *g = *state;
    array_fixture_open(g, 43, 132);
    must_show(&g->u, "_37  gpu0");
    must_show(&g->u, "epoch  6/20  loss 0.761"); /* what the carriage return overwrote is gone */
    must_not_show(&g->u, "epoch  1/20");
    for (size_t i = g->u.sent.n; i-- > 0;) { /* one of them goes on */
        const struct uilab_sent *s = &g->u.sent.v[i];
        const struct msg_output_read *r = s->kind == MSG_OUTPUT_READ ? s->body : NULL;
        const struct job *j = r ? model_get_job(&g->u.lab.m, r->key.job) : NULL;
        if (!j || j->array_index != 37)
            continue;
        char text[] = "\nsaving the model";
        struct msg_output_data data = {.offset = r->offset,
                                       .data = {.p = (uint8_t *)text, .n = strlen(text)},
                                       .size = r->offset + strlen(text)};
        uilab_feed(&g->u, MSG_OUTPUT_DATA, s->tag, &data);
        break;
    }
    uilab_draw(&g->u, 43, 132);
    must_show(&g->u, "saving the model");
}

static void elements_that_have_left_still_count(void **state)
{
    struct array_fixture *g = *state;
    struct {
        int unused;
    } none = {0};
    const struct model *m = &g->u.lab.m;
    uint32_t retired[30];
    size_t n = 0;
    list_for_each (j, &m->ended, struct job, in_queue)
        if (n < N_OF(retired))
            retired[n++] = j->id;
    uint32_t failed = 0;
    for (size_t i = 0; i < n; i++) {
        failed += lab_get(&g->u.lab, retired[i])->state == JOB_FAILED;
        uilab_push(&g->u, EV_RETIRE, retired[i], &none);
    }
    assert_true(failed > 0);
    uilab_keys(&g->u, "<Enter>");
    uilab_draw(&g->u, 43, 132);
    must_show(&g->u, "33✓ 3✗ 8▶ 56◷");
    must_show(&g->u, "more have left the queue");
    assert_non_null(uilab_sent(&g->u, MSG_HISTORY)); /* so few are asked for by the page itself */
}

/* Those of before come from the history, those that leave while the page is open are kept. */
static void elements_come_from_the_history(void **state)
{
    struct array_fixture *g = *state;
    struct uilab *u = &g->u;
    struct {
        int unused;
    } none = {0};
    struct msg_jobs rows = {.rows = {0}};
    struct msg_history_end end = {.n = 1};
    uint32_t ids[3] = {0};
    list_for_each (j, &u->lab.m.all, struct job, in_all)
        if (j->array_index < N_OF(ids))
            ids[j->array_index] = j->id;
    struct job *row = rec_list_push(&rows.rows);
    rec_copy(&job_rec, row, lab_get(&u->lab, ids[0]));
    uilab_push(u, EV_RETIRE, ids[0], &none);
    uilab_keys(u, "<Enter>");
    uilab_draw(u, 24, 80);
    must_show(u, " _0  done, has left the queue");
    uint64_t tag = uilab_sent(u, MSG_HISTORY)->tag;
    uilab_feed(u, MSG_JOBS, tag, &rows);
    uilab_feed(u, MSG_HISTORY_END, tag, &end);
    uilab_forget_sent(u);
    uilab_draw(u, 24, 80);
    must_show(u, " _0  done  gpu01  ran 6:03");
    uilab_push(u, EV_RETIRE, ids[1], &none);
    uilab_keys(u, "<Right>");
    uilab_draw(u, 24, 80);
    must_show(u, " _1  done  gpu02  ran 8:20");
    assert_null(uilab_sent(u, MSG_HISTORY));
    uilab_keys(u, "a");
    uilab_draw(u, 24, 80);
    must_show(u, "all elements, 0 of 44 outputs"); /* theirs as well */
    rec_fini(&msg_jobs_rec, &rows);
}

/* --- keys --- */

static void keys_of_the_map(void **state)
{
    static const struct {
        const char *keys, *want;
    } rows[] = {
        {"<Right>", " _1  done"},
        {"<Right><Right><Left>", " _1  done"},
        {"<Left>", " _0  done"},
        {"<Down>", " _25  done"},
        {"<Down><Down><Up>", " _25  done"},
        {"G", " _99  waiting"},
        {"G<Home>", " _0  done"},
        {"E", " _11  failed: exit 1"},
        {"EE", " _12  failed: exit 1"},
        {"EEE", " _29  failed: exit 2"},
        {"EEEE", " _11  failed: exit 1"},
    };
    struct array_fixture *g = *state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        array_fixture_open(g, 24, 80);
        uilab_keys(&g->u, rows[i].keys);
        uilab_draw(&g->u, 24, 80);
        must_show(&g->u, rows[i].want);
        uilab_keys(&g->u, "q");
    }
}

static void the_slowest_is_a_key_away(void **state)
{
    struct array_fixture *g = *state;
    const struct model *m = &g->u.lab.m;
    uint32_t slowest = 0, most = 0;
    list_for_each (j, &m->all, struct job, in_all)
        if (j->array_index != ARRAY_NONE && job_run_s(j, g->u.lab.now) > most) {
            most = job_run_s(j, g->u.lab.now);
            slowest = j->array_index;
        }
    array_fixture_open(g, 24, 80);
    char want[32];
    snprintf(want, sizeof want, " _%u  done", slowest);
    uilab_keys(&g->u, "L");
    uilab_draw(&g->u, 24, 80);
    must_show(&g->u, want);
    uilab_keys(&g->u, "L");
    uilab_draw(&g->u, 24, 80);
    must_not_show(&g->u, want);
}

static void enter_opens_the_element(void **state)
{
    struct array_fixture *g = *state;
    array_fixture_open(g, 24, 80);
    uilab_keys(&g->u, "E<Enter>");
    uilab_draw(&g->u, 24, 80);
    must_show(&g->u, "_11");
    must_show(&g->u, "Job ");
    uilab_keys(&g->u, "q");
    uilab_draw(&g->u, 24, 80);
    must_show(&g->u, " _11  failed: exit 1");
    uilab_keys(&g->u, "q");
    uilab_draw(&g->u, 24, 80);
    must_show(&g->u, "Running 1 job, 8 tasks");
}

static void the_mouse_opens_an_element(void **state)
{
    struct array_fixture *g = *state;
    array_fixture_open(g, 24, 80);
    int y = uilab_find(&g->u, " 25  ");
    assert_true(y > 0);
    uilab_mouse(&g->u, MOUSE_CLICK, y, 5 + 2 * 4);
    uilab_draw(&g->u, 24, 80);
    must_show(&g->u, " _29  failed: exit 2");
    uilab_mouse(&g->u, MOUSE_DOUBLE, y, 5 + 2 * 4);
    uilab_draw(&g->u, 24, 80);
    must_show(&g->u, "_29");
    must_show(&g->u, "Job ");
}

/* Clicks on the last letter of that text of the last picture. */
static void click_on(struct uilab *u, const char *text)
{
    int y = uilab_find(u, text), x = (int)strlen(text) - 1;
    assert_true(y >= 0);
    const char *row = uilab_text(u), *at = strstr(row, text);
    for (int i = 0; i < y; i++)
        row = strchr(row, '\n') + 1;
    for (; row < at; row++)
        x += (*row & 0xc0) != 0x80; /* the first byte of a character */
    uilab_mouse(u, MOUSE_CLICK, y, x);
    uilab_draw(u, 43, 132);
}

/* A pane names an element, or a run time: then the next element that took so long. */
static void what_is_named_can_be_clicked(void **state)
{
    struct array_fixture *g = *state;
    struct uilab *u = &g->u;
    array_fixture_open(g, 43, 132);
    click_on(u, "slowest _32");
    must_show(u, " _32  done");
    click_on(u, "  _38");
    must_show(u, " _38  running");
    click_on(u, " 11:00");
    must_show(u, "  ran 11:");
    char *first = xstrdup(strstr(uilab_text(u), "done  gpu"));
    click_on(u, " 11:00");
    must_show(u, "  ran 11:");
    assert_true(strncmp(first, strstr(uilab_text(u), "done  gpu"), 60) != 0);
    free(first);
}

static void cancel_means_the_whole_array(void **state)
{
    struct array_fixture *g = *state;
    array_fixture_open(g, 24, 80);
    uilab_keys(&g->u, "Ec");
    uilab_draw(&g->u, 24, 80);
    must_show(&g->u, "56 waiting, 8 running");
    uilab_keys(&g->u, "<Esc>");
    assert_null(uilab_sent(&g->u, MSG_ACT));
}

static const char *sent_change(struct uilab *u)
{
    const struct uilab_sent *s = uilab_sent(u, MSG_UPDATE);
    return s ? ((const struct msg_update *)s->body)->changes.v[0] : NULL;
}

/* Several keys are one change, which can be undone until it is sent. */
static void the_limit_changes_once(void **state)
{
    struct array_fixture *g = *state;
    struct uilab *u = &g->u;
    array_fixture_open(g, 24, 80);
    uilab_keys(u, "+++-");
    uilab_draw(u, 24, 80);
    must_show(u, "10 at a time");
    must_show(u, "z undoes it");
    assert_null(sent_change(u));
    uilab_wait(u, 3100);
    assert_string_equal(sent_change(u), "ArrayTaskThrottle=10");
    uilab_forget_sent(u);
    uilab_keys(u, "--z");
    uilab_wait(u, 3100);
    assert_null(sent_change(u));
    uilab_draw(u, 24, 80);
    must_show(u, "8 at a time");
}

static void read_only_changes_no_limit(void **state)
{
    (void)state;
    struct array_fixture g = {.answered = 0};
    uilab_init(&g.u);
    g.u.options.read_only = true;
    array_fixture_cluster(&g.u.lab);
    g.array = array_fixture_submit(&g.u.lab, 20, 4);
    uilab_connect(&g.u);
    uilab_keys(&g.u, "<Enter>+");
    uilab_wait(&g.u, 5000);
    assert_null(sent_change(&g.u));
    uilab_fini(&g.u);
}

static void outputs_of_all_elements(void **state)
{
    struct array_fixture *g = *state;
    array_fixture_open(g, 24, 80);
    uilab_keys(&g->u, "a");
    for (int i = 0; i < 3; i++) {
        array_fixture_answer(g);
        uilab_keys(&g->u, "G");
        uilab_draw(&g->u, 200, 132);
    }
    must_show(&g->u, "all elements, 44 of 44 outputs");
    must_show(&g->u, "_29: KeyError: 'label'");
    must_show(&g->u, "_37: epoch  6/20  loss 0.761");
}

/* `B` means what ended for want of time, not the elements that wait. */
static void bigger_means_what_failed(void **state)
{
    (void)state;
    struct uilab u;
    uilab_init(&u);
    array_fixture_cluster(&u.lab);
    uint32_t array = array_fixture_submit(&u.lab, 20, 4), id = array_fixture_start(&u.lab, array, 0, 0);
    lab_kill(&u.lab, id, STEP_ALL, KILL_TIMEOUT, FATE_END);
    lab_end(&u.lab, id, STEP_BATCH, 0, END_TIMEOUT, 0, 15);
    uilab_connect(&u);
    uilab_keys(&u, "<Enter>B");
    const struct uilab_sent *s = uilab_sent(&u, MSG_SCRIPT);
    assert_non_null(s);
    assert_int_equal(((const struct msg_job *)s->body)->target.job, id);
    uilab_fini(&u);
}

/* --- many --- */

static void a_cell_for_many_opens(void **state)
{
    (void)state;
    struct uilab u;
    uilab_init(&u);
    array_fixture_cluster(&u.lab);
    array_fixture_submit(&u.lab, 100000, 4);
    uilab_connect(&u);
    uilab_keys(&u, "<Enter>");
    uilab_draw(&u, 43, 132);
    must_show(&u, "100 in each cell");
    must_show(&u, "_0 to _99   100◷ waiting");
    uilab_keys(&u, "<Right><Right><Enter>");
    uilab_draw(&u, 43, 132);
    must_not_show(&u, "in each cell");
    must_show(&u, " _200  waiting");
    uilab_keys(&u, "G");
    uilab_draw(&u, 43, 132);
    must_show(&u, " _299  waiting");
    uilab_keys(&u, "<Esc>");
    uilab_draw(&u, 43, 132);
    must_show(&u, "_200 to _299");
    uilab_fini(&u);
}

static void golden_many(void **state)
{
    (void)state;
    struct uilab u;
    uilab_init(&u);
    big_cluster_build_array(&u.lab);
    uilab_connect(&u);
    uilab_keys(&u, "<Enter>");
    uilab_golden(&u, "array-many", 24, 80);
    uilab_keys(&u, "E");
    uilab_golden(&u, "array-many", 43, 132);
    uilab_fini(&u);
}

static void cells_have_round_sizes(void **state)
{
    static const struct {
        size_t n;
        int width, rows;
        size_t per_cell;
        int per_row, cell_w;
    } rows[] = {
        {1, 80, 4, 1, 25, 2},          {100, 128, 4, 1, 50, 2},      {100, 80, 4, 1, 25, 2},
        {101, 80, 4, 1, 50, 1},        {1000, 128, 10, 1, 100, 1},   {1001, 128, 10, 2, 100, 1},
        {100000, 128, 8, 200, 100, 1}, {100000, 40, 3, 2000, 25, 1}, {4, 6, 1, 2, 2, 2},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct array_elements e = {.id = 1};
        struct array_grid g = {.cursor = 0};
        for (uint32_t k = 0; k < rows[i].n; k++)
            vec_push(&e.v, (struct array_element){.index = k, .is = ELEMENT_WAITING});
        int h = array_grid_fit(&g, &e, rows[i].width, rows[i].rows);
        assert_true(h >= 1 && h <= rows[i].rows);
        assert_int_equal(g.per_cell, rows[i].per_cell);
        assert_int_equal(g.per_row, rows[i].per_row);
        assert_int_equal(g.cell_w, rows[i].cell_w);
        array_elements_fini(&e);
    }
}

/* --- sums --- */

struct run { /* elements in this state that ran so long */
    uint32_t n;
    enum element_is is;
    uint32_t ran_s;
};

static void make_elements(struct array_elements *e, struct job *j, const struct run *runs, size_t n)
{
    *e = (struct array_elements){.id = 1, .any = j};
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < runs[i].n; k++) {
            vec_push(&e->v, (struct array_element){.job = runs[i].is == ELEMENT_WAITING ? NULL : j,
                                                   .index = (uint32_t)e->v.n,
                                                   .ran_s = runs[i].ran_s,
                                                   .is = runs[i].is});
            e->counts[runs[i].is]++;
        }
}

static void the_end_is_estimated(void **state)
{
    static const struct {
        struct run runs[4];
        uint32_t throttle;
        int64_t left_s; /* -1: not known */
    } rows[] = {
        {{{3, ELEMENT_WAITING, 0}}, 0, -1},
        {{{3, ELEMENT_RUNNING, 50}}, 0, -1},                        /* none is done */
        {{{2, ELEMENT_DONE, 100}, {3, ELEMENT_WAITING, 0}}, 0, -1}, /* none runs */
        {{{2, ELEMENT_DONE, 100}, {1, ELEMENT_RUNNING, 40}}, 0, 60},
        {{{2, ELEMENT_DONE, 100}, {1, ELEMENT_RUNNING, 40}, {2, ELEMENT_WAITING, 0}}, 0, 260},
        {{{2, ELEMENT_DONE, 100}, {2, ELEMENT_RUNNING, 40}, {2, ELEMENT_WAITING, 0}}, 0, 160},
        {{{2, ELEMENT_DONE, 100}, {2, ELEMENT_RUNNING, 40}, {2, ELEMENT_WAITING, 0}}, 1, 260},
        {{{2, ELEMENT_DONE, 100}, {2, ELEMENT_RUNNING, 40}, {3, ELEMENT_WAITING, 0}}, 8, 260},
        {{{1, ELEMENT_DONE, 100}, {1, ELEMENT_DONE, 300}, {1, ELEMENT_RUNNING, 250}}, 0, 50},
        {{{1, ELEMENT_DONE, 100}, {1, ELEMENT_RUNNING, 110}}, 0, 15},
        {{{1, ELEMENT_DONE, 100}, {1, ELEMENT_RUNNING, 500}}, 0, -1}, /* it is stuck */
        {{{1, ELEMENT_DONE, 100}, {1, ELEMENT_RUNNING, 500}, {1, ELEMENT_RUNNING, 40}}, 0, 60},
        {{{1, ELEMENT_DONE, 100},
          {1, ELEMENT_RUNNING, 500},
          {1, ELEMENT_RUNNING, 40},
          {2, ELEMENT_WAITING, 0}},
         0,
         260}, /* in the place of the other */
        {{{1, ELEMENT_DONE, 100},
          {1, ELEMENT_RUNNING, 500},
          {1, ELEMENT_RUNNING, 40},
          {2, ELEMENT_WAITING, 0}},
         1,
         -1}, /* the limit is taken by it */
        {{{4, ELEMENT_FAILED, 1}, {1, ELEMENT_DONE, 100}, {1, ELEMENT_RUNNING, 0}},
         0,
         100}, /* not the failed ones */
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct job *j = job_new();
        struct array_elements e;
        struct array_times t;
        struct wall now = {.ms = 1000000};
        j->req.array_throttle = rows[i].throttle;
        make_elements(&e, j, rows[i].runs, N_OF(rows[i].runs));
        array_times_fill(&t, &e);
        struct wall end = array_times_forecast(&t, &e, now).end;
        int64_t left = wall_is_set(end) ? (end.ms - now.ms) / 1000 : -1;
        if (left != rows[i].left_s)
            fail_msg("row %zu: %lld s", i, (long long)left);
        array_elements_fini(&e);
        job_free(j);
    }
}

static void run_times_are_summed_up(void **state)
{
    static const struct run runs[] = {
        {1, ELEMENT_DONE, 300}, {9, ELEMENT_DONE, 100}, {1, ELEMENT_FAILED, 2}, {1, ELEMENT_RUNNING, 900}};
    (void)state;
    struct job *j = job_new();
    struct array_elements e;
    struct array_times t;
    make_elements(&e, j, runs, N_OF(runs));
    array_times_fill(&t, &e);
    assert_int_equal(t.n, 10);
    assert_int_equal(t.fastest_s, 100);
    assert_int_equal(t.median_s, 100);
    assert_int_equal(t.slowest_s, 300);
    assert_int_equal(t.slowest, 0);
    assert_int_equal(t.first_s, 60); /* bins of a minute */
    assert_int_equal(t.bin_s, 60);
    assert_int_equal(t.n_bins, 5);
    assert_int_equal(t.bins[0], 9);
    assert_int_equal(t.bins[4], 1);
    size_t slow = array_times_slower(&e, SIZE_MAX);
    assert_int_equal(e.v.v[slow].ran_s, 900);
    slow = array_times_slower(&e, slow);
    assert_int_equal(slow, 0);
    array_elements_fini(&e);
    job_free(j);
}

/* What a job that was ended from outside wrote last does not say why it ended. */
static const char *failures_last_line(const void *ctx, uint32_t job)
{
    (void)ctx;
    return job == 1 ? "python: line four: Killed" : job == 2 ? "epoch three" : NULL;
}

static void failures_from_outside_are_alike(void **state)
{
    struct job jobs[] = {{.id = 1, .state = JOB_OUT_OF_MEMORY},
                         {.id = 2, .state = JOB_OUT_OF_MEMORY},
                         {.id = 3, .state = JOB_OUT_OF_MEMORY},
                         {.id = 1, .state = JOB_FAILED},
                         {.id = 2, .state = JOB_FAILED}};
    struct array_elements e = {0};
    struct array_failures f = {.n = 0};
    (void)state;
    for (uint32_t i = 0; i < N_OF(jobs); i++)
        vec_push(&e.v, (struct array_element){.job = &jobs[i], .index = i, .is = ELEMENT_FAILED});
    array_failures_fill(&f, &e, failures_last_line, NULL);
    assert_int_equal(f.v.n, 3);
    assert_int_equal(f.v.v[0].places.n, 3);
    assert_null(f.v.v[0].line);
    array_failures_fini(&f);
    vec_fini(&e.v);
}

static void indices_are_ranges(void **state)
{
    static const struct {
        uint32_t v[6];
        size_t n, max;
        const char *want;
    } rows[] = {
        {{7}, 1, 80, "7"},
        {{1, 2}, 2, 80, "1-2"},
        {{1, 2, 3, 7, 20, 21}, 6, 80, "1-3, 7, 20-21"},
        {{1, 3, 5, 7, 9, 11}, 6, 6, "1, 3, 5, ..."},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct str s = STR_INIT;
        arraytext_indices(&s, rows[i].v, rows[i].n, rows[i].max);
        assert_string_equal(s.s, rows[i].want);
        str_fini(&s);
    }
}

#define ON_ARRAY(f) cmocka_unit_test_setup_teardown(f, array_fixture_up, array_fixture_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_ARRAY(golden_sizes),
        cmocka_unit_test(golden_ascii),
        cmocka_unit_test(nothing_runs_yet),
        ON_ARRAY(failures_are_grouped),
        ON_ARRAY(the_last_lines_of_what_runs_are_live),
        ON_ARRAY(elements_that_have_left_still_count),
        ON_ARRAY(elements_come_from_the_history),
        ON_ARRAY(keys_of_the_map),
        ON_ARRAY(the_slowest_is_a_key_away),
        ON_ARRAY(enter_opens_the_element),
        ON_ARRAY(the_mouse_opens_an_element),
        ON_ARRAY(what_is_named_can_be_clicked),
        ON_ARRAY(cancel_means_the_whole_array),
        ON_ARRAY(the_limit_changes_once),
        cmocka_unit_test(read_only_changes_no_limit),
        ON_ARRAY(outputs_of_all_elements),
        cmocka_unit_test(bigger_means_what_failed),
        cmocka_unit_test(a_cell_for_many_opens),
        cmocka_unit_test(golden_many),
        cmocka_unit_test(cells_have_round_sizes),
        cmocka_unit_test(the_end_is_estimated),
        cmocka_unit_test(run_times_are_summed_up),
        cmocka_unit_test(failures_from_outside_are_alike),
        cmocka_unit_test(indices_are_ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
