/* main_ui.c - stoker-ui: the screens. Argument parsing and wiring only. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/str.h"
#include "src/base/xalloc.h"
#include "src/lang/lang.h"
#include "src/os/exe_path.h"
#include "ui/app/run.h"
#include "ui/app/ui_manual.h"
#include "ui/term/term_caps.h"

static int print_with(void (*write)(struct str *out))
{
    struct str s = STR_INIT;
    write(&s);
    fputs(s.s, stdout);
    str_fini(&s);
    return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Beside the program as it lies in the build and where it is installed. */
static char *theme_dir(void)
{
    char *here = exe_path_dir();
    char *dir = xasprintf("%s/../share/stoker/themes", here ? here : "/usr/local/bin");
    free(here);
    return dir;
}

static int run(const struct settings *s, const char *notice)
{
    struct errtext err = {""};
    char *dir = theme_dir();
    int rc = run_ui(s, dir, notice, &err);
    free(dir);
    if (rc < 0) {
        fprintf(stderr, "stoker-ui: %s\n", err.s);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}

struct screen_options {
    struct settings *settings;
    void (*print)(struct str *out); /* instead of the screens */
};

static int screen_set(void *ctx, const struct opt *opt, const char *arg, struct errtext *err)
{
    (void)err;
    struct screen_options *o = ctx;
    struct settings *s = o->settings;
    switch (opt->id) {
    case SCREEN_THEME:
        xstrset(&s->theme, arg);
        setting_is_given(s, SETTING_THEME);
        break;
    case SCREEN_ASCII:
        s->ascii = true;
        setting_is_given(s, SETTING_ASCII);
        break;
    case SCREEN_READ_ONLY:
        s->read_only = true;
        setting_is_given(s, SETTING_READ_ONLY);
        break;
    case SCREEN_NO_MOUSE:
        s->no_mouse = true;
        setting_is_given(s, SETTING_MOUSE);
        break;
    case SCREEN_CLOCK_SPEED: s->clock_speed = (uint32_t)strtoul(arg, NULL, 10); break;
    case SCREEN_SAMPLES: xstrset(&s->samples, arg); break;
    case SCREEN_PRINT_KEYS: o->print = keymap_manual; break;
    case SCREEN_PRINT_MANUAL: o->print = ui_manual; break;
    default: break;
    }
    return 0;
}

static const struct opts screen_opts = {.v = screen_table, .n = SCREEN_N_OPTIONS, .fn = screen_set};
static const struct opt_program program = {
    .name = "stoker-ui",
    .usage = "[OPTIONS]",
    .more = N_("The screens of stoker(1); ? shows the keys. NO_COLOR turns colours off.\n"
               "~/.config/stoker/ui.cfg keeps your settings, keys and commands (stoker-ui(7)).\n"
               "--print-keys and --print-manual print the table of keys and stoker-ui(7).\n"),
    .options = &screen_opts,
};

int main(int argc, char **argv)
{
    caps_set_locale();
    struct settings s;
    settings_init(&s);
    struct errtext err = {""};
    char *path = settings_path();
    int bad = settings_load(&s, path, &err);
    free(path);
    int exit_code;
    struct screen_options o = {.settings = &s};
    lang_choose(s.language, NULL);
    if (!opt_parse_program(&program, &o, argc, argv, &exit_code))
        return exit_code;
    if (o.print) { /* for the manual, which is English */
        lang_choose("en", NULL);
        return print_with(o.print);
    }
    int rc = run(&s, bad < 0 ? err.s : NULL);
    settings_fini(&s);
    return rc;
}
