/* test_msg.c - frames on a stream, messages in frames, events in messages. */
#include <errno.h>

#include "src/base/xalloc.h"
#include "src/proto/frame.h"
#include "src/proto/msg.h"
#include "src/proto/msg_node.h"
#include "tests/lib/check.h"

static void give(struct frame_reader *r, const char *p, size_t n)
{
    memcpy(frame_reader_space(r, n), p, n);
    frame_reader_added(r, n);
}

static void test_header_is_little_endian(void **state)
{
    (void)state;
    struct str out = STR_INIT;
    frame_append_header(&out, 0x0102, 0x0304, 0x1112131415161718, 0x0a0b0c0d);
    assert_int_equal(out.len, FRAME_HEADER_SIZE);
    assert_memory_equal(out.s, "\x0d\x0c\x0b\x0a\x02\x01\x04\x03\x18\x17\x16\x15\x14\x13\x12\x11", 16);
    str_fini(&out);
}

/* A stream comes in pieces of any size: the frames are the same. */
static void test_pieces_of_any_size(void **state)
{
    (void)state;
    struct str stream = STR_INIT;
    for (size_t size = 0; size < 40; size++) {
        size_t at = frame_begin(&stream);
        for (size_t i = 0; i < size; i++)
            str_append_char(&stream, (char)size);
        frame_end(&stream, at, (uint16_t)size, 5, size * 1000);
    }
    for (size_t piece = 1; piece < 200; piece++) {
        struct frame_reader r = {0};
        size_t seen = 0;
        for (size_t at = 0; at < stream.len; at += piece) {
            give(&r, stream.s + at, stream.len - at < piece ? stream.len - at : piece);
            struct frame f;
            int got;
            for (; (got = frame_reader_next(&r, &f)) == 1; seen++) {
                assert_int_equal(f.type, seen);
                assert_int_equal(f.flags, 5);
                assert_int_equal(f.tag, seen * 1000);
                assert_int_equal(f.size, seen);
                for (size_t i = 0; i < f.size; i++)
                    assert_int_equal(f.body[i], seen);
            }
            assert_int_equal(got, 0);
        }
        assert_int_equal(seen, 40);
        frame_reader_fini(&r);
    }
    str_fini(&stream);
}

