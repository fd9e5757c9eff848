/* lang.c - the language of texts. */
#include "src/lang/lang.h"

#include <libintl.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "src/base/xalloc.h"
#include "src/os/exe_path.h"
#include "src/os/given_env.h"

#define DOMAIN  "stoker"
#define RECENTS 1024 /* about a third of the texts; those of one list are some tens */

const struct lang langs[] = {
    {.code = "en", .name = "English"},
    {.code = "pl", .name = "polski"},
    {.code = "pt_BR", .name = "português (Brasil)"},
    {.code = "fr", .name = "français"},
};
const size_t n_langs = sizeof langs / sizeof langs[0];

/* The C library keeps the catalogues for the whole process, so the choice is of the process too. */
static const struct lang *chosen = &langs[0];

/* Gettext's counter of changes: what it has looked up before one is void (its manual, 11.6). */
extern int _nl_msg_cat_cntr;

static bool is_english(const struct lang *l)
{
    return l == &langs[0];
}

/* --- the choice --- */

/* By a code or the name of a locale: "pl", "pl_PL.UTF-8", "pt". NULL where there is no such language. */
static const struct lang *find(const char *name)
{
    size_t len = strcspn(name, ".@"), language = strcspn(name, "_.@");
    for (size_t i = 0; i < n_langs; i++)
        if (len == strlen(langs[i].code) && strncmp(name, langs[i].code, len) == 0)
            return &langs[i];
    for (size_t i = 0; i < n_langs; i++)
        if (language == strcspn(langs[i].code, "_") && strncmp(name, langs[i].code, language) == 0)
            return &langs[i];
    return NULL;
}

static const char *locale_of_messages(void)
{
    static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *s = getenv(names[i]);
        if (s && *s)
            return s;
    }
    return "C";
}

/* The first of a list such as "de:pl:en" that there is. */
static const struct lang *first_of(const char *list)
{
    for (const char *p = list; *p;) {
        size_t n = strcspn(p, ":");
        char *name = xstrndup(p, n);
        const struct lang *l = find(name);
        free(name);
        if (l)
            return l;
        p += n + (p[n] == ':');
    }
    return &langs[0];
}

static const struct lang *of_environment(void)
{
    const char *locale = locale_of_messages(), *codeset = strchr(locale, '.'), *list = getenv("LANGUAGE");
    if (strcmp(locale, "C") == 0 || strcmp(locale, "POSIX") == 0)
        return &langs[0];
    if (codeset && strncasecmp(codeset, ".utf-8", 6) != 0 && strncasecmp(codeset, ".utf8", 5) != 0)
        return &langs[0];
    const struct lang *l = list && *list ? first_of(list) : find(locale);
    return l ? l : &langs[0];
}

static bool has_catalogue(const struct lang *l, const char *dir)
{
    char *path = xasprintf("%s/%s/LC_MESSAGES/" DOMAIN ".mo", dir, l->code);
    bool there = access(path, R_OK) == 0;
    free(path);
    return there;
}

static char *dir_beside_program(void)
{
    char *here = exe_path_dir(), *dir = xasprintf("%s/../share/locale", here ? here : "/usr/local/bin");
    free(here);
    return dir;
}

/* Gettext looks at LANGUAGE in every locale but "C", and C.UTF-8 is there where no other is installed. */
static bool open_catalogue(const struct lang *l, const char *dir)
{
    if (!setlocale(LC_MESSAGES, "C.UTF-8") && !setlocale(LC_MESSAGES, "en_US.UTF-8"))
        return false;
    given_env_language(l->code);
    bindtextdomain(DOMAIN, dir);
    bind_textdomain_codeset(DOMAIN, "UTF-8");
    ++_nl_msg_cat_cntr;
    return true;
}

/* Lists and filters ask for the same few texts for each of 100,000 rows, and gettext searches its catalogue
 * each time. A place is found by the address of the literal; the text is compared, because a text that is
 * not a literal may lie where another one lay. */
struct looked_up {
    char *source;     /* its own copy */
    const char *text; /* the catalogue's */
    unsigned choice;  /* with which it was looked up */
};
static _Thread_local struct looked_up recents[RECENTS];
static unsigned choice;

static const char *catalogue_text(const char *text)
{
    struct looked_up *r = &recents[((uintptr_t)text ^ (uintptr_t)text >> 10) % RECENTS];
    if (r->source && r->choice == choice && strcmp(r->source, text) == 0)
        return r->text;
    const char *found = dgettext(DOMAIN, text);
    if (found != text) {
        xstrset(&r->source, text);
        r->text = found;
        r->choice = choice;
    }
    return found;
}

static const char *catalogue_number(const char *one, const char *many, unsigned long n)
{
    return dngettext(DOMAIN, one, many, n);
}

static const struct lang_texts catalogue = {.text = catalogue_text, .number = catalogue_number};

void lang_choose(const char *wanted, const char *dir)
{
    char *beside = dir ? NULL : dir_beside_program();
    given_env_language(NULL);
    const struct lang *l = wanted && strcmp(wanted, "auto") != 0 ? find(wanted) : of_environment();
    bool opened = l && !is_english(l) && has_catalogue(l, dir ? dir : beside) &&
                  open_catalogue(l, dir ? dir : beside);
    if (!opened)
        setlocale(LC_MESSAGES, "C");
    chosen = opened ? l : &langs[0];
    lang_texts = opened ? &catalogue : NULL;
    choice++;
    free(beside);
}

const char *lang_code(void)
{
    return chosen->code;
}
