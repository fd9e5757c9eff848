/* notify.c - desktop notifications through the terminal. */
#include "ui/term/notify.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/utf8.h"

#define TEXT_CELLS 200

int notify_parse(const char *word)
{
    static const char *const words[] = {[NOTIFY_OFF] = "off",
                                        [NOTIFY_OSC9] = "osc9",
                                        [NOTIFY_OSC777] = "osc777",
                                        [NOTIFY_OSC99] = "osc99",
                                        [NOTIFY_AUTO] = "auto"};
    for (int i = 0; i <= NOTIFY_AUTO; i++)
        if (str_eq(word, words[i]))
            return i;
    return -1;
}

static bool has_env(const char *name)
{
    return !str_is_empty(getenv(name));
}

enum notify_way notify_by_terminal(void)
{
    static const struct {
        const char *program;
        enum notify_way way;
    } programs[] = {{"iTerm.app", NOTIFY_OSC9}, {"WezTerm", NOTIFY_OSC777}, {"ghostty", NOTIFY_OSC777}};
    const char *term = getenv("TERM"), *program = getenv("TERM_PROGRAM");
    term = term ? term : "";
    if (has_env("TMUX") || str_starts(term, "tmux") || str_starts(term, "screen"))
        return NOTIFY_OFF;
    for (size_t i = 0; i < sizeof programs / sizeof programs[0]; i++)
        if (str_eq(program, programs[i].program))
            return programs[i].way;
    if (has_env("KITTY_WINDOW_ID") || strstr(term, "kitty"))
        return NOTIFY_OSC99;
    if (has_env("VTE_VERSION") || str_starts(term, "foot") || str_starts(term, "rxvt-unicode"))
        return NOTIFY_OSC777;
    return NOTIFY_OFF;
}

/* A semicolon would end the title of OSC 777. */
static void append_clean(struct str *out, const char *text, bool no_semicolon)
{
    struct str clean = STR_INIT;
    cell_text(&clean, text, TEXT_CELLS, true, false);
    for (char *c = clean.s; *c; c++)
        str_append_char(out, no_semicolon && *c == ';' ? ',' : *c);
    str_fini(&clean);
}

static void append_plain(struct str *out, enum notify_way way, const char *title, const char *text)
{
    str_append(out, way == NOTIFY_OSC9     ? "\033]9;"
                    : way == NOTIFY_OSC777 ? "\033]777;notify;"
                                           : "\033]99;i=1:d=0;");
    append_clean(out, title, way == NOTIFY_OSC777);
    str_append(out, way == NOTIFY_OSC9 ? ": " : way == NOTIFY_OSC777 ? ";" : "\033\\\033]99;i=1:p=body;");
    append_clean(out, text, false);
    str_append(out, "\033\\");
}

void notify_append(struct str *out, enum notify_way way, bool tmux, const char *title, const char *text)
{
    struct str plain = STR_INIT;
    way = way == NOTIFY_AUTO ? notify_by_terminal() : way;
    if (way == NOTIFY_OFF)
        return;
    append_plain(&plain, way, title, text);
    if (!tmux) {
        str_append(out, plain.s);
    } else { /* each ESC twice, within a DCS of tmux */
        str_append(out, "\033Ptmux;");
        for (const char *c = plain.s; *c; c++) {
            if (*c == '\033')
                str_append_char(out, *c);
            str_append_char(out, *c);
        }
        str_append(out, "\033\\");
    }
    str_fini(&plain);
}
