/* test_output.c - the output viewer and the pager below it: growing files, big files, carriage returns,
 * tasks, spools. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/stat.h>

#include "tests/lib/own_files.h"
#include "tests/screen/output_fixture.h"
#include "ui/output/output_files.h"
#include "ui/widget/pager.h"

static void wake(struct uilab *u)
{
    app_view_wake(u->app);
}

static void follows_a_file_from_before_it_is_there(void **state)
{
    struct output_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_connect(u);
    uilab_keys(u, "l");
    must_show(u, "The file does not exist yet");
    append(g->out, "first\n");
    wake(u);
    must_show(u, "first");
    must_show(u, "following");
    for (int i = 0; i < 100; i++) {
        char line[32];
        snprintf(line, sizeof line, "line %d\n", i);
        append(g->out, line);
    }
    wake(u);
    must_show(u, "line 99");
    uilab_keys(u, "k"); /* going up ends following */
    must_show(u, "paused");
    append(g->out, "later\n");
    wake(u);
    uilab_draw(u, 24, 80);
    assert_int_equal(uilab_find(u, "later"), -1);
    uilab_keys(u, "G");
    must_show(u, "later");
    must_show(u, "following");
    uilab_keys(u, "g");
    must_show(u, "first");
    uilab_keys(u, "f");
    must_show(u, "later");
}

static void truncated_and_replaced_files(void **state)
{
    struct output_fixture *g = *state;
    struct uilab *u = &g->u;
    append(g->out, "old text\n");
    uilab_connect(u);
    uilab_keys(u, "l");
    must_show(u, "old text");
    assert_int_equal(truncate(g->out, 0), 0);
    wake(u);
    must_show(u, "No output so far");
    append(g->out, "new\n");
    wake(u);
    must_show(u, "new");
    assert_int_equal(uilab_find(u, "file removed"), -1);
    assert_int_equal(unlink(g->out), 0);
    wake(u);
    must_show(u, "new");
    must_show(u, "file removed");
    append(g->out, "another file\n");
    wake(u);
    must_show(u, "another file");
    assert_int_equal(uilab_find(u, "file removed"), -1);
}

static void progress_bars_can_be_read(void **state)
{
    struct output_fixture *g = *state;
    append(g->out, "start\n");
    for (int i = 0; i <= 100; i++) {
        char line[64];
        snprintf(line, sizeof line, "\r%3d%% |##########|\033[K", i);
        append(g->out, line);
    }
    append(g->out, "\n\033[31mred\033[0m end\a\n\xff\xfe bytes\n");
    uilab_connect(&g->u);
    uilab_keys(&g->u, "l");
    must_show(&g->u, "100% |##########|");
    assert_int_equal(uilab_find(&g->u, " 99%"), -1);
    must_show(&g->u, "red end");
    must_show(&g->u, "\\xFF\\xFE bytes");
}

/* Ten updates a second fill the longest piece of a line within a minute. */
static void a_bar_of_an_hour_is_one_row(void **state)
{
    struct output_fixture *g = *state;
    append(g->out, "epoch 1\n");
    struct str bar = STR_INIT;
    for (int i = 0; i < 9000; i++)
        str_appendf(&bar, "\r%4d/9000 [%060d]", i, 0);
    append(g->out, bar.s); /* 650 KiB */
    uilab_connect(&g->u);
    uilab_keys(&g->u, "l");
    must_show(&g->u, "8999/9000");
    must_show(&g->u, "epoch 1");
    assert_int_equal(uilab_find(&g->u, "8999/9000"), uilab_find(&g->u, "epoch 1") + 1);
    append(g->out, "\nepoch 2\n");
    append(g->out, bar.s);
    append(g->out, "\rdone\n");
    wake(&g->u);
    must_show(&g->u, "epoch 2");
    assert_int_equal(uilab_find(&g->u, "epoch 2"), uilab_find(&g->u, "epoch 1") + 2);
    assert_int_equal(uilab_find(&g->u, "done"), uilab_find(&g->u, "epoch 2") + 1);
    uilab_keys(&g->u, "g"); /* the same from above */
    must_show(&g->u, "8999/9000");
    assert_int_equal(uilab_find(&g->u, "epoch 2"), uilab_find(&g->u, "epoch 1") + 2);
    assert_int_equal(uilab_find(&g->u, "done"), uilab_find(&g->u, "epoch 2") + 1);
    str_fini(&bar);
}

