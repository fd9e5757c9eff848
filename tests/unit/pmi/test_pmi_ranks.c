/* test_pmi_ranks.c - what ranks say over PMI and what they are answered; what goes to the shim. */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "backend/pmi/pmi_ranks.h"
#include "src/base/xalloc.h"
#include "src/proto/codec.h"
#include "src/proto/frame.h"
#include "tests/lib/check.h"

#define RANKS 2

/* Two ranks, their ends of the sockets, and the shim's. */
struct stage {
    struct pmi_setup setup;
    struct pmi_ranks *p;
    int ours[RANKS], theirs[RANKS], shim[2];
    struct frame_reader from_pmi;
};

static void pair(int *ret_a, int *ret_b)
{
    int sv[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, sv), 0);
    *ret_a = sv[0];
    *ret_b = sv[1];
}

/* A server frees nothing: its process ends. */
static struct pmi_ranks *served[64];
static size_t n_served;

static void stage_begin(struct stage *g, uint32_t tasks)
{
    *g = (struct stage){.setup = {.key = {.job = 7, .step = 3}, .size = 2 * tasks, .tasks = tasks}};
    g->setup.mapping = xstrdup("(vector,(0,1,2))");
    g->setup.node = xstrdup("n1");
    for (uint32_t i = 0; i < RANKS; i++) {
        pair(&g->ours[i], &g->theirs[i]);
        *rec_list_push(&g->setup.ranks) = (struct pmi_setup_rank){.rank = i, .fd = g->ours[i]};
    }
    pair(&g->shim[0], &g->shim[1]);
    g->p = pmi_ranks_new(&g->setup, g->shim[0]);
    assert_true(n_served < N_OF(served));
    served[n_served++] = g->p;
}

static void stage_end(struct stage *g)
{
    for (size_t i = 0; i < RANKS; i++) {
        if (pmi_ranks_fd(g->p, i) >= 0)
            close(g->ours[i]);
        close(g->theirs[i]);
    }
    close(g->shim[0]);
    close(g->shim[1]);
    frame_reader_fini(&g->from_pmi);
    rec_fini(&pmi_setup_rec, &g->setup);
}

/* Sends text and returns what comes back; "" for nothing. Valid until the next call. */
static const char *say_n(struct stage *g, size_t rank, const char *text, size_t n)
{
    static char back[4096];
    assert_int_equal(send(g->theirs[rank], text, n, 0), n);
    if (pmi_ranks_fd(g->p, rank) >= 0)
        pmi_ranks_read(g->p, rank);
    ssize_t got = recv(g->theirs[rank], back, sizeof back - 1, MSG_DONTWAIT);
    back[got > 0 ? got : 0] = '\0';
    return back;
}

static const char *say(struct stage *g, size_t rank, const char *text)
{
    return say_n(g, rank, text, strlen(text));
}

/* The same with the length in front, as PMI-2 has it. */
static const char *say2(struct stage *g, size_t rank, const char *text)
{
    char *all = xasprintf("%6zu%s", strlen(text), text);
    const char *back = say(g, rank, all);
    free(all);
    return back;
}

static const char *heard(struct stage *g, size_t rank)
{
    static char back[4096];
    ssize_t got = recv(g->theirs[rank], back, sizeof back - 1, MSG_DONTWAIT);
    back[got > 0 ? got : 0] = '\0';
    return back;
}

/* The next frame for the shim; false: there is none. */
static bool next_frame(struct stage *g, struct frame *ret)
{
    ssize_t n = recv(g->shim[1], frame_reader_space(&g->from_pmi, 1 << 16), 1 << 16, MSG_DONTWAIT);
    if (n > 0)
        frame_reader_added(&g->from_pmi, (size_t)n);
    return frame_reader_next(&g->from_pmi, ret) > 0;
}

static void next_fence(struct stage *g, struct msg_pmi *ret)
{
    struct frame f;
    do
        assert_true(next_frame(g, &f));
    while (f.type != MSG_PMI_FENCE);
    struct errtext err;
    assert_int_equal(codec_decode(&msg_pmi_rec, f.body, f.size, ret, &err), 0);
}

static const char init2[] = "cmd=init pmi_version=2 pmi_subversion=0\n";
static const char init1[] = "cmd=init pmi_version=1 pmi_subversion=1\n";

