/* test_pictures.c - the pictures in docs/screens are what the screens look like. `make screens` writes
 * them. */
#include "tests/screen/array_fixture.h"
#include "tests/screen/ui_fixture.h"

/* The demo cluster, with names that users give. */
static int pictures_up(void **state)
{
    static struct ui_fixture g;
    uilab_init(&g.u);
    demo_cluster_build(&g.u.lab, &g.s);
    uint32_t ids[] = {g.s.hostile, g.s.wide};
    for (size_t i = 0; i < N_OF(ids); i++) {
        struct job *j = lab_get(&g.u.lab, ids[i]);
        free(j->req.name);
        j->req.name = xstrdup(i ? "thesis-figures" : "preprocess");
    }
    uilab_connect(&g.u);
    uilab_draw(&g.u, 24, 80);
    *state = &g;
    return 0;
}

static void jobs(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, "jjjj"); /* one that waits */
    uilab_picture(&g->u, "jobs", 30, 132);
}

static void jobs_small(void **state)
{
    struct ui_fixture *g = *state;
    uilab_picture(&g->u, "jobs-80x24", 24, 80);
}

static void job_page(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, "/pretrain<Enter><Enter>");
    watch_training(g, 90);
    uilab_draw(&g->u, 33, 132);
    answer_output(&g->u, training);
    uilab_picture(&g->u, "job", 33, 132);
}

static void array_page(void **state)
{
    struct array_fixture *g = *state;
    array_fixture_open(g, 34, 132);
    uilab_picture(&g->u, "array", 34, 132);
}

/* Measured for a minute: so the lines below the bars have a past. */
static void watch_a_while(struct uilab *u)
{
    static const uint32_t busy[] = {97, 2, 0, 0, 0, 60, 88, 0};
    uint32_t now[N_OF(busy)];
    for (uint32_t i = 0; i < 60; i++) {
        for (size_t k = 0; k < N_OF(busy); k++)
            now[k] = busy[k] > 10 ? busy[k] - (i * (uint32_t)(k + 3)) % 23 : busy[k];
        feed_util(u, "gpu01", now, N_OF(now), 2, 5000);
        uilab_wait(u, 3000);
    }
    feed_util(u, "gpu01", busy, N_OF(busy), 2, 5000);
}

static void nodes(void **state)
{
    struct ui_fixture *g = *state;
    push_window(&g->u, "firmware", "gpu02", 190, 310, false);
    uilab_keys(&g->u, "2");
    watch_a_while(&g->u);
    uilab_picture(&g->u, "nodes", 30, 132);
}

static void node_page(void **state)
{
    struct ui_fixture *g = *state;
    push_window(&g->u, "firmware", "gpu01", 190, 310, false);
    struct ev_note *n = xcalloc(1, sizeof *n);
    *n = (struct ev_note){
        .node = xstrdup("gpu01"), .text = xstrdup("the vendor comes on Friday"), .user = xstrdup("ann")};
    uilab_push(&g->u, EV_NOTE, 0, n);
    uilab_wait(&g->u, 60000);
    struct ev_drain *d = xcalloc(1, sizeof *d);
    *d = (struct ev_drain){.node = xstrdup("gpu01"),
                           .drain = true,
                           .reason = xstrdup("GPU 2 throttles"),
                           .user = xstrdup("root")};
    uilab_push(&g->u, EV_DRAIN, 0, d);
    uilab_keys(&g->u, "2<Enter>");
    watch_a_while(&g->u);
    uilab_picture(&g->u, "node", 30, 132);
}

static void gpus(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, "3");
    watch_a_while(&g->u);
    uilab_picture(&g->u, "gpus", 24, 132);
}

static void timeline(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, "4");
    feed_plan(&g->u, &g->s);
    uilab_draw(&g->u, 24, 132);
    for (int i = 0; i < 26; i++)
        uilab_keys(&g->u, "<Right>");
    uilab_picture(&g->u, "timeline", 24, 132);
}

static void partitions(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, "5");
    uilab_picture(&g->u, "partitions", 24, 100);
}

static void usage(void **state)
{
    static const struct {
        const char *account, *user;
        double due, had, hours, factor;
    } rows[] = {
        {"root", NULL, 1, 1, 0, 0},
        {"physics", NULL, 0.5, 0.12, 20.4, 0},
        {"physics", "chen", 1, 1, 20.4, 0.9},
        {"vision", NULL, 0.5, 0.88, 132.4, 0},
        {"vision", "alice", 0.5, 0.91, 120.1, 0.21},
        {"vision", "bo", 0.5, 0.09, 12.3, 0.48},
    };
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    struct msg_shares_rows m = {0};
    uilab_keys(u, "7");
    for (size_t i = 0; i < N_OF(rows); i++)
        *rec_list_push(&m.rows) = (struct share_row){.account = xstrdup(rows[i].account),
                                                     .user = rows[i].user ? xstrdup(rows[i].user) : NULL,
                                                     .parent = i ? xstrdup("root") : NULL,
                                                     .level = rows[i].user ? 2 : i > 0,
                                                     .norm_shares = rows[i].due,
                                                     .effective_usage = rows[i].had,
                                                     .gpu_hours = rows[i].hours,
                                                     .fairshare = rows[i].factor};
    uilab_feed(u, MSG_SHARES_ROWS, uilab_sent(u, MSG_SHARES)->tag, &m);
    rec_fini(&msg_shares_rows_rec, &m);
    uilab_keys(u, "jjj");
    uilab_picture(u, "usage", 24, 160);
}

