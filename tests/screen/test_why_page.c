/* test_why_page.c - the page that says why a job waits and when it starts. */
#include "src/base/xalloc.h"
#include "tests/lib/check.h"
#include "tests/screen/ui_fixture.h"

/* The answer for a job that by the limits starts in 4 h 18 min. */
static void give_range(struct ui_fixture *g, int64_t unlikely_ms)
{
    struct uilab *u = &g->u;
    struct msg_why w = {.job = g->s.big,
                        .samples = 31,
                        .start = {.ms = u->lab.now.ms + 15480000},
                        .likely = {.ms = u->lab.now.ms + 1200000},
                        .unlikely = {.ms = u->lab.now.ms + unlikely_ms}};
    struct cause *c = rec_list_push(&w.causes);
    *c = (struct cause){
        .cls = WHY_BUSY, .code = CAUSE_AHEAD, .n = 3, .part = xstrdup("gpu"), .start = w.start};
    uilab_feed(u, MSG_WHY_CAUSES, uilab_sent(u, MSG_WHY)->tag, &w);
    rec_fini(&msg_why_rec, &w);
    uilab_draw(u, 24, 80);
}

/* Two times that contradict each other: the likely one goes first, the other is that of the limits. */
static void a_likely_range_goes_before_a_later_start(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/finetune<Enter>w");
    give_range(g, 3000000);
    must_show(u, " 3 jobs ahead");
    must_not_show(u, "starts ~");
    must_not_show(u, " start ");
    must_show(u, " likely  14:39 to 15:09 (half of 31 such forecasts; jobs often end before");
    must_show(u, " limits  about 18:37, in 4 h 18 min");
    assert_true(uilab_find(u, " limits ") > uilab_find(u, " likely "));
}

static void a_range_around_the_start_goes_behind_it(void **state)
{
    struct ui_fixture *g = *state;
    struct uilab *u = &g->u;
    uilab_keys(u, "/finetune<Enter>w");
    give_range(g, 15480000);
    must_show(u, " 3 jobs ahead, starts ~18:37");
    must_show(u, " start   about 18:37, in 4 h 18 min");
    must_show(u, " likely  14:39 to 18:37 (half of 31 such forecasts)");
    assert_true(uilab_find(u, " likely ") > uilab_find(u, " start "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UI_FIXTURE_CASE(a_likely_range_goes_before_a_later_start),
        UI_FIXTURE_CASE(a_range_around_the_start_goes_behind_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