static void search_and_errors(void **state)
{
    struct output_fixture *g = *state;
    struct uilab *u = &g->u;
    for (int i = 0; i < 3000; i++) {
        char line[64];
        snprintf(line, sizeof line,
                 i == 1000        ? "Traceback (most recent call last)\n"
                 : i % 500 == 250 ? "needle %d\n"
                                  : "hay %d\n",
                 i);
        append(g->out, line);
    }
    uilab_connect(u);
    uilab_keys(u, "l/needle<Enter>"); /* at the end: upwards */
    must_show(u, "needle 2750");
    uilab_keys(u, "N");
    must_show(u, "needle 2250");
    uilab_keys(u, "n");
    must_show(u, "needle 2750");
    int y = uilab_find(u, "needle 2750");
    check_int("the current match", canvas_at(&u->canvas, y, 0)->over, ROLE_MATCH_ON);
    uilab_keys(u, "n");
    must_show(u, "needle 250");
    must_show(u, "continued at the beginning");
    uilab_keys(u, "N");
    must_show(u, "needle 2750");
    must_show(u, "continued at the end");
    uilab_keys(u, "E");
    must_show(u, "Traceback");
    uilab_keys(u, "E"); /* the only one */
    must_show(u, "Traceback");
    must_show(u, "continued at the end");
    uilab_keys(u, "/nosuch thing<Enter>");
    must_show(u, "nothing found");
    uilab_keys(u, "/nosuch<Esc>");
    uilab_draw(u, 24, 80);
    assert_int_equal(uilab_find(u, "search"), 23); /* the footer's */
}

static void both_streams(void **state)
{
    struct output_fixture *g = *state;
    append(g->out, "to stdout\n");
    append(g->err, "to stderr\n");
    uilab_connect(&g->u);
    uilab_keys(&g->u, "l");
    must_show(&g->u, "to stdout");
    uilab_keys(&g->u, "e");
    must_show(&g->u, "to stderr");
    uilab_keys(&g->u, "e");
    must_show(&g->u, "to stdout");
    uilab_keys(&g->u, "]");
    must_show(&g->u, "last output of the job");
}

/* srun of n ranks on one node. std_out: NULL: kept on the node. */
static void run_step(struct output_fixture *g, uint32_t n_ranks, const char *std_out)
{
    struct lab *l = &g->u.lab;
    struct ev_step body = {.step = {.id = 0,
                                    .n_tasks = 1,
                                    .n_ranks = n_ranks,
                                    .nodes = 1,
                                    .cpus_per_rank = 1,
                                    .mem_mib = MEM_NOT_GIVEN,
                                    .gpus = NOT_GIVEN,
                                    .std_out = std_out ? xstrdup(std_out) : NULL,
                                    .time_limit_s = 600}};
    rec_list_push(&body.step.tasks);
    lab_must(l, EV_STEP, g->job, &body);
    struct ev_place place = {.n_ranks = n_ranks, .alloc = lab_alloc("n1", 0, n_ranks, 0, 0, 512)};
    lab_must(l, EV_PLACE, g->job, &place);
    lab_running(l, g->job, 0, 0);
}

