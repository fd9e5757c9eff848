/* main_ui.c - stoker-ui: the screens. Argument parsing and wiring only. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/exe_path.h"
#include "src/base/str.h"
#include "src/base/xalloc.h"
#include "ui/app/run.h"
#include "ui/app/ui_manual.h"
#include "ui/term/term_caps.h"

#define EXIT_USAGE 2

enum {
    OPT_THEME = 256,
    OPT_ASCII,
    OPT_READ_ONLY,
    OPT_NO_MOUSE,
    OPT_PRINT_KEYS,
    OPT_PRINT_MANUAL,
    OPT_CLOCK_SPEED
};

static const struct option options[] = {
    {.name = "theme", .has_arg = required_argument, .val = OPT_THEME},
    {.name = "ascii", .val = OPT_ASCII},
    {.name = "read-only", .val = OPT_READ_ONLY},
    {.name = "no-mouse", .val = OPT_NO_MOUSE},
    {.name = "print-keys", .val = OPT_PRINT_KEYS},
    {.name = "print-manual", .val = OPT_PRINT_MANUAL},
    {.name = "clock-speed",
     .has_arg = required_argument,
     .val = OPT_CLOCK_SPEED}, /* main_demo.c gives it */
    {.name = "help", .val = 'h'},
    {.name = "version", .val = 'V'},
    {0},
};

static void usage(FILE *f)
{
    fputs("Usage: stoker-ui [OPTIONS]\n"
          "Full-screen view of the queue. ? shows the keys.\n\n",
          f);
#define X(option, text) fprintf(f, "      %-15s %s\n", option, text);
    SCREEN_OPTIONS(X)
#undef X
    fputs("      --print-keys    print the table of keys and exit\n"
          "      --print-manual  print the manual page of the screens and exit\n"
          "  -h, --help          print this and exit\n"
          "  -V, --version       print the version and exit\n\n"
          "NO_COLOR turns colours off. ~/.config/stoker/ui.cfg keeps theme, ascii, mouse, read_only "
          "and keys.\n",
          f);
}

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

int main(int argc, char **argv)
{
    caps_set_locale();
    struct settings s;
    settings_init(&s);
    struct errtext err = {""};
    char *path = settings_path();
    int bad = settings_load(&s, path, &err);
    free(path);
    for (int c; (c = getopt_long(argc, argv, "hV", options, NULL)) != -1;) {
        if (c == OPT_THEME) {
            free(s.theme);
            s.theme = xstrdup(optarg);
            s.theme_now = true;
        } else if (c == OPT_ASCII) {
            s.ascii = true;
        } else if (c == OPT_READ_ONLY) {
            s.read_only = true;
        } else if (c == OPT_NO_MOUSE) {
            s.no_mouse = true;
        } else if (c == OPT_CLOCK_SPEED) {
            s.clock_speed = (uint32_t)strtoul(optarg, NULL, 10);
        } else if (c == OPT_PRINT_KEYS) {
            return print_with(keymap_manual);
        } else if (c == OPT_PRINT_MANUAL) {
            return print_with(ui_manual);
        } else if (c == 'h') {
            usage(stdout);
            return EXIT_SUCCESS;
        } else if (c == 'V') {
            puts("stoker-ui " STOKER_VERSION);
            return EXIT_SUCCESS;
        } else {
            usage(stderr);
            return EXIT_USAGE;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "stoker-ui: unexpected argument: %s\n", argv[optind]);
        return EXIT_USAGE;
    }
    int rc = run(&s, bad < 0 ? err.s : NULL);
    settings_fini(&s);
    return rc;
}
