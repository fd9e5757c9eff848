/* test_boot.c - the first words with a node: noise, pieces, files, failures; and the line in a real shell.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "src/base/xalloc.h"
#include "src/carry/boot.h"

static const struct {
    const char *name, *text;
    enum boot_event want;
    const char *rest; /* what is not consumed */
} cases[] = {
    {"nothing", "", BOOT_MORE, ""},
    {"noise alone", "Welcome!\nto this host\n", BOOT_MORE, ""},
    {"half a line", "STOKER@@ BRIDGE 1", BOOT_MORE, ""},
    {"the bridge", "STOKER@@ BRIDGE 1\nframes", BOOT_UP, "frames"},
    {"behind noise", "motd\n\nSTOKER@@ BRIDGE 1\n\x01\n", BOOT_UP, "\x01\n"},
    {"behind a prompt without an end", "host$ STOKER@@ BRIDGE 1\n", BOOT_UP, ""},
    {"a file is asked for", "STOKER@@ SEND stoker-agent x86_64\nrest", BOOT_SEND, "rest"},
    {"a failure", "STOKER@@ FAIL cannot make /x\n", BOOT_FAILED, ""},
    {"what is not known", "STOKER@@ DANCE\n", BOOT_FAILED, ""},
    {"a file without a type", "STOKER@@ SEND stoker-agent\n", BOOT_FAILED, ""},
};

static void test_feed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t piece = 1; piece < 50; piece += 7) {
            struct boot b;
            boot_init(&b);
            size_t n = strlen(cases[i].text), at = 0, used;
            enum boot_event e = BOOT_MORE;
            print_message("%s, %zu bytes at a time\n", cases[i].name, piece);
            while (at < n && e == BOOT_MORE) {
                e = boot_feed(&b, cases[i].text + at, n - at < piece ? n - at : piece, &used);
                at += used;
            }
            assert_int_equal(e, cases[i].want);
            assert_string_equal(cases[i].text + at, cases[i].rest);
            if (e == BOOT_SEND) {
                assert_string_equal(b.name, "stoker-agent");
                assert_string_equal(b.arch, "x86_64");
            }
            if (e == BOOT_FAILED)
                assert_true(b.text[0] != '\0');
            boot_fini(&b);
        }
}

static void test_endless_noise(void **state)
{
    (void)state;
    struct boot b;
    size_t used;
    enum boot_event e = BOOT_MORE;
    boot_init(&b);
    for (int i = 0; i < 100000 && e == BOOT_MORE; i++)
        e = boot_feed(&b, "the same thing again and again\n", 31, &used);
    assert_int_equal(e, BOOT_FAILED);
    boot_fini(&b);
}

