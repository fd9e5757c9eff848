/* test_nodes.c - nodes: what was measured of them, their states, their page. */
#include "tests/screen/ui_fixture.h"
#include "ui/state/ui_state.h"

static void what_was_measured_is_kept(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    static const uint32_t busy[] = {97, 2, 0, 0, 0, 60, 88, 0};
    uilab_keys(u, "2");
    for (int i = 0; i < 20; i++) {
        feed_util(u, "gpu01", busy, N_OF(busy), 0, 0);
        uilab_wait(u, 1000);
    }
    uilab_keys(u, "1"); /* not watched for a while */
    uilab_wait(u, 20000);
    uilab_keys(u, "2G");
    feed_util(u, "gpu01", busy, N_OF(busy), 0, 0);
    uilab_keys(u, "g");
    uilab_draw(u, 43, 132);
    must_show(u, "⢠⣤⣤⣤   ⡄ 43% busy");
}

/* --- the page of a node --- */

static void node_news(struct uilab *u, const char *node, enum node_state state, enum node_news what,
                      const char *text)
{
    struct ev_node *b = xcalloc(1, sizeof *b);
    *b = (struct ev_node){.node = xstrdup(node), .state = state, .news = what, .news_text = xstrdup(text)};
    if (what == NEWS_LOST)
        b->trouble = xstrdup(text);
    uilab_push(u, EV_NODE, 0, b);
}

/* A node that was lost and has come back, is drained, has a job, a window and a note. */
static void a_broken_node(struct uilab *u)
{
    static const uint32_t busy[] = {99, 98, 97, 2, 0, 0, 0, 0};
    node_news(u, "gpu03", NODE_LOST, NEWS_LOST, "no route to host");
    uilab_wait(u, 840000);
    node_news(u, "gpu03", NODE_UP, NEWS_REBOOTED, NULL);
    struct ev_drain *d = xcalloc(1, sizeof *d);
    *d = (struct ev_drain){.node = xstrdup("gpu03"),
                           .drain = true,
                           .reason = xstrdup("fan 2 is loud"),
                           .user = xstrdup("root")};
    uilab_push(u, EV_DRAIN, 0, d);
    struct ev_note *n = xcalloc(1, sizeof *n);
    *n = (struct ev_note){
        .node = xstrdup("gpu03"), .text = xstrdup("the vendor comes on Friday"), .user = xstrdup("ann")};
    uilab_push(u, EV_NOTE, 0, n);
    push_window(u, "firmware", "gpu03", 190, 310, false);
    uilab_keys(u, "2/gpu03<Enter><Enter>");
    for (int i = 0; i < 90; i++) {
        feed_util(u, "gpu03", busy, N_OF(busy), 0, 5000);
        uilab_wait(u, 3000);
    }
    feed_util(u, "gpu03", busy, N_OF(busy), 0, 5000);
}

static void a_page_tells_why_since_when_and_whose(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    a_broken_node(u);
    uilab_golden_in_all(u, "node", 24, 80);
    must_show(u, "draining for ");
    must_show(u, "by root: fan 2 is loud");
    must_show(u, "1 job here, until 17:07 at the latest");
    must_show(u, "note: the vendor comes on Friday");
    must_show(u, "train-resnet bo");
    uilab_keys(u, "<Tab>");
    uilab_draw(u, 24, 80);
    must_show(u, "rebooted");
    must_show(u, "lost: no route to host");
    must_show(u, "maintenance from 17:43");
    uilab_keys(u, "<Tab>");
    uilab_golden_in_all(u, "node", 43, 132);
    uilab_golden_in_all(u, "node", 50, 200);
    uilab_golden_in_all(u, "node", 30, 100);
    uilab_golden_in_all(u, "node", 50, 160);
    for (int cols = 80; cols <= 220; cols += 5) { /* a wider terminal never shows less */
        uilab_draw(u, 30, cols);
        must_show(u, "memory 64/512G ");
        must_show(u, " MEM ");
    }
    uilab_draw(u, 50, 200);
    must_show(u, "lost: no route to host"); /* beside it */
}

static void keys_of_a_page_mean_node_and_jobs(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "2<Enter>");
    uilab_draw(u, 24, 80);
    must_show(u, "Nodes › Node gpu01");
    keys_show(u, "d", "drain gpu01");
    keys_show(u, "<Esc>R", "the node already takes jobs");
    keys_show(u, "c", "cancel");
    must_show(u, "pretrain");
    keys_show(u, "<Esc> jc", "cancel"); /* the marked job, not the one under the cursor */
    must_show(u, "pretrain");
    keys_show(u, "<Esc><Enter>", "Nodes › Node gpu01 › Job 51");
    keys_show(u, "q", "Nodes › Node gpu01");
    keys_show(u, "/pretr", "filter");
    uilab_keys(u, "<Enter>");
    must_not_show(u, "crossval");
    keys_show(u, "<Esc>q", "Nodes 10");
    keys_show(u, ":show gpu02<Enter>", "Node gpu02");
}

