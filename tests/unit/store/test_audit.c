/* test_audit.c - the audit log is read in pieces, and bounded by age and by size. */
#include "tests/lib/check.h"

#include <string.h>

#include "backend/store/audit_db.h"
#include "src/base/xalloc.h"
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

/* A row of one line, at t, of a user, about a job of user 100 + uid. */
static void write_row(int64_t t, uint32_t uid, uint32_t job, bool heavy)
{
    struct audit_job j = {.job = job, .index = AUDIT_NO_INDEX, .uid = 100 + uid};
    struct audit_line l = {.t = {.ms = t},
                           .uid = uid,
                           .user = uid == 1 ? (char[]){"ann"} : (char[]){"bob"},
                           .request = AUDIT_CANCEL};
    struct str bytes = STR_INIT, row = STR_INIT;
    struct errtext err = {""};
    l.jobs.v = &j;
    l.jobs.n = 1;
    codec_encode(&audit_line_rec, &l, &bytes);
    uint32_t size = (uint32_t)bytes.len;
    str_append_n(&row, (const char *)&size, sizeof size);
    str_append_n(&row, bytes.s, bytes.len);
    if (audit_db_write(&db, t, heavy, row.s, row.len, &err) < 0)
        fail_msg("%s", err.s);
    str_fini(&bytes);
    str_fini(&row);
}

static void write_line(int64_t t, uint32_t uid, uint32_t job)
{
    write_row(t, uid, job, false);
}

/* Reads to the end; *ret_first: the job of the first line. Returns how many lines. */
static size_t read_all(const struct msg_audit *query, struct audit_reader who, uint32_t *ret_first)
{
    struct msg_audit q = *query;
    size_t n = 0;
    for (bool more = true; more;) {
        struct str out = STR_INIT;
        struct errtext err = {""};
        struct msg_audit_lines m;
        assert_int_equal(audit_db_read(&db, &q, &who, &out, &err), 0);
        assert_int_equal(codec_decode(&msg_audit_lines_rec, out.s, out.len, &m, &err), 0);
        if (!n && m.rows.n && ret_first)
            *ret_first = m.rows.v[0].jobs.v[0].job;
        n += m.rows.n;
        q.after = m.after;
        more = m.more;
        rec_fini(&msg_audit_lines_rec, &m);
        str_fini(&out);
    }
    return n;
}

static const struct audit_reader admin = {.uid = 50, .admin = true};

static void lines_that_are_meant_and_may_be_seen(void **state)
{
    (void)state;
    check_int("an empty log", read_all(&(struct msg_audit){0}, admin, NULL), 0);
    check_int("an empty log, by time", read_all(&(struct msg_audit){.since.ms = 5}, admin, NULL), 0);
    for (uint32_t i = 1; i <= 100; i++)
        write_line(1000 * i, 1 + i % 2, i);
    uint32_t first = 0;
    check_int("all", read_all(&(struct msg_audit){0}, admin, NULL), 100);
    check_int("since", read_all(&(struct msg_audit){.since.ms = 41000}, admin, &first), 60);
    check_int("the first since then", first, 41);
    check_int("until", read_all(&(struct msg_audit){.until.ms = 10000}, admin, NULL), 10);
    check_int("beyond the end", read_all(&(struct msg_audit){.since.ms = 200000}, admin, NULL), 0);
    check_int("of a job", read_all(&(struct msg_audit){.job = 7}, admin, NULL), 1);
    struct msg_audit of_ann = {0};
    strv_push(&of_ann.users, "ann");
    check_int("of a user", read_all(&of_ann, admin, NULL), 50);
    strv_fini(&of_ann.users);
    check_int("one's own requests", read_all(&(struct msg_audit){0}, (struct audit_reader){.uid = 1}, NULL),
              50);
    check_int("about one's own jobs",
              read_all(&(struct msg_audit){0}, (struct audit_reader){.uid = 102}, NULL), 50);
    check_int("another user's", read_all(&(struct msg_audit){0}, (struct audit_reader){.uid = 3}, NULL), 0);
}

static void trim(const struct audit_bounds *b)
{
    struct errtext err = {""};
    db.audit_rows = 1000;
    assert_int_equal(audit_db_trim(&db, b, &err), 0);
}

static void old_lines_go(void **state)
{
    (void)state;
    uint32_t first = 0;
    for (uint32_t i = 1; i <= 100; i++)
        write_line(1000 * i, 1, i);
    trim(&(struct audit_bounds){.before_ms = INT64_MIN});
    check_int("no bounds", read_all(&(struct msg_audit){0}, admin, NULL), 100);
    trim(&(struct audit_bounds){.before_ms = 30000});
    check_int("by age", read_all(&(struct msg_audit){0}, admin, &first), 71);
    check_int("the oldest that stays", first, 30);
    uint64_t bytes = (uint64_t)db.audit_total / 100;
    trim(&(struct audit_bounds){.before_ms = INT64_MIN, .bytes = 20 * bytes});
    size_t n = read_all(&(struct msg_audit){0}, admin, &first);
    assert_in_range(n, 18, 21);
    check_int("the newest stay", first, 101 - (uint32_t)n);
    db.audit_total = -1; /* as after a start */
    write_line(200000, 1, 101);
    check_int("written behind them", read_all(&(struct msg_audit){0}, admin, NULL), n + 1);
}

/* Lines of one user pushed out those of all others. */
static void a_flood_takes_its_own_part(void **state)
{
    (void)state;
    struct msg_audit of_ann = {0}, of_bob = {0};
    strv_push(&of_ann.users, "ann");
    strv_push(&of_bob.users, "bob");
    for (uint32_t i = 1; i <= 20; i++)
        write_line(i, 1, i);
    uint64_t bytes = (uint64_t)db.audit_total / 20;
    struct audit_bounds bounds = {.before_ms = INT64_MIN, .bytes = 40 * bytes};
    for (uint32_t i = 1; i <= 500; i++) {
        write_row(100 + i, 2, i, true);
        trim(&bounds);
    }
    check_int("others' lines", read_all(&of_ann, admin, NULL), 20);
    uint32_t first = 0;
    size_t n = read_all(&of_bob, admin, &first);
    assert_in_range(n, 8, 11); /* a quarter */
    check_int("the newest of the flood stay", first, 501 - (uint32_t)n);
    db.heavy_total = db.audit_total = -1; /* as after a start */
    for (uint32_t i = 1; i <= 100; i++) {
        write_line(1000 + i, 1, 100 + i);
        trim(&bounds);
    }
    size_t own = read_all(&of_ann, admin, NULL), all = own + read_all(&of_bob, admin, NULL);
    assert_in_range(all, 30, 42);
    assert_in_range(own, 30, 42); /* what the flood has left is theirs */
    strv_fini(&of_ann.users);
    strv_fini(&of_bob.users);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {CASE(lines_that_are_meant_and_may_be_seen), CASE(old_lines_go),
                                       CASE(a_flood_takes_its_own_part)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
