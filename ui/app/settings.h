/* settings.h - what the user set: ui.cfg, the environment, the command line. */
#ifndef UI_APP_SETTINGS_H
#define UI_APP_SETTINGS_H

#include "src/base/err.h"
#include "ui/keys/keymap.h"

#define SETTINGS_GPU_IDLE_S 600

struct settings {
    char *theme;    /* a name, or a path with a slash; NULL: the built-in looks */
    bool theme_now; /* of the command line: over what :theme chose before */
    bool ascii, read_only, no_mouse;
    uint32_t gpu_idle_s; /* an allocated GPU that idles for this long is reported */
    struct keymap keys;
    char *samples;        /* ids of sample jobs, "3,4"; NULL: none were submitted */
    uint32_t clock_speed; /* of a demo: its time goes this many times as fast; 0: it stands still */
};

/* Built-in values. */
void settings_init(struct settings *s);
void settings_fini(struct settings *s);

/* Reads $XDG_CONFIG_HOME/stoker/ui.cfg over them, if it exists:
 *
 *     theme = "light";  ascii = false;  mouse = true;  read_only = false;
 *     gpu_idle = "10m";
 *     keys = { cancel = "c F8"; };
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
/* The names of all themes: the built-in ones, the user's, those of dir. */
struct strv settings_themes(const char *dir) __attribute__((warn_unused_result));

#endif