static void test_what_ends_a_rank(void **unused)
{
    (void)unused;
    static const struct {
        const char *name, *text;
        bool v2; /* said after an init of version 2 */
    } rows[] = {
        {"a command that is not known", "cmd=dance\n", false},
        {"no command", "\n", false},
        {"no digits", "abcdef", true},
        {"a negative length", "    -5", true},
        {"no length", "000000", true},
        {"too long", "999999", true},
        {"a long name of a command", "    50cmd=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa;", true},
        {"no command in it", "     4a=b;", true},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct stage g;
        stage_begin(&g, 1);
        if (rows[i].v2)
            say(&g, 0, init2);
        say(&g, 0, rows[i].text);
        check_int(rows[i].name, pmi_ranks_fd(g.p, 0), -1);
        check_has(rows[i].name, say(&g, 1, init1), "response_to_init"); /* the other one goes on */
        stage_end(&g);
    }
}

static void test_a_line_without_end(void **unused)
{
    (void)unused;
    struct stage g;
    stage_begin(&g, 1);
    char piece[4096];
    memset(piece, 'a', sizeof piece);
    for (int i = 0; i < 40 && pmi_ranks_fd(g.p, 0) >= 0; i++)
        say_n(&g, 0, piece, sizeof piece);
    assert_int_equal(pmi_ranks_fd(g.p, 0), -1);
    stage_end(&g);
}

static void test_version_1(void **unused)
{
    (void)unused;
    struct stage g;
    stage_begin(&g, 1);
    for (size_t i = 0; i < RANKS; i++)
        check_has("init", say(&g, i, init1), "cmd=response_to_init pmi_version=1");
    check_has("maxes", say(&g, 0, "cmd=get_maxes\n"), "keylen_max=64");
    check_has("size", say(&g, 0, "cmd=get_universe_size\n"), "size=2");
    check_has("name", say(&g, 0, "cmd=get_my_kvsname\n"), "kvsname=7.3");
    check_has("number", say(&g, 0, "cmd=get_appnum\n"), "appnum=0");
    check_has("mapping", say(&g, 0, "cmd=get kvsname=7.3 key=PMI_process_mapping\n"), "value=(vector");
    check_has("not there", say(&g, 0, "cmd=get kvsname=7.3 key=k\n"), "rc=-1");
    check_has("put", say(&g, 0, "cmd=put kvsname=7.3 key=k value=a b\n"), "rc=0");
    check_has("get", say(&g, 1, "cmd=get kvsname=7.3 key=k\n"), "value=a b");
    check_str("in two pieces", say(&g, 0, "cmd=barr"), "");
    check_str("the first one waits", say(&g, 0, "ier_in\n"), "");
    check_has("both are in", say(&g, 1, "cmd=barrier_in\n"), "cmd=barrier_out");
    check_has("the first goes on", heard(&g, 0), "cmd=barrier_out");
    check_has("the end", say(&g, 0, "cmd=finalize\n"), "finalize_ack");
    assert_int_equal(pmi_ranks_fd(g.p, 0), -1);
    stage_end(&g);
}

static void test_version_2(void **unused)
{
    (void)unused;
    struct stage g;
    stage_begin(&g, 1);
    for (size_t i = 0; i < RANKS; i++)
        check_has("init", say(&g, i, init2), "pmi_version=2");
    check_has("full init", say2(&g, 1, "cmd=fullinit;"), "rank=1;size=2;");
    check_has("job", say2(&g, 0, "cmd=job-getid;"), "jobid=7.3;");
    check_has("put", say2(&g, 0, "cmd=kvs-put;key=k;value=a;;b;"), "rc=0;");
    check_has("get, doubled", say2(&g, 1, "cmd=kvs-get;jobid=7.3;key=k;"), "found=TRUE;value=a;;b;");
    check_has("not there", say2(&g, 1, "cmd=kvs-get;key=x;"), "found=FALSE;");
    check_has("the size of all", say2(&g, 0, "cmd=info-getjobattr;key=universeSize;"), "value=2;");
    check_has("the thread is told", say2(&g, 0, "cmd=kvs-get;thrid=9;key=k;"), "thrid=9;");
    check_str("an attribute is waited for", say2(&g, 0, "cmd=info-getnodeattr;key=n;wait=TRUE;"), "");
    check_has("it is put", say2(&g, 1, "cmd=info-putnodeattr;key=n;value=v;"), "rc=0;");
    check_has("the other one has it", heard(&g, 0), "value=v;");
    check_has("not supported", say2(&g, 0, "cmd=spawn;"), "rc=1;");
    check_str("a fence", say2(&g, 0, "cmd=kvs-fence;"), "");
    check_has("both", say2(&g, 1, "cmd=kvs-fence;"), "cmd=kvs-fence-response;");
    check_has("the first", heard(&g, 0), "cmd=kvs-fence-response;");
    struct frame f;
    assert_false(next_frame(&g, &f)); /* on one node nothing travels */
    stage_end(&g);
}

