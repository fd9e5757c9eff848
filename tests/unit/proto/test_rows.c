/* test_rows.c - a list of records that is read one after the other. */
#include <errno.h>
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/proto/codec.h"
#include "src/proto/msg.h"
#include "tests/lib/anyrec.h"
#include "tests/lib/check.h"

struct one {
    uint32_t n;
};
#define ONE_FIELDS(F, G, S) F(S, U32, n)
extern const struct rec_desc one_rec;
REC_DEFINE(one, ONE_FIELDS)

#define BYTES(s) s, sizeof s - 1

static void test_rows_come_one_by_one(void **state)
{
    (void)state;
    anyrec_set_seed(__func__);
    struct codec_rows *rows = codec_rows_new();
    for (size_t n = 0; n < 300; n = n * 2 + 1) {
        struct msg_jobs m = {0};
        struct str out = STR_INIT;
        struct errtext err;
        struct job row;
        for (size_t i = 0; i < n; i++)
            anyrec_fill(&job_rec, rec_list_push(&m.rows));
        codec_encode(&msg_jobs_rec, &m, &out);
        assert_int_equal(codec_rows_open(rows, &job_rec, out.s, out.len, &err), 0);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(codec_rows_next(rows, &row, &err), 1);
            assert_true(rec_eq(&job_rec, &row, &m.rows.v[i]));
        }
        assert_int_equal(codec_rows_next(rows, &row, &err), 0);
        assert_int_equal(codec_rows_next(rows, &row, &err), 0);
        str_fini(&out);
        rec_fini(&msg_jobs_rec, &m);
    }
    codec_rows_free(rows);
}

static void drop_text(void *ctx, char **text)
{
    strpool_drop(ctx, *text);
    *text = NULL;
}

static void drop_row(struct job *row, struct strpool *texts)
{
    if (texts)
        rec_each_text(&job_rec, row, drop_text, texts);
    rec_fini(&job_rec, row);
}

static void test_rows_are_kept(void **state)
{
    (void)state;
    anyrec_set_seed(__func__);
    struct codec_rows *rows = codec_rows_new();
    struct strpool *shared = strpool_new();
    for (int round = 0; round < 20; round++) {
        struct strpool *texts = round % 2 ? shared : NULL;
        struct msg_jobs m = {0};
        struct str out = STR_INIT;
        struct errtext err;
        struct job row[20] = {{0}}, seen;
        for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
            anyrec_fill(&job_rec, rec_list_push(&m.rows));
        codec_encode(&msg_jobs_rec, &m, &out);
        assert_int_equal(codec_rows_open(rows, &job_rec, out.s, out.len, &err), 0);
        for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
            assert_int_equal(codec_rows_left(rows), sizeof row / sizeof row[0] - i);
            if (i % 5 == 4) /* among others that are only looked at */
                assert_int_equal(codec_rows_next(rows, &seen, &err), 1);
            else
                assert_int_equal(codec_rows_next_own(rows, &row[i], texts, &err), 1);
        }
        assert_int_equal(codec_rows_left(rows), 0);
        memset(out.s, 'x', out.len); /* nothing of it is in the bytes that it came in */
        for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
            assert_true(i % 5 == 4 || rec_eq(&job_rec, &row[i], &m.rows.v[i]));
            drop_row(&row[i], texts);
        }
        assert_int_equal(strpool_count(shared), 0);
        str_fini(&out);
        rec_fini(&msg_jobs_rec, &m);
    }
    strpool_unref(shared);
    codec_rows_free(rows);
}

/* Whatever is damaged: an error or some record, no end in the middle of the bytes. */
static void test_damaged_rows_are_survived(void **state)
{
    (void)state;
    anyrec_set_seed(__func__);
    struct codec_rows *rows = codec_rows_new();
    struct strpool *texts = strpool_new();
    for (int round = 0; round < 2000; round++) {
        struct msg_jobs m = {0};
        struct str out = STR_INIT;
        struct errtext err;
        struct job row;
        anyrec_fill(&job_rec, rec_list_push(&m.rows));
        anyrec_fill(&job_rec, rec_list_push(&m.rows));
        codec_encode(&msg_jobs_rec, &m, &out);
        size_t n = round % 2 ? out.len : anyrec_below((uint32_t)out.len);
        char *bytes = xmemdup(out.s, n ? n : 1); /* so that reading on behind them is seen */
        if (n && round % 2)
            bytes[anyrec_below((uint32_t)n)] ^= (char)(1 << anyrec_below(8));
        int r = codec_rows_open(rows, &job_rec, bytes, n, &err);
        assert_true(r == 0 || r == -EBADMSG);
        assert_true(r < 0 || round % 2);
        for (int i = 0; r >= 0 && i < 3; i++) {
            bool own = round % 3 == 0;
            memset(&row, 0, sizeof row);
            r = own ? codec_rows_next_own(rows, &row, texts, &err) : codec_rows_next(rows, &row, &err);
            assert_true(r == 0 || r == 1 || r == -EBADMSG);
            if (own) /* what was read before the damage is there too */
                drop_row(&row, texts);
            if (r == 0)
                break;
        }
        free(bytes);
        str_fini(&out);
        rec_fini(&msg_jobs_rec, &m);
    }
    assert_int_equal(strpool_count(texts), 0);
    strpool_unref(texts);
    codec_rows_free(rows);
}

static void test_rows_that_are_none(void **state)
{
    (void)state;
    static const struct {
        const char *p;
        size_t n;
        int open, next;
    } cases[] = {
        {BYTES("\x90"), 0, 0},                     /* a record without its list */
        {BYTES("\x91\xc0"), 0, 0},                 /* unset */
        {BYTES("\x91\x90"), 0, 0},                 /* empty */
        {BYTES("\x91\x91\x90"), 0, 1},             /* one empty row */
        {BYTES("\x91\x07"), -EBADMSG, 0},          /* no list */
        {BYTES("\x07"), -EBADMSG, 0},              /* no record */
        {BYTES("\x91\x91\x07"), 0, -EBADMSG},      /* a row that is not a record */
        {BYTES("\x91\x91\x91\xa1x"), 0, -EBADMSG}, /* a word where the number is */
    };
    struct codec_rows *rows = codec_rows_new();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct errtext err;
        struct one row;
        assert_int_equal(codec_rows_open(rows, &one_rec, cases[i].p, cases[i].n, &err), cases[i].open);
        if (!cases[i].open)
            assert_int_equal(codec_rows_next(rows, &row, &err), cases[i].next);
    }
    codec_rows_free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_come_one_by_one),
        cmocka_unit_test(test_rows_are_kept),
        cmocka_unit_test(test_damaged_rows_are_survived),
        cmocka_unit_test(test_rows_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
