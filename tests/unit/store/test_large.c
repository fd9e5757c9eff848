/* Payloads in pieces: what a batch holds, whose turn it is, what is read back, what is deleted. */
#include <string.h>

#include "backend/store/large.h"
#include "src/base/xalloc.h"
#include "tests/lib/check.h"
#include "tests/lib/storelab.h"

#define MANY (5u << 20)

static char order[64]; /* owners, as they were told */

struct told {
    char name;
    bool on_disk;
};

static void on_stored(void *ctx)
{
    struct told *t = ctx;
    t->on_disk = true;
    order[strlen(order)] = t->name;
}

static struct store_large *begin(uint32_t owner, size_t n, struct told *t)
{
    struct str b = STR_INIT;
    for (size_t i = 0; i < n; i++)
        str_append_char(&b, (char)('a' + i / 1000 % 26));
    return store_begin_large(sl.store, owner, &b, on_stored, t);
}

static void until_told(const struct told *t)
{
    while (!t->on_disk) {
        store_turn(sl.store);
        storelab_hear();
    }
}

static void ask(uint32_t job, int32_t step)
{
    unsigned n = sl.payload.answers;
    store_get_payload(sl.store, job, step, storelab_on_payload, NULL);
    while (sl.payload.answers == n) {
        store_turn(sl.store);
        storelab_hear();
    }
}

/* Commits until the thread has deleted what no payload names; n pieces are left. The file is looked at
 * while the store is closed. */
static void until_pieces(int64_t n)
{
    for (int i = 0;; i++) {
        store_close(sl.store);
        sl.store = NULL;
        if (storelab_sql_number("SELECT count(*) FROM piece") == n)
            break;
        assert_true(i < 1000);
        storelab_must_open();
        for (int k = 0; k < 30; k++) {
            store_add_payload(sl.store, 1000, 0, "some", 4);
            storelab_commit();
        }
    }
    storelab_must_open();
}

static void test_a_batch_holds_one_piece(void **state)
{
    (void)state;
    struct told t = {.name = 'a'};
    struct store_stats stats;
    storelab_must_open();
    struct store_large *g = begin(1, MANY, &t);
    uint64_t seq = 0;
    while (!t.on_disk) { /* a small event waits for its own batch alone */
        storelab_add(++seq, 1);
        uint64_t ticket = store_ticket(sl.store);
        store_turn(sl.store);
        for (unsigned commits = 0; store_committed(sl.store) < ticket; commits++) {
            assert_true(commits < 2);
            storelab_hear();
        }
    }
    store_get_stats(sl.store, &stats);
    assert_true(stats.batch_bytes_max >= LARGE_PIECE && stats.batch_bytes_max < LARGE_PIECE + 4096);
    assert_true(stats.commits >= MANY / LARGE_PIECE);
    store_end_large(sl.store, g);
}

static void test_ranges_are_read_back(void **state)
{
    (void)state;
    static const struct {
        size_t at, n;
    } cases[] = {{0, MANY}, {0, 1}, {MANY - 1, 1}, {LARGE_PIECE, LARGE_PIECE}, {LARGE_PIECE - 1, 2},
                 {1000, 0}};
    struct told t = {.name = 'a'};
    storelab_must_open();
    struct store_large *g = begin(1, MANY, &t);
    until_told(&t);
    for (uint32_t i = 0; i < 6; i++)
        store_add_large(sl.store, 1, (int32_t)i, g, cases[i].at, cases[i].n);
    store_end_large(sl.store, g);
    storelab_commit();
    storelab_reopen();
    for (uint32_t i = 0; i < 6; i++) {
        ask(1, (int32_t)i);
        assert_int_equal(sl.payload.n, cases[i].n);
        for (size_t k = 0; k < cases[i].n && k < 60; k++)
            assert_int_equal(sl.payload.text[k], 'a' + (cases[i].at + k) / 1000 % 26);
    }
    store_close(sl.store);
    sl.store = NULL;
    storelab_sql("UPDATE piece SET body = zeroblob(length(body)) WHERE at = (SELECT max(at) FROM piece)");
    storelab_must_open();
    ask(1, 0); /* damaged */
    assert_int_equal(sl.payload.n, 0);
    ask(1, 3); /* in another piece */
    assert_int_equal(sl.payload.n, LARGE_PIECE);
}

static void test_owners_take_turns(void **state)
{
    (void)state;
    struct told many[4] = {{.name = '1'}, {.name = '2'}, {.name = '3'}, {.name = '4'}}, one = {.name = 'b'};
    struct store_large *g[5];
    memset(order, 0, sizeof order);
    storelab_must_open();
    for (int i = 0; i < 4; i++)
        g[i] = begin(1, MANY / 4, &many[i]);
    g[4] = begin(2, MANY / 4, &one);
    for (int i = 0; i < 4; i++)
        until_told(&many[i]);
    assert_string_equal(order, "1b234"); /* not behind all of the first user's */
    for (int i = 0; i < 5; i++)
        store_end_large(sl.store, g[i]);
}

static void test_what_no_payload_names_goes(void **state)
{
    (void)state;
    struct told named = {.name = 'a'}, refused = {.name = 'b'}, lost = {.name = 'c'};
    storelab_must_open();
    struct store_large *a = begin(1, MANY / 4, &named), *b = begin(2, MANY / 4, &refused);
    until_told(&named);
    until_told(&refused);
    store_add_large(sl.store, 7, 0, a, 0, MANY / 4);
    store_end_large(sl.store, a);
    store_end_large(sl.store, b);
    storelab_commit();
    struct store_large *c = begin(3, MANY, &lost); /* the controller ends before all is on disk */
    storelab_commit();
    (void)c;
    until_pieces(MANY / 4 / LARGE_PIECE);
    ask(7, 0);
    assert_int_equal(sl.payload.n, MANY / 4);
    store_del_payload(sl.store, 7, 0);
    storelab_commit();
    until_pieces(0);
}

static void test_a_failed_commit(void **state)
{
    (void)state;
    struct told t = {.name = 'a'};
    storelab_must_open();
    struct store_large *g = begin(1, MANY, &t);
    store_turn(sl.store);
    store_reset(sl.store);
    store_end_large(sl.store, g);
    storelab_add(1, 1);
    storelab_commit();
    assert_false(t.on_disk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_CASE(test_a_batch_holds_one_piece), STORE_CASE(test_ranges_are_read_back),
        STORE_CASE(test_owners_take_turns),       STORE_CASE(test_what_no_payload_names_goes),
        STORE_CASE(test_a_failed_commit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