/* An srun step without files: its output is kept on the node and fetched from there. */
static void spools_are_fetched(void **state)
{
    struct output_fixture *g = *state;
    struct uilab *u = &g->u;
    run_step(g, 2, NULL);
    uilab_connect(u);
    uilab_draw(u, 24, 80);
    uilab_keys(u, "<Enter>G<Right>jj<Enter>"); /* the second rank */
    const struct uilab_sent *ask = uilab_sent(u, MSG_OUTPUT_READ);
    assert_non_null(ask);
    const struct msg_output_read *r = ask->body;
    assert_int_equal(r->key.job, g->job);
    assert_int_equal(r->rank, 1);
    assert_int_equal(r->stream, 1);
    assert_int_equal(r->offset, 0);
    must_show(u, "stored on its node");
    struct msg_output_data data = {.data = {.p = (uint8_t *)strdup("from the node\n"), .n = 14}};
    uilab_feed(u, MSG_OUTPUT_DATA, ask->tag, &data);
    must_show(u, "from the node");
    ask = uilab_sent(u, MSG_OUTPUT_READ);
    assert_int_equal(((const struct msg_output_read *)ask->body)->offset, 14);
    free(data.data.p);
    data = (struct msg_output_data){.offset = 14, .eof = true};
    size_t asked = u->sent.n;
    uilab_feed(u, MSG_OUTPUT_DATA, ask->tag, &data);
    assert_int_equal(u->sent.n, asked); /* the end: no more questions */
    uilab_keys(u, "/node<Enter>");
    must_show(u, "1 of 1"); /* what the node has sent is counted like a file */
    uilab_keys(u, "q");     /* an answer that comes too late is dropped */
    uilab_feed(u, MSG_OUTPUT_DATA, ask->tag, &data);
}

/* --- all tasks in one --- */

/* Three ranks with files of their own, in a step of their own. */
static void three_ranks(struct output_fixture *g, char paths[3][160])
{
    char pattern[160];
    snprintf(pattern, sizeof pattern, "%s/rank-%%t.txt", g->dir);
    run_step(g, 3, pattern);
    for (int i = 0; i < 3; i++)
        snprintf(paths[i], 160, "%s/rank-%d.txt", g->dir, i);
}

static void all_tasks_are_one_text(void **state)
{
    struct output_fixture *g = *state;
    struct uilab *u = &g->u;
    char paths[3][160];
    three_ranks(g, paths);
    append(g->out, "2026-11-21 10:00:05 the script\n");
    append(paths[0], "2026-11-21 10:00:01 begins\n2026-11-21 10:00:04 goes on\n  without a time\n");
    append(paths[2], "[2026-11-21T10:00:02.500] begins\n");
    uilab_connect(u);
    uilab_keys(u, "la");
    must_show(u, "all tasks, 3 of 5 outputs"); /* the script's errors and rank 1 are not there */
    int at[] = {uilab_find(u, "    0: 2026-11-21 10:00:01 begins"),
                uilab_find(u, "    2: [2026-11-21T10:00:02.500] begins"),
                uilab_find(u, "    0: 2026-11-21 10:00:04 goes on"),
                uilab_find(u, "    0:   without a time"),
                uilab_find(u, "batch: 2026-11-21 10:00:05 the script")};
    for (size_t i = 0; i < N_OF(at); i++)
        if (at[i] < 0 || (i && at[i] != at[i - 1] + 1))
            fail_msg("line %zu of what is expected is in row %d:\n%s", i, at[i], uilab_text(u));
    append(paths[1], "10%\r50%\rready\nhalf a line");
    append(g->err, "oops\n");
    append(paths[0], "\033[31mlast\033[0m words\n");
    wake(u);
    must_show(u, "     1: ready"); /* the labels have become wider: "batch!" */
    must_show(u, "batch!: oops");
    must_show(u, "0: last words");
    must_show(u, "     1: half a line");
    const struct canvas_cell *red = canvas_at(&u->canvas, uilab_find(u, "last words"), 8);
    if (red->cp[0] != 'l')
        red++;
    assert_int_equal(red->ink.fg, 2);
    uilab_keys(u, "/ready<Enter>");
    must_show(u, "1: ready");
    uilab_keys(u, "a");
    must_show(u, "the script");
    uilab_draw(u, 24, 80);
    assert_int_equal(uilab_find(u, "batch:"), -1);
    for (int i = 0; i < 3; i++)
        unlink(paths[i]);
}

static bool is_before(struct uilab *u, const char *a, const char *b)
{
    int y = uilab_find(u, a);
    return y >= 0 && y < uilab_find(u, b);
}

