/* test_remote.c - which words name a machine for ssh. Connections: tests/integ/test_remote.sh. */
#include <errno.h>
#include <stdlib.h>

#include "src/client/client_remote.h"
#include "tests/lib/check.h"

static void test_words(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        bool is;
    } cases[] = {
        {"ann@hpc", true}, {"hpc:", true},  {"ssh://hpc", true}, {"ssh://ann@hpc:2222", true},
        {"hpc", false}, /* a command */
        {"jobs", false},   {":", false},    {"-x:", false},      {"-oProxyCommand=x@y", false},
        {"--on", false},   {"a b:", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        print_message("%s\n", cases[i].word);
        assert_int_equal(client_remote_is_host(cases[i].word), cases[i].is);
    }
}

static void test_choice(void **state)
{
    (void)state;
    struct errtext err;
    unsetenv("STOKER_SOCKET");
    unsetenv(CLIENT_HOST_VARIABLE);
    assert_null(client_remote_host());
    static const char *const bad[] = {"", ":", "-oProxyCommand=x", "a b", "a\nb", "a\033[m", "-"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(client_remote_choose(bad[i], &err), -EINVAL);
    assert_null(client_remote_host());
    assert_int_equal(client_remote_choose("hpc:", &err), 0);
    assert_string_equal(client_remote_host(), "hpc");
    assert_int_equal(client_remote_choose("ssh://ann@hpc:2222", &err), 0);
    assert_string_equal(client_remote_host(), "ssh://ann@hpc:2222");
    setenv("STOKER_SOCKET", "/run/agent.sock", 1); /* inside a job: its own cluster is nearer */
    assert_null(client_remote_host());
    assert_int_equal(client_remote_choose("hpc", &err), 0); /* unless one is named */
    assert_string_equal(client_remote_host(), "hpc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_words), cmocka_unit_test(test_choice)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