static void test_a_fence_over_nodes(void **unused)
{
    (void)unused;
    struct stage g;
    struct msg_pmi m, answer = {.key = {.job = 7, .step = 3}, .keeps = true};
    stage_begin(&g, 2);
    say(&g, 0, init1);
    say(&g, 1, init1);
    say(&g, 0, "cmd=put kvsname=x key=mine value=1\n");
    say(&g, 0, "cmd=barrier_in\n");
    check_str("no rank is through", say(&g, 1, "cmd=barrier_in\n"), "");
    next_fence(&g, &m);
    check_int("its number", m.fence, 0);
    check_int("its pairs", m.pairs.n, 2);
    check_str("the key", m.pairs.v[0], "mine");
    rec_fini(&msg_pmi_rec, &m);
    assert_true(pmi_ranks_next_ms(g.p) < INT64_MAX); /* it is said again */

    strv_push(&answer.pairs, "theirs");
    strv_push(&answer.pairs, "2");
    answer.fence = 1;
    pmi_ranks_take(g.p, &answer);
    check_str("of another fence", heard(&g, 0), "");
    answer.fence = 0;
    answer.piece = 1;
    pmi_ranks_take(g.p, &answer);
    check_str("a piece too early", heard(&g, 0), "");
    answer.piece = 0;
    pmi_ranks_take(g.p, &answer);
    check_has("through", heard(&g, 0), "cmd=barrier_out");
    check_has("through", heard(&g, 1), "cmd=barrier_out");
    check_has("what came", say(&g, 1, "cmd=get kvsname=x key=theirs\n"), "value=2");
    struct frame f;
    assert_true(next_frame(&g, &f));
    check_int("the shim is told", f.type, PMI_TELL);
    check_int("that it keeps an answer", f.tag, PMI_IS_KEEPER);

    struct msg_pmi kept = {.key = answer.key, .fence = PMI_KEPT};
    pmi_ranks_take(g.p, &kept);
    next_fence(&g, &m);
    check_int("the kept answer", m.fence, PMI_KEPT);
    check_str("its key", m.pairs.v[0], "theirs");
    rec_fini(&msg_pmi_rec, &m);

    pmi_ranks_ask_past(g.p);
    next_fence(&g, &m);
    check_int("it asks", m.piece, PMI_PAST);
    assert_true(m.more);
    rec_fini(&msg_pmi_rec, &m);
    struct msg_pmi past = {.key = answer.key, .fence = PMI_KEPT, .piece = PMI_PAST, .of = 0};
    pmi_ranks_take(g.p, &past);
    assert_true(next_frame(&g, &f));
    check_int("all are past it", f.tag, PMI_IS_KEEPER | PMI_ALL_PAST);
    strv_fini(&answer.pairs);
    stage_end(&g);
}

static void test_an_abort(void **unused)
{
    (void)unused;
    struct stage g;
    struct frame f;
    stage_begin(&g, 2);
    say(&g, 0, init1);
    say(&g, 0, "cmd=abort exitcode=1 error_msg=out_of_luck\n");
    assert_true(next_frame(&g, &f));
    check_int("its frame", f.type, PMI_END);
    char line[PMI_LINE_MAX + 1];
    snprintf(line, sizeof line, "%.*s", (int)f.size, (const char *)f.body);
    check_has("its text", line, "STEP 7.3 ON n1 CANCELLED: rank 0 aborts: out_of_luck");
    stage_end(&g);
}

static void test_too_much_for_a_fence(void **unused)
{
    (void)unused;
    struct stage g;
    stage_begin(&g, 2);
    say(&g, 0, init2);
    char *value = xcalloc(1, 32769), *text;
    memset(value, 'v', 32768);
    unsigned n = 0;
    for (; n < 200; n++) {
        text = xasprintf("cmd=kvs-put;key=k%u;value=%s;", n, value);
        char *all = xasprintf("%6zu%s", strlen(text), text);
        const char *back = "";
        for (size_t at = 0, size = strlen(all); at < size; at += 8000)
            back = say_n(&g, 0, all + at, size - at < 8000 ? size - at : 8000);
        bool more = strstr(back, "rc=0;");
        free(all);
        free(text);
        if (!more)
            break;
    }
    assert_in_range(n, 90, 96); /* 3 MiB */
    free(value);
    stage_end(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_ends_a_rank),
        cmocka_unit_test(test_a_line_without_end),
        cmocka_unit_test(test_version_1),
        cmocka_unit_test(test_version_2),
        cmocka_unit_test(test_a_fence_over_nodes),
        cmocka_unit_test(test_an_abort),
        cmocka_unit_test(test_too_much_for_a_fence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
