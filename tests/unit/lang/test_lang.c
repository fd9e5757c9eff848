/* Which language the environment and the settings choose, what a text becomes in it, and what does not
 * change: numbers, and the environment that children and jobs get. */
#include "tests/lib/check.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/os/given_env.h"
#include "src/os/spawn.h"

static char *catalogues(void)
{
    const char *build = getenv("B");
    char *dir = xasprintf("%s/share/locale", build ? build : "build");
    char *one = xasprintf("%s/pl/LC_MESSAGES/stoker.mo", dir);
    bool there = access(one, R_OK) == 0;
    free(one);
    if (there)
        return dir;
    free(dir);
    return NULL;
}

static void set(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static const struct choice_row {
    const char *name, *wanted, *language, *lc_all, *lc_messages, *lang, *code;
} choice_rows[] = {
    {.name = "nothing is set", .code = "en"},
    {.name = "C", .lang = "C", .code = "en"},
    {.name = "POSIX", .lang = "POSIX", .language = "pl", .code = "en"},
    {.name = "LC_ALL=C goes before LANG",
     .lc_all = "C",
     .lang = "pl_PL.UTF-8",
     .language = "pl",
     .code = "en"},
    {.name = "C.UTF-8", .lang = "C.UTF-8", .code = "en"},
    {.name = "C.UTF-8 and LANGUAGE", .lang = "C.UTF-8", .language = "pl", .code = "pl"},
    {.name = "a language without a catalogue", .lang = "de_DE.UTF-8", .code = "en"},
    {.name = "other characters than UTF-8", .lang = "pl_PL.ISO-8859-2", .code = "en"},
    {.name = "an unknown wish", .wanted = "de", .lang = "pl_PL.UTF-8", .code = "en"},
    {.name = "LANG", .lang = "pl_PL.UTF-8", .code = "pl"},
    {.name = "without a country", .lang = "fr", .code = "fr"},
    {.name = "of another country", .lang = "fr_CA.utf8", .code = "fr"},
    {.name = "Portuguese", .lang = "pt_PT.UTF-8", .code = "pt_BR"},
    {.name = "LC_MESSAGES goes before LANG",
     .lc_messages = "fr_FR.UTF-8",
     .lang = "pl_PL.UTF-8",
     .code = "fr"},
    {.name = "LC_ALL goes before both",
     .lc_all = "pt_BR.UTF-8",
     .lc_messages = "fr_FR.UTF-8",
     .lang = "pl_PL.UTF-8",
     .code = "pt_BR"},
    {.name = "LANGUAGE is a list", .language = "de:fr:pl", .lang = "pl_PL.UTF-8", .code = "fr"},
    {.name = "English first", .language = "en_GB:fr", .lang = "pl_PL.UTF-8", .code = "en"},
    {.name = "a wish", .wanted = "fr", .language = "pl", .lang = "pl_PL.UTF-8", .code = "fr"},
    {.name = "a wish in C", .wanted = "pt_BR", .lc_all = "C", .code = "pt_BR"},
    {.name = "auto is not a wish", .wanted = "auto", .lang = "pl_PL.UTF-8", .code = "pl"},
};

static void the_language_is_chosen(void **unused)
{
    (void)unused;
    char *dir = catalogues();
    if (!dir)
        skip();
    for (size_t i = 0; i < N_OF(choice_rows); i++) {
        const struct choice_row *r = &choice_rows[i];
        lang_choose("en", dir);
        set("LANGUAGE", r->language);
        set("LC_ALL", r->lc_all);
        set("LC_MESSAGES", r->lc_messages);
        set("LANG", r->lang);
        lang_choose(r->wanted, dir);
        check_str(r->name, lang_code(), r->code);
    }
    lang_choose("pl", "/nonexistent");
    check_str("without catalogues", lang_code(), "en");
    free(dir);
}

/* No locale of a language is installed on the machines that test this. */
static void texts_are_translated(void **unused)
{
    (void)unused;
    char *dir = catalogues();
    if (!dir)
        skip();
    lang_choose("en", dir);
    check_str("in English", tr("Settings"), "Settings");
    check_str("one", trn("%u job", "%u jobs", 1), "%u job");
    check_str("none", trn("%u job", "%u jobs", 0), "%u jobs");
    lang_choose("pl", dir);
    check_str("in Polish", tr("Settings"), "Ustawienia");
    check_str("not in the catalogue", tr("zxcvb"), "zxcvb");
    check_str("void", tr(""), "");
    assert_null(tr(NULL));
    check_str("not in the catalogue, in a context", trc("zxcvb", "zxcvb"), "zxcvb");
    check_str("for programs", (lang_pause(), tr("Settings")), "Settings");
    lang_resume();
    check_str("again", tr("Settings"), "Ustawienia");
    lang_choose("fr", dir);
    check_str("in French", tr("Settings"), "Réglages");
    lang_choose("pt_BR", dir);
    check_str("in Portuguese", tr("Settings"), "Configurações");
    char number[16];
    snprintf(number, sizeof number, "%.1f", 0.5);
    check_str("numbers", number, "0.5");
    lang_choose("en", dir);
    free(dir);
}

static void check_child(const char *what, const char *language)
{
    char sh[] = "sh", c[] = "-c", *script = xasprintf("test \"${LANGUAGE-none}\" = '%s'", language),
         *argv[] = {sh, c, script, NULL};
    pid_t pid;
    int status = -1;
    assert_int_equal(spawn_program(&(struct spawn){.path = sh, .argv = argv}, &pid), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    check_int(what, status, 0);
    free(script);
}

static size_t count_of_language(void)
{
    size_t n = 0;
    for (char **e = given_env(); *e; e++)
        n += strncmp(*e, "LANGUAGE=", 9) == 0;
    return n;
}

/* In processes of their own: the environment is kept as it was at the first choice. */
static void try_environment(const char *given)
{
    char *dir = catalogues();
    pid_t pid = fork();
    if (pid == 0) {
        set("LANGUAGE", given);
        lang_choose("pl", dir);
        check_str("of this process", getenv("LANGUAGE"), "pl");
        lang_choose("fr", dir);
        check_str("of this process, later", getenv("LANGUAGE"), "fr");
        check_child("of a child", given ? given : "none");
        check_int("in the environment", count_of_language(), given ? 1 : 0);
        given_env_restore();
        check_str("restored", getenv("LANGUAGE") ? getenv("LANGUAGE") : "none", given ? given : "none");
        _exit(0);
    }
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    check_int(given ? given : "not set", status, 0);
    free(dir);
}

static void the_language_stays_in_the_process(void **unused)
{
    (void)unused;
    char *dir = catalogues();
    if (!dir)
        skip();
    try_environment(NULL);
    try_environment("de:pl");
    free(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_language_stays_in_the_process),
        cmocka_unit_test(the_language_is_chosen),
        cmocka_unit_test(texts_are_translated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
