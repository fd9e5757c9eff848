/* test_query_queue.c - row queries are served in turn, and equal queries are answered once.
 * The clock and what a slice of rows takes are said here, not measured. */
#include "backend/control/clients/job_rows.h"
#include "backend/control/clients/query_queue.h"
#include "backend/control/forecast_slices.h"
#include "backend/sched/cycle/cycle.h"
#include "src/base/xalloc.h"
#include "tests/lib/check.h"

#define SLICE_NS NS_PER_MS
#define PLENTY   1000
#define MANY     10 /* sessions of alice */

struct one {
    struct session s;
    unsigned left; /* slices until it has all */
    unsigned slices, kept;
    bool reads_nothing; /* its connection is full */
    unsigned drains_asked;
};

static struct control *c;
static struct user_quota alice, bob;
static struct one one[MANY + 1]; /* the last is bob's */
static int64_t now_ns;
static unsigned timers, hurries; /* hurries: forecasts that were asked for */

/* --- in the place of the clock, the loop, connections and rows --- */

struct mono mono_read(void)
{
    return (struct mono){now_ns};
}

struct wall loop_wall(const struct loop *l)
{
    (void)l;
    return (struct wall){now_ns / NS_PER_MS};
}

void loop_timer_set(struct loop *l, struct loop_timer *t, int64_t ms)
{
    (void)l;
    (void)t;
    (void)ms;
    timers++;
}

void loop_timer_cancel(struct loop *l, struct loop_timer *t)
{
    (void)l;
    (void)t;
}

void loop_watch(struct loop *l, struct loop_fd *w, unsigned want)
{
    (void)l, (void)w, (void)want;
}

void loop_unwatch(struct loop *l, struct loop_fd *w)
{
    (void)l, (void)w;
}

void conn_ask_drain(struct conn *conn)
{
    ((struct one *)(void *)conn)->drains_asked++;
}

bool rows_tell_starts(const struct msg_get *g)
{
    (void)g;
    return true;
}

void forecast_slices_hurry(struct control *of)
{
    (void)of;
    hurries++;
}

struct wall forecast_made(const struct forecaster *p)
{
    (void)p;
    return (struct wall){0};
}

struct forecaster *planner_forecaster(struct planner *p)
{
    (void)p;
    return NULL;
}

bool rows_have_commands(const struct msg_get *g)
{
    (void)g;
    return false;
}

void rows_send_spec(struct session *s)
{
    (void)s;
}

enum slice rows_slice(struct session *s, struct mono until)
{
    (void)until;
    struct one *o = container_of(s, struct one, s);
    now_ns += SLICE_NS;
    if (o->reads_nothing)
        return SLICE_FULL;
    o->slices++;
    query_queue_note(s, "row", 3);
    if (--o->left)
        return SLICE_MORE;
    s->snapshotting = false;
    return SLICE_LAST;
}

void rows_send_kept(struct session *s, const struct query_answer *a)
{
    struct one *o = container_of(s, struct one, s);
    assert_int_equal(a->bytes.len, 3 * a->ends.n);
    o->kept++;
    s->snapshotting = false;
}

/* --- */

static int set_up(void **state)
{
    (void)state;
    c = xcalloc(1, sizeof *c);
    query_queue_module.start(c);
    struct user_quota *const all[] = {&alice, &bob};
    for (size_t i = 0; i < 2; i++) {
        *all[i] = (struct user_quota){0};
        list_init(&all[i]->queries);
        list_init(&all[i]->query_link);
    }
    for (unsigned i = 0; i <= MANY; i++) {
        one[i] = (struct one){.left = PLENTY};
        one[i].s.ctl = c;
        one[i].s.conn = (struct conn *)(void *)&one[i];
        one[i].s.quota = i < MANY ? &alice : &bob;
        list_init(&one[i].s.query.link);
    }
    now_ns = 1000 * NS_PER_S;
    timers = hurries = 0;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (unsigned i = 0; i <= MANY; i++)
        query_queue_end(&one[i].s);
    assert_true(list_empty(&alice.query_link) && list_empty(&bob.query_link));
    query_queue_module.stop(c);
    free(c);
    return 0;
}

/* what: equal questions have the same. */
static void begin(unsigned i, unsigned slices, uint32_t what)
{
    one[i].left = slices;
    one[i].s.get = (struct msg_get){.what = what};
    one[i].s.snapshotting = true;
    query_queue_begin(&one[i].s);
}

static void turns(unsigned n)
{
    while (n--)
        query_queue_serve(c);
}