static void history(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, "6");
    struct msg_history_end end = {0};
    uilab_feed(&g->u, MSG_HISTORY_END, uilab_sent(&g->u, MSG_HISTORY)->tag, &end);
    uilab_keys(&g->u, "jj");
    uilab_picture(&g->u, "history", 24, 132);
}

static void why(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/finetune<Enter>w");
    struct msg_why w = {.job = g->s.big,
                        .rank = 1,
                        .rank_of = 4,
                        .start = {.ms = u->lab.now.ms + 6000000},
                        .made = {.ms = u->lab.now.ms - 40000}};
    w.basis.code = CAUSE_START_PLANNED;
    w.advice = (struct cause){
        .code = CAUSE_TRY_COUNT, .name = strdup("--gpus="), .n = 3, .of = 8, .nodes = strdup("gpu01")};
    w.advice_key = strdup("Gpus");
    w.advice_value = strdup("3");
    struct cause *c = rec_list_push(&w.causes);
    *c = (struct cause){.cls = WHY_BUSY,
                        .code = CAUSE_NO_PLACE,
                        .next = true,
                        .part = strdup("gpu"),
                        .start = {.ms = u->lab.now.ms + 6000000}};
    *cause_add(c, CAUSE_WANTS) = (struct cause){.code = CAUSE_WANTS, .cpus = 16, .gpus = 8};
    struct cause *nodes = cause_add(c, CAUSE_NODES);
    nodes->n = 4;
    *cause_add(nodes, CAUSE_NODES_FREE_GPUS) = (struct cause){.code = CAUSE_NODES_FREE_GPUS, .n = 2};
    *cause_add(nodes, CAUSE_NODES_DRAINED) = (struct cause){.code = CAUSE_NODES_DRAINED, .n = 2};
    *cause_add(c, CAUSE_NEEDS_GPUS) =
        (struct cause){.code = CAUSE_NEEDS_GPUS, .asked = 8, .free = 3, .one = true};
    uilab_feed(u, MSG_WHY_CAUSES, uilab_sent(u, MSG_WHY)->tag, &w);
    rec_fini(&msg_why_rec, &w);
    struct msg_prio_rows rows = {
        .weights = {
            .weight_age = 1000, .weight_fairshare = 10000, .weight_job_size = 100, .weight_qos = 2000}};
    struct prio_row *row = rec_list_push(&rows.rows);
    row->parts = (struct prio_parts){.age = 0.4,
                                     .age_points = 400,
                                     .fairshare = 0.62,
                                     .fairshare_points = 6200,
                                     .job_size = 0.1,
                                     .job_size_points = 10,
                                     .total = 6610};
    uilab_feed(u, MSG_PRIO_ROWS, uilab_sent(u, MSG_PRIO)->tag, &rows);
    rec_fini(&msg_prio_rows_rec, &rows);
    uilab_picture(u, "why", 24, 100);
}

static void command(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, ":drain gpu0");
    uilab_picture(&g->u, "command", 24, 80);
}

static void form(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, "s<Down><Down>a100:4<Down>48<Down>999G<Down>3:00:00<Down>gpu<Down>finetune<Up>");
    uilab_keys(&g->u, "<Tab>source env.sh<Enter>python train.py --epochs 20<Tab><Up><Up><C-t><Down>");
    uilab_wait(&g->u, 400);
    answer_trial(&g->u, "gpu02", "gpu", 0);
    feed_plan(&g->u, &g->s);
    uilab_picture(&g->u, "form", 34, 132);
}

static void confirm(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, "/sweep<Enter>c");
    uilab_picture(&g->u, "cancel", 24, 80);
}

static void help(void **state)
{
    struct ui_fixture *g = *state;
    uilab_keys(&g->u, "?");
    uilab_picture(&g->u, "help", 40, 100);
}

#define PICTURE(f) cmocka_unit_test_setup_teardown(f, pictures_up, ui_fixture_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PICTURE(jobs),
        PICTURE(jobs_small),
        PICTURE(job_page),
        PICTURE(nodes),
        PICTURE(node_page),
        PICTURE(gpus),
        PICTURE(history),
        PICTURE(timeline),
        PICTURE(partitions),
        PICTURE(usage),
        PICTURE(why),
        PICTURE(command),
        PICTURE(form),
        PICTURE(confirm),
        PICTURE(help),
        cmocka_unit_test_setup_teardown(array_page, array_fixture_up, array_fixture_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