/* The keys of the node hide some of those of its jobs: the menu names none that means something else. */
static void the_menu_of_a_page_is_true(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "2/gpu01<Enter><Enter>x");
    uilab_draw(u, 60, 132);
    must_show(u, "d      drain: running jobs finish");
    must_show(u, "       requeue: end the job");
    assert_true(uilab_find(u, "R      requeue") < 0);
    assert_true(uilab_find(u, "open the node:") < 0);
    uilab_keys(u, "<Esc>q<Esc>/cpu01<Enter><Enter>x"); /* no job is there */
    uilab_draw(u, 60, 132);
    assert_true(uilab_find(u, "requeue:") < 0);
    uilab_keys(u, "<Esc>");
}

static void a_node_that_is_lost_starts_no_job(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    node_news(u, "gpu03", NODE_LOST, NEWS_LOST, "no route to host");
    uilab_keys(u, "2/gpu03<Enter>R");
    uilab_draw(u, 24, 80);
    must_show(u, "New jobs start as soon as it answers again.");
    uilab_keys(u, "<Esc>");
}

/* What an administrator wrote about a node is not cut in favour of what its machine is said to have. */
static void the_reason_of_a_drain_comes_first(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    node_news(u, "gpu04", NODE_LOST, NEWS_LOST, "no route to host");
    uilab_keys(u, "2");
    uilab_draw(u, 24, 80);
    must_show(u, "lost     ╱╱╱╱╱╱╱╱  0/48 ╱╱╱╱╱╱╱╱ 0/8 fan 2 is loud, ticket 311");
    uilab_draw(u, 43, 240);
    must_show(u, "fan 2 is loud, ticket 311  drained by root for ");
    must_show(u, ", lost: no route to host  for 0 s");
}

/* "3/2" has its reason beside it. */
static void jobs_that_hold_more_than_there_is_are_told(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    struct node *n = model_get_node(u->app->m, "gpu01");
    n->gpus = 2;
    uilab_keys(u, "2");
    uilab_draw(u, 24, 132);
    must_show(u, "jobs hold more GPUs than the node has (3/2)");
    n->gpus = 8;
    n->cpus = 1;
    uilab_keys(u, "12");
    uilab_draw(u, 24, 132);
    must_show(u, "jobs hold more CPUs than the node has (");
    must_not_show(u, "more GPUs than");
}

/* The page of a node that leaves the configuration, and of one whose figures are not known. */
static void a_page_outlives_its_node(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "2/cpu06<Enter><Enter>");
    uilab_draw(u, 24, 80);
    must_show(u, "Node cpu06");
    must_show(u, "No job runs on this node.");
    u->lab.spec.nodes.n--;
    struct cluster_spec *spec = xcalloc(1, sizeof *spec);
    rec_copy(&cluster_spec_rec, spec, &u->lab.spec);
    uilab_push(u, EV_CONFIG, 0, spec);
    uilab_draw(u, 24, 80);
    must_show(u, "no longer configured");
    uilab_keys(u, "dRw<Enter>lc<Tab>");
    uilab_draw(u, 24, 80);
    uilab_keys(u, "<Esc>q");
}

static void each_state_has_its_sign_and_word(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    node_news(u, "cpu03", NODE_SUSPECT, NEWS_NONE, NULL);
    node_news(u, "cpu04", NODE_LOST, NEWS_LOST, "no route to host");
    push_window(u, "firmware", "cpu05", 0, 120, false);
    uilab_keys(u, "2");
    for (int cols = 80; cols <= 200; cols += 40) {
        uilab_draw(u, 24, cols);
        must_show(u, "▽ gpu03    draining ");
        must_show(u, "▼ gpu04    drained ");
        must_show(u, "? cpu03    no answer ");
        must_show(u, "✕ cpu04    lost ");
        must_show(u, "▨ cpu05    maintenance ");
    }
    uilab_keys(u, "*"); /* marks leave the states as they are */
    uilab_draw(u, 24, 80);
    int y = uilab_find(u, "draining");
    check_int("role", canvas_at(&u->canvas, y, 13)->role, ROLE_NODE_DRAIN);
    check_int("over", canvas_at(&u->canvas, y, 13)->over, ROLE_NORMAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UI_FIXTURE_CASE(what_was_measured_is_kept),
        UI_FIXTURE_CASE(a_page_tells_why_since_when_and_whose),
        UI_FIXTURE_CASE(keys_of_a_page_mean_node_and_jobs),
        UI_FIXTURE_CASE(jobs_that_hold_more_than_there_is_are_told),
        UI_FIXTURE_CASE(a_page_outlives_its_node),
        UI_FIXTURE_CASE(the_menu_of_a_page_is_true),
        UI_FIXTURE_CASE(a_node_that_is_lost_starts_no_job),
        UI_FIXTURE_CASE(the_reason_of_a_drain_comes_first),
        UI_FIXTURE_CASE(each_state_has_its_sign_and_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