static void test_too_long_is_refused_by_its_header(void **state)
{
    (void)state;
    static const struct {
        size_t max, size;
        int expected;
    } cases[] = {
        {0, FRAME_MAX + 1, -EMSGSIZE},
        {0, 0xffffffff, -EMSGSIZE},
        {100, 101, -EMSGSIZE},
        {0, FRAME_MAX, 0},
        {100, 100, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct frame_reader r = {.max = cases[i].max};
        struct str out = STR_INIT;
        struct frame f;
        frame_append_header(&out, 1, 0, 1, cases[i].size);
        give(&r, out.s, out.len);
        assert_int_equal(frame_reader_next(&r, &f), cases[i].expected);
        assert_true(r.cap < 1000); /* nothing is allocated for an announcement */
        str_fini(&out);
        frame_reader_fini(&r);
    }
}

static void test_a_big_frame_leaves_no_big_buffer(void **state)
{
    (void)state;
    struct frame_reader r = {0};
    struct str out = STR_INIT;
    size_t at = frame_begin(&out);
    str_reserve(&out, 4u << 20);
    for (size_t i = 0; i < 4u << 20; i++)
        str_append_char(&out, 'x');
    frame_end(&out, at, 1, 0, 1);
    give(&r, out.s, out.len);
    struct frame f;
    assert_int_equal(frame_reader_next(&r, &f), 1);
    frame_reader_space(&r, 4096);
    assert_true(r.cap <= 1u << 20);
    str_fini(&out);
    frame_reader_fini(&r);
}

static int decode_bytes(const struct str *bytes, void **ret, struct errtext *err)
{
    struct frame_reader r = {0};
    struct frame f;
    give(&r, bytes->s, bytes->len);
    assert_int_equal(frame_reader_next(&r, &f), 1);
    int code = msg_decode(&f, ret, err);
    frame_reader_fini(&r);
    return code;
}

static void test_every_kind_there_and_back(void **state)
{
    (void)state;
    for (unsigned k = 0; k < MSG_N_KINDS; k++) {
        enum msg_kind kind = k;
        void *empty = xcalloc(1, msg_rec(kind)->size), *back = NULL;
        struct str out = STR_INIT;
        struct errtext err;
        msg_append(&out, kind, 42, empty);
        assert_int_equal(decode_bytes(&out, &back, &err), 0);
        assert_true(rec_eq(msg_rec(kind), empty, back));
        assert_true(strlen(msg_name(kind)) > 0);
        msg_free(kind, back);
        free(empty);
        str_fini(&out);
    }
}

static void test_bodies_that_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint16_t kind;
        const char *body;
        int code;
        const char *text;
    } cases[] = {
        {MSG_N_KINDS, "\x90", -ENOSYS, NULL},
        {65535, "\x90", -ENOSYS, "message kind 65535 is not known here"},
        {MSG_PING, "", -EBADMSG, "msg_none: not a message: it ends too early"},
        {MSG_RESULT, "\x92\x01\x01", -EBADMSG, "msg_result.text: a string is expected"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct str out = STR_INIT;
        size_t at = frame_begin(&out);
        str_append(&out, cases[i].body);
        frame_end(&out, at, cases[i].kind, 0, 1);
        void *body = &out;
        struct errtext err;
        assert_int_equal(decode_bytes(&out, &body, &err), cases[i].code);
        if (!cases[i].text) /* it holds a number that grows with the table */
            assert_true(str_starts(err.s, "message kind ") && str_ends(err.s, " is not known here"));
        else
            assert_string_equal(err.s, cases[i].text);
        assert_ptr_equal(body, &out);
        str_fini(&out);
    }
}

static void test_events_travel(void **state)
{
    (void)state;
    struct job *j = job_new();
    j->id = 7;
    j->user = xstrdup("alice");
    struct event ev = {.seq = 12, .t = {.ms = 99}, .kind = EV_SUBMIT, .job = 7, .body = j}, back;
    struct msg_event msg;
    struct errtext err;
    event_to_msg(&ev, &msg);
    assert_int_equal(event_from_msg(&msg, &back, &err), 0);
    assert_int_equal(back.seq, 12);
    assert_int_equal(back.t.ms, 99);
    assert_int_equal(back.kind, EV_SUBMIT);
    assert_int_equal(back.job, 7);
    assert_true(rec_eq(&job_rec, j, back.body));
    struct job *copy = back.body;
    assert_true(list_empty(&copy->in_all) && list_empty(&copy->in_queue));
    event_fini(&back);

    msg.body.p[0] = 0x01;
    assert_int_equal(event_from_msg(&msg, &back, &err), -EBADMSG);
    assert_true(str_starts(err.s, "event 12: job: "));
    msg.kind = EV_N_KINDS;
    assert_int_equal(event_from_msg(&msg, &back, &err), -ENOSYS);
    rec_fini(&msg_event_rec, &msg);
    event_fini(&ev);

    struct event retire = {.seq = 13, .kind = EV_RETIRE, .job = 7};
    event_to_msg(&retire, &msg);
    assert_int_equal(event_from_msg(&msg, &back, &err), 0);
    rec_fini(&msg_event_rec, &msg);
    event_fini(&back);
}

static void give_message(enum msg_kind kind, const void *body, void **ret, struct errtext *err)
{
    struct str out = STR_INIT;
    struct frame_reader r = {0};
    struct frame f;
    msg_append(&out, kind, 1, body);
    give(&r, out.s, out.len);
    assert_int_equal(frame_reader_next(&r, &f), 1);
    assert_int_equal(msg_decode(&f, ret, err), 0);
    frame_reader_fini(&r);
    str_fini(&out);
}