static void test_words(void **state)
{
    (void)state;
    const char *good[] = {"n1", "gpu-01.lab", "A_b", "2949565c-20de-eb8e"};
    const char *bad[] = {"", "-x", ".hidden", "a b", "a'b", "a;b", "$(x)", "a/b", "\xc3\xa4"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(boot_is_word(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(boot_is_word(bad[i]));
    assert_false(boot_is_word(NULL));
}

/* --- in a shell --- */

static const char agent_text[] = "#!/bin/sh\necho \"STOKER@@ BRIDGE 1\"\necho \"$@\"\n";

static void make_bundle(struct bundle *k)
{
    *k = (struct bundle){.id = "0123", .arch = "any", .n_files = BUNDLE_FILES};
    const char *names[BUNDLE_FILES] = {"stoker-agent", "stoker-shim", "stoker-pmi", "stoker"};
    for (size_t i = 0; i < BUNDLE_FILES; i++)
        k->files[i] = (struct bundle_file){
            .name = names[i], .p = (const uint8_t *)agent_text, .n = sizeof agent_text - 1};
    strv_push(&k->names, "srun");
}

/* Runs the line with sh; its answers are in out, what it is asked for is given. */
static void run(const char *command, const struct bundle *k, struct str *out, int *ret_sent)
{
    int in[2], back[2];
    assert_int_equal(pipe(in) | pipe(back), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(in[0], 0);
        dup2(back[1], 1);
        close(in[1]);
        close(back[0]);
        execl("/bin/sh", "sh", "-c", command, NULL);
        _exit(127);
    }
    close(in[0]);
    close(back[1]);
    struct boot b;
    boot_init(&b);
    char buf[512];
    *ret_sent = 0;
    for (ssize_t n; (n = read(back[0], buf, sizeof buf)) > 0;) {
        str_append_n(out, buf, (size_t)n);
        for (size_t at = 0, used; at < (size_t)n; at += used)
            if (boot_feed(&b, buf + at, (size_t)n - at, &used) == BOOT_SEND) {
                const struct bundle_file *f = bundle_find(k, b.name);
                assert_non_null(f);
                assert_int_equal(write(in[1], f->p, f->n), f->n);
                ++*ret_sent;
            }
    }
    close(in[1]);
    close(back[0]);
    waitpid(pid, NULL, 0);
    boot_fini(&b);
}

static void test_in_a_shell(void **state)
{
    (void)state;
    char dir[] = "/tmp/test_boot.XXXXXX";
    assert_non_null(mkdtemp(dir));
    setenv("XDG_CACHE_HOME", dir, 1);
    setenv("XDG_STATE_HOME", dir, 1);
    struct bundle k;
    struct str command = STR_INIT, out = STR_INIT;
    int sent;
    make_bundle(&k);
    boot_command_node(&command, &k, "cluster-1", "n1");
    const char *quote = strchr(command.s, '\'');
    assert_non_null(quote);
    assert_ptr_equal(strchr(quote + 1, '\''), command.s + command.len - 1); /* none inside */
    assert_null(strchr(command.s, '\n'));
    assert_null(strchr(command.s, '!')); /* csh */

    run(command.s, &k, &out, &sent);
    assert_int_equal(sent, BUNDLE_FILES);
    assert_non_null(strstr(out.s, "STOKER@@ BRIDGE 1\n--bridge --node n1 --dir "));
    char *want = xasprintf("%s/stoker/agents/cluster-1/n1\n", dir);
    assert_non_null(strstr(out.s, want));
    free(want);

    str_clear(&out); /* it is there now */
    run(command.s, &k, &out, &sent);
    assert_int_equal(sent, 0);
    assert_non_null(strstr(out.s, "STOKER@@ BRIDGE 1\n"));

    setenv("XDG_CACHE_HOME", "/proc/nowhere", 1);
    str_clear(&out);
    run(command.s, &k, &out, &sent);
    assert_non_null(strstr(out.s, "STOKER@@ FAIL cannot make /proc/nowhere/stoker"));

    char *clean = xasprintf("rm -rf '%s'", dir);
    assert_int_equal(system(clean), 0);
    free(clean);
    strv_fini(&k.names);
    str_fini(&command);
    str_fini(&out);
}

/* The line for a user's own machine: one program, which another user must not have put there. */
static void test_user_in_a_shell(void **state)
{
    (void)state;
    char dir[] = "/tmp/test_boot.XXXXXX";
    assert_non_null(mkdtemp(dir));
    setenv("XDG_CACHE_HOME", dir, 1);
    static const char text[] = "#!/bin/sh\necho \"STOKER@@ BRIDGE 1 ann /home/ann /bin/sh\"\necho \"$@\"\n";
    struct bundle k = {.id = "0123", .arch = "any", .n_files = 1};
    k.files[0] =
        (struct bundle_file){.name = "stoker-slurm", .p = (const uint8_t *)text, .n = sizeof text - 1};
    struct str command = STR_INIT, out = STR_INIT;
    int sent;
    struct stat st;
    boot_command_user(&command, &k);
    assert_ptr_equal(strchr(strchr(command.s, '\'') + 1, '\''), command.s + command.len - 1);
    run(command.s, &k, &out, &sent);
    assert_int_equal(sent, 1);
    assert_non_null(strstr(out.s, "\n--stdio\n"));
    char *glob =
        xasprintf("cd '%s'/stoker/0123-* && test \"$(ls -A)\" = stoker-slurm && test \"$(ls -A ..)\" "
                  "= \"${PWD##*/}\" && test \"$(stat -c %%a .)\" = 700",
                  dir);
    assert_int_equal(system(glob), 0);

    str_clear(&out);
    run(command.s, &k, &out, &sent);
    assert_int_equal(sent, 0);
    if (geteuid() == 0) { /* another user was there first */
        char *chown = xasprintf("chown 65534 '%s'/stoker/0123-*", dir);
        assert_int_equal(system(chown), 0);
        str_clear(&out);
        run(command.s, &k, &out, &sent);
        assert_non_null(strstr(out.s, "STOKER@@ FAIL "));
        assert_null(strstr(out.s, "BRIDGE"));
        free(chown);
    }
    char *clean = xasprintf("rm -rf '%s'", dir);
    assert_int_equal(system(clean), 0);
    assert_int_equal(stat(dir, &st), -1);
    free(clean);
    free(glob);
    str_fini(&command);
    str_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_feed),       cmocka_unit_test(test_endless_noise),
        cmocka_unit_test(test_words),      cmocka_unit_test(test_user_in_a_shell),
        cmocka_unit_test(test_in_a_shell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
