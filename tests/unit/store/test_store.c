/* test_store.c - what has been acknowledged is on disk, and comes back. */
#include <sys/stat.h>

#include "src/base/xalloc.h"
#include "src/proto/codec.h"
#include "tests/lib/lab.h"
#include "tests/lib/storelab.h"

static void test_reload(void **state)
{
    (void)state;
    storelab_must_open();
    storelab_disk_must_have("new", "");
    assert_int_equal(store_last_job(sl.store), 0);
    storelab_add(1, 0);
    storelab_add(2, 5);
    storelab_add(7, UINT32_MAX);
    storelab_commit();
    storelab_disk_must_have("at once", "1:0 2:5 7:4294967295");
    storelab_reopen();
    storelab_disk_must_have("after a restart", "1:0 2:5 7:4294967295");
    storelab_add(8, 5);
    store_close(sl.store); /* commits what is left */
    storelab_must_open();
    storelab_disk_must_have("after a close", "1:0 2:5 7:4294967295 8:5");
    struct stat st;
    assert_int_equal(stat(sl.file, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

static int stop_at_second(void *ctx, struct event *ev)
{
    event_fini(ev);
    return ++*(int *)ctx == 2;
}

static void test_load_can_be_stopped(void **state)
{
    (void)state;
    storelab_must_open();
    for (uint64_t i = 1; i <= 3; i++)
        storelab_add(i, 1);
    storelab_commit();
    int n = 0;
    struct errtext err;
    assert_int_equal(store_load(sl.store, stop_at_second, &n, &err), 0);
    assert_int_equal(n, 2);
    storelab_disk_must_have("from the beginning again", "1:1 2:1 3:1");
}

static void test_tickets(void **state)
{
    (void)state;
    storelab_must_open();
    uint64_t start = store_ticket(sl.store);
    assert_true(start <= store_committed(sl.store)); /* nothing to wait for */
    store_turn(sl.store);
    assert_int_equal(store_ticket(sl.store), start); /* an empty turn makes no batch */
    storelab_add(1, 1);
    uint64_t first = store_ticket(sl.store);
    assert_true(first > store_committed(sl.store));
    store_turn(sl.store);
    assert_int_equal(store_ticket(sl.store), first);
    /* While that is under way the next ones gather behind one ticket. */
    storelab_add(2, 1);
    uint64_t second = store_ticket(sl.store);
    assert_true(second > first);
    store_turn(sl.store);
    storelab_add(3, 1);
    assert_int_equal(store_ticket(sl.store), second);
    store_turn(sl.store);
    while (store_committed(sl.store) < second)
        storelab_hear();
    assert_int_equal(sl.tickets.n, 2);
    assert_int_equal(sl.tickets.v[0], first);
    assert_int_equal(sl.tickets.v[1], second);
    assert_int_equal(sl.last_result, 0);
    struct store_stats stats;
    store_get_stats(sl.store, &stats);
    assert_int_equal(stats.commits, 2);
    assert_int_equal(stats.events, 3);
    assert_true(stats.db_bytes > 0);
    storelab_disk_must_have("all", "1:1 2:1 3:1");
}

static void ask(uint32_t job, int32_t step)
{
    unsigned n = sl.payload.answers;
    store_get_payload(sl.store, job, step, storelab_on_payload, NULL);
    while (sl.payload.answers == n)
        storelab_hear();
    assert_int_equal(sl.payload.job, job);
}

static void test_payloads(void **state)
{
    (void)state;
    storelab_must_open();
    ask(1, 0);
    assert_int_equal(sl.payload.n, 0);
    store_add_payload(sl.store, 1, STEP_BATCH, "#!/bin/sh", 9);
    store_add_payload(sl.store, 1, 0, "srun", 4);
    store_add_payload(sl.store, 2, 0, "", 0);
    store_turn(sl.store);
    ask(1, STEP_BATCH); /* what was handed over before is seen */
    assert_string_equal(sl.payload.text, "#!/bin/sh");
    ask(1, 0);
    assert_string_equal(sl.payload.text, "srun");
    ask(2, 0);
    assert_int_equal(sl.payload.n, 0);
    /* Asked before the batch that holds it has been handed over: the answer comes behind that. */
    store_add_payload(sl.store, 4, 0, "early", 5);
    store_get_payload(sl.store, 4, 0, storelab_on_payload, NULL);
    store_turn(sl.store);
    unsigned before = sl.payload.answers;
    while (sl.payload.answers == before)
        storelab_hear();
    assert_string_equal(sl.payload.text, "early");
    store_add_payload(sl.store, 1, 0, "again", 5);
    store_del_payload(sl.store, 1, STEP_BATCH);
    storelab_commit();
    ask(1, 0);
    assert_string_equal(sl.payload.text, "again");
    ask(1, STEP_BATCH);
    assert_int_equal(sl.payload.n, 0);
    char *big = xmalloc(3 << 20);
    memset(big, 'x', 3 << 20);
    store_add_payload(sl.store, 3, 0, big, 3 << 20);
    free(big);
    storelab_commit();
    storelab_reopen();
    ask(3, 0);
    assert_int_equal(sl.payload.n, 3 << 20);
}

/* --- a state on disk: as the controller does it --- */

static struct lab lab;

static void happen(enum event_kind kind, uint32_t job, void *body)
{
    struct str b = STR_INIT;
    codec_encode(event_body_rec(kind), body, &b);
    bool kept = kind != EV_RETIRE || store_retire_job(sl.store, lab_get(&lab, job));
    lab_must(&lab, kind, job, body);
    struct event ev = {.seq = lab.m.seq, .t = lab.m.now, .kind = kind, .job = job};
    if (kept)
        store_add_event(sl.store, &ev, b.s, b.len);
    str_fini(&b);
}

static void submit(uint32_t id, uint32_t elements)
{
    struct job *j = lab_job(&lab, JOB_KIND_BATCH);
    j->id = id;
    if (elements) {
        j->array_job = id;
        *rec_list_push(&job_rare_mut(j)->array_pending) = (struct index_range){0, elements - 1, 1};
    }
    happen(EV_SUBMIT, id, j);
    free(j);
    store_add_payload(sl.store, id, STEP_BATCH, "#!/bin/sh", 9);
}

static void start(uint32_t id, uint32_t index, uint32_t new_id)
{
    uint32_t cpu = new_id ? new_id : id;
    struct ev_start b = {.array_index = index, .new_id = new_id, .partition = xstrdup("main")};
    *rec_list_push(&b.alloc) = lab_alloc("n1", cpu, 1, 0, 0, 10);
    happen(EV_START, id, &b);
}

static void end_and_retire(uint32_t id)
{
    struct ev_end b = {.step = STEP_BATCH, .attempt = 1, .end_kind = END_EXITED};
    happen(EV_END, id, &b);
    struct ev_none none = {0};
    happen(EV_RETIRE, id, &none);
    uint64_t old = lab.m.usage.saved_seq;
    struct ev_usage usage;
    usage_save(&lab.m, lab.m.now, &usage);
    happen(EV_USAGE, 0, &usage);
    if (old)
        store_del_event(sl.store, old);
}

static int fold(void *ctx, struct event *ev)
{
    if (model_apply(ctx, ev) < 0)
        fail_msg("event %llu, %s of job %u, does not fit any more", (unsigned long long)ev->seq,
                 event_name(ev->kind), ev->job);
    event_fini(ev);
    return 0;
}

static void disk_must_give_the_state(const char *row)
{
    struct model m;
    struct errtext err = {""};
    model_init(&m);
    check_int(row, store_load(sl.store, fold, &m, &err), 0);
    uint32_t last = store_last_job(sl.store);
    m.next_job = last >= m.next_job ? last + 1 : m.next_job;
    if (model_check(&m, &err) < 0)
        fail_msg("[%s] %s", row, err.s);
    struct lab_copy *a = lab_copy_new(&lab.m), *b = lab_copy_new(&m);
    const char *what = lab_differs(a, b, true);
    if (what)
        fail_msg("[%s] %s is not what it was", row, what);
    lab_copy_free(a);
    lab_copy_free(b);
    model_fini(&m);
}

static void test_retire(void **state)
{
    (void)state;
    storelab_must_open();
    lab_init(&lab);
    struct cluster_spec spec = {.name = xstrdup("lab"),
                                .priority = {.billing_cpu = 1.0, .decay_half_life_s = 60}};
    happen(EV_CONFIG, 0, &spec);
    submit(1, 0);
    submit(2, 0);
    start(1, ARRAY_NONE, 0);
    start(2, ARRAY_NONE, 0);
    end_and_retire(2);
    storelab_commit();
    storelab_reopen();
    disk_must_give_the_state("one of two retired");
    assert_int_equal(store_last_job(sl.store), 2);
    ask(1, STEP_BATCH);
    assert_string_equal(sl.payload.text, "#!/bin/sh");
    ask(2, STEP_BATCH);
    assert_int_equal(sl.payload.n, 0);
    end_and_retire(1);
    storelab_commit();
    storelab_reopen();
    disk_must_give_the_state("both retired");
    /* What their ends had charged is there although those events have gone. */
    assert_int_equal(lab.m.usage.n, 1);
    assert_true(lab.m.usage.rows[0].billing > 1.0);
    assert_int_equal(lab.m.next_job, 3); /* no id is given twice */
    store_close(sl.store);
    sl.store = NULL;
    assert_int_equal(storelab_sql_number("SELECT count(*) FROM event WHERE job > 0"), 0);
    assert_int_equal(storelab_sql_number("SELECT count(*) FROM event WHERE job = 0"),
                     2); /* config, usage */
    assert_int_equal(storelab_sql_number("SELECT count(*) FROM payload"), 0);
    static const char count[] =
        "SELECT count(*) FROM history WHERE uid = 1000 AND user = 'alice' AND name = 'work'"
        " AND partition = 'main' AND state = 4 AND t_end > t_start AND t_start > t_submit AND crc != 0";
    assert_int_equal(storelab_sql_number(count) + storelab_history_number(count), 2);
    lab_fini(&lab);
}

/* After a restart a retired element of an array was there again, running, and ran once more: the event that
 * makes it is its array's. */
static void test_retired_elements_do_not_come_back(void **state)
{
    (void)state;
    storelab_must_open();
    lab_init(&lab);
    submit(1, 3);
    submit(2, 0);
    start(1, 0, 3);
    end_and_retire(3);
    start(1, 1, 4);
    storelab_commit();
    storelab_reopen();
    disk_must_give_the_state("one element retired");
    end_and_retire(4);
    storelab_commit();
    storelab_reopen();
    disk_must_give_the_state("two of three retired");
    start(1, 2, 0); /* the last one is the record itself */
    end_and_retire(1);
    storelab_commit();
    storelab_reopen();
    disk_must_give_the_state("the array retired");
    store_close(sl.store);
    sl.store = NULL;
    assert_int_equal(storelab_sql_number("SELECT count(*) FROM event WHERE job IN (1, 3, 4)"), 0);
    assert_int_equal(storelab_sql_number("SELECT count(*) FROM event WHERE job = 2"), 1);
    /* They may have been moved into their file by now. */
    static const char rows[] = "SELECT count(*) FROM history WHERE array_job = 1";
    assert_int_equal(storelab_sql_number(rows) + storelab_history_number(rows), 3);
    lab_fini(&lab);
}

static void test_reset_without_a_failure(void **state)
{
    (void)state;
    storelab_must_open();
    storelab_add(1, 1);
    store_turn(sl.store);
    storelab_add(2, 1);
    store_reset(sl.store); /* what was handed over may have been committed; what was gathered is dropped */
    storelab_disk_must_have("handed over", "1:1");
    sl.last_result = 1;
    storelab_add(2, 1);
    storelab_commit();
    storelab_disk_must_have("later", "1:1 2:1");
}

/* Enough for checkpoints to run while the loop reads with the same connection. */
static void test_reads_beside_checkpoints(void **state)
{
    (void)state;
    storelab_must_open();
    char page[8000];
    memset(page, 'x', sizeof page);
    for (uint64_t i = 1; i <= 6; i++) {
        for (uint32_t k = 0; k < 700; k++)
            store_add_payload(sl.store, (uint32_t)i * 1000 + k, 0, page, sizeof page);
        storelab_add(i, 1);
        storelab_commit();
        struct str got = STR_INIT;
        struct errtext err;
        assert_int_equal(store_load(sl.store, storelab_collect, &got, &err), 0);
        assert_int_equal(got.len, i * 4 - 1);
        str_fini(&got);
    }
    storelab_reopen();
    storelab_disk_must_have("all", "1:1 2:1 3:1 4:1 5:1 6:1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_CASE(test_reload),
        STORE_CASE(test_load_can_be_stopped),
        STORE_CASE(test_tickets),
        STORE_CASE(test_payloads),
        STORE_CASE(test_retire),
        STORE_CASE(test_retired_elements_do_not_come_back),
        STORE_CASE(test_reset_without_a_failure),
        STORE_CASE(test_reads_beside_checkpoints),
    };
    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
