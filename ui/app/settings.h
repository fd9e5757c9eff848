/* settings.h - what the user set: ui.cfg, the environment, the command line. settings_info is the one table
 * of the options; settings_view.h shows it. */
#ifndef UI_APP_SETTINGS_H
#define UI_APP_SETTINGS_H

#include "src/base/err.h"
#include "src/lang/lang.h"
#include "ui/keys/keymap.h"
#include "ui/state/user_commands.h"
#include "ui/term/notify.h"

#define SETTINGS_GPU_IDLE_S 600

/* X(member, name in ui.cfg, kind, what it is when not set, what it is for) */
/* clang-format off */
#define SETTINGS(X) \
    X(THEME, "theme", TEXT, "dark", N_("the colours: dark, light, mono, colourblind, your own")) \
    X(ASCII, "ascii", BOOL, "false", N_("ASCII characters only")) \
    X(MOUSE, "mouse", BOOL, "true", N_("the mouse selects and opens; off: the terminal selects text")) \
    X(READ_ONLY, "read_only", BOOL, "false", N_("refuse all changes")) \
    X(GPU_IDLE, "gpu_idle", DURATION, "10m", N_("report a GPU that has been allocated and idle for so long")) \
    X(NOTIFY, "notify", CHOICE, "auto", N_("desktop notification of watched jobs: auto, off, osc9, osc777, osc99")) \
    X(NOTIFY_COMMAND, "notify_command", TEXT, "", N_("command that is run when a watched job changes")) \
    X(LANGUAGE, "language", CHOICE, "auto", N_("the language of the screens; auto: as LANGUAGE, LC_ALL and LANG say"))
/* clang-format on */

enum setting {
#define X(member, name, kind, usual, help) SETTING_##member,
    SETTINGS(X)
#undef X
        SETTING_N
};

enum setting_kind { SETTING_TEXT, SETTING_BOOL, SETTING_DURATION, SETTING_CHOICE };
enum setting_source { SETTING_BY_DEFAULT, SETTING_BY_FILE, SETTING_BY_OPTION };

struct setting_info {
    const char *name, *usual, *help;
    enum setting_kind kind;
};

struct settings {
    char *language; /* a code of langs; NULL: as the environment says */
    char *theme;    /* a name, or a path with a slash; NULL: the built-in looks */
    bool ascii, read_only, no_mouse;
    uint32_t gpu_idle_s; /* an allocated GPU that idles for this long is reported */
    enum notify_way notify;
    char *notify_command; /* NULL: none */
    struct user_commands commands;
    enum setting_source from[SETTING_N];
    int lines[SETTING_N]; /* of ui.cfg, of those that are set there */
    struct keymap keys;
    char *samples;        /* ids of sample jobs, "3,4"; NULL: none were submitted */
    uint32_t clock_speed; /* of a demo: its time goes this many times as fast; 0: it stands still */
};

/* Built-in values. */
void settings_init(struct settings *s);
void settings_fini(struct settings *s);

const struct setting_info *setting_info(enum setting s);
/* The value as a person reads it: "on", "10m", "dark". */
void setting_format(const struct settings *s, enum setting which, struct str *out);
/* An option of the command line has set it: ui.cfg does not change it. */
void setting_is_given(struct settings *s, enum setting which);
/* What options of the command line have set in `now` is so in s too. */
void settings_keep_given(struct settings *s, const struct settings *now);

/* Reads $XDG_CONFIG_HOME/stoker/ui.cfg over them, if it exists:
 *
 *     theme = "light";  ascii = false;  mouse = true;  read_only = false;
 *     gpu_idle = "10m";  notify = "auto";  notify_command = "mail -s \"$STOKER_TEXT\" me";
 *     keys = { cancel = "c F8"; };
 *     commands = ( { name = "top"; key = "T"; run = "ssh {node} top"; in = "terminal"; } );
 *     aliases = { po = "partitions"; };
 *
 * Errors: -EINVAL with file and line; what stands before the error has been taken. */
int settings_load(struct settings *s, const char *path, struct errtext *err)
    __attribute__((warn_unused_result));
/* The path of that file; caller frees. */
char *settings_path(void) __attribute__((warn_unused_result));
/* A file or folder beside it: "views.cfg", "themes", "templates". Caller frees. */
char *settings_beside(const char *name) __attribute__((warn_unused_result));
/* The file of a theme: name itself where it has a slash, else NAME.theme of the user's own, else
 * dir/NAME.theme. Caller frees. */
char *settings_theme_path(const char *name, const char *dir) __attribute__((warn_unused_result));
/* The words of a choice, in the order in which Enter takes them: the next one behind `now`. */
const char *setting_next_choice(enum setting which, const char *now);
/* The names of all themes: the built-in ones, the user's, those of dir. */
struct strv settings_themes(const char *dir) __attribute__((warn_unused_result));

#endif