/* Two of three ranks draw progress bars; each is seen moving behind its rank, below all whole lines. */
static void bars_of_all_tasks_move(void **state)
{
    struct output_fixture *g = *state;
    struct uilab *u = &g->u;
    char paths[3][160];
    three_ranks(g, paths);
    append(paths[0], "zero\n\r  1%|#    |\r 12%|##   |");
    append(paths[2], "a bar with a longer text than the others have, 1 of 9\r");
    uilab_connect(u);
    uilab_keys(u, "la");
    must_show(u, "    0:  12%|##   |");
    must_show(u, "    2: a bar with a longer text than the others have, 1 of 9");
    assert_true(is_before(u, "0: zero", "0:  12%"));
    append(paths[0], "\r 13%|##   |");
    append(paths[2], "2 of 9\r");
    append(paths[1], "one\n");
    wake(u);
    must_show(u, "    0:  13%|##   |");
    must_show(u, "    2: 2 of 9");
    assert_int_equal(uilab_find(u, "12%"), -1);
    assert_int_equal(uilab_find(u, "1 of 9"), -1);
    assert_true(is_before(u, "1: one", "0:  13%"));
    append(paths[0], "\rdone\n");
    append(paths[1], "uno\n");
    wake(u);
    must_show(u, "    0: done"); /* a line like the others */
    assert_int_equal(uilab_find(u, "13%"), -1);
    assert_true(is_before(u, "0: done", "1: uno"));
    assert_true(is_before(u, "1: uno", "2: 2 of 9"));
    /* A user who looks elsewhere stays there while the end changes. */
    for (int i = 0; i < 100; i++)
        append(paths[1], "filler\n");
    wake(u);
    uilab_keys(u, "g");
    must_show(u, "0: zero");
    append(paths[2], "short\r");
    wake(u);
    must_show(u, "0: zero");
    /* A bar of megabytes, as one of hours is, costs one row and no second one. */
    for (int i = 0; i < 4000; i++) {
        char bar[120];
        snprintf(bar, sizeof bar, "\r%080d|", i);
        append(paths[2], bar);
    }
    wake(u);
    uilab_keys(u, "G");
    must_show(u, "3999|");
    for (int i = 0; i < 20 && app_work(u->app); i++)
        ;
    must_show(u, "1: filler");
    assert_int_equal(uilab_find(u, "3998|"), -1);
    for (int i = 0; i < 3; i++)
        unlink(paths[i]);
}

static void place(struct uilab *u, uint32_t job, int32_t step, uint32_t task)
{
    struct ev_place body = {.step = step,
                            .task = task,
                            .n_ranks = 1,
                            .alloc = lab_alloc("n1", 4 + task, 1, 0, 0, 512),
                            .partition = strdup("main"),
                            .time_limit_s = 600};
    lab_must(&u->lab, EV_PLACE, job, &body);
}

/* The declared tasks of a step all have a rank 0. */
static void labels_of_a_step_job_count_its_tasks(void **state)
{
    struct uilab *u = &((struct output_fixture *)*state)->u;
    struct job *j = lab_job(&u->lab, JOB_KIND_STEPS);
    lab_step(j, "fold", 3);
    lab_step(j, "report", 1);
    uint32_t id = lab_submit(&u->lab, j);
    for (uint32_t t = 0; t < 3; t++)
        place(u, id, 0, t);
    struct places all = {.more = 0};
    places_all(lab_get(&u->lab, id), &all);
    assert_int_equal(all.v.n, 3);
    assert_string_equal(all.v.v[0].label, "0.0");
    assert_string_equal(all.v.v[1].label, "0.1");
    assert_string_equal(all.v.v[2].label, "0.2");
    places_fini(&all);
}

/* What srun brings into the script's output stands there a second time, without its rank. */
static void streamed_lines_stand_once(void **state)
{
    struct output_fixture *g = *state;
    struct uilab *u = &g->u;
    run_step(g, 2, NULL);
    struct places all = {.more = 0};
    places_all(lab_get(&u->lab, g->job), &all);
    assert_int_equal(all.v.n, 4); /* two ranks, each with its errors */
    assert_string_equal(all.v.v[0].label, "0");
    assert_string_equal(all.v.v[3].label, "1!");
    places_fini(&all);
}