static unsigned slices_of_alice(void)
{
    unsigned n = 0;
    for (unsigned i = 0; i < MANY; i++)
        n += one[i].slices;
    return n;
}

/* Ten connections of alice have as much as the one of bob, and each of the ten the same. */
static void test_users_look_in_turn(void **state)
{
    (void)state;
    for (unsigned i = 0; i <= MANY; i++)
        begin(i, PLENTY, i + 1);
    turns(100);
    assert_in_range(one[MANY].slices, slices_of_alice() - 1, slices_of_alice() + 1);
    assert_int_equal(hurries, MANY + 1); /* once for each question, before its rows */
    for (unsigned i = 0; i < MANY; i++)
        assert_in_range(one[i].slices, slices_of_alice() / MANY, slices_of_alice() / MANY + 1);
}

/* A single client has all of the time; an iteration ends in time, and another one does what is left. */
static void test_a_turn_is_short(void **state)
{
    (void)state;
    begin(0, 7, 1);
    int64_t from = now_ns;
    turns(1);
    assert_in_range(now_ns - from, SLICE_NS, 3 * SLICE_NS);
    unsigned each = one[0].slices;
    assert_int_equal(timers, 1);
    turns(1);
    assert_int_equal(one[0].slices, 2 * each);
    assert_int_equal(timers, 2);
    turns(7);
    assert_int_equal(one[0].slices, 7);
    unsigned set = timers;
    turns(1); /* no query is left */
    assert_int_equal(timers, set);
}

static void test_an_equal_question_is_answered_once(void **state)
{
    (void)state;
    begin(0, 5, 1);
    begin(MANY, 5, 1); /* from any of them */
    begin(1, 5, 1);
    begin(2, 5, 2); /* another one */
    turns(20);
    assert_int_equal(one[0].slices + one[MANY].slices + one[1].slices, 5);
    assert_int_equal(one[0].kept + one[MANY].kept + one[1].kept, 2);
    assert_int_equal(one[2].slices, 5);
    assert_int_equal(one[2].kept, 0);
}

/* Something has happened between its beginning and the next one's question. */
static void test_an_old_answer_is_no_answer(void **state)
{
    (void)state;
    begin(0, 3, 1);
    turns(1);
    c->stats.events++;
    now_ns++;
    begin(1, 3, 1);
    turns(10);
    assert_int_equal(one[0].slices, 3);
    assert_int_equal(one[1].slices, 3);
    assert_int_equal(one[1].kept, 0);
}

/* What follows goes to one alone. */
static void test_followers_have_their_own(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        one[i].left = 3;
        one[i].s.get = (struct msg_get){.what = 1, .follow = true};
        one[i].s.snapshotting = true;
        query_queue_begin(&one[i].s);
    }
    turns(10);
    assert_int_equal(one[0].slices, 3);
    assert_int_equal(one[1].slices, 3);
}

static void test_who_does_not_read_keeps_nobody_waiting(void **state)
{
    (void)state;
    begin(0, 3, 1);
    one[0].reads_nothing = true;
    begin(1, 3, 1); /* the same question */
    begin(MANY, 3, 2);
    turns(10);
    assert_int_equal(one[0].drains_asked, 1); /* and is not tried again and again */
    assert_int_equal(one[0].slices, 0);
    assert_int_equal(one[1].slices, 3);
    assert_int_equal(one[MANY].slices, 3);
    one[0].reads_nothing = false;
    query_queue_module.session_drained(c, &one[0].s);
    query_queue_module.session_drained(c, &one[0].s);
    turns(10);
    assert_int_equal(one[0].slices, 3);
}

/* Half of an answer is not shared: the next client with that query begins again. */
static void test_who_leaves_leaves_no_half_answer(void **state)
{
    (void)state;
    begin(0, 5, 1);
    turns(1);
    begin(1, 5, 1);
    turns(1);
    assert_int_equal(one[1].slices, 0);
    query_queue_end(&one[0].s);
    turns(10);
    assert_int_equal(one[1].slices, 5);
    begin(2, 5, 2);
    one[2].s.snapshotting = false; /* it is void */
    turns(2);
    assert_int_equal(one[2].slices, 0);
    assert_true(list_empty(&alice.query_link));
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {CASE(test_users_look_in_turn),
                                       CASE(test_a_turn_is_short),
                                       CASE(test_an_equal_question_is_answered_once),
                                       CASE(test_an_old_answer_is_no_answer),
                                       CASE(test_followers_have_their_own),
                                       CASE(test_who_does_not_read_keeps_nobody_waiting),
                                       CASE(test_who_leaves_leaves_no_half_answer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
