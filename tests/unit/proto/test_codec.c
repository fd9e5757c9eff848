/* test_codec.c - records on the wire: what comes back, how they grow, and what hostile bytes can do. */
#include <errno.h>
#include <stdlib.h>

#include "src/base/xalloc.h"
#include "src/proto/codec.h"
#include "src/proto/frame.h"
#include "src/proto/msg.h"
#include "src/proto/shape.h"
#include "tests/lib/anyrec.h"
#include "tests/lib/check.h"

/* ---- records of the test ---- */

struct leaf {
    uint32_t a;
    char *b;
};
#define LEAF_FIELDS(F, G, S) F(S, U32, a) F(S, STR, b)

/* One member of each type. */
struct thing {
    bool flag;
    uint32_t u32;
    int32_t i32;
    uint64_t u64;
    int64_t i64;
    double f64;
    char *str;
    struct blob blob;
    struct strv strv;
    struct wall wall;
    struct cpuset set;
    struct leaf sub;
    REC_LIST(struct leaf) list;
};
#define THING_FIELDS(F, G, S)                                                                     \
    F(S, BOOL, flag)                                                                              \
    F(S, U32, u32) F(S, I32, i32) F(S, U64, u64) F(S, I64, i64) F(S, F64, f64) F(S, STR, str)     \
        F(S, BLOB, blob) F(S, STRV, strv) F(S, WALL, wall) F(S, CPUSET, set) G(S, SUB, sub, leaf) \
            G(S, LISTOF, list, leaf)

/* Yesterday's form of leaf's holder and tomorrow's. */
struct older {
    uint32_t n;
};
#define OLDER_FIELDS(F, G, S) F(S, U32, n)
struct newer {
    uint32_t n;
    char *text;
    REC_LIST(struct leaf) list;
};
#define NEWER_FIELDS(F, G, S) F(S, U32, n) F(S, STR, text) G(S, LISTOF, list, leaf)

extern const struct rec_desc leaf_rec, thing_rec, older_rec, newer_rec;
REC_DEFINE(leaf, LEAF_FIELDS)
REC_DEFINE(thing, THING_FIELDS)
REC_DEFINE(older, OLDER_FIELDS)
REC_DEFINE(newer, NEWER_FIELDS)

/* ---- what every message and event can be ---- */

static const struct rec_desc *const all_recs[] = {&thing_rec,
#define X(name, body, who) &body##_rec,
                                                  MSGS(X)
#undef X
#define X(name, text, body) &body##_rec,
                                                      EVENTS(X)
#undef X
};
#define N_RECS (sizeof all_recs / sizeof all_recs[0])

static void encode_to(const struct rec_desc *d, const void *rec, struct str *out)
{
    str_clear(out);
    codec_encode(d, rec, out);
}

static bool is_zero(const void *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (((const char *)p)[i])
            return false;
    return true;
}

/* Decodes from a copy of exactly n bytes, so that a sanitizer sees a read behind them. What was understood
 * must be stable: encoding it again and decoding that gives the same record. */
static int decode_checked(const struct rec_desc *d, const char *p, size_t n)
{
    void *copy = xmemdup(p, n ? n : 1), *rec = xmalloc(d->size);
    memset(rec, 0xa5, d->size);
    struct errtext err = {""};
    int r = codec_decode(d, copy, n, rec, &err);
    if (r < 0) {
        assert_int_equal(r, -EBADMSG);
        assert_true(strlen(err.s) > 0);
        assert_true(is_zero(rec, d->size));
        free(rec);
    } else {
        struct str again = STR_INIT;
        codec_encode(d, rec, &again);
        void *second = xmalloc(d->size);
        assert_int_equal(codec_decode(d, again.s, again.len, second, &err), 0);
        assert_true(rec_eq(d, rec, second));
        str_fini(&again);
        anyrec_free(d, second);
        anyrec_free(d, rec);
    }
    free(copy);
    return r;
}

