/* term_caps.c - what this terminal can do. */
#include "ui/term/term_caps.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

#include "src/lang/lang.h"
#include "ui/theme/color.h"

/* The calls of terminfo take texts that they do not change. */
static char *name_of(const char *name, char buf[16])
{
    snprintf(buf, 16, "%s", name);
    return buf;
}

const char *caps_text(const char *name)
{
    char buf[16];
    const char *s = tigetstr(name_of(name, buf));
    return s == (const char *)-1 ? NULL : s;
}

int caps_number(const char *name)
{
    char buf[16];
    int n = tigetnum(name_of(name, buf));
    return n < 0 ? -1 : n;
}

static bool caps_flag(const char *name)
{
    char buf[16];
    return tigetflag(name_of(name, buf)) > 0;
}

void caps_append(struct str *out, const char *text)
{
    for (const char *s = text; s && *s; s++) {
        const char *end = s[0] == '$' && s[1] == '<' ? strchr(s, '>') : NULL; /* padding of old terminals */
        if (end)
            s = end;
        else
            str_append_char(out, *s);
    }
}

/* --- colours --- */

static bool begins(const char *s, const char *with)
{
    return s && strncmp(s, with, strlen(with)) == 0;
}

/* COLORTERM is inherited: screen passes it on and cannot do what it says; tmux can. */
static bool says_true(void)
{
    const char *says = getenv("COLORTERM");
    if (!says || (strcmp(says, "truecolor") != 0 && strcmp(says, "24bit") != 0))
        return false;
    return !begins(getenv("TERM"), "screen") || getenv("TMUX");
}

int caps_colors(int number, bool rgb)
{
    if (number < 8)
        return 0;
    if (rgb || number >= COLORS_TRUE || says_true())
        return COLORS_TRUE;
    return number >= 256 ? 256 : number >= 16 ? 16 : 8;
}

int caps_read(struct term_caps *c, struct errtext *err)
{
    const char *name = getenv("TERM");
    int rc = 0;
    *c = (struct term_caps){0};
    if (setupterm(NULL, STDOUT_FILENO, &rc) != OK)
        return err_set(err, -ENODEV, tr("the terminal type '%s' is not known: set TERM"), name ? name : "");
    int number = caps_number("colors");
    bool rgb = caps_flag("RGB") || caps_flag("Tc") || caps_number("RGB") > 0 || caps_text("RGB");
    *c = (struct term_caps){.direct = number > 256,
                            .keeps_corner = !caps_flag("am") || caps_flag("xenl"),
                            .move = caps_text("cup"),
                            .clear = caps_text("clear"),
                            .clear_line = caps_text("el"),
                            .plain = caps_text("sgr0"),
                            .bold = caps_text("bold"),
                            .dim = caps_text("dim"),
                            .underline = caps_text("smul"),
                            .reverse = caps_text("rev"),
                            .fg = caps_text("setaf"),
                            .bg = caps_text("setab"),
                            .show = caps_text("cnorm"),
                            .hide = caps_text("civis")};
    c->colors = c->fg && c->bg ? caps_colors(number, rgb) : 0;
    if (!c->move || !c->clear)
        return err_set(err, -ENODEV, tr("the cursor of a terminal of type '%s' cannot be moved: set TERM"),
                       name ? name : "");
    return 0;
}

/* --- characters --- */

static const char *locale_name(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *s = getenv(names[i]);
        if (s && *s)
            return s;
    }
    return "";
}

static bool names_utf8(const char *name)
{
    return strcasestr(name, "UTF-8") || strcasestr(name, "UTF8");
}

void caps_set_locale(void)
{
    bool found = setlocale(LC_CTYPE, "") != NULL;
    if (!found || (names_utf8(locale_name()) && strcmp(nl_langinfo(CODESET), "UTF-8") != 0))
        setlocale(LC_CTYPE, "C.UTF-8");
}

bool caps_is_ascii(void)
{
    const char *term = getenv("TERM"); /* the console's font has 512 characters at most */
    return strcmp(nl_langinfo(CODESET), "UTF-8") != 0 || (term && strcmp(term, "linux") == 0);
}
