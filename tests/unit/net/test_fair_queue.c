/* test_fair_queue.c - who is served how often. What a go takes is said here, not measured. */
#include "backend/net/fair_queue.h"
#include "tests/lib/check.h"

#define GO_NS  (NS_PER_MS / 10)
#define PLACES 10

struct one {
    struct fair_place place;
    unsigned served;
    unsigned left; /* goes until it has said everything */
    int64_t go_ns;
    size_t bytes;
};

static struct loop *l;
static struct fair_pool pool;
static struct fair_queue alice, bob;
static struct one of_alice[PLACES], of_bob;

static void serve(void *ctx)
{
    struct one *o = ctx;
    o->served++;
    fair_queue_spend(o->place.queue, 1, o->bytes, o->go_ns);
    if (--o->left)
        fair_place_line_up(&o->place);
}

static int set_up(void **state)
{
    (void)state;
    l = loop_new();
    fair_pool_init(&pool, l);
    fair_queue_init(&alice, &pool, 0);
    fair_queue_init(&bob, &pool, 0);
    for (int i = 0; i <= PLACES; i++) {
        struct one *o = i < PLACES ? &of_alice[i] : &of_bob;
        *o = (struct one){.left = UINT32_MAX, .go_ns = GO_NS};
        fair_place_init(&o->place, i < PLACES ? &alice : &bob, serve, o);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < PLACES; i++)
        fair_place_leave(&of_alice[i].place);
    fair_place_leave(&of_bob.place);
    assert_int_equal(pool.n_busy, 0);
    fair_queue_fini(&alice);
    fair_queue_fini(&bob);
    loop_free(l);
    return 0;
}

static void all_line_up(void)
{
    for (int i = 0; i < PLACES; i++)
        fair_place_line_up(&of_alice[i].place);
    fair_place_line_up(&of_bob.place);
}

static unsigned served_of_alice(void)
{
    unsigned n = 0;
    for (int i = 0; i < PLACES; i++)
        n += of_alice[i].served;
    return n;
}

/* As the controller does it with nothing at the disk. */
static void turns(int n)
{
    for (int i = 0; i < n; i++) {
        loop_turn(l, 1000);
        fair_pool_next_batch(&pool);
    }
}

static void test_connections_bring_nobody_more(void **state)
{
    (void)state;
    all_line_up();
    turns(10);
    assert_int_equal(served_of_alice(), of_bob.served);
    assert_true(of_bob.served >= 10 * 40); /* half of each turn */
    for (int i = 0; i < PLACES; i++) {
        unsigned each = served_of_alice() / PLACES;
        assert_in_range(of_alice[i].served, each, each + 1);
    }
}

static void test_who_is_alone_has_all_of_it(void **state)
{
    (void)state;
    fair_place_line_up(&of_alice[3].place);
    turns(10);
    assert_in_range(of_alice[3].served, 10 * 80, 10 * 80);
}

static void test_what_took_long_is_taken_off(void **state)
{
    (void)state;
    for (int i = 0; i < PLACES; i++)
        of_alice[i].go_ns = 40 * NS_PER_MS;
    all_line_up();
    turns(20); /* 20 x 4 ms of hers: two such goes */
    assert_in_range(served_of_alice(), 2, 3);
    assert_true(of_bob.served >= 20 * 40);
}

static void test_who_has_said_everything_leaves_the_line(void **state)
{
    (void)state;
    of_alice[0].left = 5;
    fair_place_line_up(&of_alice[0].place);
    assert_false(fair_queue_is_open(&alice));
    assert_true(fair_queue_is_open(&bob));
    turns(1);
    assert_int_equal(of_alice[0].served, 5);
    assert_int_equal(pool.n_busy, 0);
    assert_true(fair_queue_is_open(&alice));
    fair_place_line_up(&of_alice[1].place);
    fair_place_line_up(&of_alice[2].place);
    fair_place_leave(&of_alice[1].place);
    fair_place_leave(&of_alice[1].place);
    turns(1);
    assert_int_equal(of_alice[1].served, 0);
    assert_true(of_alice[2].served > 0);
}

/* Each user has a bounded part of the requests that wait for the disk. */
static void test_a_batch_has_room_for_all(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t bytes;
        unsigned served;
    } rows[] = {{"small ones", 100, 2000}, {"large ones", 64 << 10, 61}};
    for (size_t r = 0; r < 2; r++) {
        tear_down(NULL);
        set_up(NULL);
        for (int i = 0; i < PLACES; i++)
            of_alice[i].bytes = rows[r].bytes;
        for (int i = 0; i < PLACES; i++)
            fair_place_line_up(&of_alice[i].place);
        for (int i = 0; i < 100; i++)
            loop_turn(l, 1); /* the batch before is being written */
        check_int(rows[r].name, served_of_alice(), rows[r].served);
        assert_false(fair_queue_is_open(&alice));
        assert_true(fair_queue_is_open(&bob));
        fair_place_line_up(&of_bob.place);
        loop_turn(l, 1000);
        assert_true(of_bob.served > 0);
        check_int(rows[r].name, served_of_alice(), rows[r].served);
        fair_pool_next_batch(&pool);
        loop_turn(l, 1000);
        assert_true(served_of_alice() > rows[r].served);
    }
}

static void test_a_rate_holds_back_and_refuses_nothing(void **state)
{
    (void)state;
    alice.rate = 100; /* with 1000 at once */
    for (int i = 0; i < PLACES; i++) {
        of_alice[i].left = 101;
        of_alice[i].go_ns = 1000;
        fair_place_line_up(&of_alice[i].place);
    }
    loop_turn(l, 1000);
    assert_int_equal(served_of_alice(), 1001);
    assert_int_equal(alice.n_slowed, 1);
    assert_false(fair_queue_is_open(&alice));
    assert_true(fair_queue_is_open(&bob));
    for (int i = 0; i < 100000 && !list_empty(&alice.waiting); i++)
        turns(1);
    assert_int_equal(served_of_alice(), 1010);
    /* Counted each time; who is stopped for long in between is not held back by it. */
    for (int i = 0; i < 1000 && alice.n_slowed < 2; i++) {
        of_alice[0].left = 2;
        fair_place_line_up(&of_alice[0].place);
        while (!list_empty(&alice.waiting))
            turns(1);
    }
    assert_true(alice.n_slowed > 1);
    alice.rate = 0;
    assert_true(fair_queue_is_open(&alice));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
        CASE(test_connections_bring_nobody_more), CASE(test_who_is_alone_has_all_of_it),
        CASE(test_what_took_long_is_taken_off),   CASE(test_who_has_said_everything_leaves_the_line),
        CASE(test_a_batch_has_room_for_all),      CASE(test_a_rate_holds_back_and_refuses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