static void test_every_record_comes_back(void **state)
{
    (void)state;
    anyrec_set_seed("every record comes back");
    struct str out = STR_INIT;
    for (size_t k = 0; k < N_RECS; k++)
        for (int round = 0; round < 20; round++) {
            const struct rec_desc *d = all_recs[k];
            void *rec = round ? anyrec_new(d) : xcalloc(1, d->size);
            encode_to(d, rec, &out);
            void *back = xmalloc(d->size);
            struct errtext err = {""};
            int r = codec_decode(d, out.s, out.len, back, &err);
            if (r < 0)
                fail_msg("%s: %s", d->name, err.s);
            if (!rec_eq(d, rec, back))
                fail_msg("%s: comes back different", d->name);
            anyrec_free(d, back);
            anyrec_free(d, rec);
        }
    str_fini(&out);
}

static void test_every_prefix_is_refused(void **state)
{
    (void)state;
    anyrec_set_seed("every prefix is refused");
    struct str out = STR_INIT;
    for (size_t k = 0; k < N_RECS; k++) {
        const struct rec_desc *d = all_recs[k];
        void *rec = anyrec_new(d);
        encode_to(d, rec, &out);
        for (size_t n = 0; n<out.len; n += out.len> 20000 ? 37 : 1)
            assert_int_equal(decode_checked(d, out.s, n), -EBADMSG);
        str_append_char(&out, '\0');
        assert_int_equal(decode_checked(d, out.s, out.len), -EBADMSG);
        anyrec_free(d, rec);
    }
    str_fini(&out);
}

static void test_flipped_bits_are_survived(void **state)
{
    (void)state;
    anyrec_set_seed("flipped bits");
    struct str out = STR_INIT;
    unsigned understood = 0;
    for (int round = 0; round < 4000; round++) {
        const struct rec_desc *d = all_recs[anyrec_below(N_RECS)];
        void *rec = anyrec_new(d);
        encode_to(d, rec, &out);
        anyrec_free(d, rec);
        for (uint32_t flips = 1 + anyrec_below(4); flips; flips--)
            out.s[anyrec_below((uint32_t)out.len)] ^= (char)(1 << anyrec_below(8));
        understood += decode_checked(d, out.s, out.len) == 0;
    }
    assert_in_range(understood, 1, 3999);
    str_fini(&out);
}

static void test_random_bytes_are_survived(void **state)
{
    (void)state;
    anyrec_set_seed("random bytes");
    for (int round = 0; round < 20000; round++) {
        char bytes[64];
        uint32_t n = anyrec_below(sizeof bytes);
        for (uint32_t i = 0; i < n; i++)
            bytes[i] = (char)(anyrec_below(3) ? 0x90 + anyrec_below(16) : anyrec_random());
        decode_checked(all_recs[anyrec_below(N_RECS)], bytes, n);
    }
}

static void test_a_record_as_another(void **state)
{
    (void)state;
    anyrec_set_seed("a record as another");
    struct str out = STR_INIT;
    for (size_t k = 0; k < N_RECS; k++) {
        void *rec = anyrec_new(all_recs[k]);
        encode_to(all_recs[k], rec, &out);
        for (size_t other = 0; other < N_RECS; other++)
            decode_checked(all_recs[other], out.s, out.len);
        anyrec_free(all_recs[k], rec);
    }
    str_fini(&out);
}

/* ---- wrong values, each with its text ---- */

#define BYTES(s) s, sizeof s - 1

