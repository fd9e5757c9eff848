/* test_compact.c - random histories of nodes, controllers, usage and windows: without the events that are
 * void the fold gives the same state, and few remain. */
#include "backend/control/compact.h"
#include "src/base/xalloc.h"
#include "src/model/fold/nodeevents.h"
#include "tests/lib/check.h"

#define RUNS    200
#define LENGTH  400
#define NODES   3
#define WINDOWS 3

static uint64_t seed;

static uint32_t below(uint32_t n)
{
    return (uint32_t)(check_rand(&seed) % n);
}

static char *node_name(uint32_t i)
{
    return xasprintf("n%u", i);
}

/* Some of the nodes, one of them always. */
static struct cluster_spec *new_config(void)
{
    struct cluster_spec *s = xcalloc(1, sizeof *s);
    s->name = xstrdup("test");
    s->priority.decay_half_life_s = below(100);
    for (uint32_t i = 0; i < NODES; i++)
        if (i == 0 || below(4)) {
            struct node_spec *n = rec_list_push(&s->nodes);
            n->name = node_name(i);
            n->cpus = below(2) ? 8 : 0;
            n->gpus = below(2) ? 2 : UINT32_MAX;
        }
    return s;
}

static struct event new_event(uint64_t seq)
{
    struct event ev = {.seq = seq, .t = {.ms = (int64_t)seq * 1000}};
    uint32_t what = seq == 1 ? 0 : below(52);
    if (what == 0) {
        ev.kind = EV_CONFIG;
        ev.body = new_config();
    } else if (what < 4) {
        struct ev_epoch *b = xcalloc(1, sizeof *b);
        *b = (struct ev_epoch){.uuid = xstrdup("u"), .epoch = seq, .next_job = (uint32_t)seq};
        ev.kind = EV_EPOCH;
        ev.body = b;
    } else if (what < 10) {
        struct ev_drain *b = xcalloc(1, sizeof *b);
        *b = (struct ev_drain){.node = node_name(below(NODES)), .drain = below(2), .reason = xstrdup("r")};
        ev.kind = EV_DRAIN;
        ev.body = b;
    } else if (what < 12) {
        struct ev_note *b = xcalloc(1, sizeof *b);
        *b = (struct ev_note){.node = node_name(below(NODES)),
                              .text = below(3) ? xasprintf("note %u", below(100)) : NULL,
                              .user = xstrdup("ann")};
        ev.kind = EV_NOTE;
        ev.body = b;
    } else if (what < 16) {
        struct ev_usage *b = xcalloc(1, sizeof *b);
        for (uint32_t i = below(4); i > 0; i--)
            *rec_list_push(&b->rows) = (struct usage_row){.account = xasprintf("a%u", below(3)),
                                                          .user = xstrdup("u"),
                                                          .qos = xstrdup(""),
                                                          .partition = xstrdup("p"),
                                                          .billing = below(1000),
                                                          .gpu_s = below(1000),
                                                          .t = ev.t};
        ev.kind = EV_USAGE;
        ev.body = b;
    } else if (what < 22) {
        struct ev_window *b = xcalloc(1, sizeof *b);
        int64_t start = 1000 + below(1000);
        *b = (struct ev_window){.window = {.name = xasprintf("w%u", below(WINDOWS)),
                                           .nodes = strv_split("n1", ","),
                                           .start = {.ms = start},
                                           .end = {.ms = start + (int64_t)below(3)}},
                                .remove = below(3) == 0};
        ev.kind = EV_WINDOW;
        ev.body = b;
    } else {
        struct ev_node *b = xcalloc(1, sizeof *b);
        *b = (struct ev_node){.node = node_name(below(NODES)), .state = below(3), .cpus = below(64)};
        b->boot_id = below(3) ? NULL : xasprintf("boot %u", below(100));
        if (below(4) == 0) {
            b->news = NEWS_LOST + below(4);
            b->news_text = below(2) ? xasprintf("news %u", below(100)) : NULL;
        }
        ev.kind = EV_NODE;
        ev.body = b;
    }
    return ev;
}

static bool is_gone(const struct compact *k, uint64_t seq)
{
    vec_for_each (&k->gone, i)
        if (k->gone.v[i] == seq)
            return true;
    return false;
}

static void must_be_same(const struct model *a, const struct model *b)
{
    assert_int_equal(a->epoch, b->epoch);
    assert_int_equal(a->next_job, b->next_job);
    assert_int_equal(a->seq, b->seq);
    assert_int_equal(a->now.ms, b->now.ms);
    assert_true(a->usage.saved_seq == b->usage.saved_seq);
    assert_int_equal(a->usage.n, b->usage.n);
    for (size_t i = 0; i < a->usage.n; i++)
        assert_true(rec_eq(&usage_row_rec, &a->usage.rows[i], &b->usage.rows[i]));
    assert_int_equal(a->windows.n, b->windows.n);
    for (size_t i = 0; i < a->windows.n; i++)
        assert_true(rec_eq(&window_rec, &a->windows.v[i], &b->windows.v[i]));
    assert_int_equal(a->n_nodes, b->n_nodes);
    for (size_t i = 0; i < a->n_nodes; i++)
        if (!rec_eq(&node_rec, a->nodes[i], b->nodes[i]))
            fail_msg("node %s differs: state %u %u since %lld %lld", a->nodes[i]->spec.name,
                     a->nodes[i]->state, b->nodes[i]->state, (long long)a->nodes[i]->t_state.ms,
                     (long long)b->nodes[i]->t_state.ms);
}

static void test_same_fold(void **state)
{
    (void)state;
    seed = check_seed();
    for (int run = 0; run < RUNS; run++) {
        static struct event log[LENGTH];
        struct model all, rest;
        struct compact k = {0};
        model_init(&all);
        model_init(&rest);
        uint32_t taken = 0, configs = 0;
        for (uint64_t i = 0; i < LENGTH; i++) {
            log[i] = new_event(i + 1);
            bool fits = compact_apply(&k, &all, &log[i]) == 0;
            taken += fits;
            configs += log[i].kind == EV_CONFIG;
        }
        for (uint64_t i = 0; i < LENGTH; i++)
            if (!is_gone(&k, log[i].seq))
                (void)!model_apply(&rest, &log[i]);
        must_be_same(&all, &rest);
        assert_true(taken <= k.gone.n + 2 + configs + NODES * (5 + NODE_EVENTS_MAX) + WINDOWS + 2);
        for (uint64_t i = 0; i < LENGTH; i++)
            event_fini(&log[i]);
        compact_fini(&k);
        model_fini(&all);
        model_fini(&rest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_fold)};
    return cmocka_run_group_tests_name("compact", tests, NULL, NULL);
}
