/* test_scripts.c - what retired jobs ran is kept, once, within bounds, and without their environments. */
#include "tests/lib/check.h"

#include "backend/store/scripts.h"
#include "src/base/xalloc.h"
#include "src/model/job.h"
#include "src/proto/codec.h"
#include "tests/lib/storelab.h"

static struct db db;

static int set_up(void **state)
{
    struct errtext err = {""};
    storelab_set_up(state);
    if (db_open(&db, sl.file, &(struct store_demands){0}, &err) < 0)
        fail_msg("%s", err.s);
    return 0;
}

static int tear_down(void **state)
{
    db_close(&db);
    return storelab_tear_down(state);
}

static void sql(const char *text)
{
    char *why = NULL;
    if (sqlite3_exec(db.handle, text, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s: %s", text, why);
}

static int64_t number(const char *query)
{
    sqlite3_stmt *st;
    assert_int_equal(sqlite3_prepare_v2(db.handle, query, -1, &st, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(st), SQLITE_ROW);
    int64_t n = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return n;
}

static void submit(uint32_t job, const char *script, size_t n, const char *arg)
{
    struct step_payload p = {.script = {.p = xmemdup(script, n), .n = n}};
    struct str bytes = STR_INIT;
    struct errtext err = {""};
    strv_push(&p.argv, arg);
    strv_push(&p.env, "TOKEN=secret");
    codec_encode(&step_payload_rec, &p, &bytes);
    sqlite3_stmt *st = db.st[DB_ADD_PAYLOAD];
    sqlite3_bind_int64(st, 1, job);
    sqlite3_bind_int64(st, 2, STEP_BATCH);
    sqlite3_bind_blob64(st, 3, bytes.s, bytes.len, SQLITE_STATIC);
    assert_int_equal(db_run(&db, DB_ADD_PAYLOAD, &err), 0);
    str_fini(&bytes);
    rec_fini(&step_payload_rec, &p);
}

/* As the store retires it. */
static void retire(uint32_t job, uint32_t array, uint32_t uid)
{
    struct errtext err = {""};
    char text[256];
    snprintf(text, sizeof text,
             "INSERT INTO history (job, array_job, uid, state, t_submit, t_start, t_end, record)"
             " VALUES (%u, %u, %u, 0, 0, 0, 0, x'00')",
             job, array, uid);
    sql(text);
    if (array && array != job)
        return;
    assert_int_equal(scripts_keep(&db, job, &err), 0);
    sqlite3_bind_int64(db.st[DB_DEL_PAYLOADS], 1, job);
    assert_int_equal(db_run(&db, DB_DEL_PAYLOADS, &err), 0);
}

/* "uid script argument", "uid -" (not kept), "none" (no such job). Caller frees. */
static char *got(uint32_t job)
{
    struct str bytes = STR_INIT;
    struct step_payload p = {0};
    struct errtext err = {""};
    uint32_t uid = 0;
    char *out = NULL;
    if (!scripts_get(&db, job, &uid, &bytes)) {
        out = xstrdup("none");
    } else if (!bytes.len) {
        out = xasprintf("%u -", uid);
    } else {
        assert_int_equal(codec_decode(&step_payload_rec, bytes.s, bytes.len, &p, &err), 0);
        assert_int_equal(p.env.n, 0);
        out = xasprintf("%u %.*s %s", uid, (int)p.script.n, (const char *)p.script.p, p.argv.v[0]);
        rec_fini(&step_payload_rec, &p);
    }
    str_fini(&bytes);
    return out;
}

static void must_have(uint32_t job, const char *want)
{
    char *is = got(job);
    assert_string_equal(is, want);
    free(is);
}

static void test_script_outlives_its_payload(void **state)
{
    (void)state;
    submit(5, "echo", 4, "a b");
    retire(5, 0, 1000);
    retire(6, 0, 1001);
    must_have(5, "1000 echo a b");
    must_have(6, "1001 -");
    must_have(7, "none");
    assert_int_equal(number("SELECT count(*) FROM payload"), 0);
    assert_int_equal(number("SELECT count(*) FROM script WHERE instr(CAST(body AS TEXT), 'secret')"), 0);
}

static void test_each_text_once(void **state)
{
    (void)state;
    for (uint32_t job = 1; job <= 10; job++) {
        submit(job, "same", 4, job <= 5 ? "one" : "other");
        retire(job, 0, job);
    }
    assert_int_equal(number("SELECT count(*) FROM script"), 2);
    must_have(1, "1 same one");
    must_have(10, "10 same other");
}

/* If a user makes many texts with one hash, later ones are still not compared with all of them. */
static void test_few_are_compared(void **state)
{
    (void)state;
    submit(1, "same", 4, "one");
    retire(1, 0, 1);
    sql("INSERT INTO script (hash, body) SELECT hash, x'01' FROM script, (SELECT 1 UNION SELECT 2"
        " UNION SELECT 3)");
    submit(2, "same", 4, "one");
    retire(2, 0, 2);
    assert_int_equal(number("SELECT count(*) FROM script"), 4);
    sql("INSERT INTO script (hash, body) SELECT hash, x'02' FROM script");
    submit(3, "same", 4, "one");
    retire(3, 0, 3);
    assert_int_equal(number("SELECT count(*) FROM script"), 9);
    must_have(1, "1 same one");
    must_have(3, "3 same one");
}

static void test_elements_have_their_array_s(void **state)
{
    (void)state;
    submit(10, "array", 5, "x");
    retire(11, 10, 1000);
    must_have(11, "1000 array x"); /* its array is still there */
    retire(10, 10, 1000);
    must_have(10, "1000 array x");
    must_have(11, "1000 array x");
}

static void test_bounds(void **state)
{
    (void)state;
    char *big = xcalloc(1, SCRIPT_MAX + 1);
    memset(big, 'x', SCRIPT_MAX + 1);
    submit(1, big, SCRIPT_MAX + 1, "");
    retire(1, 0, 1);
    must_have(1, "1 -");
    free(big);
    db.scripts_max = 100; /* three of these */
    for (uint32_t job = 2; job <= 9; job++) {
        char script[21];
        snprintf(script, sizeof script, "script number %6u", job);
        submit(job, script, 20, "1234");
        retire(job, 0, job);
        assert_true(number("SELECT sum(length(body)) FROM script") <= 100);
    }
    must_have(2, "2 -");
    must_have(6, "6 -");
    must_have(7, "7 script number      7 1234");
    must_have(9, "9 script number      9 1234");
    submit(20, "script number      2", 20, "1234"); /* comes again, and is not what 2 ran */
    retire(20, 0, 20);
    must_have(20, "20 script number      2 1234");
    must_have(2, "2 -");
}

static void test_files_of_earlier_releases(void **state)
{
    (void)state;
    struct errtext err = {""};
    sql("DROP TABLE script; DROP TABLE script_of;");
    db_close(&db);
    if (db_open(&db, sl.file, &(struct store_demands){0}, &err) < 0)
        fail_msg("%s", err.s);
    submit(5, "echo", 4, "a");
    retire(5, 0, 1000);
    must_have(5, "1000 echo a");
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {CASE(test_script_outlives_its_payload),
                                       CASE(test_each_text_once),
                                       CASE(test_few_are_compared),
                                       CASE(test_elements_have_their_array_s),
                                       CASE(test_bounds),
                                       CASE(test_files_of_earlier_releases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