static void test_wrong_values_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t n;
        const char *text;
    } cases[] = {
        {BYTES(""), "thing: not a message: it ends too early"},
        {BYTES("\xc0"), "thing: not a record"},
        {BYTES("\x05"), "thing: not a record"},
        {BYTES("\x80"), "thing: not a message: a map"},
        {BYTES("\xde\x00\x00"), "thing: not a message: a type of value that is never sent"},
        {BYTES("\xc1"), "thing: not a message: a type of value that is never sent"},
        {BYTES("\x91\xd4\x01\x02"), "thing: not a message: a type of value that is never sent"},
        {BYTES("\x90\x90"), "thing: not a message: bytes behind its end"},
        {BYTES("\xdd\xff\xff\xff\xff"), "thing: not a message: a count larger than what follows"},
        {BYTES("\xdd\x00\x00\x00\x03\x01\x01"), "thing: not a message: a count larger than what follows"},
        {BYTES("\x92\x92\x01\x01\x91"), "thing: not a message: a count larger than what follows"},
        {BYTES("\x91\xdb\xff\xff\xff\xff"), "thing: not a message: it ends too early"},
        {BYTES("\x91\xc6\xff\xff\xff\xffxx"), "thing: not a message: it ends too early"},
        {BYTES("\x91\x01"), "thing.flag: true or false is expected"},
        {BYTES("\x92\xc2\xc3"), "thing.u32: a number from 0 to 4294967295 is expected"},
        {BYTES("\x92\xc0\xff"), "thing.u32: a number from 0 to 4294967295 is expected"},
        {BYTES("\x92\xc0\xcf\x00\x00\x00\x01\x00\x00\x00\x00"),
         "thing.u32: a number from 0 to 4294967295 is expected"},
        {BYTES("\x93\xc0\xc0\xce\x80\x00\x00\x00"), "thing.i32: a number of 32 bits is expected"},
        {BYTES("\x93\xc0\xc0\xd3\xff\xff\xff\xff\x7f\xff\xff\xff"),
         "thing.i32: a number of 32 bits is expected"},
        {BYTES("\x94\xc0\xc0\xc0\xff"), "thing.u64: a number from 0 is expected"},
        {BYTES("\x95\xc0\xc0\xc0\xc0\xcf\x80\x00\x00\x00\x00\x00\x00\x00"),
         "thing.i64: a number of 64 bits is expected"},
        {BYTES("\x96\xc0\xc0\xc0\xc0\xc0\x01"), "thing.f64: a finite number is expected"},
        {BYTES("\x96\xc0\xc0\xc0\xc0\xc0\xcb\x7f\xf0\x00\x00\x00\x00\x00\x00"),
         "thing.f64: a finite number is expected"},
        {BYTES("\x97\xc0\xc0\xc0\xc0\xc0\xc0\x01"), "thing.str: a string is expected"},
        {BYTES("\x97\xc0\xc0\xc0\xc0\xc0\xc0\xc4\x01x"), "thing.str: a string is expected"},
        {BYTES("\x97\xc0\xc0\xc0\xc0\xc0\xc0\xa3x\0y"), "thing.str: a string with a NUL in it"},
        {BYTES("\x98\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xa1x"), "thing.blob: binary data is expected"},
        {BYTES("\x99\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xa1x"), "thing.strv: a list is expected"},
        {BYTES("\x99\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\x92\xa1x\xc0"), "thing.strv: a string is expected"},
        {BYTES("\x9a\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xa1x"), "thing.wall: a time is expected"},
        {BYTES("\x9b\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\x07"), "thing.set: a set is expected"},
        {BYTES("\x9c\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\x07"), "thing.sub: a record is expected"},
        {BYTES("\x9c\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\x92\x01\x01"),
         "leaf.b: a string is expected"},
        {BYTES("\x9d\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xa1x"),
         "thing.list: a list is expected"},
        {BYTES("\x9d\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\x91\x01"),
         "thing.list: a list of records is expected"},
        {BYTES("\x9d\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\x91\xc0"),
         "thing.list: a list of records is expected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct thing t;
        struct errtext err = {""};
        int r = codec_decode(&thing_rec, cases[i].bytes, cases[i].n, &t, &err);
        if (r != -EBADMSG || strcmp(err.s, cases[i].text) != 0)
            fail_msg("case %zu: %d \"%s\", expected \"%s\"", i, r, err.s, cases[i].text);
        decode_checked(&thing_rec, cases[i].bytes, cases[i].n);
    }
}

static void append_nested(struct str *out, int depth)
{
    for (int i = 0; i < depth; i++)
        str_append_char(out, (char)0x91);
    str_append_char(out, (char)0xc0);
}