static void without_times_one_after_the_other(void **state)
{
    struct output_fixture *g = *state;
    struct uilab *u = &g->u;
    char paths[3][160];
    three_ranks(g, paths);
    append(paths[1], "one\n");
    append(paths[0], "zero\n");
    uilab_connect(u);
    uilab_keys(u, "la");
    must_show(u, "below: live");
    assert_true(uilab_find(u, "0: zero") < uilab_find(u, "1: one"));
    append(paths[2], "two\n");
    wake(u);
    must_show(u, "2: two");
    append(paths[0], "zero again\n");
    wake(u);
    must_show(u, "0: zero again");
    assert_true(uilab_find(u, "2: two") < uilab_find(u, "0: zero again"));
    for (int i = 0; i < 3; i++)
        unlink(paths[i]);
}

static void colours_are_kept(void **state)
{
    struct output_fixture *g = *state;
    struct uilab *u = &g->u;
    append(g->out, "\033[1;31mred and bold\033[0m plain\n\033[38;5;46mgreen of 256\033[m\n");
    uilab_connect(u);
    uilab_keys(u, "l");
    uilab_golden(u, "output-colours", 12, 40);
    theme_init(&u->theme, 0);
    uilab_golden(u, "output-colours-mono", 12, 40);
}

/* docs/screens/output.svg */
static void a_picture_of_all_tasks(void **state)
{
    static const char *const rows[] = {
        "0 01 \033[32mINFO\033[0m  loading data: 100% |##########| 1281167/1281167",
        "1 01 \033[32mINFO\033[0m  loading data: 100% |##########| 1281167/1281167",
        "2 02 \033[32mINFO\033[0m  loading data: 100% |##########| 1281167/1281167",
        "0 14 \033[32mINFO\033[0m  epoch 1  loss \033[1m2.913\033[0m  lr 1e-3  812 img/s",
        "1 14 \033[32mINFO\033[0m  epoch 1  loss \033[1m2.908\033[0m  lr 1e-3  809 img/s",
        "2 15 \033[33mWARN\033[0m  the data loader is slow: 3 workers for 12 CPUs",
        "2 16 \033[32mINFO\033[0m  epoch 1  loss \033[1m2.917\033[0m  lr 1e-3  344 img/s",
        "0 29 \033[32mINFO\033[0m  epoch 2  loss \033[1m2.140\033[0m  lr 1e-3  815 img/s",
        "1 30 \033[1;31mERROR\033[0m CUDA out of memory: tried to allocate 2.00 GiB",
        "0 31 \033[33mWARN\033[0m  rank 1 does not answer",
    };
    struct output_fixture *g = *state;
    char paths[3][160], line[200];
    three_ranks(g, paths);
    append(g->out, "2026-11-21 10:00:00 srun -n 3 python train.py\n");
    for (size_t i = 0; i < N_OF(rows); i++) {
        snprintf(line, sizeof line, "2026-11-21 10:00:%.2s%s\n", rows[i] + 2, rows[i] + 4);
        append(paths[rows[i][0] - '0'], line);
    }
    uilab_connect(&g->u);
    uilab_keys(&g->u, "la");
    uilab_draw(&g->u, 18, 100);
    uilab_keys(&g->u, "E");
    uilab_picture(&g->u, "output", 18, 100);
    for (int i = 0; i < 3; i++)
        unlink(paths[i]);
}

/* Bytes that this process has read so far. */
static uint64_t bytes_read(void)
{
    unsigned long long n = 0;
    FILE *f = fopen("/proc/self/io", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "rchar: %llu", &n), 1);
    fclose(f);
    return n;
}

