/* test_older_client.c - a client that knows no codes of causes gets sentences, one that does gets the code.
 */
#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "src/conf/paths.h"
#include "src/proto/frame.h"
#include "src/proto/msg.h"
#include "tests/lib/check.h"
#include "tests/lib/cluster.h"

static int dial(void)
{
    struct sockaddr_un sa = {.sun_family = AF_UNIX};
    struct paths p;
    paths_find(&p);
    snprintf(sa.sun_path, sizeof sa.sun_path, "%s", p.socket);
    paths_fini(&p);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    if (connect(fd, (struct sockaddr *)&sa, sizeof sa) < 0)
        fail_msg("cannot connect: %s", strerror(errno));
    return fd;
}

/* The next RESULT. The caller frees it with msg_free. */
static struct msg_result *read_result(int fd)
{
    struct frame_reader in = {0};
    struct msg_result *result = NULL;
    while (!result) {
        struct frame f;
        struct errtext err;
        void *body = NULL;
        int r = frame_reader_next(&in, &f);
        assert_true(r >= 0);
        if (r == 0) {
            uint8_t *at = frame_reader_space(&in, 4096);
            ssize_t n = recv(fd, at, 4096, 0);
            assert_true(n > 0);
            frame_reader_added(&in, (size_t)n);
            continue;
        }
        assert_int_equal(msg_decode(&f, &body, &err), 0);
        if (f.type == MSG_RESULT)
            result = body;
        else
            msg_free(f.type, body);
    }
    frame_reader_fini(&in);
    return result;
}

static struct msg_result *refused(uint32_t version, uint32_t causes)
{
    char program[] = "older";
    struct msg_hello hello = {.version = version, .program = program, .causes = causes};
    struct msg_job own = {.target = {.job = 99, .array_index = ARRAY_NONE, .step = STEP_ALL}};
    struct str out = STR_INIT;
    msg_append(&out, MSG_HELLO, 1, &hello);
    if (version)
        msg_append(&out, MSG_OWN, 2, &own);
    int fd = dial();
    assert_int_equal(send(fd, out.s, out.len, MSG_NOSIGNAL), (ssize_t)out.len);
    struct msg_result *r = read_result(fd);
    close(fd);
    str_fini(&out);
    return r;
}

static void test_sentences_for_older_clients(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t version, causes, code;
        const char *text;
    } cases[] = {
        {"no codes", PROTO_VERSION, 0, CAUSE_NO_INTERACTIVE_JOB,
         "job 99 is not an interactive job of yours"},
        {"codes up to this one", PROTO_VERSION, CAUSE_NO_INTERACTIVE_JOB, CAUSE_NO_INTERACTIVE_JOB,
         "job 99 is not an interactive job of yours"},
        {"all codes", PROTO_VERSION, CAUSE_N_CODES, CAUSE_NO_INTERACTIVE_JOB, ""},
        {"another protocol", 0, 0, CAUSE_PROTOCOL,
         "older speaks protocol 0, this controller 1 to 1: use programs of one release"},
    };
    pid_t controller = cluster_spawn(NULL);
    client_free(cluster_connect());
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct msg_result *r = refused(cases[i].version, cases[i].causes);
        check_int(cases[i].name, r->cause.code, cases[i].code);
        check_str(cases[i].name, r->text ? r->text : "", cases[i].text);
        msg_free(MSG_RESULT, r);
    }
    cluster_stop(controller);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sentences_for_older_clients)};
    cluster_configure(1, 4, 0);
    return cmocka_run_group_tests_name("older_client", tests, NULL, NULL);
}