static void test_nesting_is_bounded(void **state)
{
    (void)state;
    static const struct {
        int depth;
        bool fine;
    } cases[] = {{1, true}, {SHAPE_MAX_DEPTH, true}, {SHAPE_MAX_DEPTH + 1, false}, {1000000, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct str out = STR_INIT;
        append_nested(&out, cases[i].depth);
        const char *why = shape_check((const uint8_t *)out.s, out.len);
        if (cases[i].fine)
            assert_null(why);
        else
            assert_string_equal(why, "arrays nested too deeply");
        str_fini(&out);
    }
}

struct crate {
    struct {
        uint32_t n;
        struct cpuset cpus;
    } * box;
};
struct crates {
    REC_LIST(struct crate) list;
};
#define CRATE_FIELDS(F, G, S)  G(S, BOXED, box, U32, n) G(S, BOXED, box, CPUSET, cpus)
#define CRATES_FIELDS(F, G, S) G(S, LISTOF, list, crate)
extern const struct rec_desc crate_rec, crates_rec;
REC_DEFINE(crate, CRATE_FIELDS)
REC_DEFINE(crates, CRATES_FIELDS)

#define NILS_15 "\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0\xc0"

/* Many records of one byte: the memory that they would take is refused, and a million strings too. */
static void test_memory_is_bounded(void **state)
{
    (void)state;
    static const struct {
        const struct rec_desc *d;
        const char *item;
        size_t n;
        const char *text;
    } cases[] = {
        {&msg_jobs_rec, "\x90", FRAME_MAX - 6, "msg_jobs.rows: too many empty items"},
        {&msg_jobs_rec, "\x90", 100000, "msg_jobs.rows: too many empty items"},
        {&msg_act_rec, "\x90", 1000001, "msg_act.targets: too many items"},
        {&msg_drain_rec, "\xa0", 1000001, "msg_drain.nodes: too much for its size"},
        /* Each byte of a small message may cost as much, but not each of eight million. */
        {&msg_jobs_rec, "\x9f" NILS_15, FRAME_MAX / 16 - 1, "msg_jobs.rows: too many empty items"},
        {&crates_rec, "\x91\x01", 100000, "crate.n: too many boxes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct str out = STR_INIT;
        str_append_char(&out, (char)(cases[i].d == &msg_act_rec ? 0x92 : 0x91));
        if (cases[i].d == &msg_act_rec)
            str_append_char(&out, (char)0xc0);
        str_append_char(&out, (char)0xdd);
        for (int shift = 24; shift >= 0; shift -= 8)
            str_append_char(&out, (char)(cases[i].n >> shift));
        for (size_t k = 0; k < cases[i].n; k++)
            str_append(&out, cases[i].item);
        void *rec = xmalloc(cases[i].d->size);
        struct errtext err = {""};
        assert_int_equal(codec_decode(cases[i].d, out.s, out.len, rec, &err), -EBADMSG);
        assert_string_equal(err.s, cases[i].text);
        assert_true(is_zero(rec, cases[i].d->size));
        free(rec);
        str_fini(&out);
    }
}

/* ---- the form itself ---- */

static void assert_encodes(const struct rec_desc *d, const void *rec, const char *bytes, size_t n)
{
    struct str out = STR_INIT;
    codec_encode(d, rec, &out);
    assert_int_equal(out.len, n);
    assert_memory_equal(out.s, bytes, n);
    str_fini(&out);
}

/* Thousands of nodes come with empty sets: they have no box after that. */
static void test_unset_members_make_no_box(void **state)
{
    (void)state;
    struct crate c = {0}, back;
    struct errtext err = {""};
    assert_encodes(&crate_rec, &c, BYTES("\x90"));
    c.box = xcalloc(1, sizeof *c.box);
    assert_encodes(&crate_rec, &c, BYTES("\x90"));
    cpuset_add(&c.box->cpus, 0);
    assert_encodes(&crate_rec, &c, BYTES("\x92\xc0\xc4\x01\x01"));
    free(c.box);
    assert_int_equal(codec_decode(&crate_rec, BYTES("\x92\xc0\xc0"), &back, &err), 0);
    assert_null(back.box);
}

static void test_the_form_is_fixed(void **state)
{
    (void)state;
    char text[] = "ab", empty[] = "";
    struct thing t = {0};
    assert_encodes(&thing_rec, &t, BYTES("\x90"));
    t.u32 = 300;
    assert_encodes(&thing_rec, &t, BYTES("\x92\xc2\xcd\x01\x2c"));
    t = (struct thing){.flag = true, .i32 = -2, .str = text};
    assert_encodes(&thing_rec, &t,
                   BYTES("\x97\xc3\x00\xfe\x00\x00\xcb\0\0\0\0\0\0\0\0\xa2"
                         "ab"));
    t = (struct thing){.wall = {.ms = -1}};
    assert_encodes(&thing_rec, &t, BYTES("\x9a\xc2\0\0\0\0\xcb\0\0\0\0\0\0\0\0\xc0\xc4\0\x90\xff"));
    t = (struct thing){0};
    cpuset_add(&t.set, 0);
    cpuset_add(&t.set, 9);
    assert_encodes(&thing_rec, &t,
                   BYTES("\x9b\xc2\0\0\0\0\xcb\0\0\0\0\0\0\0\0\xc0\xc4\0\x90\0\xc4\x02\x01\x02"));
    struct leaf l = {.b = empty};
    assert_encodes(&leaf_rec, &l, BYTES("\x92\x00\xa0"));
}

static void test_older_and_newer_forms(void **state)
{
    (void)state;
    struct str out = STR_INIT;
    struct errtext err = {""};

    struct newer now = {.n = 7, .text = xstrdup("x")};
    rec_list_push(&now.list)->a = 3;
    codec_encode(&newer_rec, &now, &out);
    struct older old;
    assert_int_equal(codec_decode(&older_rec, out.s, out.len, &old, &err), 0);
    assert_int_equal(old.n, 7);
    rec_fini(&newer_rec, &now);

    str_clear(&out);
    old.n = 9;
    codec_encode(&older_rec, &old, &out);
    memset(&now, 0xff, sizeof now);
    assert_int_equal(codec_decode(&newer_rec, out.s, out.len, &now, &err), 0);
    assert_int_equal(now.n, 9);
    assert_null(now.text);
    assert_int_equal(now.list.n, 0);
    rec_fini(&newer_rec, &now);
    str_fini(&out);
}

static void test_decoded_lists_can_grow(void **state)
{
    (void)state;
    for (uint32_t n = 0; n < 20; n++) {
        struct newer a = {0}, b;
        for (uint32_t i = 0; i < n; i++)
            rec_list_push(&a.list)->a = i;
        struct str out = STR_INIT;
        codec_encode(&newer_rec, &a, &out);
        struct errtext err;
        assert_int_equal(codec_decode(&newer_rec, out.s, out.len, &b, &err), 0);
        rec_list_push(&b.list)->a = 77;
        assert_int_equal(b.list.n, n + 1);
        assert_int_equal(b.list.v[n].a, 77);
        str_fini(&out);
        rec_fini(&newer_rec, &a);
        rec_fini(&newer_rec, &b);
    }
}

/* ---- parts of records ---- */

static bool is_in(uint64_t members, size_t i)
{
    return i < 64 && members >> i & 1;
}

static void check_part(const struct rec_desc *d, const void *whole, const void *some, uint64_t members,
                       const struct codec_part *part)
{
    void *nothing = xcalloc(1, d->size);
    for (size_t i = 0; i < d->n_fields; i++) {
        const struct rec_field *f = &d->fields[i];
        const struct rec_desc one = {.name = f->name, .size = d->size, .fields = f, .n_fields = 1};
        const void *in = rec_at(f, whole), *out = rec_at(f, some);
        if (is_in(members, i) && f->type == REC_SUB && f->sub == part->inner)
            check_part(f->sub, in, out, part->inner_members, part);
        else if (!rec_eq(&one, some, is_in(members, i) ? whole : nothing))
            fail_msg("%s.%s is not what was asked for", d->name, f->name);
    }
    free(nothing);
}

static void test_parts_hold_what_is_asked_for(void **state)
{
    (void)state;
    anyrec_set_seed(__func__);
    static const struct {
        const struct rec_desc *d, *inner;
    } kinds[] = {{&thing_rec, &leaf_rec}, {&job_rec, &job_req_rec}, {&step_rec, NULL}};
    for (int round = 0; round < 600; round++) {
        const struct rec_desc *d = kinds[round % 3].d;
        struct codec_part part = {.members = anyrec_random() | anyrec_random(),
                                  .inner = kinds[round % 3].inner,
                                  .inner_members = anyrec_random()};
        if (round < 6)
            part.members = part.inner_members = round < 3 ? UINT64_MAX : 0;
        void *rec = anyrec_new(d), *back = xmalloc(d->size);
        struct str out = STR_INIT;
        struct errtext err;
        codec_encode_part(d, rec, &part, &out);
        assert_int_equal(codec_decode(d, out.s, out.len, back, &err), 0);
        check_part(d, rec, back, part.members, &part);
        str_fini(&out);
        anyrec_free(d, back);
        anyrec_free(d, rec);
    }
}

/* What the controller writes it reads, and so do its clients, whatever is in it: a table of usage of a
 * million rows kept it from starting, a job with a million ends of ranks could not be shown. */
static void test_own_records_have_no_bounds(void **state)
{
    (void)state;
    enum { MANY = 1100000 };
    struct errtext err = {""};
    struct job job = {.id = 5, .state = JOB_COMPLETED}, back;
    struct step *s = rec_list_push(&job.steps);
    for (int i = 0; i < MANY / 4096 + 1; i++) {
        struct task *t = rec_list_push(&s->tasks);
        t->ranks.v = xcalloc(4096, sizeof *t->ranks.v);
        t->ranks.n = 4096;
    }
    struct str out = STR_INIT;
    codec_encode(&job_rec, &job, &out);
    assert_int_equal(codec_decode(&job_rec, out.s, out.len, &back, &err), -EBADMSG);
    assert_string_equal(err.s, "task.ranks: too many items");
    assert_int_equal(codec_decode_own(&job_rec, out.s, out.len, &back, &err), 0);
    assert_int_equal(back.steps.v[0].tasks.n, s->tasks.n);
    rec_fini(&job_rec, &back);
    /* The same as a row, between others. */
    struct msg_jobs rows = {0};
    *(struct job *)rec_list_push(&rows.rows) = (struct job){.id = 1};
    *(struct job *)rec_list_push(&rows.rows) = job;
    *(struct job *)rec_list_push(&rows.rows) = (struct job){.id = 2};
    str_clear(&out);
    codec_encode(&msg_jobs_rec, &rows, &out);
    struct codec_rows *r = codec_rows_new();
    assert_int_equal(codec_rows_open(r, &job_rec, out.s, out.len, &err), 0);
    static const uint32_t ids[] = {1, 5, 2};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(codec_rows_next(r, &back, &err), 1);
        assert_int_equal(back.id, ids[i]);
    }
    codec_rows_free(r);
    rec_fini(&msg_jobs_rec, &rows);
    struct ev_usage usage = {0}, usage_back;
    for (int i = 0; i < MANY; i++)
        rec_list_push(&usage.rows);
    str_clear(&out);
    codec_encode(&ev_usage_rec, &usage, &out);
    assert_int_equal(codec_decode_own(&ev_usage_rec, out.s, out.len, &usage_back, &err), 0);
    assert_int_equal(usage_back.rows.n, MANY);
    rec_fini(&ev_usage_rec, &usage_back);
    rec_fini(&ev_usage_rec, &usage);
    str_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_values_are_named),
        cmocka_unit_test(test_nesting_is_bounded),
        cmocka_unit_test(test_memory_is_bounded),
        cmocka_unit_test(test_every_prefix_is_refused),
        cmocka_unit_test(test_flipped_bits_are_survived),
        cmocka_unit_test(test_random_bytes_are_survived),
        cmocka_unit_test(test_a_record_as_another),
        cmocka_unit_test(test_every_record_comes_back),
        cmocka_unit_test(test_unset_members_make_no_box),
        cmocka_unit_test(test_the_form_is_fixed),
        cmocka_unit_test(test_older_and_newer_forms),
        cmocka_unit_test(test_decoded_lists_can_grow),
        cmocka_unit_test(test_parts_hold_what_is_asked_for),
        cmocka_unit_test(test_own_records_have_no_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