/* A sparse gigabyte, of which a little is read. */
static void a_gigabyte_opens_at_once(void **state)
{
    struct output_fixture *g = *state;
    struct uilab *u = &g->u;
    append(g->out, "the first line\n");
    assert_int_equal(truncate(g->out, 1000000000), 0);
    append(g->out, "\nthe last line\n");
    uilab_connect(u);
    uilab_draw(u, 24, 80);
    struct mallinfo2 before = mallinfo2();
    uint64_t read_before = bytes_read();
    uilab_keys(u, "l");
    must_show(u, "the last line");
    struct mallinfo2 after = mallinfo2();
    if (after.uordblks + after.hblkhd > before.uordblks + before.hblkhd + 4 * 1024 * 1024)
        fail_msg("it holds %zu bytes more", after.uordblks - before.uordblks);
    uilab_keys(u, "<PgUp><PgUp>");
    uilab_draw(u, 24, 80);
    uilab_keys(u, "g");
    must_show(u, "the first line");
    if (bytes_read() - read_before > 64 << 20)
        fail_msg("it has read %llu bytes of it", (unsigned long long)(bytes_read() - read_before));
}

static size_t read_fd(void *ctx, int64_t at, char *buf, size_t n)
{
    ssize_t k = pread(*(int *)ctx, buf, n, at);
    return k > 0 ? (size_t)k : 0;
}

static int64_t size_fd(void *ctx)
{
    struct stat st;
    return fstat(*(int *)ctx, &st) == 0 ? st.st_size : 0;
}

static void draw_pager(struct pager *p, struct canvas *c)
{
    struct page page = {.pattern = NULL};
    canvas_clear(c);
    pager_resize(p, 10, 80);
    pager_page(p, &page);
    page_draw(&page, c, rect_make(0, 0, 10, 80));
    page_fini(&page);
}

static void every_line_is_shown_once(void **state)
{
    struct output_fixture *g = *state;
    /* Down from the top and up from the end come by the same lines, wrapped ones too. */
    for (int i = 0; i < 200; i++) {
        char line[400];
        int n = snprintf(line, sizeof line, "<%d>", i);
        memset(line + n, 'x', (size_t)(i * 7 % 300));
        line[n + i * 7 % 300] = '\0';
        append(g->out, line);
        append(g->out, "\n");
    }
    struct pager p;
    struct canvas c;
    int fd = open(g->out, O_RDONLY);
    assert_true(fd >= 0);
    pager_init(&p);
    canvas_init(&c);
    struct pager_file file = {.read = read_fd, .size = size_fd, .ctx = &fd};
    pager_set_file(&p, &file);
    for (int wrap = 0; wrap < 2; wrap++) {
        p.wrap = wrap;
        struct str top = STR_INIT, down = STR_INIT, up = STR_INIT;
        canvas_resize(&c, 10, 80);
        draw_pager(&p, &c);
        pager_act(&p, ACTION_TOP);
        int steps = 0;
        for (;; steps++) {
            draw_pager(&p, &c);
            canvas_row_text(&c, 0, &down);
            str_append_char(&down, '\n');
            if (pager_at_end(&p))
                break;
            pager_scroll(&p, 1);
        }
        assert_true(steps >= 190);
        for (int i = 0; i <= steps; i++) { /* backwards: each in front of what is there */
            draw_pager(&p, &c);
            str_clear(&top);
            canvas_row_text(&c, 0, &top);
            str_append_char(&top, '\n');
            str_append(&top, up.s);
            str_clear(&up);
            str_append(&up, top.s);
            pager_scroll(&p, -1);
        }
        assert_string_equal(up.s, down.s);
        str_fini(&top);
        str_fini(&down);
        str_fini(&up);
    }
    close(fd);
    pager_fini(&p);
    canvas_fini(&c);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, output_fixture_up, output_fixture_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(follows_a_file_from_before_it_is_there),
        CASE(truncated_and_replaced_files),
        CASE(progress_bars_can_be_read),
        CASE(a_bar_of_an_hour_is_one_row),
        CASE(search_and_errors),
        CASE(both_streams),
        CASE(spools_are_fetched),
        CASE(all_tasks_are_one_text),
        CASE(bars_of_all_tasks_move),
        CASE(labels_of_a_step_job_count_its_tasks),
        CASE(streamed_lines_stand_once),
        CASE(without_times_one_after_the_other),
        CASE(colours_are_kept),
        CASE(a_picture_of_all_tasks),
        CASE(a_gigabyte_opens_at_once),
        CASE(every_line_is_shown_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
