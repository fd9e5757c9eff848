/* What comes over a socket or out of the database: bodies of every kind of message, and records of jobs. No
 * input may crash the reader, and what it accepts it writes so that it reads the same. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/proto/codec.h"
#include "src/proto/msg.h"
#include "tests/fuzz/driver.h"

static void record(const struct rec_desc *d, const uint8_t *p, size_t n)
{
    void *rec = malloc(d->size), *back = malloc(d->size);
    struct errtext err;
    if (codec_decode(d, p, n, rec, &err) == 0) {
        struct str bytes = STR_INIT;
        codec_encode(d, rec, &bytes);
        int r = codec_decode(d, bytes.s, bytes.len, back, &err);
        assert(r == 0 && rec_eq(d, rec, back));
        rec_fini(d, back);
        rec_fini(d, rec);
        str_fini(&bytes);
    }
    free(rec);
    free(back);
}

/* The same bytes row by row: into memory that is used again, and into records of their own. */
static void rows(const uint8_t *p, size_t n)
{
    struct errtext err;
    struct codec_rows *r = codec_rows_new();
    size_t n_rows = 0, n_own = 0;
    struct job j;
    int rc = codec_rows_open(r, &job_rec, p, n, &err);
    while (rc >= 0 && (rc = codec_rows_next(r, &j, &err)) == 1)
        n_rows++;
    rc = codec_rows_open(r, &job_rec, p, n, &err);
    while (rc >= 0 && codec_rows_left(r)) {
        memset(&j, 0, sizeof j);
        rc = codec_rows_next_own(r, &j, NULL, &err);
        n_own += rc == 1;
        rec_fini(&job_rec, &j);
    }
    assert(n_rows == n_own);
    codec_rows_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size)
        return 0;
    record(msg_rec(data[0] % MSG_N_KINDS), data + 1, size - 1);
    record(&job_rec, data + 1, size - 1);
    rows(data + 1, size - 1);
    record(event_body_rec(data[0] % EV_N_KINDS), data + 1, size - 1);
    return 0;
}
