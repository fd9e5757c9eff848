/* test_paths.c - where a controller's files and its socket are looked for. test-user */
#include <stdlib.h>
#include <unistd.h>

#include "src/conf/paths.h"
#include "tests/lib/check.h"

static void test_paths(void **state)
{
    (void)state;
    static const struct {
        const char *stoker_home, *config_home, *state_home, *runtime, *socket;
        const char *config, *state, *run, *log, *sock;
    } cases[] = {
        {"/h/", NULL, NULL, NULL, NULL, "/h/stoker.cfg", "/h/state", "/h/run", "/h/log",
         "/h/run/controller.sock"},
        {"/h", "/c", "/s", "/r", "/x/y.sock", "/h/stoker.cfg", "/h/state", "/h/run", "/h/log", "/x/y.sock"},
        {NULL, "/c", "/s", "/r", NULL, "/c/stoker/stoker.cfg", "/s/stoker", "/r/stoker", "/s/stoker/log",
         "/r/stoker/controller.sock"},
        {"", NULL, NULL, "/r", NULL, "/home/u/.config/stoker/stoker.cfg", "/home/u/.local/state/stoker",
         "/r/stoker", "/home/u/.local/state/stoker/log", "/r/stoker/controller.sock"},
        {NULL, "relative", "relative", "/r", NULL, "/home/u/.config/stoker/stoker.cfg",
         "/home/u/.local/state/stoker", "/r/stoker", "/home/u/.local/state/stoker/log",
         "/r/stoker/controller.sock"},
    };
    bool shared =
        access("/etc/stoker/stoker.cfg", F_OK) == 0 || access("/run/stoker/controller.sock", F_OK) == 0;
    setenv("HOME", "/home/u", 1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct {
            const char *name, *value;
        } env[] = {{"STOKER_HOME", cases[i].stoker_home},
                   {"XDG_CONFIG_HOME", cases[i].config_home},
                   {"XDG_STATE_HOME", cases[i].state_home},
                   {"XDG_RUNTIME_DIR", cases[i].runtime},
                   {"STOKER_SOCKET", cases[i].socket}};
        for (size_t k = 0; k < 5; k++)
            if (env[k].value)
                setenv(env[k].name, env[k].value, 1);
            else
                unsetenv(env[k].name);
        if (shared && !(cases[i].stoker_home && *cases[i].stoker_home))
            continue; /* this machine has a shared controller: that one is found */
        struct paths p;
        paths_find(&p);
        assert_string_equal(p.config, cases[i].config);
        assert_string_equal(p.state, cases[i].state);
        assert_string_equal(p.run, cases[i].run);
        assert_string_equal(p.log, cases[i].log);
        assert_string_equal(p.socket, cases[i].sock);
        assert_false(p.shared);
        paths_fini(&p);
    }
    unsetenv("STOKER_SOCKET");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_paths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