static void test_a_class_of_causes_has_a_name(void **state)
{
    (void)state;
    assert_string_equal(why_class_name(WHY_NO_FIT), "NO_FIT");
    assert_string_equal(why_class_name(WHY_PARTITION_DOWN), "PARTITION_DOWN");
}

/* The codec bounds how deep arrays lie in arrays. */
static void test_the_deepest_causes_are_read(void **state)
{
    (void)state;
    static const enum cause_code codes[CAUSE_LEVELS_MAX] = {CAUSE_HELD_BY_OWNER, CAUSE_RELEASE_REFUSED,
                                                            CAUSE_IN_STEP,       CAUSE_NEVER_FITS,
                                                            CAUSE_NODES,         CAUSE_NODES_FEW_GPUS};
    struct msg_why why = {.job = 1};
    struct msg_waits waits = {{0}};
    struct job_wait *row = rec_list_push(&waits.rows);
    struct cause *c = rec_list_push(&why.causes), *of_row = cause_set(&row->cause, codes[0]);
    cause_set(c, codes[0]);
    for (size_t i = 1; i < CAUSE_LEVELS_MAX; i++) {
        c = cause_add(c, codes[i]);
        of_row = cause_add(of_row, codes[i]);
    }
    strv_push(&c->jobs, "1");
    strv_push(&of_row->jobs, "1");
    struct errtext err = {""};
    void *back = NULL;
    give_message(MSG_WHY_CAUSES, &why, &back, &err);
    assert_string_equal(err.s, "");
    msg_free(MSG_WHY_CAUSES, back);
    give_message(MSG_WAIT_CAUSES, &waits, &back, &err);
    assert_string_equal(err.s, "");
    msg_free(MSG_WAIT_CAUSES, back);
    rec_fini(&msg_why_rec, &why);
    rec_fini(&msg_waits_rec, &waits);
}

/* The table of the nodes' messages is that of all messages, less those between clients and controllers. */
static void test_messages_of_nodes(void **unused)
{
    (void)unused;
    static const char *const who[] = {
#define X(name, body, who) [MSG_##name] = who,
        MSGS(X)
#undef X
    };
    unsigned n = 0;
    for (unsigned kind = 0; kind < MSG_N_KINDS; kind++) {
        bool of_node = strstr(who[kind], "A->") || strstr(who[kind], "->A") || strstr(who[kind], "either");
        check_int(msg_name(kind), msg_node_rec(kind) != NULL, of_node);
        if (of_node)
            assert_ptr_equal(msg_node_rec(kind), msg_rec(kind));
        struct frame f = {.type = (uint16_t)kind, .body = (const uint8_t *)"", .size = 0};
        struct errtext err = {""};
        void *body = NULL;
        if (!of_node)
            check_int(msg_name(kind), msg_node_decode(&f, &body, &err), -EPROTO);
        n += of_node;
    }
    assert_true(n >= 20);
    struct frame newer = {.type = MSG_N_KINDS};
    struct errtext err = {""};
    void *body = NULL;
    assert_int_equal(msg_node_decode(&newer, &body, &err), -ENOSYS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages_of_nodes),
        cmocka_unit_test(test_too_long_is_refused_by_its_header),
        cmocka_unit_test(test_bodies_that_are_refused),
        cmocka_unit_test(test_header_is_little_endian),
        cmocka_unit_test(test_pieces_of_any_size),
        cmocka_unit_test(test_a_big_frame_leaves_no_big_buffer),
        cmocka_unit_test(test_every_kind_there_and_back),
        cmocka_unit_test(test_events_travel),
        cmocka_unit_test(test_a_class_of_causes_has_a_name),
        cmocka_unit_test(test_the_deepest_causes_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
